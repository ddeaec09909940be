#!/bin/sh
# The manual and the README: every section prints within 80 columns, everything that the program's tables have is in
# it, its commands are understood, make install puts all pages in their places; the README is two screens.
#
# usage: tests/manual.sh PROGRAM (from the root; MAKE: the make of this build)
set -u
program=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

wrong() {
    echo "manual: $*"
    status=1
}

# Lines of more than 80 characters: bytes that continue one do not count.
wide() {
    LC_ALL=C tr -d '\200-\277' <"$1" | awk 'length > 80 { print FILENAME ": line " NR " has " length " columns" }'
}

# What a page has: the words of its items' first lines (without their texts), or with `word` all words.
has() {
    awk -v how="$1" '
        function take(text, n, i, word) {
            n = split(text, word, " ")
            for (i = 1; i <= n; i++) { if (length(word[i]) > 1) sub(/[,.;]$/, "", word[i]); print word[i] }
        }
        how == "word" { take($0); next }
        /^                    [^ ]/ { if (term != "") take(term); term = ""; next }
        /^    [^ ]/ { term = substr($0, 5); if (match(term, /  +/)) { take(substr(term, 1, RSTART)); term = "" } }' "$2"
}

# missing HOW LIST PAGE: lines of LIST that PAGE does not have.
missing() {
    has "$1" "$3" | awk 'NR == FNR { there[$0]; next } !($0 in there) { print }' - "$2"
}

# ---- what the tables have ------------------------------------------------------------------------

"$program" --help | awk '/^Options:/ { on = 1; next } on && match($0, /--[a-z-]+/) { print substr($0, RSTART, RLENGTH) }' >"$work/options"
"$program" keys | awk -F '\t' 'NR > 1 { print "(" $1 ")"; n = split($2, key, " "); for (i = 1; i <= n; i++) print key[i] }' | sort -u >"$work/keys"
"$program" fields | awk -F '\t' '$1 == "filter" { print $2 }' >"$work/fields"
"$program" fields | awk -F '\t' 'NR > 1 && $1 != "filter" { print $2 }' | sort -u >"$work/columns"
"$program" fields | awk -F '\t' 'NR > 1 && $1 != "filter" { print $1 ":" }' | sort -u >"$work/panes"
"$program" theme show default | awk '/^\[/ { on = $0 == "[roles]" } on && / = / { print $1 }' >"$work/roles"

# Words that an error lists: "there are a, b and c".
listed() {
    sed -n "s/.*$1 //p" | sed 's/ and /, /g; s/,/\n/g' | sed 's/^ *//; s/ *$//' | grep .
}
for item in 'source = x' '[column a]_field = x' '[column a]_agg = x' 'x = x' '[column a]_x = x'; do
    printf '[view]\n%s\n' "$item" | sed 's/_/\n/' >"$work/x.view"
    "$program" fields --view "$work/x.view" 2>&1 | listed 'there are'
done >"$work/words"
printf '[x]\n' >"$work/x.conf"
"$program" keys --config "$work/x.conf" 2>&1 >/dev/null | listed 'there are' | sed 's/.*/[&]/' >"$work/sections"

for list in options keys fields columns panes roles words sections; do
    [ "$(wc -l <"$work/$list")" -ge 5 ] || wrong "no list of $list could be made"
done

# ---- sections --------------------------------------------------------------------------------------

sections=$("$program" completions bash | awk '/^    manual\)/ { on = 1 } on && /words=/ { gsub(/.*words=.|.$/, ""); print; exit }')
[ "$(echo "$sections" | wc -w)" -eq 6 ] || wrong "completions know '$sections', six sections expected"
for s in $sections; do
    "$program" manual "$s" >"$work/$s" 2>&1 || wrong "section $s: $(cat "$work/$s")"
    wide "$work/$s" | grep . && wrong "section $s is too wide"
    grep -nE '^ *\{[a-z-]+\}|`' "$work/$s" && wrong "section $s shows its marks"
    for other in $sections; do
        [ "$other" = "$s" ] || [ "$s" != tracetop ] || grep -q "tracetop-$other(5)" "$work/$s" || wrong "tracetop(1) does not name $other"
    done
done
"$program" manual | cmp -s - "$work/tracetop" || wrong "without a section tracetop(1) is expected"
"$program" manual 'tracetop-filter(5)' | cmp -s - "$work/filter" || wrong "tracetop-filter(5) is another page than filter"
for name in filtr nonsense filter.1; do
    "$program" manual "$name" >"$work/out" 2>"$work/err" && wrong "there is a section $name"
    for s in $sections; do
        grep -q "$s" "$work/err" || wrong "the error about $name does not list $s"
    done
done

while read -r list page how; do
    missing "$how" "$work/$list" "$work/$page" >"$work/out"
    [ ! -s "$work/out" ] || wrong "$list that the section $page does not have: $(tr '\n' ' ' <"$work/out")"
done <<'END'
options tracetop item
keys tracetop item
fields filter item
columns views item
panes views word
words views word
sections config word
roles themes item
END

# Every example is understood: with --help nothing is done, and unknown commands and options are errors.
examples() {
    sed -n 's/^ \{4,\}\(\$ \)\{0,1\}tracetop\( .*\)$/\2/p' "$@" | sed 's/  *#.*//' | sort -u
}
for s in $sections; do "$program" manual "$s" | awk '/^SYNOPSIS/ { skip = 1 } /^[A-Z]/ && !/^SYNOPSIS/ { skip = 0 } !skip' ; done |
    awk '/^        tracetop/' >"$work/code"
examples "$work/code" README.md >"$work/examples"
[ "$(wc -l <"$work/examples")" -ge 15 ] || wrong "only $(wc -l <"$work/examples") examples were found"
full=$(realpath "$program")
mkdir "$work/run" # some write files
while read -r example; do
    (cd "$work/run" && eval "'$full' --help $example") >"$work/out" 2>&1 || wrong "tracetop $example: $(head -1 "$work/out")"
done <"$work/examples"

# ---- the README ------------------------------------------------------------------------------------

lines=$(wc -l <README.md)
[ "$lines" -le 100 ] || wrong "README.md has $lines lines, 100 at most expected"
wide README.md | grep . && wrong "README.md is too wide"
[ "$(sed -n '3,5p' README.md | grep -c '^    make ')" -eq 2 ] || wrong "README.md does not begin with two commands"
for file in $(grep -oE '\]\([^)#]+\)' README.md | sed 's/^](//; s/)$//'); do
    [ -e "$file" ] || wrong "README.md leads to $file, which is not there"
done

# ---- installing ------------------------------------------------------------------------------------

pages='man1/tracetop.1 man5/tracetop-config.5 man5/tracetop-filter.5 man5/tracetop-oneliners.5 man5/tracetop-themes.5 man5/tracetop-views.5'
if ${MAKE:-make} install DESTDIR="$work/root" prefix=/usr >"$work/out" 2>&1; then
    for page in $pages; do
        grep -q '^\.TH ' "$work/root/usr/share/man/$page" || wrong "make install: no page $page"
    done
    ${MAKE:-make} uninstall DESTDIR="$work/root" prefix=/usr >"$work/out" 2>&1
    find "$work/root" -type f | grep . && wrong "make uninstall leaves files behind"
else
    wrong "make install: $(tail -1 "$work/out")"
fi

# ---- these checks can fail -------------------------------------------------------------------------

grep -v '^    lat ' "$work/filter" >"$work/less"
[ "$(missing item "$work/fields" "$work/less")" = lat ] || wrong "self-test: a field that is not there is not missed"
grep -v -- '--sort' "$work/tracetop" >"$work/less"
[ "$(missing item "$work/options" "$work/less")" = --sort ] || wrong "self-test: an option that is not there is not missed"
grep -v '(freeze)' "$work/tracetop" >"$work/less"
missing item "$work/keys" "$work/less" | grep -q '(freeze)' || wrong "self-test: a key that is not there is not missed"
{ printf '%080d\n' 0 | sed 's/0/…/'; printf '%081d\n' 0; } >"$work/less"
[ "$(wide "$work/less" | wc -l)" -eq 1 ] || wrong "self-test: wide lines are not found"

[ $status -eq 0 ] && echo "manual: $(echo "$sections" | wc -w) sections, $(wc -l <"$work/options") options," \
    "$(wc -l <"$work/fields") fields, $(wc -l <"$work/columns") columns, $(wc -l <"$work/examples") examples"
exit $status
