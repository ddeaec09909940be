#!/bin/sh
# Both builds show a trace full screen in panes side by side, with the same keys: the text must be
# the same, and where no curses is in between (truecolor) every color. The machine's line and the
# status line are left out: they have curves and figures of the moment.
#
# usage: tests/windows/panes.sh TRACETOP TRACETOP-TEST.EXE (from the root; under wine.sh)
set -u
here=$1
there=$2
command -v tmux >/dev/null || { echo "panes: skipped: tmux is not installed"; echo "[  SKIPPED ] 1 test(s)."; exit 0; }
trace=../shared/etl/perfview-win7-PerfViewData.etl.zst
[ -f $trace ] || { echo "panes: $trace is not here: skipped: nothing to compare"; echo "[  SKIPPED ] 1 test(s)."; exit 0; }
out=$(mktemp -d) || exit 1
socket=panes-$$
trap 'tmux -L $socket kill-server 2>/dev/null; rm -rf "$out"' EXIT
LC_ALL=C.UTF-8
TZ=UTC
export LC_ALL TZ
t() { tmux -u -L "$socket" "$@"; }
t -f /dev/null new-session -d -s idle -x 20 -y 5 'sleep 600'
t set-option -g remain-on-exit on # the last words of one that ends are part of its picture
passed=0
failed=0

picture() {
    t capture-pane -p $colors -t "$1" | tail -n +2 | grep -v ' ev/s │ LOST'
}

# Until the picture has been the same for a second: all of the trace is shown.
settle() {
    before=
    still=0
    for _ in $(seq 150); do
        sleep 0.2
        now=$(picture "$1")
        [ "$now" = "$before" ] && [ -n "$now" ] && still=$((still + 1)) || still=0
        before=$now
        [ $still -lt 5 ] || return 0
    done
}

# compare SIZE COLOR KEY…
compare() {
    size=$1
    color=$2
    colors=
    [ "$color" != truecolor ] || colors=-e
    shift 2
    options="--color $color -q --no-mouse $trace"
    t new-session -d -s here -x "${size%x*}" -y "${size#*x}" "env COLORTERM= $here $options"
    t new-session -d -s there -x "${size%x*}" -y "${size#*x}" \
        "env COLORTERM= tests/windows/pane.sh $there $options"
    settle here
    settle there
    for key in "$@"; do
        t send-keys -t here "$key"
        t send-keys -t there "$key"
        sleep 0.3
    done
    settle here
    settle there
    picture here >"$out/here"
    picture there >"$out/there"
    if grep -q . "$out/here" && cmp -s "$out/here" "$out/there"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "panes: differs: $size $color $*"
        diff "$out/here" "$out/there" | cat -v | cut -c 1-300 | head -20
    fi
    t kill-session -t here
    t kill-session -t there
}

compare 120x40 256
compare 80x24 truecolor Down Down Enter
compare 120x40 truecolor 4 / d l l Enter
compare 100x30 16 3 '>' I Down d
compare 132x43 256 '?' PageDown
compare 80x24 mono 5 Z
compare 60x12 truecolor c '*'

echo "[  PASSED  ] $passed test(s)."
[ $failed -eq 0 ] || echo "[  FAILED  ] $failed test(s)."
[ $failed -eq 0 ]
