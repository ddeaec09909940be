/* Providers by what people type: a name of this machine, a GUID, or *Name for one that
 * describes its events itself (its GUID is made from the name). */
#ifndef COLLECTORS_WINDOWS_PROVIDER_H
#define COLLECTORS_WINDOWS_PROVIDER_H

#include "collectors/windows/etw_api.h"

#include "src/base/err.h"
#include "src/collect/collector.h"

#include <stdbool.h>
#include <stddef.h>

struct live_provider {
    GUID guid;
    ULONGLONG keywords; /* all bits where none are asked for: 0 brings nothing of classic ones */
    UCHAR level;
    char name[128];
};

/* Those of -e, to be freed. False with a sentence. */
bool providers_read(const struct collector_options *o, struct live_provider **out, size_t *count,
                    struct err *err);

/* All that are registered with a manifest or a MOF class; NULL with a sentence. free() it. */
PPROVIDER_ENUMERATION_INFO providers_list(struct err *err);

/* One name or GUID; false with a sentence that suggests. */
bool provider_find(const char *name, GUID *out, struct err *err);

/* What a provider has, by EVENT_FIELD_TYPE of tdh.h; NULL where the system does not say. free() it.
 */
enum provider_field {
    PROVIDER_KEYWORDS,
    PROVIDER_LEVELS,
    PROVIDER_CHANNELS,
    PROVIDER_TASKS,
    PROVIDER_OPCODES,
};
PPROVIDER_FIELD_INFOARRAY provider_fields(const GUID *guid, enum provider_field type);

/* "info", or a number up to 255. */
bool provider_level(const char *text, UCHAR *out);

/* The GUID of a provider that describes itself, from its name (without the *). */
bool provider_hash(const char *name, GUID *out, struct err *err);

/* "22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716" and back; `out` has room for 40. */
void guid_text(const GUID *guid, char *out);
bool guid_read(const char *text, GUID *out);

#endif
