#!/bin/sh
# Runs tests/windows/download.c with a web server of this system beside it, which has a file of
# 300,000 bytes and the PDB of a folder that names.sh made.
#
# usage: tests/windows/download.sh WEB DOWNLOAD.EXE FOLDER (from the root; under wine.sh)
set -u
here=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$here"' EXIT
mkdir "$here/www"
seq 100000 | head -c 300000 >"$here/www/data"
cp "$3/names.pdb" "$3/names.dll" "$3/names.map" "$here"
"$1" "$here/www" >"$here/port" &
server=$!
while ! grep -q . "$here/port"; do
    kill -0 "$server" || exit 1
    sleep 0.1
done
wine "$2" "$(cat "$here/port")" "Z:$(echo "$here" | tr / '\\')"
