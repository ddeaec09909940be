#include "ui/draw/view_help.h"

#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/filter/filter.h"
#include "ui/draw/lines.h"
#include "ui/draw/loss.h"
#include "ui/draw/sign.h"
#include "ui/draw/text_page.h"
#include "ui/state/filtering.h"
#include "ui/state/layout.h"
#include "ui/state/saver.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_NARROW = 70, LOSS_NAME = 21 };

/* Keys and signs stand in columns where there is room; what was found has whole lines. */
static int help_columns(const struct app *a)
{
    enum { COLUMN = 60, MOST = 3 };
    const int columns = a->columns / COLUMN;
    if (a->help_about != HELP_KEYS || a->find[0] || columns < 2)
        return 1;
    return columns < MOST ? columns : MOST;
}

/* Names of causes of loss are longer than keys, and figures follow them. */
static int help_name_width(const struct app *a, int columns)
{
    if (a->help_about == HELP_LOSS)
        return columns < HELP_NARROW ? LOSS_NAME + 1 : LOSS_NAME + 8;
    return columns < HELP_NARROW || help_columns(a) > 1 ? 14 : 22;
}

/* Entries come once, under the first section whose context they are bound in. */
static bool is_in_section(const struct binding *b, size_t section)
{
    for (size_t i = 0; i < section; i++)
        if (b->contexts & keymap_sections[i].contexts)
            return false;
    return (b->contexts & keymap_sections[section].contexts) != 0;
}

static bool is_everywhere(const struct binding *b)
{
    return (b->contexts & CONTEXT_ROWS) == CONTEXT_ROWS;
}

struct help_scan {
    const struct app *a;
    uint64_t first; /* index of the first line that is wanted */
    uint64_t at;    /* lines passed */
    struct text_line *out;
    unsigned room, count; /* lines in `out` */
    const struct text_needle *needle;
    bool *is_of_pane; /* by key binding; NULL: not asked yet */
};

static bool is_match(const struct text_needle *n, const char *name, const char *text)
{
    return text_needle_in(n, name, strlen(name)) || text_needle_in(n, text, strlen(text));
}

static void emit(struct help_scan *s, enum text_line_kind kind, const char *name, const char *text)
{
    if (s->needle &&
        ((kind != LINE_ENTRY && kind != LINE_PLAIN) || !is_match(s->needle, name, text)))
        return;
    if (s->at++ >= s->first && s->count < s->room) {
        struct text_line *const line = &s->out[s->count++];
        line->kind = kind;
        snprintf(line->name, sizeof line->name, "%s", name);
        snprintf(line->text, sizeof line->text, "%s", text);
    }
}

/* A sentence (ASCII) in as many lines as it takes; whole where lines are looked for. */
static void emit_wrapped(struct help_scan *s, const char *name, const char *text)
{
    enum { BESIDE = 5, LEAST = 16 };
    const int left =
        s->a->columns / help_columns(s->a) - help_name_width(s->a, s->a->columns) - BESIDE;
    const size_t room = left > LEAST ? (size_t)left : LEAST;
    while (!s->needle && strlen(text) > room) {
        size_t end = room;
        while (end && text[end] != ' ')
            end--;
        char piece[FORMAT_ROOM];
        snprintf(piece, sizeof piece, "%.*s", (int)(end ? end : room), text);
        emit(s, LINE_ENTRY, name, piece);
        name = "";
        text += end ? end + 1 : room;
    }
    emit(s, LINE_ENTRY, name, text);
}

/* Signs that were on the screen come first, the others at the end. */
static void emit_signs(struct help_scan *s, const char *title, bool is_seen)
{
    emit(s, LINE_TITLE, "", title);
    for (enum sign sign = 0; sign < SIGNS; sign++)
        if ((s->a->signs_seen >> sign & 1) == is_seen)
            emit_wrapped(s, sign_text(s->a->glyphs, sign), sign_help(sign));
    emit(s, LINE_BLANK, "", "");
}

/* Some keys have another meaning where a pane is shown as a tree or a picture. */
static bool has_key_here(const struct app *a, const struct binding *b)
{
    char name[KEY_NAME];
    struct key key;
    for (const char *at = keys_of(a->keys, b); keymap_next_key(&at, name);)
        if (key_parse(name, &key) && keys_find(a->keys, app_context_below(a), &key) == b)
            return true;
    return false;
}

/* A key is listed once: under this pane, else under everywhere, else under its first section. */
static bool is_of_pane(struct help_scan *s, const struct binding *b)
{
    if (!s->is_of_pane) {
        s->is_of_pane = mem_new(keymap_count, sizeof *s->is_of_pane);
        for (size_t i = 0; i < keymap_count; i++)
            s->is_of_pane[i] = !is_everywhere(&keymap[i]) && has_key_here(s->a, &keymap[i]);
    }
    return s->is_of_pane[b - keymap];
}

static void emit_key(struct help_scan *s, const struct binding *b)
{
    char name[KEY_NAME], last[KEY_NAME] = "", text[LINE_NAME_ROOM];
    const char *const keys = keys_of(s->a->keys, b);
    const bool fits = grid_width(keys) <= help_name_width(s->a, s->a->columns);
    for (const char *at = keys; keymap_next_key(&at, name);)
        memcpy(last, name, sizeof last);
    snprintf(text, sizeof text, "%.*s %s %s", (int)strcspn(keys, " "), keys, s->a->glyphs->ellipsis,
             last);
    emit_wrapped(s, fits ? keys : text, b->help); /* "1 … 0" */
}

static void emit_pane_keys(struct help_scan *s)
{
    emit(s, LINE_TITLE, "", "Keys of this pane");
    for (const struct binding *b = keymap; b < keymap + keymap_count; b++)
        if (is_of_pane(s, b))
            emit_key(s, b);
    emit(s, LINE_BLANK, "", "");
    emit(s, LINE_TITLE, "", "Keys everywhere");
    for (const struct binding *b = keymap; b < keymap + keymap_count; b++)
        if (is_everywhere(b))
            emit_key(s, b);
    emit(s, LINE_BLANK, "", "");
}

static bool is_elsewhere(struct help_scan *s, const struct binding *b, size_t section)
{
    return is_in_section(b, section) && !is_everywhere(b) && !is_of_pane(s, b);
}

static void emit_other_keys(struct help_scan *s, size_t section)
{
    bool has_title = false;
    for (const struct binding *b = keymap; b < keymap + keymap_count; b++) {
        if (!is_elsewhere(s, b, section))
            continue;
        if (!has_title)
            emit(s, LINE_TITLE, "", keymap_sections[section].title);
        has_title = true;
        emit_key(s, b);
    }
    if (has_title)
        emit(s, LINE_BLANK, "", "");
}

static void emit_pane(struct help_scan *s)
{
    const struct pane *p = app_shown(s->a)->pane;
    char text[FORMAT_ROOM];
    emit(s, LINE_TITLE, "", p->title);
    snprintf(text, sizeof text, "%s (cost of collecting: %s)", p->help, p->cost ? p->cost : "-");
    emit_wrapped(s, p->id, text);
    for (size_t i = 0; i < p->column_count; i++) {
        char example[FORMAT_ROOM / 4];
        const bool has_one = filtering_example(s->a, &p->columns[i], example, sizeof example);
        snprintf(text, sizeof text, "%s%s%.200s", p->columns[i].help, has_one ? "; " : "",
                 has_one ? example : "");
        emit_wrapped(s, p->columns[i].title, text);
    }
    emit(s, LINE_BLANK, "", "");
}

/* What a field looks like in a filter where no row on the screen has a value for it. */
static void usual_example(const struct field_def *f, char *out, size_t room)
{
    static const char *const values[FIELD_DEF_TYPES] = {
        [TYPE_TEXT] = ":part",      [TYPE_NUMBER] = "=4,8",         [TYPE_TIME] = ">10ms",
        [TYPE_SIZE] = ">=64K",      [TYPE_PERCENT] = ">50%",        [TYPE_RATE] = ">100",
        [TYPE_INSTANT] = "=-30s..", [TYPE_ADDRESS] = "=10.0.0.0/8", [TYPE_FLAG] = "=*",
    };
    if (f->words && f->words->word)
        snprintf(out, room, "%s=%s", f->id, f->words->word);
    else
        snprintf(out, room, "%s%s", f->id, values[f->type] ? values[f->type] : "");
}

/* The fields of the filter, each as a comparison that works: of a row on the screen where one has
 * a value. */
static void emit_fields(struct help_scan *s)
{
    emit(s, LINE_TITLE, "", "Filters: a blank means and, | or, ! not");
    for (const struct field_def *f = field_defs; f->id; f++) {
        const struct column *const c = filtering_column(app_shown(s->a)->pane, f->id, f->aliases);
        char example[LINE_NAME_ROOM];
        if (!c || !filtering_example(s->a, c, example, sizeof example))
            usual_example(f, example, sizeof example);
        emit_wrapped(s, example, f->help);
    }
    emit_wrapped(s, ".Depth>=2", field_payload.help);
    emit(s, LINE_BLANK, "", "");
}

static void emit_commands(struct help_scan *s)
{
    struct typed_command c;
    emit(s, LINE_TITLE, "", "Commands, after :");
    for (unsigned i = 0; s->a->typed_command(i, &c); i++) {
        char typed[LINE_NAME_ROOM];
        snprintf(typed, sizeof typed, ":%s %s", c.name, c.arguments);
        emit_wrapped(s, typed, c.help);
    }
    emit(s, LINE_BLANK, "", "");
}

static void emit_cause(struct help_scan *s, const struct loss_cause *c)
{
    const uint64_t count = s->a->focus->frame ? c->count(s->a->focus->frame) : 0;
    const char *const what = loss_what(c, s->a->focus->frame);
    char name[LINE_NAME_ROOM], number[32], text[FORMAT_ROOM];
    format_count((double)count, number, sizeof number);
    const char *const shown = count ? number : s->a->glyphs->zero;
    const int width = 7 + (int)strlen(shown) - grid_width(shown);
    const bool is_narrow = s->a->columns < HELP_NARROW; /* no room for numbers behind names */
    if (is_narrow) {
        snprintf(text, sizeof text, "%s: %s", shown, what);
        emit_wrapped(s, c->name, text);
    } else {
        snprintf(name, sizeof name, "%-*s %*s", LOSS_NAME, c->name, width, shown);
        emit_wrapped(s, name, what);
    }
    if (count)
        emit_wrapped(s, "", loss_remedy(c, s->a->focus->frame));
}

static unsigned causes_that_occurred(const struct frame *f, bool is_harmless)
{
    unsigned count = 0;
    for (unsigned i = 0; f && i < loss_cause_count; i++)
        count += loss_causes[i].is_harmless == is_harmless && loss_causes[i].count(f);
    return count;
}

static void emit_causes(struct help_scan *s, bool is_harmless)
{
    const struct frame *const f = s->a->focus->frame;
    for (unsigned i = 0; f && i < loss_cause_count; i++)
        if (loss_causes[i].is_harmless == is_harmless && loss_causes[i].count(f))
            emit_cause(s, &loss_causes[i]);
}

/* What did happen comes first, with what helps. */
static void emit_loss(struct help_scan *s)
{
    const struct frame *f = s->a->focus->frame;
    emit(s, LINE_TITLE, "",
         causes_that_occurred(f, false) ? "Missing since the start"
         : f && f->loss.is_unknown      ? "Nothing is known to be missing"
                                        : "Nothing is missing");
    if (f && f->loss.is_unknown)
        emit_wrapped(s, "",
                     "The system no longer reports its losses (kernel, buffers): there may be more "
                     "than shown here.");
    emit_causes(s, false);
    emit(s, LINE_BLANK, "", "");
    if (causes_that_occurred(f, true)) {
        emit(s, LINE_TITLE, "", "Late or merged: nothing is missing");
        emit_causes(s, true);
        emit(s, LINE_BLANK, "", "");
    }
    emit(s, LINE_TITLE, "", "Causes that have not occurred");
    for (unsigned i = 0; i < loss_cause_count; i++)
        if (!f || !loss_causes[i].count(f))
            emit_cause(s, &loss_causes[i]);
}

/* What no key, field or sign stands for. */
static void emit_notes(struct help_scan *s)
{
    emit(s, LINE_TITLE, "", "Storing only matching events: -F, :capture");
    emit_wrapped(s, "stored", "Events that match. Process and name events are always stored");
    emit_wrapped(s, "numbers",
                 "Values made from several events count stored events only: busy time of disks, "
                 "waits, ready times, totals");
    emit_wrapped(s, "-F at the start",
                 "pid=N,... and proc=NAME limit a live collector to these processes. Other parts, "
                 "and all of :capture, are checked for each event: its own fields, and the name "
                 "of its process as known then");
    emit_wrapped(s, "unread",
                 "A filter on fields that only records hold (offset, va, newpri, value, level) "
                 "cannot check events whose records are overwritten. A larger --ring keeps more");
    emit(s, LINE_BLANK, "", "");
    emit(s, LINE_TITLE, "", "Mouse");
    emit_wrapped(s, "Shift", "While tracetop uses the mouse, Shift lets the terminal select text");
    emit(s, LINE_BLANK, "", "");
}

static void emit_part(struct help_scan *s, const char *name, const char *what, uint64_t bytes,
                      uint64_t most)
{
    char titled[LINE_NAME_ROOM], number[32], bound[32], text[FORMAT_ROOM], bounded[256];
    const struct format format = app_format(s->a);
    if (bytes)
        format_bytes(&format, (double)bytes, number, sizeof number);
    else
        snprintf(number, sizeof number, "%s", s->a->glyphs->zero);
    const int width = 7 + (int)strlen(number) - grid_width(number);
    if (most) {
        format_bytes(&format, (double)most, bound, sizeof bound);
        snprintf(bounded, sizeof bounded, "%s; at most %s", what, bound);
        what = bounded;
    }
    if (s->a->columns < HELP_NARROW) {
        snprintf(text, sizeof text, "%s: %s", number, what);
        emit_wrapped(s, name, text);
    } else {
        snprintf(titled, sizeof titled, "%-13s %*s", name, width, number);
        emit_wrapped(s, titled, what);
    }
}

static void emit_footprint(struct help_scan *s)
{
    static const struct frame_footprint none;
    const struct frame_footprint *const p =
        s->a->focus->frame ? &s->a->focus->frame->footprint : &none;
    uint64_t sum = 0;
    emit(s, LINE_TITLE, "", "Memory of this program");
    for (unsigned i = 0; i < p->count; i++) {
        emit_part(s, p->parts[i].name, p->parts[i].what, p->parts[i].bytes, p->parts[i].most);
        sum += p->parts[i].bytes;
    }
    emit(s, LINE_BLANK, "", "");
    emit_part(s, "sum", "All of the above", sum, 0);
    if (p->resident)
        emit_part(s, "process", "Resident memory, with program, libraries and free heap",
                  p->resident, 0);
    emit(s, LINE_BLANK, "", "");
    emit_wrapped(s, "at most",
                 "Beyond that size old entries make room. A table grows further only while all its "
                 "entries are in use");
}

/* The newest is first: the status line shows its beginning. */
static void emit_notices(struct help_scan *s)
{
    char text[FORMAT_ROOM], number[24];
    const struct format format = app_format(s->a);
    const struct frame *const f = s->a->focus->frame;
    const struct frame_notices *const n = f ? &f->notices : NULL;
    emit(s, LINE_TITLE, "", n && n->count ? "Notices, the newest first" : "No notices");
    for (unsigned i = n ? n->count : 0; i-- > 0;) {
        format_value(&format, &n->texts[i], f->arena, f->arena_bytes, text, sizeof text);
        snprintf(number, sizeof number, "%" PRIu64, n->older + i + 1);
        emit_wrapped(s, number, text);
    }
    if (n && n->older) {
        snprintf(text, sizeof text, "%" PRIu64 " older notices are no longer kept", n->older);
        emit(s, LINE_BLANK, "", "");
        emit_wrapped(s, "older", text);
    }
}

static void emit_messages(struct help_scan *s)
{
    char when[32], text[48];
    struct format format = app_format(s->a);
    format.time = format.time == TIME_UTC ? TIME_UTC : TIME_LOCAL;
    const struct message *m = message_log_at(s->a->messages, 0);
    emit(s, LINE_TITLE, "", m ? "Messages, the newest first" : "No messages");
    for (unsigned i = 0; (m = message_log_at(s->a->messages, i)); i++) {
        snprintf(when, sizeof when, "-");
        if (m->wall_ns)
            format_instant(&format, m->wall_ns, when, sizeof when);
        emit_wrapped(s, when, m->text);
    }
    const uint64_t forgotten = message_log_forgotten(s->a->messages);
    snprintf(text, sizeof text, "%" PRIu64 " older messages are no longer kept", forgotten);
    if (forgotten)
        emit_wrapped(s, "older", text);
    emit(s, LINE_BLANK, "", "");
    emit_notices(s);
}

static void emit_triggers(struct help_scan *s)
{
    char name[LINE_NAME_ROOM], text[FORMAT_ROOM];
    emit(s, LINE_TITLE, "", triggers_count(s->a) ? "Triggers" : "No triggers");
    for (unsigned i = 0; triggers_line(s->a, i, name, sizeof name, text, sizeof text); i++)
        emit_wrapped(s, name, text);
    emit(s, LINE_BLANK, "", "");
    emit_wrapped(s, ":on", "EXPR [for TIME] do ACTION [once] [every TIME]");
    emit_wrapped(s, "", "disk.p99>200ms for 3s do snapshot around -30s..10s once");
    emit_wrapped(s, "EXPR",
                 "A filter; PANE.FIELD tests rows of the pane, FIELD alone tests events");
    emit_wrapped(s, "ACTION",
                 "snapshot [around -T..T], mark [TEXT], bell, freeze or record; run COMMAND on the "
                 "command line only");
    emit_wrapped(s, ":off", "N removes one, all removes all");
}

static void emit_highlights(struct help_scan *s)
{
    char name[LINE_NAME_ROOM], text[FORMAT_ROOM];
    const bool has_any = highlight_line(s->a, 0, name, sizeof name, text, sizeof text);
    emit(s, LINE_TITLE, "", has_any ? "Highlight rules" : "No highlight rules");
    for (unsigned i = 0; highlight_line(s->a, i, name, sizeof name, text, sizeof text); i++)
        emit_wrapped(s, name, text);
    emit(s, LINE_BLANK, "", "");
    emit_wrapped(s, ":highlight", "EXPR [as warn|bad|good]");
    emit_wrapped(s, "", "cpu>50 as bad");
    emit_wrapped(s, "EXPR", "A filter on columns; ! marks the rows that match");
    emit_wrapped(s, ":unhighlight", "N removes one, all removes all");
}

/* A line of a page: longer ones go on below, indented, from a blank on where there is one. */
static void emit_page_line(struct help_scan *s, const char *text, size_t bytes)
{
    enum { MARGIN = 4, INDENT = 4 };
    const bool is_title = bytes && text[0] != ' ' && strncmp(text, "tracetop:", 9) != 0;
    const size_t room = sizeof s->out->text - INDENT - 1;
    bool is_first = true;
    do {
        char piece[FORMAT_ROOM];
        const int indent = is_first ? 0 : INDENT;
        const bool fits = bytes < (size_t)s->a->columns / 2;
        size_t count = fits || s->needle
                           ? bytes
                           : text_page_bytes(text, bytes, s->a->columns - MARGIN - indent);
        count = count < room ? count : room;
        size_t blank = count;
        while (count < bytes && blank && text[blank - 1] != ' ' && text[blank - 1] != ';')
            blank--;
        if (count < bytes && strspn(text, " ") < blank)
            count = blank;
        count += !count && bytes;
        snprintf(piece, sizeof piece, "%*s%.*s", indent, "", (int)count, text);
        emit(s, is_title ? LINE_TITLE : LINE_PLAIN, "", piece);
        text += count;
        bytes -= count;
        while (bytes && *text == ' ') { /* columns do not go on below */
            text++;
            bytes--;
        }
        is_first = false;
    } while (bytes);
}

static void emit_page(struct help_scan *s, enum help_about about)
{
    const struct app *const a = s->a;
    const char *const recording = about == HELP_INFO && a->saver ? saver_recording(a->saver) : NULL;
    char text[FORMAT_ROOM];
    size_t bytes;
    if (recording) {
        snprintf(text, sizeof text, "Recording to %s", recording);
        emit_page_line(s, text, strlen(text));
        emit(s, LINE_BLANK, "", "");
    }
    if (report_is_busy(a->report))
        emit(s, LINE_PLAIN, "", "reading …");
    const char *line;
    for (size_t i = 0; (line = report_line(a->report, i, &bytes)) != NULL; i++)
        emit_page_line(s, line, bytes);
}

static void help_scan(struct help_scan *s)
{
    const struct app *const a = s->a;
    struct text_needle *needle = a->find[0] ? text_needle_new(a->find, strlen(a->find)) : NULL;
    s->needle = needle;
    if (a->help_about == HELP_LOSS) {
        emit_loss(s);
    } else if (a->help_about == HELP_FOOTPRINT) {
        emit_footprint(s);
    } else if (a->help_about == HELP_INFO || a->help_about == HELP_MACHINE) {
        emit_page(s, a->help_about);
    } else if (a->help_about == HELP_NOTICES) {
        emit_notices(s);
    } else if (a->help_about == HELP_MESSAGES) {
        emit_messages(s);
    } else if (a->help_about == HELP_TRIGGERS) {
        emit_triggers(s);
    } else if (a->help_about == HELP_HIGHLIGHTS) {
        emit_highlights(s);
    } else {
        emit_signs(s, "Signs on this screen", true);
        emit_pane_keys(s);
        emit_pane(s);
        for (size_t i = 0; i < keymap_section_count; i++)
            emit_other_keys(s, i);
        emit_commands(s);
        emit_fields(s);
        emit_notes(s);
        emit_signs(s, "Other signs", false);
    }
    text_needle_free(needle);
    free(s->is_of_pane);
}

static unsigned help_lines(const struct app *a, uint64_t first, unsigned room,
                           struct text_line *out)
{
    struct help_scan s = {.a = a, .first = first, .out = out, .room = room};
    help_scan(&s);
    return s.count;
}

void view_help_fit(struct app *a)
{
    const struct layout l = app_layout_whole(a);
    struct help_scan all = {.a = a};
    help_scan(&all);
    list_fit(&a->help, all.at, (l.strip.y - l.crumbs.y - 1) * help_columns(a));
}

static void draw_help(const struct app *a, struct grid *g, const struct layout *l)
{
    const struct rect r = {0, l->crumbs.y + 1, l->body.width, l->strip.y - l->crumbs.y - 1};
    const struct text_page page = {.r = r,
                                   .name_width = help_name_width(a, r.width),
                                   .columns = help_columns(a),
                                   .lines = help_lines,
                                   .list = &a->help};
    text_page_draw(a, g, &page);
}

static bool shows_help(const struct app *a)
{
    return a->overlay == OVERLAY_HELP;
}

const struct screen_view view_help = {.id = "help", .is_shown = shows_help, .draw = draw_help};
