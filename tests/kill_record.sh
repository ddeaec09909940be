#!/bin/sh
# usage: kill_record.sh PROGRAM [TIMES]
# Kills recordings of a million events a second at random moments. What each leaves must open as a
# log that was never stopped, whole up to its last buffer, with all that is older than a second.
program=$1
times=${2:-6}
folder=$(mktemp -d /tmp/tracetop-kill-XXXXXX) || exit 1
trap 'rm -rf "$folder"' EXIT

bad() {
    echo "kill $n, after $wait s: $*" >&2
    cat "$folder/err" >&2
    exit 1
}

total() {
    sed -n '1,/"files"/s/.*"'"$1"'":"\{0,1\}\([^,"}]*\).*/\1/p' "$folder/out" | head -1
}

# Time can be judged only where the machine has some.
is_idle() {
    awk -v n="$(nproc)" '{ exit $1 > n }' /proc/loadavg
}

n=0 late=0
while [ "$n" -lt "$times" ]; do
    n=$((n + 1))
    wait=$(awk -v seed="$$$n" 'BEGIN { srand(seed); printf "%.3f", 1.3 + 1.2 * rand() }')
    "$program" record --source demo --rate 1000000 -q -o "$folder/k.etl" 2>"$folder/err" &
    pid=$!
    sleep "$wait"
    killed=$(date +%s%N)
    kill -9 "$pid" || bad "it had ended before"
    wait "$pid" 2>/dev/null
    [ ! -e "$folder/k.etl" ] || bad "an unfinished file has the name of a whole one"
    "$program" stats -O json "$folder/k.etl.partial" >"$folder/out" 2>"$folder/err" || bad "status $?"
    grep -q 'never stopped' "$folder/err" || bad "it is not said that it was never stopped"
    for what in damaged_buffers missing_buffers skipped_bytes; do
        [ "$(total $what)" = 0 ] || bad "$what: $(total $what)"
    done
    [ "$(total events)" -gt 1000 ] || bad "only $(total events) events"
    last=$(( ($(total last_filetime) - 116444736000000000) * 100 ))
    is_idle || late=$((late + 1))
    ! is_idle || [ $((killed - last)) -lt 1000000000 ] ||
        bad "the last event is $(((killed - last) / 1000000)) ms old"
    echo "kill $n after $wait s: $(total events) events, the last $(((killed - last) / 1000000)) ms before"
    rm "$folder/k.etl.partial"
done
echo "$times recordings killed, every one readable ($late of them on a busy machine: age not judged)"
