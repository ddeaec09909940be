/* How an operation ended: the NTSTATUS codes that records carry, and their names.
 *
 * A record of Windows carries a code of Windows. A record of Linux carries its error number, one
 * code for each number, in a range that Windows has no codes in:
 *
 *   0xc000c000 + number  a failure; ENOENT (2) is 0xc000c002
 *   0x4000c000 + number  a system call that a signal interrupted and that the kernel begins anew
 *                        (ERESTARTSYS …): severity "informational", for it did not fail
 *
 * Which system a code is from decides its name. Facts carry that in a bit that NTSTATUS reserves. */
#ifndef SRC_EVENT_STATUS_H
#define SRC_EVENT_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATUS_ERRNO    0xc000c000u
#define STATUS_RESTART  0x4000c000u
#define STATUS_OF_LINUX 0x10000000u

/* The code for an error number of Linux, 1 … 4095. */
uint32_t status_of_errno(unsigned error);

/* A code from a record, marked with its system; success is 0 on both. */
static inline uint32_t status_mark(uint32_t code, bool is_linux)
{
    const uint32_t plain = code & ~STATUS_OF_LINUX;
    return plain && is_linux ? plain | STATUS_OF_LINUX : plain;
}

/* The code as the record has it, of a marked one. */
static inline uint32_t status_number(uint32_t marked)
{
    return marked & ~STATUS_OF_LINUX;
}

/* Did the operation fail? Warnings are answers: there is no more to list, the rest does not fit. */
static inline bool status_is_failure(uint32_t marked)
{
    return marked >> 30 == 3;
}

/* "ACCESS_DENIED", "ENOENT"; NULL where no table has it. Traces of earlier versions recorded one
 * code for several errors of Linux: then there are names for nth = 1 … as well, up to NULL. */
const char *status_name(uint32_t marked, unsigned nth);

/* The name that is shown for an error of Linux that has two, such as EWOULDBLOCK; NULL: it is not
 * the second of two. Case does not matter. */
const char *status_of_alias(const char *text);

/* Is it a name of some code, of either system? Case does not matter. */
bool status_is_name(const char *text);

/* With which a process ended: "0", "259 (STILL_ACTIVE)", "0x40010004 (DBG_TERMINATE_PROCESS)";
 * small numbers are its own. Records of Linux have minus the signal that ended it: "SIGSEGV". */
enum { STATUS_TEXT = 80 };
void status_exit(uint32_t code, bool is_linux, char out[STATUS_TEXT]);
bool status_is_signal(uint32_t code, bool is_linux);

/* Its names, with slashes between; where no table has it, its system and number in hex. Returns the
 * length. */
size_t status_format(uint32_t marked, char out[STATUS_TEXT]);

#endif
