/* The line format of themes and configuration (ui/README.md): UTF-8, one item per line,
 * `#` comments, [sections], `key = value`. Reading goes line by line and never fails as a whole;
 * writing changes one item and leaves every other byte of the text, comments included. */
#ifndef UI_CONFIG_ITEM_H
#define UI_CONFIG_ITEM_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Longer lines are a mistake: the longest value is a filter (FILTER_MAX), with room around it. */
enum { ITEM_LINE = 2048, ITEM_SECTION = 64 };

enum item_kind {
    ITEM_END,
    ITEM_HEAD,  /* [section] */
    ITEM_PAIR,  /* key = value */
    ITEM_WRONG, /* neither: `expected` and `key` say what was expected and what was found */
};

struct item_reader {
    const char *text; /* what is left of it */
    size_t bytes;
    unsigned line; /* of the item, from 1 */
    char section[ITEM_SECTION];
    char *key, *value; /* in `copy`, trimmed */
    const char *expected;
    char copy[ITEM_LINE];
};

struct item_reader item_reader(const char *text, size_t bytes);

/* The next line that says something. */
enum item_kind item_next(struct item_reader *r);

/* The text with this item said so: in its place where the section has the key, as the section's
 * last item where not, in a section of its own at the end where there is none. NULL as value
 * takes the item's line out. The caller frees it; NULL with a sentence where the value cannot
 * be written as one line that is read back the same. */
char *item_set(const char *text, const char *section, const char *key, const char *value,
               struct err *err);

/* The text without the section (its head and items; comments above the head stay). */
char *item_drop_section(const char *text, const char *section);

#endif
