/* Marks: words of the user among the events. A plain one is the kernel's PerfInfo Mark as a current
 * Windows logs it, PERFINFO_TRACE_HEADER (16) with hook 0x0f22 and a NUL-terminated text. One with
 * a level, fields or a process is the event "Mark" of tracetop's provider
 * (src/event/tracetop_provider.h), which describes itself: "text", and the fields behind it. */
#ifndef SRC_EVENT_MARK_H
#define SRC_EVENT_MARK_H

#include "src/base/err.h"
#include "src/event/event.h"

enum {
    MARK_TEXT = 256, /* with its NUL, as all here */
    MARK_ANSWER = MARK_TEXT + 16,
    MARK_NAME = 64,
    MARK_FIELDS = 16,
    MARK_LINE = 4096,
    MARK_RECORD = 8192 /* more than the largest record */
};

/* The text as a mark keeps it, at most MARK_TEXT - 1 bytes: a longer one is cut between characters
 * and ends with "…". */
void mark_text(char out[MARK_TEXT], const char *text);

/* The answer to a request for a mark: "marked: TEXT" with the text as the mark keeps it, or
 * "marked". */
void mark_answer(char out[MARK_ANSWER], const char *text);

/* A mark that is to be made. */
struct new_mark {
    char text[MARK_TEXT];
    uint8_t level;     /* as of events, 1 (critical) to 5 (verbose); 0: none */
    uint32_t pid, tid; /* of whoever makes it; both 0: not known */
    int64_t asked_ns;  /* os_now() at that moment; 0: not known */
    unsigned field_count;
    struct mark_field {
        char name[MARK_NAME], value[MARK_TEXT];
    } fields[MARK_FIELDS];
};

/* Adds "NAME=VALUE" as it stands in a command line. The name has letters, digits and "_"; a value
 * that is too long is cut like a text. False with a sentence. */
bool mark_add_field(struct new_mark *m, const char *text, struct err *err);

/* A mark as a line of text, which goes from one process to another, and back. One without level,
 * fields, process and moment is its text. Others begin with the separator U+001F and
 * "level pid tid moment"; fields "NAME=VALUE" and at last the text follow, each behind a separator.
 * A line that is too long, or none of these, fails with a sentence. */
bool mark_write(const struct new_mark *m, char line[MARK_LINE], struct err *err);
bool mark_read(const char *line, struct new_mark *out, struct err *err);

/* When it was made: now, on the clock whose time `now_ns` is, or earlier where it was asked for at
 * another moment. Never more than a fraction of a second earlier, so that it finds its place among
 * events that are on their way, too; and not before *last_ns, the time of the mark before it, which
 * becomes this one's: marks stand in the order in which they were asked for. */
int64_t mark_time(const struct new_mark *m, int64_t now_ns, int64_t *last_ns);

struct mark_record {
    struct record_head head;
    uint8_t bytes[MARK_RECORD];
};

/* Makes the record; `ts` is raw, of the clock of where it goes. */
void mark_record_make(struct mark_record *r, int64_t ts, const struct new_mark *m);

#endif
