#!/bin/sh
# All of `make check` behind the installing: every step runs, whatever came before; the
# last line tells the score and the exit status agrees with it.
#
# usage: tests/check.sh (from the root)
set -u
make=${MAKE:-make}
jobs=$(nproc 2>/dev/null || echo 2)
started=$(date +%s)

mkdir -p build
TRACETOP_ROWS=$PWD/build/check.rows
export TRACETOP_ROWS
: >"$TRACETOP_ROWS"
if [ -d ../shared ]; then
    TRACETOP_REQUIRE_SHARED=1
    export TRACETOP_REQUIRE_SHARED
else
    echo "check: ../shared is not here; tests against real traces will say that they are skipped"
fi

# step WORDS…: one call of make; what fails without a row of its own (a build) gets one.
step() {
    before=$(awk '{ n += $2 } END { print n + 0 }' "$TRACETOP_ROWS")
    begun=$(date +%s)
    printf '\n═══ %s\n' "$*"
    "$make" -k -j"$jobs" "$@"
    status=$?
    printf '═══ %s: %s s\n' "$*" "$(($(date +%s) - begun))"
    after=$(awk '{ n += $2 } END { print n + 0 }' "$TRACETOP_ROWS")
    [ $status -eq 0 ] || [ "$after" -gt "$before" ] || echo "0 1 0 make $*" >>"$TRACETOP_ROWS"
}

step layers
step windows-check
step FLAVOUR=release COMPILER=gcc all unit cli screens
step FLAVOUR=release COMPILER=clang all unit
step FLAVOUR=asan COMPILER=clang all unit replay cli screens
step FLAVOUR=tsan COMPILER=clang threads
step live
step model

echo
awk '$2 { print "FAILED: " substr($0, index($0, $4)) " (" $2 ")" }' "$TRACETOP_ROWS"
awk -v seconds=$(($(date +%s) - started)) '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        if (skipped) printf "%d skipped\n", skipped
        printf "%d passed, %d failed in %d min %d s\n", passed, failed, seconds / 60, seconds % 60
        exit failed > 0 || passed == 0
    }' "$TRACETOP_ROWS"
