/* What `tracetop sessions start` and `update` say of an ETW session (EVENT_TRACE_PROPERTIES of
 * evntrace.h), and the names of the kernel's flags. What is not given is 0, and is left to ETW. */
#ifndef SRC_COLLECT_SESSION_SETTINGS_H
#define SRC_COLLECT_SESSION_SETTINGS_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum session_file {
    SESSION_FILE_USUAL, /* none was given */
    SESSION_FILE_SEQUENTIAL,
    SESSION_FILE_CIRCULAR,
    SESSION_FILE_APPEND,
    SESSION_FILE_ROTATE,
};

enum session_sequence { SESSION_SEQUENCE_NONE, SESSION_SEQUENCE_GLOBAL, SESSION_SEQUENCE_LOCAL };

struct session_settings {
    const char *log;  /* file; NULL: none */
    const char *guid; /* "{...}" or without braces; NULL: ETW makes one */
    enum session_file filemode;
    uint64_t file_bytes, buffer_bytes, min_buffers, max_buffers;
    int64_t flush_ns;
    uint32_t clock;        /* 1 QPC, 2 system time, 3 cycles of the processor */
    uint8_t sequence;      /* enum session_sequence */
    uint32_t kernel_flags; /* of EnableFlags */
    bool has_kernel_flags;
    bool is_live, is_not_live, is_paged, is_preallocated, is_private, is_private_in_process,
        is_secure;
};

/* What `tracetop providers enable` says: texts as they were given, NULL where they were not. */
struct provider_settings {
    const char *session;
    const char *level;                   /* a name or a number */
    const char *keywords, *all_keywords; /* names or numbers: any of these, and all of those */
    const char *event_ids;               /* only these, or all but these with '!' before them */
    const char *executables;             /* only in programs of these names */
    const uint32_t *pids;
    size_t pid_count;
    bool has_stacks;
};

/* "process,diskio": names as TWAPI has them, to bits, of those that are allowed (SESSION_FLAGS_ALL:
 * every one). False with a sentence that lists these. */
#define SESSION_FLAGS_ALL UINT32_MAX
bool session_flags_read(const char *text, uint32_t allowed, uint32_t *flags, struct err *err);

/* And back, separated by commas, bits without a name as a number. Returns `out`. */
const char *session_flags_print(uint32_t flags, char *out, size_t room);

/* Do these settings go together? False with a sentence; an update takes those alone that ETW
 * changes while a session runs. */
bool session_settings_check(const struct session_settings *s, bool is_update, struct err *err);

#endif
