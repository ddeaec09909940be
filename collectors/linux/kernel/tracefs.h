/* tracefs: which events this kernel has, and where their fields lie. Reads only; the
 * switches of tracefs are never touched. Not for the collector's thread. */
#ifndef COLLECTORS_LINUX_KERNEL_TRACEFS_H
#define COLLECTORS_LINUX_KERNEL_TRACEFS_H

#include "collectors/linux/kernel/sample.h"
#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The command that mounts it, as messages and doctor advise it. */
#define TRACEFS_MOUNT "mount -t tracefs nodev /sys/kernel/tracing"

struct tracefs {
    char path[4096]; /* the folder that holds "events" */
};

/* Finds where it is mounted (or takes `path`, for tests). False with an error: "not there" or "not
 * permitted". */
bool tracefs_find(struct tracefs *fs, const char *path, struct err *err);

enum { FORMAT_MAX = 64 * 1024 }; /* the largest format text in 6.18 has 6 KiB */

/* The format text of an event, NUL-terminated, cut at FORMAT_MAX; free() it. NULL with a
 * sentence. */
bool tracefs_has(const struct tracefs *fs, const char *group, const char *name);
char *tracefs_format(const struct tracefs *fs, const char *group, const char *name,
                     struct err *err);

/* The number that perf_event_open(2) wants, from the format text ("ID: 372"); 0 = none. */
uint64_t format_id(const char *text);

/* One field of a format text; false where there is none of that name. */
bool format_field(const char *text, const char *name, struct field_place *out);

/* What a format text says of one field. */
struct format_item {
    char name[64];
    char type[64]; /* as declared, without brackets: "const char *" */
    uint32_t offset, size;
    bool is_signed;
    bool is_array;    /* of a fixed size */
    bool is_data_loc; /* its place holds where the bytes are … */
    bool is_rel_loc;  /* … counted from behind that place */
};

/* The next field from *at on, which begins with the text: those of the event's own, without those
 * that all events have. False behind the last. */
bool format_next(const char **at, struct format_item *out);

/* All fields that `event` names. False with a sentence when one that is not optional is
 * missing. */
bool format_layout(const char *text, const struct linux_event *event, struct sample_layout *out,
                   struct err *err);

/* The value and the name of entry `index` of the first __print_flags or __print_symbolic
 * list of `print fmt`: { 0x00000001, "S" }. False behind the last. */
bool format_flag(const char *text, unsigned index, uint64_t *value, char *name, size_t room);

#endif
