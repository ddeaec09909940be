/* Which kernel events come for which flag: the bits of the eight group masks (EnableFlags is the
 * first), and the keywords of the system providers, which stand for such bits. Rows are in the
 * order of the masks; hooks are group << 8 | type. */
#include "tests/etw/fake.h"

#include "src/base/bytes.h"

#include <string.h>

static const struct {
    uint8_t mask;
    uint32_t bit;
    uint16_t first, last;
} wants[] = {
    {0, 0x00000001, 0x0301, 0x0304}, /* PROCESS */
    {0, 0x00000001, 0x030b, 0x030b}, {0, 0x00000001, 0x0327, 0x0327},
    {0, 0x00000002, 0x0501, 0x0504},                                  /* THREAD */
    {0, 0x00000002, 0x0548, 0x0548}, {0, 0x00000004, 0x030a, 0x030a}, /* IMAGE_LOAD */
    {0, 0x00000004, 0x1402, 0x1404}, {0, 0x00000004, 0x1421, 0x1422},
    {0, 0x00000008, 0x0320, 0x0321},                                  /* PROCESS_COUNTERS */
    {0, 0x00000010, 0x0524, 0x0524},                                  /* CSWITCH */
    {0, 0x00000020, 0x0f42, 0x0f42},                                  /* DPC */
    {0, 0x00000020, 0x0f44, 0x0f45}, {0, 0x00000040, 0x0f43, 0x0f43}, /* INTERRUPT */
    {0, 0x00000040, 0x0f32, 0x0f32}, {0, 0x00000040, 0x0f5f, 0x0f5f},
    {0, 0x00000080, 0x0f33, 0x0f34},                                  /* SYSTEMCALL */
    {0, 0x00000100, 0x010a, 0x010b},                                  /* DISK_IO */
    {0, 0x00000100, 0x010e, 0x010e}, {0, 0x00000200, 0x0400, 0x0400}, /* DISK_FILE_IO */
    {0, 0x00000200, 0x0420, 0x0424}, {0, 0x00000400, 0x010c, 0x010d}, /* DISK_IO_INIT */
    {0, 0x00000400, 0x010f, 0x010f}, {0, 0x00000800, 0x0532, 0x0532}, /* DISPATCHER */
    {0, 0x00001000, 0x020a, 0x020f},                                  /* MEMORY_PAGE_FAULTS */
    {0, 0x00002000, 0x0220, 0x0220},                                  /* MEMORY_HARD_FAULTS */
    {0, 0x00004000, 0x0262, 0x0263},                                  /* VIRTUAL_ALLOC */
    {0, 0x00008000, 0x0425, 0x0428},                                  /* VAMAP */
    {0, 0x00010000, 0x0600, 0x06ff},                                  /* NETWORK_TCPIP */
    {0, 0x00010000, 0x0800, 0x08ff}, {0, 0x00020000, 0x0900, 0x09ff}, /* REGISTRY */
    {0, 0x00040000, 0x0a20, 0x0a20},                                  /* DBGPRINT */
    {0, 0x00080000, 0x0700, 0x07ff},                                  /* JOB */
    {0, 0x00100000, 0x1a00, 0x1aff},                                  /* ALPC */
    {0, 0x00200000, 0x1b20, 0x1b20},                                  /* SPLIT_IO */
    {0, 0x00400000, 0x0370, 0x0370},                                  /* DEBUG_EVENTS */
    {0, 0x00800000, 0x0122, 0x0125},                                  /* DRIVER */
    {0, 0x00800000, 0x0134, 0x0135}, {0, 0x01000000, 0x0f2e, 0x0f2e}, /* PROFILE */
    {0, 0x01000000, 0x0f48, 0x0f4a}, {0, 0x02000000, 0x044c, 0x044c}, /* FILE_IO */
    {0, 0x04000000, 0x0440, 0x044b},                                  /* FILE_IO_INIT */
    {0, 0x04000000, 0x044d, 0x04ff}, {1, 0x00000001, 0x0221, 0x0228}, /* MEMORY */
    {1, 0x00000002, 0x0f2e, 0x0f2e},                                  /* PROFILE */
    {1, 0x00000002, 0x0f48, 0x0f4a}, {1, 0x00000004, 0x0524, 0x0524}, /* CONTEXT_SWITCH */
    {1, 0x00000010, 0x0122, 0x0125},                                  /* DRIVERS */
    {1, 0x00000040, 0x0e00, 0x0eff},                                  /* POOL */
    {1, 0x00000080, 0x0f42, 0x0f42},                                  /* DPC */
    {1, 0x00000080, 0x0f44, 0x0f45}, {1, 0x00000100, 0x0525, 0x0525}, /* COMPACT_CSWITCH */
    {1, 0x00000200, 0x0532, 0x0532},                                  /* DISPATCHER */
    {1, 0x00000400, 0x0f2f, 0x0f2f},                                  /* PMC_PROFILE */
    {1, 0x00002000, 0x0530, 0x0534},                                  /* PRIORITY */
    {1, 0x00004000, 0x0f43, 0x0f43},                                  /* INTERRUPT */
    {1, 0x00004000, 0x0f32, 0x0f32}, {1, 0x00008000, 0x0262, 0x0263}, /* VIRTUAL_ALLOC */
    {2, 0x00000020, 0x1000, 0x10ff},                                  /* HEAP */
    {2, 0x00000040, 0x0f33, 0x0f34},                                  /* SYSCALL */
    {4, 0x00000040, 0x1120, 0x1127},                                  /* OB_HANDLE */
    {4, 0x00000080, 0x1130, 0x1133},                                  /* OB_OBJECT */
    {4, 0x00008000, 0x1200, 0x12ff},                                  /* POWER */
    {4, 0x00020000, 0x1600, 0x16ff},                                  /* CC */
};

/* Come with every session of the kernel: marks of the log, and how the machine is made. */
enum { MARKS_FIRST = 0x0000, MARKS_LAST = 0x00ff, CONFIG_FIRST = 0x0b00, CONFIG_LAST = 0x0bff };

static void set_range(uint8_t *hooks, unsigned first, unsigned last)
{
    for (unsigned hook = first; hook <= last; hook++)
        hooks[hook / 8] |= (uint8_t)(1 << hook % 8);
}

/* Names of files hang on the events of disks. */
static bool needs_disks(const uint32_t *masks, size_t row)
{
    enum { DISK_IO = 0x100, DISK_FILE_IO = 0x200 };
    return unkind(UNKIND_DISK_FIRST) && wants[row].mask == 0 && wants[row].bit == DISK_FILE_IO &&
           !(masks[0] & DISK_IO);
}

void want_hooks(const uint32_t *masks, uint8_t *hooks)
{
    uint32_t any = 0;
    memset(hooks, 0, FAKE_HOOKS / 8);
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++)
        if (masks[wants[i].mask] & wants[i].bit && !needs_disks(masks, i))
            set_range(hooks, wants[i].first, wants[i].last);
    for (unsigned i = 0; i < ETW_GROUP_MASKS; i++)
        any |= masks[i];
    if (any) {
        set_range(hooks, MARKS_FIRST, MARKS_LAST);
        set_range(hooks, CONFIG_FIRST, CONFIG_LAST);
    }
}

/* ---- system providers ------------------------------------------------------------------- */

static const struct {
    GUID provider;
    ULONGLONG keyword;
    uint8_t mask;
    uint32_t bits;
} keywords[] = {
#define IO                                                                                         \
    {                                                                                              \
        0x3d5c43e3, 0x0f1c, 0x4202,                                                                \
        {                                                                                          \
            0xb8, 0x17, 0x17, 0x4c, 0x00, 0x70, 0xdc, 0x79                                         \
        }                                                                                          \
    }
    {IO, 0x1, 0, 0x100},
    {IO, 0x2, 0, 0x400},
    {IO, 0x4, 0, 0x200},
    {IO, 0x8, 0, 0x200000},
    {IO, 0x10, 0, 0x2000000},
    {IO, 0x80, 0, 0x800200}, /* DRIVERS turns on FILENAME, too */
    {IO, 0x100, 4, 0x20000},
    {IO, 0x200, 0, 0x10000},
    {IO, 0x400, 0, 0x4000000},
#undef IO
#define PROCESS                                                                                    \
    {                                                                                              \
        0x151f55dc, 0x467d, 0x471f,                                                                \
        {                                                                                          \
            0x83, 0xb5, 0x5f, 0x88, 0x9d, 0x46, 0xff, 0x66                                         \
        }                                                                                          \
    }
    {PROCESS, 0x1, 0, 0x1},
    {PROCESS, 0x8, 0, 0x8},
    {PROCESS, 0x80, 0, 0x400000},
    {PROCESS, 0x100, 0, 0x40000},
    {PROCESS, 0x200, 0, 0x80000},
    {PROCESS, 0x800, 0, 0x2},
    {PROCESS, 0x1000, 0, 0x4},
#undef PROCESS
#define SCHEDULER                                                                                  \
    {                                                                                              \
        0x599a2a76, 0x4d91, 0x4910,                                                                \
        {                                                                                          \
            0x9a, 0xc7, 0x7d, 0x33, 0xf2, 0xe9, 0x7a, 0x6c                                         \
        }                                                                                          \
    }
    {SCHEDULER, 0x2, 0, 0x800},
    {SCHEDULER, 0x80, 1, 0x2000},
    {SCHEDULER, 0x200, 0, 0x10},
    {SCHEDULER, 0x400, 1, 0x100},
#undef SCHEDULER
#define MEMORY                                                                                     \
    {                                                                                              \
        0x82958ca9, 0xb6cd, 0x47f8,                                                                \
        {                                                                                          \
            0xa3, 0xa8, 0x03, 0xae, 0x85, 0xa4, 0xbc, 0x24                                         \
        }                                                                                          \
    }
    {MEMORY, 0x1, 0, 0x200}, /* turns on FILENAME */
    {MEMORY, 0x2, 0, 0x2000},
    {MEMORY, 0x4, 0, 0x1000},
    {MEMORY, 0x8, 1, 0x40},
    {MEMORY, 0x80, 2, 0x20},
    {MEMORY, 0x400, 0, 0x4000},
    {MEMORY, 0x4000, 0, 0x8000},
#undef MEMORY
#define INTERRUPT                                                                                  \
    {                                                                                              \
        0xd4bbee17, 0xb545, 0x4888,                                                                \
        {                                                                                          \
            0x85, 0x8b, 0x74, 0x41, 0x69, 0x01, 0x5b, 0x25                                         \
        }                                                                                          \
    }
    {INTERRUPT, 0x1, 0, 0x40},
    {INTERRUPT, 0x4, 0, 0x20},
#undef INTERRUPT
    {{0xbfeb0324, 0x1cee, 0x496f, {0xa4, 0x09, 0x2a, 0xc2, 0xb4, 0x8a, 0x63, 0x22}},
     1,
     0,
     0x1000000},
    {{0x16156bd9, 0xfab4, 0x4cfa, {0xa2, 0x32, 0x89, 0xd1, 0x09, 0x90, 0x58, 0xe3}}, 1, 0, 0x20000},
    {{0x434286f7, 0x6f1b, 0x45bb, {0xb3, 0x7e, 0x95, 0xf6, 0x23, 0x04, 0x6c, 0x7c}}, 1, 0, 0x80},
    {{0xfcb9baaf, 0xe529, 0x4980, {0x92, 0xe9, 0xce, 0xd1, 0xa6, 0xaa, 0xdf, 0xdf}},
     1,
     0,
     0x100000},
    {{0xc134884a, 0x32d5, 0x4488, {0x80, 0xe5, 0x14, 0xed, 0x7a, 0xbb, 0x82, 0x69}}, 1, 4, 0x8000},
    {{0xfebd7460, 0x3d1d, 0x47eb, {0xaf, 0x49, 0xc9, 0xee, 0xb1, 0xe1, 0x46, 0xf2}}, 2, 4, 0x40},
};

bool want_system(const GUID *provider, ULONGLONG any, uint32_t *masks)
{
    enum { FILE_IO_INIT = 0x4000000 }; /* keyword 0x400 */
    bool is_system = false;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (memcmp(&keywords[i].provider, provider, sizeof *provider) != 0)
            continue;
        is_system = true;
        if (unkind(UNKIND_NO_FILE_KEYWORD) && keywords[i].bits == FILE_IO_INIT)
            continue;
        if (any == 0 || any & keywords[i].keyword)
            masks[keywords[i].mask] |= keywords[i].bits;
    }
    return is_system;
}

unsigned want_hook_of(const GUID *class, unsigned type)
{
    /* The image class has its loads in the group of processes: by either class. */
    enum { PROCESS_GROUP = 3, IMAGE_GROUP = 0x14, IMAGE_LOAD = 10, GROUPS = FAKE_HOOKS >> 8 };
    for (unsigned group = 0; group < GROUPS; group++)
        if (memcmp(event_class_guid((uint16_t)(group << 8)), class, sizeof *class) == 0)
            return (group == IMAGE_GROUP && type == IMAGE_LOAD ? PROCESS_GROUP : group) << 8 |
                   (type & 0xff);
    return FAKE_HOOKS;
}
