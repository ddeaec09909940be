#!/bin/sh
# usage: kill_record.sh PROGRAM KILL_CHECK [TIMES [RATE [ring]]]
# Kills recordings of RATE events a second (a million) at random moments, from their file's first byte on;
# with `ring`, recorders with a ring on disk, whose next start must give that file its name.
# What each leaves must open as a log that was never stopped, whole up to its last buffer; that one may
# be cut where the file ends, for the kernel ends a write between two pages, and is reported then. Of the
# events that were made, the same are made once more by kill_check and compared: no hole, and all
# that is older than a second is there. Where the machine did not let the recorder run (its threads
# stood in a queue for a processor), it has so much more time.
program=$1
check=$2
times=${3:-6}
rate=${4:-1000000}
kind=${5:-file}
folder=$(mktemp -d /tmp/tracetop-kill-XXXXXX) || exit 1
trap 'rm -rf "$folder"' EXIT
case $kind in
ring) whole=$folder/ring-0001.etl ;;
*) whole=$folder/k.etl ;;
esac
partial=$whole.partial

bad() {
    echo "kill $n, after $wait s: $*" >&2
    cat "$folder/err" >&2
    exit 1
}

total() {
    sed -n '1,/"files"/s/.*"'"$1"'":"\{0,1\}\([^,"}]*\).*/\1/p' "$folder/out" | head -1
}

# Milliseconds that the process has waited for a processor, all threads together.
queued() {
    cat /proc/"$1"/task/*/schedstat 2>/dev/null | awk '{ s += $2 } END { printf "%d", s / 1e6 }'
}

n=0 late=0 oldest=0 early=0 cut=0
while [ "$n" -lt "$times" ]; do
    n=$((n + 1))
    # Each third is killed while it still begins.
    wait=$(awk -v seed="$$$n" -v most=$((n % 3 ? 2500 : 300)) \
        'BEGIN { srand(seed); printf "%.3f", most * rand() / 1000 }')
    start=$(date -u +%FT%T.%6NZ)
    if [ "$kind" = ring ]; then
        "$program" recorder run k --folder "$folder" --source demo --seed "$n" --rate $rate --start "$start" -q \
            2>"$folder/err" &
    else
        "$program" record --source demo --seed "$n" --rate $rate --start "$start" -q -o "$whole" 2>"$folder/err" &
    fi
    pid=$!
    while [ ! -s "$partial" ] && kill -0 "$pid" 2>/dev/null; do :; done
    sleep "$wait"
    queue=$(queued $pid)
    killed=$(date +%s%N)
    kill -9 "$pid" || bad "it had ended before"
    wait "$pid" 2>/dev/null
    [ ! -e "$whole" ] || bad "an unfinished file has the name of a whole one"
    "$program" stats -O json "$partial" >"$folder/out" 2>"$folder/err"
    status=$?
    grep -q 'never stopped' "$folder/err" || bad "it is not said that it was never stopped"
    whole_ones='damaged_buffers skipped_bytes'
    if [ $status -eq 6 ] && [ "$(total damaged_buffers)" = 1 ] &&
        grep -q 'bytes, but the file ends after' "$folder/err"; then
        whole_ones=
        cut=$((cut + 1))
    elif [ $status -ne 0 ]; then
        bad "status $status"
    fi
    for what in $whole_ones missing_buffers events_lost; do
        [ "$(total $what)" = 0 ] || bad "$what: $(total $what)"
    done
    found=$("$check" "$partial" "$n" $rate "$start" "$killed" 2>"$folder/err") || bad "a hole"
    events=${found% *} age=${found#* }
    echo "kill $n after $wait s: $events events, none missing that is older than $age ms" \
        "(waited $queue ms for processors)"
    [ "$age" -gt 999 ] || [ "$age" -le "$oldest" ] || oldest=$age
    [ "$events" -gt 0 ] || early=$((early + 1))
    if [ "$age" -ge 1000 ]; then
        [ "$age" -lt $((1000 + queue)) ] || bad "an event of $age ms before is missing"
        late=$((late + 1))
    fi
    if [ "$kind" = ring ]; then
        "$program" recorder run k --folder "$folder" --source demo --events 10 --rate 0 -q 2>"$folder/err" ||
            bad "the next recorder ended with status $?"
        [ -e "$whole" ] && [ ! -e "$partial" ] || bad "the next recorder did not give the file its name"
        rm "$folder"/ring-*
    else
        rm "$partial"
    fi
done
echo "$times recordings killed, $early of them before the first event, $cut in the write of a buffer; every one" \
    "readable, no hole"
echo "missing: nothing older than $oldest ms; in $late cases older, the machine being busy"
