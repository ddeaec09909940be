#!/bin/sh
# The self-test on this machine: its report is valid, and what it does is seen.
#
# usage: tests/live/run.sh tests/live/selftest.sh PROGRAM (from the root; as root)
set -u
[ "$(id -u)" -eq 0 ] || { echo "live-selftest: skipped: needs root"; exit 77; }
here=$(mktemp -d) || exit 1
trap 'rm -r "$here"' EXIT
"$1" selftest --json >"$here/report.json" 2>"$here/said"
status=$?
cat "$here/said"
case $status in
    0 | 1 | 3) ;;
    *) echo "live-selftest: status $status"; exit 1 ;;
esac
tests/selftest.sh "$1" "$here/report.json:live" || { cat "$here/report.json"; exit 1; }
