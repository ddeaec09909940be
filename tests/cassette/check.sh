#!/bin/sh
# All real traces as cassettes, and a file with each kind of record: what our conversion and our writer
# make of them. First the comparer proves that it can fail.
#
# usage: tests/cassette/check.sh CASSETTES FOLDER (from the root)
set -u
cassettes=$1
folder=$2/work
etl=../shared/etl
mkdir -p "$folder"
trap 'rm -rf "$folder"' EXIT

"$cassettes" kinds "$folder/kinds.etl" || exit 1
original=$folder/kinds.etl
"$cassettes" make "$original" "$folder/whole.cassette" >/dev/null &&
    "$cassettes" replay "$folder/whole.cassette" "$folder/made.etl" >/dev/null &&
    "$cassettes" prove "$original" "$folder/made.etl" || exit 1

real=$(ls "$etl"/*.etl "$etl"/*.etl.zst 2>/dev/null)
# shellcheck disable=SC2086 # names without spaces
"$cassettes" check "$folder" "$folder/kinds.etl" $real >"$folder/report"
status=$?
cat "$folder/report"
[ -n "$real" ] || {
    echo "cassettes: skipped: the real traces, no $etl/*.etl"
    [ "${TRACETOP_REQUIRE_SHARED:-0}" != 1 ] || status=1
}

# As many records as others have counted in each file.
for counts in "$etl"/*.counts.tsv; do
    [ -f "$counts" ] || continue
    name=$(basename "$counts" .counts.tsv).etl
    want=$(awk '$2 == "total_events" { print $3 }' "$counts")
    got=$(awk -v a="$name" '$1 == a || $1 == a ".zst" { print $2 }' "$folder/report")
    [ "$want" = "$got" ] || {
        echo "cassettes: $name: $got records, others count $want"
        status=1
    }
done
exit $status
