/* The configuration file (ui/README.md): the line format of ui/config/item.h. What it says is read
 * once, at the start; what the user keeps is written back item by item, and everything else in the
 * file stays as it is. A file that somebody else could have written is no danger: nothing in it
 * starts a program. Main thread. */
#ifndef UI_CONFIG_CONFIG_H
#define UI_CONFIG_CONFIG_H

#include "src/base/err.h"
#include "ui/config/item.h"
#include "ui/config/keys.h"
#include "ui/config/settings.h"

#include <stdbool.h>
#include <stddef.h>

enum { CONFIG_BYTES_MAX = 256 * 1024, CONFIG_PAIRS_MAX = 256, CONFIG_GROUPS_MAX = 128 };

/* Items in the order of the file; a key that comes again replaces the first. */
struct pairs {
    struct pair {
        char *key, *value;
        unsigned line;
    } *at;
    unsigned count;
};

/* All of one section with a name of its own: [views.NAME], [columns.NAME], [recorder.NAME]. */
struct pair_group {
    char name[ITEM_SECTION];
    struct pairs pairs;
    unsigned line; /* of its first item */
};

struct options;

enum { CONFIG_WARNINGS = 8 }; /* that are kept; all are counted */

struct config {
    char path[1100];     /* the file, there or not; "" = there is no place for one */
    bool is_there;
    struct settings file;     /* as the file has them */
    struct settings settings; /* to start with: with what the command line says */
    struct keys *keys;
    struct pairs rules, triggers,
        spans; /* [rules], [triggers], [spans]: NAME = … in the value, too */
    struct pair_group *views, *columns, *recorders;
    unsigned view_count, column_count, recorder_count;
    unsigned warnings; /* lines that say nothing sensible */
    struct err warning;       /* the first of them: file, line, what is wrong with it */
    struct err others[CONFIG_WARNINGS - 1]; /* those behind it, as many as are kept */
};

/* The i-th warning that is kept, from 0; NULL behind the last. */
const char *config_warning(const struct config *c, unsigned i);

/* Reads text on top of the defaults. Never fails: see `warnings`. config_fini() in any case. */
void config_parse(struct config *c, const char *text, size_t bytes, const char *name);

/* Reads the file `path`, which must be there, or, with NULL, what the environment
 * (TRACETOP_CONFIG) or the system says, which need not: where it is there and cannot be read, that
 * is a warning. False with a sentence where `path` cannot be read. config_fini() in any case. */
bool config_load(struct config *c, const char *path, struct err *err);
void config_fini(struct config *c);

/* What the line says and what the file says, each where the other is silent: into the settings to
 * start with, and into the options, which keep pointers into `c`. `id` is the subcommand's. */
void config_meet(struct config *c, struct options *o, unsigned id);

/* The spans of the file, besides those of the line; their texts stay in `c`. A wrong one is a
 * warning. */
void config_meet_spans(struct config *c, struct options *o, unsigned id);

/* What [recorder.NAME] says becomes options of that recorder, where the line is silent; they keep
 * pointers into `c`. A wrong item is a warning. */
void config_meet_recorder(struct config *c, struct options *o, const char *name);

/* One more line that says nothing sensible; for what is understood later. */
void config_warn(struct config *c, unsigned line, const char *format, ...) PRINTF_LIKE(3, 4);

/* Likewise a sentence that names its place itself. */
void config_warn_text(struct config *c, const char *text);

/* The folder of that name beside the configuration, there or not; false where there is no place for
 * one. */
bool config_folder(const struct config *c, const char *name, char *out, size_t room);

/* Writes a file into that folder, which is made; `path` is where. False with a sentence, also where
 * there is one of that name. */
bool config_new_file(const struct config *c, const char *folder, const char *name, const char *text,
                     char *path, size_t room, struct err *err);

/* A file of the program's own beside the configuration, of at most CONFIG_BYTES_MAX: its text with
 * a NUL, owned by the caller; "" where there is none, NULL with a sentence where it cannot be read.
 */
char *config_read_beside(const struct config *c, const char *name, struct err *err);

/* Writes it in place of what was there. Only the usual folder is made: where another file is the
 * configuration and its folder is not there, nothing is written, which is no error. */
bool config_write_beside(const struct config *c, const char *name, const char *text,
                         struct err *err);

/* The place of that name beside where the configuration usually is; "" where there is no place for
 * one. */
void config_usual_folder(const char *name, char *out, size_t room);

/* The first warning without the file's folder: screens are narrow. */
const char *config_complaint(const struct config *c);

/* The group of that name, or NULL. */
const struct pair_group *config_group(const struct pair_group *groups, unsigned count,
                                      const char *name);
const char *pairs_get(const struct pairs *p, const char *key); /* or NULL */

/* ---- keeping -------------------------------------------------------------------------------- */

/* Does something differ from what the program started with? */
bool config_differs(const struct config *c, const struct settings *now);

/* Writes what differs into the file (made where there is none), under a temporary name first.
 * What was not touched stays as the file has it, also what changed there since it was read. */
bool config_keep(struct config *c, const struct settings *now, struct err *err);

/* A group, [KIND.NAME] (views or columns), has these items now and no others; without any (count
 * 0) it goes. In the struct alone, and in the file, too. */
void config_take_group(struct config *c, const char *kind, const char *name,
                       const struct pairs *pairs);
bool config_keep_group(struct config *c, const char *kind, const char *name,
                       const struct pairs *pairs, struct err *err);

void pairs_set(struct pairs *p, const char *key, const char *value, unsigned line);
void pairs_fini(struct pairs *p);

#endif
