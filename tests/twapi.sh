#!/bin/sh
# The table of TWAPI's commands (tests/twapi.txt): each line of it that begins with "linux> tracetop", or with "windows>"
# for an .exe, is run, and prints what stands below it. Figures that differ from run to run are replaced by "N".
#
# usage: tests/twapi.sh PROGRAM [-update] (from the root; an .exe: under wine.sh, over the stand-in for ETW)
set -u
program=$(realpath "$1")
case $program in
*.exe) system=windows ;;
*) system=linux ;;
esac
table=$(realpath tests/twapi.txt)
trace=$(realpath tests/data/linux.etl.zst)
case $system in
windows)
    TRACETOP_TEST_ETW=$(realpath build/windows/etwfake.dll)
    work=$PWD/build/windows/twapi
    rm -rf "$work"
    mkdir -p "$work" || exit 1
    TRACETOP_TEST_ETW_STORE=$work/store
    TRACETOP_TEST_ETW_PLAY="held=Holder"
    export TRACETOP_TEST_ETW TRACETOP_TEST_ETW_STORE TRACETOP_TEST_ETW_PLAY
    ;;
*)
    work=$(mktemp -d) || exit 1
    XDG_STATE_HOME=$work/state
    export XDG_STATE_HOME
    ;;
esac
trap 'rm -rf "$work"' EXIT
cp "$trace" "$work/x.etl.zst"
new=$work/new

tracetop() {
    case $system:$* in
    windows:*Holder*) env -u TRACETOP_TEST_ETW_STORE wine "$program" "$@" ;; # a session of another program
    windows:*) wine "$program" "$@" ;;
    *) "$program" "$@" ;;
    esac </dev/null
}

# What a line prints, its errors as well: the first 24 lines, cut at 200 characters.
run() {
    (cd "$work" && eval "$1") >"$work/printed" 2>&1 # no pipe: what Wine leaves running would hold it open
    tr -d '\r' <"$work/printed" | sed -e "s|$work/||g" -e 's|[A-Z]:\\[^ ]*\\||g' \
        -e 's/process [0-9]*/process N/' -e 's/"pid":[0-9]*/"pid":N/' \
        -e '/^tracetop: /s/[0-9][0-9.]* \(s\|ms\|min\)\b/N s/g' -e '/^tracetop: /s/[0-9][0-9.]* [KMG]*i*B\b/N bytes/g' \
        -e '/^tracetop: /s/[0-9][0-9]* \(event\|file\)s*\b/N \1s/g' \
        -e 's/20[0-9][0-9]-[0-9-]*[T ][0-9:.]*Z*/TIME/g' -e 's/thread  *[0-9]*$/thread        N/' -e 's/  *$//' |
        cut -c1-200 | head -24 | sed -e 's/^/    /' -e 's/^ *$//'
}

below=no
while IFS= read -r line; do
    case $line in
    "$system> "*)
        printf '%s\n' "$line"
        run "${line#*> }"
        below=yes
        ;;
    "    "*) [ $below = yes ] || printf '%s\n' "$line" ;;
    *)
        below=no
        printf '%s\n' "$line"
        ;;
    esac
done <"$table" >"$new"
ran=$(grep -c "^$system> " "$table")
if [ "${2:-}" = -update ]; then
    cat "$new" >"$table"
    echo "twapi: $ran lines of $system renewed"
elif diff "$table" "$new"; then
    echo "twapi: $ran lines of $system print what the table says"
    echo "[  PASSED  ] 1 test(s)."
else
    echo "twapi: the lines above differ"
    exit 1
fi
