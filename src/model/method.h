/* Managed methods: code that a runtime has made. */
#ifndef SRC_MODEL_METHOD_H
#define SRC_MODEL_METHOD_H

#include "src/model/fact_builder.h"
#include "src/model/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a runtime says of code in a process; name 0: it says nothing about that address. */
struct model_method {
    uint32_t name;   /* equal names have equal numbers */
    uint32_t module; /* a file; 0 = unknown */
    uint64_t start;
};
struct model_method model_method_at(const struct model *m, uint32_t process, uint64_t address,
                                    int64_t time);
const char *model_method_name(const struct model *m, uint32_t name); /* "" for 0 */
/* The number of a name from a runtime's event: of a type, or of a method. 0 for "", or without
 * room. */
uint32_t model_method_named(struct model *m, const char *name);
/* Of the .NET runtime's events about methods and modules. */
make_fact make_method, make_method_gone, make_module;
size_t model_methods_bytes(const struct model *m);
void model_methods_fini(struct model *m);

#endif
