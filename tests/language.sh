#!/bin/sh
# One filter language: runs filters through `tracetop dump`, which looks at one record at a time, and
# through `tracetop top rates`, which asks the model, and compares how many events of each kind match.
#
# usage: tests/language.sh PROGRAM (from the root)
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

# dumped FILE FILTER: lines "GUID id opcode version" of the events; shown: the same, and how many.
dumped() {
    "$program" dump "$1" "$2" -q -O csv -k guid,id,opcode,version | tr -d '\r' | awk '
        NR > 1 { count[$0]++ }
        END { for (kind in count) { line = kind; gsub(/,/, " ", line); print line " " count[kind] } }' | sort
}
shown() {
    "$program" top rates "$1" "$2" -q -O tsv -k guid,id,opcode,version,count | awk -F'\t' '
        NR > 1 { count[$1 " " $2 " " $3 " " $4] += $5 }
        END { for (kind in count) if (count[kind]) print kind " " count[kind] }' | sort
}

# Two seconds of the long one, with the names that they need: each filter reads all of a trace twice.
"$program" cut "$traces/perfview-net.4.5.2.x64.etl.zst" -r 2s..4s -o "$room/two-seconds.etl" 2>"$room/said" || {
    cat "$room/said"
    failed=1
}

for trace in "$room/two-seconds.etl" "$traces/msbuild-PerfViewData.etl" "$traces/sonde-test.etl.zst"; do
    name=${trace##*/}
    events=0 same=0
    while read -r filter; do
        dumped "$trace" "$filter" >"$room/dumped" 2>"$room/said"
        shown "$trace" "$filter" >"$room/shown" 2>>"$room/said"
        found=$(awk '{ sum += $5 } END { print sum + 0 }' "$room/shown")
        if ! [ -s "$room/said" ] && cmp -s "$room/dumped" "$room/shown"; then
            passed=$((passed + 1)) same=$((same + 1)) events=$((events + found))
        else
            failed=$((failed + 1))
            echo "$name: $filter: DIFFERS (< dump, > pane)"
            cat "$room/said"
            diff "$room/dumped" "$room/shown" | head -8
        fi
    done <<END
path=*
path:Object
path:system32
path~/\.dll$/
path!=C:\nothing
!path=*
key=*
key:software
pid=4
pid=0
pid!=4
pid>1000
pid=*
proc=*
proc!=System
proc=System
proc:host
proc~/^s.*e$/
!proc=*
tid=0
event=SampleProf,Read tid!=0
cpu=0
cpu>=1
provider:kernel
provider=PerfInfo,DiskIo
provider~/^Microsoft/
provider=DotNETRuntime,HttpService
event=Read,Write
event:start
event!=SampleProf
opcode=10
opcode=Start
id=10
version>=2
level<=4
level=*
task=*
keyword=*
offset>=0
va=*
value=*
newpri>8
FileName:dll
.ProcessId=4
lat>1ms
lat>100us|event:Create
class=disk op=write size>10k
size>10k
class=switch wait>5ms
status!=0
fault=hard
port=*
service:Dhcp
ppid>4 dt>100ms
class=network size>1k
(path=* | pid=4) cpu=0
path=* proc=System
proc~/^pid/
END
    echo "$name: $same filters select the same; together $events events"
done
echo "[  PASSED  ] $passed test(s)"
[ $failed -eq 0 ] || echo "[  FAILED  ] $failed test(s)"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
