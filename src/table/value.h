/* Typed values: what columns are made of. Sorting, width, filter and export follow
 * from the type and are written once. */
#ifndef SRC_TABLE_VALUE_H
#define SRC_TABLE_VALUE_H

#include <stdint.h>

enum value_type {
    VALUE_ABSENT, /* shown as "-" */
    VALUE_TEXT,   /* text in the frame's arena; names keep their head */
    VALUE_PATH,   /* likewise; paths keep their tail */
    VALUE_ID,     /* pid, tid, cpu, disk: plain decimal */
    VALUE_HEX,
    VALUE_COUNT, /* events, operations */
    VALUE_REAL,  /* a number of payloads, with its fraction; a whole one is a count */
    VALUE_RATE,  /* 1/s */
    VALUE_BYTES,
    VALUE_BYTE_RATE, /* B/s */
    VALUE_TIME,      /* a duration, ns */
    VALUE_TIME_RATE, /* ns per second */
    VALUE_PERCENT,   /* 0..100 (or more) */
    VALUE_INSTANT,   /* ns since 1970 UTC */
    VALUE_SERIES,    /* amounts, oldest first, as text in the arena: "0 12 7" */
    VALUE_BINS,      /* a histogram, as text in the arena: see src/aggregate/bins.h */
};

struct value {
    uint8_t type;      /* enum value_type */
    uint8_t is_estimated, is_incomplete;
    uint8_t is_difference; /* of two values: counts and bytes then have a sign, as int64_t */
    union {
        double number;                          /* rates, percent, real numbers */
        int64_t ns;                             /* time, instant */
        uint64_t count;                         /* counts, bytes, ids, hex */
        struct {
            uint32_t offset, bytes;
        } text; /* in the arena, not NUL-terminated, UTF-8, unsanitized */
    };
};

/* How paths are written: with their drive, only the name at their end, as the kernel has them. */
enum path_mode { PATHS_FULL, PATHS_NAME, PATHS_DEVICE, PATH_MODES };

#endif
