#!/bin/sh
# Functions of Rust and Go: entries and returns are counted, and the programs do what they do without.
#
# usage: tests/probes.sh PROGRAM (from the root, as root)
set -u
program=$(realpath "$1")
planted=$PWD/tests/live/planted
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
status=0

rustc -g -O -o rust "$planted/functions.rs" || exit 1
GOCACHE=$work/cache GOFLAGS=-mod=mod go build -o golang "$planted/functions.go" || exit 1

# counts NAME PATTERN EVENT COUNT…
counts() {
    file=$1
    "$program" record -q --force -o x.etl -P proc -e "u:./$file:$2" -- "./$file" >out || { status=1; return; }
    "./$file" >without
    cmp -s out without || { echo "$file: it printed '$(cat out)', without '$(cat without)'"; status=1; }
    "$program" top --by 'event | count' x.etl -O tsv provider="$file" >rows 2>/dev/null
    shift 2
    while [ $# -gt 0 ]; do
        found=$(awk -F '\t' -v event="$1" 'index($1, event) == length($1) - length(event) + 1 { print $2 }' rows)
        [ "$found" = "$2" ] || { echo "$file: $1: expected $2, found ${found:-none}"; status=1; }
        shift 2
    done
}

counts rust '*planted::*' planted::add/entry 1000 planted::add/return 1000 planted::unwinds/entry 10 planted::unwinds/return 5
counts golang 'main.*' main.add/entry 1000 main.add/return 1000 main.deep/return 1608
[ $status -eq 0 ] && echo "probes: functions of Rust and Go are counted, and their programs work as without"
exit $status
