/* Call chains as StackWalk records (stack_put() is in translate.h), and the memory of
 * where threads left the processor. */
#ifndef COLLECTORS_LINUX_TRANSLATE_STACK_H
#define COLLECTORS_LINUX_TRANSLATE_STACK_H

#include "collectors/linux/translate/translate.h"

/* A CSwitch record carries the stack of the thread that comes in; the sample of a switch has
 * that of the thread that goes out. A thread goes on where it left: its stack is kept here … */
void stack_keep(struct translator *t, const struct sample *s, uint32_t pid, uint32_t tid);

/* … or is forgotten, for it has ended and its id may be another thread's next … */
void stack_forget(struct translator *t, uint32_t tid);

/* … and put when it comes in, as a walk of the record just ended; nothing where none is kept
 * or stacks are off. */
void stack_put_kept(struct translator *t, uint32_t tid, unsigned cpu, int64_t time);

/* As stack_put(), the kernel's frames alone. */
void stack_put_kernel(struct translator *t, const struct sample *s, uint32_t pid, uint32_t tid,
                      int64_t time);

/* What is known of the kernel's functions; NULL where nothing is, or not yet. */
const struct reasons *stack_reasons(const struct translator *t);

/* Puts the users' frames that the unwinder has found by now, late, each as a walk of its event. True
 * while there are more to come. */
bool stack_take_unwound(struct translator *t);

#endif
