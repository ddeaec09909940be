#!/bin/sh
# Stops the kernel session of a running tracetop as another program would: with `sessions stop`.
#
# usage: tests/windows/stop.sh STORE (the stand-in's sessions; from the root, after `make windows`)
set -u
export TRACETOP_TEST_ETW=build/windows/etwfake.dll TRACETOP_TEST_ETW_STORE="$1"
run() { tests/windows/wine.sh wine build/windows/tracetop-test.exe sessions "$@" </dev/null; }
name=$(run list | grep -o 'tracetop-kernel-[0-9]*') && run stop "$name"
