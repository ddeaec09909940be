#include "ui/draw/view_detail.h"

#include "src/base/text.h"
#include "ui/draw/lines.h"
#include "ui/draw/text_page.h"
#include "ui/state/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A value that would take more lines ends with a sign; the event as JSON has it whole. */
enum { BYTES_PER_LINE = 16, VALUE_LINES = 200 };

static int detail_name_width(int columns)
{
    return columns < 70 ? 16 : 24;
}

static int detail_room(const struct app *a)
{
    enum { LEAST = 8 };
    const int columns = app_layout(a).body.width;
    const int room = columns - DETAIL_MARGIN - detail_name_width(columns) - DETAIL_GAP;
    return room > LEAST ? room : LEAST;
}

/* Most values are short and plain: these need no look at clusters. */
static bool is_plain_within(const char *text, size_t bytes, int room)
{
    bool is_plain = bytes <= (size_t)room;
    for (size_t i = 0; i < bytes && is_plain; i++)
        is_plain = text[i] >= ' ' && text[i] < 0x7f;
    return is_plain;
}

/* What stands in one line of a text: all of it, or up to a blank, or as much as has room. */
static size_t value_piece(const char *text, size_t bytes, int room)
{
    if (is_plain_within(text, bytes, room))
        return bytes;
    size_t count = text_page_bytes(text, bytes < FORMAT_ROOM ? bytes : FORMAT_ROOM - 1, room);
    if (count == bytes)
        return bytes;
    size_t blank = count;
    while (blank > count / 2 && text[blank - 1] != ' ')
        blank--;
    count = blank > count / 2 ? blank : count;
    return count ? count : 1;
}

/* The bytes of the field's value behind `line` lines of it, and how many lines it has. */
static unsigned value_lines(const struct frame *f, const struct value *v, int room, unsigned line,
                            const char **text, size_t *bytes)
{
    unsigned count = 0;
    const char *at = f->arena + v->text.offset;
    size_t left = v->text.bytes;
    do {
        if (count == line) {
            *text = at;
            *bytes = left;
        }
        const size_t piece = value_piece(at, left, room);
        at += piece;
        left -= piece;
        count++;
    } while (left && count < VALUE_LINES);
    return count;
}

static unsigned field_lines(const struct frame *f, unsigned field, int room)
{
    const struct value *const v = &f->fields[field].text;
    const char *text;
    size_t bytes;
    return value_is_text(v) ? value_lines(f, v, room, 0, &text, &bytes) : 1;
}

/* One line of a field: its name stands at the first. */
static void field_line(const struct app *a, unsigned field, unsigned line, int room,
                       struct text_line *out)
{
    const struct frame *const f = app_known(a);
    const struct frame_field *const of = &f->fields[field];
    const struct format format = app_format(a);
    const char *text = "";
    size_t bytes = 0;
    out->kind = LINE_ENTRY;
    if (!line)
        format_value(&format, &of->name, f->arena, f->arena_bytes, out->name, sizeof out->name);
    if (!value_is_text(&of->text)) {
        format_value(&format, &of->text, f->arena, f->arena_bytes, out->text, sizeof out->text);
        return;
    }
    value_lines(f, &of->text, room, line, &text, &bytes);
    const size_t piece = value_piece(text, bytes, room);
    const bool is_cut = line + 1 == VALUE_LINES && piece < bytes;
    snprintf(out->text, sizeof out->text, "%.*s%s", (int)piece, text, is_cut ? "…" : "");
}

static uint64_t count_lines(const struct app *a, const struct frame *f)
{
    const uint64_t bytes = (f->payload_bytes + BYTES_PER_LINE - 1) / BYTES_PER_LINE;
    const int room = detail_room(a);
    uint64_t count = bytes ? bytes + 2 : 0;
    for (unsigned i = 0; i < f->field_count; i++)
        count += field_lines(f, i, room);
    return count;
}

static void hex_line(const struct frame *f, size_t from, struct text_line *out)
{
    const size_t left = f->payload_bytes - from;
    const size_t count = left < BYTES_PER_LINE ? left : BYTES_PER_LINE;
    char *to = out->text;
    for (size_t i = 0; i < BYTES_PER_LINE; i++) {
        if (i < count)
            to += snprintf(to, 5, "%s%02x", i == 8 ? "  " : " ", f->payload[from + i]);
        else
            to += snprintf(to, 5, "%s  ", i == 8 ? "  " : " ");
    }
    to += snprintf(to, 4, "  ");
    for (size_t i = 0; i < count; i++) {
        const uint8_t byte = f->payload[from + i];
        *to++ = byte >= 0x20 && byte < 0x7f ? (char)byte : '.';
    }
    *to = '\0';
    snprintf(out->name, sizeof out->name, "%06zx", from);
    out->kind = LINE_BYTES;
}

static bool detail_line(const struct app *a, uint64_t index, struct text_line *out)
{
    const struct frame *f = app_known(a);
    *out = (struct text_line){.kind = LINE_BLANK};
    if (!f)
        return false;
    const int room = detail_room(a);
    for (unsigned i = 0; i < f->field_count; i++) {
        const unsigned lines = field_lines(f, i, room);
        if (index < lines) {
            field_line(a, i, (unsigned)index, room, out);
            return true;
        }
        index -= lines;
    }
    const uint64_t below = index;
    if (!f->payload_bytes || below >= 2 + (f->payload_bytes + BYTES_PER_LINE - 1) / BYTES_PER_LINE)
        return false;
    if (below == 1) {
        out->kind = LINE_TITLE;
        snprintf(out->text, sizeof out->text, "Payload, %u bytes", f->payload_bytes);
    } else if (below >= 2) {
        hex_line(f, (size_t)(below - 2) * BYTES_PER_LINE, out);
    }
    return true;
}

static unsigned detail_lines(const struct app *a, uint64_t first, unsigned room,
                             struct text_line *out)
{
    unsigned count = 0;
    while (count < room && detail_line(a, first + count, &out[count]))
        count++;
    return count;
}

void view_detail_fit(struct app *a)
{
    const struct layout l = app_layout(a);
    const struct frame *f = app_known(a);
    list_fit(&a->focus->detail, f ? count_lines(a, f) : 0, l.body.height);
}

static void draw_detail(const struct app *a, struct grid *g, const struct layout *l)
{
    const struct text_page page = {l->body, detail_name_width(l->body.width), 1, detail_lines,
                                   &a->focus->detail};
    text_page_draw(a, g, &page);
    if (!app_known(a) || app_known(a)->field_count == 0)
        grid_text(g, 2, l->body.y, l->body.width - 2, ROLE_DIM,
                  a->focus->frame && a->focus->frame->pane->view == PANE_TABLE
                      ? "reading process details"
                      : "reading the event");
}

static bool shows_detail(const struct app *a)
{
    return a->focus->is_detail && a->overlay != OVERLAY_HELP;
}

const struct screen_view view_detail = {
    .id = "detail", .is_shown = shows_detail, .draw = draw_detail};
