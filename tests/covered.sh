#!/bin/sh
# Which test gives each command by a key, filters by each field, compares each column with a count of
# its own: a table, and status 1 when some is in none.
#
# usage: tests/covered.sh PROGRAM JOURNALS [-v]     (from the root; -v prints the whole table)
#
# JOURNALS: what the screens' programs noted (--log -v), a file for each test.
program=$1
journals=$2
[ "${3:-}" = -v ] && all=1 || all=0

# Commands that keys gave: "COMMAND test".
given() {
    awk 'FNR == 1 { n = split(FILENAME, part, "/"); test = part[n]; sub(/\.log$/, "", test) }
         $2 == "command" { print $3, test }' "$journals"/*.log
}

# Words of filters: "FIELD file".
filtered() {
    for f in tests/unit/test_filter.c tests/unit/test_filter_fields.c tests/unit/test_service.c tests/unit/test_host_names.c tests/unit/test_linux_usage.c tests/unit/test_network_providers.c tests/unit/test_pmc.c tests/unit/test_retroactive.c tests/unit/test_trigger.c tests/cli/cli.c \
        tests/sums.sh tests/screens/*/script; do
        name=${f%/script}
        name=${name##*/}
        grep -oE '[a-z_]+ ?(!?[=~]|[<>]=?|:)' "$f" | sed 's/[^a-z_].*//' | sort -u | sed "s/\$/ ${name%.*}/"
        grep -owE 'exited|failed|retr|tag' "$f" | sort -u | sed "s/\$/ ${name%.*}/"
    done
}

# Columns that a test compares: "PANE.COLUMN test". A unit test that names both a pane and a column
# does so with what it counted itself; every pane's shares and trends have one test each.
compared() {
    tests/columns.sh -l "$program" | awk 'NF == 2 { print $1 "." $2, "columns.sh" }'
    sed -n 's/^ *shown \([a-z]*\) \([a-z$]*\) .*/\1.\2 sums.sh/p' tests/sums.sh
    sed -n 's/^ *{"\([a-z_]*\)", "\([a-z_ ]*\)", "\([a-z_ ]*\)",.*/\1 \2 \3/p' tests/typed.h |
        awk '{ for (i = 2; i <= NF; i++) print $1 "." $i, "typed" }'
    sed -n 's/^shown="\(.*\)"$/\1/p' tests/spans.sh | tr ' ' '\n' | sed 's/.*/spans.& spans.sh/'
    for f in tests/unit/*.c tests/live/*.c; do
        grep -o '"[^"]*"' "$f" | tr -d '"' | tr ' ,' '\n\n' | sort -u | awk -v test="$(basename "$f" .c)" '
            FILENAME != "-" { pane[$1]; column[$2]; next }
            $1 in pane { panes[$1] }
            $1 in column { columns[$1] }
            END { for (p in panes) for (c in columns) print p "." c, test }' "$work/known" -
    done
    awk '$2 == "share" { print $1 ".share test_about" } $2 == "trend" { print $1 ".trend test_trend" }' "$work/known"
}

# Columns that are shown and sorted by, but whose value no test counts a second time.
unmatched='processes.service cpu.cpu_percent cpu.preempt cpu.mig cpu.prio cpu.quantum cpu.ideal cpu.cstate
disk.depth disk.priority disk.seq diskfiles.seq diskfiles.p50 diskfiles.p90 files.disk_share
network.proto network.age network.dir network.mss registry.p99 registry.status registry.avg registry.max
registry.not_found registry.partial memory.soft interrupts.avg interrupts.p99 interrupts.last calls.avg calls.p99
callers.status images.loaded images.unloaded events.level events.opcode events.keyword events.activity
rates.provider rates.event rates.size rates.opcode rates.version rates.guid fileusers.disk_share fileusers.status
fileusers.file changes.pane changes.delta changes.times changes.unit retransmits.conns slow_io.size_min slow_io.size_max
files.avg files.p50 opens.last slow_io.avg slow_io.max wakers.waker wakers.threads wakers.wait_avg wakers.wait_max wakers.wait_p99 wakers.woken
waits.waker'

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
given | sort -u >"$work/given"
filtered | sort -u >"$work/filtered"
# (Suspending takes a shell with job control: it is tried by hand.)
"$program" keys | awk -F '\t' 'NR > 1 && $1 != "suspend" { print $1 " (" $2 ")\t" $1 }' >"$work/keys"
# (.NAME stands for the names of all fields of payloads: tests/unit/test_filter_fields.c.)
"$program" fields | awk -F '\t' '$1 == "filter" && $2 != ".NAME" { print $2 "\t" $2 }' >"$work/fields"

# table TESTED WANTED WHAT: a row of WANTED is covered when one of its words is tested.
table() {
    awk -v what="$3" -v all="$all" '
        is_tested { tests[$1] = tests[$1] (tests[$1] ? " " : "") $2; next }
        {
            split($0, part, "\t")
            n = split(part[2], word, " ")
            found = ""
            for (i = 1; i <= n && found == ""; i++)
                if (word[i] in tests) { split(tests[word[i]], first, " "); found = word[i] ": " first[1] }
            if (found == "") { print what " " part[1] ": in no test"; bad = 1 }
            else if (all) print what "\t" part[1] "\t" found
        }
        END { exit bad }' is_tested=1 "$1" is_tested=0 "$2"
}

"$program" fields | awk -F '\t' 'NR > 1 && $1 != "filter" { print $1, $2 }' >"$work/known"
compared | sort -u >"$work/compared"
awk '{ print $1 "." $2 "\t" $1 "." $2 }' "$work/known" >"$work/columns"
for c in $unmatched; do echo "$c nowhere"; done >"$work/unmatched"
sort -u "$work/compared" "$work/unmatched" >"$work/told"

status=0
table "$work/told" "$work/columns" column || status=1
table "$work/given" "$work/keys" command || status=1
table "$work/filtered" "$work/fields" field || status=1
left=$(awk 'NR == FNR { in_test[$1]; next } !($1 in in_test)' "$work/compared" "$work/unmatched" | wc -l)
[ $status -eq 0 ] && echo "$(wc -l <"$work/keys") commands of keys and $(wc -l <"$work/fields") fields, each in a test; of" \
    "$(wc -l <"$work/columns") columns all but $left are compared with a second count"
exit $status
