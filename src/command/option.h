/* The options of the command line, from tables (option_table.h): reading, --help, the manual and
 * completions come from their rows. A table belongs to some subcommands only; an option given to
 * another one is an error, never ignored. */
#ifndef SRC_COMMAND_OPTION_H
#define SRC_COMMAND_OPTION_H

#include "src/base/err.h"
#include "src/collect/capture.h"
#include "src/collect/session_settings.h"
#include "src/trace/disk_ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct option;

struct options {
    int64_t interval_ns; /* refresh interval */
    int64_t start_ns;    /* demo: time of its first event; 0 = now */
    uint64_t rows;       /* top, dump: rows printed, 0 = all */
    uint64_t seed;       /* demo */
    uint64_t events;     /* demo: stop after so many, 0 = endless */
    uint64_t hostile;    /* demo: of 1000 names, how many hurt terminals */
    uint64_t rate;       /* demo: events per second, 0 = as fast as possible */
    /* The hot ring: so large, or to hold about so much; both 0: by the machine's memory. */
    struct ring_request {
        uint64_t bytes;
        int64_t ns;
    } ring;
    double fail_on_loss; /* percent; negative = never */
    uint64_t buffer_bytes; /* live: of the kernel's buffer of each processor; 0 = by rate */
    uint64_t buffer_count; /* so many of them in all; 0 = one a processor */
    uint32_t classes, stacks; /* live: bits of enum fact_class; see src/engine/watch.h */
    uint32_t stacks_named;    /* those of `stacks` that were asked for by name */
    struct option_pids {
        uint32_t *pids;
        size_t count;
    } scope_pids;
    struct option_list {
        const char **items;
        size_t count;
    } enable, counters; /* Windows: providers; counters of processors */
    uint32_t kernel_flags; /* Windows: EnableFlags besides those that classes need */
    int64_t sample_ns;  /* Windows: between samples; 0 = as the machine is set */
    struct option_list triggers; /* of the screen: src/engine/trigger.h */
    struct option_list mark_fields; /* NAME=VALUE */
    struct option_list spans;       /* src/engine/span.h */
    struct option_list views;    /* files: ui/main/user_views.h */
    struct option_list schemas;  /* files: src/event/schema_file.h */
    struct option_list symbol_servers; /* src/symbol/server.h */
    const char *session_name, *attach; /* Windows */
    struct session_settings session;   /* sessions start, update; its log is `log` below */
    struct provider_settings provider; /* providers enable; its processes are `scope_pids` */
    bool stops_existing;               /* Windows */
    const char *scope_name; /* live: pattern of process names */
    const char *capture;    /* src/collect/capture.h */
    struct capture_scope capture_scope; /* what of it can choose processes */
    bool has_children;      /* live: and what those start */
    const char *source; /* "live", "demo"; NULL = what the other options mean */
    bool follows;       /* … as it goes on recording */
    const char *from;   /* a recorder whose files are read; ask: or the monitor that answers */
    bool json, prints_schema; /* prints_schema: --schema without a FILE, of ask and selftest */
    struct option_list every; /* top: src/command/top_action.h … */
    const char *at_end;       /* … */
    const char *by;     /* top: a query (src/query/query.h), with or without its first word */
    const char *sort, *columns, *output, *format, *range, *keys, *color, *theme, *config, *log;
    char separator;         /* csv; 0 = the usual one */
    const char *symbols;    /* where files with names are, besides */
    uint8_t kernel_source; /* live: enum kernel_source */
    int speed;         /* replay: times real time; 0 = as fast as possible */
    int width, height; /* --size, cells */
    bool headless, dump, ascii, no_mouse, no_symbols, no_unwind, csv_raw, readonly, quiet, force, compress,
        verbose, help, version;

    int64_t duration_ns;    /* record: 0 = until it is stopped */
    uint64_t most_bytes;    /* record: 0 = no bound */
    uint64_t files_most;    /* record: of a rotating log; 0 = all stay */
    struct disk_ring_limits keep; /* recorder */
    const char *folder;           /* recorder: of its files; NULL: by its name */
    bool background;              /* recorder run: started by recorder start */
    bool service;                 /* recorder run: started by Windows' service manager */
    uint64_t instance;      /* mark, snapshot: pid of the monitor; 0 = the only one */
    const char *filemode;   /* record */
    const char *const *run; /* record: program and arguments behind --, NULL-terminated; or NULL */

    const char **words; /* what is no option, in order; the strings are argv's */
    size_t word_count;
    struct option_given {
        const struct option *row;
        const char *text; /* its last value, argv's; NULL = a switch */
    } * given;            /* what stood on the line, each row once */
    size_t given_count;
};

/* Reads argv[1..]; options and words may be mixed. False with a sentence (a usage
 * error). options_fini() in either case. */
bool options_read(struct options *o, int argc, char *const *argv, struct err *err);
void options_fini(struct options *o);

/* A refresh interval: a time between 100 ms and 24 h. */
bool option_interval(const char *text, int64_t *ns, struct err *err);

/* Takes a value from elsewhere (a configuration) where the line says nothing of the option and the
 * subcommand (enum subcommand_id) has it; it does not count as given. `text` must stay. False with
 * a sentence. */
bool options_preset(struct options *o, unsigned id, const char *name, const char *text,
                    struct err *err);

/* The same, also where the line says something: for options that may be repeated. */
bool options_add(struct options *o, unsigned id, const char *name, const char *text,
                 struct err *err);

/* Would the option (long name) take this value? */
bool options_take(const char *name, const char *text, struct err *err);

/* Does the subcommand have the option (long name)? */
bool options_has(const char *name, unsigned id);

/* Was this option (long name) on the line? */
bool options_given(const struct options *o, const char *name);

/* The value of an option without a member (NO_MEMBER), by the reader of its row: false, and nothing
 * is written, where it is not on the line. For options of one command; readers that make lists need
 * a member. */
bool options_value(const struct options *o, const char *name, void *value);

/* Does every option on the line belong to the subcommand (enum subcommand_id)? The
 * sentence names the first that does not. */
bool options_belong(const struct options *o, unsigned id, const char *command, struct err *err);

/* Is none of them about what is collected on this machine? For commands that read what others have
 * collected. */
bool options_of_traces(const struct options *o, struct err *err);

/* Likewise for a form of a command that takes only these (names, then NULL). */
bool options_only(const struct options *o, const char *const *names, const char *form,
                  struct err *err);

/* The i-th option of all tables that is listed; NULL behind the last. */
const struct option *option_row(size_t i);

/* Does the subcommand (enum subcommand_id) have the option? */
bool option_belongs(const struct option *o, unsigned id);

/* Its help for the subcommand; SUBCOMMANDS: for all. */
const char *option_help(const struct option *o, unsigned id);

/* The names of the subcommands that have it, separated by commas. */
void option_commands(const struct option *o, char *to, size_t room);

/* The listed options of the subcommand (enum subcommand_id), one a line; SUBCOMMANDS: all. */
void options_print(FILE *to, unsigned id);

#endif
