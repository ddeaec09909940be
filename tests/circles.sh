#!/bin/sh
# Calls between files, as the built objects have them: no function of a lower room calls one of a
# higher room, and inside a room files do not call each other in circles, but for those listed here
# with a reason. What lies in a table of data (descriptors, functions by pointer) may point upward.
#
# usage: tests/circles.sh BUILD [ROOMS]   objects below BUILD, of sources that are below the current
#                                         directory; prints each finding, and proves first on
#                                         objects made up for it that it can fail.
#
# ROOMS (default: tests/rooms) has one room per line, from the ground up: its name, then its folders
# or files (none: the name is the folder or file); `*` in them stands for anything, and # begins a
# comment. Of several that fit a file, the longest tells its room.
# NM and CC are the tools to use.
set -u
nm=${NM:-nm}
compiler=${CC:-gcc}
rooms=${2:-tests/rooms}

# Circles that stay: the files in alphabetical order|why.
allowed='
src/symbol/demangle_cxx_read.c src/symbol/demangle_cxx_read_expression.c src/symbol/demangle_cxx_read_name.c src/symbol/demangle_cxx_read_type.c|the grammar of mangled C++ names: types hold expressions, names and whole encodings, and these types
src/symbol/demangle_cxx_write.c src/symbol/demangle_cxx_write_expression.c|the same, written
'

# One line per symbol: "source name type", of objects whose source is there.
symbols() {
    (cd "$1" && find src ui collectors -name '*.o' 2>/dev/null) | sort | while read -r object; do
        [ ! -f "${object%.o}.c" ] || echo "$object"
    done | (cd "$1" && xargs -r "$nm" -P -A) | sed 's/\.o: /.c /'
}

findings() {
    symbols "$1" | awk -v rooms="$2" -v allowed="$allowed" '
        BEGIN {
            while ((getline line < rooms) > 0) {
                sub(/[ \t]*#.*/, "", line)
                count = split(line, word, " ")
                if (!count || line ~ /^#/)
                    continue
                name[++floors] = word[1]
                floor[word[1]] = floors
                for (i = count > 1 ? 2 : 1; i <= count; i++) {
                    place[++places] = word[i]
                    room_at[places] = word[1]
                }
            }
            if (!floors)
                say("rooms: " rooms " names no room")
            count = split(allowed, entry, "\n")
            for (i = 1; i <= count; i++)
                if (split(entry[i], word, "|") == 2)
                    reason[word[1]] = word[2]
        }
        function say(text) { print text; bad = 1 }
        function fits(file, pattern) {
            gsub(/\./, "[.]", pattern)
            gsub(/\*/, ".*", pattern)
            return file ~ ("^" pattern "(/|$)")
        }
        function room_of(file, i, best, room) {
            for (i = 1; i <= places; i++)
                if (length(place[i]) > best && fits(file, place[i])) {
                    best = length(place[i])
                    room = room_at[i]
                }
            return room
        }
        # Lists are kept as text: words between blanks.
        function sorted(list, word, n, i, k, t) {
            n = split(list, word, " ")
            for (i = 2; i <= n; i++)
                for (k = i; k > 1 && word[k] < word[k - 1]; k--) {
                    t = word[k]; word[k] = word[k - 1]; word[k - 1] = t
                }
            list = word[1]
            for (i = 2; i <= n; i++)
                list = list " " word[i]
            return list
        }
        # Which files of the room reach which over calls inside of it.
        function close_over(n, i, k, m) {
            for (k = 1; k <= n; k++)
                for (i = 1; i <= n; i++)
                    if (reaches[mine[i], mine[k]])
                        for (m = 1; m <= n; m++)
                            if (reaches[mine[k], mine[m]])
                                reaches[mine[i], mine[m]] = 1
        }
        function tell_circle(list, word, n, i, k) {
            if (list in reason) {
                is_met[list] = 1
                known++
                return
            }
            say("circle in " room[substr(list, 1, index(list, " ") - 1)] ": " list)
            n = split(list, word, " ")
            for (i = 1; i <= n; i++)
                for (k = 1; k <= n; k++)
                    if ((word[i], word[k]) in calls)
                        print "    " word[i] " calls " word[k] ":" calls[word[i], word[k]]
        }
        function look_for_circles(of, n, i, k, list) {
            for (i = 1; i <= files; i++)
                if (room[file[i]] == of)
                    mine[++n] = file[i]
            close_over(n)
            for (i = 1; i <= n; i++) {
                if (is_reported[mine[i]] || !reaches[mine[i], mine[i]])
                    continue
                list = ""
                for (k = 1; k <= n; k++)
                    if (reaches[mine[i], mine[k]] && reaches[mine[k], mine[i]]) {
                        is_reported[mine[k]] = 1
                        list = list " " mine[k]
                    }
                tell_circle(sorted(list))
            }
        }
        {
            if (!($1 in room)) {
                file[++files] = $1
                room[$1] = room_of($1)
                if (room[$1] == "")
                    say($1 " is in no room of " rooms)
            }
            if ($3 == "T" || $3 == "W")
                home[$2] = $1
            else if ($3 == "U") {
                user[++uses] = $1
                used[uses] = $2
            }
        }
        END {
            for (i = 1; i <= uses; i++) {
                from = user[i]
                to = home[used[i]]
                if (to == "" || to == from || room[from] == "" || room[to] == "")
                    continue
                if (!((from, to) in calls)) {
                    pair_from[++pairs] = from
                    pair_to[pairs] = to
                }
                calls[from, to] = calls[from, to] " " used[i]
                reaches[from, to] = room[from] == room[to]
            }
            for (i = 1; i <= pairs; i++) {
                from = pair_from[i]
                to = pair_to[i]
                if (floor[room[from]] < floor[room[to]])
                    say(from " (" room[from] ") calls " to " (" room[to] "):" calls[from, to])
            }
            if (!files)
                say("no objects of sources that are here: build first")
            for (i = 1; i <= floors; i++)
                look_for_circles(name[i])
            for (list in reason)
                if (!is_met[list])
                    say("circle is no more, take it off the list: " list)
            if (!bad)
                printf "circles: %d files; no call goes up, %d circles, each with its reason\n", files, known
            exit bad
        }'
}

# Objects of two rooms with one of each finding; the check must name every one, and nothing else.
self_test() {
    scratch=$(mktemp -d) || exit 1
    trap 'rm -rf "$scratch"' EXIT
    mkdir -p "$scratch/src/low" "$scratch/src/high" "$scratch/src/none" "$scratch/build"
    (
        cd "$scratch" || exit 1
        printf 'low src/low\n\nhigh src/high src/low/but_*.c\n' > rooms
        put() { printf '%s\n' "$2" > "src/$1.c"; }
        put low/up 'void high(void), more(void), low(void); void low(void) { high(); more(); }'
        put low/table 'extern int (*const high_table[])(void); int low_table(void); int low_table(void) { return high_table[0](); }'
        put low/but_high 'void high(void); void but(void); void but(void) { high(); }'
        put high/down 'void low(void), high(void), more(void); void high(void) { low(); } void more(void) {}'
        put high/table 'static int f(void) { return 0; } extern int (*const high_table[])(void); int (*const high_table[])(void) = {f};'
        put high/a 'void a(void), b(void); void a(void) { b(); }'
        put high/b 'void b(void), c(void); void b(void) { c(); }'
        put high/c 'void a(void), c(void); void c(void) { a(); }'
        put high/d 'void a(void), d(void), e(void); void d(void) { e(); a(); }'
        put high/e 'void d(void), e(void); void e(void) { d(); }'
        put high/f 'void d(void), f(void); void f(void) { d(); }'
        put none/stray 'void stray(void); void stray(void) {}'
        for source in src/*/*.c; do
            mkdir -p "build/${source%/*}"
            $compiler -std=c11 -O1 -c -o "build/${source%.c}.o" "$source" || exit 1
        done
        mkdir -p build/src/high && cp build/src/high/a.o build/src/high/moved_away.o
        allowed='
src/high/d.c src/high/e.c|they are made up
src/high/x.c src/high/y.c|they are gone
'
        findings build rooms | grep -v '^ ' | sort > found
        cat > wanted <<'EOF'
circle in high: src/high/a.c src/high/b.c src/high/c.c
circle is no more, take it off the list: src/high/x.c src/high/y.c
src/low/up.c (low) calls src/high/down.c (high): high more
src/none/stray.c is in no room of rooms
EOF
        sort -o wanted wanted
        cmp -s found wanted || {
            echo "circles: the self-test found other things than are there:"
            diff wanted found
            exit 1
        }
        rm src/none/stray.c src/low/up.c src/high/c.c # their objects no longer count
        allowed='
src/high/d.c src/high/e.c|they are made up
'
        findings build rooms > found || { echo "circles: the self-test's good objects were refused:"; cat found; exit 1; }
    ) || exit 1
}

[ $# -ge 1 ] || { echo "usage: tests/circles.sh BUILD [ROOMS]" >&2; exit 2; }
self_test
findings "$1" "$rooms"
