#!/bin/sh
# Runs one test program, shows what it prints in one piece, and keeps the score.
#
# usage: tests/run.sh NAME COMMAND [ARGUMENT…]
#
# The score is a line "passed failed skipped name" in the file $TRACETOP_ROWS, if that is
# set: what cmocka counted, or 1 for a command that does not count. A program that ends
# badly without a word of a failed test has failed once. Where real traces are at hand
# (TRACETOP_REQUIRE_SHARED=1), a test that is skipped for want of them is a failed one; so is one that
# does not say why it is skipped: each has a line with the word "skipped" and what is missing. These
# lines go to $TRACETOP_ROWS.skips. What it took goes to $TRACETOP_ROWS.times: seconds of processor time, seconds
# by the clock, name. What a failed one said of it goes to $TRACETOP_ROWS.failures.
set -u
export TRACETOP_CONFIG="${TRACETOP_CONFIG:-/nonexistent/tracetop.conf}" # whoever runs this has their own
name=$1
shift
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.times"' EXIT
# Where make is ended, so is the program, with what it started. (A shell that waits for a program in
# the foreground would go and leave it running; one in the background would ignore Ctrl-C.)
program=
trap '[ -z "$program" ] || { kill "$program" 2>/dev/null; wait "$program"; }; exit 143' HUP INT TERM
begun=$(date +%s)

env --default-signal=INT,QUIT timeout -k 5 "${TRACETOP_PATIENCE:-1500}" "$@" >"$log" 2>&1 </dev/null &
program=$!
wait "$program"
status=$?
[ $status -ne 124 ] || echo "$name: stopped after ${TRACETOP_PATIENCE:-1500} seconds" >>"$log"

row=$(awk -v status=$status -v require="${TRACETOP_REQUIRE_SHARED:-0}" '
    /^\[  PASSED  \] [0-9]+ test/ { passed += $4; counted = 1 }
    /^\[  FAILED  \] [0-9]+ test/ { failed += $4; counted = 1 }
    /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4; counted = 1 }
    /skipped/ { said++; unshared += /shared/ }
    END {
        if (!counted && status == 0) passed = 1
        if (status != 0 && !failed) failed = 1
        wrong = skipped > said ? skipped - said : 0
        if (require == 1 && skipped) wrong += unshared
        if (wrong > skipped) wrong = skipped
        failed += wrong
        skipped -= wrong
        print passed + 0, failed + 0, skipped + 0
    }' "$log")

times >"$log.times"
processor=$(awk 'NR == 2 { split($0, t, /[ms ]+/); printf "%.1f", t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$log.times")
seconds=$(($(date +%s) - begun))
printf '── %s (%s s, %s s of processor time)\n' "$name" "$seconds" "$processor"
cat "$log"
case $row in
*' 0 '*) has_failed=0 ;;
*) has_failed=1; echo "── $name FAILED (status $status)" ;;
esac
if [ -n "${TRACETOP_ROWS:-}" ]; then
    echo "$row $name" >>"$TRACETOP_ROWS"
    echo "$processor $seconds $name" >>"$TRACETOP_ROWS.times"
    [ $has_failed -eq 0 ] || {
        echo "── $name"
        grep -E -B 12 -A 3 'ERROR|WARNING: ThreadSanitizer|stopped after' "$log" || tail -n 15 "$log"
    } | head -n 60 >>"$TRACETOP_ROWS.failures"
    case $row in
    *' 0') ;;
    *) grep 'skipped' "$log" | sed "s|^|$name: |" >>"$TRACETOP_ROWS.skips" ;;
    esac
fi
exit $has_failed
