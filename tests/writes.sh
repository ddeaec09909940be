#!/bin/sh
# Everything that people read goes through src/base/show.c, which makes names from traces safe. Every other
# call that writes is either of a literal text, or is counted here with its reason.
#
# usage: tests/writes.sh (from the root)
set -eu
LC_ALL=C
export LC_ALL

# file, calls, why they may
allowed() {
    cat <<'LIST'
src/base/show.c 4 writes it for all others
src/base/json.c 1 quotes and escapes what it writes itself
src/command/ask.c 1 the schema, which is ours
src/command/selftest.c 1 the schema, which is ours
src/command/mcp_linux.c 1 JSON of src/base/json_out.c
src/command/fields_json.c 1 JSON of src/base/json_out.c
src/command/completions.c 4 names and help texts of our own tables
src/export/export.c 1 a cluster that text_cluster() has made safe
src/export/csv.c 2 digits of export_plain(), the separator (option_read_separator())
src/export/markdown.c 2 digits of export_plain(), a column's side
src/export/tsv.c 1 digits of export_plain()
src/export/event_writer.c 1 lines that src/event/line_json.c and line_text.c have escaped
src/base/mem.c 1 numbers only, and no memory for more
src/os/os_linux.c 2 names of our own threads and the system's reason
src/os/os_windows.c 1 names of our own threads and the system's reason
ui/action/copying.c 1 the bytes that were asked for, into a file or a clipboard
ui/term/grid.c 1 cells of a grid hold safe text
ui/term/svg.c 5 numbers, and text that it escapes for XML
ui/term/terminal_windows.c 1 what ncurses draws
LIST
}

# Calls whose text is no literal, by file. printf() writes to standard output past its owner: never.
calls() {
    (cd "$1" && find src ui collectors -name '*.c' 2>/dev/null | sort | xargs awk '
        function end() { if (count) print file, count; count = 0 }
        FNR == 1 { end(); file = FILENAME }
        { line = $0
          sub(/\/\*.*/, "", line)
          while (match(line, /(^|[^a-zA-Z0-9_.>])(v?f?printf|v?dprintf|fputs|puts|fwrite|fputc|putc|putchar|perror|psignal)\(/)) {
              call = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
              rest = line
              if (rest == "") getline rest
              sub(/^[ \t]+/, "", rest)
              if (call ~ /(fputs|fputc|putc)\(/) {
                  # a literal, or a choice between two
                  if (rest ~ /^["\047]/) continue
                  if (rest ~ /^[a-z_A-Z0-9 +<>=!&|%.()-]+\? *["\047]([^"\047\\]|\\.)*["\047] *: *["\047]/) continue
              }
              count++
          } }
        END { end() }') | sort
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
allowed | awk '{ print $1, $2 }' | sort >"$scratch/allowed"
calls . >"$scratch/found"
if ! diff "$scratch/allowed" "$scratch/found"; then
    echo "writes: < calls that are allowed, > calls that there are: use show() of src/base/show.h, or say here why not"
    exit 1
fi

# It can fail: a file with one call more.
file=src/command/top.c
mkdir -p "$scratch/src/command"
for call in 'fprintf(to, "%s", name);' 'fputs(name, to);' 'printf("%s", name);' 'puts(name);' 'fwrite(name, 1, n, to);'; do
    { cat $file; echo "    $call"; } >"$scratch/$file"
    if [ "$(calls "$scratch")" != "$file 1" ]; then
        echo "writes: $call was not found"
        exit 1
    fi
done
echo "writes: every text for people goes through src/base/show.c"
