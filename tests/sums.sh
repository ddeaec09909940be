#!/bin/sh
# Counts real traces a second time, with a few lines of awk over the lines that
# `tracetop dump` prints, and compares what `tracetop top` shows: disk bytes, hard
# faults and samples by process, network bytes by process and remote end, events by kind;
# names and samples also with the list beside the trace.
#
# usage: tests/sums.sh PROGRAM (from the root)
set -u
program=$1
traces=../shared/etl
[ -d "$traces" ] || {
    echo "skipped: real traces are not here ($traces)"
    echo "[  SKIPPED ] 1 test(s)"
    exit 0
}
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
passed=0 failed=0

# same WHAT FILE FILE: lines "key<TAB>amount", added up by key; what is zero is not there.
# Rates have three decimals, and the time they are multiplied by has 100 ns.
same() {
    awk -F'\t' '
        FILENAME == ARGV[1] { counted[$1] += $2; next }
        { shown[$1] += $2 }
        END {
            for (k in counted) all[k]
            for (k in shown) all[k]
            for (k in all) {
                off = shown[k] - counted[k]
                if (off < 0) off = -off
                if (off > 0.5 + counted[k] / 1e7) {
                    printf "  %s: %.3f shown, %.0f counted\n", k, shown[k], counted[k]
                    wrong++
                }
                rows += counted[k] > 0
            }
            printf "  %d rows\n", rows
            exit wrong > 0 || !rows
        }' "$2" "$3" >"$room/said"
    if [ $? -eq 0 ]; then
        passed=$((passed + 1)) && echo "$1: same,$(cat "$room/said")"
    else
        failed=$((failed + 1)) && echo "$1: DIFFERS" && head -20 "$room/said"
    fi
}

# shown PANE COLUMN FACTOR KEYS [FILTER]: sums of the column by the columns KEYS, as same() wants
# them.
shown() {
    "$program" top "$1" "$file" ${5:+"$5"} -q -O tsv -k "$4,$2" | awk -F'\t' -v factor="$3" '
        NR > 1 {
            key = $1 == "" ? "none" : $1
            for (i = 2; i < NF; i++) key = key " " $i
            printf "%s\t%.3f\n", key, $NF * factor
        }'
}

# The last one lists what runs at its end only. Who ended before a trace, but is not quite
# gone yet, is in the traces and not in the lists.
for name in perfview-win7-PerfViewData perfview-net.4.5.2.x64 etwanalyzer-TraceLoggingTester; do
    file=$traces/$name.etl.zst
    "$program" dump "$file" -O jsonl | awk -v room="$room" '
        function field(name) { # its value, without quotes
            if (!match($0, "\"" name "\":(\"[^\"]*\"|[0-9]+)")) return ""
            text = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
            gsub(/"/, "", text)
            return text
        }
        function add(what, key, amount) { print key "\t" amount > (room "/" what) }
        function end(address, port) { return (address ~ /:/ ? "[" address "]" : address) ":" port }
        BEGIN {
            for (w = split("kinds read write network faults samples large first near disk operations bytes packets moves moved faulted", all); w; w--)
                printf "" > (room "/" all[w])
        }
        {
            split(substr(field("time"), 12, 16), at, ":")
            now = at[1] * 3600 + at[2] * 60 + at[3]
            if (NR == 1) first = now
            event = field("event")
            pid = field("pid")
            if (pid == "") pid = "none"
        }
        {
            kind = field("provider") " " field("id") " " field("opcode") " " field("version")
            add("kinds", kind, 1)
        }
        event == "DiskIo/Read" { add("read", pid, field("TransferSize")) }
        event == "DiskIo/Write" { add("write", pid, field("TransferSize")) }
        event ~ /^DiskIo\/(Read|Write)$/ && field("TransferSize") + 0 >= 16384 { add("large", pid, 1) }
        event == "PerfInfo/SampleProf" && field("cpu") == 0 { add("first", pid, 1) }
        event ~ /^DiskIo/ { add("disk", kind, 1) }
        event ~ /^DiskIo\/(Read|Write|FlushBuffers)$/ { add("operations", pid, 1) }
        event ~ /^DiskIo\/(Read|Write)$/ {
            add("bytes", pid, field("TransferSize"))
            add("moves", pid, 1)
            add("moved", pid, field("TransferSize"))
        }
        event == "PageFault/HardFault" { add("faulted", pid, field("ByteCount")) }
        event == "PageFault/HardFault" { add("faults", pid, 1) }
        event == "PerfInfo/SampleProf" { add("samples", pid, 1) }
        event ~ /^(Tcp|Udp)Ip\/(Send|Recv)/ {
            add("packets", pid, 1)
            add("moves", pid, 1)
            add("moved", pid, field("size"))
            far = event ~ /^UdpIp\/Recv/ ? "s" : "d"
            add("network", pid " " end(field(far "addr"), field(far "port")), field("size"))
            if (field(far "addr") ~ /^10\./ && pid != 4)
                add("near", pid " " end(field(far "addr"), field(far "port")), field("size"))
        }
        END { printf "%.7f\n", now - first > (room "/seconds") }'
    seconds=$(cat "$room/seconds")
    echo "$name: $seconds s"
    "$program" top rates "$file" -q -O tsv -k guid,id,opcode,version,count |
        awk -F'\t' 'NR > 1 { print $1 " " $2 " " $3 " " $4 "\t" $5 }' >"$room/shown"
    same "events by kind" "$room/kinds" "$room/shown"
    awk -F'\t' '/^[0-9]/ && $1 < 4294967295 && $1 && $2 != "" { print $1 " " $2 "\t1" }' \
        "$traces/$name.procs.tsv" >"$room/listed"
    "$program" top processes "$file" -q -O tsv -k pid,name |
        awk -F'\t' '
            FILENAME != "-" { split($1, id, " "); listed[id[1]]; next }
            $1 in listed && !once[$0]++ { print $1 " " $2 "\t1" }' "$room/listed" - >"$room/shown"
    same "names of processes, as listed" "$room/listed" "$room/shown"
    [ "$name" = etwanalyzer-TraceLoggingTester ] && continue # it has none of the rest
    for what in read write; do
        shown disk $what "$seconds" pid >"$room/shown"
        same "disk bytes of $what by process" "$room/$what" "$room/shown"
    done
    cat "$room/read" "$room/write" | awk -F'\t' '{ sum += $2 } END { printf "all\t%.0f\n", sum }' >"$room/counted"
    shown files disk "$seconds" path | awk -F'\t' '{ sum += $2 } END { printf "all\t%.3f\n", sum }' >"$room/shown"
    same "disk bytes of all files" "$room/counted" "$room/shown"
    shown network bytes 1 pid,raddr | sed 's/ *$//' >"$room/shown"
    same "network bytes by process and remote end" "$room/network" "$room/shown"
    shown network bytes 1 pid,raddr 'raddr=10.0.0.0/8 !pid=4' | sed 's/ *$//' >"$room/shown"
    same "filtered: network bytes of a net" "$room/near" "$room/shown"
    shown disk ops 1 pid 'size>=16K op=read,write' >"$room/shown"
    same "filtered: large disk operations by process" "$room/large" "$room/shown"
    shown cpu samples 1 pid cpu=0 >"$room/shown"
    same "filtered: samples of the first processor" "$room/first" "$room/shown"
    "$program" top rates "$file" 'provider~/^DiskIo$/' -q -O tsv -k guid,id,opcode,version,count |
        awk -F'\t' 'NR > 1 { print $1 " " $2 " " $3 " " $4 "\t" $5 }' >"$room/shown"
    same "filtered: events of a provider" "$room/disk" "$room/shown"
    shown memory hard "$seconds" pid >"$room/shown"
    same "hard faults by process" "$room/faults" "$room/shown"
    shown processes samples 1 pid >"$room/shown"
    same "samples by process" "$room/samples" "$room/shown"
    awk -F'\t' '/^-?[0-9]/ { print ($1 < 0 ? "none" : $1) "\t" $4 }' \
        "$traces/$name.procs.tsv" >"$room/listed"
    same "samples by process, as listed" "$room/listed" "$room/shown"
    # Sums beside the rates, which need no time to be compared.
    while read -r what pane column; do
        shown "$pane" "$column" 1 pid >"$room/shown"
        same "$pane: $column" "$room/$what" "$room/shown"
    done <<END
operations disk ops
bytes disk sum_bytes
packets network sum_ops
moves processes sum_ops
moved processes sum_bytes
faults memory sum_ops
faulted memory sum_bytes
END
    shown processes sum_time 0.000001 pid >"$room/shown" # a millisecond each
    same "processes: sum_time" "$room/samples" "$room/shown"
    # And what \`a' shows on the screen.
    printf '3\nwait\na\nwait\n' >"$room/keys"
    "$program" "$file" --headless --size 200x60 --keys "$room/keys" --dump | awk '
        { gsub(/▼/, "v"); gsub(/[▸▐]/, " ") }
        / DISK / { at = index($0, " OPS ") + 3 }
        at > 3 && $1 == "total" { cell = substr($0, 1, at); sub(/.* /, "", cell); shown = cell }
        END { print "all\t" shown }' >"$room/shown"
    awk -F'\t' '{ sum += $2 } END { print "all\t" (sum < 10000 ? sum : sprintf(sum < 100000 ? "%.1fk" : "%.0fk", sum / 1000)) }' \
        "$room/operations" >"$room/counted"
    if cmp -s "$room/shown" "$room/counted"; then
        passed=$((passed + 1)) && echo "disk, OPS on the screen: same"
    else
        failed=$((failed + 1)) && echo "disk, OPS on the screen: DIFFERS" && cat "$room/shown" "$room/counted"
    fi
done

# The provider Kernel-File has a keyword for each operation, and this trace those of opens: what was read is unknown,
# not zero. The other one has no processor times: rows are in the order of their events.
"$program" top files "$traces/perfview-net.4.5.2.x64.etl.zst" -q -O tsv -k opens,read |
    awk -F'\t' 'NR > 1 { known["opens"] += $1 != ""; known["read"] += $2 != "" }
        END { print "opens\t" (known["opens"] > 0); print "read\t" known["read"] + 0 }' >"$room/shown"
printf 'opens\t1\nread\t0\n' >"$room/counted"
same "files: what is known" "$room/counted" "$room/shown"
printf 'wait\n' >"$room/keys"
"$program" "$traces/gpuvis-wintracecmd.etl.zst" --headless --size 120x40 --keys "$room/keys" --dump |
    awk '/sort: EVT/ { found = 1 } END { print "sorted\t" found + 0 }' >"$room/shown"
printf 'sorted\t1\n' >"$room/counted"
same "processes without processor times" "$room/counted" "$room/shown"

# Of each trace with samples and a list of its processes: percentages of the sampled time, which is
# all samples, idle ones included.
sampled=0
for list in "$traces"/*.procs.tsv; do
    file=${list%.procs.tsv}.etl
    [ -f "$file" ] || file=$file.zst
    awk -F'\t' '/^-?[0-9]/ { print ($1 < 0 ? "none" : $1) "\t" $4 }' "$list" >"$room/listed"
    all=$(awk -F'\t' '{ sum += $2 } END { print sum + 0 }' "$room/listed")
    [ "$all" -gt 0 ] || continue
    sampled=$((sampled + 1))
    shown processes cpu "$(awk "BEGIN { print $all / 100 }")" pid >"$room/shown"
    same "$(basename "$file"): CPU% by process, as listed" "$room/listed" "$room/shown"
done
[ $sampled -gt 0 ] || { failed=$((failed + 1)) && echo "no list of processes has samples"; }
echo "[  PASSED  ] $passed test(s)"
[ $failed -eq 0 ] || echo "[  FAILED  ] $failed test(s)"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
