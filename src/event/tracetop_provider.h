/* Events of tracetop's provider "tracetop-linux": self-describing (TraceLogging) records for what
 * ETW's kernel classes have no field or record for, on Linux and in rundowns of either system
 * (src/model/rundown.h):
 *
 *   Lifetime    of the process listed before it: how long ago it was started, in ns
 *   Connection  a TCP connection that is open: its process, both ends, who opened it ("out",
 *               "in", "" where that was not seen), how long ago and how long that took in ns, and
 *               its largest segment (0: not known). Addresses are numbers, of IPv4 in the low
 *               word alone.
 *
 *   Wait        of a thread that is waiting: for what (wait_call_name()), and how long ago that
 *               began, in ns (0: before the recording)
 *   Mapping     of an image, behind its record: offset in its file, the file's device and inode,
 *               its build id (hexadecimal, "" where there is none). In a rundown also when it was
 *               loaded, ns since 1970 (0: not known); a repeated record keeps it
 *   Recorded    that a class of events was recorded from one moment until another, ns since 1970
 *               (until 0: it still was). A later statement with the same beginning replaces it
 *   Watched     that only some processes were recorded: one by its number (0: none), or those whose
 *               names are like a pattern (""), and whether what they start is (children: 0 or 1).
 *               Of others there are only switches to and from them, and wake-ups
 *
 *   Mark        words of the user with a level or fields of his own (src/event/mark.h)
 *
 *   Gauges      known figures of the machine (src/model/gauge.h): levels at the time of the
 *               record, rates and percentages since the previous one; fields have the gauges' names
 *   Processor   the same of one processor: its number, and which percent of its time went where
 *   ProcessMemory  what a process has: bytes of memory, its threads, its open files or handles
 *
 * They come from our collector, or from a file, which anybody may have written. */
#ifndef SRC_EVENT_TRACETOP_PROVIDER_H
#define SRC_EVENT_TRACETOP_PROVIDER_H

#include "src/event/event.h"

#include <stdbool.h>
#include <stdint.h>

extern const struct guid tracetop_provider;

/* The event's name, of the record; NULL where the record has none or is not ours. */
const char *tracetop_event_name(const struct event *e);

/* Is it one of those that only a collector on Linux makes? Rundowns are of either system. */
bool tracetop_event_is_of_linux(const struct event *e);

/* Does it say what is the same for a whole session: the system, its topology, its mounts, the names of
 * routines? */
bool tracetop_event_is_configuration(const struct event *e);

/* Is it of figures that are sampled again and again: gauges, the memory of a process? */
bool tracetop_event_is_sampled(const struct event *e);

/* The first field with this name that is an integer, of any provider whose events describe
 * themselves; false where there is none. */
bool described_event_number(const struct event *e, const char *field, uint64_t *out);

/* The first field with this name, of integers and NUL-terminated texts; false where there is
 * none, of that type, before another type or the end of the payload. A text is the record's. */
bool tracetop_event_number(const struct event *e, const char *field, uint64_t *out);
bool tracetop_event_text(const struct event *e, const char *field, const char **out);

/* Each field that is a number, integers and floating point alike, in order. False where the record
 * is not ours. */
typedef void tracetop_number(void *to, const char *field, double number);
bool tracetop_event_numbers(const struct event *e, tracetop_number *take, void *to);

/* Gives such a field of 8 bytes, or of 4, another number, in the bytes of `record` itself, of which
 * `e` is the parsed look; false as above. */
bool tracetop_event_set_number(uint8_t *record, const struct event *e, const char *field,
                               uint64_t number);

#endif
