#!/bin/sh
# Runs the test program full screen on the terminal it is started on: input comes through Wine's
# console, output goes to the terminal itself, as Wine's console does not interpret sequences.
#
# usage: tests/windows/wine.sh tests/windows/pane.sh TRACETOP-TEST.EXE [ARGUMENT…]
TRACETOP_TEST_OUTPUT=Z:$(tty | tr / '\\')
export TRACETOP_TEST_OUTPUT
exec wine "$@"
