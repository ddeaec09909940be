#!/bin/sh
# Which test presses each key, filters by each field, sorts or shows each column: a table, and
# status 1 when some is in none.
#
# usage: tests/covered.sh PROGRAM [-v]     (from the root; -v prints the whole table)
program=$1
[ "${2:-}" = -v ] && all=1 || all=0

# Keys as they stand in scripts of screens and in unit tests: "KEY file".
pressed() {
    awk 'FNR == 1 { n = split(FILENAME, part, "/"); test = part[n - 1] }
         $1 == "click" { print "Click", test }
         $1 == "wheel" { print ($2 == "up" ? "WheelUp" : "WheelDown"), test }
         $1 == "press" { for (i = 2; i <= NF; i++) print $i, test }' tests/screens/*/script
    awk 'FNR == 1 { n = split(FILENAME, part, "/"); test = part[n]; sub(/\.c$/, "", test) }
         /press\(/ { line = $0
                     while (match(line, /"[^"]*"/)) {
                         n = split(substr(line, RSTART + 1, RLENGTH - 2), key, " ")
                         for (i = 1; i <= n; i++) { gsub(/\\\\/, "\\", key[i]); print key[i], test }
                         line = substr(line, RSTART + RLENGTH) } }' tests/unit/test_ui_*.c
}

# Words of filters: "FIELD file".
filtered() {
    for f in tests/unit/test_filter.c tests/unit/test_filter_fields.c tests/unit/test_service.c tests/unit/test_retroactive.c tests/unit/test_trigger.c tests/cli/cli.c \
        tests/sums.sh tests/screens/*/script; do
        name=${f%/script}
        name=${name##*/}
        grep -oE '[a-z_]+ ?(!?[=~]|[<>]=?|:)' "$f" | sed 's/[^a-z_].*//' | sort -u | sed "s/\$/ ${name%.*}/"
        grep -owE 'exited|retr|tag' "$f" | sort -u | sed "s/\$/ ${name%.*}/"
    done
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
pressed | sort -u >"$work/pressed"
filtered | sort -u >"$work/filtered"
# (Suspending takes a shell with job control: it is tried by hand.)
"$program" keys | awk -F '\t' 'NR > 1 && $1 != "suspend" { print $1 "\t" $2 }' >"$work/keys"
"$program" fields | awk -F '\t' '$1 == "filter" { print $2 "\t" $2 }' >"$work/fields"

# table TESTED WANTED WHAT: a row of WANTED is covered when one of its words is tested.
table() {
    awk -v what="$3" -v all="$all" '
        NR == FNR { tests[$1] = tests[$1] (tests[$1] ? " " : "") $2; next }
        {
            split($0, part, "\t")
            n = split(part[2], word, " ")
            found = ""
            for (i = 1; i <= n && found == ""; i++)
                if (word[i] in tests) { split(tests[word[i]], first, " "); found = word[i] ": " first[1] }
            if (found == "") { print what " " part[1] " (" part[2] "): in no test"; bad = 1 }
            else if (all) print what "\t" part[1] "\t" found
        }
        END { exit bad }' "$1" "$2"
}

status=0
table "$work/pressed" "$work/keys" key || status=1
table "$work/filtered" "$work/fields" field || status=1
[ $status -eq 0 ] && echo "$(wc -l <"$work/keys") keys and $(wc -l <"$work/fields") fields, each in a test"
exit $status
