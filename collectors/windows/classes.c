#include "collectors/windows/classes.h"

#include "src/event/event.h"
#include "src/model/fact.h"

#include <string.h>

enum provider { PROCESS, SCHEDULER, IO, REGISTRY, MEMORY, INTERRUPTS, SYSCALLS, PROFILING };

static const GUID providers[SYSTEM_PROVIDERS] = {
    [PROCESS] = {0x151f55dc, 0x467d, 0x471f, {0x83, 0xb5, 0x5f, 0x88, 0x9d, 0x46, 0xff, 0x66}},
    [SCHEDULER] = {0x599a2a76, 0x4d91, 0x4910, {0x9a, 0xc7, 0x7d, 0x33, 0xf2, 0xe9, 0x7a, 0x6c}},
    [IO] = {0x3d5c43e3, 0x0f1c, 0x4202, {0xb8, 0x17, 0x17, 0x4c, 0x00, 0x70, 0xdc, 0x79}},
    [REGISTRY] = {0x16156bd9, 0xfab4, 0x4cfa, {0xa2, 0x32, 0x89, 0xd1, 0x09, 0x90, 0x58, 0xe3}},
    [MEMORY] = {0x82958ca9, 0xb6cd, 0x47f8, {0xa3, 0xa8, 0x03, 0xae, 0x85, 0xa4, 0xbc, 0x24}},
    [INTERRUPTS] = {0xd4bbee17, 0xb545, 0x4888, {0x85, 0x8b, 0x74, 0x41, 0x69, 0x01, 0x5b, 0x25}},
    [SYSCALLS] = {0x434286f7, 0x6f1b, 0x45bb, {0xb3, 0x7e, 0x95, 0xf6, 0x23, 0x04, 0x6c, 0x7c}},
    [PROFILING] = {0xbfeb0324, 0x1cee, 0x496f, {0xa4, 0x09, 0x2a, 0xc2, 0xb4, 0x8a, 0x63, 0x22}},
};

#define BIT(class) (1u << (class))
#define FLAG(name) EVENT_TRACE_FLAG_##name

/* What a class needs, and what it needs besides for stacks. */
static const struct row {
    uint8_t class, provider;
    uint32_t flags, stack_flags;
    uint32_t keywords, stack_keywords;
} rows[] = {
    {FACT_PROCESS, PROCESS, FLAG(PROCESS), 0, 0x1, 0},
    {FACT_THREAD, PROCESS, FLAG(THREAD), 0, 0x800, 0},
    {FACT_IMAGE, PROCESS, FLAG(IMAGE_LOAD), 0, 0x1000, 0},
    {FACT_SWITCH, SCHEDULER, FLAG(CSWITCH), 0, 0x200, 0},
    {FACT_READY, SCHEDULER, FLAG(DISPATCHER), 0, 0x2, 0},
    /* A completion says all there is, but comes on any thread: whoever asked is known, stack
     * and all, where the operation begins. */
    {FACT_DISK, IO, FLAG(DISK_IO) | FLAG(DISK_FILE_IO), FLAG(DISK_IO_INIT), 0x1 | 0x4, 0x2},
    {FACT_FILE, IO, FLAG(FILE_IO) | FLAG(FILE_IO_INIT) | FLAG(DISK_FILE_IO), 0,
     0x10 | 0x400 | 0x4 | 0x1, 0},
    {FACT_NETWORK, IO, FLAG(NETWORK_TCPIP), 0, 0x200, 0},
    {FACT_REGISTRY, REGISTRY, FLAG(REGISTRY), 0, 0x1, 0},
    {FACT_FAULT, MEMORY, FLAG(MEMORY_PAGE_FAULTS) | FLAG(MEMORY_HARD_FAULTS), 0, 0x4 | 0x2, 0},
    {FACT_MEMORY, MEMORY, FLAG(VIRTUAL_ALLOC), 0, 0x400, 0},
    {FACT_DPC, INTERRUPTS, FLAG(DPC), 0, 0x4, 0},
    {FACT_ISR, INTERRUPTS, FLAG(INTERRUPT), 0, 0x1, 0},
    {FACT_SYSCALL, SYSCALLS, FLAG(SYSTEMCALL), 0, 0x1, 0},
    {FACT_SAMPLE, PROFILING, FLAG(PROFILE), 0, 0x1, 0},
};

enum { ROWS = sizeof rows / sizeof *rows };

uint32_t classes_always(void)
{
    return BIT(FACT_PROCESS) | BIT(FACT_THREAD) | BIT(FACT_IMAGE);
}

uint32_t classes_known(void)
{
    uint32_t known = 0;
    for (unsigned i = 0; i < ROWS; i++)
        known |= BIT(rows[i].class);
    return known;
}

uint32_t classes_flags(uint32_t classes, uint32_t stacks)
{
    uint32_t flags = 0;
    for (unsigned i = 0; i < ROWS; i++)
        if (classes & BIT(rows[i].class))
            flags |= rows[i].flags | (stacks & BIT(rows[i].class) ? rows[i].stack_flags : 0);
    return flags;
}

uint32_t classes_whole_flags(uint32_t flags)
{
    return flags | (flags & FLAG(DISK_FILE_IO) ? FLAG(DISK_IO) : 0);
}

const GUID *classes_provider(unsigned index)
{
    return &providers[index];
}

uint64_t classes_keywords(unsigned index, uint32_t classes, uint32_t stacks)
{
    uint64_t keywords = 0;
    for (unsigned i = 0; i < ROWS; i++)
        if (rows[i].provider == index && classes & BIT(rows[i].class))
            keywords |=
                rows[i].keywords | (stacks & BIT(rows[i].class) ? rows[i].stack_keywords : 0);
    return keywords;
}

uint64_t classes_counter_keywords(unsigned index)
{
    return index == PROFILING ? 0x2 : 0;
}

/* Types from..to of a group of kernel events. */
static const struct {
    uint8_t class, group, from, to;
} stacked[] = {
    {FACT_PROCESS, 0x03, 1, 2},    {FACT_THREAD, 0x05, 1, 2},    {FACT_IMAGE, 0x03, 10, 10},
    {FACT_IMAGE, 0x14, 2, 2},      {FACT_SWITCH, 0x05, 36, 36},  {FACT_READY, 0x05, 50, 50},
    {FACT_DISK, 0x01, 12, 13},     {FACT_DISK, 0x01, 15, 15},    {FACT_FILE, 0x04, 64, 75},
    {FACT_FILE, 0x04, 77, 77},     {FACT_NETWORK, 0x06, 10, 17}, {FACT_NETWORK, 0x06, 26, 32},
    {FACT_NETWORK, 0x08, 10, 11},  {FACT_NETWORK, 0x08, 26, 27}, {FACT_REGISTRY, 0x09, 10, 21},
    {FACT_REGISTRY, 0x09, 26, 29}, {FACT_FAULT, 0x02, 10, 15},   {FACT_FAULT, 0x02, 32, 32},
    {FACT_MEMORY, 0x02, 98, 99},   {FACT_DPC, 0x0f, 66, 66},     {FACT_DPC, 0x0f, 68, 69},
    {FACT_ISR, 0x0f, 67, 67},      {FACT_SYSCALL, 0x0f, 51, 51}, {FACT_SAMPLE, 0x0f, 46, 47},
};

unsigned classes_stack_ids(uint32_t stacks, struct etw_classic_id *out)
{
    unsigned count = 0;
    for (size_t i = 0; i < sizeof stacked / sizeof *stacked; i++) {
        if (!(stacks & BIT(stacked[i].class)))
            continue;
        for (unsigned type = stacked[i].from; type <= stacked[i].to && count < ETW_CLASSIC_IDS;
             type++) {
            struct etw_classic_id id = {.type = (UCHAR)type};
            memcpy(&id.guid, event_class_guid((uint16_t)(stacked[i].group << 8)), sizeof id.guid);
            out[count++] = id;
        }
    }
    return count;
}
