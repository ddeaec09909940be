/* Pages of text: help and details. Lines are made on demand, those on screen at once: nothing is
 * kept that could be out of date. */
#ifndef UI_DRAW_TEXT_PAGE_H
#define UI_DRAW_TEXT_PAGE_H

#include "ui/draw/view.h"

enum text_line_kind { LINE_BLANK, LINE_TITLE, LINE_ENTRY, LINE_PLAIN, LINE_BYTES };

enum { LINE_NAME_ROOM = 128, DETAIL_MARGIN = 3, DETAIL_GAP = 2 };

struct text_line {
    enum text_line_kind kind;
    char name[LINE_NAME_ROOM];
    char text[FORMAT_ROOM];
};

struct text_page {
    struct rect r;
    int name_width;
    int columns; /* in which the lines stand, each as high as the page; 0 is 1 */
    /* Lines from `first` on, at most `room`; how many there are. */
    unsigned (*lines)(const struct app *a, uint64_t first, unsigned room, struct text_line *out);
    const struct list *list;
};

void text_page_draw(const struct app *a, struct grid *g, const struct text_page *p);

/* So many bytes of the text, in whole characters, have room in `room` cells. */
size_t text_page_bytes(const char *text, size_t bytes, int room);

#endif
