/* Instrumentation manifests: the names of a provider's events, tasks, keywords … and the layouts of
 * payloads. Read from XML (files of users, and what .NET's EventSources write into traces) and from
 * programs and libraries of Windows that hold a compiled one. Anybody may have written them. A
 * mistake costs the provider, event or field that it is in, and leaves a sentence.
 *
 * A manifest does not change once it is read: any thread may ask. src/event/schema.h asks; others
 * only read files (src/event/schema_file.h). */
#ifndef SRC_EVENT_MANIFEST_MANIFEST_H
#define SRC_EVENT_MANIFEST_MANIFEST_H

#include "src/base/err.h"
#include "src/base/guid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct manifest;

/* NULL with a sentence when the bytes are no manifest or define no event. */
struct manifest *manifest_read(const void *bytes, size_t size, struct err *err);
void manifest_free(struct manifest *m); /* NULL is fine */

/* Gives events and maps of a compiled manifest texts out of another file, that of a language
 * (.mui). False when the manifest is not compiled or the file has no messages. Before anybody else
 * asks. */
bool manifest_take_messages(struct manifest *m, const void *bytes, size_t size);

size_t manifest_bytes(const struct manifest *m); /* memory */
uint32_t manifest_event_count(const struct manifest *m);

/* Mistakes, and sentences about the first MANIFEST_SENTENCES of them: "line 7: …". */
enum { MANIFEST_SENTENCES = 8 };
uint32_t manifest_mistakes(const struct manifest *m);
const char *manifest_sentence(const struct manifest *m, uint32_t index);

/* The name of a provider that has an event here, or NULL. */
const char *manifest_provider(const struct manifest *m, const struct guid *provider);

/* Has any template a field of that name, whatever its case? */
bool manifest_has_field(const struct manifest *m, const char *name, size_t bytes);

/* Bytes that grow; set to zero before the first use, free(at) after the last. */
struct manifest_blob {
    uint8_t *at;
    size_t bytes, room;
};

/* An event in the form of EventInfo records: a TRACE_EVENT_INFO (src/event/event_info.h). False
 * when it is not defined. */
bool manifest_event_info(const struct manifest *m, const struct guid *provider, uint16_t id,
                         uint16_t version, struct manifest_blob *out);

/* The same of a map: the provider's GUID and an EVENT_MAP_INFO. */
bool manifest_map_info(const struct manifest *m, const struct guid *provider, const char *name,
                       struct manifest_blob *out);

#endif
