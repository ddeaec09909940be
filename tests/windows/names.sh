#!/bin/sh
# Makes what tests/windows/symbols.c reads: a module with its PDB, the same of another build, and
# the first one apart from its PDB.
#
# usage: tests/windows/names.sh FOLDER (from the root)
set -eu
make_one() {
    mkdir -p "$1"
    clang --target=x86_64-pc-windows-msvc -O1 -g -gcodeview -DOTHER="$2" -ffreestanding \
        -fno-stack-protector -fasynchronous-unwind-tables -c tests/windows/names.c -o "$1/names.obj"
    lld-link /dll /nodefaultlib /debug /entry:entry "/timestamp:$3" "/map:$1/names.map" \
        "/out:$1/names.dll" "/pdb:$1/names.pdb" "$1/names.obj"
}
make_one "$1" first 0x5f5e1000
make_one "$1/other" second 0x5f5e2000
mkdir -p "$1/apart"
cp "$1/names.dll" "$1/apart"
