#!/bin/sh
# Runs one test program, shows what it prints in one piece, and keeps the score.
#
# usage: tests/run.sh NAME COMMAND [ARGUMENT…]
#
# The score is a line "passed failed skipped name" in the file $TRACETOP_ROWS, if that is
# set: what cmocka counted, or 1 for a command that does not count. A program that ends
# badly without a word of a failed test has failed once. Where real traces are at hand
# (TRACETOP_REQUIRE_SHARED=1), a skipped test is a failed one. TRACETOP_TRIES is for tests of the
# whole machine, into which others may come: what fails is shown and run again, the last try counts.
set -u
export TRACETOP_CONFIG="${TRACETOP_CONFIG:-/nonexistent/tracetop.conf}" # whoever runs this has their own
name=$1
shift
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

# Runs it once and counts what it said.
once() {
    timeout -k 5 "${TRACETOP_PATIENCE:-900}" "$@" >"$log" 2>&1 </dev/null
    status=$?
    [ $status -ne 124 ] || echo "$name: stopped after ${TRACETOP_PATIENCE:-900} seconds" >>"$log"

    row=$(awk -v status=$status -v require="${TRACETOP_REQUIRE_SHARED:-0}" '
        /^\[  PASSED  \] [0-9]+ test/ { passed += $4; counted = 1 }
        /^\[  FAILED  \] [0-9]+ test/ { failed += $4; counted = 1 }
        /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4; counted = 1 }
        END {
            if (!counted && status == 0) passed = 1
            if (status != 0 && !failed) failed = 1
            if (require == 1) { failed += skipped; skipped = 0 }
            print passed + 0, failed + 0, skipped + 0
        }' "$log")
}

once "$@"
for try in $(seq 2 "${TRACETOP_TRIES:-1}"); do
    case $row in *' 0 '*) break ;; esac
    printf '── %s: failed, try %s of %s\n' "$name" "$try" "$TRACETOP_TRIES"
    grep -E 'FAILED|ERROR|LINE|: error' "$log"
    once "$@"
done

printf '── %s\n' "$name"
cat "$log"
case $row in
*' 0 '*) verdict=0 ;;
*) verdict=1; echo "── $name FAILED (status $status)" ;;
esac
[ -z "${TRACETOP_ROWS:-}" ] || echo "$row $name" >>"$TRACETOP_ROWS"
exit $verdict
