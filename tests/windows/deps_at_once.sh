#!/bin/sh
# Several checks ask for the libraries of the Windows program at once: where these are built, none of
# the calls builds them again.
#
# usage: tests/windows/deps_at_once.sh FOLDER (from the root; FOLDER as built by src/windows/deps.sh)
set -eu
folder=$1
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
before=$(stat -c '%Y %i' "$folder/stamp")
rounds=20 calls=6
for round in $(seq $rounds); do
    callers=
    for call in $(seq $calls); do
        src/windows/deps.sh "$folder" >"$log/$round.$call" 2>&1 &
        callers="$callers $!"
    done
    for caller in $callers; do
        wait "$caller" || echo "a call ended with $?" >>"$log/status"
    done
done
[ -z "$(cat "$log"/*)" ] || { echo "deps_at_once: a library was built again:"; cat "$log"/*; exit 1; }
[ "$before" = "$(stat -c '%Y %i' "$folder/stamp")" ] || { echo "deps_at_once: the stamp was written again"; exit 1; }
echo "deps_at_once: $((rounds * calls)) calls, $calls at once, found the libraries built"
