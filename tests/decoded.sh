#!/bin/sh
# The share of decoded events, per provider and in all, over real traces: a figure to watch, no check.
# An event counts as decoded when `tracetop dump` shows fields, no unknown type and no trailing bytes.
#
# usage: tests/decoded.sh [TRACETOP [FILE.etl...]]   (default: the release build, ../shared/etl/*.etl*)
set -u
cd "$(dirname "$0")/.." || exit 1
program=${1:-build/release-gcc/tracetop}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- ../shared/etl/*.etl*
if [ ! -e "$1" ]; then
    echo "decoded: no traces at $1: skipped"
    exit 0
fi
if [ ! -x "$program" ]; then
    echo "decoded: $program is not there: build it (make), or name another one"
    exit 1
fi

for file in "$@"; do
    case $file in
    */derived-*) continue ;; # damaged copies of other traces
    esac
    "$program" dump "$file" -O jsonl 2>/dev/null
done | LC_ALL=C awk '
    # The first occurrence of a key is the line'\''s own: texts of the trace come behind it, with quotes escaped.
    function text_of(key,   at, rest) {
        at = index($0, "\"" key "\":\"")
        if (!at)
            return ""
        rest = substr($0, at + length(key) + 4)
        return substr(rest, 1, index(rest, "\"") - 1)
    }
    {
        provider = text_of("provider")
        event = text_of("event")
        name = event
        sub(/\/.*/, "", name)
        if (name != "")
            names[provider] = name
        all[provider]++
        sum++
        if (index($0, "\"data\":{") && !index($0, "\"unknown type ") && !index($0, "},\"rest\":\"")) {
            decoded[provider]++
            sum_decoded++
        }
    }
    END {
        for (provider in all)
            printf "%9d of %9d  %6.2f %%  %s %s\n", decoded[provider], all[provider],
                   100 * decoded[provider] / all[provider], provider, names[provider] | "sort -k3,3nr"
        close("sort -k3,3nr")
        printf "%9d of %9d  %6.2f %%  all\n", sum_decoded, sum, sum ? 100 * sum_decoded / sum : 0
    }'
