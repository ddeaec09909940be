/* Any bytes as text: whatever comes out is valid, free of controls and as wide as said;
 * a text finds itself. */
#include "src/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define must(claim) ((claim) ? (void)0 : broken(__LINE__, #claim))

static void broken(int line, const char *claim)
{
    fprintf(stderr, "tests/fuzz/text.c:%d: does not hold: %s\n", line, claim);
    abort();
}

static void must_be_safe(const char *text)
{
    const size_t bytes = strlen(text);
    must(text_is_valid(text, bytes));
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = (unsigned char)text[i];
        must(c >= 0x20 && c != 0x7f);
        must(!(c == 0xc2 && (unsigned char)text[i + 1] < 0xa0)); /* C1 */
    }
}

static size_t walk(const char *text, size_t bytes)
{
    size_t width = 0;
    for (size_t at = 0; at < bytes;) {
        char safe[TEXT_CLUSTER_ROOM];
        int cells;
        const size_t took = text_cluster(text + at, bytes - at, safe, sizeof safe, &cells);
        must(took > 0 && took <= bytes - at && (cells == 1 || cells == 2));
        must(took == text_cluster_bytes(text + at, bytes - at));
        must_be_safe(safe);
        text_cluster_to_ascii(safe, cells);
        must(strlen(safe) == (size_t)cells && (unsigned char)safe[0] < 0x80);
        width += (size_t)cells;
        at += took;
    }
    return width;
}

static void clip(const char *text, size_t bytes, size_t width, int cells, size_t room)
{
    char *out = malloc(room);
    for (unsigned how = 0; how < 4; how++) {
        const int used = text_clip(out, room, text, bytes, cells, how);
        must(used >= 0 && used <= cells && strlen(out) < room);
        must(text_width(out, strlen(out)) == (size_t)used);
        must_be_safe(out);
        if (width <= (size_t)cells && room > width * TEXT_CLUSTER_ROOM)
            must((size_t)used == width);
    }
    free(out);
}

static void convert(const char *text, size_t bytes)
{
    const size_t room = bytes * 3 + 3;
    char *out = malloc(room);
    size_t used = text_repair(out, room, text, bytes);
    must(text_is_valid(out, used));
    must(!text_is_valid(text, bytes) || (used == bytes && memcmp(out, text, bytes) == 0));
    used = text_from_utf16(out, room, text, bytes);
    must(text_is_valid(out, used));
    free(out);
}

/* Two texts: the needle is a part of the hay, between two starts of characters. */
static void search(const char *text, size_t bytes, size_t from, size_t to)
{
    struct text_needle *n = text_needle_new(text + from, to - from);
    text_needle_in(n, text, bytes);
    must(text_needle_in(n, text + from, to - from));
    text_needle_free(n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes < 3)
        return 0;
    const char *text = (const char *)data + 3;
    bytes -= 3;
    const size_t width = walk(text, bytes);
    must(width == text_width(text, bytes));
    clip(text, bytes, width, data[0] % 40, data[1] + 1u);
    convert(text, bytes);
    if (bytes) {
        const size_t from = data[1] % bytes;
        search(text, bytes, from, from + data[2] % (bytes - from + 1));
    }
    return 0;
}
