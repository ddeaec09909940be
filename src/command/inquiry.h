/* Questions to a session of our own: requests and their frames, one after the other, over files as
 * a whole or over this machine; or to a session with a screen, beside that. What `ask`, `mcp` and
 * `ask --from` have in common. */
#ifndef SRC_COMMAND_INQUIRY_H
#define SRC_COMMAND_INQUIRY_H

#include "src/command/session.h"
#include "src/export/answer.h"
#include "src/pane/query_pane.h"

#include <stdatomic.h>

enum { INQUIRY_RETIRED = 4 };

struct inquiry {
    const struct command_line *line;       /* of a session of our own … */
    const struct session_options *options; /* … */
    const _Atomic bool *stop;              /* set from another thread: finish soon; NULL: never */
    /* Called while an answer is waited for, some times a second; true ends the wait. May be NULL.
     */
    bool (*is_given_up)(void *of);
    void *of;
    int64_t looked_ns; /* when a loop last did */
    bool has_interval; /* live: the first one is over */
    bool was_given_up; /* by then: set here, and cleared by who looks at it */

    enum exit_status refusal; /* after inquiry_begin() has failed: the status to end with */
    struct session *session; /* from inquiry_begin() on; NULL: the engine is somebody else's … */
    struct engine *engine;
    const char *kind;         /* of the source, by inquiry_kind() … */
    const char *const *names; /* … and the names of files */
    size_t name_count;
    uint8_t view; /* VIEW_ASIDE: beside a screen */
    uint64_t sequence;
    bool is_ended;             /* nothing more is collected: an answer is of all there is */
    int64_t first_ns, last_ns; /* of the files; 0: not looked up yet */
    struct {
        const struct pane *pane;
        uint64_t sequence;      /* of a request behind it */
    } retired[INQUIRY_RETIRED]; /* queries that the engine may still look at */
    unsigned retired_count;
};

/* "file", "live" or "demo": what answers call the source. */
const char *inquiry_kind(const struct collector_kind *k);

bool inquiry_begin(struct inquiry *a, struct err *err);

/* Live: collects for so long, or until made-up events end, and then no more. */
void inquiry_collect(struct inquiry *a, int64_t ns);

/* The status to end with. */
enum exit_status inquiry_end(struct inquiry *a);

/* The whole answer; NULL: stopped or given up. The caller frees it. */
struct frame *inquiry_frame(struct inquiry *a, struct request *r);

/* Live: waits a few seconds for the first interval, which answers are about. */
void inquiry_await_interval(struct inquiry *a);

/* "A..B" of the files of our own session, else of what is kept, as ns since 1970; both ends belong
 * to it. False with a sentence. */
bool inquiry_range(struct inquiry *a, const char *text, int64_t *from, int64_t *to,
                   struct err *err);

/* The same for a request, which leaves its first instant out; a text of NULL changes nothing. */
bool inquiry_choose(struct inquiry *a, const char *text, int64_t *from, int64_t *to,
                    struct err *err);

/* A query as text, with or without its first word, as a pane; NULL with a sentence. */
const struct pane *inquiry_query(const char *text, struct err *err);

/* The same, not bound yet; false with a sentence. */
bool inquiry_parse(struct query *q, const char *text, struct err *err);

/* Frees the query once the session looks at something else: its view refers to the pane, and
 * another one at the same place would be taken for it. Nobody waits for that. */
void inquiry_query_free(struct inquiry *a, const struct pane *q);

/* A request for all rows of the pane, in its order. */
struct request inquiry_request(const struct pane *p);

/* The frame's answer, but for bounds. */
struct answer inquiry_answer(const struct inquiry *a, const struct frame *f);

/* The answer with all rows that fit into `to`; false: stopped or given up. `left_out` says how many
 * do not fit. */
bool inquiry_put(struct inquiry *a, struct request *r, struct json_out *to, uint64_t *left_out);

#endif
