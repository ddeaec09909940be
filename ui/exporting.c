#include "ui/exporting.h"

#include "src/export/stacks.h"
#include "src/output.h"
#include "ui/action.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

const char *const exporting_formats[] = {"folded", "speedscope", "perfetto", "tree", NULL};
static const char *const endings[] = {"folded", "speedscope.json", "perfetto.json", "txt"};

static unsigned format_index(const char *text, size_t bytes)
{
    unsigned i = 0;
    while (exporting_formats[i] && (strlen(exporting_formats[i]) != bytes ||
                                    strncmp(exporting_formats[i], text, bytes) != 0))
        i++;
    return i;
}

unsigned exporting_begin(struct app *a, const char *text)
{
    const size_t bytes = strcspn(text, " ");
    const unsigned format = format_index(text, bytes);
    const char *const path = text + bytes + strspn(text + bytes, " ");
    struct exporting *const x = &a->exporting;
    if (app_shown(a)->pane->view != PANE_TREE) {
        app_say(a, true, "call trees can be exported: c or f on a row, then X");
    } else if (!exporting_formats[format]) {
        app_say(a, true, "expected folded, speedscope, perfetto or tree, found '%.*s'", (int)bytes,
                text);
    } else {
        *x = (struct exporting){.format = exporting_formats[format]};
        if (*path)
            snprintf(x->path, sizeof x->path, "%s", path);
        else
            snprintf(x->path, sizeof x->path, "tracetop-%s.%s",
                     stack_metrics[app_shown(a)->stacks.metric].id, endings[format]);
        app_say(a, false, "writing %s", x->path);
    }
    return REACT_DRAW;
}

ACTION(stack_export)
{
    UNUSED(b), UNUSED(k);
    app_open_prompt(a, PROMPT_COMMAND, "export speedscope");
    return REACT_DRAW;
}

void exporting_ask(const struct app *a, struct request *r)
{
    if (!a->exporting.format || r->pane->view != PANE_TREE)
        return;
    r->stacks.is_whole = true;
    r->stacks.is_flame = false;
    r->rows = UINT_MAX;
    r->first = 0;
    r->has_anchor = false;
}

void exporting_sent(struct app *a, const struct request *r)
{
    if (r->stacks.is_whole && !a->exporting.sequence)
        a->exporting.sequence = r->sequence;
}

static bool write_file(const struct exporting *x, const struct frame *f, struct err *err)
{
    struct output out;
    const struct stacks_export export = {.frame = f, .name = "tracetop"};
    if (!output_open(&out, x->path, false, err))
        return false;
    stacks_write(&export, x->format, out.file);
    return output_close(&out, true, err);
}

bool exporting_take(struct app *a, const struct frame *f)
{
    struct exporting *const x = &a->exporting;
    if (!x->format || f->pane->view != PANE_TREE || !x->sequence || f->sequence < x->sequence)
        return false;
    if (f->is_partial)
        return true; /* it goes on counting, and sends the next one by itself */
    char account[160];
    struct err err;
    stacks_account(f, account, sizeof account);
    if (write_file(x, f, &err))
        app_say(a, false, "written: %s (%s)", x->path, account);
    else
        app_say(a, true, "%s", err.text);
    *x = (struct exporting){.format = NULL};
    return true;
}
