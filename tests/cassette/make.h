/* Cassettes from `.etl` files and back: the events of a file as Windows would deliver them, and
 * what our collector makes of them. */
#ifndef TESTS_CASSETTE_MAKE_H
#define TESTS_CASSETTE_MAKE_H

#include "tests/cassette/load.h"

#include "src/base/err.h"
#include "src/etl/cassette.h"

/* Fills *w, whose room is to be freed. `undelivered` counts records that no consumer gets. */
void make_cassette(const struct loaded *l, struct cassette_writer *w, size_t *undelivered);

struct replayed {
    uint64_t events;
    uint64_t cut; /* items or payload did not fit into a record */
};

/* Plays a cassette through collectors/windows/record.c and src/etl's writer into a new file. */
bool replay_cassette(const void *bytes, size_t size, const char *to, struct replayed *out,
                     struct err *err);

/* Writes a file with a record of each kind, including kinds that no real trace here has. */
bool make_kinds(const char *name, struct err *err);

#endif
