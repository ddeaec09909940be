#include "src/base/json_out.h"

#include "src/base/json.h"
#include "src/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_out_free(struct json_out *o)
{
    free(o->text);
    *o = (struct json_out){.most = o->most};
}

/* Room for so many bytes and a NUL; NULL where that is beyond the bound. */
static char *reserve(struct json_out *o, size_t bytes)
{
    enum { FIRST = 1024 };
    if (o->is_full || o->used > o->most || bytes > o->most - o->used) {
        o->is_full = true;
        return NULL;
    }
    if (o->used + bytes + 1 > o->room) {
        const size_t twice = o->room ? 2 * o->room : FIRST, least = o->used + bytes + 1;
        o->room = twice > least ? twice : least;
        o->text = mem_grow(o->text, o->room, 1);
    }
    return o->text + o->used;
}

void json_out_put(struct json_out *o, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int bytes = vsnprintf(NULL, 0, format, args);
    char *const to = bytes < 0 ? NULL : reserve(o, (size_t)bytes);
    if (to) {
        vsnprintf(to, (size_t)bytes + 1, format, again);
        o->used += (size_t)bytes;
    }
    va_end(again);
    va_end(args);
}

/* The quoted form is written into memory of its own, for it may be six times as long. */
static void put_quoted(struct json_out *o, const char *text, size_t bytes)
{
    char *const quoted = mem_new(JSON_ROOM(bytes), 1);
    const size_t length = json_quote(quoted, text, bytes);
    char *const to = reserve(o, length);
    if (to) {
        memcpy(to, quoted, length);
        to[length] = '\0';
        o->used += length;
    }
    free(quoted);
}

void json_out_text(struct json_out *o, const char *text, size_t bytes, size_t most)
{
    static const char cut[] = "…";
    if (bytes <= most) {
        put_quoted(o, text, bytes);
        return;
    }
    size_t kept = most;
    while (kept && ((unsigned char)text[kept] & 0xc0) == 0x80) /* not inside of a character */
        kept--;
    char *const copy = mem_new(kept + sizeof cut, 1);
    memcpy(copy, text, kept);
    memcpy(copy + kept, cut, sizeof cut - 1);
    put_quoted(o, copy, kept + sizeof cut - 1);
    free(copy);
}

void json_out_member(struct json_out *o, const char *name, const char *text)
{
    json_out_put(o, ",\"%s\":", name);
    if (text)
        json_out_text(o, text, strlen(text), strlen(text));
    else
        json_out_put(o, "null");
}

void json_out_rewind(struct json_out *o, size_t used)
{
    o->used = used;
    o->is_full = false;
    if (o->text)
        o->text[used] = '\0';
}
