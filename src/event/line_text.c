/* An event as one line of text for people. */
#include "src/event/line_put.h"

#include "src/base/json.h"
#include "src/event/account.h"

static void text_who(struct line *l, const struct line_event *e)
{
    PUT(l, "  cpu ");
    put_number(l, e->event->cpu);
    PUT(l, "  ");
    if (e->owner.name)
        l->at += json_show(l->at, e->owner.name, strlen(e->owner.name));
    else
        PUT(l, "?");
    if (e->owner.pid != EVENT_NO_ID) {
        PUT(l, "(");
        put_number(l, e->owner.pid);
        PUT(l, ")");
    }
    if (e->owner.tid != EVENT_NO_ID) {
        PUT(l, "/");
        put_number(l, e->owner.tid);
    }
}

/* Of what calls for attention. */
static void text_level(struct line *l, const struct line_event *le)
{
    enum { CRITICAL = 1, WARNING = 3 };
    const struct event *const e = le->event;
    const char *const name =
        e->level >= CRITICAL && e->level <= WARNING ? provider_level_name(le->names, e) : "";
    if (!*name)
        return;
    PUT(l, "  ");
    l->at += json_show(l->at, name, strlen(name));
}

static void text_message(struct line *l, const struct line_event *e, const struct decoded *fields,
                         unsigned count)
{
    const size_t bytes = line_message(l, e, fields, count);
    if (!bytes)
        return;
    PUT(l, "  ");
    l->at += json_show(l->at, l->value, bytes);
}

static void text_what(struct line *l, const struct line_event *le)
{
    const struct event *const e = le->event;
    const char *class, *name;
    line_names(le, &class, &name);
    PUT(l, "  ");
    if (*class)
        l->at += json_show(l->at, class, strlen(class));
    else
        put_guid(l, line_provider(e));
    PUT(l, "/");
    if (*name)
        l->at += json_show(l->at, name, strlen(name));
    else
        put_number(l, header_is_kernel(e->kind) || !e->id ? e->opcode : e->id);
    PUT(l, " v");
    put_number(l, e->version);
    text_level(l, le);
}

static void text_field(struct line *l, const struct decoded *d, bool is_linux)
{
    PUT(l, " ");
    l->at += json_show(l->at, d->field->name, strlen(d->field->name));
    PUT(l, "=");
    const bool is_quoted = decode_is_text(d);
    if (is_quoted)
        PUT(l, "\"");
    l->at += json_show(l->at, l->value, decode_show(d, is_linux, l->value, LINE_VALUE));
    const char *const account = account_of_field(d);
    if (account) {
        PUT(l, " (");
        put(l, account, strlen(account));
        PUT(l, ")");
    }
    if (is_quoted)
        PUT(l, "\"");
}

static void text_raw(struct line *l, const struct event *e)
{
    PUT(l, " ");
    put_number(l, e->payload_bytes);
    PUT(l, " bytes ");
    line_hex(l, e->payload, e->payload_bytes);
}

static void text_data(struct line *l, const struct line_event *e)
{
    struct decoded fields[DECODE_FIELDS];
    const unsigned count = decode_fields(e->layout, e->event, fields, DECODE_FIELDS);
    size_t end = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!fields[i].is_present || fields[i].is_member)
            continue;
        text_field(l, &fields[i], e->is_linux);
        end = fields[i].end > end ? fields[i].end : end;
    }
    if (end < e->event->payload_bytes) {
        PUT(l, " rest=");
        line_hex(l, e->event->payload + end, e->event->payload_bytes - end);
    }
    text_message(l, e, fields, count);
}

void line_text(struct line *l, const struct line_event *e)
{
    line_time(l, e->ns);
    text_who(l, e);
    text_what(l, e);
    PUT(l, " ");
    if (e->layout)
        text_data(l, e);
    else
        text_raw(l, e->event);
    PUT(l, "\n");
}
