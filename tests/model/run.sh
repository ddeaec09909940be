#!/bin/sh
# Checks the ring's pin protocol: the model must hold, each broken variant must fail.
# Usage: tests/model/run.sh [SCRATCH-DIRECTORY]; run from the repository's root.
set -eu
model=$PWD/tests/model/ring.pml
scratch=${1:-build/model}
mkdir -p "$scratch"
cd "$scratch"

# check NAME FLAG...: prints what was found; true if no error was.
check() {
    name=$1
    shift
    mkdir -p "$name"
    (
        cd "$name"
        spin -a "$@" "$model"
        [ $# -eq 0 ] && level=-O2 || level=-O0 # broken ones fail at once
        ${CC:-cc} $level -w -DSAFETY -DCOLLAPSE -DMEMLIM=2000 -o pan pan.c
        ./pan -m100000 >out 2>&1
    )
    grep -q '^pan: wrote' "$name/out" && return 1
    grep -q 'errors: 0$' "$name/out" && ! grep -q 'not completed' "$name/out" && return 0
    cat "$name/out"
    exit 1
}

check holds || { echo "model: the protocol fails, see $scratch/holds (pan -r)"; exit 1; }
states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' holds/out)
broken=0
for variant in NO_RECHECK NO_LOOK LOOK_FIRST NO_ROLLBACK NO_ORDER NO_READ; do
    if check "$variant" -D"$variant"; then
        echo "model: $variant holds, but it must fail: the model cannot tell"
        exit 1
    fi
    broken=$((broken + 1))
done
echo "model: pin protocol holds in $states states; $broken broken variants fail as they must"
