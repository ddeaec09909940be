/* What the files of the platform on Linux share about who goes first. */
#ifndef SRC_OS_PRIORITY_LINUX_H
#define SRC_OS_PRIORITY_LINUX_H

/* The lowest of the real-time priorities: no other program that has one waits for us. */
enum { OS_BOOST_PRIORITY = 1 };

/* 20 less the niceness, as limits count: down to -10. */
enum { OS_LEAST_NICE = 30 };

/* A program that we started gets the limits that we had before os_permit_boost(). */
void os_child_restore_limits(int pid);

/* Around the start of a program: the thread has the niceness again that the process had at
 * os_permit_boost(), if it has a lower one now, and the program inherits that. Returns the niceness
 * for os_step_forward(). */
int os_step_back(void);
void os_step_forward(int niceness);

#endif
