/* What the files of the platform on Linux share about who goes first. */
#ifndef SRC_OS_PRECEDE_LINUX_H
#define SRC_OS_PRECEDE_LINUX_H

/* The lowest of the real-time priorities: no other program that has one waits for us. */
enum { OS_PRECEDENCE = 1 };

/* 20 less the niceness, as limits count: down to -10. */
enum { OS_LEAST_NICE = 30 };

/* A program that we started gets the limits that we had before os_keep_precedence(). */
void os_lose_precedence(int pid);

#endif
