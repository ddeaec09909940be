#include "ui/widget/list.h"

struct list list_start(int height)
{
    return (struct list){.height = height < 1 ? 1 : height, .is_first = true};
}

static uint64_t last_top(const struct list *l)
{
    const uint64_t height = (uint64_t)l->height;
    return l->count > height ? l->count - height : 0;
}

static uint64_t clamp(uint64_t v, uint64_t most)
{
    return v > most ? most : v;
}

/* Adds without passing 0 or `most`. */
static uint64_t step(uint64_t from, int64_t by, uint64_t most)
{
    if (by < 0)
        return (uint64_t)-by > from ? 0 : clamp(from - (uint64_t)-by, most);
    return (uint64_t)by > most - clamp(from, most) ? most : from + (uint64_t)by;
}

static void show_cursor(struct list *l)
{
    const uint64_t height = (uint64_t)l->height;
    if (l->cursor < l->top)
        l->top = l->cursor;
    if (l->cursor >= l->top + height)
        l->top = l->cursor - height + 1;
    l->top = clamp(l->top, last_top(l));
}

void list_go(struct list *l, uint64_t index)
{
    const uint64_t last = l->count ? l->count - 1 : 0;
    l->is_first = l->is_tail = false;
    const uint64_t to = clamp(index, last);
    if (to != l->cursor)
        l->has_key = false;
    l->cursor = to;
    show_cursor(l);
}

void list_move(struct list *l, int64_t by)
{
    if (l->is_text) {
        l->top = step(l->top, by, last_top(l));
        return;
    }
    list_go(l, step(l->cursor, by, l->count ? l->count - 1 : 0));
}

void list_page(struct list *l, int halves)
{
    const int64_t page = l->height > 1 ? l->height - 1 : 1;
    const int64_t half = page / 2 > 0 ? page / 2 : 1;
    const int64_t by = halves % 2 == 0 ? halves / 2 * page : halves * half;
    if (!l->is_text)
        l->top = step(l->top, by, last_top(l));
    list_move(l, by);
}

void list_home(struct list *l)
{
    list_go(l, 0);
    l->top = 0;
    l->is_first = true;
}

void list_end(struct list *l)
{
    l->top = last_top(l);
    if (!l->is_text)
        list_go(l, l->count ? l->count - 1 : 0);
}

void list_pan(struct list *l, int64_t by)
{
    l->top = step(l->top, by, last_top(l));
    if (l->is_text)
        return;
    const uint64_t bottom = l->top + (uint64_t)l->height - 1;
    if (l->cursor < l->top)
        list_go(l, l->top);
    else if (l->cursor > bottom)
        list_go(l, bottom);
}

void list_fit(struct list *l, uint64_t count, int height)
{
    l->count = count;
    l->height = height < 1 ? 1 : height;
    l->top = clamp(l->top, last_top(l));
    if (l->is_text)
        return;
    const uint64_t last = count ? count - 1 : 0;
    if (l->cursor > last) {
        l->cursor = last;
        l->has_key = false;
    }
    if (l->is_tail && l->cursor != last) {
        l->cursor = last;
        l->has_key = false;
    }
    show_cursor(l);
}

void list_follow(struct list *l, uint64_t index)
{
    if (l->keeps_line) {
        const uint64_t line = l->cursor - l->top;
        l->top = clamp(index > line ? index - line : 0, last_top(l));
    }
    l->cursor = index;
    show_cursor(l);
}
