/* The command line as a shell sees it: what the built program prints where, and how it
 * ends. A row is a shell line, in which $T is the program, $S the folder of real traces
 * and $D an empty folder; the status, and what must stand in the two outputs. */
#include "tests/test.h"

#include "tests/printed.h"
#include "tests/sanitizer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct row {
    const char *line;
    int status;
    const char *out, *err; /* as in struct shell_line */
    unsigned needs;        /* false, true for TRACES, or bits of them all */
};

/* The real traces; a program without sanitizers, which see that code in other rows; FIGURES of
 * large traces, counted in two ways, need both. */
enum { TRACES = 1, FAST = 2, FIGURES = TRACES | FAST };

#define WIN7 "$S/perfview-win7-PerfViewData.etl.zst"

/* Work for more than a moment; the second of a file that is not packed, which begins at once. */
#define FEW  WIN7 " " WIN7 " " WIN7 " " WIN7 " " WIN7 " " WIN7 " " WIN7 " " WIN7 " "
#define MANY "$(yes $D/r.etl | head -56)"

/* The recording has begun, and signals are heard. */
#define BEGUN(file) "until test -s $D/" file ".partial; do sleep 0.02; done; "
/* Buffers full of events are in it. */
#define GROWN(file)                                                                                \
    BEGUN(file) "until test $(stat -c %s $D/" file ".partial) -gt 2000000; do sleep 0.02; done; "

/* Asking about itself, usage, the configuration, completions, triggers, terminals. */
static const struct row questions[] = {
    /* asking about itself */
    {"$T --version", 0, "tracetop 0.", NULL, false},
    {"$T --help", 0, "--headless", NULL, false},
    {"$T stats --help", 0, "Usage: tracetop stats FILE", NULL, false},
    {"$T record --help | sed -n 2p", 0, "       tracetop record start [FILE.etl] | stop | status\n",
     NULL, false},

    /* usage */
    {"$T --nonsense", 2, NULL, "unknown option --nonsense", false},
    {"$T stats", 2, NULL, "'stats' needs a FILE", false},
    {"$T statz", 2, NULL, "did you mean 'stats'?", false},
    {"$T demo", 2, NULL,
     "unknown command 'demo'; the demo is 'tracetop --source demo'. To filter by it, write 'live'",
     false},
    {"$T stats -O csv Makefile", 2, NULL, "no format 'csv'", false},

    /* the configuration */
    {"$T keys --config $D/none.conf", 1, NULL, "none.conf", false},
    /* one that nobody named costs only itself */
    {"mkdir $D/folder.conf; TRACETOP_CONFIG=$D/folder.conf $T top disk --source demo --events 9000 "
     "--rate 0",
     0, "NAME", "folder.conf", false},
    {"TRACETOP_CONFIG=$D/folder.conf $T keys", 0, "quit\t", "folder.conf", false},
    {"printf '[keys]\nfreeze = t, C-e\n' > $D/k.conf; $T keys --config $D/k.conf", 0,
     "freeze\tt C-e\t", NULL, false},
    {"$T keys --config $D/k.conf | grep 't: freeze'", 0, "tree\tF5 t\ttable\t", NULL, false},
    {"printf '[keys]\nfrezze = t\n' | $T keys --config /dev/stdin", 1, NULL, "found a pipe", false},
    /* the null device is an empty one; other devices are none */
    {"$T keys --config /dev/null | grep -q '^quit' && echo 1; ln -s /dev/null $D/null; $T keys "
     "--config "
     "$D/null >/dev/null && $T --headless --dump --seed 1 --events 100 --rate 0 --config /dev/null "
     "--keys /dev/null >/dev/null && TRACETOP_CONFIG=/dev/null $T keys | grep -q '^quit' && echo 1",
     0, "1\n1\n", NULL, false},
    {"printf ':\ntext:set time rel\nEnter\n:\ntext:save\nEnter\n' >$D/keys; $T --headless --dump "
     "--seed 1 --events 100 --rate 0 "
     "--config /dev/null --keys $D/keys | grep -o \"cannot open '/dev/null'\"; test -c /dev/null",
     0, "cannot open '/dev/null'", NULL, false},
    {"$T keys --config /dev/zero", 1, NULL, "found a pipe, socket or device", false},
    {"printf '[keys]\nfrezze = t\n' > $D/k.conf; TRACETOP_CONFIG=$D/k.conf $T keys | grep -c .", 0,
     "", "k.conf:2: there is no command \"frezze\"; did you mean \"freeze\"?", false},
    {"printf ':\ntext:set time rel\nEnter\n:\ntext:save\nEnter\n' > $D/keys; "
     "printf '# mine\n[ui]\ntime = utc # so\n' > $D/s.conf; TRACETOP_CONFIG=$D/s.conf "
     "$T live --events 100 --rate 0 --headless --keys $D/keys | grep -o 'saved to.*' && cat "
     "$D/s.conf",
     0, "s.conf\n# mine\n[ui]\ntime = rel # so\n", NULL, false},
    {"printf '#\n:\ntext:set autosave yes\nEnter\n' > $D/keys; TRACETOP_CONFIG=$D/new/s.conf "
     "$T live --events 100 --rate 0 --headless --keys $D/keys >/dev/null; cat $D/new/s.conf",
     0, "[ui]\nmeters = off\nautosave = yes\n", NULL, false},
    {"printf ':\ntext:save\nEnter\n' > $D/keys; TRACETOP_CONFIG=$D/r.conf "
     "$T live --events 100 --rate 0 --headless --keys $D/keys --readonly | grep read-only; ls "
     "$D/r.conf",
     2, "save: not available, tracetop is read-only", "r.conf", false},

    /* on screen, - is no file */
    {"printf ':\ntext:export csv -\nEnter\n' > $D/keys; t=$PWD/$T; cd $D; "
     "$t live --events 100 --rate 0 --headless --keys keys | grep -o 'standard output.*file'; "
     "printf ':\ntext:record -\nEnter\nq\n' > $D/keys; "
     "$t live --source demo --headless --keys keys | grep -o 'standard output.*file'; ls ./-",
     2, "standard output is this screen: name a file\nstandard output: name a file\n", "./-",
     false},

    {"$T sessions stop x --readonly", 2, NULL, "stop: not with --readonly", false},

    /* what is written from the tables */
    {"$T completions tcsh", 2, NULL, "expected bash, zsh or fish, found \"tcsh\"", false},
    {"$T completions", 2, NULL, "'completions' needs a SHELL: bash|zsh|fish", false},
    {"$T completions bash > $D/c; bash -c '. $D/c; COMP_WORDS=(tracetop sta); COMP_CWORD=1; "
     "_tracetop; "
     "echo ${COMPREPLY[*]}; COMP_WORDS=(tracetop stacks --for); COMP_CWORD=2; _tracetop; "
     "echo ${COMPREPLY[*]}; COMP_WORDS=(tracetop stats -O j); COMP_CWORD=3; _tracetop; "
     "echo ${COMPREPLY[*]}; COMP_WORDS=(tracetop top dis); COMP_CWORD=2; _tracetop; "
     "echo ${COMPREPLY[*]}'",
     0, "stats stacks\n--format --force\njson\ndisk diskfiles\n", NULL, false},
    {"$T completions zsh | head -1", 0, "#compdef tracetop\n", NULL, false},
    {"$T completions fish | grep -c 'from completions. -a .bash zsh fish'", 0, "1\n", NULL, false},
    {"$T completions bash > $D/c; bash -c '. $D/c; COMP_WORDS=(tracetop manual f); COMP_CWORD=2; "
     "_tracetop; echo ${COMPREPLY[*]}'",
     0, "filter\n", NULL, false},

    /* triggers run commands when the command line says so, and nobody else */
    {"$T live --seed 3 --events 120000 --rate 0 --headless --dump "
     "--on \"disk.p99>8ms do run touch $D/ran\" >/dev/null; "
     "until [ -e $D/ran ]; do sleep 0.02; done; ls $D/ran",
     0, "/ran\n", NULL, false},
    {"printf '[triggers]\na = disk.p99>8ms do run touch %s/not\n' $D >$D/t.conf; "
     "$T live --seed 3 --events 120000 --rate 0 --headless --dump --config $D/t.conf | "
     "grep -o 'command line (--on) only'; sleep 0.5; ls $D/not",
     2, "command line (--on) only\n", "not", false},
    {"printf ':\ntext:on disk.p99>8ms do run touch x\nEnter\n' >$D/keys; "
     "$T live --seed 3 --events 100 --rate 0 --headless --dump --keys $D/keys | "
     "grep -o 'command line (--on) only'",
     0, "command line (--on) only\n", NULL, false},

    /* terminals without capabilities */
    {"printf q | TERM=vt52 script -qec \"$T live --events 100 --rate 0\" $D/vt52 >/dev/null; "
     "grep -c 'F1 Help' $D/vt52; grep -c '\033\\[' $D/vt52",
     1, "1\n0\n", NULL, false},
    {"printf q | TERM=dumb script -qec \"$T live --events 100 --rate 0\" /dev/null", 1,
     "TERM=dumb: this terminal cannot show a full screen", NULL, false},
    {"printf q | TERM=nonesuch script -qec \"$T live --events 100 --rate 0\" /dev/null", 1,
     "TERM=nonesuch: this terminal is not known here", NULL, false},
    {"printf q | env -u TERM script -qec \"$T live --events 100 --rate 0\" /dev/null", 1,
     "TERM=: this terminal is not known here", NULL, false},
};

/* Files that are none, and files that are written. */
static const struct row files[] = {
    /* files that are none */
    {"$T stats nosuch.etl", 1, NULL, "cannot open 'nosuch.etl': no such file", false},
    {"$T nosuch.etl", 1, NULL, "cannot open 'nosuch.etl': no such file", false},
    {"$T stats Makefile", 1, NULL, "Makefile: not an .etl file", false},
    {"$T stats src/", 1, NULL, "a directory", false},
    {": > $D/empty.etl; $T stats $D/empty.etl", 1, NULL, "empty.etl", false},

    /* output */
    {"$T stats " WIN7 " -o $D/a && cat $D/a", 0, "header\tprovider", "", true},
    {"$T stats " WIN7 " -o $D/a", 1, NULL, "already exists; --force overwrites it", true},
    {"$T record --source demo --events 900 -q -o $D/own.etl; for c in stats dump cut; do $T $c "
     "$D/own.etl --force -o $D/own.etl; done 2>&1 | grep -c 'is read by this command; give -o "
     "another name'; $T stats $D/own.etl >/dev/null && rm $D/own.etl",
     0, "3\n", "", false},
    {"$T stats " WIN7 " -o $D/a --force", 0, NULL, "", true},
    {"stat -c %a $D/a", 0, "600", NULL, true},
    {"$T stats Makefile -o $D/b; ls $D/b*", 2, NULL, "not an .etl file", false},
    {"$T stats " WIN7 " -o $D/no/such", 1, NULL, "no/such", true},
    {"$T stats " WIN7 " | head -1; $T stats " WIN7 " | :", 0, "header\tprovider", "", true},
    {"$T stats " WIN7 " > /dev/full", 1, NULL, "cannot be written", true},
};

/* stats, dump, info and machine. */
static const struct row dumping[] = {
    /* stats and dump */
    {"$T stats " WIN7 " -O json", 0, "\"totals\"", "", true},
    {"$T stats $S/derived-truncated-midbuffer.etl", 6, "header", "derived-truncated", true},
    {"$T stats $S/derived-unstopped-header.etl", 0, "header", "never stopped", true},
    /* what is not a file's, without one */
    {"$T dump -r 1s..2s", 2, NULL, "-r selects a part of a trace: name its FILE", false},
    {"$T dump -O etl -o $D/x.etl", 2, NULL, "recorded by: tracetop record -o ", false},
    {"$T dump --seed 1 -o $D/named.etl; echo $?; ls $D | grep -c named", 1, "2\n0\n",
     "named.etl' names a trace, which is recorded by: tracetop record -o ", false},
    {"$T record -q --seed 1 --events 3000 --rate 0 -o $D/name.etl; $T dump $D/name.etl -o "
     "$D/named.etl.zst; echo $?; ls $D | grep -c named; $T dump $D/name.etl -N 3 -O jsonl -o "
     "$D/named.etl && $T info $D/name.etl | grep lost",
     0, "2\n0\n  lost         0 events, 0 buffers",
     "named.etl.zst' names a trace: add -O etl, or choose another name", false},
    {"$T dump --seed 1 'stack:x'", 2, NULL,
     "dump has no 'stack'; ask the events pane: tracetop top events FILE 'stack:x'", false},
    {"$T dump " WIN7 " 'tag lat>1s'", 2, NULL, "dump has no 'tag'", false},
    /* A program's own events in one stream with those of the kernel's network. */
    {"$T dump " WIN7 " 'provider=PerfView|class=network' -O csv --separator tab -k "
     "ts,provider,event -q | awk -F'\t' "
     "'NR > 1 { n[$2]++; early += $1 + 0 < last; last = $1 + 0; turns += $2 != before; before = $2 "
     "} END { print "
     "n[\"PerfView\"], n[\"TcpIp\"], n[\"UdpIp\"], early + 0, (turns > 50) }'",
     0, "46 60 108 0 1\n", NULL, false},
    /* What takes several events to know, of a live source and of its recording. */
    {"for s in 7 8; do $T dump --seed $s --events 30000 --rate 0 --start 2026-05-17T10:20:30Z "
     "'lat>1ms op!=read' -q "
     "> $D/live$s; done; $T record --source demo --seed 7 --events 30000 --rate 0 --start "
     "2026-05-17T10:20:30Z -o $D/latencies.etl -q && $T dump $D/latencies.etl 'lat>1ms op!=read' "
     "-q > "
     "$D/file; wc -l < $D/live7; diff $D/live7 $D/file > /dev/null && "
     "echo same; diff $D/live8 $D/file > /dev/null || echo other",
     0, "107\nsame\nother\n", NULL, false},
    {"$T cut " WIN7 " -r 0s.. -o $D/no.etl 'lat>3ms'", 2, NULL, "'lat' is not stored in records",
     false},
    /* names of numbers: of a map that the manifest has wrong, and of fields that it leaves without
     */
    {"$T dump $S/perfview-gcrundownevents.etl -O text id=280", 0,
     " Flags=QuickJit|QuickJitForLoops|ReadyToRun\n", NULL, true},
    {"$T dump $S/perfview-gcevents.etl -q | grep -o 'PauseMode\":[^,}]*' | sort | uniq -c", 0,
     "      2 PauseMode\":\"Interactive\"\n      2 PauseMode\":1\n", NULL, true},
    {"$T dump $S/perfview-gcevents.etl -O text 'id=5 .Type=PinnedObjectHeap' | wc -l", 0, "1\n",
     NULL, true},
    {"$T dump $S/perfview-net.4.5.2.x64.etl.zst -q -O text -N 1 'ShareAccess:DELETE'", 0,
     " CreateOptions=OPEN|OPEN_REPARSE_POINT CreateAttributes=0x0 ShareAccess=READ|WRITE|DELETE ",
     NULL, true},
    /* statuses: one form in lines and panes, asked for by name */
    {"$T top processes $S/airbus-ShutdownPerfDiagLogger.etl.zst -k pid,exit -O tsv | grep -c "
     "'0x40010004 (DBG_TERMINATE_PROCESS)'",
     0, "24\n", NULL, true},
    {"$T dump $S/airbus-ShutdownPerfDiagLogger.etl.zst -q ExitStatus=DBG_TERMINATE_PROCESS | grep "
     "-c 'ExitStatus\":1073807364,.*\"names\":{\"ExitStatus\":\"DBG_TERMINATE_PROCESS\"'",
     0, "25\n", NULL, true},
    {"$T dump $S/airbus-ShutdownPerfDiagLogger.etl.zst -O text -N 1 'event=Process/DCStart "
     "pid>4'",
     0, " ExitStatus=STILL_ACTIVE ", NULL, true},
    {"$T dump $S/perfview-net.4.5.2.x64.etl.zst -q id=80 -N 1 | grep -o 'ExceptionHRESULT[^,}]*'",
     0, "ExceptionHRESULT\":\"0x80070002\"\nExceptionHRESULT\":\"ERROR_FILE_NOT_FOUND\"\n", NULL,
     true},
    /* payloads without a schema are whole in exports */
    {"$T top events $S/tx-BasicPerfCounters.blg.etl -O tsv -k detail,size -N 3 | awk -F'\t' 'NR > "
     "1 { "
     "n = split($1, words, \" \"); print length(words[n]) - 2 * $2 }'",
     0, "0\n0\n0\n", NULL, true},
    {"$T top events $S/tx-BasicPerfCounters.blg.etl -k detail -N 3 | grep -c …", 0, "3\n", NULL,
     true},
    {"$T dump $S/tx-BasicPerfCounters.blg.etl -O text -N 9 -q | awk '/ bytes / { if (length($NF) "
     "!= 2 "
     "* $(NF - 2)) bad++; n++ } END { print (n > 3), bad + 0 }'",
     0, "1 0\n", NULL, true},
    /* the machine's records have lines; an activity of zeros is none */
    {"$T top events $S/airbus-ShutdownPerfDiagLogger.etl.zst -O tsv -k event,detail "
     "'event=SystemConfig/*|event=Image/HypercallPage' | grep -v '│' | sort -u | cut -f 1",
     0, "event\n", NULL, true},
    {"$T dump $S/perfview-gcevents.etl -O csv -k activity,related -q | grep -c 00000000-0000", 1,
     "0\n", NULL, true},
    /* accounts that all systems have */
    {"$T dump $S/airbus-ShutdownPerfDiagLogger.etl.zst -q event=Defunct | grep -c "
     "'\"UserSID\":\"S-1-5-20\",.*\"UserSID\":\"NETWORK SERVICE\"'; $T dump "
     "$S/airbus-ShutdownPerfDiagLogger.etl.zst -q "
     "event=Defunct UserSID=S-1-5-20 -O text | grep -c ' UserSID=S-1-5-20 (NETWORK SERVICE) '; $T "
     "top events "
     "$S/airbus-ShutdownPerfDiagLogger.etl.zst -O tsv -k detail event=Defunct | grep -c ' "
     "UserSID=\"NETWORK SERVICE\" '",
     0, "1\n1\n1\n", NULL, true},
    /* times in records are shown as times */
    {"$T dump $S/perfview-gcevents.etl -N 1 -O text", 0, " EndTime=2023-03-14T00:46:50.7010610Z ",
     NULL, true},
    {"$T dump $S/perfview-gcevents.etl -N 1 -q | grep -oE '\"BootTime\":[^,}]*'", 0,
     "\"BootTime\":133226819165000000\n\"BootTime\":\"2023-03-07T16:58:36.5000000Z\"\n", NULL,
     true},
    /* only a version says that symbols are portable; what a device calls itself may end in blanks
     */
    {"$T top events $S/etwanalyzer-TraceLoggingTester.etl.zst -O tsv -k detail event=DbgPPDB | "
     "grep -o "
     "'^symbols of [^/]*: portable, version 1.0  │' | wc -l",
     0, "442\n", NULL, true},
    {"$T top events $S/etwanalyzer-TraceLoggingTester.etl.zst -O tsv -k detail event=OpticalDisk",
     0, "\noptical disk D: DRW-24D5MT  │ ", NULL, true},
    {"$T top events $S/perfview-gcevents.etl -O tsv -k detail | grep -o 'GC of generation . on 1 "
     "heap  '",
     0, "GC of generation 2 on 1 heap  \n", NULL, true},
    /* memory of the GPU is committed in pages */
    {"$T top events $S/gpuvis-wintracecmd.etl.zst -O tsv -k detail -N 1 id=327", 0,
     "commit 4 MiB at 0x881000 of GPU addresses", NULL, true},
    {"$T dump --seed 1 -O csv -k tme", 2, NULL, "did you mean 'time'", false},
    {"$T record -q --seed 7 --events 3000 --rate 0 -o $D/t.etl; $T dump $D/t.etl -t 1s", 2, NULL,
     "-t is valid for live events only", false},
    /* the demo as it happens is the demo as it is recorded, but for the log's header and, from the
     * time of the last event on, the rundown */
    {"O='--seed 7 --events 30000 --rate 0 --start 2026-05-17T10:20:30Z'; $T record -q $O -o "
     "$D/l.etl && for f in '-O jsonl' '-O text' '-O csv' '-O text proc=explorer.exe' '-O csv -k "
     "time,proc,event,DiskNumber DiskNumber>0' '-O jsonl ntdll' '-O text path=*dll event=read'; do "
     "$T "
     "dump $O $f | sed '$d' >$D/live && $T dump $D/l.etl $f | sed '/EventTraceEvent.*Header/d' "
     ">$D/file && test -s $D/live && head -n $(wc -l <$D/live) $D/file | cmp - $D/live || echo "
     "\"$f\"; done",
     0, NULL, NULL, false},
    {"$T dump --seed 1 --events 2000 --rate 0 -N 3 -O csv | wc -l", 0, "4\n", NULL, false},
    {"$T dump --seed 1 --rate 2000 -t 2s | grep -c '^{.*}$' >$D/n; test $(cat $D/n) -gt 100", 0,
     NULL, NULL, false},
    /* its end by Ctrl-C is an end like others */
    {"$T dump --seed 1 --rate 2000 -o $D/stopped & until test -s $D/stopped.partial; do sleep "
     "0.02; "
     "done; kill -INT $!; wait $! && tail -1 $D/stopped | grep -c '^{.*}$'",
     0, "1\n", NULL, false},
    /* an output that is too slow costs events, and the loss is reported, also when it never goes
     * on */
    {"($T dump --seed 1 --rate 400000 --ring 4M -O text & echo $! >$D/pid; wait $!; echo $? "
     ">$D/status) | until test -s $D/status; do sleep 0.1; done & "
     "until test -s $D/pid; do sleep 0.1; done; until test $(cut -d' ' -f14 /proc/$(cat "
     "$D/pid)/stat) -ge 40; do sleep 0.1; done; "
     "kill -INT $(cat $D/pid); until test -s $D/status; do sleep 0.1; done; cat $D/status",
     0, "130\n", " ring", false},
    {"$T dump --seed 1 --rate 2000 | head -1 | grep -c '^{'", 0, "1\n", NULL, false},
    {"$T dump --seed 1 --rate 0 >/dev/full", 1, NULL, "the output cannot be written", false},
    {"$T dump --seed 1 --rate 2000 -t 1m -O text >$D/marked & pid=$!; until test -S "
     "$D/tracetop/$pid.sock; do sleep 0.02; done; $T mark before the deploy; $T snapshot; kill "
     "-INT "
     "$pid; wait $pid; grep -c 'PerfInfo/Mark v0  Message=\"before the deploy\"$' $D/marked",
     0, "marked: before the deploy\n1\n", "a dump: it takes marks alone", false},
    /* words of a script reach all that runs of the user; each other call the one that takes it */
    /* level and fields, in a dump and in a recording */
    {"$T dump --seed 1 --rate 2000 -t 1m -O text -q class=mark >$D/fields & dump=$!; "
     "$T record --source demo --rate 2000 -q -o $D/fields.etl & record=$!; until test -S "
     "$D/tracetop/$dump.sock -a -S $D/tracetop/$record.sock; do sleep 0.02; done; until $T record "
     "status 2>&1 | grep -q fields.etl; do sleep 0.02; done; "
     "$T mark --level warning --field order=17 --field who=alice fetch failed >/dev/null; "
     "printf 'one\ntwo\n' | $T log --level error --field job=nightly; "
     "$T record stop >/dev/null; wait $record; kill $dump; wait $dump; "
     "$T dump -O text -q $D/fields.etl class=mark | grep -o 'Mark v0 .*' >$D/recorded; "
     "grep -o 'Mark v0 .*' $D/fields | diff - $D/recorded && cat $D/recorded; "
     "$T top --by 'job | count where level<=error' -O tsv -q $D/fields.etl; "
     "$T dump -q -O text $D/fields.etl order=17 | wc -l",
     0,
     "Mark v0  Warning  text=\"fetch failed\" order=17 who=\"alice\"\n"
     "Mark v0  Error  text=\"one\" job=\"nightly\"\n"
     "Mark v0  Error  text=\"two\" job=\"nightly\"\n"
     "job\tcount\tshare_percent\nnightly\t2\t100\n1\n",
     "", false},
    {"$T dump --seed 1 --rate 2000 -t 1m -O text -q class=mark >$D/marked & dump=$!; "
     "$T record --source demo --rate 2000 -q -o $D/marked.etl & record=$!; until test -S "
     "$D/tracetop/$dump.sock -a -S $D/tracetop/$record.sock; do sleep 0.02; done; "
     "printf 'one\\n\\ntwo\\r\\n%0300d\\nend' 7 | $T log; $T mark three >$D/answer; "
     "$T record status | grep -c marked.etl; $T record stop | grep -c marked.etl; wait $record; "
     "kill -INT $dump; wait $dump; echo late | $T log; "
     "$T dump -O text -q $D/marked.etl class=mark | grep -o 'Message=.*' >$D/recorded; "
     "grep -o 'Message=.*' $D/marked | diff - $D/recorded && grep -o 'Message=.\\{5\\}' "
     "$D/recorded",
     0, "1\n1\nMessage=\"one\"\nMessage=\"two\"\nMessage=\"0000\nMessage=\"end\"\nMessage=\"thre\n",
     "no monitor of this user is running", false},
    {"$T dump nosuch.etl", 1, NULL, "cannot open 'nosuch.etl': no such file", false},
    {"$T dump " WIN7 " -O jsonl | head -1", 0,
     "{\"time\":\"2016-05-26T20:17:22.4789313Z\",\"ts\":737398659705,\"cpu\":0,\"pid\":1876,"
     "\"tid\":3488,\"proc\":\"PerfView.exe\",",
     "", true},
    {"$T dump " WIN7 " | wc -l", 0, "185961\n", NULL, true},
    /* names and messages of EventInfo records */
    {"$T dump $S/demikernel-PktMon.etl | grep -c '\"keyword_names\":\\[\"Rundown\"\\],.*"
     "\"message\":\"Property: Component [0-9]*, [A-Za-z]* = '; $T dump -O csv -k "
     "id,level_name,message "
     "$S/demikernel-PktMon.etl 'id=30 .Type=MiniportIfIndex' | head -2 | tr -d '\\r'",
     0,
     "130\nid,level_name,message\n30,Information,\"Property: Component 75, MiniportIfIndex = 5\"\n",
     NULL, true},
    {"$T dump $S/demikernel-PktMon.etl -O csv -k provider,guid,id 'id=30' | sed -n 2p | "
     "tr -d '\\r'",
     0, "Microsoft-Windows-PktMon,4d4f80d9-c8bd-4d73-bb5b-19c90402c5ac,30\n", NULL, true},
    {"$T dump -O text " WIN7 " | grep -c 'DiskIo/Read v2 '", 0, "65\n", NULL, true},
    {"$T dump $S/perfview-gcevents.etl $S/tx-HTTP_Server.etl | grep -c '\"source\":1,'", 0,
     "2042\n", NULL, true},
    /* a trace with Kernel-Process alone: names, parents and exits as its events have them */
    {"t=$S/tx-Process.etl.zst; $T dump $t -O jsonl | sed -n 's/.*ProcessStart[^{]*{\"Pr"
     "ocessID\":\\([0-9]*\\),.*ParentProcessID\":\\([0-9]*\\),.*[^A-Za-z.]\\([A-Za-z.]*\\)\"}}."
     "*/\\1 \\3 \\2/p; s/.*ProcessStop[^{]*{\"ProcessID\":\\([0-9]*\\),.*\"ExitCode\":\\([0-9]*\\"
     ").*\"ImageName\":\"\\([A-Za-z.]*\\)\"}}.*/\\1 exit \\2 \\3/p' | awk '{ if ($2 == \"exit\") "
     "exits[$1] = $3; if ($2 != \"exit\") parent[$1] = $3; if ($2 != \"exit\" || !($1 in n"
     "ame)) name[$1] = $2 == \"exit\" ? $4 : $2 } END { for (p in name) print p \"\\t\" nam"
     "e[p] \"\\t\" parent[p] \"\\t\" exits[p] \"\\tKernel-Process\" }' | sort >$D/a; $T top pro"
     "cesses $t -k pid,name,ppid,exit,recorded_by -O tsv -q | grep Kernel-Process | so"
     "rt >$D/b; wc -l <$D/b; cmp $D/a $D/b",
     0, "6\n", NULL, true},
    /* stacks by their functions: the same as of all lines that have one */
    {"t=$S/perfview-net.4.5.2.x64.etl.zst; o='--metric samples -O folded -q'; "
     "a=$($T stacks $t $o func:System. | awk '{ n += $NF } END { print n }'); "
     "b=$($T stacks $t $o | awk '/!System\\./ { n += $NF } END { print n }'); echo $a $b; "
     "$T stacks $t $o '!stack:System.' | grep -c '!System\\.'",
     1, "4957 4957\n0\n", NULL, FIGURES},
    /* the capture filter: what passes, and all that names things */
    {"$T dump " WIN7 " -F 'class=disk op=read' -O text >$D/f; grep -c 'DiskIo/Read v2 ' $D/f; "
     "grep -c -e CSwitch -e 'DiskIo/Write ' $D/f",
     1, "65\n0\n", NULL, true},
    {"$T dump " WIN7 " -F 'class=disk op=read' -O etl -o $D/F.etl; for f in $D/F.etl " WIN7 "; do "
     "$T stats $f | grep -e Process/ -e Thread/DC -e Image/ -e DiskIo/Read$; done | sort | uniq -u",
     0, NULL, NULL, true},
    {"$T top disk " WIN7 " -N 1 -F 'class=disk op=read'", 0, "System",
     "capture class=disk op=read: 27904 records stored, 158057 not stored", true},
    {"$T record --source demo -F class=disk -o $D/F.etl --force -q -t 1s; $T stats $D/F.etl "
     ">$D/f; "
     "grep -c DiskIo/Read$ $D/f; grep -c CSwitch $D/f",
     1, "1\n0\n", NULL, false},
    /* manifests: of files, before what is built in, and with their mistakes; and of EventSources */
    {"printf '<a>\n<provider name=\"Mine\" "
     "guid=\"{22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716}\"><templates>"
     "<template tid=\"T\"><data name=\"MyPid\" inType=\"win:UInt32\" "
     "outType=\"win:PID\"/></template>"
     "</templates><events><event value=\"1\" template=\"T\" symbol=\"MyStart\"/>\n"
     "<event value=\"2\" template=\"U\"/></events></provider></a>' >$D/x.man; "
     "$T dump $S/tx-Process.etl.zst -O text --schema $D/x.man 'MyPid>0' >$D/f; cat $D/f; wc -l "
     "<$D/f",
     0, "Mine/MyStart", "x.man: line 3: event 2: template 'U' is not defined", true},
    /* copies take along what a manifest said: they are read without it */
    {"for c in 'dump -O etl' cut 'cut -r 0s..30s'; do $T $c $S/tx-Process.etl.zst --schema "
     "$D/x.man --force -o $D/x.etl "
     "2>/dev/null; $T dump $D/x.etl -q -O text '.MyPid>0' | grep -c Mine/MyStart; done",
     0, "4\n4\n1\n", NULL, true},
    {"$T top events $S/tx-Process.etl.zst --schema $D/x.man -k provider,event -O tsv -q "
     "2>/dev/null | "
     "sort | uniq -c | grep -c 'Mine.MyStart'",
     0, "1\n", NULL, true},
    {"$T dump $S/tx-Process.etl.zst --schema Makefile", 1, NULL,
     "cannot use 'Makefile' as a schema: expected an instrumentation manifest", true},
    {"$T dump $S/tx-Process.etl.zst --schema $D/no.man", 1, NULL, "no.man': No such file", true},
    {"$T stats $S/tx-Process.etl.zst --schema $D/x.man", 2, NULL, "--schema", true},
    {"$T dump $S/msbuild-PerfViewData.etl -O jsonl event=ManifestData | grep -c "
     "'\"TotalChunks\":1,\"ChunkNumber\":0,\"Manifest\":\"<instrumentationManifest'",
     0, "34\n", "", true},
    {"$T dump $S/perfview-net.4.5.2.x64.etl.zst -F 'class=dotnet op=throw' -O jsonl >$D/f; "
     "grep -c '\"id\":80,' $D/f; grep -c '\"tid\":3780,.*\"id\":82,' $D/f; grep -c "
     "'/GCAllocationTick\"' $D/f",
     1, "1\n1\n0\n", NULL, true},
    {"$T top disk --seed 7 --events 100 -F lat\\>1ms", 2, NULL, "'lat' cannot be used here", false},
    {"for p in System test.exe; do $T dump " WIN7 " -F \"proc=$p id=266\" -O text >$D/f; "
     "grep -c 'DiskIo/Read v2 ' $D/f; grep -c CSwitch $D/f; "
     "$T dump " WIN7 " -O text \"proc=$p\" | grep -c 'DiskIo/Read v2 '; done",
     0, "30\n0\n30\n1\n0\n1\n", NULL, FIGURES},
    {"$T dump " WIN7 " -F explorer", 2, NULL, "write proc:explorer, event:explorer or", true},
    /* The sums of a range are those of a trace cut to it. */
    {"for f in " WIN7 " $S/perfview-net.4.5.2.x64.etl.zst; do "
     "$T cut $f -r 1s..3s -o $D/range.etl --force 2>$D/e; for v in disk:pid,ops,sum_bytes,sum_time "
     "network:pid,sum_ops,bytes cpu:tid,samples; do for x in \"$f -r 1s..3s\" $D/range.etl; do "
     "$T top ${v%%:*} $x -O csv -q -k ${v#*:} 2>>$D/e | sort >$D/r${#x}; mv $D/r${#x} $D/r2; "
     "[ -e $D/r1 ] || mv $D/r2 $D/r1; done; cmp $D/r1 $D/r2 && wc -l <$D/r1; rm $D/r1; done; done",
     0, "5\n25\n47\n13\n14\n57\n", NULL, FIGURES},
    /* Threads on processors have all time of a range, and no more, however short it is; a filter by
     * time says the same as a range, in every pane. */
    {"$T record --source demo --events 60000 --seed 7 --rate 0 -o $D/t.etl --force 2>$D/c; "
     "for r in 100ms..900ms 500ms..500.1ms 700ms..701ms; do $T top processes $D/t.etl -r $r -q -O "
     "tsv "
     "-k cpu | awk '{ s += $1 } END { printf \"%.1f\\n\", s }'; done; "
     "for f in $D/t.etl; do for p in processes threads cpu disk diskfiles network memory files "
     "rates dotnet; do "
     "$T top $p $f -r 300ms..700ms -q -O tsv >$D/1; "
     "$T top $p $f time=300ms..700ms -q -O tsv | cmp - $D/1; wc -l <$D/1 >>$D/lines; done; done; "
     "awk '{ s += $1 } END { print (s > 500) }' $D/lines; "
     "$T top processes $D/t.etl -r 300ms..700ms 'time=400ms..2s' -q -O tsv >$D/1; "
     "$T top processes $D/t.etl 'time>=400ms time<=700ms' -q -O tsv | cmp - $D/1; "
     "$T top processes $D/t.etl -r 400ms..700ms -q -O tsv | cmp - $D/1; "
     "$T top disk $D/t.etl -r 300ms..400ms 'time=600ms..700ms' -q -O tsv -k pid",
     0, "100.0\n100.0\n100.0\n1\npid\n", "", FAST},
    /* the log header, which may be hours older, is not the beginning */
    {"$T dump -r 0s..5s $S/airbus-AMSITrace.etl -O csv -k event 2>$D/c | grep -c AmsiScript; "
     "$T top rates $S/airbus-ShutdownPerfDiagLogger.etl.zst -O csv -k count,rate 2>$D/c | "
     "awk -F, 'NR > 1 { n += $1; r += $2 } END { print (n / r > 4 && n / r < 4.3) }'",
     0, "12\n1\n", NULL, true},
    /* an event with its class, and a provider's number as others write it; the same everywhere */
    {"for f in event=DiskIo/Read 'provider={3D6FA8D4-FE05-11D0-9DDA-00C04FD7BA7C} id=266' "
     "'event=DiskIo/*,Foo/Read event!=DiskIo/Write event:DiskIo/'; do "
     "$T dump " WIN7 " \"$f\" -O text >$D/a; wc -l <$D/a; $T dump " WIN7 " -F \"$f\" -O text | "
     "grep -c DiskIo/Read; test $($T top events " WIN7 " -q -O tsv \"$f\" | wc -l) -eq "
     "$(($(wc -l <$D/a) + 1)) && echo same; done; $T dump " WIN7 " event=TcpIp/Read | wc -l",
     0, "65\n65\nsame\n65\n65\nsame\n614\n131\nsame\n0\n", NULL, FIGURES},
    {"$T dump $S/perfview-win7-PerfViewData.etl.zst 'proc=\"(idle)\"' | wc -l >$D/a; "
     "$T dump $S/perfview-win7-PerfViewData.etl.zst proc=Idle | wc -l | diff - $D/a && "
     "$T dump " WIN7 " provider=3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7c | wc -l >$D/a; "
     "$T dump " WIN7 " provider=DiskIo | wc -l | diff - $D/a && test $(cat $D/a) -gt 100 && "
     "test $($T top events " WIN7 " -q -O tsv proc=Idle | wc -l) -gt 1000",
     0, NULL, NULL, FIGURES},
    {"$T top disk $S/hw3d-trace.etl -r 5x..6s", 2, NULL, "expected a time such as -30s", true},
    {"$T top disk $S/hw3d-trace.etl -r 500s..600s", 2, NULL, "lies outside of the trace", true},
    {"$T top disk -r 1s..2s", 2, NULL, "-r selects a part of a trace: name its FILE", false},
    {"$T stats " WIN7 " -F cpu=1", 2, NULL, "stats", true},
    {"$T info " WIN7 " $S/tx-HTTP_Server.etl | grep -cE '^  (system|clock) |HttpService$'", 0,
     "5\n", NULL, true},
    {"$T info", 2, NULL, "'info' needs a FILE", false},
    {"$T info -O json " WIN7 " -o $D/info.json && head -c 31 $D/info.json", 0,
     "{\"schema\":\"tracetop.info.1\",\"fi", NULL, true},
    {"$T machine " WIN7 " $S/tx-HTTP_Server.etl | grep -c running", 0, "77\n", NULL, true},
    {"$T machine -O json | grep -c '^\"system\":.$'", 0, "1\n", NULL, true},
    /* without a session of the kernel, merge tools describe the machine */
    {"$T machine $S/demikernel-PktMon.etl", 0, "  product    Windows Server 2022 Datacenter Azure",
     "", true},
    {"$T machine $S/demikernel-PktMon.etl | grep -cE '^  (Ethernet 2  .*  00:22:48:7b:b0:99|C:.* "
     ".Device.HarddiskVolume4.) *$'",
     0, "2\n", NULL, true},
    {"for f in msbuild-PerfViewData.etl sonde-test.etl.zst perfview-SelfDescribingSingleEvent.etl; "
     "do $T machine "
     "$S/$f | grep -c '^  build lab '; done",
     0, "1\n1\n1\n", NULL, true},
    /* interrupts by messages have negative numbers, and nobody says which processors take them */
    {"$T machine $S/etwanalyzer-TraceLoggingTester.etl.zst | sed -n '/^Interrupts/,$p' | grep -c "
     "-e '^  -[0-9]'; $T "
     "machine $S/etwanalyzer-TraceLoggingTester.etl.zst | grep -c -e 42949 -e ' 0x0 '",
     1, "14\n0\n", NULL, true},
    /* built-in layouts have no names of keywords: those of well-known providers are known */
    {"$T dump $S/tx-Process.etl.zst keyword=WINEVENT_KEYWORD_PROCESS -O csv -k event | grep -c "
     "Process; "
     "$T dump $S/perfview-gcevents.etl keyword=GCKeyword -O jsonl | grep -c "
     "'\"keyword_names\":\\[\"GCKeyword\"'",
     0, "8\n68\n", "", true},
    {"$T machine nothing", 1, NULL, "cannot open 'nothing': no such file", true},
    {"$T machine $S/tx-HTTP_Server.etl", 1, NULL, "no description of the machine", true},
    {"$T dump $S/derived-truncated-midbuffer.etl", 6, "{", "derived-truncated", true},
    {"$T dump " WIN7 " > /dev/full", 1, NULL, "cannot be written", true},
};

/* Traces out of traces. */
static const struct row writing[] = {
    {"$T dump " WIN7 " -O etl -o $D/r.etl && $T stats $D/r.etl >$D/r1 && $T stats " WIN7
     " >$D/r2 && cmp $D/r1 $D/r2 && stat -c %a $D/r.etl",
     0, "600\n", NULL, true},
    {"$T dump $D/r.etl -O etl -o $D/rr.etl && cmp $D/r.etl $D/rr.etl", 0, NULL, NULL, true},
    {"$T dump " WIN7 " -O etl -o $D/r.etl.zst && $T stats $D/r.etl.zst | cmp - $D/r1", 0, NULL,
     NULL, true},
    {"$T cut " WIN7 " -r 1s..2s wmpnetwk -o $D/p.etl && $T top proc $D/p.etl -O tsv -k name,pid | "
     "grep -c wmpnetwk.exe",
     0, "1\n", " with their names and stacks, and ", true},
    {"$T dump " WIN7 " -r 1s..2s wmpnetwk -O text | grep -vc wmpnetwk", 1, "0\n", NULL, true},
    /* state that is reported only before the range */
    {"$T cut " WIN7 " -r 1s..2s -o $D/p.etl --force 2>/dev/null; for f in $D/p.etl \"" WIN7
     " -r 1s..2s\"; do $T top dotnet $f -k pid,runtime -O tsv; "
     "$T top processes $f -k pid,start -O tsv | grep ^1980; "
     "$T top images $f -k pid,base,loaded -O tsv | grep 749b0000; done | sort | uniq -c | awk "
     "'{print $1}' | uniq",
     0, "2\n", NULL, FIGURES},
    {"$T cut " WIN7 " -r 2s..1s -o $D/q.etl", 2, NULL, "ends before it begins", true},
    {"$T cut " WIN7 " -r 1 -o $D/q.etl", 2, NULL, "expected a range", true},
    {"$T cut " WIN7, 2, NULL, "add -o FILE.etl", true},
    {"$T cut -o $D/q.etl", 2, NULL, "'cut' needs a FILE", false},
    {"$T dump $S/derived-zero-size-event.etl -O etl -o $D/z.etl && ls $D/z.etl", 6, NULL,
     "skipped 7824 bytes", true},
    /* and what may come between: nothing is left but what was there before */
    {"echo old >$D/old.etl; $T dump " WIN7 " -O etl -o $D/old.etl; cat $D/old.etl", 0, "old\n",
     "already exists; --force overwrites it", true},
    {"$T dump Makefile -O etl -o $D/old.etl --force; cat $D/old.etl; ls $D/*.partial", 2, "old\n",
     "not an .etl file", false},
    {"$T dump " WIN7 " -O etl -o $D/no/such.etl", 1, NULL, "No such file or directory", true},
    {"$T dump " WIN7 " -O etl -o $D/$(printf %0260d 1).etl", 1, NULL, "File name too long", true},
    {"$T dump " WIN7 " -O etl -o $D --force", 1, NULL, "found a directory", true},
    {"(ulimit -f 4000; $T dump " WIN7 " -O etl -o $D/f.etl; echo $?); ls $D | grep f.etl", 1, "1\n",
     "cannot write", true},
    {"$T dump " MANY
     " -O etl -o $D/i.etl & " BEGUN("i.etl") "kill -INT $!; wait $!; echo $?; ls $D/i.*",
     2, "130\n", "interrupted: ", true},
    {"$T dump " MANY
     " -O etl -o $D/i.etl.zst & " BEGUN("i.etl.zst") "kill -TERM $!; wait $!; echo $?; "
                                                     "ls $D/i.*",
     2, "130\n", "interrupted: ", FIGURES},
};

static const struct row stacks[] = {
    {"$T stacks " WIN7 " | awk '{s += $NF} END {print s}'", 0, "16865\n",
     "16658 with a stack, 207 without", true},
    {"$T stacks " WIN7 " -q -O speedscope | head -c 80", 0, "file-format-schema.json", "", true},
    {"$T stacks " WIN7 " --metric waiting -O tree", 1, NULL,
     "nothing recorded for the metric 'waiting'; there is: operations, samples, ", true},
    {"$T stacks " WIN7 " --metric waited", 1, NULL, "nothing recorded for the metric 'waited'",
     true},
    {"$T stacks " WIN7 " --metric waking", 1, NULL, "nothing recorded for the metric 'waited'",
     true},
    {"$T stacks " WIN7 " --metric heat", 2, NULL, "expected one of operations, samples", true},
    {"$T stacks --source demo --events 1000 -O tree", 0, "TOTAL%", "with a stack", false},
    /* … that would go on for ever */
    {"$T stacks --source demo -t 500ms -O tree", 0, "TOTAL%", "with a stack", false},
    /* … whose name is not a filter */
    {"$T stacks live --source demo --events 9000 -O folded -q | wc -l | awk '{print ($1 > 9)}'", 0,
     "1\n", "", false},
};

/* Recording, here the demo's events: they need no rights. */
static const struct row recording[] = {
    {"for c in sessions stats; do $T $c --help | grep -m 1 '[.]$'; done", 0,
     "The ETW sessions of all programs; Linux: the recorders.\nNumber and bytes of each kind of "
     "event",
     NULL, false},
    {"$T record", 2, NULL, "'record' needs -o FILE.etl", false},
    /* "-" is standard output, and never the name of a file */
    {"t=$PWD/$T; cd $D; $t dump --seed 1 --events 9 --rate 0 -o - | head -c 1; ls ./-", 2, "{",
     "./-", false},
    {"t=$PWD/$T; cd $D; $t record --source demo -o -; ls ./-", 2, NULL,
     "'record' needs -o FILE.etl", false},
    {"t=$PWD/$T; cd $D; $t cut $t -o -; ls ./-", 2, NULL, "to standard output", false},
    {"t=$PWD/$T; cd $D; $t record start -o -", 2, NULL, "to standard output", false},
    {"t=$PWD/$T; cd $D; $t snapshot --to -", 2, NULL, "to standard output", false},
    {"$T record --source demo -o $D/rec.etl -t 1s && $T stats $D/rec.etl | grep -c CSwitch", 0,
     "1\n", "rec.etl: ", false},
    /* views from files, against the counts of records */
    {"$T top opens $D/rec.etl -O tsv | awk -F'\t' 'NR > 1 { n += $4 } END { print n + 0 }' > $D/n; "
     "$T stats $D/rec.etl | awk -F'\t' '$8 == \"FileIo/Create\" { n = $6 } END { print n + 0 }' | "
     "diff $D/n - && test $(cat $D/n) -gt 0 && echo same",
     0, "same\n", NULL, false},
    {"$T top wakers $D/rec.etl -k waker,wakes -O tsv | head -1", 0, "waker\twakes_per_s\n", NULL,
     false},
    {"printf '[view]\nsource = ready\n[column cpu]\nfield = cpu\n[column n]\nagg = count\n' > "
     "$D/own.view; "
     "$T top own --view $D/own.view $D/rec.etl -O tsv | awk -F'\t' 'NR > 1 { n += $2 } END { print "
     "n + 0 }' > $D/n; "
     "$T stats $D/rec.etl | awk -F'\t' '$8 == \"Thread/ReadyThread\" { print $6 }' | diff $D/n - "
     "&& echo same",
     0, "same\n", NULL, false},
    /* As many views as there is room for, each of them there. */
    {"for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do printf '[view]\nsource = ready\n[column "
     "cpu]\nfield = "
     "cpu\n[column "
     "n]\nagg = count\n' > $D/v$i.view; set -- \"$@\" --view $D/v$i.view; done; "
     "$T top v15 \"$@\" $D/rec.etl -O tsv -q | head -1; $T top own --view $D/own.view \"$@\" "
     "$D/rec.etl",
     1, "cpu\tn\tshare_percent\n", "more than 24 views", false},
    /* Fields of payloads in views: rows, sums and extremes as a dump has them. */
    {"F=$S/perfview-net.4.5.2.x64.etl.zst; printf '[view]\nsource = dotnet\n[column type]\nfield = "
     "TypeName\n[column n]\nagg = count\n[column sum]\nfield = AllocationAmount64\nagg = sum\nsort "
     "= yes\n[column least]\nfield = AllocationAmount64\nagg = min\n[column most]\nfield = "
     "GCAllocationTick.AllocationAmount64\nagg = max\n[column with]\nfield = "
     "AllocationAmount64\nagg = count\n' > $D/alloc.view; $T top alloc --view $D/alloc.view $F -O "
     "tsv -q -k type,n,sum,least,most,with 'AllocationAmount64=*' | tail -n +2 | sort > $D/alloc; "
     "$T dump $F -O csv --separator tab -k TypeName,AllocationAmount64 'AllocationAmount64=* "
     "TypeName=*' -q | awk -F'\t' 'NR > 1 { if (!($1 in n) || $2 + 0 < l[$1]) l[$1] = $2; if ($2 + "
     "0 "
     "> m[$1] + 0) m[$1] = $2; n[$1]++; s[$1] += $2 } END { for (t in n) printf "
     "\"%s\\t%d\\t%.0f\\t%d\\t%d\\t%d\\n\", t, n[t], s[t], l[t], m[t], n[t] }' | sort | diff "
     "$D/alloc - "
     "&& head -n 1 $D/alloc | cut -f 2,3",
     0, "1\t106916\n", NULL, false},
    {"F=$S/etwanalyzer-TraceLoggingTester.etl.zst; printf '[view]\nsource = other\n[column "
     "event]\nfield = "
     "event\n[column sum]\nfield = .d\nagg = sum\nsort = yes\n[column mean]\nfield = .d\nagg = "
     "avg\n[column least]\nfield = .i64\nagg = min\n[column large]\nfield = .i64\nagg = sum\n' > "
     "$D/real.view; $T dump $F -O csv --separator tab -k .d,.i64 '.d=*' -q | awk -F'\t' 'NR > 1 { "
     "d += $1; n++; "
     "i += $2 } END { printf \"%.15g %.15g 9223372036854775807 %.0f\\n\", d, d / n, i }' > "
     "$D/real; $T top real "
     "--view $D/real.view $F -O tsv -q -k sum,mean,least,large 'sum>31.3' | tail -n +2 | tr '\t' ' "
     "' > $D/shown; "
     "cat $D/shown; awk '{ printf \"%.15g %.15g %s %.0f\\n\", $1, $2, $3, $4 }' $D/shown | diff "
     "$D/real -",
     0, "31.400000000000002 3.14 9223372036854775807 9.223372036854776e+19\n", NULL, false},
    {"printf '[view]\nsource = disk\n[column size]\nfield = DiskIo.Read.TransferSize\n[column "
     "flags]\nfield = IrpFlags\n[column n]\nagg = count\n[column at]\nfield = .ByteOffset\nagg = "
     "sum\n' > $D/reads.view; $T top reads --view $D/reads.view " WIN7
     " -O tsv -q -k size,flags,n,at -s size:asc | tail -n +2 > $D/reads; cut -f 1 $D/reads | sort "
     "-nc "
     "&& $T dump " WIN7 " -O csv --separator tab -k TransferSize,IrpFlags,ByteOffset "
     "'DiskIo.Read.TransferSize=*' -q | awk -F'\t' 'NR > 1 { k = $1 FS $2; n[k]++; s[k] += $3 } "
     "END "
     "{ for (k in n) printf \"%s\\t%d\\t%.0f\\n\", k, n[k], s[k] }' | sort > $D/dumped; sort "
     "$D/reads | "
     "diff - $D/dumped && awk -F'\t' '{ n += $3 } END { print n, (NR > 3) }' $D/reads",
     0, "65 1\n", NULL, false},
    {"awk -F'\t' '$1 == 65536' $D/reads | wc -l > $D/n; test $(cat $D/n) -gt 0 && $T top reads "
     "--view "
     "$D/reads.view " WIN7 " -O tsv -q size=65536 | tail -n +2 | wc -l | diff - $D/n",
     0, NULL, NULL, false},
    {"printf '[view]\nsource = disk\n[column size]\nfield = level\n[column n]\nagg = count\n' > "
     "$D/level.view; $T fields level --view $D/level.view",
     1, NULL, "in payloads write .level", false},
    {"printf '[view]\nsource = ready\n[column cpu]\nrun = rm\n' > $D/bad.view; $T fields --view "
     "$D/bad.view",
     1, NULL, "bad.view:4: there is no item \"run\"", false},
    {"$T fields opens --view $D/no.view", 1, NULL, "no.view", false},
    {"stat -c %a $D/rec.etl; ls $D/rec*", 0, "600\n", NULL, false},
    {"$T record --source demo -o $D/rec.etl -t 1s", 1, NULL, "already exists; --force", false},
    {"$T record --source demo --events 9000 --rate 0 -o $D/dry.etl", 0, NULL, "dry.etl: ", false},
    /* a part has the processors' time of the part: 8 processors, one second */
    {"$T record -q --source demo --events 200000 --rate 0 --seed 7 -o $D/whole.etl && "
     "$T cut -r 1s..2s $D/whole.etl -o $D/part.etl 2>/dev/null && "
     "$T top processes $D/part.etl -k cpu_time -O tsv 2>/dev/null | "
     "awk '{ s += $1 } END { print (s > 7.9e9 && s < 8.02e9) }'",
     0, "1\n", NULL, false},
    /* from the first event on, with the total that anybody else counts, and lists in parts */
    {"$T record --source demo --events 90000 --rate 0 --seed 7 -o $D/all.etl 2>$D/all.txt", 0, NULL,
     NULL, false},
    {"n=$($T stats $D/all.etl | awk -F'\t' 'NR>1{n+=$6}END{print n}'); "
     "test $n -gt 90000 && grep -c \" s, $n events, \" $D/all.txt; "
     "$T top events $D/all.etl -k time -O tsv | tail -n +2 | sort -c && "
     "test $n -eq $($T top events $D/all.etl -O csv | tail -n +2 | wc -l) && echo whole",
     0, "1\nwhole\n", NULL, FAST},
    /* by name: each name once, with the sums of all its processes; a pid chooses among the events
     */
    {"printf '[view]\nsource = ready\n[column proc]\nfield = proc\n[column n]\nagg = count\n' > "
     "$D/names.view; "
     "printf '[view]\nsource = ready\n[column pid]\nfield = pid\n[column proc]\nfield = proc\n"
     "[column n]\nagg = count\n' > $D/ids.view; "
     "$T top ids --view $D/ids.view $D/all.etl -k pid,proc,n -O tsv | tail -n +2 > $D/ids; "
     "cut -f2 $D/ids | sort | uniq -d | grep -c . | awk '{print ($1 > 1)}'; "
     "awk -F'\t' '{n[$2] += $3} END {for (i in n) print i \"\\t\" n[i]}' $D/ids | sort > $D/n; "
     "$T top names --view $D/names.view $D/all.etl -k proc,n -O tsv | tail -n +2 | sort | diff "
     "$D/n - && echo same; "
     "p=$(awk -F'\t' '$2 == \"cl.exe\" {print $1; exit}' $D/ids); "
     "awk -F'\t' -v p=$p '$1 == p {n += $3} END {print \"cl.exe\\t\" n}' $D/ids > $D/n; "
     "$T top names --view $D/names.view $D/all.etl -k proc,n -O tsv pid=$p | tail -n +2 | diff "
     "$D/n - && "
     "test -s $D/n && echo one",
     0, "1\nsame\none\n", NULL, false},
};

/* How recordings end: with a command, by a signal, with a full disk; files in rotation, and what a
 * killed one leaves. */
static const struct row endings[] = {
    {"$T record --source demo -o $D/ran.etl -q -- sh -c 'sleep 0.2; exit 7'", 7, NULL, NULL, false},
    {"$T record --source demo -o $D/ran2.etl -- /no/such/program; echo $?; ls $D | grep ran2", 1,
     "1\n", "cannot start '/no/such/program': No such file", false},
    {"$T record --source demo -o $D/ran4.etl -q -- true && $T stats $D/ran4.etl | head -1", 0,
     "header", NULL, false},
    {"$T record --source demo -o $D/ran5.etl -q -- sh -c 'kill -9 $$'", 137, NULL, NULL, false},
    /* Ctrl-C is the terminal's: both get it, and the command's answer to it counts */
    {"setsid $T record --source demo -o $D/ran6.etl -q -- sh -c 'trap \"exit 9\" INT; sleep 5 & "
     "touch $D/up; wait' & until test -e $D/up; do sleep 0.02; done; kill -INT -$!; wait $!; echo "
     "$?; $T stats $D/ran6.etl | head -1",
     0, "9\nheader", NULL, false},
    /* the command does not care: a second one ends us alone */
    {"$T record --source demo -o $D/ran7.etl -q -- sleep 60 & " BEGUN(
         "ran7.etl") "kill -INT $!; sleep 0.5; kill -INT $! && while kill -INT $! 2>/dev/null; do "
                     "sleep 0.2; done; wait $!; echo $?; $T stats $D/ran7.etl | head -1",
     0, "130\nheader", NULL, false},
    {"$T record --source demo -o $D/ran8.etl -q -- sleep 60 & " BEGUN(
         "ran8.etl") "kill -TERM $!; wait $!; "
                     "echo $?; $T stats $D/ran8.etl | head -1",
     0, "143\nheader", NULL, false},
    {"$T record --source demo -o $D/ran3.etl -- ", 2, NULL, "expected a command after --", false},
    {"$T top proc -- ls", 2, NULL, "is not valid for 'top'", false},
    {"$T record --source demo -o $D/rot.etl --filemode rotate", 1, NULL, "--max-size", false},
    {"$T record --source demo -o $D/c.etl --filemode circular --max-size 20M --compress", 1, NULL,
     "--compress: a circular file's", false},
    {"$T record --source demo --rate 100000 -o $D/packed.etl -t 1s --compress; $T dump -O etl "
     "$D/packed.etl -o $D/plain.etl; $T dump -O etl $D/plain.etl --compress -o $D/again.etl; for f "
     "in packed plain again; do $T stats $D/$f.etl | cksum; done | uniq | wc -l; test $(stat -c %s "
     "$D/packed.etl) -lt $(($(stat -c %s $D/plain.etl) * 3 / 4)) && echo smaller",
     0, "1\nsmaller\n", "packed.etl", false},
    {"$T dump $D/packed.etl --compress", 2, NULL, "--compress is valid for traces only", false},
    {"$T record --source demo -o $D/rot.etl --filemode sideways", 2, NULL, "expected sequential",
     false},
    {"$T record --source demo --rate 400000 -o $D/rot.etl --filemode rotate --max-size 4M", 1, NULL,
     " processors a file takes ", false},
    {"$T record --source demo --rate 500000 -o $D/rot.etl --filemode rotate --max-size 20M & "
     "until ls $D | grep -q 'rot-0003'; do sleep 0.02; done; kill -INT $!; wait $!; "
     "ls $D | grep -c 'rot-000[12].etl$'",
     0, "2\n", "/rot-0001.etl to ", false},
    {"$T record --source demo -o $D/int.etl & " BEGUN(
         "int.etl") "kill -INT $!; wait $!; echo $?; $T stats "
                    "$D/int.etl | head -1",
     0, "0\nheader", "Ctrl-C ends it", false},
    {"for s in TERM HUP QUIT; do $T record --source demo -q -o $D/$s.etl & " BEGUN(
         "$s.etl") "kill -$s $!; "
                   "wait $!; echo $?; $T stats $D/$s.etl 2>&1 | grep -c 'never stopped'; done; ls "
                   "$D | grep -c "
                   "partial",
     1, "0\n0\n0\n0\n0\n0\n0\n", NULL, false},
    {"$T record --source demo --rate 500000 -o $D/few.etl --filemode rotate --max-size 20M "
     "--max-files 2 & until ls $D | grep -q 'few-000[4-9]'; do sleep 0.02; done; kill -INT $!; "
     "wait $!; ls $D | grep few | wc -l; $T stats $D/few-0002.etl",
     1, "2\n", "of which 2 remain, the oldest ", false},
    {"$T record --source demo -o $D/x.etl --max-files 2", 1, NULL, "--filemode rotate", false},
    {"$T record --source demo -o $D/x.etl --max-files 0", 2, NULL, "from 1 to", false},
    {"$T record --source demo -o $D/x.etl.zst -t 1s", 1, NULL,
     "cannot be written while events come", false},
    /* what a killed one leaves is found, said, read, and never overwritten */
    {"$T record --source demo -o $D/dead.etl -q & " BEGUN(
         "dead.etl") "kill -9 $!; wait $!; $T record "
                     "--source demo -o $D/dead.etl -t 1s --force; echo $?; $T stats "
                     "$D/dead.etl.partial | head -1",
     0, "1\nheader", "dead.etl.partial exists: ", false},
    /* what is recorded stays, whatever becomes of the place where it should be */
    {"mkdir $D/here; $T record --source demo --rate 100000 -o $D/here/x.etl & " GROWN(
         "here/x.etl") "mv $D/here "
                       "$D/there; kill -INT $!; wait "
                       "$!; echo $?; $T stats $D/there/x.etl.partial | grep -c CSwitch",
     0, "1\n1\n", "/there/x.etl.partial\n", false},
    {"mkdir $D/gone; $T record --source demo -o $D/gone/x.etl & " BEGUN(
         "gone/x.etl") "rm -r $D/gone; "
                       "kill -INT $!; wait $!",
     1, NULL, "; the file was removed in the meantime\n", false},
    {"$T record --source demo --rate 100000 -o $D/late.etl & " GROWN(
         "late.etl") "echo theirs >$D/late.etl; kill -INT $!; wait "
                     "$!; echo $?; cat $D/late.etl; $T stats $D/late.etl.partial | grep -c CSwitch",
     0, "1\ntheirs\n1\n", "File exists; the data is in ", false},
    {"$T record --source demo -t 1s -o $D/$(printf %0250d 1).etl", 1, NULL, "File name too long",
     false},
    {"$T record --source demo -t 1s -o $D/no/such.etl", 1, NULL, "No such file or directory",
     false},
    {"(ulimit -f 3000; $T record --source demo --rate 500000 -t 60s -o $D/quota.etl; echo $?); $T "
     "stats $D/quota.etl | head -1",
     0, "1\nheader", " of them not written\n", false},
    {"$T record -o $D/flags.etl --kernel-flags alpc,foo", 2, NULL,
     "expected some of dbgprint, alpc, splitio and driver, found 'foo'", false},
    {"$T record -o $D/flags.etl --kernel-flags alpc,", 2, NULL,
     "expected some of dbgprint, alpc, splitio and driver, found ''", false},
    {"$T record -o $D/flags.etl -t 100ms --source demo --kernel-flags driver,splitio", 0, NULL,
     "events", false},
    {"$T record begin x.etl", 2, NULL, "expected record start, stop or status", false},
    {"$T record start a.etl -t 1s", 2, NULL, "--duration is not valid for 'record start'", false},
    {"$T record start a.etl -o b.etl", 2, NULL, "takes one name, found two", false},
    {"$T record stop now", 2, NULL, "takes no further arguments, found 'now'", false},
    {"$T record start a.etl", 1, NULL, "no monitor of this user is running", false},
    {"$T mark --field 7=1 x", 2, NULL, "with a name of letters, digits and _, found '7=1'", false},
    {"$T mark --level loud x", 2, NULL, "critical, error, warning, info or verbose, found 'loud'",
     false},
    /* options that choose what is collected are not ignored where a trace is read */
    {"$T top processes README.md -p 4", 2, NULL,
     "--pid chooses what is collected, and these events", false},
    {"$T dump README.md --source demo", 2, NULL, "--source chooses what is collected", false},
    {"$T stacks cpu README.md -g disk", 2, NULL, "--stacks chooses what is collected", false},
    {"$T stats README.md op=read", 1, NULL, "no such file; 'stats' takes no filter", false},
    {"$T mark before the deploy", 1, NULL, "no monitor of this user is running", false},
    {"$T snapshot", 1, NULL, "no monitor of this user is running", false},
};

/* Tables: top, fields, keys, the doctor. */
static const struct row listing[] = {
    /* top: over files as a whole, per interval over the demo; every format */
    {"$T top processes " WIN7 " | head -1", 0, " PID  NAME ", "", true},
    {"$T top processes " WIN7 " -O csv -k pid,name,disk_write -s disk_write -N 2", 0,
     "pid,name,disk_write_bytes_per_s\r\n4,System,", NULL, true},
    {"$T top proc " WIN7 " -O jsonl -s pid:asc -N 1", 0,
     "{\"schema\":\"tracetop.processes.1\",\"time\":\"2016-05-26T20:17:29.", NULL, true},
    {"$T top disk " WIN7 " wmpnetwk -O tsv -k pid,name,ops", 0,
     "pid\tname\tops\n816\twmpnetwk.exe\t25\n", NULL, true},
    {"$T top disk --source demo -O tsv -k disk,ops -N 1 0.1 3 | wc -l", 0, "4\n", NULL, false},
    {"$T top disk --events 2000 --rate 0 -O csv -k disk -N 1", 0, "disk\r\n", NULL, false},
    {"for k in time,HeapNum,.ThreadID .Type,Thread.DCStart.TThreadId; do "
     "$T dump $S/perfview-net.4.5.2.x64.etl.zst -O csv -k $k | sort >$D/f; "
     "cut -d, -f2- $D/f | grep -q '[0-9]' || echo empty; "
     "$T top events $S/perfview-net.4.5.2.x64.etl.zst -O csv -k $k | sort | cmp - $D/f && "
     "echo same; done",
     0, "same\nsame\n", NULL, FIGURES},
    {"$T dump $S/etwanalyzer-TraceLoggingTester.etl.zst -O csv -k time,ModuleILPath | sort >$D/f; "
     "$T top events $S/etwanalyzer-TraceLoggingTester.etl.zst -O csv -k time,ModuleILPath | sort | "
     "cmp - $D/f && echo same",
     0, "same\n", NULL, FIGURES},
    {"$T top events $S/perfview-gcevents.etl -k .Depth | grep -c '^    [12]$'", 0, "4\n", NULL,
     true},
    {"$T top events $S/perfview-gcevents.etl -k .nosuchfield,time -O tsv | cut -f1 | sort -u", 0,
     ".nosuchfield\n", NULL, true},
    {"$T top events --events 2000 --rate 0 -k $(seq -s, -f .f%g 33)", 2, NULL,
     "at most 32 columns can be fields of payloads", false},
    {"$T top events --events 2000 --rate 0 -k .$(printf %0127d 1)", 2, NULL,
     "a column's name has 1 to 127 bytes", false},
    {"$T top events --events 2000 --rate 0 -O csv -k .$(printf %0126d 1) | head -n 1 | wc -c", 0,
     "129\n", NULL, false}, /* and the end of a line */
    /* queries: sums equal a count of the records, groups that of the pane */
    {"$T dump -O csv -k pid,TransferSize " WIN7 " event=Read,Write provider=DiskIo | tr -d '\\r' | "
     "awk -F, 'NR > 1 { n[$1]++; s[$1] += $2; if (m[$1] + 0 < $2 + 0) m[$1] = $2 } "
     "END { for (p in n) print p, n[p], s[p], m[p] }' | sort -n >$D/c; "
     "$T top --by 'pid | count, sum size, max size where class=disk op=read,write sort pid' " WIN7
     " -O csv -q -k pid,count,sum_size,max_size | tr -d '\\r' | tr , ' ' | tail -n +2 | diff $D/c "
     "- && "
     "wc -l <$D/c",
     0, "7\n", NULL, FIGURES},
    {"$T dump -O csv -k TypeName,AllocationAmount64 " WIN7
     " event=GarbageCollection/GCAllocationTick | "
     "tr -d '\\r' | awk -F, 'NR > 1 { n[$1]++; s[$1] += $2 } END { for (t in n) "
     "printf \"%s %d %.0f\\n\", t, n[t], s[t] }' | "
     "sort >$D/c; $T top --by '.TypeName | count, sum .AllocationAmount64' " WIN7
     " -O csv -q -k typename,count,sum_allocationamount64 | tr -d '\\r' | tr , ' ' | tail -n +2 | "
     "sort | diff $D/c - && wc -l <$D/c",
     0, "3\n", NULL, FIGURES},
    {"$T top --by 'by proc where class=disk top 2' " WIN7 " -O csv -k proc,count | tr -d '\\r'", 0,
     "proc,count\nSystem,505\nwmpnetwk.exe,25\n", "", FIGURES},
    /* each aggregation of dtrace, against awk: exact ones equal, percentiles within 1/16 */
    {"$T dump -O csv -k proc,HighResResponseTime,TransferSize " WIN7
     " event=Read,Write provider=DiskIo | tr -d '\\r' >$D/io; $T top --by 'proc | count, sum size, "
     "avg size, min size, max size, stddev size where class=disk op=read,write' " WIN7
     " -q -O csv -k proc,count,sum_size,avg_size,min_size,max_size,stddev_size | tr -d '\\r' | "
     "tail -n +2 | sort >$D/f; awk -F, 'NR > 1 { p = $1; v = $3; if (!(n[p]++)) l[p] = v; "
     "s[p] += v; q[p] += v * v; if (v < l[p]) l[p] = v; if (v > m[p] + 0) m[p] = v } "
     "END { for (p in n) printf \"%s,%d,%.0f,%d,%d,%d,%.0f\\n\", p, n[p], s[p], int(s[p] / n[p]), "
     "l[p], m[p], sqrt((n[p] * q[p] - s[p] * s[p]) / n[p] / n[p]) }' $D/io | sort | diff - $D/f && "
     "wc -l <$D/f",
     0, "7\n", NULL, FIGURES},
    {"awk -F, 'NR > 1 { b = 1; while (2 * b <= $3) b *= 2; n[$1 \" \" b]++ } END { for (k in n) "
     "print k \":\" n[k] }' $D/io | sort >$D/c; $T top --by 'proc | quantize size where class=disk "
     "op=read,write' " WIN7 " -q -O tsv -k proc,quantize_size | tail -n +2 | awk -F'\t' '{ "
     "n = split($2, b, \" \"); for (i = 1; i <= n; i++) if (b[i] !~ /:0$/) print $1 \" \" b[i] }' "
     "| "
     "sort | diff $D/c - && wc -l <$D/c",
     0, "19\n", NULL, FIGURES},
    {"awk -F, 'NR > 1 { b = int($3 / 16384) * 16384; n[$1 \" \" (b < 65536 ? b : \">=65536\")]++ } "
     "END { for (k in n) print k \":\" n[k] }' $D/io | sort >$D/c; $T top --by 'proc | "
     "lquantize(0, 64K, 16K) size where class=disk op=read,write' " WIN7
     " -q -O tsv -k proc,lquantize_size | tail -n +2 | awk -F'\t' '{ n = split($2, b, \" \"); "
     "for (i = 1; i <= n; i++) if (b[i] !~ /:0$/) print $1 \" \" b[i] }' | sort | diff $D/c - && "
     "wc -l <$D/c",
     0, "14\n", NULL, FIGURES},
    {"for p in 50 75 90 95 99 999; do grep ^System, $D/io | cut -d, -f3 | sort -n | "
     "awk -v p=0.$p '{ v[NR] = $1 } END { k = int(NR * p); print v[k < NR * p ? k + 1 : k] }'; "
     "done | paste -s >$D/c; $T top --by 'proc | p50 size, p75 size, p90 size, p95 size, p99 size, "
     "p999 size where class=disk op=read,write proc=System' " WIN7
     " -q -O tsv -k p50_size,p75_size,"
     "p90_size,p95_size,p99_size,p999_size | tail -n 1 | cat $D/c - | awk 'NR == 1 { split($0, t) "
     "} "
     "NR == 2 { for (i = 1; i <= 6; i++) if ($i >= t[i] && $i <= t[i] * 17 / 16) n++; print n }'",
     0, "6\n", NULL, FIGURES},
    {"$T top --by 'proc | count, quantize size where class=disk top 2' " WIN7 " -q | sed -n "
     "'1,4p;/^$/,$p'",
     0,
     "PROC System  COUNT 505\n  quantize_size\n   value (bytes)  ------------- Distribution "
     "------------- count\n               0 |                                         6\n"
     "\nPROC wmpnetwk.exe  COUNT 25\n  quantize_size\n   value (bytes)  ------------- Distribution "
     "------------- count\n            4096 |@@@                                      2\n"
     "            8192 |@@@@@@@@                                 5\n"
     "           16384 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@            18\n",
     NULL, FIGURES},
    {"$T top --by 'proc | lquantize(0, 64K, 32K) size where class=disk op=read,write "
     "proc=System' " WIN7 " -q -O jsonl -k lquantize_size | grep -o '\"lquantize.*'",
     0,
     "\"lquantize_size\":[{\"value\":0,\"count\":88},{\"value\":32768,\"count\":22},{\"from\":"
     "65536,"
     "\"count\":389}]}\n",
     NULL, FIGURES},
    /* Latency comes with the end of an operation: by it they are counted, and the size that was
     * asked for at the beginning is not known to have passed. */
    {"$T record --source demo --events 60000 --rate 0 --seed 7 -q -o $D/ends.etl; "
     "for class in file syscall; do "
     "$T top --by \"op | count where class=$class lat>=5us\" $D/ends.etl -O tsv -q | "
     "awk 'NR > 1 { n += $2 } END { print n }' >$D/a; "
     "$T dump $D/ends.etl class=$class 'lat>=5us' -O jsonl -q | wc -l >$D/b; "
     "test $(cat $D/a) -gt 0 && test $(cat $D/a) -eq $(cat $D/b) && echo equal; done; "
     "$T top --by 'op | count, sum size where class=file lat>=1us top 1' $D/ends.etl -q -k "
     "sum_size | tail -1 | tr -d ' '; rm $D/ends.etl $D/a $D/b",
     0, "equal\nequal\n-\n", NULL, false},
    /* the same from a ring that holds the whole, and from one that is read anew */
    {"q='proc, dir(path,1), op | count, sum size, stddev lat, p99 lat, quantize size, distinct "
     "path, "
     "first path, last lat where class=disk'; for r in 1M 4M 256M; do $T top --by \"$q\" " WIN7
     " -q -O tsv --ring $r | sort >$D/r$r; done; cmp $D/r1M $D/r256M && cmp $D/r4M $D/r256M && "
     "grep -c . $D/r1M",
     0, "14\n", NULL, FIGURES},
    /* keys that are functions: rows are those of the records, put together by awk */
    {"$T dump -O csv -k time,TransferSize " WIN7
     " event=Read,Write provider=DiskIo | tr -d '\\r' | "
     "tail -n +2 >$D/t; cut -c1-19 $D/t | sort | uniq -c | awk '{ print $2 \",\" $1 }' >$D/c; "
     "$T top --by 'time(1s) | count where class=disk op=read,write sort time(1s)' " WIN7
     " -q -O csv -k time_1s,count | tr -d '\\r' | tail -n +2 | sed 's/\\.0000000Z//' | diff $D/c - "
     "&& "
     "wc -l <$D/c",
     0, "5\n", NULL, FIGURES},
    {"awk -F, '{ for (b = 1; 2 * b <= $2;) b *= 2; n[b]++ } END { for (b in n) print b \",\" n[b] "
     "}' "
     "$D/t | sort -n >$D/c; $T top --by 'bucket(size) | count where class=disk op=read,write "
     "sort bucket(size)' " WIN7 " -q -O csv -k bucket_size,count | tr -d '\\r' | tail -n +2 | "
     "diff $D/c - && wc -l <$D/c",
     0, "8\n", NULL, FIGURES},
    {"$T top --by 'path | count where class=disk' " WIN7 " -q -O tsv -k path,count | tail -n +2 | "
     "awk -F'\t' '{ d = $1; sub(/[\\\\][^\\\\]*$/, \"\", d); if (d != \"(unknown)\" && d !~ "
     "/[\\\\]/) "
     "d = d \"\\\\\"; n[d] += $2 } END { for (d in n) print d \"\t\" n[d] }' | sort >$D/c; "
     "$T top --by 'dir(path) | count where class=disk' " WIN7 " -q -O tsv -k dir_path,count | "
     "tail -n +2 | sort | diff $D/c - && wc -l <$D/c",
     0, "10\n", NULL, FIGURES},
    {"$T top --by 'raddr | count' " WIN7 " -q -O tsv -k raddr,count | tail -n +2 | grep -v : | "
     "awk -F'[.\t]' '{ n[$1 \".\" $2 \".0.0/16\"] += $NF } END { for (a in n) print a \"\t\" n[a] "
     "}' | "
     "sort >$D/c; $T top --by 'net(raddr, 16) | count' " WIN7
     " -q -O tsv -k net_raddr_16,count | tail -n +2 | grep -v : | sort | diff $D/c - && "
     "wc -l <$D/c",
     0, "2\n", NULL, FIGURES},
    {"$T top --by 'provider | count where class=sample' " WIN7 " -q -O tsv -k provider,count", 0,
     "provider\tcount\nPerfInfo\t16865\n", NULL, FIGURES},
    {"$T top --by 'user, proc, op, cpu | count, sum size where class=disk' " WIN7
     " -q -O tsv -k user,proc,count | awk -F'\t' '{ n[$1 \" \" $2] += $3 } "
     "END { print n[\"SYSTEM System\"], n[\"NETWORK SERVICE wmpnetwk.exe\"] }'",
     0, "505 25\n", NULL, FIGURES},
    {"$T top --by 'module(stack) | count where class=sample' " WIN7
     " -q -O tsv -k module_stack,count | "
     "awk -F'\t' 'NR > 1 { n += $2 } $1 == \"clr.dll\" { c = $2 } END { print (c > 1000 ? n : c) "
     "}'; "
     "$T dump " WIN7 " provider=PerfInfo event=SampleProf | wc -l",
     0, "16865\n16865\n", NULL, FIGURES},
    {"$T top --by 'dir(path,0) | count' --source demo", 2, NULL, "expected dir(path,N)", false},
    /* Payloads are read from the file again where the ring has lost them. */
    {"for ring in 1M 256M; do $T top --by '.TypeName | count' " WIN7 " --ring $ring -q -O tsv; "
     "$T top processes " WIN7
     " '.AllocationAmount64>0' --ring $ring -q -O tsv; done | sort | uniq -c "
     "| awk '$1 % 2 { odd++ } END { print (NR > 5), odd + 0 }'",
     0, "1 0\n", NULL, FIGURES},
    /* A read of a file is a read of a disk, too. */
    {"$T top --by 'op | sum size where op=read' --source demo --events 60000 --rate 0 --seed 7 1s "
     "1 "
     "-O tsv | head -n 1",
     0, "op\tsum_size_bytes\tshare_percent\n", "class=file or class=disk", false},
    {"$T top --by 'op | sum size where class=disk' --source demo --events 60000 --rate 0 1s 1 -q "
     "-O "
     "tsv | head -n 1",
     0, "op\tsum_size_bytes\tshare_percent\n", "", false},
    /* each key of `by event` is a filter by which there are as many */
    {"$T record --source demo --events 30000 --rate 0 --seed 7 -q -o $D/ev.etl", 0, NULL, NULL,
     false},
    {"$T top --by 'event | count' $D/ev.etl -O tsv -q -k event,count | tail -n +2 >$D/a; "
     "while IFS='\t' read -r e n; do $T top --by \"event | count where event=\\\"$e\\\"\" "
     "$D/ev.etl "
     "-O tsv -q -k event,count | tail -n +2; done <$D/a >$D/b; cmp $D/a $D/b && grep -c / $D/a | "
     "grep -q .. && echo same",
     0, "same\n", "", FAST},
    {"$T top --by 'event | count where event=\"Microsoft-Windows-DNS-Client/id 1001\"' " WIN7
     " -O tsv -q -k event,count",
     0, "event\tcount\nMicrosoft-Windows-DNS-Client/id 1001\t3\n", "", true},
    /* what top says of an answer stands in the JSON as well */
    {"$T ask 'by proc | sum size' $D/ev.etl -q | grep -o 'remarks\":\\[\"bytes and times of files'",
     0, "remarks\":[\"bytes and times of files\n", "", false},
    {"$T ask 'by proc | count where opcode=nonsense' $D/ev.etl -q | grep -o 'remarks\":\\[\"no "
     "opcode "
     "of these'",
     0, "remarks\":[\"no opcode of these\n", "", false},
    {"$T ask 'by proc | count' $D/ev.etl -q | grep -o 'remarks\":\\[[^]]*'", 0, "remarks\":[\n", "",
     false},
    {"$T record --source demo --events 300000 --rate 0 --seed 11 -q -o $D/many.etl; q='event, "
     "time(1ms), cpu, tid | count'; $T ask \"by $q\" $D/many.etl -q | "
     "grep -o 'complete\":false.*folded_rows\":[1-9]' | cut -c1-15; "
     "$T top --by \"$q top 1\" $D/many.etl 2>&1 | grep -o 'rows did not fit.*adds them up'",
     0, "complete\":false\nrows did not fit: (others) adds them up\n", "", FAST},
    /* payload fields that no event has */
    {"$T top --by 'DiskIo.Read.TransferSiz | count' $D/ev.etl -q", 0, "DISKIO-READ-TRANSFERSIZ", "",
     false},
    {"$T top --by 'DiskIo.Read.TransferSiz | count' $D/ev.etl", 0, "DISKIO-READ-TRANSFERSIZ",
     "no event here has a payload field 'DiskIo.Read.TransferSiz'; did you mean TransferSize?",
     false},
    {"$T top --by 'Dsikio.TransferSize | count' $D/ev.etl", 0, "DSIKIO-TRANSFERSIZE",
     "no provider or event here is called 'Dsikio'; did you mean DiskIo?", false},
    {"$T top --by 'proc | count, sum .Nope' $D/ev.etl", 0, "PROC ",
     "no event here has a payload field '.Nope'", false},
    {"$T top --by 'proc | count where .Nope=1' $D/ev.etl", 0, "PROC ",
     "no event here has a payload field '.Nope'", false},
    {"$T top --by 'frame | count' $D/ev.etl", 0, "FRAME ",
     "no event here has a payload field 'frame'; did you mean frame(N)?", false},
    {"$T ask 'by Nope.Read.TransferSize | count' $D/ev.etl -q | grep -o 'remarks\":\\[[^]]*'", 0,
     "remarks\":[\"no provider or event here is called 'Nope.Read'\"\n", "", false},
    {"$T top --by 'DiskIo.Read.TransferSize | count' $D/ev.etl", 0, "DISKIO-READ-TRANSFERSIZ", "",
     false},
    {"$T top --by 'prc | count' --source demo", 2, NULL, "did you mean proc?", false},
    {"$T top --by 'proc | sum' --source demo", 2, NULL, "expected a field after sum", false},
    {"$T top --by '' --source demo", 2, NULL, "expected some text", false},
    {"$T top --by \"$(printf %070000d 1)\" --source demo", 2, NULL, "a key has at most 127", false},
    {"$T top", 2, NULL, "'top' needs a PANE", false},
    /* actions: what is cleared, and what is left at the end, is all that there is */
    {"demo='--seed 4 --rate 20000 --events 20000 --start 2026-05-17T10:20:30Z -O tsv -q'; "
     "$T top --by 'event | count' --every '150ms print clear' --at-end 'print clear' $demo | "
     "awk -F'\t' '$1 != \"event\" { n[$1] += $2 } END { for (e in n) print e \"\t\" n[e] }' | sort "
     ">$D/c; $T top --by 'event | count' --at-end print $demo | cut -f1,2 | grep -v ^event | sort "
     "| "
     "diff $D/c - && test $(wc -l <$D/c) -gt 9 && echo same",
     0, "same\n", NULL, false},
    {"$T top --by 'proc | count, sum size sort sum size' --at-end 'print per s top 2' --rate 0 "
     "--events 20000 -O csv -q | tr -d '\\r' | cut -d, -f1-3 | sed -n '1p;$='",
     0, "proc,rate_per_s,rate_size_bytes_per_s\n3\n", NULL, false},
    {"$T top --by 'proc | count, p99 lat' " WIN7
     " -O tsv -q >$D/c; $T top --by 'proc | count, p99 lat' "
     "--at-end print " WIN7 " -O tsv -q | diff $D/c - && wc -l <$D/c",
     0, "31\n", NULL, FIGURES},
    {"$T top --by 'proc | count sort proc' -r 1s..2s " WIN7 " -O tsv -q | cut -f1,2 >$D/c; "
     "$T top --by 'proc | count sort proc' -r 1s..2s --at-end print " WIN7
     " -O tsv -q | cut -f1,2 | diff $D/c - && wc -l <$D/c",
     0, "\n", NULL, FIGURES},
    {"$T top --by 'proc | count' --every '1s print' --source demo -q 1s 2", 2, NULL,
     "COUNT is not valid beside them", false},
    {"$T top --by 'proc | count' --every '1s print clear' --rate 0 --ring 1M -t 3s -O tsv", 0,
     "proc\tcount", "which are no longer kept: print more often", false},
    {"$T top --by 'proc | sum size' --at-end 'print per op top 1' --rate 0 --events 20000 -O csv "
     "-q "
     "| head -1",
     0, "proc,avg_size_bytes", NULL, false},
    {"$T top --by 'proc | sum size' --every '100ms print' --at-end 'print per op' --source demo -O "
     "tsv "
     "-q >$D/at-end & until test -s $D/at-end; do sleep 0.02; done; kill -INT $!; wait $!; echo "
     "$?; "
     "grep avg $D/at-end",
     0, "0\nproc\tavg_size_bytes", NULL, false},
    /* blocks of different actions have heads of their own */
    {"$T top --by 'proc | count, sum size where class=disk' --source demo --every '400ms print per "
     "s top 2' --every '700ms print clear' -O tsv -q >$D/b & "
     "until test $(grep -c ^proc $D/b) -gt 2; do sleep 0.05; done; kill -INT $!; wait $!; "
     "awk -F'\t' '/^proc/ { w = NF; seen[$2]++ } NF != w { bad++ } "
     "END { print (seen[\"rate_per_s\"] > 0) + (seen[\"count\"] > 0), bad + 0 }' $D/b",
     0, "2 0\n", "", false},
    {"$T top --by 'proc | count, sum size where class=disk' --at-end 'print per s' -s sum_size -k "
     "rate_size $D/ev.etl -q -O tsv >$D/b; tail -n +2 $D/b | sort -c -g -r && grep -c . $D/b",
     0, "8\n", "", false},
    {"$T top --by 'proc | count' --at-end 'print per s' -s count:asc -k rate $D/ev.etl -q -O tsv | "
     "tail -n +2 | sort -c -g && echo sorted",
     0, "sorted\n", "", false},
    /* the intervals of a range alone, in sum what the range has */
    {"$T record --source demo --events 90000 --rate 0 --seed 7 -q -o $D/range.etl; "
     "for r in 300ms..1200ms 1100ms..1300ms 0s..60s; do "
     "$T top --by 'proc | count, trend where op!=read' -r $r $D/range.etl -q -O tsv | awk -F'\t' '"
     "NR > 1 { n = split($3, of, \" \"); sum = 0; for (i = 1; i <= n; i++) sum += of[i]; "
     "bad += sum != $2; rows++; most = n > most ? n : most } "
     "END { print (rows > 5) + 10 * bad, most }'; done",
     0, "1 2\n1 1\n1 2\n", "", false},
    {"$T top --by 'proc | count' -s nothing $D/ev.etl", 2, NULL,
     "the query has no column 'nothing'; it has proc, count, share", false},
    {"$T top --by proc --at-end 'print x' --source demo", 2, NULL, "expected per, top or clear",
     false},
    {"$T top --by proc --every 'print' --source demo", 2, NULL, "--every: ", false},
    {"$T top --by proc --every '1ms print' --source demo", 2, NULL, "at least 100ms", false},
    {"$T top --by proc --at-end 'print per h' --source demo", 2, NULL, "expected s or op", false},
    {"$T top disk --at-end print --source demo", 2, NULL, "print the answer to --by", false},
    {"$T top --by proc -t 1s --source demo", 2, NULL,
     "-t works only with --every or --at-end; without them, Ctrl-C ends top", false},
    {"$T top --by proc -t 1s " WIN7, 2, NULL,
     "-t is valid for live events only; -r selects a part of a trace", true},
    /* for programs (tests/answers.sh has the rest) */
    {"$T ask --json 'by proc where class=disk top 2' " WIN7 " -q | grep -o '\"rows\".*'", 0,
     "\"rows\":[[\"System\",505,93.173],[\"wmpnetwk.exe\",25,4.613]],\"first\":0,"
     "\"row_count\":7,\"others\":{\"rows\":5,\"sums\":[null,12,null]}}\n",
     NULL, true},
    {"$T ask --json 'by proc where class=disk top 1' " WIN7 " -q -r 1s..2s | "
     "grep -o '\"span\":{[^}]*'",
     0,
     "\"span\":{\"from\":\"2016-05-26T20:17:23.4789313Z\","
     "\"to\":\"2016-05-26T20:17:24.4789313Z\",\"seconds\":1\n",
     NULL, true},
    {"$T ask --schema | head -1", 0, "{\n", NULL, false},
    {"$T ask", 2, NULL, "'ask' needs a QUERY", false},
    {"$T ask 'prc | count' --source demo", 2, NULL, "did you mean proc?", false},
    {"$T ask proc -t 1s $D/full.etl", 1, NULL, "no such file", false},
    {"$T ask proc -t 1s Makefile", 2, NULL, "-t is valid for live events only", false},
    {"$T ask proc Makefile", 1, NULL, "not an .etl file", false},
    {"$T ask proc -r 5s..1s --events 2000 --rate 0", 2, NULL, "", false},
    {"echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | $T mcp " WIN7, 0,
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", NULL, true},
    {"$T mcp Makefile </dev/null", 1, NULL, "not an .etl file", false},
    {"$T top --schema", 2, NULL, "--schema needs a value: a FILE", false},
    {"$T top disk --events 2000 --rate 0 -k .Depth", 2, NULL, "has no column '.Depth'", false},
    {"for t in 2020-07-29T00:07:03.10000005Z..2020-07-29T00:07:03.90000005Z 2s..3s -1s..; do"
     " test $($T top events $S/perfview-net.4.5.2.x64.etl.zst \"time=$t\" -O tsv | tail -n +2 | wc "
     "-l)"
     " -eq $($T dump $S/perfview-net.4.5.2.x64.etl.zst \"time=$t\" | wc -l) && echo same; done",
     0, "same\nsame\nsame\n", NULL, FIGURES},
    {"$T top disk --events 2000 --rate 0 -O csv -k disk,ops --separator ';' -N 1", 0,
     "disk;ops\r\n", NULL, false},
    {"$T dump $S/perfview-gcevents.etl -O csv -k time,Depth,GarbageCollection.Reason 'Depth>0'", 0,
     "time,Depth,GarbageCollection.Reason\r\n2023-03-14T00:46:48.3020867Z,1,Induced\r\n"
     "2023-03-14T00:46:48.3027894Z,1,\r\n2023-03-14T00:46:48.3028357Z,2,Induced\r\n"
     "2023-03-14T00:46:48.3033479Z,2,\r\n",
     NULL, true},
    {"$T dump $S/perfview-gcevents.etl -O csv --separator tab -N 1 id=187", 0,
     "time\tcpu\tpid\ttid\tproc\tprovider\tevent\tid\topcode\tversion\tlevel\tkeyword\tfields\r\n"
     "2023-03-14T00:46:44.8793291Z\t4\t179596\t168672\t\tMicrosoft-Windows-DotNETRuntime\t"
     "CLRRuntimeInformation/Start\t187\t1\t0\t4\t0x0\tClrInstanceID\t8\tSku\tCoreClr\t",
     NULL, true},
    {"$T dump $S/perfview-gcevents.etl -N 3 | wc -l", 0, "3\n", NULL, true},
    {"$T dump $S/perfview-gcevents.etl -O csv -k tme", 2, NULL, "did you mean 'time'", true},
    {"$T dump $S/perfview-gcevents.etl -k time", 2, NULL, "valid for csv only", true},
    {"$T dump $S/perfview-gcevents.etl -O etl -N 2 -o $D/no.etl", 2, NULL, "-N is valid for text",
     true},
    {"$T dump $S/perfview-gcevents.etl -O csv --separator ab", 2, NULL, "expected , ; | or tab",
     true},
    {"$T dump $S/perfview-gcevents.etl -O csv --separator :", 2, NULL, "expected , ; | or tab",
     true},
    {"$T top proc $S/airbus-AMSITrace.etl -O csv -k pid -N 1", 0, "pid\r\n", "lost: 3 kernel\n",
     true},
    {"$T top proc $S/airbus-AMSITrace.etl -q -O csv -k pid -N 1", 0, "pid\r\n", NULL, true},
    {"$T top proc $S/airbus-AMSITrace.etl --fail-on-loss 1% -k pid -N 1", 5, "PID", "lost: 3",
     true},
    {"$T top proc $S/airbus-AMSITrace.etl --fail-on-loss 20% -k pid -N 1", 0, "PID", "lost: 3",
     true},
    {"$T top proc $S/derived-zero-size-event.etl -k pid -N 1", 6, "PID", "skipped 7824 bytes",
     true},
    /* what is counted under a condition is less than what is counted */
    {"$T top cpu --seed 7 --events 60000 --rate 0 -O tsv -k csw,mig | awk 'NR > 1 { a += $1; b += "
     "$2 } END { print (0 < b && b < a) }'",
     0, "1\n", NULL, false},
    {"$T top files --seed 7 --events 60000 --rate 0 -O tsv -k ops,errors | awk 'NR > 1 { a += $1; "
     "b += "
     "$2 } END { print (0 < b && b < a) }'",
     0, "1\n", NULL, false},
    {"$T top $S/nosuch.etl", 2, NULL, "there is no pane", false},
    {"$T top dsik", 2, NULL, "did you mean 'disk'?", false},
    {"$T top disk -k nmae", 2, NULL, "did you mean 'name'?", false},
    {"$T top disk -s pid:up", 2, NULL, "expected :asc or :desc", false},
    {"$T top disk nosuch.etl", 1, NULL, "cannot open 'nosuch.etl': no such file", false},
    {"$T top disk Makefile", 1, NULL, "not an .etl file", false},
    {"timeout --foreground -s INT 1 $T top disk --source demo -O tsv -k disk -N 1 >/dev/null; test "
     "$? = 124",
     0, NULL, NULL, false},
    {"$T top disk --source demo -O tsv 60 & while kill -INT $! 2>/dev/null; do sleep 0.1; done; "
     "wait $!",
     130, NULL, NULL, false},

    /* what it knows about itself */
    {"$T fields", 0, "pane\tid\ttype", NULL, false},
    {"$T fields disk | cut -f1 | sort -u", 0, "disk\npane\n", NULL, false},
    {"$T fields --json | grep -o '\"id\":\"sum\",[^}]*'", 0, "\"size\":\"bytes\"", NULL, false},
    {"$T fields nosuch", 2, NULL, "there is no pane 'nosuch'", false},
    {"$T keys", 0, "freeze\tZ p\t", NULL, false},

    /* the doctor: well or short of rights, in either form, and it says which */
    {"$T doctor >$D/d; s=$?; test $((s == 3)) = $(grep -c '(!!) need a fix' $D/d) && "
     "test $((s == 0)) = $(grep -c '^Nothing needs a fix' $D/d) && echo agree",
     0, "agree\n", NULL, false},
    {"$T doctor -O json >$D/d; s=$?; test $((s == 3)) = "
     "$(sed -n 's/^],\"bad\":\\([0-9]*\\)}$/\\1/p' $D/d | grep -vc '^0$') && head -c 12 $D/d",
     0, "{\"findings\":", NULL, false},
    {"$T doctor --force -o $D/d; grep -c '^ *terminal ' $D/d", 0, "1\n", NULL, false},
    {"$T doctor | grep -oE '^ *memory budget .*at most [0-9]+ MiB, and [0-9]+ MiB more' "
     "| grep -c .",
     0, "1\n", NULL, false},
    {"$T doctor | grep -cE '^ *memory limit .* memory cgroup limits this program'", 0, "1\n", NULL,
     false},
    {"TERM=nosuch LC_ALL=C $T doctor | grep -A1 '^ *terminal '", 0, "fix: set TERM", NULL, false},
    {"$T doctor >$D/d; h=$(sed -n 's/ checks have no line of their own.*//p' $D/d); "
     "test $(($(grep -cE '^(!!|  )  [^ ]' $D/d) + ${h:-0})) = "
     "$($T doctor -O json | grep -c '^{\"subject\"') && echo all",
     0, "all\n", NULL, false},
    {"$T selftest nosuch", 2, "", "no probe 'nosuch'; there are: collector", false},
    {"$T selftest --schema | head -2 | tail -1", 0, "tracetop.selftest.1", "", false},
    {"$T selftest -P all", 2, "", "", false},
    {"$T doctor disk", 2, NULL, "disk", false},
    {"$T doctor -O csv", 2, NULL, "no format 'csv'", false},
};

/* The screen without a terminal. */
static const struct row screens[] = {
    {"$T | cat; $T >$D/c", 2, NULL, "standard output is not a terminal", false},
    {"$T --color pink --headless", 2, NULL, "--color", false},
    {"$T --theme nosuch --headless", 2, NULL, "nosuch", false},
    {"$T --headless --keys $D/nosuch", 1, NULL, "nosuch", false},
    {"printf 'R\n' >$D/keys; $T live --seed 7 --events 1000 --rate 0 --headless --keys "
     "$D/keys | "
     "grep -o 'nothing to record: the trace has ended'",
     0, "nothing to record: the trace has ended\n", NULL, false},
    {"$T stacks $S/perfview-net.4.5.2.x64.etl.zst proc=nobody.exe", 0, NULL,
     "no event matches the filter 'proc=nobody.exe'", true},
    {"$T top disk $S/perfview-net.4.5.2.x64.etl.zst nosuch", 0, "",
     "no row: nothing matches the filter", true},
    {"$T record --source demo --seed 5 --events 50000 --rate 0 -q -o $D/time.etl && $T top calls "
     "$D/time.etl time=0.2s..0.4s -q -O tsv >$D/time.a; $T top calls $D/time.etl -r 0.2s..0.4s -q "
     "-O tsv | cmp - $D/time.a && wc -l <$D/time.a && $T top calls $D/time.etl 'time>100h' -q -O "
     "tsv "
     "| wc -l",
     0, "\n1\n", NULL, false},
    {"$T top rates $S/hw3d-trace.etl task=Foo", 0, "", "no task of these events is called 'Foo'",
     true},
    {"$T dump $S/hw3d-trace.etl opcode=Foo", 0, NULL, "no opcode of these events is called 'Foo'",
     true},
    {"$T dump $S/etwanalyzer-TraceLoggingTester.etl.zst opcode=start >/dev/null", 0, NULL, NULL,
     true},
    /* names that Kernel-Process alone recorded, before the part and behind it */
    {"$T cut $S/tx-Process.etl.zst -r 20s..40s -o $D/named.etl; "
     "$T top processes $D/named.etl -k pid,name -O tsv -q | grep -e 5864 -e 5380 | sort",
     0, "5380\tSearchProtocol\n5864\tdevenv.exe\n", "", true},
    {"$T cut $S/hw3d-trace.etl keyword=Foo -o $D/none.etl", 0, NULL,
     "no keyword of these events is called 'Foo'", true},
    {"$T dump " WIN7 " 'path~/^(([^~]+)+)+[!?]$/'", 0, NULL,
     "the regular expression took too long on 21497 texts, which count as no match", true},
    {"$T top --by 'path | count where path~/^(([^~]+)+)+[!?]$/ class=disk' " WIN7, 0, "",
     "which count as no match; write a simpler one", true},
    {"$T top calls $S/hw3d-trace.etl", 0, "", "no row: the trace has no event for this pane", true},
    {"$T record --source demo -g none --events 20000 --rate 0 -o $D/bare.etl -q && $T stacks "
     "$D/bare.etl "
     "--metric waiting",
     0, "", "record them with -g switch", false},
    {"$T top disk $S/hw3d-trace.etl 1 2", 2, NULL, "INTERVAL and COUNT are for live data", true},
    {"P=$PWD; cd $D && : >bash && $P/$T top processes bash", 1, NULL,
     "'bash' is a file in this folder and is read as a trace", false},
    {"P=$PWD; cd $D && $P/$T top processes --source demo --events 2000 --rate 0 "
     "'\"bash\"' | grep -c PID",
     0, "1\n", NULL, false},
    {"$T top disk 2s $S/hw3d-trace.etl", 2, NULL, "INTERVAL and COUNT are for live data", true},
    {"$T top disk 1 2 $S/hw3d-trace.etl proc=x", 2, NULL, "INTERVAL and COUNT are for live data",
     true},
    {"$T top disk $S/hw3d-trace.etl '\"2\"' -q", 0, "", NULL, true},
    {"printf ':\ntext:snapshot %s/quit.etl\nEnter\nq\n' $D >$D/keys && $T live --seed 7 --events "
     "60000 "
     "--rate 0 --headless --keys $D/keys >/dev/null && $T stats $D/quit.etl >/dev/null",
     0, NULL, "the snapshot was finished: quit.etl: ", false},
    {"printf ':\ntext:snapshot /nowhere/a.etl\nEnter\n' >$D/keys; $T live --seed 7 --events 60000 "
     "--rate 0 --headless --keys $D/keys >/dev/null",
     1, NULL, "no snapshot: cannot create", false},
    {"$T --headless --events 20000 --rate 0 --seed 5", 0, "svchost.exe", NULL, false},
    {"$T --headless --events 20000 --rate 0 --seed 5 -O svg | head -c 4", 0, "<svg", NULL, false},
    {"$T --headless --size 80x24 " WIN7, 0, "PerfView.exe", NULL, true},
    {"$T --headless --size 80x24 " WIN7 " svchost | grep -c svchost.exe", 0, "15\n", NULL, true},
    {"printf '3\\nwait\\n' >$D/k; $T --headless --size 120x40 --keys $D/k " WIN7, 0, "wmpnetwk.exe",
     NULL, true},
};

/* Every way out: full disks, closed descriptors, hostile names and counts. */
static const struct row ways_out[] = {
    /* nothing is written silently in part: every command that prints, on a full disk; and a reader
     * that leaves is no failure */
    {"$T record --source demo --events 20000 --rate 50000 --seed 7 -o $D/full.etl 2>$D/c; "
     "while read -r c; do $T $c >/dev/full 2>$D/e; "
     "test $? = 1 && grep -q 'cannot be written: No space left' $D/e && "
     "test $(wc -l <$D/e) -le 9 || echo \"$c: $? $(cat $D/e)\"; "
     "done <<END\n"
     "--version\n--help\ntop --help\nfields\nfields --json\nask --schema\nkeys\ntheme list\ntheme "
     "show default\ntheme check\n"
     "completions bash\ncompletions zsh\ncompletions fish\nmanual\nmanual -O roff\n"
     "doctor\ndoctor -O json\n"
     "stats $D/full.etl\nstats -O json $D/full.etl\ndump $D/full.etl\ndump -O jsonl $D/full.etl\n"
     "ask proc $D/full.etl\nstacks -O folded $D/full.etl\ntop disk $D/full.etl\ntop cpu -O tsv "
     "$D/full.etl\n"
     "top cpu -O csv $D/full.etl\ntop disk -O jsonl $D/full.etl\n"
     "top cpu --source demo --events 9000 --rate 0\n"
     "--headless $D/full.etl\n--headless -O svg $D/full.etl\nEND\n:",
     0, NULL, NULL, false},
    {"for c in 'dump' 'dump -O jsonl' 'top cpu' 'stats'; do { $T $c $D/full.etl; echo $? >$D/s; } "
     "| :; "
     "cat $D/s; done",
     0, "0\n0\n0\n0\n", NULL, false},
    /* a closed descriptor is nobody's file: messages do not go into the trace that is written */
    {"printf '\\377\\377\\377\\377' | dd of=$D/full.etl bs=1 seek=116 conv=notrunc 2>$D/c; "
     "$T dump -O etl $D/full.etl -o $D/a.etl 2>$D/c; $T dump -O etl $D/full.etl -o $D/b.etl 2>&-; "
     "$T dump -O etl $D/full.etl -o $D/d.etl <&- >&- 2>&-; cat $D/c; "
     "cmp $D/a.etl $D/b.etl && cmp $D/a.etl $D/d.etl",
     0, "are possible", NULL, false},
    {"$T fields >&-", 1, NULL, "standard output cannot be written: Bad file descriptor", false},
    /* names that act or hide, wherever they come from: escaped on every way out */
    {"n=$D/$(printf 'x\\033[31m\\342\\200\\213\\363\\240\\201\\201.etl'); head -c 70000 "
     "$D/full.etl >\"$n\"; "
     "printf '[meta]\\nname = a\\033[2Jb\\342\\200\\213\\nauthor = \\363\\240\\201\\201\\n' "
     ">$D/t.theme; "
     "for c in 'stats' 'dump' 'top cpu' 'stacks -O folded'; do $T $c \"$n\"; done >$D/o 2>&1; "
     "for v in show check; do $T theme $v $D/t.theme; done >>$D/o 2>&1; "
     "grep -c 'x.u001b' $D/o >$D/c; "
     "grep -caP '\\x1b|\\xe2\\x80\\x8b|\\xf3\\xa0\\x81\\x81' $D/o; test $(cat $D/c) -ge 3",
     0, "0\n", NULL, false},
    {"mkdir -p $D/cfg/tracetop/themes; cp $D/t.theme \"$D/cfg/tracetop/themes/$(printf "
     "'x\\033[31m\\342\\200\\213').theme\"; env -u TRACETOP_CONFIG XDG_CONFIG_HOME=$D/cfg $T theme "
     "list "
     ">$D/o; grep -caP '\\x1b|\\xe2\\x80\\x8b' $D/o; grep -c 'x.u001b.31m.u200b' $D/o",
     0, "0\n1\n", NULL, false},
    /* a process whose name is a formula, in both tables; numbers stay */
    {"$T record --source demo --events 20000 --rate 50000 --seed 7 -o $D/name.etl 2>$D/c; "
     "LC_ALL=C sed -i 's/robocopy[.]exe/=obocopy.exe/g' $D/name.etl; "
     "for c in 'top processes -q -k name,' 'dump -k proc,'; do for o in '' --csv-raw; do "
     "$T ${c}pid -O csv $o $D/name.etl | grep obocopy | sort -u; done; done | tr -d '\\r'",
     0, "'=obocopy.exe,1756\n=obocopy.exe,1756\n'=obocopy.exe,1756\n=obocopy.exe,1756\n", NULL,
     false},
    /* a log header that claims four thousand million processors */
    {"$T record --source demo --events 20000 --rate 50000 --seed 7 -o $D/wild.etl 2>$D/c; "
     "printf '2\\nx\\nx\\nx\\nwait\\n' >$D/k; "
     "for n in 377 376; do printf \"\\\\$n\\\\377\\\\377\\\\377\" | "
     "dd of=$D/wild.etl bs=1 seek=116 conv=notrunc 2>$D/c; "
     "$T --headless --size 120x40 --keys $D/k $D/wild.etl >$D/c; echo $?; done",
     0, "0\n0\n", "", false},
    {"for i in 1 2; do $T --headless --events 50000 --rate 0 --seed 5 --start "
     "2026-05-17T10:20:30Z >$D/h$i; done; cmp $D/h1 $D/h2",
     0, NULL, NULL, false},
};

/* What other programs make of what is written for them. */
static const struct for_others {
    const char *program; /* and the Debian package that has it */
    struct row row;
} for_others[] = {
    {"zsh", {"$T completions zsh > $D/c; zsh -n $D/c", 0, NULL, NULL, false}},
    {"fish", {"$T completions fish > $D/c; fish -n $D/c", 0, NULL, NULL, false}},
    {"groff", {"for s in tracetop filter views config themes; do "
               "$T manual $s -O roff | groff -ww -man -Tutf8 2>&1 >/dev/null; done", 0, NULL, NULL, false}},
};

/* File systems of their own, in a name space that ends with the line: a disk that fills up, one
 * that may not be written, a folder that goes away. Only root can have them. */
#define MOUNTED(options, what)                                                                     \
    "mkdir -p $D/m; unshare -m sh -c 'mount -t tmpfs -o " options " none $D/m; " what "'"

static const struct row mounted[] = {
    {MOUNTED("size=1m", "$T dump " WIN7 " -O etl -o $D/m/x.etl; echo $?; ls -A $D/m | wc -l"), 0,
     "1\n0\n", "No space left on device", true},
    {MOUNTED("size=300k", "$T dump " WIN7 " -O etl -o $D/m/x.etl.zst; echo $?; ls -A $D/m | wc -l"),
     0, "1\n0\n", "No space left on device", true},
    {MOUNTED("size=1m,ro", "$T dump " WIN7 " -O etl -o $D/m/x.etl; echo $?; ls -A $D/m | wc -l"), 0,
     "1\n0\n", "Read-only file system", true},
    {MOUNTED("size=4m",
             "$T record --source demo --rate 500000 -t 60s -o $D/m/x.etl; echo $?; $T stats "
             "$D/m/x.etl | head -1; ls -A $D/m"),
     0, "1\nheader\t", "No space left on device; earlier data was kept", false},
    {MOUNTED("size=1m,ro", "$T record --source demo -o $D/m/x.etl; echo $?; ls -A $D/m | wc -l"), 0,
     "1\n0\n", "Read-only file system", false},
    {MOUNTED("size=64k", "head -c 70000 /dev/zero >$D/m/zero 2>$D/c; printf \"2\\n3\\n\" >$D/k; "
                         "$T --headless --events 2000 --rate 0 --keys $D/k --verbose --log "
                         "$D/m/log >$D/c; echo $?"),
     0, "1\n", "--log: not all messages could be written", false},
    {MOUNTED("size=900m",
             "mkdir $D/m/a; $T dump " FEW
             " -O etl -o $D/m/a/x.etl & until test -s $D/m/a/x.etl.partial; do sleep 0.02; done; "
             "mv $D/m/a $D/m/b; wait $!; echo $?; "
             "ls -A $D/m/b | wc -l"),
     0, "1\n0\n", "No such file or directory", true},
};

#define ROWS(table) table, sizeof table / sizeof *table

/* Rows of a table follow each other in one folder; tables know nothing of each other, so that each
 * can run beside the others; what takes longest comes first. The Makefile reads their names here.
 */
static const struct table {
    const char *name;
    const struct row *rows;
    size_t count;
} tables[] = {
    {"endings", ROWS(endings)},     {"ways_out", ROWS(ways_out)}, {"dumping", ROWS(dumping)},
    {"recording", ROWS(recording)}, {"writing", ROWS(writing)},   {"listing", ROWS(listing)},
    {"questions", ROWS(questions)}, {"files", ROWS(files)},       {"screens", ROWS(screens)},
    {"stacks", ROWS(stacks)},
};

enum { TABLES = sizeof tables / sizeof *tables, MORE = 2 };

struct fixture {
    const struct table *table;
    char folder[64];
    bool has_traces;
};

static void check(const struct fixture *f, const struct row *r)
{
    const struct shell_line l = {r->line, r->status, r->out, r->err};
    shell_line_check(f->folder, &l, NULL, NULL);
}

static void rows_hold(void **state)
{
    const struct fixture *const f = *state;
    unsigned skipped = 0;
    for (const struct row *r = f->table->rows; r < f->table->rows + f->table->count; r++) {
        if ((r->needs & TRACES) && !f->has_traces)
            skipped++;
        else if (!(r->needs & FAST) || !IS_SANITIZED)
            check(f, r);
    }
    if (skipped) /* the others held */
        skip_for("../shared/etl is absent: %u rows of %zu", skipped, f->table->count);
}

static void others_understand(void **state)
{
    const struct fixture *const f = *state;
    unsigned lacking = 0;
    for (size_t i = 0; i < sizeof for_others / sizeof *for_others; i++) {
        char line[64];
        snprintf(line, sizeof line, "command -v %s >/dev/null", for_others[i].program);
        if (system(line) == 0) {
            check(f, &for_others[i].row);
            continue;
        }
        print_message("skipped: %s is not installed\n", for_others[i].program);
        lacking++;
    }
    if (lacking)
        skip();
}

static void mounted_rows_hold(void **state)
{
    const struct fixture *const f = *state;
    if (system("unshare -m mount -t tmpfs none /mnt 2>/dev/null") != 0 || !f->has_traces) {
        print_message("no file systems can be mounted, or no traces are here: skipped\n");
        skip();
    }
    for (size_t i = 0; i < sizeof mounted / sizeof mounted[0]; i++)
        check(f, &mounted[i]);
}

static int set_up(void **state)
{
    struct fixture *const f = *state;
    strcpy(f->folder, "/tmp/tracetop-cli-XXXXXX");
    if (!mkdtemp(f->folder))
        return -1;
    setenv("D", f->folder, 1);
    setenv("XDG_RUNTIME_DIR", f->folder, 1); /* nobody is running there */
    setenv("S", "../shared/etl", 1);
    setenv("TRACETOP_CONFIG", "/nonexistent/tracetop.conf", 1); /* whoever runs this has their own */
    f->has_traces = access("../shared/etl", R_OK) == 0;
    return 0;
}

static int tear_down(void **state)
{
    const struct fixture *const f = *state;
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", f->folder);
    return system(line);
}

/* usage: cli PROGRAM [TEST] */
int main(int argc, char **argv)
{
    struct fixture fixtures[TABLES + MORE] = {{.has_traces = false}};
    struct CMUnitTest tests[TABLES + MORE] = {
        [TABLES] = {.name = "others", .test_func = others_understand},
        [TABLES + 1] = {.name = "mounted", .test_func = mounted_rows_hold},
    };
    bool is_known = argc == 2;
    for (size_t i = 0; i < TABLES + MORE; i++) {
        if (i < TABLES) {
            fixtures[i].table = &tables[i];
            tests[i].name = tables[i].name;
            tests[i].test_func = rows_hold;
        }
        tests[i].setup_func = set_up;
        tests[i].teardown_func = tear_down;
        tests[i].initial_state = &fixtures[i];
        is_known |= argc == 3 && strcmp(argv[2], tests[i].name) == 0;
    }
    if (!is_known)
        return fprintf(stderr, "usage: cli PROGRAM [TEST]\n"), 2;
    setenv("T", argv[1], 1);
    if (argc == 3)
        cmocka_set_test_filter(argv[2]);
    return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
