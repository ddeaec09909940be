/* A system call that is to come to its end even if this process is killed in it. */
#ifndef SRC_OS_APART_LINUX_H
#define SRC_OS_APART_LINUX_H

/* Calls in a process of its own, which shares memory and descriptors with this one and has left its
 * session, and waits for it. The call may only make system calls. Where no process can be started
 * it is made here. Returns what the call returns. Any thread; its rights are those of the thread.
 */
int os_call_apart(int (*call)(void *to), void *to);

#endif
