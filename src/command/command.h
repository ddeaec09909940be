/* The command line as a whole: which subcommand, which words are files, which are
 * the filter. The table of subcommands feeds reading, --help and the manual. */
#ifndef SRC_COMMAND_COMMAND_H
#define SRC_COMMAND_COMMAND_H

#include "src/base/err.h"
#include "src/command/option.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The program's exit status. */
enum exit_status {
    EXIT_DONE = 0,
    EXIT_ERROR = 1,
    EXIT_USAGE = 2,
    EXIT_PRIVILEGE = 3,
    EXIT_LIMIT = 4,
    EXIT_LOSS = 5,
    EXIT_SKIPPED = 6,
    EXIT_INTERRUPTED = 130,
};

/* All of them, with what they mean; the last has no text. */
extern const struct exit_status_help {
    enum exit_status status;
    const char *help;
} exit_statuses[];

enum subcommand_id {
    SUBCOMMAND_LIVE,
    SUBCOMMAND_REPLAY,
    SUBCOMMAND_INFO,
    SUBCOMMAND_MACHINE,
    SUBCOMMAND_STATS,
    SUBCOMMAND_DUMP,
    SUBCOMMAND_CUT,
    SUBCOMMAND_TOP,
    SUBCOMMAND_ASK,
    SUBCOMMAND_MCP,
    SUBCOMMAND_STACKS,
    SUBCOMMAND_RECORD,
    SUBCOMMAND_RECORDER,
    SUBCOMMAND_MARK,
    SUBCOMMAND_LOG,
    SUBCOMMAND_SNAPSHOT,
    SUBCOMMAND_FIELDS,
    SUBCOMMAND_KEYS,
    SUBCOMMAND_THEME,
    SUBCOMMAND_DOCTOR,
    SUBCOMMAND_SELFTEST,
    SUBCOMMAND_SESSIONS,
    SUBCOMMAND_PROVIDERS,
    SUBCOMMAND_COMPLETIONS,
    SUBCOMMAND_MANUAL,
    SUBCOMMANDS,
};

enum command_files {
    FILES_NONE,     /* takes none */
    FILES_OPTIONAL, /* words that look like files are files */
    FILES_NEEDED,   /* likewise, at least one */
    FILES_ONLY,     /* every word is a file, at least one */
    FILES_ANY,      /* every word is a file, perhaps none */
};

struct subcommand {
    const char *name;
    const char *usage; /* what follows the name */
    const char *help;
    const char *subject; /* the first word is this ("PANE"); NULL = there is none */
    const char *formats; /* of -O, the first is the default; NULL = has no -O */
    uint8_t files;       /* enum command_files */
    bool subject_optional;
    bool has_filter; /* words left over are the filter */
    bool has_text;   /* all words are a text, whatever they look like; it stands in `filter` */
    bool has_times;  /* INTERVAL COUNT where no file is given */
};

extern const struct subcommand subcommands[SUBCOMMANDS];

struct command_line {
    unsigned id; /* enum subcommand_id */
    const struct subcommand *command;
    struct options options;
    const char *subject; /* or NULL */
    const char *format;  /* one of command->formats, or NULL */
    const char **files;  /* the strings are argv's, but for the first `owned` */
    size_t file_count, owned;
    char *followed;        /* --follow: the folder of the recorder; or NULL */
    const char *bare_file; /* of these, one that is called like a word of a filter; or NULL */
    char *filter;     /* leftover words joined by blanks; never NULL */
    uint64_t count;   /* COUNT; 0 = not given */
    bool is_implicit; /* no subcommand was named */
};

/* Reads the whole line. EXIT_DONE, or the status to leave with and a sentence.
 * command_line_fini() in either case. */
enum exit_status command_line_read(struct command_line *c, int argc, char *const *argv,
                                   struct err *err);
void command_line_fini(struct command_line *c);

/* --help: of the program, or of the one subcommand that was named. */
void command_help(FILE *to, const struct command_line *c);

#endif
