#!/bin/sh
# `tracetop providers` of real traces: its sums against the counts that independent readers made, and the fields that it
# shows of each provider against those that `tracetop dump` prints.
#
# usage: tests/providers.sh PROGRAM     (from the root)
set -u
export LC_ALL=C
program=$PWD/$1
traces=$(cd ../shared/etl 2>/dev/null && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

check() { # WHAT STATUS
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "[  FAILED  ] $1" >&2
    fi
}

of_trace() { # NAME: the file, which may be packed
    for file in "$traces/$1.etl" "$traces/$1.etl.zst"; do
        [ ! -r "$file" ] || echo "$file"
    done
}

# ---- sums: all events, and those of each provider that is no class of the kernel
for counts in "$traces"/*.counts.tsv; do
    [ -r "$counts" ] || continue
    name=$(basename "$counts" .counts.tsv)
    file=$(of_trace "$name")
    [ -n "$file" ] || continue
    "$program" providers list "$file" >"$work/list" 2>/dev/null
    awk -v counts="$counts" '
        BEGIN {
            FS = "\t"
            while ((getline < counts) > 0) {
                if ($1 == "# total_events")
                    total = $2
                if ($1 == "event")
                    expected[tolower($2)] += $6
                if ($1 == "classic")
                    classic[tolower($2)] = 1
            }
            FS = " "
        }
        NR > 1 { seen[$4] = $1; sum += $1 }
        END {
            if (sum != total)
                bad = bad " total " sum " of " total
            for (g in expected)
                if (!(g in classic) && seen[g] != expected[g])
                    bad = bad " " g " " seen[g] " of " expected[g]
            if (bad)
                print bad
            exit bad != ""
        }' "$work/list"
    check "$name: events by provider" $?
done

# ---- fields
keys() { # GUID FILE: of the payloads
    "$program" dump -O jsonl "$2" "provider=$1" 2>/dev/null | sed 's/.*"data":{/{/; s/,"names":{.*//; s/,"stack":.*//' |
        grep -o '[{,]"[A-Za-z_][A-Za-z0-9_]*":' | tr -d '{,":' | grep -vx 'raw\|rest' | sort -u
}
for name in perfview-net.4.5.2.x64 etwanalyzer-TraceLoggingTester perfview-primitive-types tx-HTTP_Server; do
    file=$(of_trace "$name")
    [ -n "$file" ] || continue
    "$program" providers list "$file" 2>/dev/null | awk 'NR > 1 && $3 { print $4 }' | head -8 >"$work/guids"
    check "$name: there are providers" "$(test -s "$work/guids"; echo $?)"
    while read -r guid; do
        keys "$guid" "$file" >"$work/keys"
        "$program" providers show "$guid" "$file" 2>/dev/null | sed -n 's/^     *[A-Z(][A-Za-z0-9)]* *\([^ []*\).*/\1/p' |
            sort -u >"$work/fields"
        comm -23 "$work/keys" "$work/fields" >"$work/missing"
        [ ! -s "$work/missing" ] || head -5 "$work/missing" >&2
        check "$name: fields of $guid" "$(test ! -s "$work/missing"; echo $?)"
    done <"$work/guids"
done

# ---- one provider in full, by its short name
file=$(of_trace perfview-net.4.5.2.x64)
if [ -n "$file" ]; then
    "$program" providers show dns-client "$file" >"$work/out"
    cat >"$work/expected" <<'EOF'
Microsoft-Windows-DNS-Client {1c95126e-7eea-49a9-a3fe-a378b03ddb4d}: 4 events of 1 kind

DnsServerForInterface: event 1001, version 0, level Information, task DnsServerForInterface, opcode Info, channel Microsoft-Windows-DNS-Client/Operational
    4 events, fields: trace
    keywords: Microsoft-Windows-DNS-Client/Operational
    UnicodeString     Interface
    UInt32            TotalServerCount
    UInt32            Index
    UInt8             DynamicAddress  0 static, 1 dynamic
    UInt32            AddressLength
    Binary            Address[AddressLength]
EOF
    diff "$work/expected" "$work/out" >&2
    check "a provider in full" $?
    "$program" providers search dynamicaddress "$file" | awk 'NR > 1 { print $5 }' >"$work/out"
    check "search finds fields" "$(grep -qx Microsoft-Windows-DNS-Client "$work/out"; echo $?)"
    check "and nothing else" "$(test "$(wc -l <"$work/out")" = 1; echo $?)"
    "$program" providers show no-such "$file" 2>"$work/err"
    check "a provider that is not there: its status" "$(test $? = 1; echo $?)"
    check "and a sentence" "$(grep -q "no events of a provider 'no-such' are there" "$work/err"; echo $?)"
    "$program" providers enable x "$file" 2>"$work/err"
    check "nothing is enabled in a trace" "$(test $? = 2; echo $?)"
else
    echo "../shared/etl is not here: skipped"
    [ "${TRACETOP_REQUIRE_SHARED:-}" = 1 ] && failed=1
fi
echo "providers: $passed checks hold, $failed do not"
[ $failed = 0 ] || { echo "[  FAILED  ] 1 test(s)"; exit 1; }
echo "[  PASSED  ] 1 test(s)"
