/* What the files of the rundown share. */
#ifndef SRC_MODEL_RUNDOWN_INSIDE_H
#define SRC_MODEL_RUNDOWN_INSIDE_H

#include "src/base/payload_writer.h"
#include "src/model/rundown.h"
#include "src/ring/ring.h"

#include <string.h>

enum {
    RECORD_MOST = 60 * 1024, /* below what 16 bits of size can say */
    BETWEEN_LOOKS = 64,      /* things between two looks at the clock */
    TYPE_PERFINFO64 = 0x11,
    HEADER_FLAGS = 0xc0,
    HEADER_BYTES = 16,
    STATUS_PENDING = 0x103, /* exit status of what still runs */
    NO_SESSION = -1,
    NO_PARENT = -1,
};

/* What is listed, in this order: names that others refer to come first. */
enum step {
    STEP_CONFIG,
    STEP_PROCESSES,
    STEP_THREADS,
    STEP_IMAGES,
    STEP_BINDINGS,
    STEP_FILES,
    STEP_CONNECTIONS,
    STEPS,
};

/* One record at a time is made: between begin() and end(). Too large for a stack. */
struct rundown_record {
    struct payload_writer payload_writer;
    struct record_head head;
    uint64_t room[(RECORD_MOST + 8) / sizeof(uint64_t)];
};

struct model_rundown {
    struct model_rundown_options o;
    enum step step;
    uint32_t at, first; /* places visited in this step, and the first of them … */
    uint32_t places,
        part; /* … of so many then; where the table has doubled since: part of a place */
    uint8_t *bytes;
    size_t used, room;
    struct model_rundown_figures figures;
    struct rundown_record made;
};

int64_t rundown_raw_time(const struct model_rundown *r, unsigned source);
/* PERFINFO headers: they name no thread, and these records are nobody's doing. */
struct payload_writer *rundown_begin(struct model_rundown *r, source_id source, unsigned hook,
                                     unsigned version);
void rundown_end(struct model_rundown *r);
/* Our own, which name no thread either. */
struct payload_writer *rundown_begin_tracetop(struct model_rundown *r, source_id source,
                                              const char *event, const char *fields);
void rundown_end_tracetop(struct model_rundown *r);
/* Texts end with a NUL and are cut where the record would grow too long. */
void rundown_put_wide(struct payload_writer *p, const char *text);
void rundown_put_narrow(struct payload_writer *p, const char *text);

#endif
