/* What the files of the platform on Linux share about who goes first. */
#ifndef SRC_OS_PRECEDE_LINUX_H
#define SRC_OS_PRECEDE_LINUX_H

/* The lowest of the real-time priorities: no other program that has one waits for us. */
enum { OS_PRECEDENCE = 1 };

#endif
