/* Themes: what a meaning looks like. A theme file (ui/README.md, Themes and colors) gives
 * roles as text; a *look* is a theme reduced to what a terminal can show. Every
 * role is optional, and meaning survives without color. */
#ifndef UI_THEME_THEME_H
#define UI_THEME_THEME_H

#include "src/base/err.h"
#include "src/os/os.h"
#include "ui/theme/color.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum role {
    ROLE_TEXT,
    ROLE_DIM,
    ROLE_TITLE,
    ROLE_HEADER,
    ROLE_HEADER_SORT,
    ROLE_COLUMN_CURSOR,
    ROLE_ROW_CURSOR,
    ROLE_ROW_TAGGED,
    ROLE_ROW_NEW,
    ROLE_ROW_EXITED,
    ROLE_ROW_LEAVING,
    ROLE_MATCH,
    ROLE_CRUMB,
    ROLE_FILTER,
    ROLE_FILTER_BAD,
    ROLE_PROMPT,
    ROLE_STATUS,
    ROLE_STATUS_FROZEN,
    ROLE_STATUS_REPLAY,
    ROLE_STATUS_PAUSED,
    ROLE_STATE_LIVE,
    ROLE_STATE_FROZEN,
    ROLE_STATE_REPLAY,
    ROLE_STATE_PAUSED,
    ROLE_STATE_FINISHED,
    ROLE_STATE_FAILED,
    ROLE_STATE_REC,
    ROLE_BADGE,
    ROLE_LOST,
    ROLE_LOST_PAST,
    ROLE_MESSAGE,
    ROLE_KEY,
    ROLE_KEY_LABEL,
    ROLE_BORDER,
    ROLE_BAR_REST,
    ROLE_NAME,
    ROLE_ZERO,
    ROLE_LOW,
    ROLE_HIGH,
    ROLE_CRIT,
    ROLE_METER_USER,
    ROLE_METER_SYSTEM,
    ROLE_METER_IRQ,
    ROLE_METER_STEAL,
    ROLE_METER_USED,
    ROLE_METER_BUFFERS,
    ROLE_METER_CACHE,
    ROLE_METER_CURVE,
    ROLE_FRAME_KERNEL,
    ROLE_FRAME_USER,
    ROLE_FRAME_MANAGED,
    ROLE_FRAME_DRIVER,
    ROLE_FLAME, /* lies over the roles of frames: boxes of a flame graph */
    ROLES,
};

enum attribute {
    ATTRIBUTE_BOLD = 1,
    ATTRIBUTE_DIM = 2,
    ATTRIBUTE_ITALIC = 4,
    ATTRIBUTE_UNDERLINE = 8,
    ATTRIBUTE_REVERSE = 16,
    ATTRIBUTE_STRIKE = 32,
};

/* A color: its kind in the top byte, its value below. */
enum color_kind {
    COLOR_NONE = 0,          /* not said: whatever is below shines through */
    COLOR_DEFAULT = 1 << 24, /* the terminal's own */
    COLOR_INDEX = 2 << 24,   /* | 0…255 */
    COLOR_RGB = 3 << 24,     /* | 0xrrggbb */
    COLOR_KIND = 0x7f000000, /* mask */
};

struct style {
    uint32_t fg, bg;
    uint8_t attributes;
};

enum depth { DEPTH_MONO, DEPTH_16, DEPTH_256, DEPTH_TRUE, DEPTHS };

/* Levels of a gradient are how much; levels of the series are which of many. With SOLID the color
 * covers the whole cell and hides its sign, which is for screens without color; with GROUND it is
 * what the sign stands on. */
enum gradient {
    GRADIENT_NONE,
    GRADIENT_HEAT,
    GRADIENT_LOAD,
    GRADIENT_FLAME,
    GRADIENT_SERIES,
    GRADIENTS,
    GRADIENT_SOLID = 0x40,
    GRADIENT_GROUND = 0x80,
};
enum { LEVELS = 32, SERIES_MAX = 16 };

enum { THEME_PALETTE = 64, THEME_NAME = 32, THEME_SPEC = 96, THEME_LIST = 256 };

struct theme {
    char name[THEME_NAME], author[64], inherits[THEME_NAME], safe[64];
    bool is_light;
    unsigned colors;
    struct {
        char name[THEME_NAME], text[THEME_NAME];
    } palette[THEME_PALETTE];
    char roles[DEPTHS][ROLES][THEME_SPEC]; /* DEPTH_TRUE holds the general ones */
    char gradients[GRADIENTS][THEME_LIST];
    char series[THEME_LIST];
    unsigned warnings;
    struct err warning; /* the first of them: line, and what is wrong with it */
};

/* What a terminal of that depth shows. */
struct look {
    enum depth depth;
    struct style styles[ROLES];
    uint32_t ramps[GRADIENTS][LEVELS];
    uint32_t series[SERIES_MAX];
    unsigned series_count;
};

const char *role_name(enum role role);
const char *role_help(enum role role); /* what it is for, for the manual */
const char *gradient_name(enum gradient gradient);
const char *attribute_name(enum attribute attribute);

/* Reads theme text on top of what *t holds. Never fails: a line that says nothing
 * sensible is counted, the first is remembered as a sentence, the rest counts. */
void theme_parse(struct theme *t, const char *text, size_t bytes, const char *file);

/* Loads by name (embedded, or in themes/ beside the configuration) or as a file (a path or "….theme"), parents first. */
bool theme_load(struct theme *t, const char *name, struct err *err);

/* Name of the i-th embedded theme, NULL behind the last. */
const char *theme_embedded(size_t i);

/* Of the i-th theme that can be loaded by name, the user's own behind the embedded ones; false
 * behind the last. */
bool theme_name(size_t i, char out[OS_NAME_ROOM]);

/* Parses "fg [on bg] [bold …]" with the theme's palette. False with a sentence. */
bool theme_style(const struct theme *t, const char *text, struct style *out, struct err *err);

/* A list of colors, separated by blanks or commas; what is none is left out. How many. */
unsigned theme_colors(const struct theme *t, const char *text, uint32_t *out, unsigned room);

/* Does the theme claim to be safe for them? For normal vision all are. */
bool theme_is_for(const struct theme *t, enum vision v);

void theme_reduce(const struct theme *t, enum depth depth, struct look *out);

/* The style of a cell: its role, what lies over it (ROLE_TEXT = nothing), and, where a
 * gradient is named (with its flags), the color of that level. */
struct style look_style(const struct look *l, enum role role, enum role over, unsigned gradient,
                        unsigned level);

/* RGB of any color (pictures, tests); `fallback` for the terminal's own. */
uint32_t color_rgb(uint32_t color, uint32_t fallback);

#endif
