/* A thread that runs on each processor once. A processor without a switch has no events: on an idle
 * one the first switch comes after some tenths of a second, and the thread until then is not known.
 * The visit causes a switch at once. If a processor never lets the visitor run, only the visitor
 * waits. */
#ifndef COLLECTORS_LINUX_KERNEL_VISIT_H
#define COLLECTORS_LINUX_KERNEL_VISIT_H

struct visit;

struct visit *visit_start(void);
void visit_end(struct visit *v); /* wherever it is; NULL is fine */

#endif
