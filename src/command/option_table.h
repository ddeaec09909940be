/* Tables of options. A command's own table stands in its file, shared ones in option_table.c;
 * OPTION_TABLES says which commands have them. A new option is a row of a table. */
#ifndef SRC_COMMAND_OPTION_TABLE_H
#define SRC_COMMAND_OPTION_TABLE_H

#include "src/command/command.h"

/* Reads a value into its member of struct options, or into that and its neighbors; false with a
 * sentence without the option's name. */
typedef bool option_reader(void *field, const char *text, struct err *err);

/* A row. A table ends with a row without a name; names and letters are unique over all tables. */
struct option {
    char letter; /* 0 = has none */
    const char *name;
    const char *argument; /* NULL = a switch */
    const char *help;     /* NULL: for tests, not listed */
    uint32_t offset;      /* in struct options; NO_MEMBER: see options_value() */
    option_reader *read;  /* NULL for switches */
};

#define AT(member) offsetof(struct options, member)
#define NO_MEMBER  UINT32_MAX

#define FOR(command) (1u << SUBCOMMAND_##command)
#define ALL_COMMANDS ((1u << SUBCOMMANDS) - 1)
#define ON_SCREEN    (FOR(LIVE) | FOR(REPLAY))
#define LIVE_DATA                                                                                  \
    (FOR(LIVE) | FOR(DUMP) | FOR(TOP) | FOR(ASK) | FOR(MCP) | FOR(STACKS) | FOR(RECORD) |          \
     FOR(RECORDER))
#define EVENTS (LIVE_DATA | FOR(REPLAY))
#define PRINTING                                                                                   \
    (FOR(INFO) | FOR(MACHINE) | FOR(STATS) | FOR(DUMP) | FOR(CUT) | FOR(TOP) | FOR(STACKS) |       \
     FOR(DOCTOR) | FOR(MANUAL))

/* A row for each table options_for_NAME[] and the commands that have it, in the order in which
 * help, the manual and completions list them. */
// clang-format off
#define OPTION_TABLES(X)                                                                          \
    X(interval, ON_SCREEN | FOR(TOP) | FOR(STACKS) | FOR(RECORD) | FOR(RECORDER) | FOR(ASK))      \
    X(top, FOR(TOP))                                                                              \
    X(from, ON_SCREEN | FOR(INFO) | FOR(MACHINE) | FOR(STATS) | FOR(DUMP) | FOR(CUT) | FOR(TOP) | \
          FOR(STACKS) | FOR(ASK) | FOR(MCP) | FOR(PROVIDERS))                                     \
    X(follow, ON_SCREEN | FOR(DUMP) | FOR(TOP))                                                   \
    X(recorder, FOR(RECORDER))                                                                    \
    X(json, FOR(ASK) | FOR(FIELDS) | FOR(SELFTEST))                                               \
    X(rows, FOR(DUMP) | FOR(TOP))                                                                 \
    X(output, PRINTING | FOR(RECORD) | FOR(ASK) | FOR(SELFTEST))                                  \
    X(duration, FOR(DUMP) | FOR(TOP) | FOR(STACKS) | FOR(RECORD) | FOR(ASK))                      \
    X(stacks, FOR(STACKS))                                                                        \
    X(recording, ON_SCREEN | FOR(RECORD) | FOR(SESSIONS))                                         \
    X(rotation, ON_SCREEN | FOR(RECORD))                                                          \
    X(snapshot, FOR(SNAPSHOT))                                                                    \
    X(selftest, FOR(SELFTEST))                                                                    \
    X(instance, FOR(RECORD) | FOR(MARK) | FOR(LOG) | FOR(SNAPSHOT))                               \
    X(format, PRINTING | ON_SCREEN | FOR(RECORDER) | FOR(SESSIONS))                               \
    X(range, FOR(DUMP) | FOR(CUT) | FOR(TOP) | FOR(SNAPSHOT) | FOR(ASK))                          \
    X(force, PRINTING | FOR(RECORD) | FOR(ASK) | FOR(SELFTEST))                                   \
    X(compress, ON_SCREEN | FOR(DUMP) | FOR(CUT) | FOR(RECORD))                                   \
    X(replay, FOR(REPLAY))                                                                        \
    X(ring, EVENTS)                                                                               \
    X(watching, LIVE_DATA)                                                                        \
    X(pids, LIVE_DATA | FOR(PROVIDERS))                                                           \
    X(scope, LIVE_DATA)                                                                           \
    X(capture, EVENTS | FOR(CUT))                                                                 \
    X(etw, LIVE_DATA)                                                                             \
    X(sessions, FOR(SESSIONS))                                                                    \
    X(providers, FOR(PROVIDERS))                                                                  \
    X(level, FOR(PROVIDERS) | FOR(MARK) | FOR(LOG))                                               \
    X(mark, FOR(MARK) | FOR(LOG))                                                                 \
    X(demo, LIVE_DATA)                                                                            \
    X(symbols, ON_SCREEN | FOR(TOP) | FOR(STACKS) | FOR(ASK) | FOR(MCP))                          \
    X(triggers, ON_SCREEN | FOR(RECORD) | FOR(RECORDER))                                          \
    X(spans, ON_SCREEN | FOR(TOP) | FOR(ASK) | FOR(MCP) | FOR(RECORD) | FOR(RECORDER))            \
    X(screen, ON_SCREEN)                                                                          \
    X(readonly, ON_SCREEN | FOR(SESSIONS) | FOR(PROVIDERS))                                       \
    X(view, ON_SCREEN | FOR(TOP) | FOR(FIELDS))                                                   \
    X(schema, ON_SCREEN | FOR(INFO) | FOR(DUMP) | FOR(CUT) | FOR(TOP) | FOR(STACKS) | FOR(ASK) |  \
          FOR(MCP) | FOR(SELFTEST) | FOR(PROVIDERS))                                              \
    X(config, EVENTS | FOR(KEYS))                                                                 \
    X(loss, EVENTS)                                                                               \
    X(log, ON_SCREEN | FOR(SESSIONS))                                                             \
    X(verbose, ON_SCREEN)                                                                         \
    X(quiet, EVENTS)                                                                              \
    X(all, ALL_COMMANDS)
// clang-format on

#define X(name, commands) extern const struct option options_for_##name[];
OPTION_TABLES(X)
#undef X

/* The rows of OPTION_TABLES; the last has no options. */
extern const struct option_group {
    const struct option *options;
    uint32_t commands; /* bits of enum subcommand_id */
} option_groups[];

/* The help of an option where it differs by command: the first row that fits. The last has no name.
 */
extern const struct option_command_help {
    const char *name;  /* of the option */
    uint32_t commands; /* bits of enum subcommand_id */
    const char *help;
} option_command_helps[];

/* ---- values that several options take (option_value.c) --------------------------------------- */

/* A size or a time, the other is 0: 64M is a size; 60s, 5m and 12h are times. */
bool option_size_or_time(const char *text, uint64_t *bytes, int64_t *ns, struct err *err);

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
