#include "ui/term/glyph.h"

/* clang-format off */
#define LETTERS \
    .crumb = "›", \
    .divider = "│", \
    .rule = "─", \
    .ellipsis = "…", \
    .down = "▼", \
    .up = "▲", \
    .zero = "·", \
    .minus = "−", \
    .times = "×", \
    .micro = "µ", \
    .absent = "-", \
    .incomplete = "?", \
    .estimated = "~", \
    .scroll = "▐", \
    .cursor = "▸", \
    .horizontal = "─",
/* clang-format on */

const struct glyphs glyphs_unicode = {
    LETTERS.spark = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
    .bar = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
    .shade = {" ", "░", "▒", "▓", "█"},
    .part = {"━", "╍", "┅", "┉"},
    .part_half = "╸",
    .part_rest = "─",
};

const struct glyphs glyphs_braille = {
    LETTERS.is_braille = true,
    .spark = {" ", "⣀", "⣀", "⣤", "⣤", "⣶", "⣶", "⣿", "⣿"},
    .bar = {" ", "⡇", "⡇", "⡇", "⡇", "⣿", "⣿", "⣿", "⣿"},
    .shade = {" ", "⠂", "⠕", "⢷", "⣿"},
    .part = {"⠿", "⠶", "⠒", "⠐"},
    .part_half = "⠇",
    .part_rest = "·",
};

const struct glyphs glyphs_plain = {
    LETTERS.spark = {" ", ".", ".", ":", ":", "+", "+", "#", "#"},
    .bar = {" ", " ", " ", " ", "#", "#", "#", "#", "#"},
    .shade = {" ", ".", "+", "*", "#"},
    .part = {"#", "*", "+", "="},
    .part_half = "#",
    .part_rest = "·",
};

const struct glyphs glyphs_ascii = {
    .is_ascii = true,
    .crumb = ">",
    .divider = "|",
    .rule = "-",
    .ellipsis = "~",
    .down = "v",
    .up = "^",
    .zero = ".",
    .minus = "-",
    .times = "x",
    .micro = "u",
    .absent = "-",
    .incomplete = "?",
    .estimated = "~",
    .spark = {" ", ".", ".", ":", ":", "+", "+", "#", "#"},
    .bar = {" ", " ", " ", " ", "#", "#", "#", "#", "#"},
    .shade = {" ", ".", "+", "*", "#"},
    .part = {"#", "*", "+", "="},
    .part_half = "#",
    .part_rest = ".",
    .scroll = "|",
    .cursor = ">",
    .horizontal = "-",
};
