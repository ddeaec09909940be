/* The record of a mark: PerfInfo Mark as a current Windows logs it,
 * PERFINFO_TRACE_HEADER (16) with hook 0x0f22 and a NUL-terminated text. */
#ifndef SRC_EVENT_MARK_H
#define SRC_EVENT_MARK_H

#include "src/base/payload_writer.h"

enum { MARK_TEXT = 256, MARK_ANSWER = MARK_TEXT + 16 }; /* with their NUL */

/* The text as a mark keeps it, at most MARK_TEXT - 1 bytes: a longer one is cut between characters
 * and ends with "…". */
void mark_text(char out[MARK_TEXT], const char *text);

/* The answer to a request for a mark: "marked: TEXT" with the text as the mark keeps it, or
 * "marked". */
void mark_answer(char out[MARK_ANSWER], const char *text);

/* Of the record with a text of so many bytes, which fit 16 bits with it. */
static inline uint32_t mark_bytes(size_t text_bytes)
{
    enum { HEADER = 16 };
    return (uint32_t)(HEADER + text_bytes + 1);
}

/* Puts it; `ts` is raw, of the clock of where it goes. */
void mark_put(struct payload_writer *p, int64_t ts, const char *text, size_t bytes);

#endif
