#!/bin/sh
# Runs tests/windows/console.c in a pane of its own: it needs a console that is one.
#
# usage: tests/windows/console.sh CONSOLE.EXE TRACETOP-TEST.EXE (from the root; under wine.sh)
set -u
command -v tmux >/dev/null || { echo "console: skipped: tmux is not installed"; echo "[  SKIPPED ] 1 test(s)."; exit 0; }
log=$(mktemp -d) || exit 1
socket=tracetop-$$
trap 'tmux -L $socket kill-server 2>/dev/null; rm -rf "$log"' EXIT

# cmocka prints where the program's screen is not: into files.
CMOCKA_MESSAGE_OUTPUT=xml
CMOCKA_XML_FILE="Z:$(echo "$log" | tr / '\\')\\result.xml"
TRACETOP_TEST_LOG="Z:$(echo "$log" | tr / '\\')\\said"
TRACETOP_TEST_OUTPUT=NUL
export CMOCKA_MESSAGE_OUTPUT CMOCKA_XML_FILE TRACETOP_TEST_LOG TRACETOP_TEST_OUTPUT

tmux -L "$socket" -f /dev/null new-session -d -x 100 -y 30 \
    "wine '$1' '$2'; echo \$? >'$log/status'; sleep 1"
seconds=0
while [ ! -s "$log/status" ] && [ $seconds -lt 240 ]; do
    sleep 1
    seconds=$((seconds + 1))
done
cat "$log/said" 2>/dev/null
cat "$log/result.xml" 2>/dev/null
[ -s "$log/status" ] || { echo "console: still running after $seconds s"; exit 1; }
tests=$(grep -c '<testcase' "$log/result.xml")
failed=$(grep -c '<failure' "$log/result.xml")
echo "[  PASSED  ] $((tests - failed)) test(s)."
[ "$failed" -eq 0 ] || echo "[  FAILED  ] $failed test(s)."
[ "$failed" -eq 0 ] && [ "$tests" -gt 0 ] && [ "$(cat "$log/status")" = 0 ]
