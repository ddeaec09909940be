/* Rates: which kinds of event come how often. */
#include "src/filter/fact.h"
#include "src/pane/helpers.h"

#include <stdio.h>

static struct row_key kind_key(const struct fact *f, uint32_t process)
{
    (void)process;
    return (struct row_key){.a = f->kind + 1u};
}

static const struct measure kind_measures[] = {
    {.id = "events", .kind = MEASURE_COUNT, .classes = ~0u, .ops = ~OP(OP_SLICE)},
    {.id = "process", .kind = MEASURE_MOST, .classes = ~0u, .ops = ~OP(OP_SLICE), .of = fact_process},
};

/* NULL for the row of others; kind 0 stands for what found no room in the registry. */
static const struct kind *kind_of(const struct table_row *r, const struct row_context *x)
{
    return r->key.a && r->key.a <= x->model->kind_count ? &x->model->kinds[r->key.a - 1] : NULL;
}

static struct value get_provider(const struct column *c, const struct table_row *r,
                                 struct row_context *x)
{
    const struct kind *k = kind_of(r, x);
    if (!k)
        return value_text(x, c->type, "(others)");
    return value_text(x, c->type, kind_provider(k));
}

static struct value get_event(const struct column *c, const struct table_row *r,
                              struct row_context *x)
{
    const struct kind *k = kind_of(r, x);
    if (!k)
        return value_absent();
    char room[KIND_TEXT];
    return value_text(x, c->type, kind_event(k, room));
}

static struct value get_id(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct kind *k = kind_of(r, x);
    return k ? value_number(c->type, k->id) : value_absent();
}

static struct value get_opcode(const struct column *c, const struct table_row *r,
                               struct row_context *x)
{
    const struct kind *k = kind_of(r, x);
    return k ? value_number(c->type, k->opcode) : value_absent();
}

static struct value get_version(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const struct kind *k = kind_of(r, x);
    return k ? value_number(c->type, k->version) : value_absent();
}

static struct value get_guid(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    const struct kind *k = kind_of(r, x);
    return value_text(x, c->type, k ? k->guid_text : NULL);
}

static struct value get_bytes(const struct column *c, const struct table_row *r,
                              struct row_context *x)
{
    const struct kind *k = kind_of(r, x);
    return k && k->events ? value_number(c->type, k->bytes / k->events) : value_absent();
}

static const struct column kind_columns[] = {
    {"provider", "PROVIDER", "", "Provider or class of the events", VALUE_TEXT, SHOWN_TEXT, 20, 0,
     NULL, NULL, get_provider},
    {"event", "EVENT", "", "Name of the event, or its id", VALUE_TEXT, LONG_TEXT, 20, 0, NULL, NULL,
     get_event},
    {"rate", "EVT/S", "per_s", "Events per second", VALUE_RATE, SHOWN_SUM, 8, 0, "events", NULL,
     get_rate},
    {"count", "EVENTS", "", "Events", VALUE_COUNT, SHOWN_SUM, 8, 0, "events", NULL, get_count},
    OPS_COLUMN("Events", "events", NULL),
    {"size", "SIZE-AVG", "bytes", "Mean bytes of payload since the start", VALUE_BYTES, SHOWN, 8, 2,
     NULL, NULL, get_bytes},
    {"share", "SHARE", "percent", "Part of all events", VALUE_PERCENT, SHOWN, 6, 1, NULL, NULL,
     get_share},
    {"name", "NAME", "", "Process with most of them", VALUE_TEXT, SHOWN_TEXT, 18, 2, "process",
     NULL, get_most_process},
    {"id", "ID", "", "Event id; of kernel events, the hook id", VALUE_ID, SHOWN, 5, 3, NULL, NULL, get_id},
    {"opcode", "OP", "", "Opcode or type", VALUE_ID, NUMBER, 3, 7, NULL, NULL, get_opcode},
    {"version", "VER", "", "Version of the layout", VALUE_ID, NUMBER, 3, 7, NULL, NULL,
     get_version},
    {"guid", "GUID", "", "Provider, or class of kernel events", VALUE_TEXT, COLUMN_SEARCHABLE, 36,
     7, NULL, NULL, get_guid},
};

const struct pane pane_rates = {
    .id = "rates",
    .title = "Event rates",
    .help = "Kinds of event by rate; Enter shows the events of one kind",
    .cost = "low",
    .view = PANE_TABLE,
    .classes = ~0u,
    .key = kind_key,
    .measures = kind_measures,
    .measure_count = sizeof kind_measures / sizeof *kind_measures,
    .columns = kind_columns,
    .column_count = sizeof kind_columns / sizeof *kind_columns,
    .sort = "rate",
    .drill = "events",
    .crumb = CRUMB_KIND,
};
