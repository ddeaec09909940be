/* A rundown: what is alive at one instant, as the records in which a Windows session lists it when
 * it begins (DCStart) and ends (DCEnd). A part of a trace has one at both ends, so that its events
 * keep names that came before or after the part.
 *
 * Processes, threads, images, file names, registry key control blocks and TCP connections come from
 * the model (as events of src/event/tracetop_provider.h where ETW has no record); the system's
 * configuration is kept as it was logged. Made a slice at a time on the thread that owns the model.
 * A finished one does not change any more and may be read by any one thread. */
#ifndef SRC_MODEL_RUNDOWN_H
#define SRC_MODEL_RUNDOWN_H

#include "src/event/event.h"
#include "src/model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- configuration records, kept as they came --------------------------------------- */

/* Records about the machine and the session (SystemConfig, sampling intervals, volume
 * mappings, names of routines …): each once, the newest where a kind may come again. Bounded. */
struct model_rundown_config {
    uint8_t *bytes; /* records as a ring holds them: head, record, padding */
    size_t used, room;
    uint64_t dropped; /* beyond the bound */
};

/* Is it one of those? Constant time. */
bool model_rundown_is_config(const struct event *e);
/* False: it is there already, its time aside, or there is no room. */
bool model_rundown_config_keep(struct model_rundown_config *c, const struct record_head *head,
                               const void *record);
void model_rundown_config_free(struct model_rundown_config *c);

/* ---- the rundown ------------------------------------------------------------------------ */

struct model_rundown_options {
    const struct model *model;
    const struct model_rundown_config *config; /* NULL: none; copied at once */
    unsigned collector; /* whose sources are listed: source ids of this collector */
    int64_t at_ns;      /* alive then; the records bear this time */
    bool is_end;        /* DCEnd, FileRundown and KCBRundownEnd instead of DCStart … */
};

struct model_rundown;

struct model_rundown *model_rundown_new(const struct model_rundown_options *o);

/* Goes on until `deadline` (os_now()); false when it is ready. Model's thread. */
bool model_rundown_work(struct model_rundown *r, int64_t deadline);

/* Its records, each a struct record_head, the on-disk record and padding to 8 bytes. */
const uint8_t *model_rundown_records(const struct model_rundown *r, size_t *bytes);

struct model_rundown_figures {
    uint64_t processes, threads, images, files, keys, connections, configuration;
};
struct model_rundown_figures model_rundown_figures(const struct model_rundown *r);

void model_rundown_free(struct model_rundown *r); /* NULL is fine */

#endif
