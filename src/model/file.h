/* Files, and whatever else events name by an address (registry keys). */
#ifndef SRC_MODEL_FILE_H
#define SRC_MODEL_FILE_H

#include "src/model/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file, or whatever else events name by an address (registry keys). */
struct file {
    uint32_t number;
    source_id source;
    uint8_t flags;
    uint32_t met;     /* the newest file when an event named this one last */
    uint32_t same_as; /* another that it turned out to be; 0 = none. See model_file_one() */
    uint32_t images;  /* modules: that are of it and in somebody's memory */
    uint64_t key;     /* map key: address, source and namespace */
    int64_t since_ns, until_ns; /* it was the first thing to mean; 0 = still does */
    char *name;
};

/* An address that means a file it did not mean first: of another open, or again. */
struct address_binding {
    uint32_t number;
    uint32_t file;
    uint64_t key;
    int64_t since_ns, until_ns; /* 0 = still does */
};

/* Addresses of different namespaces may be equal; of modules, it is a hash of the path. */
enum key_namespace { NAMESPACE_FILE, NAMESPACE_OPEN, NAMESPACE_KEY, NAMESPACE_MODULE };

/* The file an address means now (0 → 0); opens a nameless one. */
uint32_t model_file(struct model *m, source_id source, enum key_namespace key_namespace,
                    uint64_t address);
/* It will be asked for soon: brings what is needed into the cache. */
void model_file_ask(const struct model *m, source_id source, enum key_namespace key_namespace,
                    uint64_t address);
/* A name for it; another name than it has means another file from here on. */
uint32_t model_file_named(struct model *m, source_id source, enum key_namespace key_namespace,
                          uint64_t address, const char *name);
void model_file_gone(struct model *m, source_id source, enum key_namespace key_namespace,
                     uint64_t address);
/* The one that has this name; made where there is none ("" → 0). */
uint32_t model_file_called(struct model *m, source_id source, enum key_namespace key_namespace,
                           const char *name);
/* Lets an address mean a file already known under another; what it means already and has
 * no name, turns out to be that one. */
void model_file_alias(struct model *m, source_id source, enum key_namespace key_namespace,
                      uint64_t address, uint32_t file);

/* The file an address means now, or 0; opens nothing. */
uint32_t model_file_known(const struct model *m, source_id source, enum key_namespace key_namespace,
                          uint64_t address);

/* Which namespace a file's (or map entry's) key is of, and the address in it. */
static inline enum key_namespace model_key_namespace(uint64_t key)
{
    return (enum key_namespace)(key >> 62);
}

static inline source_id model_key_source(uint64_t key)
{
    return (source_id)(key >> 48 & 0x3fff);
}

static inline uint64_t model_key_address(uint64_t key)
{
    return (uint64_t)((int64_t)(key << 16) >> 16);
}

#endif
