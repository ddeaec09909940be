#!/bin/sh
# What y copies in the details of an event, against the line of `tracetop dump -O jsonl` for the same event: in real
# traces the first and last event, and neighbors of the same thread and kind on the way.
#
# usage: tests/details.sh PROGRAM     (from the root)
set -u
export LC_ALL=C
program=$PWD/$1
traces=$(cd ../shared/etl 2>/dev/null && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0
copies=0

{
    printf ':\ntext:set clipboard file\nEnter\nv\ntext:events\nEnter\nHome\nEnter\ny\n'
    for key in n n ] ] } } ] } ] n } ] }; do
        printf '%s\ny\n' "$key"
    done
    printf 'Esc\nEnd\nEnter\ny\n'
    for key in N [ { [ {; do
        printf '%s\ny\n' "$key"
    done
} >"$work/keys"

for name in perfview-gcevents.etl perfview-win7-PerfViewData.etl.zst etwanalyzer-TraceLoggingTester.etl.zst \
    perfview-primitive-types.etl; do
    if [ ! -r "$traces/$name" ]; then
        echo "$traces/$name is not here: skipped"
        [ "${TRACETOP_REQUIRE_SHARED:-}" = 1 ] && status=1
        continue
    fi
    mkdir "$work/$name"
    (cd "$work/$name" && "$program" replay "$traces/$name" --headless --keys "$work/keys" --ring 1G >/dev/null) || status=1
    "$program" dump "$traces/$name" -O jsonl >"$work/dump" || status=1
    sort -u "$work/dump" >"$work/lines"
    for copy in "$work/$name"/*.txt; do
        copies=$((copies + 1))
        echo >>"$copy"
        sort "$copy" | comm -23 - "$work/lines" | grep . | cut -c1-300 | grep . || continue
        echo "$name: ${copy##*/} is no line of dump"
        status=1
    done
done
[ -d "$traces" ] && [ $copies -lt 30 ] && status=1 && echo "only $copies events were copied"
[ $status = 0 ] && echo "details: $copies copied events are lines of dump"
exit $status
