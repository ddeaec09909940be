#!/bin/sh
# A recorder in the background, on made-up events: started, asked, marked and stopped; its ring on disk within its
# limits and without a hole, while it writes, after it was killed, and on a disk that gets full; two at once, and
# whatever else it has to refuse.
#
# usage: tests/recorder.sh PROGRAM (from the root)
set -u
case $1 in
/*) program=$1 ;;
*) program=$PWD/$1 ;;
esac
room=$(mktemp -d) || exit 1
export XDG_STATE_HOME="$room/state" STATE_DIRECTORY=
ring=$room/state/tracetop/r
passed=0 failed=0 pid=

# Whatever was started is ended.
end() {
    [ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
    rm -rf "$room"
}
trap end EXIT

check() { # WHAT COMMAND...
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "[  FAILED  ] $what" >&2
        sed 's/^/    /' "$room/out" "$room/err" 2>/dev/null | head -20 >&2
    fi
}

t() { "$program" "$@" >"$room/out" 2>"$room/err" </dev/null; }
prints() { t "$@" && grep -q "$pattern" "$room/out"; }
refuses() { ! t "$@" && grep -q "$pattern" "$room/err"; }
find_pid() {
    t recorder status r -O json
    pid=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$room/out")
    [ -n "$pid" ]
}
bytes() { cat "$ring"/ring-* 2>/dev/null | wc -c; }
count() { # how many files of the ring there are
    set -- "$ring"/ring-*
    [ -e "$1" ] && echo $# || echo 0
}
wait_for() { # COMMAND...: within a minute
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || return 1
        sleep 0.1
    done
}

# ---- started, asked, stopped
pattern="recorder 'r' (process [0-9]*) records to $ring"
start_locked() { (flock 9 && prints recorder start r --source demo --rate 20000 --seed 3) 9>"$room/held"; }
check "it starts" start_locked
check "its process is known" find_pid
check "it keeps no file open that was its starter's" flock -n "$room/held" true
pattern="process $pid records into '$ring' already"
check "there is one for a folder" refuses recorder start r --source demo
pattern='marked: from outside'
check "it takes marks" prints mark --instance "$pid" from outside
pattern='"running":true.*"recording":".*ring-0001.etl: [0-9.]* s'
check "it tells its state" prints recorder status r -O json
is_marked() { pattern='from outside' && prints dump --from r; }
check "a mark is read while it records" wait_for is_marked
pattern='ring-0001.etl: .* events'
check "it stops" prints recorder stop r
pid=
pattern="recorder 'r' does not run; 1 file"
not_running() { ! t recorder status r && grep -q "$pattern" "$room/out"; }
check "its files stay" not_running
pattern='^r  *-  *1 .* /.*/tracetop/r$'
check "it is listed" prints sessions
pattern='"running":false,"name":"r","folder":"[^"]*/tracetop/r","files":1,"bytes":[1-9]'
check "also as JSON" prints sessions -O json
pattern="'tracetop recorder start' starts one; found 'flush'"
check "other verbs of sessions have their counterpart named" refuses sessions flush r
pattern="recorder 'r' does not run; 1 file"
shown() { ! t sessions show r && grep -q "$pattern" "$room/out"; }
check "it is shown as a session" shown
pattern="no recorder 'r' runs"
check "it is stopped as one" refuses sessions stop r
pattern="no recorder 'r' runs"
check "there is nothing to stop" refuses recorder stop r
check "its log says what there was" grep -q 'ring-0001.etl: .* events' "$ring/recorder.log"
mode() { stat -c %a "$@" | sort -u | tr '\n' ' '; }
check "its group may read" test "$(mode "$ring" "$ring/ring-0001.etl")" = "640 750 "
pattern='^processes\|^ *PID'
check "panes show what it kept" prints top processes --from r

# ---- followed while it records, from the file before on
text() { # but for the log header, whose time is the file's
    "$program" dump --from r -O csv -k time,event,cpu "$@" 2>/dev/null </dev/null | grep -v ,Header,
}
t recorder start r --source demo --rate 20000 --seed 9 && find_pid
text --follow -t 3s >"$room/followed"
check "it stops after it was followed" t recorder stop r
pid=
text >"$room/kept"
lines=$(wc -l <"$room/followed")
check "who follows sees a second of events and more ($lines)" test "$lines" -gt 20000
sort "$room/followed" >"$room/a" && head -n "$lines" "$room/kept" | sort >"$room/b"
echo "$(comm -23 "$room/a" "$room/b" | wc -l) of $lines differ" >"$room/out"
check "and the same that is kept" cmp -s "$room/a" "$room/b"

pattern="no recorder 'r' records now"
check "nobody is followed who does not record" refuses dump --from r --follow
pattern='follow needs --from NAME'
check "following needs a name" refuses top processes --follow
pattern='it takes no --range'
check "what is followed has no range" refuses dump --from r --follow -r -5s..
pattern='a filter such as pid=7'
check "what is followed is of all processes" refuses dump --from r --follow -p 1
pattern='cannot be read as well'
check "what is followed is read alone" refuses top processes "$ring/ring-0001.etl" --from r --follow

chmod g+s "$ring"
t recorder start r --source demo --rate 20000 --seed 9 && find_pid
check "a folder keeps what it says about groups" test "$(mode "$ring")" = "2750 "
pattern='sqlservr.exe'
printf 'wait\nwait\n' >"$room/keys"
check "a screen follows" prints --from r --follow --headless --size 120x40 --dump --keys "$room/keys"
check "and is live" grep -q LIVE "$room/out"
text --follow -t 9s >"$room/followed" &
reader=$!
sleep 1
t recorder stop r
sleep 3
t recorder start r --source demo --rate 20000 --seed 9 && find_pid
resumed() { grep -q ',Mark,' "$room/followed"; }
check "who follows goes on where another one begins, and marks the gap" wait_for resumed
t recorder stop r
pid=
wait "$reader"

# a reader that is stopped while files go, and a folder that begins anew
t recorder start r --source demo --rate 20000 --seed 9 && find_pid
"$program" dump --from r -O csv -k time,event,cpu --follow -t 14s >"$room/followed" 2>/dev/null </dev/null &
reader=$!
sleep 1
kill -STOP "$reader"
for round in 1 2; do
    t recorder stop r
    t recorder start r --source demo --rate 20000 --seed 9
done
last=$(count)
rm -f "$ring/ring-000$((last - 1)).etl"
kill -CONT "$reader"
check "files that go before they are read are marked" wait_for grep -q ,Mark, "$room/followed"
t recorder stop r
rm -f "$ring"/ring-*
: >"$room/seen" && cp "$room/followed" "$room/seen"
t recorder start r --source demo --rate 20000 --seed 9 && find_pid
goes_on() { [ "$(wc -l <"$room/followed")" -gt $(($(wc -l <"$room/seen") + 20000)) ]; }
check "who follows finds the files that begin anew" wait_for goes_on
t recorder stop r
pid=
wait "$reader"

# ---- triggers
pattern='without a screen a trigger can mark, snapshot or run'
check "no bell without a screen" refuses recorder run r --source demo --on 'class=disk do bell'
pattern='expected'
check "a trigger has an action" refuses record -o "$room/none.etl" --source demo -t 1s --on 'class=disk'
check "triggers are watched" t recorder start r --source demo --rate 20000 --seed 9 \
    --on 'class=disk do mark a disk was used once' --on 'class=disk do snapshot around -1s..500ms once' \
    --on "class=disk do run echo ran >'$room/ran' once"
find_pid
check "one runs a command" wait_for test -s "$room/ran"
snapshots() { ls "$ring"/tracetop-*.etl 2>/dev/null | wc -l; }
one_snapshot() { [ "$(snapshots)" = 1 ]; }
check "one writes a snapshot beside the ring" wait_for one_snapshot
pattern='a disk was used'
is_marked() { prints dump --from r class=mark; }
check "one makes a mark" wait_for is_marked
t recorder stop r
pid=
check "the log says so" test "$(grep -c '^tracetop: trigger .*: \(marked\|started\|writing a snapshot\)$' \
    "$ring/recorder.log")" = 3
pattern='"damaged_buffers":0,"missing_buffers":0'
check "the snapshot is a whole trace" prints stats -O json "$ring"/tracetop-*.etl
rm -f "$ring"/tracetop-*.etl

# ---- limits, and no hole
holes() { # where an event's number is not that of the one before plus one, of two files or more
    for f in "$ring"/ring-*.etl; do
        "$program" stats -O json "$f" 2>/dev/null | grep '^  {"file"' |
            sed 's/.*"first_ts":\([0-9]*\),"last_ts":\([0-9]*\).*/\1 \2/'
    done | awk 'NR > 1 && $1 > end { n++ } { end = $2 } END { print n + 0 }'
}
check "it goes on" t recorder start r --source demo --rate 0 --seed 4 --keep 48M
check "its process is known again" find_pid
full() { [ ! -e "$ring/ring-0001.etl" ] && [ ! -e "$ring/ring-0002.etl" ]; }
check "the oldest go" wait_for full
check "the ring keeps to its size" test "$(bytes)" -le $((48 << 20))
check "it stops again" t recorder stop r
pid=
check "the ring kept to its size" test "$(bytes)" -le $((48 << 20))
check "several files are left" test "$(count)" -ge 2
check "no file begins behind the end of the one before" test "$(holes)" = 0
pattern='"damaged_buffers":0,"missing_buffers":0'
check "all of them are one timeline" prints stats --from r -O json
whole=$(sed -n 's/^{"schema":"tracetop.stats.1","totals":{"events":\([0-9]*\).*/\1/p' "$room/out")
parts=$(for f in "$ring"/ring-*.etl; do "$program" stats -O json "$f"; done 2>/dev/null |
    sed -n 's/^{"schema":"tracetop.stats.1","totals":{"events":\([0-9]*\).*/\1/p' | awk '{ s += $1 } END { print s }')
check "with all events of each" test "$whole" = "$parts"

# ---- killed
rm -rf "$ring"
check "a third one starts" t recorder start r --source demo --rate 200000 --seed 5
check "its process is known, too" find_pid
grown() { [ "$(bytes)" -gt 1000000 ]; }
check "it writes" wait_for grown
kill -9 "$pid"
pid=
pattern="recorder 'r' does not run; 1 file"
check "what was killed does not run" wait_for not_running
pattern='"damaged_buffers":0,"missing_buffers":0'
check "what it left can be read" prints stats --from r -O json
check "the next one starts" t recorder start r --source demo --rate 20000 --seed 6
check "its process is known as well" find_pid
check "what was left has a name" test -e "$ring/ring-0001.etl"
check "the next number follows" wait_for test -s "$ring/ring-0002.etl.partial"
check "it ends" t recorder stop r
pid=
# A file whose name is taken, a link and a file of others' stay as they are.
cp "$ring/ring-0001.etl" "$ring/ring-0002.etl.partial"
echo mine >"$room/target"
ln -s "$room/target" "$ring/ring-0007.etl"
echo mine >"$ring/notes.etl"
check "another one starts" t recorder start r --source demo --rate 1000 --seed 7 --keep 1m
check "and ends" t recorder stop r
check "a partial file beside a whole one stays" test -e "$ring/ring-0002.etl.partial"
check "others' files stay" test "$(cat "$room/target" "$ring/notes.etl")" = "mine
mine"

# ---- from a configuration
cat >"$room/recorder.conf" <<'END'
[recorder.c]
source = demo
rate = 1000
seed = 7
keep = 64M
on = cpu.cpu>0 for 1s do mark from a file
on = cpu.cpu>0 for 1s do run touch /nonexistent/started
pane = disk
keep = 1M
children = perhaps
[recorder.other]
source = nowhere
END
check "its section starts it" t recorder start c --config "$room/recorder.conf"
check "a wrong item has its line" test "$(grep -c 'recorder.conf:[0-9]' "$room/out")" = 4
for pattern in ':7: --on: "run" is allowed' ':8: .recorder.c. has no "pane"' ':9: --keep: expected a size of 32M' \
    ":10: --children: expected yes or no, found 'perhaps'"; do
    check "it says $pattern" grep -q "$pattern" "$room/out"
done
check "its trigger marks" wait_for sh -c "'$program' dump --from c class=mark 2>/dev/null | grep -q 'from a file'"
pattern="expected live or demo, found 'nowhere'"
check "the command line comes first" refuses recorder run c --config "$room/recorder.conf" --source nowhere

# ---- its options are read again while it records
find_process() { t recorder status c -O json && grep -o '"pid":[0-9]*' "$room/out"; }
before=$(find_process)
sed -i '/from a file/d; /^pane/d; /^children/d; /^keep = 1M/d; s/^keep.*/keep = 48M/; /\[recorder.other/i on = cpu.cpu>0 for 1s do mark after a reload\nquiet = yes' \
    "$room/recorder.conf"
pattern="reloaded with 2 mistakes in the configuration (see recorder.log): .*watches 1 trigger;"
check "it is reloaded" prints recorder reload c
check "mistakes have their line in its log" grep -q 'recorder.conf:[0-9]*: \[recorder.c\] has no "quiet"' \
    "$room/state/tracetop/c/recorder.log"
is_marked() { pattern='after a reload' && prints dump --from c class=mark; }
check "its other trigger marks" wait_for is_marked
sed -i '/after a reload/s/mark.*/bell/' "$room/recorder.conf"
pattern='without a screen a trigger can mark, snapshot or run'
check "what cannot be is refused" refuses recorder reload c
check "it goes on as it was" test "$(find_process)" = "$before"
echo '[' >"$room/recorder.conf"
check "a file of mistakes costs only itself" t recorder reload c
check "and it ends" t recorder stop c
pattern="no recorder 'c' runs"
check "there is nothing to reload" refuses recorder reload c

# ---- what it refuses
pattern="'a/b' cannot be the name of a recorder"
check "a name is no path" refuses recorder start a/b --source demo
pattern="'.a' cannot be the name of a recorder"
check "a name does not begin with a dot" refuses recorder status .a
pattern='expected a size of 32M or more'
check "a ring has room" refuses recorder start r --keep 1M
pattern="expected recorder start, stop, status, reload, run, unit, install or remove, found 'recorder begin'"
check "verbs are known" refuses recorder begin
pattern="a command after -- is not valid for 'recorder'"
check "it runs no command" refuses recorder run r --source demo -- true
pattern="a recorder 'none' has no files"
check "an unknown one has no files" refuses dump --from none
pattern='does not belong to\|is not an option of\|stop, status, reload, unit and remove'
check "stopping takes no options of recording" refuses recorder stop r --keep 1G
touch "$room/file"
pattern="cannot make the folder '$room/file'"
check "its folder is one" refuses recorder run r --source demo --folder "$room/file"
pattern='cannot make the folder\|cannot lock'
check "its folder can be written" refuses recorder run r --source demo --folder /proc/none

pattern="'tracetop recorder unit' prints a unit for systemd"
check "a service is Windows'" refuses recorder install r --keep 64M
check "there is none to remove" refuses recorder remove r
check "nothing runs as one" refuses recorder run r --service

# Under sudo the files are the caller's, for whoever writes them and for whoever reads them.
if [ "$(id -u)" = 0 ]; then
    home=$(getent passwd 1 | cut -d: -f6)/.local/state/tracetop/r
    as_user() { env -u XDG_STATE_HOME SUDO_UID=1 SUDO_GID=1 "$program" "$@" >"$room/out" 2>"$room/err" </dev/null; }
    says_home() { ! as_user "$@" && cat "$room/out" "$room/err" | grep -qF "$home"; }
    check "sudo: the files of the recorder" says_home recorder status r
    check "sudo: the files to be read" says_home dump --from r
fi

# ---- a full disk: the oldest go first, and writing goes on
small=$room/small
mkdir "$small"
full_disk='
mount -t tmpfs -o size=40m none "$2" || exit 77
has_told() { # TEXT: within a minute
    tries=0
    until grep -q "$1" "$log"; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || return 1
        sleep 0.1
    done
}
log=$2.err
"$1" recorder run r --folder "$2" --source demo --rate 0 --seed 8 --keep 1G 2>"$2.err" </dev/null &
writer=$!
has_told "the disk is nearly full: removed the oldest" || { kill $writer; exit 1; }
cat /dev/zero >"$2/other" 2>/dev/null # by somebody else
has_told "recording goes on when there is room" || { kill $writer; exit 2; }
rm "$2/other"
has_told "recording again" || { kill $writer; exit 3; }
set -- "$1" "$2" "$(ls "$2" | tail -1)"
tries=0
until [ "$(ls "$2" | tail -1)" != "$3" ]; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || { kill $writer; exit 4; }
    sleep 0.1
done
kill $writer
wait $writer
for f in "$2"/ring-*.etl; do "$1" stats "$f" >/dev/null || exit 5; done'
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    unshare -m sh -c "$full_disk" sh "$program" "$small" >"$room/out" 2>"$room/err"
    status=$?
    cat "$small.err" >>"$room/err" 2>/dev/null
    if [ $status = 77 ]; then
        echo "skipped: a full disk needs a file system of its own"
    else
        check "a full disk costs the oldest files (status $status)" test $status = 0
    fi
else
    echo "skipped: a full disk needs root, who may mount one"
fi

# ---- service managers
listen='
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
s.settimeout(60)
seen = set()
while seen != {b"READY=1", b"WATCHDOG=1", b"STOPPING=1"}:
    seen.add(s.recv(256))'
python3 -c "$listen" "$room/notify" >"$room/out" 2>"$room/err" &
listener=$!
check "somebody listens" wait_for test -S "$room/notify"
NOTIFY_SOCKET=$room/notify "$program" recorder run r --source demo --rate 1000 --events 3000 >"$room/run" 2>&1 </dev/null
check "it tells that it is ready, alive and at its end" wait "$listener"
if command -v systemd-analyze >/dev/null; then
    "$program" recorder unit >"$room/tracetop-recorder@.service"
    check "systemd takes the unit" systemd-analyze verify --man=no "$room/tracetop-recorder@.service"
else
    echo "skipped: the unit is checked by systemd-analyze"
fi

echo "recorder: $passed checks hold, $failed do not"
[ $failed = 0 ] && echo "[  PASSED  ] 1 test(s)" || echo "[  FAILED  ] 1 test(s)"
[ $failed = 0 ]
