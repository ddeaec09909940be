/* What the readers of Rust's names share. */
#ifndef SRC_SYMBOL_DEMANGLE_RUST_H
#define SRC_SYMBOL_DEMANGLE_RUST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 64, STEPS = 1 << 14 };

struct rust {
    const char *at, *start, *end; /* start: behind "_R", what back references count from */
    char *out;
    size_t used, room;
    unsigned depth, steps;
    unsigned lifetimes; /* bound by the binders around */
    bool is_quiet;      /* parsed, not shown */
    bool is_bad;
};

static inline void put(struct rust *r, const char *text, size_t bytes)
{
    if (r->is_quiet)
        return;
    if (bytes > r->room - 1 - r->used)
        bytes = r->room - 1 - r->used;
    memcpy(r->out + r->used, text, bytes);
    r->used += bytes;
    r->out[r->used] = '\0';
}

static inline void puts_(struct rust *r, const char *text)
{
    put(r, text, strlen(text));
}

static inline void put_number(struct rust *r, uint64_t n)
{
    char text[24];
    const int bytes = snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    put(r, text, (size_t)bytes);
}

bool demangle_rust_older(const char *name, struct rust *r);

#endif
