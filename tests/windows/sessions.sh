#!/bin/sh
# `tracetop sessions` over the stand-in for ETW: each option of a start and an update, what ETW then says of the
# session, its end, and what is refused; and a recorder in the background, as on Linux.
#
# usage: tests/windows/sessions.sh TRACETOP-TEST.EXE (from the root; under wine.sh)
set -u
program=$1
left=build/windows/sessions
store=$left.store
rm -f "$store"
TRACETOP_TEST_ETW=build/windows/etwfake.dll
TRACETOP_TEST_ETW_STORE=$store
export TRACETOP_TEST_ETW TRACETOP_TEST_ETW_STORE
failed=0 passed=0

t() { wine "$program" "$@" >"$left.out" 2>"$left.err" </dev/null; }
wrong() {
    echo "windows-sessions: $*"
    sed 's/^/    /' "$left.out" "$left.err" | head -30
    failed=$((failed + 1))
}
# says STATUS "EXPECTED…" WORDS…: each line of EXPECTED stands somewhere in the output or the errors.
says() {
    status=$1 expected=$2
    shift 2
    t "$@"
    found=$?
    passed=$((passed + 1))
    [ $found = "$status" ] || wrong "'$*': status $found, not $status"
    while IFS= read -r line; do
        cat "$left.out" "$left.err" | tr -d '\r' | grep -qF -- "$line" || wrong "'$*': not there: $line"
    done <<END
$expected
END
}

# ---- a session with a file
says 0 'name          web
clock         system
buffer size   256 KiB
file limit    64 MiB
flush timer   2 s
web.etl
file mode     circular' sessions start web --log web.etl --filemode circular --max-size 64M --buffer-size 256K \
    --min-buffers 20 --max-buffers 80 --clock system --flush 2s --secure \
    --guid 22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716
says 0 '"name":"web","guid":"22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716"
"mode":"file","log_file_mode":130,
"buffer_kib":256,"min_buffers":20,"max_buffers":80,"max_file_mib":64,"flush_s":2,' sessions show web -O json
says 0 'file' sessions list
says 0 '"name":"web"' sessions list -O json
says 1 "cannot start the session 'web'" sessions start web --realtime
# An update leaves alone what it does not name.
says 0 'flush timer   5 s
most buffers  80
mode          file' sessions update web --flush 5s
says 0 'mode          live
flush timer   5 s' sessions update web --realtime
says 0 'mode          live
most buffers  200' sessions update web --max-buffers 200
says 0 'mode          file' sessions update web --no-realtime
says 0 'other.etl' sessions update web --log other.etl
says 0 'stopped: web; 0 buffers written; 0 events and 0 buffers lost' sessions stop web
says 1 "cannot query the session 'web'" sessions show web

# ---- kernel events
says 0 'mode          kernel, live
kernel flags  0x00010011 process,contextswitch,tcpip' sessions start kern --realtime --kernel process,contextswitch,tcpip
says 0 'kernel flags  0x00010011 process,contextswitch,tcpip
flush timer   3 s' sessions update kern --flush 3s
says 0 'kernel flags  0x00000101 process,diskio' sessions update kern --kernel process,diskio
says 0 '"events_lost":0' sessions stop kern -O json
says 0 'kernel flags  0x00000003 process,thread' sessions start "NT Kernel Logger" --realtime --kernel process,thread
says 0 'stopped: NT Kernel Logger' sessions stop "NT Kernel Logger"
says 0 'file mode     sequential' sessions start plain --log plain.etl --paged --sequence global
says 2 'this session has no kernel events' sessions update plain --kernel process
says 0 'stopped: plain' sessions stop plain
says 0 'file limit    1 MiB
file mode     rotate' sessions start turning --log 'turning-%d.etl' --filemode rotate
says 0 'stopped: turning' sessions stop turning
says 0 'clock         system
file mode     append' sessions start more --log more.etl --filemode append
says 0 'stopped: more' sessions stop more

# ---- providers in a session that runs
guid=5a7d1ee0-7e57-4e7a-9b01-5a17deadbeef
TRACETOP_TEST_ETW_PLAY="held=Holder"
export TRACETOP_TEST_ETW_PLAY
unset TRACETOP_TEST_ETW_STORE # each command has the session anew
says 0 "$guid is enabled in Holder: level 3, any of 0x30, all of 0x10" providers enable $guid --in Holder --level warning \
    --keywords 0x30 --all-keywords 0x10 --pid 4,8 --event-ids '!1,2' --exe a.exe,b.exe --with-stacks
says 0 'is enabled in Holder: level 5, any of 0x1,' providers enable Tracetop-Stand-In --in Holder --keywords flood
says 0 'is enabled in Holder: level 5, any of 0xffffffffffffffff,' providers enable $guid --in Holder
says 0 "$guid is disabled in Holder" providers disable $guid --in Holder
says 0 "requested the state of $guid in Holder" providers state $guid --in Holder
says 1 "cannot query the session 'Nobody'" providers enable $guid --in Nobody
says 2 'expected the session: --in SESSION' providers enable $guid
says 2 "the provider has no keyword 'Foo'" providers enable $guid --in Holder --keywords Flood,Foo
says 2 "found '300'" providers enable $guid --in Holder --level 300
says 2 "expected ids of events such as 10,11, found '10,x'" providers enable $guid --in Holder --event-ids 10,x
says 2 'Windows takes 8 processes at most, found 9' providers enable $guid --in Holder --pid 1,2,3,4,5,6,7,8,9
says 2 "there is no provider 'Tracetop-Stand-Im' on this machine; did you mean Tracetop-Stand-In?" \
    providers enable Tracetop-Stand-Im --in Holder
says 2 'enable: not with --readonly' providers enable $guid --in Holder --readonly
unset TRACETOP_TEST_ETW_PLAY
TRACETOP_TEST_ETW_STORE=$store
export TRACETOP_TEST_ETW_STORE

# ---- what is refused, before ETW is asked
says 2 'a session needs a file (--log FILE), or readers (--realtime)' sessions start x
says 2 '--filemode, --max-size and --preallocate need a file: --log FILE' sessions start x --realtime --max-size 1M
says 2 'put %d into the name' sessions start x --log x.etl --filemode rotate
says 2 '--filemode append needs --clock system' sessions start x --log x.etl --filemode append --clock qpc
says 2 'append does not go with --realtime' sessions start x --log x.etl --filemode append --realtime
says 2 '--realtime does not go with a private session' sessions start x --realtime --private --guid 0
says 2 'a private session needs the GUID of its provider' sessions start x --log x.etl --private-in-proc
says 2 'kernel events do not go with --paged' sessions start x --realtime --kernel process --paged
says 2 '--min-buffers is larger' sessions start x --realtime --min-buffers 9 --max-buffers 8
says 2 '--preallocate needs --max-size' sessions start x --log x.etl --preallocate
says 2 "expected some of process, thread, " sessions start x --realtime --kernel process,
says 2 "expected one of qpc, system, cycle, found 'utc'" sessions start x --realtime --clock utc
says 2 "expected a GUID such as" sessions start x --realtime --guid 12
says 2 'nothing to update' sessions update x
says 2 'a session that runs takes' sessions update x --clock qpc
says 2 'exclude each other' sessions update x --realtime --no-realtime
says 2 "'--no-realtime' belongs to 'sessions update'" sessions start x --no-realtime --realtime
says 1 "cannot update the session 'x'" sessions update x --flush 1s
says 2 'start: not with --readonly' sessions start x --realtime --readonly
says 2 'expected the name of a session' sessions start
TRACETOP_TEST_ETW_PLAY="rights=user"
export TRACETOP_TEST_ETW_PLAY
says 3 "cannot start the session 'x'" sessions start x --realtime
unset TRACETOP_TEST_ETW_PLAY
says 0 'MODE' sessions list
grep -q 'web\|kern\|plain\|turning\|more' "$left.out" && wrong "a session is left"

# ---- a recorder
folder=$left.ring
rm -rf "$folder"
says 0 "recorder 'r' (process" recorder start r --source demo --rate 5000 --folder "$folder"
says 0 'keeps 1 file' recorder status r --folder "$folder"
says 1 'already' recorder start r --source demo --folder "$folder"
says 0 'ring-0001.etl: ' recorder stop r --folder "$folder"
says 1 'does not run; 1 file' recorder status r --folder "$folder"
says 0 'CSwitch' stats "$folder/ring-0001.etl"
rm -rf "$folder"

# ---- as a service
rm -rf "$WINEPREFIX/drive_c/ProgramData/tracetop/served"
says 2 '--folder: a service needs the whole path, such as' recorder install served --source demo --folder here
says 0 "the service 'tracetop-recorder-served' is installed and runs" recorder install served --source demo --rate 5000
says 0 "recorder 'served' (process
ring-0001.etl: " recorder status served
says 0 'reloaded with no mistake' recorder reload served
says 1 "cannot install the service 'tracetop-recorder-served'" recorder install served --source demo
says 0 "the service 'tracetop-recorder-served' has ended and is removed" recorder remove served
says 1 "recorder 'served' does not run; 1 file" recorder status served
says 0 'CSwitch' stats --from served
says 1 "cannot open the service 'tracetop-recorder-served'" recorder remove served
says 1 'no service manager waits for this process' recorder run served --service --source demo
tr -d '\r' <"$WINEPREFIX/drive_c/ProgramData/tracetop/served/recorder.log" | grep -q 'ring-0001.etl: .* events' ||
    wrong "the log of the service does not say what it recorded"

# ---- following one, and marks in it; the folder is the one of its name
rm -rf "$WINEPREFIX/drive_c/ProgramData/tracetop/followed"
says 0 "recorder 'followed' (process" recorder start followed --source demo --rate 5000
says 0 '"running":true' recorder status followed -O json
pid=$(sed 's/.*"pid":\([0-9]*\).*/\1/' "$left.out" | tr -d '\r')
wine "$program" dump --from followed --follow -O text -q class=mark >"$left.dump" 2>"$left.dump.err" </dev/null &
reader=$!
says 0 'marked: hello' mark --instance "$pid" --level warning --field order=17 hello
printf 'one\r\ntwo\n' | wine "$program" log --field file=x --instance "$pid" >"$left.out" 2>"$left.err" ||
    wrong "log: status $?"
# The reader goes on until the recorder has ended for a while: it is ended when it has shown all.
tries=0
until grep -q 'text="two"' "$left.dump" || [ $tries = 300 ]; do
    sleep 0.2
    tries=$((tries + 1))
done
kill "$reader" 2>/dev/null
says 0 'ring-' recorder stop followed
says 0 'Warning  text="hello" order=17
text="one" file="x"
text="two" file="x"' dump --from followed -O text -q class=mark
for text in 'text="hello" order=17' 'text="one" file="x"' 'text="two" file="x"'; do
    grep -qF "$text" "$left.dump" || wrong "the reader that follows lacks $text"
done

echo "windows-sessions: $passed commands, $failed wrong"
[ $failed = 0 ]
