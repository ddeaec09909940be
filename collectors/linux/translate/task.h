/* What to_task.c knows of processes and threads, for the other half of its subject: replies and
 * images. Collector's thread. */
#ifndef COLLECTORS_LINUX_TRANSLATE_TASK_H
#define COLLECTORS_LINUX_TRANSLATE_TASK_H

#include "collectors/linux/translate/translate.h"

/* Is a record that was read about this thread at that time still true? Not if an event since then
 * says that the process started, called exec or ended. */
bool task_trusts(const struct translator *t, uint32_t pid, uint32_t tid, int64_t read_time);

/* The process of a thread, or the thread's own id where it is not known. */
uint32_t task_process(const struct translator *t, uint32_t tid);

/* The sample's thread leaves a processor and goes on living. If no event and no walk has reported
 * it yet, this does: a thread that was there before us is missing from a walk when another thread
 * of its process ended while /proc listed them. */
void task_met(struct translator *t, const struct sample *s);

/* Was its End reported? */
bool task_has_ended(const struct translator *t, uint32_t pid);

/* The walk found this image in the process (to_image.c): it will have to be unloaded. */
void image_met(struct translator *t, uint32_t pid, uint64_t base, uint64_t size);

#endif
