#include "ui/action/query_file.h"

#include "src/pane/panes.h"
#include "src/pane/user_view.h"
#include "ui/config/item.h"
#include "ui/state/made_panes.h"

#include <stdlib.h>

static bool may_be_called(const char *name, struct err *err)
{
    if (!user_view_is_id(name))
        return fail(err, "expected a name of lowercase letters, digits and _, found \"%.60s\"",
                    name);
    return !pane_find(name) ||
           fail(err, "there is a pane \"%.60s\" already; choose another name", name);
}

static bool write(const struct app *a, const char *name, const char *query, char *path, size_t room,
                  struct err *err)
{
    char file[USER_VIEW_ID + sizeof ".view"];
    snprintf(file, sizeof file, "%s.view", name);
    char *const text = item_set("# A query that was saved on screen; see tracetop-views(5).\n",
                                "view", "query", query, err);
    const bool ok = text && config_new_file(a->config, "views", file, text, path, room, err);
    free(text);
    return ok;
}

unsigned query_file_save(struct app *a, const char *name)
{
    struct err err;
    char path[1200];
    const struct pane *const p = app_shown(a)->pane;
    if (!query_pane_is(p))
        app_message(a, true,
                    ":save NAME saves a query; :view save NAME saves what this pane shows");
    else if (!a->config)
        app_message(a, true, "no configuration folder; --config FILE names one");
    else if (!may_be_called(name, &err) || !write(a, name, p->title, path, sizeof path, &err))
        app_message(a, true, "%s", err.text);
    else {
        queries_name(&a->made->queries, p, name);
        app_message(a, false, "saved to %s; :%s shows it", path, name);
    }
    return REACT_DRAW;
}
