#!/bin/sh
# Spans against what measures the same otherwise: disk operations by their latency, pauses of the .NET garbage collector
# and HTTP requests by a recount of their events.
#
# usage: tests/spans.sh PROGRAM (from the root)
set -u
program=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0 compared=0
wrong() {
    echo "spans: $*"
    status=1
}

# SPAN TRACE: count, sum and longest of its times, in ns
span() {
    "$program" top --by 'event | count, sum lat, max lat where class=span' --span "$1" -O tsv "$2" 2>"$work/err" |
        sed 1d | cut -f 2-4
}
# BEGIN END KEY TRACE: the same of two events, recounted
recount() {
    "$program" dump -O csv -k "time,event,$3" "event=$1,$2" "$4" 2>"$work/err" | tr -d '\r' | awk -F, -v ends="$2" '
    BEGIN { names = split(ends, name, ",") }
    NR == 1 || $3 == "" { next }
    {
        split($1, part, /[T:Z]/)
        split(part[4], second, /\./)
        fraction = substr(second[2] "000000000", 1, 9)
        now = ((part[2] * 60 + part[3]) * 60 + second[1]) * 1e9 + fraction
        is_end = 0
        for (i = 1; i <= names; i++)
            is_end = is_end || $2 == name[i]
        if (!is_end)
            began[$3] = now
        else if ($3 in began) {
            took = now - began[$3]
            delete began[$3]
            count++
            sum += took
            longest = took > longest ? took : longest
        }
    }
    END { printf "%d\t%.0f\t%.0f\n", count, sum, longest }'
}
# The recount has times of 100 ns.
near() { # WHAT A B
    compared=$((compared + 1))
    printf '%s\t%s\n' "$2" "$3" | awk -F'\t' '
    function apart(a, b) { return a > b ? a - b : b - a }
    { exit !(NF == 6 && $1 > 0 && $1 == $4 && apart($2, $5) <= 100 * $1 && apart($3, $6) <= 100) }' ||
        wrong "$1: '$2' and '$3'"
}
same() { # WHAT A B
    compared=$((compared + 1))
    [ -n "$2" ] && [ "$2" = "$3" ] || wrong "$1: '$2' and '$3'"
}

disk=$("$program" top --by 'cpu | count where class=disk op=read,write,flush' -O tsv tests/data/linux.etl.zst 2>/dev/null |
    awk 'NR > 1 { n += $2 } END { print n }')
for key in proc tid; do
    same "disk operations by $key" \
        "$("$program" top --by "$key | count, sum lat, p99 lat, max lat where class=span" --span disk -O tsv \
            tests/data/linux.etl.zst 2>/dev/null | sed 1d | sort | cut -f 2-)" \
        "$("$program" top --by "$key | count, sum lat, p99 lat, max lat where class=disk op=read,write,flush" -O tsv \
            tests/data/linux.etl.zst 2>/dev/null | sed 1d | sort | cut -f 2-)"
done
# The pane's own columns, by process; tests/covered.sh reads which these are.
shown="span name ended time avg p99 max count sum_ops"
same "the columns of the pane" \
    "$("$program" top spans --span disk -k "$(echo $shown | tr ' ' ,)" -O tsv tests/data/linux.etl.zst 2>/dev/null |
        sed 1d | sort)" \
    "$("$program" top --by 'proc | rate, sum lat, avg lat, p99 lat, max lat, count where class=disk op=read,write,flush' \
        -O tsv tests/data/linux.etl.zst 2>/dev/null | sed 1d | cut -f 1-7,9 | sed 's/^/tracetop-linux\/disk\t/' | sort)"
same "how many there are" "$(span disk tests/data/linux.etl.zst | cut -f 1)" "$disk"

traces=../shared/etl
if [ -d $traces ]; then
    for trace in perfview-gcevents.etl perfview-net.4.5.2.x64.etl.zst perfview-win7-PerfViewData.etl.zst; do
        near "pauses in $trace" "$(span gc-pause $traces/$trace)" "$(recount GarbageCollection/GCSuspendEEBegin \
            GarbageCollection/GCRestartEEEnd pid $traces/$trace)"
        near "collections in $trace" "$(span gc $traces/$trace)" \
            "$(recount GarbageCollection/Start GarbageCollection/Stop pid $traces/$trace)"
    done
    for trace in tx-HTTP_Server.etl tx-CrossMachineHTTP.etl; do
        near "requests in $trace" "$(span http-request $traces/$trace)" "$(recount HTTPRequestTraceTask/RecvReq \
            HTTPRequestTraceTask/FastSend,HTTPRequestTraceTask/SendComplete RequestId $traces/$trace)"
    done
else
    echo "skipped: spans of real traces need ../shared/etl"
fi
echo "spans: $compared comparisons"
[ $status = 0 ] && echo "[  PASSED  ] 1 test(s)."
exit $status
