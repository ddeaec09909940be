#!/bin/sh
# The check of words: names and comments use the field's terms, not the old private words of this
# program. tests/words.table lists the words, what replaced them, and the exceptions.
#
# usage: tests/words.sh [FOLDER]   checks the sources in FOLDER (default: here), prints each place,
#                                  and without FOLDER proves on a made-up tree that it can fail.
set -u
LC_ALL=C
export LC_ALL
table=$(cd "$(dirname "$0")" && pwd)/words.table

# One pass over all sources. Texts in quotes are left out: they are for users.
words() {
    find src ui collectors tests -name '*.[ch]' 2>/dev/null | sort | xargs -r awk -v table="$table" '
        function place(what) { return FILENAME ":" FNR ": " what }
        function found(term, what) {
            if ((FILENAME, term) in allowed) { used[FILENAME, term] = 1; return }
            print place(what); bad = 1
        }
        # A name or a word of a comment.
        function look(token, is_name,    n, i, part, is_source) {
            if (token in name) { found(token, token " is an old name: " name[token]); return }
            is_source = FILENAME !~ /^tests\//
            n = split(tolower(token), part, "_")
            for (i = 1; i <= n; i++) {
                if (part[i] in word) found(part[i], token " is an old word: " word[part[i]])
                else if (!is_name && n == 1) continue
                else if (part[i] in parts) found(part[i], token " has an old word: " parts[part[i]])
                else if (is_source && part[i] in source) found(part[i], token " has an old word: " source[part[i]])
            }
        }
        function tokens(text, is_name,    n, i, token) {
            gsub(/[^A-Za-z0-9_]+/, " ", text)
            n = split(text, token, " ")
            for (i = 1; i <= n; i++) look(token[i], is_name)
        }
        BEGIN {
            while ((getline line < table) > 0) {
                n = split(line, field, " ")
                if (line ~ /^# .* -> /) { term = line; sub(/.* -> /, "say ", term) }
                else if (field[1] == "word") word[field[2]] = term
                else if (field[1] == "part") parts[field[2]] = term
                else if (field[1] == "source") source[field[2]] = term
                else if (field[1] == "name") name[field[2]] = term
                else if (field[1] == "allow" && n > 3) allowed[field[2], field[3]] = 1
                else if (field[1] == "file" || line ~ /^#/ || n == 0) continue
                else { print "words: " table ": not understood: " line; bad = 1 }
            }
            if (term == "") { print "words: cannot read " table; bad = 1 }
        }
        FNR == 1 { is_comment = 0; seen[FILENAME] = 1 }
        {
            rest = $0
            while (rest != "") {
                if (is_comment) {
                    at = index(rest, "*/")
                    tokens(at ? substr(rest, 1, at - 1) : rest, 0)
                    rest = at ? substr(rest, at + 2) : ""
                    is_comment = !at
                } else if (match(rest, /\/\*|\/\/|["\047]/)) {
                    tokens(substr(rest, 1, RSTART - 1), 1)
                    begin = substr(rest, RSTART, RLENGTH)
                    rest = substr(rest, RSTART)
                    if (begin == "/*") { is_comment = 1; rest = substr(rest, 3) }
                    else if (begin == "//") { tokens(rest, 0); rest = "" }
                    else if (match(rest, begin == "\"" ? "^\"([^\"\\\\]|\\\\.)*\"" : "^\047([^\047\\\\]|\\\\.)*\047"))
                        rest = substr(rest, RLENGTH + 1)
                    else rest = "" # a text that goes on in the next line
                } else {
                    tokens(rest, 1)
                    rest = ""
                }
            }
        }
        END {
            for (one in allowed)
                if (!(one in used)) {
                    split(one, field, SUBSEP)
                    if (field[1] in seen) { print field[1] ": " field[2] " is not there: its exception is not needed"; bad = 1 }
                }
            exit bad
        }'
}

files() {
    old=$(sed -n 's/^file[[:space:]]*//p' "$table" | paste -s -d '|' -)
    ! find src ui collectors tests -name '*.[ch]' 2>/dev/null | sort | grep -E "/($old)\.[ch]$" |
        sed 's/$/: the file has an old name/' | grep .
}

check() {
    words
    status=$?
    files && [ $status -eq 0 ]
}

if [ $# -gt 0 ]; then
    cd "$1" || exit 1
    check
    exit
fi

# It can fail: each line of the made-up tree has one old word, and each is found. Free words are not.
made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
mkdir -p "$made/src/base" "$made/src/model" "$made/tests/unit" "$made/ui"
cat >"$made/src/model/a.c" <<'MADE'
struct shelf *one;
int of_Shelf_two; const char *text = "shelf"; /* free */
/* It lies on the shelf. */
// the errand
int x; /* "quoted" shelf_at */
/* two lines,
 * a door in the second */
int own_provider, provider; /* our own provider, kept still, is free */
/* see own_provider() */
int short_life; /* a long life is free, short_lives is not */
static void tell_all(void); /* it may tell */
char c = '"'; int sieve; char d = '\''; int bell;
MADE
cat >"$made/tests/unit/b.c" <<'MADE'
static void tell_all(void) { const char *s = "\"shelf\" \\"; } /* tests may tell_all */ int wish;
MADE
: >"$made/ui/keep.h"
echo 'int of_what_is_silent_no_more;' >"$made/src/base/text.c" # an exception, which is needed
echo 'int nothing;' >"$made/tests/unit/test_model_rundown.c"   # and one that is not
expected='ui/keep.h
src/model/a.c:1
src/model/a.c:2
src/model/a.c:3
src/model/a.c:4
src/model/a.c:5
src/model/a.c:7
src/model/a.c:8
src/model/a.c:9
src/model/a.c:10
src/model/a.c:10
src/model/a.c:11
src/model/a.c:12
src/model/a.c:12
tests/unit/b.c:1
tests/unit/test_model_rundown.c'
found=$(sh "$0" "$made" | sed 's/: .*//')
if [ "$(echo "$found" | sort)" != "$(echo "$expected" | sort)" ]; then
    echo "words: the made-up tree has old words in other places than were found:"
    sh "$0" "$made"
    exit 1
fi
# The real tree with one old word more.
cp -r src ui collectors tests "$made" && rm -r "$made/src/model/a.c" "$made/tests/unit/b.c" "$made/ui/keep.h"
echo '/* the shelf of it */' >>"$made/src/main.c"
if sh "$0" "$made" >"$made/out" || [ "$(wc -l <"$made/out")" -ne 1 ] || ! grep -q '^src/main.c:.*shelf' "$made/out"; then
    echo "words: a planted word was not found alone:"
    cat "$made/out"
    exit 1
fi
check && echo "words: names and comments use the terms of tests/words.table"
