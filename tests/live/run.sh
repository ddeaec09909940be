#!/bin/sh
# Runs a live test where tracefs can be read. Where it is not mounted, root gets it in a mount
# namespace of the test's own: the machine is left as it was.
#
# usage: tests/live/run.sh PROGRAM [ARGUMENT…]
if [ "$(id -u)" -eq 0 ] && [ ! -d /sys/kernel/tracing/events ] &&
    [ ! -d /sys/kernel/debug/tracing/events ] && unshare -m true 2>/dev/null; then
    exec unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing; exec "$@"' sh "$@"
fi
exec "$@"
