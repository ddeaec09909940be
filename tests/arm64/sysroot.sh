#!/bin/sh
# Unpacks the libraries that the program for aarch64 Linux is linked with, from Debian's packages
# of that machine, into a folder of its own: nothing is installed, and apt's own state stays.
#
# usage: tests/arm64/sysroot.sh FOLDER PACKAGE… (FOLDER below build/)
#
# FOLDER/archives   the packages with all they need; those that are there are not fetched again
# FOLDER/apt        lists of packages
# FOLDER/root       the sysroot
# FOLDER/stamp      written last: what was unpacked
# Ends with 75 (try later) when the packages cannot be had.
set -eu

mkdir -p "$1/archives/partial" "$1/apt/lists/partial"
top=$(cd "$1" && pwd)
shift

# What was unpacked, and how: the same again is nothing.
stamp() {
    echo "$*"
    sha256sum <"$0"
}
stamp "$@" >"$top/stamp.new"
! cmp -s "$top/stamp" "$top/stamp.new" || exit 0
rm -rf "$top/stamp" "$top/root"

# As a machine of that kind on which nothing is installed yet.
apt_there() {
    apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
        -o Dir::State="$top/apt" -o Dir::State::status="$top/apt/status" \
        -o Dir::Cache::archives="$top/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o APT::Sandbox::User=root -o Acquire::Retries=3 "$@"
}

command -v apt-get >/dev/null || { echo "arm64: there is no apt-get for the libraries" >&2; exit 75; }
: >"$top/apt/status"
{ apt_there update && apt_there install -y --download-only --no-install-recommends "$@"; } \
    >"$top/apt/log" 2>&1 </dev/null || {
    tail -5 "$top/apt/log" >&2
    echo "arm64: the packages cannot be had; $top/apt/log tells more" >&2
    exit 75
}
mkdir -p "$top/root"
for package in "$top"/archives/*.deb; do
    dpkg-deb -x "$package" "$top/root"
done
# Links from the root on would lead out of it.
find "$top/root" -type l -lname '/*' | while read -r link; do
    ln -sf "$top/root$(readlink "$link")" "$link"
done
mv "$top/stamp.new" "$top/stamp"
