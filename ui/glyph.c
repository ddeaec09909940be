#include "ui/glyph.h"

const struct glyphs glyphs_unicode = {
    .crumb = "›",
    .divider = "│",
    .rule = "─",
    .ellipsis = "…",
    .down = "▼",
    .up = "▲",
    .zero = "·",
    .minus = "−",
    .times = "×",
    .micro = "µ",
    .spark = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
    .bar = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
    .scroll = "▐",
    .cursor = "▸",
    .horizontal = "─",
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
    .spark = {" ", ".", ".", ":", ":", "+", "+", "#", "#"},
    .bar = {" ", " ", " ", " ", "#", "#", "#", "#", "#"},
    .scroll = "|",
    .cursor = ">",
    .horizontal = "-",
};
