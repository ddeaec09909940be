#!/bin/sh
# Is what a trace holds what the stand-in for ETW delivered? Both builds count the same in it; of
# kinds of which the program makes up no records of its own (those that list what exists), it
# holds as many as the report says.
#
# usage: tests/windows/counts.sh TRACE.etl REPORT (from the root)
set -eu
trace=$1 report=$2
here=$(mktemp -d)
trap 'rm -r "$here"' EXIT
build/release-gcc/tracetop stats "$trace" >"$here/linux"
tests/windows/wine.sh wine build/windows/tracetop.exe stats "$trace" | tr -d '\r' >"$here/windows"
cmp "$here/linux" "$here/windows"

# Hooks of switches, disks, faults, the network; rows of stats are header, class, hook, …, count.
awk -F '\t' '
    NR == FNR { if ($1 ~ /^hook /) { split($1, word, " "); made[word[2]] = word[3] } next }
    $1 == "perfinfo" || $1 == "system" { read[$3] += $6 }
    END {
        split("1316 1330 266 267 270 522 523 524 544 1546 1547 2058 2059", hooks, " ")
        for (i in hooks) {
            h = hooks[i]
            if (made[h] + 0 != read[h] + 0) {
                printf "hook %d: %d delivered, %d in the trace\n", h, made[h], read[h]
                bad = 1
            }
            sum += read[h]
        }
        if (sum < 1000) { printf "only %d events to compare\n", sum; bad = 1 }
        exit bad
    }' "$report" "$here/linux"
