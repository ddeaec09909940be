/* Compiled manifests: resources WEVT_TEMPLATE, and tables of messages, in programs and libraries of
 * Windows (PE files). Read from bytes that anybody may have written: every offset is checked, and
 * no structure is read more often than its owner counts. */
#ifndef SRC_EVENT_MANIFEST_BINARY_H
#define SRC_EVENT_MANIFEST_BINARY_H

#include "src/event/manifest/inside.h"

struct byte_span {
    const uint8_t *at;
    size_t bytes;
};

/* Loads at an offset; 0 where that is not within the bytes. */
uint16_t span_u16(struct byte_span s, uint64_t at);
uint32_t span_u32(struct byte_span s, uint64_t at);
uint64_t span_u64(struct byte_span s, uint64_t at);

/* `bytes` from an offset on; fewer at the end, none behind it. */
struct byte_span span_part(struct byte_span s, uint64_t at, uint64_t bytes);

bool span_begins(struct byte_span s, uint64_t at, const char *signature);

/* The resource's bytes, in the first language that it has; no bytes where there is none. By the
 * name of its type, or by a number when that is NULL. */
struct byte_span pe_resource(struct byte_span file, const char *type_name, uint16_t type);

/* wevt.c: adds the providers of a WEVT_TEMPLATE. False with a sentence. */
bool manifest_read_wevt(struct manifest *m, struct byte_span crim, struct err *err);

/* messages.c: gives events and entries of maps the texts of their numbers, where they have none. */
void manifest_apply_messages(struct manifest *m, struct byte_span table);

#endif
