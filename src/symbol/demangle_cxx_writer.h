/* What the files of the writer share. */
#ifndef SRC_SYMBOL_DEMANGLE_CXX_WRITER_H
#define SRC_SYMBOL_DEMANGLE_CXX_WRITER_H

#include "src/symbol/demangle_cxx_tree.h"

#include <stdio.h>
#include <string.h>

enum { NO_PACK = 0xffff }; /* no pack is being expanded */

struct cxx_writer {
    struct cxx_tree *tree;
    char *out;
    size_t used, room; /* without the NUL */
    bool is_full;
    unsigned pack_at, pack_count;
};

typedef void write_fn(struct cxx_writer *w, const struct cxx_node *p);

static inline const struct cxx_node *node_of(const struct cxx_writer *w, cxx_id n)
{
    return &w->tree->nodes[n];
}

static inline bool is_over(const struct cxx_writer *w)
{
    return w->is_full || w->tree->is_bad;
}

/* ---- text ------------------------------------------------------------------------------------ */

static inline void put(struct cxx_writer *w, const char *text, size_t bytes)
{
    if (bytes > w->room - w->used) {
        bytes = w->room - w->used;
        w->is_full = true;
    }
    memcpy(w->out + w->used, text, bytes);
    w->used += bytes;
}

static inline void puts_(struct cxx_writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static inline void put_text(struct cxx_writer *w, const struct cxx_node *p)
{
    put(w, p->text, p->bytes);
}

static inline void put_number(struct cxx_writer *w, unsigned n)
{
    char text[16];
    put(w, text, (size_t)snprintf(text, sizeof text, "%u", n));
}

static inline char last(const struct cxx_writer *w)
{
    return w->used ? w->out[w->used - 1] : '\0';
}

static inline void put_flags(struct cxx_writer *w, unsigned flags)
{
    static const struct {
        unsigned flag;
        const char *text;
    } texts[] = {{CXX_CONST, " const"}, {CXX_VOLATILE, " volatile"}, {CXX_RESTRICT, " __restrict"},
                 {CXX_LREF, " &"},      {CXX_RREF, " &&"},           {CXX_NOEXCEPT, " noexcept"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (flags & texts[i].flag)
            puts_(w, texts[i].text);
}

void cxx_put_binary(struct cxx_writer *w, const struct cxx_node *p);
void cxx_put_unary(struct cxx_writer *w, const struct cxx_node *p);
void cxx_put_enclosed(struct cxx_writer *w, const struct cxx_node *p);
void cxx_put_postfix(struct cxx_writer *w, const struct cxx_node *p);
void cxx_put_ternary(struct cxx_writer *w, const struct cxx_node *p);
void cxx_put_call(struct cxx_writer *w, const struct cxx_node *p);
void cxx_put_cast(struct cxx_writer *w, const struct cxx_node *p);
void cxx_put_cast_list(struct cxx_writer *w, const struct cxx_node *p);
void cxx_put_named_cast(struct cxx_writer *w, const struct cxx_node *p);
void cxx_put_braces(struct cxx_writer *w, const struct cxx_node *p);
void cxx_put_subscript(struct cxx_writer *w, const struct cxx_node *p);
/* How many a pack has, where that is known. */
void cxx_put_size_of_pack(struct cxx_writer *w, const struct cxx_node *p);
void cxx_put_fold(struct cxx_writer *w, const struct cxx_node *p);
void cxx_put_literal(struct cxx_writer *w, const struct cxx_node *p);
void cxx_put_node(struct cxx_writer *w, cxx_id n);
void cxx_put_between(struct cxx_writer *w, const char *before, cxx_id n, const char *after);
unsigned cxx_count_of(const struct cxx_writer *w, cxx_id list);
const struct cxx_node *cxx_meant_node(struct cxx_writer *w, cxx_id n);
void cxx_put_list(struct cxx_writer *w, cxx_id list);
void cxx_put_parameters(struct cxx_writer *w, cxx_id list);

#endif
