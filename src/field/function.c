/* Functions of fields: keys that group values. Counting uses the field's own ids; rows with the
 * same text are merged when they are shown, so that names which come later are right. */
#include "src/field/inside.h"

#include "src/base/suggest.h"
#include "src/base/unit.h"
#include "src/model/model.h"
#include "src/table/getters.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define BIT(class_) (1u << (class_))
#define FILES       (BIT(FACT_DISK) | BIT(FACT_FILE) | BIT(FACT_FAULT))
#define SIZED       (FILES | BIT(FACT_NETWORK) | BIT(FACT_MEMORY))

/* ---- dir ------------------------------------------------------------------------------------- */

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

/* So many folders below the root or drive, or all of them (0). */
static const char *dir_text(const struct row_context *x, uint32_t id, int64_t folders, char *room,
                            size_t bytes)
{
    char path[4096];
    const struct file *const f = model_file_at(x->model, id);
    if (!f || !f->name)
        return NULL;
    const char *const text = model_path(x->model, f, path, sizeof path);
    const size_t root = text[0] && text[1] == ':' ? 2 : 0;
    size_t end = is_separator(text[root]) ? root + 1 : 0;
    int64_t met = 0;
    for (size_t i = root + 1; end && text[i] && (!folders || met < folders); i++)
        if (is_separator(text[i]) && !is_separator(text[i - 1])) {
            end = i;
            met++;
        }
    return end ? (snprintf(room, bytes, "%.*s", (int)end, text), room) : "(no folder)";
}

/* ---- net ------------------------------------------------------------------------------------- */

static const char *net_text(const struct row_context *x, uint32_t id, int64_t bits, char *room,
                            size_t bytes)
{
    const struct connection *const c = generation_at(&x->model->connections, id);
    char address[64];
    if (!c)
        return NULL;
    struct connection masked = *c;
    const unsigned all = c->ends.is_v6 ? 128 : 32, kept = bits < all ? (unsigned)bits : all;
    for (unsigned i = kept; i < all; i++)
        masked.ends.remote[i / 8] &= (uint8_t) ~(0x80u >> i % 8);
    snprintf(room, bytes, "%s/%u", model_connection_address(&masked, true, address, sizeof address),
             kept);
    return room;
}

/* ---- bucket, time ------------------------------------------------------------------------------ */

static uint32_t bits_of(uint64_t value)
{
    return value ? 65 - (uint32_t)__builtin_clzll(value) : 1;
}

static uint32_t size_bucket(const struct fact *f)
{
    return bits_of(f->value);
}

static uint32_t latency_bucket(const struct fact *f)
{
    return f->flags & FACT_HAS_LATENCY ? bits_of(f->latency) : 0;
}

/* Where it begins. */
static uint64_t bucket_number(const struct row_context *x, uint32_t id, int64_t unused)
{
    (void)x, (void)unused;
    return id > 1 ? (uint64_t)1 << (id - 2) : 0;
}

static uint64_t slot_of_time(int64_t ns, int64_t step)
{
    return (uint64_t)(ns / step - (ns % step < 0));
}

/* Its lower half, which no recording is long enough to use twice. */
static uint32_t time_slot(const struct fact *f, int64_t step)
{
    return (uint32_t)slot_of_time(f->time, step);
}

static uint64_t time_number(const struct row_context *x, uint32_t id, int64_t step)
{
    const uint64_t now = slot_of_time(x->now_ns, step);
    return (now + (uint64_t)(int64_t)(int32_t)(id - (uint32_t)now)) * (uint64_t)step;
}

/* ---- stacks ------------------------------------------------------------------------------------ */

static const char *frame_text(const struct row_context *x, uint32_t id, int64_t index, char *room,
                              size_t bytes)
{
    const char *const text = field_frame_text(x, id, (unsigned)index, room, bytes);
    return text ? text : id ? "(no such frame)" : "(no stack)";
}

/* Of the innermost frame. */
static const char *module_text(const struct row_context *x, uint32_t id, int64_t unused, char *room,
                               size_t bytes)
{
    const char *const text = frame_text(x, id, 0, room, bytes);
    char *const end = text == room ? strchr(room, '!') : NULL;
    (void)unused;
    if (end)
        *end = '\0';
    return end || text != room ? text : "(unknown)";
}

/* ---- the table --------------------------------------------------------------------------------- */

enum argument { NO_ARGUMENT, AMOUNT, MAYBE_AMOUNT, DURATION };

struct function {
    const char *usage, *id, *field; /* field: NULL = none */
    uint8_t argument;               /* enum argument */
    int64_t least, most;
    const char *help;
    uint32_t classes;
    struct field_cell cell;
};

enum { MILLISECOND = 1000000 };

/* clang-format off */
static const struct function functions[] = {
    {"dir(path,N)", "dir", "path", MAYBE_AMOUNT, 1, 64, "Folder of the file; N: first N folders below the root", FILES,
     {"folder of the file", VALUE_TEXT, 36, FILES, fact_entity, .text_with = dir_text, .joins = true}},
    {"dir(key,N)", "dir", "key", MAYBE_AMOUNT, 1, 64, "Key above the registry key; N: first N keys below the root",
     BIT(FACT_REGISTRY),
     {"key above", VALUE_TEXT, 36, 0, fact_entity, .text_with = dir_text, .joins = true}},
    {"net(raddr,BITS)", "net", "raddr", AMOUNT, 0, 128, "Network of the remote address", BIT(FACT_NETWORK),
     {"remote network", VALUE_TEXT, 24, 0, fact_place, .text_with = net_text, .joins = true}},
    {"bucket(size)", "bucket", "size", NO_ARGUMENT, 0, 0, "Power of two that the size reaches", SIZED,
     {"size, from", VALUE_BYTES, 9, SIZED, size_bucket, .number = bucket_number}},
    {"bucket(lat)", "bucket", "lat", NO_ARGUMENT, 0, 0, "Power of two, in ns, that the latency reaches", 0,
     {"latency, from", VALUE_TIME, 8, 0, latency_bucket, .number = bucket_number}},
    {"time(1s)", "time", NULL, DURATION, MILLISECOND, INT64_MAX / 4 /* 73 years */, "When, in steps of that time", 0,
     {"begin of the step", VALUE_INSTANT, 12, 0, .of_with = time_slot, .number = time_number}},
    {"frame(N)", "frame", NULL, AMOUNT, 0, 2 * STACK_FRAMES - 1, "Frame of the stack, 0 is the innermost", 0,
     {"frame of the stack", VALUE_TEXT, 32, 0, fact_stack, .text_with = frame_text, .joins = true,
      .is_of_stack = true}},
    {"module(stack)", "module", "stack", NO_ARGUMENT, 0, 0, "Module of the innermost frame", 0,
     {"module of the innermost frame", VALUE_TEXT, 24, 0, fact_stack, .text_with = module_text,
      .joins = true, .is_of_stack = true}},
};
/* clang-format on */
enum { FUNCTIONS = sizeof functions / sizeof *functions };

const char *field_function_usage(unsigned number)
{
    return number < FUNCTIONS ? functions[number].usage : NULL;
}

/* ---- reading ----------------------------------------------------------------------------------- */

enum { ARGUMENTS = 3, ARGUMENT = 48 };

/* NAME and arguments without blanks around them; how many, 0 where the form is none. */
static unsigned split(const char *text, char name[ARGUMENT], char of[ARGUMENTS][ARGUMENT])
{
    const char *at = strchr(text, '('), *const end = at ? strrchr(text, ')') : NULL;
    unsigned count = 0;
    if (!end || end[1] || at - text >= ARGUMENT)
        return 0;
    snprintf(name, ARGUMENT, "%.*s", (int)(at - text), text);
    for (at++; at <= end && count < ARGUMENTS; count++) {
        const char *stop = at + strcspn(at, ",)"), *last = stop;
        for (; at < stop && isspace((unsigned char)*at);)
            at++;
        for (; last > at && isspace((unsigned char)last[-1]);)
            last--;
        if (last == at || last - at >= ARGUMENT)
            return 0;
        snprintf(of[count], ARGUMENT, "%.*s", (int)(last - at), at);
        at = stop + 1;
    }
    return at > end ? count : 0;
}

static const struct function *find(const char *name, const char *first)
{
    const struct function *found = NULL;
    for (const struct function *f = functions; f < functions + FUNCTIONS; f++)
        if (strcmp(f->id, name) == 0 && (!f->field || strcmp(f->field, first) == 0))
            found = f;
    return found;
}

static bool read_argument(const struct function *f, const char *text, int64_t *out)
{
    struct err why;
    uint64_t number;
    if (f->argument == DURATION)
        return unit_time(text, out, &why) && *out >= f->least && *out <= f->most;
    if (!unit_count(text, &number, &why) || number > (uint64_t)f->most)
        return false;
    *out = (int64_t)number;
    return *out >= f->least;
}

static bool refuse(const char *text, struct err *err)
{
    char known[256] = "";
    for (unsigned i = 0; i < FUNCTIONS; i++)
        suggest_list(known, sizeof known, functions[i].usage);
    return fail(err, "there is no key \"%.60s\"; functions are %s", text, known);
}

/* The function's form, and the limits of its number. */
static bool refuse_arguments(const struct function *f, const char *text, struct err *err)
{
    if (f->argument == DURATION)
        return fail(err, "expected %s, found %.60s; a step has from 1 ms to 73 years", f->usage,
                    text);
    if (f->argument == NO_ARGUMENT)
        return fail(err, "expected %s, found %.60s", f->usage, text);
    const char *const number = strrchr(f->usage, f->field ? ',' : '(') + 1; /* "BITS)" */
    return fail(err, "expected %s%s, found %.60s; %.*s is a number from %lld to %lld", f->usage,
                f->argument == MAYBE_AMOUNT && f->field ? " or without a number" : "", text,
                (int)strcspn(number, ")"), number, (long long)f->least, (long long)f->most);
}

bool field_make(struct field_made *out, const char *text, struct err *err)
{
    char name[ARGUMENT], arguments[ARGUMENTS][ARGUMENT];
    const unsigned count = split(text, name, arguments);
    const struct function *const f = count ? find(name, arguments[0]) : NULL;
    if (!f)
        return refuse(text, err);
    const unsigned of_field = f->field != NULL, given = count - of_field;
    const bool may_lack = f->argument == NO_ARGUMENT || f->argument == MAYBE_AMOUNT;
    int64_t argument = 0;
    if (given > (f->argument != NO_ARGUMENT) || (!given && !may_lack) ||
        (given && !read_argument(f, arguments[of_field], &argument)))
        return refuse_arguments(f, text, err);
    *out = (struct field_made){.cell = f->cell};
    out->cell.argument = argument;
    snprintf(out->id, sizeof out->id, "%.60s", text);
    out->def = (struct field_def){.id = out->id,
                                  .group = f->cell.is_of_stack ? GROUP_STACK : GROUP_FACT,
                                  .type = TYPE_TEXT,
                                  .classes = f->classes,
                                  .help = f->help,
                                  .cell = &out->cell};
    return true;
}
