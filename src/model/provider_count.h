/* How many events of each provider there were, and when: from the counts of kinds. */
#ifndef SRC_MODEL_PROVIDER_COUNT_H
#define SRC_MODEL_PROVIDER_COUNT_H

#include "src/model/model.h"

enum { PROVIDER_NAME = 128 };

struct provider_count {
    struct guid guid;
    char name[PROVIDER_NAME]; /* any bytes; its GUID where no name is known */
    uint64_t events, bytes;   /* bytes of payloads */
    int64_t first_ns, last_ns;
};

/* Of all events since the model began, whatever was reset since; those with the most events first.
 * Model's thread; the caller frees them. */
struct provider_count *model_provider_counts(const struct model *m, size_t *count);

#endif
