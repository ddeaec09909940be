#include "src/view/table_order.h"

#include "src/base/text.h"

static int compare_keys(struct row_key a, struct row_key b)
{
    if (a.a != b.a)
        return a.a < b.a ? -1 : 1;
    if (a.b != b.b)
        return a.b < b.b ? -1 : 1;
    return (a.c > b.c) - (a.c < b.c);
}

int table_order_compare(const struct order *o, const struct item *a, const struct item *b)
{
    if (a->is_absent != b->is_absent)
        return a->is_absent ? 1 : -1;
    int by_value = 0;
    if (!a->is_absent && a->is_text != b->is_text)
        by_value = a->is_text ? 1 : -1; /* fields of payloads are one or the other */
    else if (!a->is_absent)
        by_value = a->is_text ? text_compare(o->texts + a->text, a->text_bytes, o->texts + b->text,
                                             b->text_bytes)
                              : (a->number > b->number) - (a->number < b->number);
    if (by_value)
        return o->is_ascending ? by_value : -by_value;
    if (a->then != b->then)
        return a->then > b->then ? -1 : 1;
    return compare_keys(a->row->key, b->row->key);
}

/* Quicksort. */
void table_order_window(const struct order *o, struct item *items, size_t count, size_t first,
                        size_t last)
{
    while (count > 1 && first < count && last > 0 && first < last) {
        item_swap(&items[0], &items[count / 2]);
        const struct item pivot = items[0];
        size_t low = 0, high = count;
        for (;;) {
            do
                low++;
            while (low < count && table_order_compare(o, &items[low], &pivot) < 0);
            do
                high--;
            while (table_order_compare(o, &items[high], &pivot) > 0);
            if (low >= high)
                break;
            item_swap(&items[low], &items[high]);
        }
        item_swap(&items[0], &items[high]);
        table_order_window(o, items, high, first, last);
        items += high + 1;
        count -= high + 1;
        first = first > high + 1 ? first - high - 1 : 0;
        last = last > high + 1 ? last - high - 1 : 0;
    }
}
