#!/bin/sh
# `tracetop selftest` over the stand-in for ETW: the report is valid, the events of its own provider
# all come, with their right times, and nothing is left behind.
#
# usage: tests/windows/selftest.sh TRACETOP TRACETOP-TEST.EXE REPORT.json CASSETTES (from the root; under wine.sh)
set -u
left=build/windows/selftest.left
TRACETOP_TEST_ETW=build/windows/etwfake.dll
TRACETOP_TEST_ETW_PLAY="seed=7;rate=2000"
TRACETOP_TEST_ETW_REPORT=$left
export TRACETOP_TEST_ETW TRACETOP_TEST_ETW_PLAY TRACETOP_TEST_ETW_REPORT
rm -f "$3" "$left"
wine "$2" selftest --json >"$3"
status=$?
failed=0
wrong() {
    echo "windows-selftest: $*"
    failed=1
}
# The stand-in's machine does nothing of what the stimuli do, and the report must say so.
[ $status -eq 1 ] || wrong "status $status, not 1"
tests/selftest.sh "$1" "$3:windows" || failed=1
for line in '"probe":"clock","subject":"time stamps between two reads of the clock","state":"seen"' \
    '"probe":"load","subject":"written = received + lost","state":"seen"' \
    '"probe":"matrix","subject":"flags file","state":"not seen"' \
    '"probe":"rundown","subject":"processes","state":"seen"'; do
    grep -qF "$line" "$3" || wrong "not in the report: $line"
done
for line in 'sessions left 0' 'handles left 0' 'consumers left 0' 'registrations left 0'; do
    grep -qF "$line" "$left" || wrong "not in what the stand-in reports: $line"
done

# What two sessions delivered, as a cassette: whole, with its calls, and played by the stand-in.
cassette=build/windows/selftest.cassette
rm -f "$cassette"
wine "$2" selftest cassette --cassette "$cassette" >"$left.cassette" || wrong "the cassette: status $?"
"$4" show "$cassette" >>"$left.cassette" || wrong "the cassette is damaged"
for line in 'session 0: StartTrace kernel session: 0,' 'session 1: StartTrace provider session: 0,' '; sessions 2,'; do
    grep -qF "$line" "$left.cassette" || wrong "not in the cassette: $line"
done
TRACETOP_TEST_ETW_PLAY="cassette=$cassette;speed=20"
wine "$2" top processes 1 3 >"$left.played" || wrong "playing the cassette: status $?"
grep -q 'System' "$left.played" || wrong "the cassette played shows no process: $(cat "$left.played")"

# Without rights every session is refused, and that is what is reported.
TRACETOP_TEST_ETW_PLAY="rights=user"
wine "$2" selftest rights >"$left.rights"
status=$?
[ $status -eq 3 ] || wrong "without rights: status $status, not 3"
grep -q '^!!  rights *kernel session: StartTrace *refused' "$left.rights" ||
    wrong "without rights: the kernel session is not refused"
exit $failed
