#!/bin/sh
# The lines of `tracetop manual oneliners` answer: each is run over a recording of the demo, with rows.
#
# usage: tests/oneliners.sh PROGRAM [RECORDING] (from the root)
set -u
program=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

wrong() {
    echo "oneliners: $*"
    status=1
}

"$program" manual oneliners >"$work/page" || exit 1
sed -n 's/^        tracetop \(.*x\.etl.*\)$/\1/p' "$work/page" >"$work/lines"
[ "$(wc -l <"$work/lines")" -ge 40 ] || wrong "$(wc -l <"$work/lines") lines, at least 40 expected"
[ "$(grep -c '^        # ' "$work/page")" -ge 40 ] || wrong "lines of other tracers are missing"
if [ $# -gt 1 ]; then
    cp "$2" "$work/x.etl"
else
    "$program" record --source demo --events 120000 --rate 0 --seed 7 -q -o "$work/x.etl" || exit 1
fi
cd "$work" || exit 1
while read -r line; do
    rows=1 # below the head
    case $line in dump* | stacks*) rows=0 ;; esac
    eval "'$program' $line" >out 2>err || wrong "tracetop $line: $(head -1 err)"
    [ "$(wc -l <out)" -gt "$rows" ] || wrong "tracetop $line has no row: $(head -1 err)"
done <lines
[ $status -ne 0 ] || echo "oneliners: $(wc -l <lines) lines, each with rows"
exit $status
