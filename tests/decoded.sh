#!/bin/sh
# The share of decoded events, per provider and in all, over real traces; then the kinds that are not, and why.
# An event counts as decoded when `tracetop dump` shows fields, no unknown type and no trailing bytes, and what it holds
# is no block of bytes for another program. Fails where a kind has no reason below, and over the traces of the default
# where less than 99.5 % is decoded.
#
# usage: tests/decoded.sh [TRACETOP [FILE.etl...]]   (default: the release build, ../shared/etl/*.etl*)
set -u
cd "$(dirname "$0")/.." || exit 1
program=${1:-build/release-gcc/tracetop}
[ $# -gt 0 ] && shift
least=0
[ $# -gt 0 ] || { least=99.5 && set -- ../shared/etl/*.etl*; }
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
done | LC_ALL=C awk -v least=$least '
    BEGIN {
        why["933f3bb3-943e-490d-9ced-3cbb14c14479"] = "records of a performance counter log: no manifest describes them"
        why["763fd754-7086-4dfe-95eb-c01a46faf4ca 4 2"] = "the manifest of .NET names no fields of this version"
        why["a8a71ac1-040f-54a2-07ca-00a89b5ab761 13 0"] = "PerfView writes four bytes more than its manifest says"
        opaque["bbccf6c1-6cd1-48c4-80ff-839482e37671"] = "layouts of other events: used for these, and shown as bytes"
        opaque["ed54dff8-c409-4cf6-bf83-05e1e61a09c4"] = "XML of a system rating, compressed: shown as bytes"
        for (provider in opaque)
            why[provider] = opaque[provider]
    }
    # The first occurrence of a key is the line'\''s own: texts of the trace come behind it, with quotes escaped.
    function text_of(key,   at, rest) {
        at = index($0, "\"" key "\":\"")
        if (!at)
            return ""
        rest = substr($0, at + length(key) + 4)
        return substr(rest, 1, index(rest, "\"") - 1)
    }
    function number_of(key,   at) {
        at = index($0, "\"" key "\":")
        return substr($0, at + length(key) + 3) + 0
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
        if (!(provider in opaque) && index($0, "\"data\":{") && !index($0, "\"unknown type ") && !index($0, "},\"rest\":\"")) {
            decoded[provider]++
            sum_decoded++
            next
        }
        kind = provider " " number_of("id") " " number_of("version")
        left[kind]++
        reasons[kind] = kind in why ? why[kind] : provider in why ? why[provider] : "no reason is known"
        unexplained += reasons[kind] == "no reason is known"
    }
    END {
        for (provider in all)
            printf "%9d of %9d  %6.2f %%  %s %s\n", decoded[provider], all[provider],
                   100 * decoded[provider] / all[provider], provider, names[provider] | "sort -k3,3nr"
        close("sort -k3,3nr")
        printf "%9d of %9d  %6.2f %%  all\n", sum_decoded, sum, sum ? 100 * sum_decoded / sum : 0
        print "not decoded: events, provider, id, version"
        for (kind in left)
            printf "%9d  %s: %s\n", left[kind], kind, reasons[kind] | "sort -k1,1nr"
        close("sort -k1,1nr")
        exit unexplained > 0 || 100 * sum_decoded < least * sum
    }'
