/* Functions of programs and libraries that the user names: every call of them is an event
 * (src/event/function_event.h).
 *
 *   u:FILE:FUNCTION           in every process that runs the program or has the library
 *   p:PID:MODULE!FUNCTION     in one process, of one of its files by its last part
 *   usdt:FILE:PROBE           a place that the program was built with, by its name
 *
 * FUNCTION is a name or a pattern with * and ?, of C++ and Rust as written or as in the symbol
 * table. Behind it may stand its signature, where the file has no debug information:
 * (NAME:TYPE,…):TYPE with the types u8 … u64, i8 … i64, hex32, hex64 and text; and ":entry" where
 * returns are of no interest. */
#ifndef COLLECTORS_LINUX_TRANSLATE_FUNCTION_H
#define COLLECTORS_LINUX_TRANSLATE_FUNCTION_H

#include "collectors/linux/bpf/bpf.h"
#include "collectors/linux/bpf/function_form.h"
#include "src/base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { FUNCTIONS_MOST = 1000, FUNCTION_NAME = 200, FUNCTION_FILE = 64, FUNCTION_PATTERN = 512 };

/* ---- what the user writes (function_name.c) --------------------------------------------------- */

enum function_type {
    FUNCTION_U8,
    FUNCTION_U16,
    FUNCTION_U32,
    FUNCTION_U64,
    FUNCTION_I8,
    FUNCTION_I16,
    FUNCTION_I32,
    FUNCTION_I64,
    FUNCTION_HEX32,
    FUNCTION_HEX64,
    FUNCTION_OF_TEXT,
    FUNCTION_TYPES
};
extern const char *const function_type_words[FUNCTION_TYPES];
unsigned function_type_bytes(enum function_type type); /* 0: a text */

struct function_value {
    char name[32];
    uint8_t type;  /* enum function_type */
    uint8_t place; /* number of the register among those for arguments */
};

struct function_signature {
    struct function_value arguments[FUNCTION_ARGUMENTS], result;
    unsigned count;
    bool has_result;
};

struct function_request {
    const char *text; /* as written */
    char file[4096];  /* u, usdt: the path or the name */
    uint32_t pid;     /* p: not 0 */
    char pattern[FUNCTION_PATTERN];
    bool is_probe; /* usdt */
    bool is_entry_only, has_signature;
    struct function_signature signature;
};

bool function_is_named(const char *text); /* begins as one of these */
bool function_request_read(const char *text, struct function_request *out, struct err *err);

/* ---- probes that programs were built with (function_probe.c) ------------------------------------ */

/* Reads where up to FUNCTION_ARGUMENTS arguments are. An argument in another place is left out, and
 * the others keep their numbers. Any text is safe. */
void function_probe_read(const char *words, struct function_signature *signature,
                         struct bpf_argument *places);

/* ---- finding them (function_find.c) ----------------------------------------------------------- */

struct function {
    char *file; /* last part of its path */
    char *name; /* as people write it */
    uint64_t address;
    bool is_probe; /* its event has its name alone */
    bool has_ends; /* of its calls, which are watched */
    struct function_signature signature;
};

struct functions {
    struct function *of;
    struct bpf_functions bpf; /* of the same numbers */
    size_t end_room;
    int *files; /* descriptors */
    size_t file_count;
    uint64_t *calls;       /* at the last look */
    unsigned entries_only; /* whose code cannot be read surely: their ends are not watched */
};

/* NULL with a sentence: one is written wrongly, or nothing is there like it. Opens files and may
 * take seconds for large ones. free: functions_free(). */
struct functions *functions_new(const char *const *names, size_t count, struct err *err);
void functions_free(struct functions *f); /* NULL is fine */

/* Prints what -e NAME would attach to, with types. */
bool functions_list(const char *name, FILE *to, struct err *err);

#endif
