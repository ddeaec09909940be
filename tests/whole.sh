#!/bin/sh
# Files with more events than the history holds facts (2,097,152): filters, queries and whole panes
# count all of them. `tracetop stats` counts records without any table.
#
# usage: tests/whole.sh PROGRAM
set -u
program=$1
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
file=$room/demo.etl
passed=0
failed=0

"$program" record --source demo --seed 7 --rate 0 --events 2600000 -q -o "$file" || exit 1
"$program" stats "$file" >"$room/stats" || exit 1

# Records of these kinds.
records() {
    awk -F '\t' -v kinds="^($1)\$" '$NF ~ kinds { n += $6 } END { print n + 0 }' "$room/stats"
}

# What the command prints in its first column, added up, against records of these kinds.
same() {
    kinds=$1
    shift
    expected=$(records "$kinds")
    got=$("$program" top "$@" -O tsv "$file" 2>/dev/null | awk 'NR > 1 { n += $1 } END { printf "%.0f", n }')
    if [ "$expected" -gt 0 ] && [ "$got" = "$expected" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "top $*: $got, and there are $expected records of $kinds"
    fi
}

same 'DiskIo/(Read|Write|FlushBuffers)' disk -k ops,disk,pid
same DiskIo/Read disk -k ops,disk,pid op=read
same DiskIo/Read diskfiles -k ops,path op=read
same DiskIo/Read --by 'disk | count where op=read' -k count
same Thread/CSwitch --by 'event | count where event=Thread/CSwitch' -k count

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
