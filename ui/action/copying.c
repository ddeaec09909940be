#include "ui/action/copying.h"

#include "src/base/mem.h"
#include "src/os/output.h"
#include "ui/action/action.h"
#include "ui/action/settings_edit.h"
#include "ui/config/utf8.h"
#include "ui/state/layout.h"
#include "ui/state/view_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Terminals take 100 000 bytes of a sequence, xterm's own bound among them; four letters stand
 * for three bytes. */
enum { CLIPBOARD_MAX = 74994, NAMES = 1000 };

/* ---- where it goes ------------------------------------------------------------------------ */

static unsigned to_file(struct app *a, const char *text, size_t bytes, const char *what)
{
    struct output out;
    struct err err;
    char path[SETTING_ROOM + 64];
    const char *const folder = a->settings.folder;
    if (app_refuses(a, "copying to a file"))
        return REACT_DRAW;
    for (unsigned i = 1; i < NAMES; i++) {
        snprintf(path, sizeof path, "%s%stracetop-copy-%u.txt", folder, *folder ? "/" : "", i);
        if (!output_open(&out, path, false, &err))
            continue; /* there is one already */
        const bool is_well = fwrite(text, 1, bytes, out.file) == bytes;
        if (output_close(&out, is_well, &err) && is_well)
            app_message(a, false, "%s is in %s", what, path);
        else
            app_message(a, true, "%s", is_well ? err.text : "could not write all of the text");
        return REACT_DRAW;
    }
    app_message(a, true, "%s", err.text);
    return REACT_DRAW;
}

unsigned copying_take(struct app *a, const char *text, size_t bytes, const char *what)
{
    if (bytes > CLIPBOARD_MAX || a->settings.clipboard == CLIPBOARD_FILE)
        return to_file(a, text, bytes, what);
    if (a->is_still) { /* headless */
        app_message(a, true, "no terminal to copy to; try :set clipboard file");
        return REACT_DRAW;
    }
    free(a->copied);
    a->copied = mem_new(bytes + 1, 1);
    memcpy(a->copied, text, bytes);
    a->copied_bytes = bytes;
    app_message(a, false, "%s went to the terminal's clipboard", what);
    return REACT_DRAW | REACT_COPY;
}

char *copying_sequence(struct app *a, size_t *bytes)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!a->copied)
        return NULL;
    const uint8_t *const from = (const uint8_t *)a->copied;
    char *const out = mem_new(a->copied_bytes / 3 * 4 + 16, 1);
    size_t used = (size_t)sprintf(out, "\033]52;c;");
    for (size_t i = 0; i < a->copied_bytes; i += 3) {
        const size_t left = a->copied_bytes - i;
        const uint32_t three = (uint32_t)from[i] << 16 |
                               (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                               (left > 2 ? from[i + 2] : 0);
        for (unsigned n = 0; n < 4; n++)
            out[used++] = n > left ? '=' : letters[three >> (18 - 6 * n) & 63];
    }
    out[used++] = '\a';
    *bytes = used;
    free(a->copied);
    a->copied = NULL;
    return out;
}

/* ---- what is copied -------------------------------------------------------------------------- */

void copying_cell(const struct app *a, const struct frame_row *row, unsigned column, char *out,
                  size_t room)
{
    const struct frame *const f = app_known(a);
    const struct format format = app_format(a);
    char text[FORMAT_ROOM];
    size_t used = 0;
    format_value(&format, &row->cells[column], f->arena, f->arena_bytes, text, sizeof text);
    /* What is pasted into a shell must not act there: control characters are left out. */
    for (const char *at = text; *at && used + 1 < room; at++)
        if ((unsigned char)*at >= ' ' && *at != 0x7f)
            out[used++] = *at;
    out[used] = '\0';
}

struct text {
    char *bytes;
    size_t used, room;
};

static void add(struct text *t, const char *text, int pad)
{
    const size_t length = strlen(text), blanks = pad > 0 ? (size_t)pad : 0;
    if (t->used + length + blanks + 2 > t->room) {
        t->room = 2 * (t->used + length + blanks) + 1024;
        t->bytes = mem_grow(t->bytes, t->room, 1);
    }
    memcpy(t->bytes + t->used, text, length);
    memset(t->bytes + t->used + length, ' ', blanks);
    t->used += length + blanks;
    t->bytes[t->used] = '\0';
}

/* A line of the table, its columns in line as on screen; cells are whole, however wide. */
static void add_line(const struct app *a, struct text *t, const struct frame_row *row,
                     const struct column_slot *slots, unsigned count)
{
    const struct pane *const p = app_shown(a)->pane;
    for (unsigned i = 0; i < count; i++) {
        const struct column *const c = &p->columns[slots[i].column];
        char text[FORMAT_ROOM];
        if (row)
            copying_cell(a, row, slots[i].column, text, sizeof text);
        else
            snprintf(text, sizeof text, "%s", c->title);
        const int spare = slots[i].width - grid_width(text);
        const bool is_right = c->flags & COLUMN_RIGHT, is_last = i + 1 == count;
        add(t, "", is_right ? spare : 0);
        add(t, text, is_right || is_last ? 0 : spare);
        add(t, is_last ? "\n" : " ", 0);
    }
}

ACTION(copy)
{
    UNUSED(b), UNUSED(k);
    const struct frame_row *const row = app_cursor_row(a);
    const struct place *const p = app_shown(a);
    struct column_slot slots[SLOTS_MAX];
    char text[FORMAT_ROOM];
    if (!row)
        return REACT_NONE;
    if (p->shows_column) {
        copying_cell(a, row, p->column, text, sizeof text);
        return copying_take(a, text, strlen(text), "the cell");
    }
    const unsigned count = view_table_layout(p, app_width(a), slots);
    struct text t = {NULL, 0, 0};
    for (unsigned i = 0; i < count; i++) {
        copying_cell(a, row, slots[i].column, text, sizeof text);
        add(&t, text, 0);
        add(&t, i + 1 < count ? "\t" : "\n", 0);
    }
    const unsigned reaction = copying_take(a, t.bytes, t.used, "the row");
    free(t.bytes);
    return reaction;
}

ACTION(copy_table)
{
    UNUSED(b), UNUSED(k);
    const struct place *const p = app_shown(a);
    struct column_slot slots[SLOTS_MAX];
    const unsigned count = view_table_layout(p, app_width(a), slots);
    struct text t = {NULL, 0, 0};
    add_line(a, &t, NULL, slots, count);
    for (int y = 0; y < p->list.height; y++) {
        const struct frame_row *const row = app_row(a, p->list.top + (uint64_t)y);
        if (row)
            add_line(a, &t, row, slots, count);
    }
    const unsigned reaction = copying_take(a, t.bytes, t.used, "the table");
    free(t.bytes);
    return reaction;
}

/* One line, as `tracetop dump -O jsonl` prints it. */
ACTION(copy_event)
{
    UNUSED(b), UNUSED(k);
    const struct frame *const f = app_known(a);
    if (!f || f->json.type != VALUE_TEXT) {
        app_message(a, true, "the record of this event is no longer kept; a larger --ring keeps more");
        return REACT_DRAW;
    }
    char what[64];
    snprintf(what, sizeof what, "the event as JSON (%u bytes)", f->json.text.bytes);
    return copying_take(a, f->arena + f->json.text.offset, f->json.text.bytes, what);
}
