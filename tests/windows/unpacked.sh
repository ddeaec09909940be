#!/bin/sh
# An unpacked archive is whole: the program starts from its own folder, says its version, reads a
# trace, every license is there, and so are checksums, version and manifest.
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
for file in README.txt CHANGELOG.txt first-day.ps1 libunistring-2.dll licences/tracetop.txt licences/ncurses.txt \
    licences/libtermkey.txt licences/zstd.txt licences/pcre2.txt licences/expat.txt licences/mingw-w64.txt licences/libunistring-LGPL.txt \
    licences/libunistring-GPL.txt; do
    [ -s "$file" ] || { echo "unpacked: $file is missing or empty"; exit 1; }
done

# The program may be read, and nothing but what the list names is in the folder.
sha256sum --quiet -c SHA256SUMS || { echo "unpacked: a file is not the one that was packed"; exit 1; }
listed=$(wc -l <SHA256SUMS)
packed=$(find . -type f ! -name SHA256SUMS | wc -l)
[ "$listed" = "$packed" ] || { echo "unpacked: $packed files, of which the list has $listed"; exit 1; }
(cd "$(dirname "$archive")" && sha256sum --quiet -c "$archive.sha256") || { echo "unpacked: the archive's sum is another"; exit 1; }

# What the system is told about the program: its version, and how it is to be run.
for mark in PerMonitorV2 '>UTF-8<' '>true</longPathAware>' 'level="asInvoker"'; do
    grep -aqF "$mark" tracetop.exe || { echo "unpacked: the manifest lacks $mark"; exit 1; }
done
tr -d '\0' <tracetop.exe | grep -aqF "ProductVersion$2" || { echo "unpacked: no version $2 in the file"; exit 1; }

said=$(wine tracetop.exe --version | tr -d '\r')
[ "$said" = "tracetop $2" ] || { echo "unpacked: expected 'tracetop $2', found '$said'"; exit 1; }
wine tracetop.exe --source demo --headless --events 20000 >screen.txt
grep -q 'explorer.exe' screen.txt || { echo "unpacked: no processes on the demo's screen:"; cat screen.txt; exit 1; }
echo "unpacked: $(find . -type f | wc -l) files, $(stat -c %s tracetop.exe) bytes of program"
