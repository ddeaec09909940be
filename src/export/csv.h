/* What all writers of comma-separated values share. */
#ifndef SRC_EXPORT_CSV_H
#define SRC_EXPORT_CSV_H

#include <stdbool.h>
#include <string.h>

/* ＝＋－＠, as wide as an ideograph: programs of East Asia take them for the narrow ones. */
static inline bool csv_is_wide_sign(const char *at, size_t bytes)
{
    static const char signs[][4] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
    enum { SIGN = 3 };
    for (size_t i = 0; bytes >= SIGN && i < sizeof signs / sizeof *signs; i++)
        if (memcmp(at, signs[i], SIGN) == 0)
            return true;
    return false;
}

/* A spreadsheet evaluates a cell that begins like a formula, whoever has named the file or process
 * in it: an apostrophe before it makes it text. Numbers are none. */
static inline bool csv_is_formula(const char *text, size_t bytes)
{
    size_t blanks = 0;
    while (blanks < bytes && text[blanks] == ' ')
        blanks++;
    return blanks < bytes && (memchr("=+-@\t\r\n", text[blanks], 7) ||
                              csv_is_wide_sign(text + blanks, bytes - blanks));
}

#endif
