/* What all writers of comma-separated values share. */
#ifndef SRC_EXPORT_CSV_H
#define SRC_EXPORT_CSV_H

#include <stdbool.h>
#include <string.h>

/* A spreadsheet evaluates a cell that begins like a formula, whoever has named the file or process
 * in it: an apostrophe before it makes it text. Numbers are none. */
static inline bool csv_is_formula(const char *text, size_t bytes)
{
    size_t blanks = 0;
    while (blanks < bytes && text[blanks] == ' ')
        blanks++;
    return blanks < bytes && memchr("=+-@\t\r\n", text[blanks], 7);
}

#endif
