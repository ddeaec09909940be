/* Tables of options. A command has the tables that its row in `subcommands` names: its own, which
 * stands in its file, and shared ones (option_table.c). An option that is new is one row. */
#ifndef SRC_COMMAND_OPTION_TABLE_H
#define SRC_COMMAND_OPTION_TABLE_H

#include "src/command/option.h"

/* Reads a value into its member of struct options, or into that and its neighbors; false with a
 * sentence without the option's name. */
typedef bool option_reader(void *field, const char *text, struct err *err);

/* A row. A table ends with a row without a name; names and letters are unique over all tables. */
struct option {
    char letter; /* 0 = has none */
    const char *name;
    const char *argument; /* NULL = a switch */
    const char *help;     /* NULL: for tests, not listed */
    uint32_t offset;      /* in struct options */
    option_reader *read;  /* NULL for switches */
};

#define AT(member) offsetof(struct options, member)

/* All tables in the order in which help, the manual and completions list them; ends with NULL. */
extern const struct option *const option_tables[];

/* ---- shared (option_table.c) ----------------------------------------------------------------- */

extern const struct option options_for_interval[], options_for_output[], options_for_duration[],
    options_for_recording[], options_for_instance[], options_for_format[], options_for_rows[],
    options_for_range[], options_for_force[], options_for_compress[], options_for_ring[],
    options_for_watching[], options_for_capture[], options_for_etw[], options_for_demo[],
    options_for_symbols[], options_for_readonly[], options_for_view[], options_for_schema[],
    options_for_config[], options_for_loss[], options_for_quiet[], options_for_all[];

/* ---- of one command -------------------------------------------------------------------------- */

extern const struct option options_for_top[];      /* top.c */
extern const struct option options_for_stacks[];   /* stacks.c */
extern const struct option options_for_snapshot[]; /* remote.c */
/* option_screen.c: live and replay, the log of both, replay alone */
extern const struct option options_for_screen[], options_for_log[], options_for_replay[];
extern const struct option options_for_sessions[]; /* option_table.c */

/* ---- values that several options take (option_value.c) --------------------------------------- */

option_reader option_read_separator; /* char */
option_reader option_read_text;     /* const char *: some text */
option_reader option_read_count;    /* uint64_t */
option_reader option_read_size;     /* uint64_t, bytes */
option_reader option_read_list;     /* struct option_list: one more item */
option_reader option_read_percent;  /* double */
option_reader option_read_instant;  /* int64_t, ns since 1970 UTC */
option_reader option_read_interval; /* int64_t, ns: see option_interval() */
option_reader option_read_span;     /* int64_t, ns */

#endif
