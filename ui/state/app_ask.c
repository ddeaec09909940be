/* Sending requests, and whether they have been answered. */
#include "ui/state/splits.h"

#include <string.h>

void app_ask_all(struct app *a)
{
    struct request all[VIEWS_MAX];
    unsigned count = 0;
    memcpy(&all[count++], &a->focus->sent, sizeof *all);
    a->asked_views = 1u << a->focus->sent.view;
    for (unsigned i = 0; i < a->split_count; i++) {
        if (i == a->split_at || !splits_shows(a, i))
            continue;
        memcpy(&all[count++], splits_sent(a, i), sizeof *all);
        a->asked_views |= 1u << a->splits[i].view;
    }
    a->port.request(a->port.state, all, count);
}

void app_ask(struct app *a)
{
    a->focus->sent.sequence = ++a->sequence;
    for (unsigned i = 0; i < a->split_count; i++)
        if (i != a->split_at && splits_shows(a, i))
            a->splits[i].state->sent.sequence = ++a->sequence;
    app_ask_all(a);
}

bool app_is_answered(const struct app *a)
{
    for (unsigned i = 0; i < a->split_count; i++) {
        const struct frame *const f = splits_frame(a, i);
        if (splits_shows(a, i) &&
            (!f || f->sequence != splits_sent(a, i)->sequence || f->is_partial))
            return false;
    }
    return true;
}
