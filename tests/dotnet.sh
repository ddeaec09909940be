#!/bin/sh
# The .NET pane of real traces against counts of their events by awk, and against PerfView's own counts where a
# baseline of its tests is beside the trace: collections by generation, pauses and their times, exceptions, bytes
# allocated, methods compiled; and the views of allocations by type and of exceptions by type and message.
#
# usage: tests/dotnet.sh PROGRAM     (from the root)
set -u
export LC_ALL=C
program=$1
traces=../shared/etl
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

# One line a process: pid, collections of generations 0 to 2, pauses, their sum and maximum in ns, exceptions, bytes
# allocated, methods. All these traces count 10 million ticks a second. .NET Framework 4.5 records each start of a
# collection twice, in two versions.
counted() {
    awk '
        function number(name,    at) {
            at = index($0, "\"" name "\":")
            return at ? substr($0, at + length(name) + 3) + 0 : ""
        }
        function hex(name,    at, text, i, n) {
            at = index($0, "\"" name "\":\"0x")
            text = substr($0, at + length(name) + 6)
            n = 0
            for (i = 1; (at = index("0123456789abcdef", substr(text, i, 1))) > 0; i++)
                n = n * 16 + at - 1
            return n
        }
        !/"provider":"e13c0d23-/ { next }
        {
            pid = number("pid")
            id = number("id")
            ts = number("ts")
            runtime = pid " " number("ClrInstanceID")
        }
        id == 1 && last[runtime] != number("Count") { last[runtime] = number("Count"); gc[pid " " number("Depth")]++; seen[pid] }
        id == 9 { begun[runtime] = /"Reason":"SuspendForGC(Prep)?"/ ? ts : 0 }
        id == 3 && begun[runtime] {
            took = (ts - begun[runtime]) * 100
            pauses[pid]++
            sum[pid] += took
            if (took > max[pid]) max[pid] = took
            begun[runtime] = 0
            seen[pid]
        }
        id == 10 { bytes[pid] += hex("AllocationAmount64"); seen[pid] }
        id == 80 { exceptions[pid]++; seen[pid] }
        (id == 141 || id == 143) && /"MethodFlags":"[^"]*Jitted/ { methods[pid]++; seen[pid] }
        END {
            for (p in seen)
                printf "%d %d %d %d %d %.0f %.0f %d %.0f %d\n", p, gc[p " 0"], gc[p " 1"], gc[p " 2"], pauses[p],
                    sum[p], max[p], exceptions[p], bytes[p], methods[p]
        }' | sort -n
}

# The same of the pane; rates as counts.
shown() {
    awk '
        function number(name,    at) {
            at = index($0, "\"" name "\":")
            return at ? substr($0, at + length(name) + 3) + 0 : ""
        }
        function count(name) { return number(name) * number("interval_s") }
        {
            printf "%d %d %d %d %d %.0f %.0f %.0f %.0f %.0f\n", number("pid"), number("gen0"), number("gen1"),
                number("gen2"), number("pauses"), number("sum_time"), number("max"), count("exceptions"),
                number("sum_bytes"), count("methods")
        }' | sort -n
}

# Each line of the dump that one event of a view is: its key and its amount, separated by "|".
ticks() {
    sed -n 's/.*"provider":"e13c0d23-[^{]*"id":10,.*"AllocationAmount64":"\{0,1\}\([0-9a-fx]*\).*"TypeName":"\([^"]*\)".*/\2|\1/p'
}

throws() {
    sed -n 's/.*"provider":"e13c0d23-[^{]*"id":80,.*"ExceptionType":"\([^"]*\)","ExceptionMessage":"\([^"]*\)".*/\1: \2|0/p'
}

# Key, events and their sum, of such lines.
added() {
    awk -F '|' '
        function number(text,    i, n) {
            if (text !~ /^0x/) return text + 0
            for (i = 3; i <= length(text); i++)
                n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
            return n
        }
        { count[$1]++; sum[$1] += number($2) }
        END { for (k in count) printf "%s|%d|%.0f\n", k, count[k], sum[k] }' | sort
}

# The same of a view: key, count and, where it has them, bytes.
view() {
    "$program" top "$1" "$2" -k all -O jsonl -q |
        sed -n 's/.*"type":"\([^"]*\)",\("message":"\([^"]*\)"\)\{0,1\}.*/&|\1|\3/p' |
        awk -F '|' '
            function amount(name,    at) {
                at = index($0, "\"" name "\":")
                return at ? substr($0, at + length(name) + 3) + 0 : 0
            }
            { printf "%s|%d|%.0f\n", $(NF - 1) ($NF == "" ? "" : ": " $NF), amount("count"), amount("bytes") }' | sort
}

baseline() {
    sed -n "s,^COUNT Microsoft-Windows-DotNETRuntime/$2:,,p" "$1" | awk '{ n += $1 } END { print n + 0 }'
}

sum() {
    awk -v first="$1" -v last="$2" '{ for (i = first; i <= last; i++) n += $i } END { print n + 0 }' "$3"
}

compare() {
    [ "$2" = "$3" ] && return
    echo "$1: $2 shown, $3 expected"
    status=1
}

thrown=0
for name in perfview-gcevents.etl perfview-net.4.5.2.x64.etl.zst perfview-win7-PerfViewData.etl.zst; do
    if [ ! -r "$traces/$name" ]; then
        echo "$traces/$name is not here: skipped"
        [ "${TRACETOP_REQUIRE_SHARED:-}" = 1 ] && status=1
        continue
    fi
    "$program" dump "$traces/$name" -O jsonl >"$work/dump" || status=1
    counted <"$work/dump" >"$work/counted"
    others=$(grep -c '"id":9,.*"Reason":"Suspend\(Other\|ForAppDomain\|ForCode\|ForShut\|ForDebug\)' "$work/dump")
    "$program" top dotnet "$traces/$name" -k all -O jsonl -q | shown >"$work/pane"
    [ -s "$work/counted" ] && cmp -s "$work/counted" "$work/pane" || {
        echo "$name: < counted, > shown: pid, generations 0 1 2, pauses, sum, max, exceptions, bytes, methods"
        diff "$work/counted" "$work/pane"
        status=1
    }
    ticks <"$work/dump" | added >"$work/counted"
    view allocations "$traces/$name" >"$work/shown"
    [ -s "$work/counted" ] && cmp -s "$work/counted" "$work/shown" || {
        echo "$name: < counted, > view of allocations: type, ticks, bytes"
        diff "$work/counted" "$work/shown"
        status=1
    }
    throws <"$work/dump" | added >"$work/counted"
    view exceptions "$traces/$name" >"$work/shown"
    thrown=$((thrown + $(wc -l <"$work/counted")))
    cmp -s "$work/counted" "$work/shown" || {
        echo "$name: < counted, > view of exceptions: type and message, exceptions"
        diff "$work/counted" "$work/shown"
        status=1
    }
    peer=$traces/${name%.etl*}.perfview-baseline.txt
    [ -r "$peer" ] || continue
    compare "$name: collections" "$(sum 2 4 "$work/pane")" "$(baseline "$peer" GC/Stop)"
    # Those for another reason than a collection are no pauses of the pane.
    compare "$name: pauses" "$(($(sum 5 5 "$work/pane") + others))" "$(baseline "$peer" GC/RestartEEStop)"
    compare "$name: exceptions" "$(sum 8 8 "$work/pane")" "$(baseline "$peer" Exception/Start)"
    compare "$name: methods" "$(sum 10 10 "$work/pane")" "$(baseline "$peer" Method/LoadVerbose)"
done
[ "$thrown" != 0 ] || [ ! -r "$traces/perfview-net.4.5.2.x64.etl.zst" ] || {
    echo "no trace has an exception with type and message"
    status=1
}
[ $status = 0 ] && echo "dotnet: the pane shows what its events count to"
exit $status
