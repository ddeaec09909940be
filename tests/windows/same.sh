#!/bin/sh
# Both builds read all of ../shared/etl: what they print must be the same, byte for byte.
#
# usage: tests/windows/same.sh TRACETOP TRACETOP.EXE (from the root; under tests/windows/wine.sh)
# Prints a line per difference and, like a cmocka program, how many passed and failed.
set -u
here=$1
there=$2
folder=../shared/etl
[ -d $folder ] || { echo "same: $folder is not here: skipped: nothing to compare"; echo "[  SKIPPED ] 1 test(s)."; exit 0; }
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
passed=0
failed=0

# Names and their time zone are the caller's: everything in UTC.
TZ=UTC
export TZ

# run_there WORDS…: under Wine; returns the status. Where Wine cannot start a program, as happens while
# many start, it ends with 1 and without a word, which the program never does: that is said, and it is
# started again, twice at most.
run_there() {
    for try in 1 2 3; do
        wine "$there" "$@" >"$out/there" 2>"$out/there.err" </dev/null
        status=$?
        [ $status -eq 1 ] && ! [ -s "$out/there" ] && ! [ -s "$out/there.err" ] || break
        echo "same: Wine did not start the program ($try): $*"
    done
    return $status
}

# compare WORDS…: standard output, what is said beside it, and the status.
compare() {
    "$here" "$@" >"$out/here" 2>"$out/here.err" </dev/null
    echo "status $?" >>"$out/here.err"
    run_there "$@"
    echo "status $?" >>"$out/there.err"
    if cmp -s "$out/here" "$out/there" && cmp -s "$out/here.err" "$out/there.err"; then
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    echo "same: differs: $*"
    cmp "$out/here" "$out/there"
    diff "$out/here" "$out/there" | cut -c 1-200 | head -6
    diff "$out/here.err" "$out/there.err" | cut -c 1-200 | head -6
}

for trace in "$folder"/*.etl "$folder"/*.etl.zst; do
    compare stats "$trace"
    compare stats -O json "$trace"
    compare top processes "$trace"
    compare top files "$trace"
    compare dump "$trace"
done
# Nobody reads on: the program ends at once, and quietly.
for program in "$here" "wine $there"; do
    big=$folder/perfview-net.4.5.2.x64.etl.zst
    [ -f "$big" ] || continue
    { timeout 60 $program dump "$big" 2>"$out/said"; echo $? >"$out/status"; } | head -c 1000 >/dev/null
    if [ "$(cat "$out/status")" = 0 ] && [ ! -s "$out/said" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "same: $program into a closed pipe: status $(cat "$out/status")"
        cat "$out/said"
    fi
done
compare fields
compare keys
compare stats does-not-exist.etl
compare --help

echo "[  PASSED  ] $passed test(s)."
[ $failed -eq 0 ] || echo "[  FAILED  ] $failed test(s)."
[ $failed -eq 0 ]
