/* How events of manifest providers become facts: one table for each provider, sorted by id. The
 * functions are those of kernel events where both tell the same. Fields are named as in the layouts of
 * src/event/schema.h. */
#include "src/event/providers.h"
#include "src/model/fact_builder/helpers.h"

/* PROCESS_KEY is the kernel logger's alone. */
#define PROCESS_FIELDS \
    { "ProcessID", "ParentProcessID", "SessionID", "ExitCode", "UniqueProcessKey", "CreateTime" }
#define THREAD_FIELDS { "ProcessID", "ThreadID", "Win32StartAddr" }
#define IMAGE_FIELDS \
    { "ProcessID", "ImageBase", "ImageSize", "ImageBase", "ImageSize", "TimeDateStamp" }

/* Microsoft-Windows-Kernel-Process */
static const struct fact_builder kernel_process[] = {
    { 1, 1, FACT_PROCESS, OP_START, make_process, PROCESS_FIELDS },
    { 2, 2, FACT_PROCESS, OP_END, make_process, PROCESS_FIELDS },
    { 3, 3, FACT_THREAD, OP_START, make_thread, THREAD_FIELDS },
    { 4, 4, FACT_THREAD, OP_END, make_thread, THREAD_FIELDS },
    { 5, 5, FACT_IMAGE, OP_START, make_image, IMAGE_FIELDS },
    { 6, 6, FACT_IMAGE, OP_END, make_image, IMAGE_FIELDS },
    { 15, 15, FACT_PROCESS, OP_RUNDOWN, make_process, PROCESS_FIELDS },
};

/* Microsoft-Windows-DotNETRuntime */
static const struct fact_builder dotnet[] = {
    { 143, 143, FACT_NAME, OP_START, make_method, { NULL } },
    { 144, 144, FACT_NAME, OP_END, make_method_gone, { NULL } },
    { 152, 153, FACT_NAME, OP_RUNDOWN, make_module, { NULL } },
};

/* Microsoft-Windows-DotNETRuntimeRundown */
static const struct fact_builder dotnet_rundown[] = {
    { 143, 144, FACT_NAME, OP_RUNDOWN, make_method, { NULL } },
    { 153, 154, FACT_NAME, OP_RUNDOWN, make_module, { NULL } },
};

#define ROWS(table) table, sizeof table / sizeof *table

static const struct {
    const struct guid *provider;
    const struct fact_builder *rows;
    size_t count;
} manifests[] = {
    {&kernel_process_provider, ROWS(kernel_process)},
    {&dotnet_provider, ROWS(dotnet)},
    {&dotnet_rundown_provider, ROWS(dotnet_rundown)},
};

const struct fact_builder *fact_builder_of_manifest(const struct event *e)
{
    size_t of = 0, row = 0;
    if (e->kind != HEADER_MANIFEST)
        return NULL;
    while (of < sizeof manifests / sizeof *manifests &&
           !guid_equal(manifests[of].provider, &e->provider))
        of++;
    if (of == sizeof manifests / sizeof *manifests)
        return NULL;
    while (row < manifests[of].count && e->id > manifests[of].rows[row].last)
        row++;
    const struct fact_builder *const b = &manifests[of].rows[row];
    return row < manifests[of].count && e->id >= b->first ? b : NULL;
}
