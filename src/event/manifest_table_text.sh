#!/bin/sh
# Makes the source that the table of manifest event layouts is built into the program from: one text for each
# provider, and where each name of a field stands first, sorted by name without case.
#
# usage: src/event/manifest_table_text.sh src/event/manifest_table.tsv > manifest_table_text.c
set -eu
export LC_ALL=C
[ $# -eq 1 ] || { sed -n '5p' "$0" >&2; exit 2; }

echo '#include "src/event/manifest_table.h"'
echo 'const char *const manifest_table[] = {'
sed '/^#/d; s/[\"]/\\&/g; s/.*/"&\\n"/' "$1" | sed '2,$s/^"provider[^a-z]/,&/'
echo '}; const unsigned manifest_table_count = sizeof manifest_table / sizeof *manifest_table;'

echo 'const struct manifest_field_name manifest_names[] = {'
awk -F'\t' '
    BEGIN { provider = -1 }
    /^#/ { next }
    $1 == "provider" { provider++; at = 0 }
    $1 == "fields" || $1 ~ /^[0-9]/ {
        start = at + length($1) + length($2) + 2
        for (i = 3; i <= NF; i++) {
            name = tolower($i)
            sub(/:.*/, "", name)
            if (name !~ /^@/ && !seen[name]++)
                print name "\t" provider "\t" start
            start += length($i) + 1
        }
    }
    { at += length($0) + 1 }' "$1" | sort -t '	' -k 1,1 | awk -F'\t' '{ print "{" $2 ", " $3 "}," }'
echo '}; const unsigned manifest_name_count = sizeof manifest_names / sizeof *manifest_names;'
