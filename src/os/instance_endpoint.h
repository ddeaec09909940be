/* The system's part of src/os/instance.c: an endpoint that callers find by the monitor's process
 * id. Each caller sends one line of text and gets one, and perhaps bytes behind it; lines hold
 * neither NUL nor line ends.
 * instance_linux.c, instance_windows.c. */
#ifndef SRC_OS_INSTANCE_ENDPOINT_H
#define SRC_OS_INSTANCE_ENDPOINT_H

#include "src/os/instance.h"

enum { INSTANCE_LINE = INSTANCE_TEXT + 32, INSTANCE_PATIENCE_MS = 2000 };
static const int64_t INSTANCE_PATIENCE_NS = INSTANCE_PATIENCE_MS * 1000000ll;

struct instance_endpoint;

/* NULL with a sentence. */
struct instance_endpoint *instance_endpoint_open(struct err *err);

/* Nobody finds it any more; for those who wait it is still there. */
void instance_endpoint_hide(struct instance_endpoint *d);
void instance_endpoint_close(struct instance_endpoint *d);

/* Any thread: ends a wait of the endpoint's thread, the present one or the next. */
void instance_endpoint_wake(struct instance_endpoint *d);

/* The rest is for the endpoint's thread. Waits for a caller; false when woken, or for nothing. */
bool instance_endpoint_wait(struct instance_endpoint *d);
void instance_endpoint_wait_wake(struct instance_endpoint *d);

/* With the caller who is there: may it call at all? Has it left? */
bool instance_endpoint_may_call(const struct instance_endpoint *d);
bool instance_endpoint_has_left(const struct instance_endpoint *d);
void instance_endpoint_hang_up(struct instance_endpoint *d);

/* ---- either side ---- */

/* What comes from the other side within that time: a line, or so many bytes. False when it does
 * not. */
bool instance_endpoint_read(struct instance_endpoint *d, char line[INSTANCE_LINE], int64_t ns);
bool instance_endpoint_read_bytes(struct instance_endpoint *d, char *to, size_t bytes, int64_t ns);

/* False when the other side takes nothing for INSTANCE_PATIENCE_MS, or not all of it in five times
 * as long. */
bool instance_endpoint_write(struct instance_endpoint *d, const char *line);
bool instance_endpoint_write_bytes(struct instance_endpoint *d, const char *from, size_t bytes);

/* From another process: instance_list(). */
unsigned instance_endpoint_list(uint32_t pids[INSTANCES], struct err *err);
#define INSTANCE_NONE "no monitor of this user is running; start tracetop first"

/* To the monitor `pid`, which is the caller's user's, or root's. NULL with a sentence. */
struct instance_endpoint *instance_endpoint_dial(uint32_t pid, struct err *err);
void instance_endpoint_leave(struct instance_endpoint *d);

#endif
