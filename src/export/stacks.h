/* Call trees as files that other programs read: folded lines, speedscope's JSON, the trace JSON
 * that Perfetto opens, and indented text. Made of a frame that has the whole tree
 * (stack_look.is_whole), which may be of any thread's making. */
#ifndef SRC_EXPORT_STACKS_H
#define SRC_EXPORT_STACKS_H

#include "src/frame/frame.h"

#include <stdio.h>

struct stacks_export {
    const struct frame *frame;
    const char *name; /* of the profile: what it was made from */
};

/* A format of STACK_FORMATS (src/export/formats.h): false where there is no such format. Failed
 * writes show in the stream's error flag. */
bool stacks_write(const struct stacks_export *x, const char *format, FILE *to);

/* "104 of 73.5k events have a stack …": what is not in the file. At most `room` bytes. */
void stacks_account(const struct frame *f, char *out, size_t room);

#endif
