#include "ui/main/user_views.h"

#include "src/base/mem.h"
#include "src/os/os.h"
#include "src/pane/query_pane.h"
#include "src/pane/user_view.h"
#include "ui/config/config.h"
#include "ui/config/item.h"
#include "ui/theme/embedded.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one file -------------------------------------------------------------------------------- */

/* A file: its view, and the query that it is made of, or "". */
struct view_text {
    struct user_view *view;
    char query[ITEM_LINE];
};

static bool take_pair(struct view_text *t, const struct item_reader *r, struct err *err)
{
    static const char column[] = "column ";
    struct user_view *const d = t->view;
    if (strcmp(r->section, "view") == 0 && strcmp(r->key, "query") == 0)
        return snprintf(t->query, sizeof t->query, "%s", r->value) > 0 ||
               fail(err, "expected a query, such as by proc | count");
    if (strcmp(r->section, "view") == 0)
        return user_view_set(d, r->key, r->value, err);
    if (strncmp(r->section, column, sizeof column - 1) == 0)
        return user_view_column_set(d, r->section + sizeof column - 1, r->key, r->value, err);
    return fail(err, "expected [view] or [column ID], found [%s]", r->section);
}

static bool take_items(struct view_text *t, struct item_reader *r, struct err *err)
{
    for (;;)
        switch (item_next(r)) {
        case ITEM_END:
            return true;
        case ITEM_HEAD:
            break;
        case ITEM_PAIR:
            if (!take_pair(t, r, err))
                return false;
            break;
        case ITEM_WRONG:
            return fail(err, "%s \"%.100s\"", r->expected, r->key);
        }
}

/* "x" of "/a/b/x.view". */
static void base_name(const char *file, char *out, size_t room)
{
    const char *name = file;
    for (const char *at = file; *at; at++)
        if (*at == '/' || *at == '\\')
            name = at + 1;
    snprintf(out, room, "%.*s", (int)strcspn(name, "."), name);
}

/* The view joins the panes; it is the caller's where it does not. */
static bool add(struct view_text *t, struct err *err)
{
    struct query q;
    const bool is_bound =
        !t->query[0] || (query_parse(&q, t->query, err) && query_pane_bind(&q, t->view, err));
    return is_bound && user_view_add(t->view, err);
}

bool user_views_parse(const char *text, size_t bytes, const char *file, struct err *err)
{
    char id[USER_VIEW_ID];
    struct err what = {""};
    base_name(file, id, sizeof id);
    struct view_text t = {.view = user_view_new(id)};
    struct item_reader r = item_reader(text, bytes);
    const bool is_read = take_items(&t, &r, &what);
    if (is_read && add(&t, &what))
        return true;
    user_view_free(t.view);
    return is_read ? fail(err, "%.300s: %.600s", file, what.text)
                   : fail(err, "%.300s:%u: %.600s", file, r.line, what.text);
}

void user_views_builtin(void)
{
    for (const struct embedded_theme *v = embedded_views; v->name; v++) {
        struct err err;
        const bool is_right = user_views_parse(v->text, v->bytes, v->name, &err);
        assert(is_right);
        (void)is_right;
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool read_view(const char *path, struct err *err)
{
    struct os_file *const f = os_open(path, err);
    if (!f)
        return false;
    const int64_t size = os_size(f);
    const bool fits = size >= 0 && size <= USER_VIEW_BYTES_MAX;
    char *const text = mem_new(fits ? (size_t)size + 1 : 1, 1);
    const int64_t got = fits ? os_read_at(f, text, (size_t)size, 0, err) : -1;
    if (!fits)
        fail(err, "%.700s: expected a view of at most %d bytes", path, USER_VIEW_BYTES_MAX);
    const bool ok = got >= 0 && user_views_parse(text, (size_t)got, path, err);
    free(text);
    os_close(f);
    return ok;
}

bool user_views_files(const char *const *files, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (!read_view(files[i], err))
            return false;
    return true;
}

void user_views_folder(struct config *config)
{
    char folder[1100], names[USER_VIEW_MAX * 4][OS_NAME_ROOM], path[1400];
    struct err err;
    if (!config_folder(config, "views", folder, sizeof folder))
        return;
    const size_t count = os_folder_names(folder, ".view", names, sizeof names / sizeof *names);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (!read_view(path, &err))
            config_warn_text(config, err.text);
    }
}
