/* Any bytes as a manifest, in XML or compiled, by itself and in pieces within a trace; then events
 * of it are asked for, with the bytes themselves as payload. The first byte chooses how they are
 * cut. */
#include "tests/fuzz/fields.h"

#include "src/event/manifest/manifest.h"
#include "src/event/manifest/pieces.h"
#include "src/event/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { MOST = 16 << 10, HEAD = 8, PIECES_MOST = 4 };

static const struct guid provider = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

static void check_manifest(const uint8_t *text, size_t bytes)
{
    struct err err;
    struct manifest_blob blob = {NULL, 0, 0};
    struct manifest *const m = manifest_read(text, bytes, &err);
    if (!m)
        return;
    must(manifest_event_count(m) > 0);
    for (uint16_t id = 0; id < 8; id++)
        manifest_event_info(m, &provider, id, 0, &blob);
    manifest_map_info(m, &provider, "M", &blob);
    manifest_take_messages(m, text, bytes);
    manifest_has_field(m, "a", 1);
    free(blob.at);
    manifest_free(m);
}

static void check_pieces(struct schemas *s, const uint8_t *text, size_t bytes, unsigned pieces)
{
    struct event about;
    for (unsigned i = 0; i < pieces; i++) {
        const size_t from = bytes * i / pieces, to = bytes * (i + 1) / pieces;
        uint8_t *const payload = malloc(HEAD + to - from);
        const uint8_t head[HEAD] = {1, 1, 0, 0x5b, (uint8_t)pieces, 0, (uint8_t)i, 0};
        memcpy(payload, head, HEAD);
        memcpy(payload + HEAD, text + from, to - from);
        const struct event e = {.kind = HEADER_MANIFEST,
                                .provider = provider,
                                .id = 0xfffe,
                                .opcode = 0xfe,
                                .pointer = 8,
                                .payload = payload,
                                .payload_bytes = (uint32_t)(HEAD + to - from)};
        char room[SCHEMAS_SENTENCE];
        schema_learn(s, 0, &e, &about);
        schema_describe_piece(s, 0, &e, room, sizeof room);
        free(payload);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes < 1 || bytes > MOST)
        return 0;
    const unsigned pieces = data[0] % PIECES_MOST + 1;
    char room[SCHEMAS_SENTENCE];
    check_manifest(data + 1, bytes - 1);
    struct schemas *const s = schemas_new();
    check_pieces(s, data + 1, bytes - 1, pieces);
    for (unsigned i = 0; schemas_sentence(s, i, room); i++)
        continue;
    for (uint16_t id = 0; id < 4; id++) {
        struct schema schema;
        const struct event e = {.kind = HEADER_MANIFEST,
                                .provider = provider,
                                .id = id,
                                .pointer = 8,
                                .payload = data,
                                .payload_bytes = (uint32_t)bytes};
        if (schema_find(s, 0, &e, &schema))
            check_fields(&e, schema.layout);
    }
    schemas_free(s);
    return 0;
}
