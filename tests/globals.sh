#!/bin/sh
# No global name of ours is one of a shared library that the program is linked with: the program's
# would replace the library's inside the library, too.
#
# usage: tests/globals.sh ARCHIVE PROGRAM   the program's objects, and the program for its libraries;
#                                           proves first on made-up files that it can fail.
set -u
LC_ALL=C
export LC_ALL
[ $# -eq 2 ] || { echo "usage: tests/globals.sh ARCHIVE PROGRAM"; exit 2; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# Paths of the shared libraries, also those that libraries need.
libraries() {
    ldd "$1" | awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^\//) print $i }' | sort -u
}

# clashes ARCHIVE PROGRAM: each name with the library that has it, too.
clashes() {
    nm -g --defined-only "$1" 2>/dev/null | awk 'NF == 3 && $2 ~ /[ABCDRTVW]/ { print $3 }' | sort -u >"$scratch/ours"
    libraries "$2" | while read -r library; do
        nm -D --defined-only "$library" | awk -v in_library="$library" 'NF == 3 { sub(/@.*/, "", $3); print $3, in_library }'
    done | sort -u >"$scratch/theirs"
    [ -s "$scratch/ours" ] && [ -s "$scratch/theirs" ] || { echo "globals: no names in $1 or in the libraries of $2"; return 1; }
    ! join "$scratch/ours" "$scratch/theirs" | sed 's/\([^ ]*\) /\1 is a name of /' | grep .
}

printf 'int qsort(void); int qsort(void) { return 0; }\nint ours; static int rand; int *used = &rand;\n' >"$scratch/made.c"
"${CC:-gcc}" -fno-builtin -c -o "$scratch/made.o" "$scratch/made.c" && ar rcs "$scratch/made.a" "$scratch/made.o" || exit 1
found=$(clashes "$scratch/made.a" "$2")
case $found in
"qsort is a name of "*/libc.*) ;;
*) echo "globals: of the made-up names qsort alone is libc's; found: $found"; exit 1 ;;
esac
[ "$(echo "$found" | wc -l)" -eq 1 ] || { echo "globals: found more than one made-up name: $found"; exit 1; }
clashes "$1" "$2" && echo "globals: $(wc -l <"$scratch/ours") names, none is a library's"
