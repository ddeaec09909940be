#!/bin/sh
# Scenes of the program, as SVG and PNG; the README shows the best. The program runs without a terminal over seeded events, or a real
# trace where one is at hand, and draws its own screen as SVG; rsvg-convert makes PNGs of them with one fixed font.
# usage: pictures.sh PROGRAM [FOLDER]
set -eu
export TRACETOP_CONFIG=/nonexistent/tracetop.conf
program=$1
folder=${2:-screenshots}
mkdir -p "$folder"
keys=$(mktemp)
trap 'rm -f "$keys"' EXIT

trace=../shared/etl/perfview-win7-PerfViewData.etl.zst
demo="live --seed 2026 --events 400000 --rate 0 --start 2026-05-17T10:20:30Z"
if [ -r "$trace" ]; then real=$trace; else real=$demo; fi

# picture NAME SOURCE SIZE THEME KEY…: keys as --keys takes them, one a line
picture() {
    name=$1 source=$2 size=$3 theme=$4
    shift 4
    printf '%s\n' "$@" > "$keys"
    # The source is several words.
    LANG=C.UTF-8 TZ=UTC "$program" $source --headless --size "$size" --theme "$theme" \
        --keys "$keys" -O svg > "$folder/$name.svg"
    rsvg-convert "$folder/$name.svg" -o "$folder/$name.png"
    # A palette is a quarter of the bytes; without the tool the picture is only larger.
    ! command -v pngquant >/dev/null || pngquant 128 --strip --force -o "$folder/$name.png" "$folder/$name.png"
}

picture processes "$real" 120x34 default wait
picture splits "$demo" 160x40 default wait '|' 3 '_' 5 Tab wait
picture disk      "$demo" 120x34 default wait 3 wait
picture drill     "$real" 120x24 default wait 3 wait "<" "<" Enter wait c wait
picture flame     "$real" 120x34 default wait 0 wait w text:samp Enter wait f wait Down Down Down wait
picture heat      "$demo" 120x34 default wait 3 wait x x wait Left Left Left Left Left Left Up wait
picture histogram "$demo" 120x34 default wait 3 wait x wait
picture processors "$demo" 120x34 default wait 2 wait text::cpus Enter wait
picture contrast  "$demo" 120x34 high-contrast wait 3 wait x x wait
picture tritan    "$demo" 120x34 tritan  wait 2 wait text::cpus Enter wait
picture heat-mono "$demo"  80x24 mono    wait 3 wait x x wait
picture threads   "$demo" 140x30 default wait Down Enter wait
picture tree      "$demo" 120x34 default wait 4 wait t wait Down Down Left wait
picture events    "$demo" 140x34 default wait text::events Enter / text:ledger Enter wait
picture filter    "$demo" 120x34 default wait / text:fire wait
picture help      "$demo" 120x34 default wait '?' wait
picture light     "$demo" 120x34 light   wait 3 wait
picture mono      "$demo" 120x34 mono    wait 3 wait
picture small     "$real"  80x24 default wait
