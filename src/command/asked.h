/* Queries of other programs to a running monitor, `tracetop ask --from`: both sides of the call. It
 * is a line "ask RANGE<tab>QUERY" to its endpoint (src/os/instance.h), and the answer is the JSON
 * that a local `ask` prints. The monitor answers over what it keeps, in a view beside the screen's;
 * it switches nothing on for it, and its bounds are those below. */
#ifndef SRC_COMMAND_ASKED_H
#define SRC_COMMAND_ASKED_H

#include "src/engine/engine.h"
#include "src/os/instance.h"

enum { ASKED_MOST = INSTANCE_MOST, ASKED_SECONDS = 30 };

/* ---- the monitor's side ---- */

struct asked {
    struct engine *engine;
    const char *kind; /* as in struct answer */
    const char *const *names;
    size_t name_count;
};

/* The reader of its endpoint; `of` must outlive that. */
struct instance_reader asked_reader(struct asked *of);

/* ---- the caller's ---- */

/* "pid:N", or "monitor": 0, the only one that runs. False with a sentence. */
bool asked_monitor(const char *text, uint32_t *pid, struct err *err);

/* The answer, which the caller frees; range: "A..B" or NULL. NULL with a sentence. */
char *asked_ask(uint32_t pid, const char *query, const char *range, size_t *bytes, struct err *err);

#endif
