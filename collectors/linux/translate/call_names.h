/* Names of the system calls of the machine this was built for, as the C library's headers have
 * them; the table is made by the Makefile. */
#ifndef COLLECTORS_LINUX_TRANSLATE_CALL_NAMES_H
#define COLLECTORS_LINUX_TRANSLATE_CALL_NAMES_H

/* NULL: newer than the headers, or no call. Looks through the whole table: ask once. */
const char *call_name(unsigned number);

/* Likewise of the numbers that 32-bit programs use; NULL for all where there are none. */
const char *call_name_32(unsigned number);

#endif
