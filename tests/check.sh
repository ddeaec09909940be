#!/bin/bash
# All of `make check` behind the installing, or of `make check-windows`: every step runs,
# whatever came before; the last line tells the score and the exit status agrees with it.
#
# usage: tests/check.sh [windows] (from the root)
# For Windows PACKAGES are the Debian packages to install and CHECKS the targets to make, one after
# the other. Where the packages or the libraries' sources cannot be had, that is said, and counted
# as skipped.
set -u
make=${MAKE:-make}
polite= # what a step runs under that gives way to others
GIVES_WAY='nice -n 10'
jobs=$(($(nproc 2>/dev/null || echo 2) * 3)) # many tests wait most of their time
started=$(date +%s)

mkdir -p build
TRACETOP_ROWS=$PWD/build/check${1:+-$1}.rows
export TRACETOP_ROWS
: >"$TRACETOP_ROWS"
: >"$TRACETOP_ROWS.skips"
: >"$TRACETOP_ROWS.times"
: >"$TRACETOP_ROWS.failures"
if [ -d ../shared ]; then
    TRACETOP_REQUIRE_SHARED=1
    export TRACETOP_REQUIRE_SHARED
else
    echo "check: ../shared is not here; tests against real traces will say that they are skipped"
fi

# step WORDS…: one call of make. Where it fails and no test did, or a file did not compile, that gets a
# row: a test that was not built fails nowhere else.
step() (
    rows=$(mktemp "$TRACETOP_ROWS.XXXXXX") || exit 1
    begun=$(date +%s)
    printf '\n═══ %s\n' "$*"
    # shellcheck disable=SC2086 # `polite` is a command and its arguments
    TRACETOP_ROWS=$rows $polite "$make" -k -j"$jobs" "$@" 2>&1 | tee "$rows.log"
    status=${PIPESTATUS[0]}
    printf '═══ %s: %s s\n' "$*" "$(($(date +%s) - begun))"
    if [ $status -ne 0 ] && { ! grep -qv '^[0-9]* 0 ' "$rows" ||
        grep -qE '^[^ ]+\.[ch]:[0-9]+:[0-9]+: (fatal )?error: ' "$rows.log"; }; then
        echo "0 1 0 make $*" >>"$rows"
        { echo "── make $*"; grep -E '^make.*\*\*\*|error: |Killed|No space' "$rows.log" | head -n 20; } >>"$rows.failures"
    fi
    cat "$rows" >>"$TRACETOP_ROWS"
    for more in skips times failures; do
        [ ! -f "$rows.$more" ] || cat "$rows.$more" >>"$TRACETOP_ROWS.$more"
    done
    rm -f "$rows" "$rows.skips" "$rows.times" "$rows.failures" "$rows.log"
)

# beside WORDS…: a step beside those that follow, until `now`, which waits for it. In a group of its
# own, which ends with this script; what it prints is shown when it is over.
beside() {
    set -m # a background job gets a process group; dash would want a terminal for that
    step "$@" >build/beside.log 2>&1 &
    group=$!
    set +m
    trap 'kill -- "-$group" 2>/dev/null; exit 143' HUP INT TERM
}

now() {
    renice -n 0 -g "$group" >/dev/null 2>&1 # takes root; else it stays polite
    wait "$group"
    trap - HUP INT TERM
    cat build/beside.log
}

linux() {
    # What takes longest begins first, so that nothing is left to run alone at the end.
    step FLAVOUR=release COMPILER=gcc outside-programs
    # Live tests run one after the other and wait most of their time: all others give way to them.
    beside live
    polite=$GIVES_WAY
    step FLAVOUR=release COMPILER=gcc screens cli unit-linux covered circles globals tags model layers words bpf-loops windows-check
    step san
    now
}

# skip SENTENCE: nothing of the stage can run.
skip_stage() {
    echo "check: $1: the Windows program is neither built nor tested"
    echo "0 0 1 windows" >>"$TRACETOP_ROWS"
    echo "windows: skipped: $1" >>"$TRACETOP_ROWS.skips"
}

windows() {
    # shellcheck disable=SC2086 # one word per package, one per target
    tests/deps.sh ${PACKAGES:-} || { skip_stage "its packages cannot be had"; return; }
    src/windows/deps.sh build/windows-deps
    status=$?
    [ $status -ne 75 ] || { skip_stage "the sources of its libraries cannot be had"; return; }
    [ $status -eq 0 ] || { echo "0 1 0 windows-deps" >>"$TRACETOP_ROWS"; return; }
    step all windows windows-unit-programs
    # One after the other: Wine refuses programs now and then while many of them start. The unit tests
    # have a Wine of their own beside the others, which wait most of their time.
    jobs=1
    polite=$GIVES_WAY WINEPREFIX=$PWD/build/wine-unit beside windows-unit
    for check in ${CHECKS:-}; do
        [ "$check" = windows-unit ] || step "$check"
    done
    now
}

if [ "${1:-}" = windows ]; then
    windows
else
    linux
fi

echo
sort -rn "$TRACETOP_ROWS.times" | awk '
    NR <= 10 { printf "%s%s %.0f s", (NR > 1 ? ", " : "most processor time: "), $3, $1 }
    { sum += $1 }
    END { if (NR) printf "; %d runs together %d s\n", NR, sum }'
sort "$TRACETOP_ROWS.skips" | uniq -c | sed 's/^ *\([0-9]*\) /skipped \1× /'
cat "$TRACETOP_ROWS.failures"
awk '$2 { print "FAILED: " substr($0, index($0, $4)) " (" $2 ")" }' "$TRACETOP_ROWS"
awk -v seconds=$(($(date +%s) - started)) '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        if (skipped) printf "%d skipped\n", skipped
        printf "%d passed, %d failed in %d min %d s\n", passed, failed, seconds / 60, seconds % 60
        exit failed > 0 || passed + skipped == 0
    }' "$TRACETOP_ROWS"
