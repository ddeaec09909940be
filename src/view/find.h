/* What is looked for in rows without hiding any (find), and rows tagged by rule: filters beside
 * the one that decides what is shown. Engine thread only. */
#ifndef SRC_VIEW_FIND_H
#define SRC_VIEW_FIND_H

#include "src/view/inside.h"

struct finder;

struct finder *finder_new(void);
void finder_free(struct finder *f);

/* The request says what is looked for, and from where; a view of another pane or with other
 * words reads them anew. */
void finder_ask(struct view *v);

bool finder_looks(const struct view *v); /* something is looked for */
bool finder_is_on(const struct view *v); /* something is looked for, or tagged */

/* ROW_FOUND and ROW_TAGGED, as they are true of a row, an event, or a name alone. */
unsigned finder_row(const struct view *v, const struct table_row *r, struct row_context *x);
unsigned finder_event(const struct view *v, const struct fact *f);
unsigned finder_name(const struct view *v, const char *name, size_t bytes);

/* Likewise of a frame of a call tree: what stack_frames_pane() has columns for. */
struct reported_frame {
    const char *text;              /* as it is written */
    const char *module, *function; /* NULL = it has none */
    uint8_t mode;                  /* enum site_mode; beyond: it is no code */
    double samples, self, total;   /* total: percent */
    unsigned depth;
};
unsigned finder_frame(const struct view *v, const struct reported_frame *frame);

/* A search through rows in their order. Where the request seeks and its answer is not known
 * yet, seek_begin() is true: then each row is shown to seek_row() by its rank, with whether it
 * was found, and seek_end() keeps the answer. `start` is the rank of the row it begins at. */
struct seeking {
    uint64_t start, best, first, last, count;
    uint64_t at; /* of those found, the how manieth the best is, where rows come in their order */
    bool has_start, has_best, is_forward, is_here;
    double percent;   /* of call trees: the share of stacks through any row that was found */
    bool is_in_order; /* rows come in their order: then the answer says which of them it is */
    struct row_key best_key, first_key, last_key;
};
void seek_ask(struct view *v); /* another request has no answer yet */
bool seek_begin(const struct view *v, struct seeking *s);
void seek_start(struct seeking *s, uint64_t rank);
void seek_row(struct seeking *s, uint64_t rank, struct row_key key);
void seek_end(struct view *v, struct seeking *s);

/* Is the request's anchor the row that it asked for? */
bool seek_has_found(const struct view *v);

/* The answer, for the frame; where there is one, the request's anchor is the row found. */
void seek_report(const struct view *v, struct frame *f);

#endif
