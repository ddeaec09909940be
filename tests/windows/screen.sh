#!/bin/sh
# The program full screen under Wine, with the stand-in for ETW, on the terminal it is started on.
#
# usage: tests/windows/screen.sh [ARGUMENT…] (from the root, after `make windows`)
TRACETOP_TEST_ETW=build/windows/etwfake.dll
export TRACETOP_TEST_ETW
exec tests/windows/wine.sh tests/windows/pane.sh build/windows/tracetop-test.exe "$@"
