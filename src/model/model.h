/* The model: what the engine knows about processes, threads, files and kinds of
 * events. One owner, the engine thread.
 *
 * Identity is a number per lifetime (source + id + which lifetime), never a pid:
 * see map.h, struct generation_table. A pid that is met before anything was said about it
 * opens a provisional lifetime; Start, rundown and End events name, confirm and
 * close it. Names learned late are right retroactively, since facts hold numbers. */
#ifndef SRC_MODEL_MODEL_H
#define SRC_MODEL_MODEL_H

#include "src/base/bytes.h"
#include "src/base/clock.h"
#include "src/base/hash_index.h"
#include "src/base/map.h"
#include "src/event/decode.h"
#include "src/event/event.h"
#include "src/event/schema.h"
#include "src/event/status.h"
#include "src/model/connection.h"
#include "src/model/counter.h"
#include "src/model/fact.h"
#include "src/model/fact_builder.h"
#include "src/model/file.h"
#include "src/model/image.h"
#include "src/model/gauge_samples.h"
#include "src/model/kind.h"
#include "src/model/method.h"
#include "src/model/process.h"
#include "src/model/processor.h"
#include "src/model/recorded.h"
#include "src/model/host.h"
#include "src/model/net_handle.h"
#include "src/model/routine.h"
#include "src/model/runtime.h"
#include "src/model/stack.h"
#include "src/model/stack_memo.h"
#include "src/model/types.h"
#include "src/model/volume.h"
#include "src/model/watched.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { NAMES_BYTES = 256 << 20 }; /* of all names together, at most */

struct model_tally {
    uint64_t stacks_matched, stacks_unmatched; /* walks with and without their event */
    uint64_t stacks_late;       /* of those without: their event is not among the newest any more */
    uint64_t stacks_inline;     /* that came with their event; of them incomplete: */
    uint64_t stacks_incomplete; /* the other part was to follow, and has not */
    uint64_t stacks_dropped;    /* paths beyond the room for frames */
    uint64_t completions_matched, completions_unmatched;
    uint64_t cut;               /* events too short to say what they are about */
    uint64_t calls_unmatched;   /* returns from system calls whose entry was not seen */
    uint64_t kinds_dropped;     /* events of kinds beyond the registry's room */
    uint64_t names_dropped;     /* names beyond the room for names */
    uint64_t images_dropped;    /* of processes with more than there is room for */
    /* What ended and made room while facts of its time were still kept. */
    uint64_t early_processes, early_threads, early_files, early_connections, early_images;
};

struct model {
    size_t name_bytes, name_most; /* texts; their bound */
    struct generation_table processes, threads, files, connections, images, routines;
    struct map process_now, thread_now, file_now, connection_now; /* id → number of the lifetime now */
    struct map remote_now; /* remote address → first connection to it */
    struct map peer_now;   /* process and remote end → newest connection between them */
    struct map routine_now;
    struct generation_table hosts;
    struct map host_now;         /* hash of an address → number of its host */
    struct generation_table net_handles;
    struct map net_handle_now; /* hash of a handle → its number */
    uint64_t builds_learned;   /* grows when the build of an image gets known */
    struct generation_table builds;
    struct map build_of;         /* hash of a build → its number */
    struct generation_table bindings; /* further addresses of files, with their times */
    struct map binding_now;      /* key → number of its binding, where it has one */
    struct map file_named; /* hash of a name → number of the file or key that has it */
    struct kind *kinds;          /* [0] = "other" */
    uint32_t kind_count, kind_room;
    struct hash_index kind_index; /* of kinds by name, provider and description */
    struct recent_kind recent_kinds[RECENT_KINDS];
    struct model_source *sources;
    uint32_t source_count;
    struct map image_spaces;     /* owner → index + 1 */
    struct image_space *spaces;
    uint32_t space_count, space_room, free_space; /* free_space: index + 1 */
    uint64_t images_learned; /* grows when addresses may mean more than before */
    struct stack_store stack_store;
    bool has_watched;            /* some source has a choice of processes (watched.h) */
    bool is_without_stacks;      /* no walk is about events of now: nobody asked for any */
    bool ignores_stacks;         /* nobody will ask for a stack: none is kept */
    const struct facts *facts;   /* whose facts learn their stacks; NULL = none do */
    const struct facts *frozen_facts; /* a frozen window, whose stacks are wanted, too; or NULL */
    bool depends_on_frozen;      /* which stacks are still known depends on what was frozen when */
    struct methods *methods;     /* method.c; NULL = none is known */
    struct runtimes *runtimes;   /* runtime.c; NULL = no .NET was met */
    struct volumes *volumes;     /* volume.c; NULL = none is known */
    struct user_names *user_names; /* user_names.c; NULL = none is known */
    struct schemas *schemas;     /* of all sources, by source_id */
    struct gauge_samples gauges; /* as they were sampled last */
    size_t reading_bytes;        /* of what processes had of memory */
    struct counter counters[COUNTERS];
    uint32_t counter_count;
    struct irp_slot *disk_irps, *file_irps;
    uint16_t call_epoch;         /* grows when system calls are recorded no more; from 1 on */
    uint64_t attributions;       /* grows when a thread's process became known late */
    uint64_t epoch_changes;      /* from 1; grows when model_image_epoch() may change */
    uint32_t answers_seen;       /* schema_system_answers() when kinds were last checked */
    uint64_t late_names;         /* grows when something met before got a name */
    uint64_t late_kinds;         /* … and when that was a kind of event, with its layout */
    uint64_t merges;             /* grows when two files turn out to be one */
    struct model_tally tally;
    struct recorded recorded;    /* when which class was */
    source_id source;            /* of the event at hand … */
    int64_t time;                /* … and when it was */
    struct {                     /* the connection opened last, for what follows about it … */
        uint32_t number;
        source_id source;
        int64_t ts;              /* … with the same raw time */
    } opened;
};

/* Room for things of a kind, a power of two: a part of the most, where each thing has some facts
 * that are about it. */
static inline uint32_t model_places(size_t facts, uint32_t most, unsigned facts_each)
{
    enum { LEAST = 4096 };
    while (facts && most > LEAST && most > facts / facts_each)
        most /= 2;
    return most;
}

void model_init(struct model *m);
/* With room for what so many facts can be about. */
void model_init_for(struct model *m, size_t facts);
void model_fini(struct model *m);

/* Memory that it takes by now, without the facts; about right. */
size_t model_bytes(const struct model *m);

/* The same by what it is for: the sum of all parts. */
enum model_part {
    MODEL_NAMES,
    MODEL_PROCESSES,
    MODEL_THREADS,
    MODEL_FILES,
    MODEL_CONNECTIONS,
    MODEL_MODULES,
    MODEL_STACKS,
    MODEL_OTHER,
    MODEL_PARTS,
};
size_t model_part_bytes(const struct model *m, enum model_part part);
/* … and from when on old entries make room for new ones. A table grows beyond while all that it holds
 * is in use. */
size_t model_part_most(const struct model *m, enum model_part part);

/* Whether facts from then are still kept: who asks for a thing that ended then finds it, or should. */
static inline bool model_is_kept(const struct model *m, int64_t time)
{
    const struct facts *const f = m->facts;
    return f && f->end > f->first && time >= facts_at(f, f->first)->time;
}

/* Makes room for sources below `count`; clocks are the caller's to set. */
void model_sources(struct model *m, uint32_t count);

/* The whole of an event: fills *f, updates the model. `time` is the event's. */
void model_fact(struct model *m, const struct event *e, source_id source, int64_t time,
                struct fact *f);

/* How the operation of the event at hand ended, by the code in its record. */
static inline void model_set_status(const struct model *m, struct fact *f, uint64_t code)
{
    f->status = status_mark((uint32_t)code, m->sources[m->source].is_linux);
    if (status_is_failure(f->status))
        f->flags |= FACT_FAILED;
}

/* The process a fact counts for: its own, its thread's, or FACT_BY_THREAD | thread
 * while that is not known; 0 = nobody's. */
static inline uint32_t model_process_of(const struct model *m, const struct fact *f)
{
    if (f->process || !f->thread)
        return f->process;
    const struct thread *t = generation_at(&m->threads, f->thread);
    return t && t->process ? t->process : FACT_BY_THREAD | f->thread;
}

static inline uint32_t model_process(struct model *m, source_id source, uint32_t pid, int64_t time)
{
    const uint32_t number =
        pid == EVENT_NO_ID ? 0 : map_get(&m->process_now, model_id_key(source, pid));
    return number ? number : model_process_open(m, source, pid, time);
}

static inline uint32_t model_thread(struct model *m, source_id source, uint32_t tid, int64_t time)
{
    const uint32_t number =
        tid == EVENT_NO_ID ? 0 : map_get(&m->thread_now, model_id_key(source, tid));
    return number ? number : model_thread_open(m, source, tid, time);
}

/* Replaces *text when `now` is a text that differs; true then. Names beyond `name_most`
 * in all are left out and counted: what they name shows as unnamed. */
bool model_rename(struct model *m, char **text, const char *now);
void model_unname(struct model *m, char **text);

/* NULL for a number that no processor has. */
static inline struct processor *model_processor(struct model *m, source_id source, uint32_t cpu)
{
    struct model_source *const s = &m->sources[source];
    return cpu < s->processors_seen ? &s->processors[cpu] : model_processor_new(m, source, cpu);
}

/* A processor that switches or is sampled is there, whatever the header says. */
static inline void model_processor_runs(struct model *m, source_id source, struct processor *p)
{
    if (!p || p->has_run)
        return;
    p->has_run = true;
    m->sources[source].processors_run++;
}

/* The name alone decides the kind of a kernel event, and few kinds make up most of them. */
static inline uint16_t model_kind(struct model *m, const struct event *e)
{
    const uint64_t name = model_kind_name(e);
    struct recent_kind *const r = &m->recent_kinds[(e->id ^ e->id >> 5) & (RECENT_KINDS - 1)];
    if (r->index && r->name == name)
        return r->index;
    const uint16_t index = model_kind_look_up(m, e);
    if (header_is_kernel((enum header_kind)e->kind))
        *r = (struct recent_kind){name, index};
    return index;
}

static inline const struct process *model_process_at(const struct model *m, uint32_t number)
{
    return generation_at(&m->processes, number);
}

/* Is it the one whose threads run while processors have nothing to do? */
static inline bool model_process_is_idle(const struct model *m, uint32_t number)
{
    const struct process *const p = model_process_at(m, number);
    return p && p->pid == 0;
}

/* What the process had of memory and files at that time, as it was read last; NULL: not known. */
static inline const struct memory_reading *model_process_reading(const struct model *m,
                                                                 uint32_t number, int64_t ns)
{
    const struct process *const p = model_process_at(m, number);
    return p ? memory_history_at(p->memory, ns) : NULL;
}

/* The one that stands for a file: what was met by its address first and is known under its
 * name, too, is two numbers and one file. */
static inline uint32_t model_file_one(const struct model *m, uint32_t number)
{
    enum { CHAIN = 8 }; /* each is younger than the one before; more are not worth the time */
    for (unsigned i = 0; i < CHAIN && m->merges; i++) {
        const struct file *f = generation_at(&m->files, number);
        if (!f || !f->same_as || !generation_at(&m->files, f->same_as))
            break;
        number = f->same_as;
    }
    return number;
}

static inline const struct file *model_file_at(const struct model *m, uint32_t number)
{
    return generation_at(&m->files, number);
}

#endif
