#!/bin/sh
# The check of words: names, comments and texts for users have the field's terms, not the old private
# words of this program. tests/words.table lists the words, what replaced them, and the exceptions.
#
# usage: tests/words.sh [FOLDER]   checks the files in FOLDER (default: here), prints each place,
#                                  and without FOLDER proves on a made-up tree that it can fail.
set -u
LC_ALL=C
export LC_ALL
table=$(cd "$(dirname "$0")" && pwd)/words.table

# Sources, and the files that are texts as a whole.
files() {
    find src ui collectors tests -name '*.[ch]' 2>/dev/null
    find README.md CHANGELOG.md tests/README.md src ui collectors -name '*.md' 2>/dev/null
    find src themes -name '*.view' -o -name '*.theme' 2>/dev/null
}

# One pass over all files. Strings are texts for users, but not those of tests.
words() {
    files | sort | xargs -r awk -v table="$table" '
        function found(term, what) { found_at(FILENAME, FNR, term, what) }
        function found_at(file, line, term, what) {
            if ((file, term) in allowed) { used[file, term] = 1; return }
            print file ":" line ": " what; bad = 1
        }
        function stem_in(token,    one) {
            for (one in stem) if (index(token, one)) return one
        }
        function found_stem(token,    one) {
            one = stem_in(token)
            found(one, token " has an old word: " stem[one])
        }
        # A name or a word of a comment.
        function look(token, is_name,    n, i, part, is_source) {
            if (token in name) { found(token, token " is an old name: " name[token]); return }
            is_source = FILENAME !~ /^tests\//
            n = split(tolower(token), part, "_")
            for (i = 1; i <= n; i++) {
                if (part[i] in word) found(part[i], token " is an old word: " word[part[i]])
                else if (stems && part[i] ~ stems) found_stem(part[i])
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
        # Formats of numbers are part of a text.
        function code(rest) {
            tokens(rest, 1)
            gsub(/PRI[a-zX0-9]+|[ \t]/, "", rest)
            if (rest != "") end_text()
        }
        # A text may come in pieces: strings one after the other, the lines of a paragraph.
        function add_text(piece) {
            if (text == "") { text_file = FILENAME; text_line = FNR }
            text = text piece
        }
        function found_text(term, instead) {
            found_at(text_file, text_line, term, "\"" term "\" in a text: " instead)
        }
        function end_text(    n, i, one, bare, piece) {
            if (text == "") return
            bare = text
            text = ""
            for (i = 1; i <= ids[text_file]; i++)
                if (bare ~ id[text_file, i]) { id_used[text_file, i] = 1; return }
            gsub(/\\(x[0-9a-f]+|[0-9]+|.)|%[-+0-9.*#]*[a-z]*/, " ", bare)
            # Its beginning, and those of its sentences.
            n = split(bare, piece, /(^|[.:|])[-#*|>. 0-9]* /)
            for (i = 1; i <= n; i++) {
                one = piece[i]
                sub(/[^A-Za-z].*/, "", one)
                if (one in begin) found_text(one, begin[one])
            }
            bare = tolower(bare)
            gsub(/[^a-z0-9]+/, " ", bare)
            n = split(bare, piece, " ")
            for (i = 1; i <= n; i++) {
                if (piece[i] in word) found_text(piece[i], word[piece[i]])
                if (stems && piece[i] ~ stems) { one = stem_in(piece[i]); found_text(one, stem[one]) }
                if (piece[i] in texts) found_text(piece[i], texts[piece[i]])
            }
            bare = " " bare " "
            for (one in phrase) if (index(bare, " " one " ")) found_text(one, phrase[one])
        }
        BEGIN {
            while ((getline line < table) > 0) {
                n = split(line, field, " ")
                if (line ~ /^# .* -> /) { term = line; sub(/.* -> /, "say ", term) }
                else if (field[1] == "text" && n == 2) texts[field[2]] = term
                else if (field[1] == "text" && n > 2) phrase[substr(line, 6)] = term
                else if (field[1] == "begin") begin[field[2]] = term
                else if (field[1] == "id" && n > 3) id[field[2], ++ids[field[2]]] = "^" field[3] "$"
                else if (field[1] == "stem") { stem[field[2]] = term; stems = stems (stems ? "|" : "") field[2] }
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
        FNR == 1 { end_text(); is_comment = 0; seen[FILENAME] = 1 }
        FILENAME !~ /\.[ch]$/ {
            if (/^ *([-#*|>]|[0-9]+\.|$)/) end_text()
            add_text(" " $0)
            next
        }
        /^#include/ { next }
        {
            rest = $0
            while (rest != "") {
                if (is_comment) {
                    at = index(rest, "*/")
                    tokens(at ? substr(rest, 1, at - 1) : rest, 0)
                    rest = at ? substr(rest, at + 2) : ""
                    is_comment = !at
                } else if (match(rest, /\/\*|\/\/|["\047]/)) {
                    code(substr(rest, 1, RSTART - 1))
                    quote = substr(rest, RSTART, RLENGTH)
                    rest = substr(rest, RSTART)
                    if (quote == "/*") { is_comment = 1; rest = substr(rest, 3) }
                    else if (quote == "//") { tokens(rest, 0); rest = "" }
                    else if (match(rest, quote == "\"" ? "^\"([^\"\\\\]|\\\\.)*\"" : "^\047([^\047\\\\]|\\\\.)*\047")) {
                        if (quote == "\"" && FILENAME !~ /^tests/) add_text(substr(rest, 2, RLENGTH - 2))
                        rest = substr(rest, RLENGTH + 1)
                    } else rest = "" # a text that goes on in the next line
                } else {
                    code(rest)
                    rest = ""
                }
            }
        }
        END {
            end_text()
            for (one in ids)
                for (i = 1; i <= ids[one]; i++)
                    if (one in seen && !((one, i) in id_used)) {
                        print one ": no text is " id[one, i] ": its exception is not needed"; bad = 1
                    }
            for (one in allowed)
                if (!(one in used)) {
                    split(one, field, SUBSEP)
                    if (field[1] in seen) { print field[1] ": " field[2] " is not there: its exception is not needed"; bad = 1 }
                }
            exit bad
        }'
}

file_names() {
    old=$(sed -n 's/^file[[:space:]]*//p; s/^stem[[:space:]]*\(.*\)/[^\/]*\1[^\/]*/p' "$table" | paste -s -d '|' -)
    ! find src ui collectors tests -name '*.[ch]' 2>/dev/null | sort | grep -E "/($old)\.[ch]$" |
        sed 's/$/: the file has an old name/' | grep .
}

check() {
    words
    status=$?
    file_names && [ $status -eq 0 ]
}

if [ $# -gt 0 ]; then
    cd "$1" || exit 1
    check
    exit
fi

# It can fail: each line of the made-up tree has one old word, and each is found. Free words are not.
made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
for folder in src/base src/manual src/model src/pane tests/unit themes ui/config; do mkdir -p "$made/$folder"; done
cat >"$made/src/model/a.c" <<'MADE'
struct shelf *one;
int of_Shelf_two; const char *text = "free: selfish";
/* It lies on the shelf. */
// the errand
int x; /* "quoted" shelf_at */
/* two lines,
 * a door in the second */
int own_provider, provider; /* our own provider, kept still, is free */
/* see own_provider() */
int short_life; /* a long life is free, short_lives is not */
static void tell_all(void); /* it may tell */
int TheColour_of; /* Neighbours, uncoloured */
char c = '"'; int sieve; char d = '\''; int bell;
MADE
cat >"$made/tests/unit/b.c" <<'MADE'
static void tell_all(void) { const char *s = "\"shelf\" \\"; } /* tests may tell_all */ int wish;
MADE
cat >"$made/src/model/c.c" <<'MADE'
const char *e[] = {"it is\ttold %u", "free " "which is %s" " to "
    "be %" PRIu64 " had", "in colours", "to", "be had", "Of it", "free. What is it", "of What", "\033sieve"};
MADE
cat >"$made/ui/config/keys.c" <<'MADE'
const char *s[] = {"picture-left", "picture", "Picture"};
MADE
cat >"$made/src/manual/a.md" <<'MADE'
Nothing is to
be had here.

- What is it? The second
  line of *shelf* is found at the first.
- free: to

be had
MADE
printf '# a bell\n[theme]\nbell = 1\n' >"$made/themes/a.theme"
printf 'source = pictures\n' >"$made/src/pane/a.view"
: >"$made/ui/keep.h"
: >"$made/ui/my_colours.h"
echo 'int of_what_is_silent_no_more;' >"$made/src/base/text.c" # an exception, which is needed
echo 'int nothing;' >"$made/tests/unit/test_model_rundown.c"   # and one that is not
expected='ui/keep.h
ui/my_colours.h
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
src/model/a.c:12
src/model/a.c:13
src/model/a.c:13
src/model/c.c:1
src/model/c.c:1
src/model/c.c:2
src/model/c.c:2
src/model/c.c:2
src/model/c.c:2
ui/config/keys.c:1
ui/config/keys.c:1
src/manual/a.md:1
src/manual/a.md:4
src/manual/a.md:4
themes/a.theme:1
themes/a.theme:1
src/pane/a.view:1
tests/unit/b.c:1
tests/unit/test_model_rundown.c'
found=$(sh "$0" "$made" | sed 's/: .*//')
if [ "$(echo "$found" | sort)" != "$(echo "$expected" | sort)" ]; then
    echo "words: the made-up tree has old words in other places than were found:"
    sh "$0" "$made"
    exit 1
fi
# The real tree with one old word more.
rm -r "$made"/* && cp -r src ui collectors themes tests ./*.md "$made"
echo '/* the shelf of it */' >>"$made/src/main.c"
echo '- The picture is told.' >>"$made/README.md"
if sh "$0" "$made" >"$made/out" || [ "$(wc -l <"$made/out")" -ne 3 ] || ! grep -q '^src/main.c:.*shelf' "$made/out" ||
    ! grep -q '^README.md:.*"told"' "$made/out"; then
    echo "words: the planted words were not found alone:"
    cat "$made/out"
    exit 1
fi
check && echo "words: names, comments and texts use the terms of tests/words.table"
