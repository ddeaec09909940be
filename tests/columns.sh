#!/bin/sh
# Counts a recording of the demo a second time, with a few lines of awk over the lines that
# `tracetop dump` prints: how often, how many bytes, and how long (mean, percentiles, maximum), by
# pane and column; and compares what `tracetop top` shows.
#
# usage: tests/columns.sh PROGRAM      (-l PROGRAM: only lists "pane column" of what is compared)
set -u

# What adds up: pane, column, factor, kinds of events that count (by name, as an expression), and
# what of them ("1" or a field).
sums() {
    cat <<'EOF'
processes csw s ^Thread\/CSwitch$ 1
processes hard_faults s ^PageFault\/HardFault$ 1
processes calls s ^PerfInfo\/SysClEnter$ 1
processes samples 1 ^PerfInfo\/SampleProf$ Count
processes disk_read s ^DiskIo\/Read$ TransferSize
processes disk_write s ^DiskIo\/Write$ TransferSize
processes net_recv s ^(Tcp|Udp)Ip\/Recv size
processes net_send s ^(Tcp|Udp)Ip\/Send size
cpu csw s ^Thread\/CSwitch$ 1
cpu wakes s ^Thread\/ReadyThread$ 1
cpu samples 1 ^PerfInfo\/SampleProf$ Count
disk reads s ^DiskIo\/Read$ 1
disk writes s ^DiskIo\/Write$ 1
disk flushes s ^DiskIo\/FlushBuffers$ 1
disk read s ^DiskIo\/Read$ TransferSize
disk write s ^DiskIo\/Write$ TransferSize
disk total s ^DiskIo\/(Read|Write)$ TransferSize
disk ops 1 ^DiskIo\/(Read|Write|FlushBuffers)$ 1
disk slow s ^DiskIo\/(Read|Write|FlushBuffers)$ slow
diskfiles reads s ^DiskIo\/Read$ 1
diskfiles writes s ^DiskIo\/Write$ 1
diskfiles flushes s ^DiskIo\/FlushBuffers$ 1
diskfiles total s ^DiskIo\/(Read|Write)$ TransferSize
diskfiles slow s ^DiskIo\/(Read|Write|FlushBuffers)$ slow
slow_io ops 1 ^DiskIo\/(Read|Write|FlushBuffers)$ slow
slow_io moved 1 ^DiskIo\/(Read|Write)$ slowbytes
slow_io time 1 ^DiskIo\/(Read|Write|FlushBuffers)$ slowtime
files opens s ^FileIo\/Create$ 1
files read s ^FileIo\/Read$ IoSize
files write s ^FileIo\/Write$ IoSize
files renames s ^FileIo\/Rename$ 1
files enums s ^FileIo\/DirEnum$ 1
opens opens s ^FileIo\/Create$ 1
opens count 1 ^FileIo\/Create$ 1
network recv s ^(Tcp|Udp)Ip\/Recv size
network send s ^(Tcp|Udp)Ip\/Send size
network total s ^(Tcp|Udp)Ip\/(Send|Recv) size
network bytes 1 ^(Tcp|Udp)Ip\/(Send|Recv) size
network packets s ^(Tcp|Udp)Ip\/(Send|Recv) 1
network retr s ^TcpIp\/Retransmit 1
network connects s ^TcpIp\/(Connect|Accept) 1
retransmits retr s ^TcpIp\/Retransmit 1
retransmits count 1 ^TcpIp\/Retransmit 1
retransmits sum_ops 1 ^TcpIp\/Retransmit 1
retransmits sent 1 ^TcpIp\/Retransmit size
registry queries s ^Registry\/(Query|QueryValue)$ 1
registry sets s ^Registry\/SetValue$ 1
registry enums s ^Registry\/EnumerateKey$ 1
registry opens s ^Registry\/(Open|Create)$ 1
registry deletes s ^Registry\/Delete 1
memory hard s ^PageFault\/HardFault$ 1
memory hard_bytes s ^PageFault\/HardFault$ ByteCount
memory zero s ^PageFault\/DemandZeroFault$ 1
memory transition s ^PageFault\/TransitionFault$ 1
memory copy s ^PageFault\/CopyOnWrite$ 1
memory guard s ^PageFault\/GuardPageFault$ 1
memory violation s ^PageFault\/AccessViolation$ 1
memory images s ^Image\/Load$ 1
interrupts count s ^PerfInfo\/(DPC|ThreadedDPC|TimerDPC|ISR|ISR-MSI)$ 1
interrupts time s ^PerfInfo\/(DPC|ThreadedDPC|TimerDPC|ISR|ISR-MSI)$ lat
calls calls s ^PerfInfo\/SysClEnter$ 1
calls returns s ^PerfInfo\/SysClExit$ 1
callers calls s ^PerfInfo\/SysClEnter$ 1
rates count 1 . 1
rates rate s . 1
wakers wakes s ^Thread\/ReadyThread$ 1
wakers sum_ops 1 ^Thread\/ReadyThread$ 1
EOF
}

# What takes time: pane, columns of the row's key, and which of the durations below.
durations() {
    cat <<'EOF'
disk disk,pid disk
memory pid memory
callers pid callers
fileusers pid files
cpu tid ready ready_
cpu tid wait wait_
waits reason,name call wait_
faults address,kind fault
EOF
}

# Panes whose rows have a disk's number and its device's name.
named_disks() { printf '%s\n' disk diskfiles; }

# The names of a pane's columns that tell of times, with what stands before them.
names() {
    "$1" fields "$2" | awk -F'\t' -v before="${3:-}" '
        $2 ~ "^" before "(avg|p50|p90|p99|max)$" { printf "%s%s", n++ ? "," : "", $2 }'
}

if [ "$1" = -l ]; then
    sums | cut -d' ' -f1,2
    durations | while read -r pane keys what before; do
        { names "$2" "$pane" "$before"; echo ",$keys"; } | tr , '\n' | sed "s/^/$pane /"
        echo
    done
    named_disks | sed 's/$/ device/'
    exit
fi
program=$1
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
file=$room/demo.etl
"$program" record --source demo --seed 5 --rate 0 --events 61000 -q -o "$file" || exit 1
sums >"$room/sums"

# Every sum, and every duration with its key: "what<TAB>key<TAB>ns".
"$program" dump "$file" -O jsonl | awk -v room="$room" '
    function field(name) {
        if (!match($0, "\"" name "\":(\"[^\"]*\"|-?[0-9]+)")) return ""
        text = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
        gsub(/"/, "", text)
        return text
    }
    function named(name) { # what a number of the event means
        if (!match($0, /"names":.*/)) return ""
        text = substr($0, RSTART)
        if (!match(text, "\"" name "\":\"[^\"]*\"")) return ""
        return substr(text, RSTART + length(name) + 4, RLENGTH - length(name) - 5)
    }
    function took(what, key, ticks) { printf "%s\t%s\t%.0f\n", what, key, ticks * 100 > (room "/times") }
    BEGIN {
        while ((getline line < (room "/sums")) > 0) {
            split(line, part, " ")
            rows++; row[rows] = line; kinds[rows] = part[4]; what[rows] = part[5]
        }
    }
    {
        event = field("event"); ts = field("ts"); pid = field("pid"); tid = field("tid")
        if (event == "") event = "?" # (records without a name)
        lat = field("InitialTime") == "" ? 0 : ts - field("InitialTime")
        service = field("HighResResponseTime")
    }
    event ~ /^DiskIo\/(Read|Write|FlushBuffers)$/ { took("disk", field("DiskNumber") " " pid, service) }
    event == "PageFault/HardFault" { took("memory", pid, lat); took("fault", field("VirtualAddress") " hard", lat) }
    event == "PerfInfo/SysClEnter" { entered[tid] = ts }
    event == "PerfInfo/SysClExit" && tid in entered { took("callers", pid, ts - entered[tid]); delete entered[tid] }
    event ~ /^FileIo\// && event != "FileIo/OperationEnd" { asked[field("IrpPtr")] = ts; by[field("IrpPtr")] = pid }
    event == "FileIo/OperationEnd" && field("IrpPtr") in asked {
        took("files", by[field("IrpPtr")], ts - asked[field("IrpPtr")]); delete asked[field("IrpPtr")]
    }
    event == "Thread/ReadyThread" {
        t = field("TThreadId")
        if (!(t in readied)) {
            readied[t] = ts
            if (t in left) took("wait", t, ts - left[t])
            if (t in left && t in name_of) took("call", reason[t] " " name_of[t], ts - left[t])
        }
        delete left[t]
    }
    event == "Thread/CSwitch" { # a stay counts when it ends, with how long it had stood ready
        cpu = field("cpu"); o = field("OldThreadId"); t = field("NewThreadId")
        if (o != 0 && (cpu in stood) && who[cpu] == o) took("ready", o, stood[cpu])
        delete stood[cpu]; who[cpu] = t
        if (o != 0) { if (field("OldThreadState") == 5) left[o] = ts; else readied[o] = ts }
        reason[o] = named("OldThreadWaitReason")
        name_of[t] = field("proc")
        if (t in readied) stood[cpu] = ts - readied[t]
        delete readied[t]; delete left[t]
    }
    {
        if (!(event in of)) { # rows by kind, once each
            of[event] = " "
            for (i = 1; i <= rows; i++) if (event ~ kinds[i]) of[event] = of[event] i " "
        }
        n = split(of[event], mine, " ")
        for (k = 1; k <= n; k++) {
            i = mine[k]; w = what[i]; slow = service * 100 >= 10000000
            amount[i] += w == "1" ? 1 : w == "lat" ? lat * 100 : w == "slow" ? slow : \
                         w == "slowbytes" ? slow * field("TransferSize") : \
                         w == "slowtime" ? slow * service * 100 : field(w)
            if (!(i in from)) from[i] = ts
            until[i] = ts
        }
    }
    END { for (i = 1; i <= rows; i++) printf "%s\t%.0f\t%.9f\n", row[i], amount[i], (until[i] - from[i]) / 1e7 }' >"$room/counted"

# Seconds that rates were divided by: of the events, whose number is told, too.
seconds=$("$program" top rates "$file" -q -O tsv -k count,rate | awk -F'\t' 'NR > 1 { n += $1; r += $2 } END { printf "%.9f", n / r }')
wrong=0 compared=0
while IFS='	' read -r row counted span; do
    set -- $row
    shown=$("$program" top "$1" "$file" -q -O tsv -k "$2" | awk -F'\t' 'NR > 1 { n += $1 } END { printf "%.3f", n }')
    compared=$((compared + 1))
    # Rates have three decimals: of many rows, the last digits are lost. They are divided by the time
    # during which the class was recorded: from its first to its last event at least, at most all.
    [ "$3" = s ] && parts=500 || parts=10000
    [ "$3" = s ] && times="$span $seconds" || times="1 1"
    awk -v a="$shown" -v b="$counted" -v parts=$parts -v times="$times" 'BEGIN {
        split(times, t, " ")
        exit a * t[1] > b + 1 + b / parts || a * t[2] < b - 1 - b / parts }' ||
        { echo "$1.$2: $shown (x $times s) shown, $counted counted"; wrong=$((wrong + 1)); }
done <"$room/counted"

durations >"$room/wanted"
while read -r pane keys what before; do
    columns=$(names "$program" "$pane" "$before")
    compared=$((compared + 1))
    awk -F'\t' -v what="$what" '$1 == what { print $2 "\t" $3 }' "$room/times" | sort -k1,1 -k2,2n -t'	' >"$room/sorted"
    "$program" top "$pane" "$file" -q -O tsv -k "$keys,$columns" | awk -F'\t' -v pane="$pane" -v keys="$keys" -v columns="$columns" '
        function at(key, share) { k = int(n[key] * share); if (k < n[key] * share) k++; return value[key, k < 1 ? 1 : k] }
        function check(key, name, shown, counted, above) {
            rows++
            if (shown < counted - 100 || shown > counted * above + 100) {
                printf "%s.%s of %s: %.0f shown, %.0f counted\n", pane, name, key, shown, counted; wrong++ }
        }
        FILENAME != "-" { value[$1, ++n[$1]] = $2; sum[$1] += $2; next }
        FNR == 1 { parts = split(keys, x, ","); names = split(columns, name, ","); next }
        {
            key = $1
            for (i = 2; i <= parts; i++) key = key " " $i
            lives[key]++ # ids are used again: such rows cannot be told apart here
            line[FNR] = $0; key_of[FNR] = key
        }
        END {
            for (l = 2; l <= FNR; l++) {
                key = key_of[l]
                if (!(key in n) || lives[key] > 1) continue
                split(line[l], cell, "\t")
                for (i = 1; i <= names; i++) {
                    c = name[i]; v = cell[parts + i]
                    # A step of a histogram is an eighth.
                    sub(/.*_/, "", c)
                    if (c == "avg") check(key, name[i], v, sum[key] / n[key], 1)
                    else if (c == "max") check(key, name[i], v, value[key, n[key]], 1)
                    else check(key, name[i], v, at(key, c == "p50" ? 0.5 : c == "p90" ? 0.9 : 0.99), 1.13)
                }
            }
            printf "%s by %s: %d figures of rows\n", pane, keys, rows
            exit wrong > 0 || !rows
        }' "$room/sorted" - ||
        wrong=$((wrong + 1))
done <"$room/wanted"
for pane in $(named_disks); do # those of the demo are Windows', without letters
    compared=$((compared + 1))
    "$program" top "$pane" "$file" -q -O tsv -k disk,device | awk -F'\t' -v pane="$pane" '
        NR > 1 && $2 != "PhysicalDrive" $1 { print pane ".device of disk " $1 ": " $2 " shown"; wrong++ }
        END { exit wrong > 0 || NR < 3 }' || wrong=$((wrong + 1))
done
echo "$compared sums, names and kinds of times compared over $seconds s"
[ $wrong -eq 0 ]
