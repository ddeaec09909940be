#!/bin/sh
# The layering check: arrows of the house over #include lines.
#
#   ui -> src <- collectors; only src/main.c sees all. Inside of these, files lie in rooms
#   (tests/rooms, from the ground up), and a room includes what is below it. Each foreign
#   library is included by one file. Project headers are included from the root; a header's guard is its path
#   in capitals; each header compiles alone (before all else in a source, or here).
#
# usage: tests/layers.sh [DIR]   checks DIR (default: here), prints each crossing,
#                                and proves first on a made-up tree that it can fail.
set -u
compiler=${CC:-gcc}
windows_compiler=x86_64-w64-mingw32-gcc

# The start of a header's name, and the files that may include it; the system's own also those
# of one platform (below).
includers='
curses.h|ui/term/screen.c
ncurses.h|ui/term/screen.c
ncursesw/|ui/term/screen.c
term.h|ui/term/screen.c
termkey.h|ui/term/input.c
uni|src/base/text_characters.h src/base/text.c src/base/text_search.c src/base/text_encoding.c
zstd.h|src/os/zst.c
pcre2.h|src/base/regex.c
expat|src/base/xml.c
json-c/|src/base/json_read_linux.c
libelf.h|src/symbol/elf_inside.h
gelf.h|src/symbol/elf_inside.h
dwarf.h|src/symbol/elf_file_linux.c src/symbol/elf_function_linux.c
elfutils/|src/symbol/elf_inside.h
lzma.h|src/symbol/elf_file_linux.c
capstone/|src/symbol/function_exit_linux.c
curl/|src/os/http_linux.c
winhttp.h|src/os/http_windows.c
windows.h|src/os/os_windows.c
pthread.h|src/os/os_linux.c
bpf/|collectors/linux/bpf/bpf.c collectors/linux/bpf/bpf_functions.c collectors/linux/bpf/bpf_map.c collectors/linux/bpf/bpf_scope.c collectors/linux/bpf/kernel.h collectors/linux/bpf/net.bpf.c
sys/|src/os/os_linux.c src/tracetop_event.h
unistd.h|src/os/os_linux.c src/tracetop_event.h
termios.h|ui/term/terminal_linux.c
poll.h|src/os/os_linux.c src/tracetop_event.h
'

# Rooms from the ground up, a folder a line; # begins a comment.
rooms=$(sed 's/[[:space:]]*#.*//; /^$/d' "$(dirname "$0")/rooms")

# One line per include: "file:line:header", quotes and brackets kept on the header.
includes() {
    find src ui collectors -name '*.[ch]' 2>/dev/null | sort | xargs -r grep -n '^[[:space:]]*#[[:space:]]*include' /dev/null |
        sed 's/^\([^:]*\):\([0-9]*\):.*include[[:space:]]*\([<"][^>"]*[>"]\).*/\1:\2:\3/'
}

crossings() {
    includes | awk -F: -v includers="$includers" -v rooms="$rooms" '
        BEGIN {
            n = split(rooms, line, "\n")
            for (i = 1; i <= n; i++)
                if (line[i] != "") floor[line[i]] = i
            n = split(includers, line, "\n")
            for (i = 1; i <= n; i++)
                if (split(line[i], part, "|") == 2) { pattern[++count] = part[1]; includer[count] = part[2] }
        }
        # The floor of a file: that of the folder with the longest name that is a room; 0 outside.
        function floor_of(path) {
            while (sub("/[^/]*$", "", path))
                if (path in floor) return floor[path]
            return 0
        }
        function folder_of(path) { sub("/[^/]*$", "", path); return path }
        function say(why) { printf "%s:%s: %s: %s\n", $1, $2, $3, why; bad = 1 }
        {
            file = $1; room = file; sub("/.*", "", room)
            name = substr($3, 2, length($3) - 2)
            if (substr($3, 1, 1) == "\"") {
                to = name; sub("/.*", "", to)
                if (to != "src" && to != "ui" && to != "collectors") say("include it from the root")
                else if (file != "src/main.c" && to != room && to != "src") say(room " must not know " to)
                else if (file != "src/main.c" && to == room && floor_of(file) && floor_of(name) > floor_of(file)) say("points up")
                else if (name ~ /\/inside\.h$/ && folder_of(name) != folder_of(file)) say("only files of its folder may")
            } else {
                for (i = 1; i <= count; i++)
                    if (index(name, pattern[i]) == 1 && !index(" " includer[i] " ", " " file " ") && !(pattern[i] == "uni" && name ~ /^unistd/) &&
                        !(pattern[i] ~ /^(sys\/|unistd.h|pthread.h|poll.h|windows.h)$/ && file ~ /(_linux|_windows)\.[ch]$|^collectors\/(linux|windows)/))
                        say("only " includer[i] " may")
            }
        }
        END { exit bad }'
}

headers() {
    find src ui collectors -name '*.h' 2>/dev/null | sort
}

# Headers that a source includes before all else: they compile alone where it does.
compiled_first() {
    find src ui collectors -name '*.c' ! -name '*.bpf.c' 2>/dev/null | sort | xargs -r awk '
        FNR == 1 { is_first = 1 }
        is_first && /^[ \t]*#[ \t]*include/ { if (split($0, part, "\"") == 3) print part[2]; is_first = 0 }' | sort -u
}

wrong_guards() {
    headers | xargs -r awk '
        function end() { if (file != "" && !is_there) { print file ": guard is not " want; bad = 1 } }
        FNR == 1 { end(); file = FILENAME; want = toupper(file); gsub(/[\/.]/, "_", want); is_there = 0 }
        $0 == "#ifndef " want { is_there = 1 }
        END { end(); exit bad }'
}

# compile_alone COMPILER…: each header of standard input, as a source. Several by one call; where
# that fails, one by one, for the name.
compile_alone() {
    xargs -r -P "$(nproc 2>/dev/null || echo 2)" -n 24 sh -c '
        compiler="$1 -std=c11 -D_GNU_SOURCE -I. -fsyntax-only -x c"; shift
        $compiler "$@" 2>/dev/null && exit
        for header; do $compiler "$header" || echo "$header: does not compile alone"; done; exit 1' - "$*"
}

guards() {
    wrong_guards
    bad=$?
    windows='/windows/|_windows\.h$'
    left=$({ headers; compiled_first; compiled_first; } | sort | uniq -u)
    echo "$left" | grep -vE "$windows" | compile_alone "$compiler" || bad=1
    echo "$left" | grep -E "$windows" | compile_alone "$windows_compiler" -D_WIN32_WINNT=0x0A00 || bad=1
    return $bad
}

# A tree with one of each crossing; the check must name every one.
self_test() {
    scratch=$(mktemp -d) || exit 1
    trap 'rm -rf "$scratch"' EXIT
    mkdir -p "$scratch/src/low/deep" "$scratch/src/high" "$scratch/ui" "$scratch/collectors"
    printf '#include "src/high/top.h"\n#include "src/low/e.h"\n' > "$scratch/src/low/deep/e.c"
    printf '#include "src/low/deep/e.h"\n' > "$scratch/src/high/f.c"
    printf '#include "src/low/inside.h"\n' > "$scratch/src/high/g.c"
    printf '#include "src/low/inside.h"\n' > "$scratch/src/low/g.c"
    printf '#include "ui/term/grid.h"\n#include <zstd.h>\n' > "$scratch/src/a.c"
    printf '#include "collectors/etl.h"\n#include "grid.h"\n' > "$scratch/ui/b.c"
    printf '#include "ui/term/grid.h"\n#include <curses.h>\n#include <unistr.h>\n' > "$scratch/collectors/c.c"
    printf '#include "ui/term/grid.h"\n#include "collectors/etl.h"\n' > "$scratch/src/main.c"
    printf '#ifndef WRONG_H\n#define WRONG_H\nundeclared x;\n#endif\n' > "$scratch/src/d.h"
    rooms_here=$rooms
    rooms=$(printf 'src/low\nsrc/high\n')
    found=$(cd "$scratch" && crossings | wc -l)
    rooms=$rooms_here
    [ "$found" -eq 9 ] || { echo "layers: the self-test found $found of 9 crossings"; exit 1; }
    found=$(cd "$scratch" && guards 2>/dev/null | wc -l)
    [ "$found" -eq 2 ] || { echo "layers: the self-test found $found of 2 bad headers"; exit 1; }
}

self_test
cd "${1:-.}" || exit 1
crossings && guards && echo "layers: every include goes the way it may"
