#!/bin/sh
# Runs a command with Wine made ready: a prefix of its own in build/wine, as Windows 10, without
# a debugger that waits for somebody. Its server ends a minute behind the last command in the
# prefix.
#
# usage: tests/windows/wine.sh COMMAND [ARGUMENT…] (from the root)
# Ends with 77 and a sentence where there is no Wine.
set -u
command -v wine >/dev/null || { echo "wine.sh: wine is not installed: skipped"; exit 77; }
WINEPREFIX=${WINEPREFIX:-$PWD/build/wine}
WINEDEBUG=-all
WINEDLLOVERRIDES=winedbg.exe=d
WINEPATH="Z:$(pwd | tr / '\\')\\build\\windows-deps\\install\\bin"
export WINEPREFIX WINEDEBUG WINEDLLOVERRIDES WINEPATH
mkdir -p "$(dirname "$WINEPREFIX")"

# Wine copies its DLLs into every prefix, 700 MB; links to the same files do as well.
link_copies() {
    for library in /usr/lib/x86_64-linux-gnu/wine/x86_64-windows /usr/lib/wine/x86_64-windows; do
        [ -d "$library" ] || continue
        for file in "$library"/*; do
            copy=$WINEPREFIX/drive_c/windows/system32/${file##*/}
            [ -f "$copy" ] && [ ! -L "$copy" ] && cmp -s "$file" "$copy" && ln -sf "$file" "$copy"
        done
    done
    :
}

(
    flock 9
    [ -f "$WINEPREFIX/ready" ] && exit 0
    wineboot -i >"$WINEPREFIX.log" 2>&1 && wine winecfg -v win10 >>"$WINEPREFIX.log" 2>&1 &&
        wineserver -w && link_copies && touch "$WINEPREFIX/ready"
) 9>"$WINEPREFIX.lock"
[ -f "$WINEPREFIX/ready" ] || { cat "$WINEPREFIX.log" >&2; exit 1; }

# A server that is about to end, some seconds behind its last program, takes a new one down with it.
wineserver -p60 </dev/null >/dev/null 2>&1 || :
"$@"
