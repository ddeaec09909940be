#include "src/event/mark.h"

#include <stdio.h>
#include <string.h>

void mark_text(char out[MARK_TEXT], const char *text)
{
    static const char sign[] = "…";
    const size_t bytes = strnlen(text, MARK_TEXT);
    size_t end = bytes;
    if (bytes == MARK_TEXT) {
        end = MARK_TEXT - sizeof sign;
        while (end && ((uint8_t)text[end] & 0xc0) == 0x80)
            end--;
    }
    memcpy(out, text, end);
    memcpy(out + end, bytes == MARK_TEXT ? sign : "", bytes == MARK_TEXT ? sizeof sign : 1);
}

void mark_answer(char out[MARK_ANSWER], const char *text)
{
    char kept[MARK_TEXT];
    mark_text(kept, text);
    snprintf(out, MARK_ANSWER, "marked%s%s", *kept ? ": " : "", kept);
}

void mark_put(struct payload_writer *p, int64_t ts, const char *text, size_t bytes)
{
    enum { PERFINFO64 = 0x11, FLAGS = 0xc0, MARK = 0x22, GROUP = 0x0f };
    put_u16(p, 0);
    put_u8(p, PERFINFO64);
    put_u8(p, FLAGS);
    put_u16(p, mark_bytes(bytes));
    put_u8(p, MARK);
    put_u8(p, GROUP);
    put_u64(p, (uint64_t)ts);
    put_bytes(p, text, bytes);
    put_u8(p, 0);
}
