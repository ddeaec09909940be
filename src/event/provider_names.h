/* Names of the numbers in headers of events: levels, opcodes, tasks, channels and bits of keywords.
 * Some are the same for all providers, the others are each provider's own.
 *
 * Texts are UTF-8 of any bytes, "" where there is none, never NULL. Not locked. */
#ifndef SRC_EVENT_PROVIDER_NAMES_H
#define SRC_EVENT_PROVIDER_NAMES_H

#include "src/event/event.h"

struct pattern;

enum provider_name {
    PROVIDER_LEVEL,
    PROVIDER_OPCODE, /* by provider_opcode() */
    PROVIDER_TASK,
    PROVIDER_CHANNEL,
    PROVIDER_KEYWORD, /* by the number of its bit, 0 … 63 */
};

/* The number of an opcode that belongs to one task, or to all. */
#define PROVIDER_ALL_TASKS 0x10000u
static inline uint32_t provider_opcode(uint32_t task, uint8_t opcode)
{
    return task << 8 | opcode;
}

/* The provider's name without "Microsoft-Windows-", which may be left out where names are asked
 * for. */
const char *provider_short_name(const char *name);

/* The names that one provider gives. `keywords`: those that its bits have where nothing gives others,
 * by known_keywords(). */
struct provider_names;
struct provider_names *provider_names_new(const char *const *keywords);
void provider_names_free(struct provider_names *n);
size_t provider_names_bytes(const struct provider_names *n);
uint32_t provider_names_count(const struct provider_names *n); /* of NULL 0 */

/* Keeps a copy. The first name of a number stays; empty names and those that are standard ("win:…")
 * are left out. At most PROVIDER_NAMES_MOST are kept, of each the first PROVIDER_NAME_BYTES. */
enum { PROVIDER_NAMES_MOST = 1 << 16, PROVIDER_NAME_BYTES = 255 };
void provider_names_put(struct provider_names *n, enum provider_name kind, uint32_t number,
                        const char *text);

/* The provider's name, else the standard one. Good as long as the names are. `n`: NULL = only
 * standard names are known. */
const char *provider_name(const struct provider_names *n, enum provider_name kind, uint32_t number);

/* Does one of the provider's names fit, of NULL one of the standard ones? */
bool provider_names_have(const struct provider_names *n, enum provider_name kind,
                         const struct pattern *p);

/* The names of what an event's header holds. Events of the kernel and of classes have no levels,
 * opcodes … of this kind. */
const char *provider_level_name(const struct provider_names *n, const struct event *e);
const char *provider_opcode_name(const struct provider_names *n, const struct event *e);
const char *provider_task_name(const struct provider_names *n, const struct event *e);
const char *provider_channel_name(const struct provider_names *n, const struct event *e);

/* The names of the bits that are set in the event's keyword, by the number of the bit, "" for all
 * others; returns the set bits without a name. */
enum { PROVIDER_KEYWORD_BITS = 64 };
uint64_t provider_keywords(const struct provider_names *n, const struct event *e,
                           const char *out[PROVIDER_KEYWORD_BITS]);

/* "Name, Name, 0x40": of each bit in the event's keyword its name, of all others together the hex
 * number. Returns the length; whole names only, as many as fit. "" where no bit is set. */
enum { PROVIDER_KEYWORDS = 1024 };
size_t provider_keyword_names(const struct provider_names *n, const struct event *e,
                              char out[PROVIDER_KEYWORDS]);

#endif
