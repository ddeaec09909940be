#!/bin/sh
# No C file of src, ui and collectors has more than 600 lines, but for those listed here with a reason.
#
# usage: tests/lengths.sh [DIR]   checks DIR (default: here), prints each finding, and proves first on
#                                 a made-up tree that it can fail.
set -u
most=600

# Files that may be longer: path|why.
allowed='
'

# One line per finding.
findings() {
    find src ui collectors -name '*.[ch]' 2>/dev/null | sort | xargs -r awk -v most="$most" -v allowed="$allowed" '
        BEGIN {
            count = split(allowed, entry, "\n")
            for (i = 1; i <= count; i++)
                if (split(entry[i], part, "|") == 2) reason[part[1]] = part[2]
        }
        { lines[FILENAME] = FNR }
        END {
            for (file in lines) {
                if (lines[file] <= most) continue
                if (file in reason) is_met[file] = 1
                else print file ": " lines[file] " lines, at most " most ": split it by subject"
            }
            for (file in reason)
                if (!(file in is_met)) print file ": no longer above " most " lines, take it off the list"
        }' | sort
}

self_test() {
    scratch=$(mktemp -d) || exit 1
    trap 'rm -rf "$scratch"' EXIT
    mkdir -p "$scratch/src/low" "$scratch/ui" "$scratch/collectors"
    lines() { yes '' | head -n "$1"; }
    lines $((most + 1)) > "$scratch/src/low/long.c"
    lines $((most + 2)) > "$scratch/ui/long.h"
    lines $((most + 1)) > "$scratch/collectors/listed.c"
    lines "$most" > "$scratch/collectors/whole.c"
    lines $((most + 1)) > "$scratch/collectors/table.tsv"
    found=$(cd "$scratch" && allowed='collectors/listed.c|made up
collectors/whole.c|made up' && findings | cut -d: -f1 | tr '\n' ' ')
    [ "$found" = "collectors/whole.c src/low/long.c ui/long.h " ] ||
        { echo "lengths: the self-test found: $found"; exit 1; }
}

self_test
cd "${1:-.}" || exit 1
[ -d src ] || { echo "lengths: no folder src in ${1:-.}"; exit 1; }
found=$(findings)
[ -z "$found" ] || { echo "$found"; exit 1; }
echo "lengths: no C file has more than $most lines"
