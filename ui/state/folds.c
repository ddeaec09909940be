#include "ui/state/folds.h"

static bool is_exception(const struct place *p, const struct row_key *key, unsigned *at)
{
    for (*at = 0; *at < p->fold_count; ++*at)
        if (row_key_equal(p->folds[*at], *key))
            return true;
    return false;
}

void folds_set(struct app *a, const struct row_key *key, bool is_shut)
{
    struct place *p = app_place(a);
    unsigned at;
    const bool is_listed = is_exception(p, key, &at);
    if (is_listed && is_shut == p->folds_all)
        p->folds[at] = p->folds[--p->fold_count];
    else if (!is_listed && is_shut != p->folds_all && p->fold_count < FOLDS_MAX)
        p->folds[p->fold_count++] = *key;
    else if (!is_listed && is_shut != p->folds_all)
        app_message(a, true, "%d rows are %s; * folds or unfolds all rows", FOLDS_MAX,
                    p->folds_all ? "unfolded" : "folded");
}

void folds_open(struct app *a, const struct row_key *keys, unsigned count)
{
    struct place *const p = app_place(a);
    if (count > FOLDS_MAX || (p->folds_all && p->fold_count + count > FOLDS_MAX)) {
        p->folds_all = false;
        p->fold_count = 0;
        return;
    }
    for (unsigned i = 0; i < count; i++)
        folds_set(a, &keys[i], false);
}
