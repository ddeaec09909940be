/* What the files of aggregates share. */
#ifndef SRC_AGGREGATE_INSIDE_H
#define SRC_AGGREGATE_INSIDE_H

#include "src/aggregate/aggregate.h"
#include "src/base/bytes.h"
#include "src/base/payload_writer.h"

/* number.c: a number of at most `most`, in as few bytes as it takes. */
bool read_number(struct bytes *from, uint64_t most, uint64_t *out, struct err *err);

/* Of the rows in aggregates[]. */
void moments_add(void *state, const struct aggregate_input *in);
void moments_merge(void *to, const void *from, unsigned count);
uint64_t moments_finish(const void *state);
void moments_encode(const void *state, struct payload_writer *to);
bool moments_decode(void *state, struct bytes *from, struct err *err);

void distinct_add(void *state, const struct aggregate_input *in);
void distinct_merge(void *to, const void *from, unsigned count);
uint64_t distinct_finish(const void *state);
void distinct_encode(const void *state, struct payload_writer *to);
bool distinct_decode(void *state, struct bytes *from, struct err *err);

void trend_add(void *state, const struct aggregate_input *in);
void trend_merge(void *to, const void *from, unsigned count);
uint64_t trend_finish(const void *state);
void trend_encode(const void *state, struct payload_writer *to);
bool trend_decode(void *state, struct bytes *from, struct err *err);

#endif
