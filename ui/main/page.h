/* Writes a manual page, as plain text of at most 80 columns or as roff for man(1). Calls come in
 * the order of the page. Texts are ours, UTF-8; a text that is *marked* has `literal` words between
 * backquotes. */
#ifndef UI_MAIN_PAGE_H
#define UI_MAIN_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum page_last { PAGE_NOTHING, PAGE_HEADING, PAGE_PARAGRAPH, PAGE_ITEM, PAGE_CODE };

struct manual_page {
    FILE *to;
    bool is_roff;
    enum page_last last; /* begun last: decides blank lines and indentation */
    int column;          /* cells used of the line; 0 = at its beginning */
    bool is_bold, has_gap;
};

/* "tracetop-filter", "5". */
void page_begin(struct manual_page *p, const char *name, const char *number);
void page_end(struct manual_page *p);

void page_heading(struct manual_page *p, const char *text, bool is_sub);

/* Begins a paragraph, or an item of a list: `term` in bold, `rest` behind it (may be NULL). */
void page_paragraph(struct manual_page *p);
void page_item(struct manual_page *p, const char *term, const char *rest);

/* Adds to what was begun; lines are broken where needed. */
void page_words(struct manual_page *p, const char *text, size_t bytes, bool is_marked);

/* One line of code, as it stands; a blank line that comes before the next one. */
void page_code(struct manual_page *p, const char *line, size_t bytes);
void page_gap(struct manual_page *p);

#endif
