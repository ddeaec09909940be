/* .NET runtimes: one in a process, or several side by side. */
#ifndef SRC_MODEL_RUNTIME_H
#define SRC_MODEL_RUNTIME_H

#include "src/model/stack.h"
#include "src/model/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUNTIME_VERSION = 32 };

struct runtime {
    uint32_t number;
    uint32_t process;
    uint16_t instance;      /* ClrInstanceID; 0 where events do not have it */
    uint16_t reason;        /* of the suspension that goes on */
    bool has_collected;     /* a collection began: it had the number … */
    uint32_t collection;
    int64_t suspend_ns;     /* since then threads are being suspended; 0: they run */
    char version[RUNTIME_VERSION]; /* "CoreCLR 8.0.0"; empty where no event says */
};

/* The newest event of a thread, to which a stack walk may belong. */
struct runtime_event {
    uint64_t number; /* of its fact + 1; 0 = none */
    uint32_t thread;
};

enum { RUNTIME_THREADS = 1 << 12 };

struct runtimes {
    struct generation_table table;
    struct map now;                /* process and instance → number */
    struct irp_slot *operations;   /* compilations and waits that have begun */
    struct runtime_event *newest;  /* by thread; who shares a place pushes out */
};

/* The runtime of that process and instance. */
struct runtime *model_runtime(struct model *m, uint32_t process, uint16_t instance);
void model_runtimes_fini(struct model *m);
size_t model_runtimes_bytes(const struct model *m);

/* Events of the provider Microsoft-Windows-DotNETRuntime (src/model/fact_builder/dotnet.c). */
make_fact make_dotnet_start, make_dotnet_gc, make_dotnet_suspend, make_dotnet_suspended,
    make_dotnet_resumed, make_dotnet_heap, make_dotnet_allocation, make_dotnet_compile,
    make_dotnet_method, make_dotnet_exception, make_dotnet_wait, make_dotnet_waited,
    make_dotnet_pool, make_dotnet_pool_change, make_dotnet_load, make_dotnet_stack,
    make_dotnet_other;

#endif
