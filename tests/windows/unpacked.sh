#!/bin/sh
# An unpacked archive is whole: the program starts from its own folder, says its version, reads a
# trace, and every licence is there.
#
# usage: tests/windows/unpacked.sh ARCHIVE.ZIP VERSION (from the root; under tests/windows/wine.sh)
set -eu
unset WINEPATH
archive=$PWD/$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
unzip -q "$archive"
cd ./*/
for file in README.txt first-day.ps1 libunistring-2.dll licences/tracetop.txt licences/ncurses.txt \
    licences/libtermkey.txt licences/zstd.txt licences/pcre2.txt licences/expat.txt licences/mingw-w64.txt licences/libunistring-LGPL.txt \
    licences/libunistring-GPL.txt; do
    [ -s "$file" ] || { echo "unpacked: $file is missing or empty"; exit 1; }
done
said=$(wine tracetop.exe --version | tr -d '\r')
[ "$said" = "tracetop $2" ] || { echo "unpacked: expected 'tracetop $2', found '$said'"; exit 1; }
wine tracetop.exe --source demo --headless --events 20000 >screen.txt
grep -q 'explorer.exe' screen.txt || { echo "unpacked: no processes on the demo's screen:"; cat screen.txt; exit 1; }
echo "unpacked: $(find . -type f | wc -l) files, $(stat -c %s tracetop.exe) bytes of program"
