/* Names of hosts: what queries of names found, by address. Of all sources together. */
#ifndef SRC_MODEL_HOST_H
#define SRC_MODEL_HOST_H

#include "src/model/types.h"

#include <stdbool.h>
#include <stdint.h>

struct named_host {
    uint32_t number;
    bool is_v6;
    uint8_t address[16]; /* in network order; of version 4 the first four bytes */
    char *name;          /* UTF-8 as it came */
};

/* From here on the address is called so; addresses of version 4 that are written as of version 6
 * are of version 4. */
void model_host_named(struct model *m, const uint8_t address[16], bool is_v6, const char *name);
/* NULL where no query found the address. */
const char *model_host(const struct model *m, const uint8_t *address, bool is_v6);
void model_hosts_init(struct model *m);
void model_hosts_fini(struct model *m);

#endif
