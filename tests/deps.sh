#!/bin/sh
# Installs the Debian packages that are missing among those named.
#
# usage: tests/deps.sh PACKAGE…
set -u
if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "deps: this is not a Debian system; these packages by their Debian names are needed: $*"
    exit 0
fi

missing=
for package in "$@"; do
    state=$(dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | sort -u)
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "deps: these packages are missing:$missing" >&2
    echo "deps: install them with: sudo apt-get install --no-install-recommends$missing" >&2
    exit 1
fi

echo "deps: installing$missing"
log=$(mktemp) || exit 1
export DEBIAN_FRONTEND=noninteractive
install() {
    # shellcheck disable=SC2086 # one word per package
    apt-get install -y -q --no-install-recommends $missing </dev/null
}

# The lists may be empty or old: then they are fetched, and once more.
install >"$log" 2>&1 || { apt-get update -q && install; } >"$log" 2>&1
status=$?
[ $status -eq 0 ] || { tail -20 "$log" >&2; echo "deps: apt-get could not install$missing" >&2; }
rm -f "$log"
exit $status
