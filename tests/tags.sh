#!/bin/sh
# A name means one thing: no two headers define a struct, union or enum with the same tag. The compiler
# notices only where one file includes both.
#
# usage: tests/tags.sh [FOLDER]   checks the headers in FOLDER (default: here), prints each tag with its
#                                 headers, and without FOLDER proves on made-up files that it can fail.
#
# Left out: what BPF programs call the kernel's own types, since their names are the kernel's.
set -u
LC_ALL=C
export LC_ALL

tags() {
    find src ui collectors tests -name '*.h' ! -path collectors/linux/bpf/kernel.h 2>/dev/null | sort | xargs -r awk '
        /^(typedef )?(struct|union|enum) [A-Za-z_0-9]+ \{/ {
            sub(/^typedef /, "")
            if (!(($2, FILENAME) in seen)) { seen[$2, FILENAME] = 1; count[$2]++; where[$2] = where[$2] " " FILENAME }
        }
        END { for (tag in count) { all++; if (count[tag] > 1) { print tag ":" where[tag]; bad = 1 } }
              if (!all) { print "tags: no headers here"; bad = 1 }
              exit bad }'
}

if [ $# -gt 0 ]; then
    cd "$1" || exit 1
    tags
    exit
fi

made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
mkdir -p "$made/src" "$made/ui" "$made/collectors/linux/bpf"
printf 'struct one {\n    int x;\n};\nenum two { A };\nstruct used;\n' >"$made/src/a.h"
printf 'enum one { B };\nstruct two_more {\n};\nstruct used {\n    struct two *x;\n};\n' >"$made/ui/b.h"
printf 'struct two {\n};\n' >"$made/collectors/linux/bpf/kernel.h"
found=$(sh "$0" "$made")
if [ "$found" != 'one: src/a.h ui/b.h' ]; then
    echo "tags: of the made-up tags 'one' alone has two meanings; found: $found"
    exit 1
fi
tags | sort
[ -z "$(tags)" ] && echo "tags: each is defined in one header"
