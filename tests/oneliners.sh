#!/bin/sh
# The lines of `tracetop manual oneliners` answer: each is run over a recording of the demo, with rows.
#
# usage: tests/oneliners.sh PROGRAM [RECORDING] (from the root)
set -u
program=$(realpath "$1")
data=$(realpath tests/data/linux.etl.zst)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

wrong() {
    echo "oneliners: $*"
    status=1
}

"$program" manual oneliners >"$work/page" || exit 1
sed -n 's/^        tracetop \(.*x\.etl.*\)$/\1/p' "$work/page" >"$work/lines"
sed -n '/^TEN TOOLS/,/^DISKS/s/^        [a-z0-9]*  *\(.*\)$/\1 x.etl/p' "$work/page" >"$work/tools"
[ "$(wc -l <"$work/tools")" -eq 10 ] || wrong "$(wc -l <"$work/tools") tools of bcc, 10 expected"
[ "$(wc -l <"$work/lines")" -ge 40 ] || wrong "$(wc -l <"$work/lines") lines, at least 40 expected"
[ "$(grep -c '^        # ' "$work/page")" -ge 40 ] || wrong "lines of other tracers are missing"
if [ $# -gt 1 ]; then
    cp "$2" "$work/x.etl"
else
    "$program" record --source demo --events 120000 --rate 0 --seed 7 -q -o "$work/x.etl" || exit 1
fi
cd "$work" || exit 1
while read -r line; do
    rows=1 # below the head
    case $line in dump* | stacks*) rows=0 ;; esac
    eval "'$program' $line" >out 2>err || wrong "tracetop $line: $(head -1 err)"
    [ "$(wc -l <out)" -gt "$rows" ] || wrong "tracetop $line has no row: $(head -1 err)"
done <<LINES
$(cat tools lines)
LINES

# The section of DTrace's aggregations shows what its lines print of the recording in tests/data.
sed -n '/^AGGREGATIONS/,/^TEN TOOLS/s/^        //p' page >section
cp "$data" x.etl.zst
while read -r line; do
    printf '%s\n' "$line"
    eval "'$program' ${line#tracetop } -q" </dev/null
done >printed 2>&1 <<LINES
$(sed -n '/^tracetop /s/x\.etl$/x.etl.zst/p' section)
LINES
for aggregate in count sum avg min max stddev quantize lquantize; do
    grep -q "^tracetop .*[ ,]$aggregate\b" section || wrong "no line for $aggregate()"
done
sed '/^tracetop /s/x\.etl$/x.etl.zst/' section >expected
diff -B -u expected printed || wrong "the section AGGREGATIONS is not what its lines print"

# The line of the page behind "# $1: …" gives in all what awk makes of the records.
recount() {
    line=$(sed -n "/^        # $1[:,]/{n;s/^        tracetop //p;}" page)
    sum=$(eval "'$program' $line $2" 2>err | tr '[,]' '\n' | awk "$3")
    records=$(eval "'$program' dump x.etl $4" 2>>err | awk -F, "$5")
    [ -n "$sum" ] && [ "$sum" = "$records" ] && [ "$sum" != 0 ] ||
        wrong "$1: $line has '$sum' in all, the records '$records': $(head -1 err)"
}
if [ $# -eq 1 ]; then
    column='NR > 1 { s += $1 } END { printf "%d", s }'
    rows='END { printf "%d", NR - 1 }'
    ends='class=disk event=Read,Write,FlushBuffers'
    recount filetop '-q -O tsv -k sum_size' "$column" '-O csv -k IoSize class=file op=read,write' "$column"
    recount biotop '-q -O tsv -k sum_size' "$column" "-O csv -k TransferSize $ends" "$column"
    recount biotop '-q -O tsv -k count' "$column" "-O csv -k event $ends" "$rows"
    recount biolatency '-q -O jsonl' '/"count":/ { gsub(/[^0-9]/, ""); s += $0 } END { printf "%d", s }' \
        "-O csv -k event $ends" "$rows"
    recount syscount '-q -O tsv -k count' "$column" '-O csv -k event event=SysClExit' "$rows"
fi
[ $status -ne 0 ] || echo "oneliners: $(wc -l <lines) lines and ten tools, each with rows; five sums are those of the records"
exit $status
