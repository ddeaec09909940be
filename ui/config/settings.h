/* What a user may set, and keep in the configuration file: one struct, and one table of its
 * rows. Reading and writing the file, the setup screen, its help and the manual come from the
 * table; whatever draws or acts reads the struct. The values are the present ones: keys and
 * commands change them, too. */
#ifndef UI_CONFIG_SETTINGS_H
#define UI_CONFIG_SETTINGS_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value written as text takes at most so many bytes, with its NUL. */
enum { SETTING_ROOM = 256 };

enum keybar { KEYBAR_FKEYS, KEYBAR_LETTERS, KEYBAR_BOTH };
enum symbols { SYMBOLS_BLOCK, SYMBOLS_BRAILLE, SYMBOLS_ASCII };
enum units { UNITS_IEC, UNITS_SI, UNITS_BITS };
enum strip_shown { STRIP_AUTO, STRIP_YES, STRIP_NO };
enum flame_direction { FLAMES_DOWN, FLAMES_UP };
enum clipboard { CLIPBOARD_OSC52, CLIPBOARD_FILE };
/* Lines of meters at the top; AUTO: as the screen has room. */
enum meters_mode { METERS_AUTO, METERS_OFF, METERS_ONE, METERS_TWO, METERS_FULL, METERS_MODES };

struct settings {
    /* [ui] */
    char theme[SETTING_ROOM];
    uint8_t color;   /* index of the words of --color; 0 = as the terminal says */
    uint8_t symbols; /* enum symbols */
    uint8_t keybar;  /* enum keybar */
    uint8_t time;    /* enum time_mode */
    uint8_t units;   /* enum units: what K, M, G mean of bytes */
    uint8_t paths;   /* enum path_mode */
    uint8_t clipboard;
    uint8_t strip;        /* enum strip_shown */
    uint8_t strip_metric; /* enum strip_metric */
    uint8_t flame;        /* enum flame_direction */
    bool has_mouse, is_readonly, saves_itself, is_ascii;
    bool keeps_recent; /* ui/state/recent_texts.h */
    uint8_t meters;   /* enum meters_mode */
    bool has_borders; /* around panes */
    bool hides_idle, hides_system, hides_self, folds_exited;
    bool of_one_cpu;     /* processor use: one processor is 100 % */
    int64_t interval_ns; /* between samples */
    int64_t message_ns;  /* how long messages stay */
    int64_t new_ns, exited_ns; /* how long rows are marked as new, stay as exited; 0 = not at all */
    double cut_off;      /* stacks: percent below which frames share a row */
    /* [panes] */
    char start[32];   /* pane to start with; "" = the first */
    char collect[SETTING_ROOM]; /* as --panes; "" = what is usual */
    /* [symbols] */
    char symbol_path[SETTING_ROOM];
    char symbol_server[SETTING_ROOM]; /* as --symbol-server; "" = nothing is downloaded */
    bool has_symbols;
    /* [record] */
    char folder[SETTING_ROOM]; /* for snapshots and recordings without a name; "" = where we are */
    char file_name[48]; /* how their names begin, before machine, date and time */
    char ring[32];             /* as --ring; "" = by the machine's memory */
};

enum setting_kind {
    SETTING_YES,     /* bool */
    SETTING_CHOICE,  /* uint8_t: index into choices */
    SETTING_TIME,    /* int64_t ns between least and most */
    SETTING_PERCENT, /* double between least and most */
    SETTING_TEXT,    /* char[most] */
};

/* Another word for a choice: files from before the choices were as they are now have it. */
struct setting_alias {
    const char *word;
    uint8_t choice;
};

struct setting {
    const char *section, *key;
    const char *label; /* "section.key" */
    enum setting_kind kind;
    const char *standard; /* the default, as it stands in a file */
    const char *help;     /* a sentence */
    size_t offset;        /* in struct settings */
    const char *const *choices; /* names, then NULL */
    const struct setting_alias
        *aliases; /* choices: behind the last, a word that is NULL; or NULL */
    int64_t least, most;
    bool is_later;      /* what is changed counts from the next start on */
    const char *option; /* texts: the option of the command line that takes the same; or NULL */
};

extern const struct setting settings_table[];
extern const size_t settings_count;

void settings_default(struct settings *s);

/* The row of that name; NULL = there is none. With an empty section: any section's, or
 * "section.key". */
const struct setting *setting_find(const char *section, const char *key);

/* Takes the value from text; false with what was expected and found, and nothing changed. */
bool setting_read(const struct setting *row, struct settings *s, const char *text, struct err *err);

/* The value as text that setting_read() takes; `out` has SETTING_ROOM bytes. */
void setting_write(const struct setting *row, const struct settings *s, char *out);

/* The next value, for people who press a key until it is right: the next choice, yes and no;
 * false for kinds that must be typed. */
bool setting_turn(const struct setting *row, struct settings *s);

bool setting_equal(const struct setting *row, const struct settings *a, const struct settings *b);

#endif
