/* Images: the modules of processes and of the kernel, by where they lay. */
#include "src/pane/helpers.h"

#define IMAGE .classes = BIT(FACT_IMAGE)

static const struct measure images_measures[] = {
    { .id = "loads", .kind = MEASURE_COUNT, IMAGE, .ops = OP(OP_START) },
    { .id = "unloads", .kind = MEASURE_COUNT, IMAGE, .ops = OP(OP_END) },
    { .id = "samples", .kind = MEASURE_COUNT, .classes = BIT(FACT_SAMPLE) },
    { .id = "listed", .kind = MEASURE_COUNT, IMAGE, .ops = OP(OP_RUNDOWN) },
};

static const struct image *image_of(const struct table_row *r, const struct row_context *x)
{
    return generation_at(&x->model->images, r->key.a);
}

static struct value get_module(const struct column *c, const struct table_row *r,
                               struct row_context *x)
{
    (void)c;
    if (r->key.a == ROW_OTHERS)
        return value_text(x, VALUE_TEXT, "(others)");
    const struct image *i = image_of(r, x);
    const struct file *f = i ? model_file_at(x->model, i->module) : NULL;
    const struct process *p = i ? model_process_at(x->model, i->process) : NULL;
    if (!r->key.a) /* compiled at run time, or unknown */
        return value_text(x, VALUE_TEXT, "(no module)");
    return f && f->name ? value_path(x, p ? p->source : 0, f->name)
                        : value_text(x, VALUE_TEXT, "(unknown)");
}

static struct value get_base(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    const struct image *i = image_of(r, x);
    return i ? value_number(c->type, model_address_shown(i)) : value_absent();
}

static struct value get_size(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    const struct image *i = image_of(r, x);
    return i ? value_number(c->type, i->size) : value_absent();
}

static struct value get_loaded(const struct column *c, const struct table_row *r,
                               struct row_context *x)
{
    const struct image *i = image_of(r, x);
    return i && i->from_ns != INT64_MIN ? (struct value){ .type = c->type, .ns = i->from_ns }
                                        : value_absent();
}

static struct value get_unloaded(const struct column *c, const struct table_row *r,
                                 struct row_context *x)
{
    const struct image *i = image_of(r, x);
    return i && i->until_ns <= x->now_ns ? (struct value){ .type = c->type, .ns = i->until_ns }
                                         : value_absent();
}

static const struct column images_columns[] = {
    {"module", "MODULE", "", "Path of the module's file", VALUE_PATH, LONG_TEXT, 40, 0, NULL, NULL,
     get_module},
    {"pid", "PID", "", "Process id", VALUE_ID, SHOWN_ID, 7, 1, NULL, NULL, get_pid},
    {"name", "NAME", "", "Process that loaded it", VALUE_TEXT, SHOWN_TEXT, 16, 1, NULL, NULL,
     get_name},
    {"base", "BASE", "", "Start address", VALUE_HEX, SHOWN, 18, 2, NULL, NULL, get_base},
    {"size", "SIZE", "bytes", "Size in memory", VALUE_BYTES, SHOWN, 6, 2, NULL, NULL, get_size},
    {"samples", "SAMPLES", "", "Profile samples that were taken in its code", VALUE_COUNT,
     SHOWN_SUM, 7, 1, "samples", NULL, get_count},
    {"loads", "LOAD/S", "per_s", "Loads per second", VALUE_RATE, SHOWN_SUM, 6, 0, "loads", NULL,
     get_rate},
    {"unloads", "UNLOAD/S", "per_s", "Unloads per second", VALUE_RATE, SHOWN_SUM, 8, 3, "unloads",
     NULL, get_rate},
    OPS_COLUMN("Loads and unloads", "loads", "unloads"),
    {"loaded", "LOADED", "", "When it was loaded", VALUE_INSTANT, NUMBER, 12, 7, NULL, NULL,
     get_loaded},
    {"unloaded", "UNLOADED", "", "When it was unloaded", VALUE_INSTANT, NUMBER, 12, 7, NULL, NULL,
     get_unloaded},
    {"listed", "LISTED/S", "per_s", "Rundown records per second", VALUE_RATE, SUM, 8, 7, "listed",
     NULL, get_rate},
    TREND_COLUMN("samples", NULL, get_trend),
    SHARE_COLUMN,
};

const struct pane pane_images = {
    .id = "images",
    .title = "Images",
    .help = "Modules of processes and of the kernel, with addresses",
    .cost = "low",
    .digit = 0,
    .view = PANE_TABLE,
    .classes = BIT(FACT_IMAGE) | BIT(FACT_SAMPLE),
    .key = key_entity_process,
    .process_part = PART_B,
    .measures = images_measures,
    .measure_count = sizeof images_measures / sizeof *images_measures,
    .stacks = "samples",
    .columns = images_columns,
    .column_count = sizeof images_columns / sizeof *images_columns,
    .sort = "samples",
    .sort_else = "loads",
    .drill = "events",
    .has_images = true,
    .crumb = CRUMB_IMAGE,
};
