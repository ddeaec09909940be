/* What the files about calls share. */
#ifndef COLLECTORS_LINUX_TRANSLATE_FILE_CALL_H
#define COLLECTORS_LINUX_TRANSLATE_FILE_CALL_H

#include "collectors/linux/translate/file_calls.h"
#include "collectors/linux/translate/file_queue.h"
#include "collectors/linux/translate/open_files.h"
#include "collectors/linux/translate/running_calls.h"
#include "collectors/linux/translate/translate.h"
#include "src/model/fact.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/perf_event.h>

struct file_call {
    const char *name;
    uint8_t kind, type; /* enum call_kind, FILE_* */
};

#define AS_CALL(name, kind, type, fields) {#name, kind, type},
static const struct file_call calls[] = {FILE_CALLS(AS_CALL) NO_FILE_CALLS(AS_CALL)};

/* Index of a call in the table, to be compared with. */
#define AS_INDEX(name, kind, type, fields) CALL_##name,
enum call_index { FILE_CALLS(AS_INDEX) FILE_CALL_COUNT };

struct files {
    struct open_files *open;
    struct file_queue *queue;
    struct running_calls *running;
    bool has_paths; /* calls come with their paths */
    bool is_on;
    uint16_t operations; /* counts them, for their numbers */
    uint64_t pushed_out; /* of open_files_pushed_out(), already reported */
};

static inline struct files *files_of(const struct translator *t)
{
    return t->state[DOMAIN_FILE];
}

static inline uint64_t next_irp(struct files *f, uint32_t tid)
{
    if (!++f->operations)
        f->operations = 1;
    return (uint64_t)tid << 16 | f->operations;
}

static inline struct file_op op_of(const struct sample *s, unsigned type,
                                   const struct call_part *part)
{
    return (struct file_op){.time = s->time,
                            .pid = s->pid,
                            .tid = s->tid,
                            .cpu = s->cpu,
                            .type = (uint8_t)type,
                            .irp = part->irp,
                            .lookup = part->lookup};
}

/* Its path is the directory that the file, which has no name, is made in: /proc says more. */
bool file_call_is_nameless(uint64_t flags);
void file_call_forget(struct translator *t, uint32_t pid, int32_t fd, int64_t time);
void file_call_begin(struct translator *t, const struct sample *s, unsigned call);

#endif
