#!/bin/sh
# Every step of the workflow that runs something is a target of the Makefile.
#
# usage: tests/workflow.sh FILE (from the root)
set -u
steps=$(sed -n 's/^ *- *run: *//p' "$1")
[ "$steps" ] || { echo "workflow: $1 has no step that runs anything"; exit 1; }
status=0
while read -r command target rest; do
    if [ "$command" != make ] || [ -z "$target" ] || [ "$rest" ] ||
        ! grep -hq "^$target:" Makefile src/windows/build.mk tests/*/build.mk; then
        echo "workflow: expected one target of make, found: $command $target $rest"
        status=1
    fi
done <<STEPS
$steps
STEPS
[ $status -ne 0 ] || echo "workflow: $(echo "$steps" | wc -l) steps are targets"
exit $status
