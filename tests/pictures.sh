#!/bin/sh
# The pictures of the README: the program runs without a terminal over seeded events and
# draws its own screen as SVG; rsvg-convert makes PNGs of them with one fixed font.
# usage: pictures.sh PROGRAM [FOLDER]
set -eu
program=$1
folder=${2:-screenshots}
mkdir -p "$folder"
svg=$(mktemp -d)
trap 'rm -rf "$svg"' EXIT

# picture NAME SIZE THEME KEY…: keys as --keys takes them, one a line
picture() {
    name=$1 size=$2 theme=$3
    shift 3
    printf '%s\n' "$@" > "$svg/keys"
    LANG=C.UTF-8 TZ=UTC "$program" live --headless --size "$size" --theme "$theme" --color truecolor \
        --seed 2026 --events 400000 --rate 0 --start 2026-05-17T10:20:30Z \
        --keys "$svg/keys" -O svg > "$svg/$name.svg"
    rsvg-convert "$svg/$name.svg" -o "$folder/$name.png"
    # A palette is a quarter of the bytes; without the tool the picture is only larger.
    ! command -v pngquant >/dev/null || pngquant 128 --strip --force -o "$folder/$name.png" "$folder/$name.png"
}

picture processes 120x34 default       wait
picture disk      120x34 default       wait 3 wait
picture drill     120x34 default       wait Down Down Enter wait
picture events    120x34 default       wait text::events Enter wait
picture filter    120x34 default       wait / text:svc wait
picture help      120x34 default       wait '?' wait
picture light     120x34 light         wait 3 wait
picture mono      120x34 mono          wait 3 wait
picture small      80x24 default       wait
