#include "ui/config/config.h"

#include "src/base/mem.h"
#include "src/base/suggest.h"
#include "src/os/os.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- pairs ---------------------------------------------------------------------------------- */

const char *pairs_get(const struct pairs *p, const char *key)
{
    for (unsigned i = 0; i < p->count; i++)
        if (strcmp(p->at[i].key, key) == 0)
            return p->at[i].value;
    return NULL;
}

/* Behind the others, also where one of them has the key. */
static void pairs_add(struct pairs *p, const char *key, const char *value, unsigned line)
{
    p->at = mem_grow(p->at, p->count + 1, sizeof *p->at);
    p->at[p->count++] =
        (struct pair){.key = mem_string(key), .value = mem_string(value), .line = line};
}

void pairs_set(struct pairs *p, const char *key, const char *value, unsigned line)
{
    unsigned i = 0;
    while (i < p->count && strcmp(p->at[i].key, key) != 0)
        i++;
    if (i == p->count) {
        pairs_add(p, key, value, line);
        return;
    }
    free(p->at[i].value);
    p->at[i].value = mem_string(value);
    p->at[i].line = line;
}

void pairs_fini(struct pairs *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        free(p->at[i].key);
        free(p->at[i].value);
    }
    free(p->at);
    *p = (struct pairs){0};
}

const struct pair_group *config_group(const struct pair_group *groups, unsigned count,
                                      const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(groups[i].name, name) == 0)
            return &groups[i];
    return NULL;
}

/* The group of that name, made where there is none; NULL where there are too many. */
static struct pair_group *group_at(struct pair_group **groups, unsigned *count, const char *name)
{
    for (unsigned i = 0; i < *count; i++)
        if (strcmp((*groups)[i].name, name) == 0)
            return &(*groups)[i];
    if (*count == CONFIG_GROUPS_MAX)
        return NULL;
    *groups = mem_grow(*groups, *count + 1, sizeof **groups);
    struct pair_group *const g = &(*groups)[(*count)++];
    *g = (struct pair_group){0};
    snprintf(g->name, sizeof g->name, "%s", name);
    return g;
}

/* Takes the group of that name out. */
static void drop_group(struct pair_group *groups, unsigned *count, const char *name)
{
    for (unsigned i = 0; i < *count; i++) {
        if (strcmp(groups[i].name, name) != 0)
            continue;
        pairs_fini(&groups[i].pairs);
        memmove(&groups[i], &groups[i + 1], (--*count - i) * sizeof *groups);
        return;
    }
}

void config_take_group(struct config *c, const char *kind, const char *name,
                       const struct pairs *pairs)
{
    const bool is_view = strcmp(kind, "views") == 0;
    struct pair_group **const groups = is_view ? &c->views : &c->columns;
    unsigned *const count = is_view ? &c->view_count : &c->column_count;
    drop_group(*groups, count, name);
    struct pair_group *const g = pairs->count ? group_at(groups, count, name) : NULL;
    for (unsigned i = 0; g && i < pairs->count; i++)
        pairs_set(&g->pairs, pairs->at[i].key, pairs->at[i].value, 0);
}

/* ---- reading -------------------------------------------------------------------------------- */

struct reader {
    struct config *config;
    struct item_reader items;
};

/* Where the next one goes; NULL: it is only counted. */
static struct err *next_warning(struct config *c)
{
    const unsigned i = c->warnings++;
    return i >= CONFIG_WARNINGS ? NULL : i ? &c->others[i - 1] : &c->warning;
}

void config_warn(struct config *c, unsigned line, const char *format, ...)
{
    struct err what;
    va_list args;
    va_start(args, format);
    vsnprintf(what.text, sizeof what.text, format, args);
    va_end(args);
    char at[16] = "";
    if (line)
        snprintf(at, sizeof at, "%u:", line);
    struct err *const kept = next_warning(c);
    if (kept)
        fail(kept, "%.300s:%s %.600s", c->path, at, what.text);
}

void config_warn_text(struct config *c, const char *text)
{
    struct err *const kept = next_warning(c);
    if (kept)
        fail(kept, "%s", text);
}

const char *config_warning(const struct config *c, unsigned i)
{
    if (i >= c->warnings || i >= CONFIG_WARNINGS)
        return NULL;
    return i ? c->others[i - 1].text : c->warning.text;
}

bool config_folder(const struct config *c, const char *name, char *out, size_t room)
{
    size_t end = strlen(c->path);
    while (end && c->path[end - 1] != '/' && c->path[end - 1] != '\\')
        end--;
    if (!c->path[0] || end + strlen(name) >= room)
        return false;
    snprintf(out, room, "%.*s%s", (int)end, c->path, name);
    return true;
}

const char *config_complaint(const struct config *c)
{
    const char *const slash = strrchr(c->path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - c->path) : 0;
    const bool is_whole = strncmp(c->warning.text, c->path, folder) != 0;
    return c->warning.text + (is_whole ? 0 : folder);
}

static void read_setting(struct reader *r)
{
    const char *const key = r->items.key;
    const struct setting *const row = setting_find(r->items.section, key);
    struct err err;
    if (row) {
        if (!setting_read(row, &r->config->file, r->items.value, &err))
            config_warn(r->config, r->items.line, "%s: %s", key, err.text);
        return;
    }
    struct suggestion best = {NULL, 0};
    for (size_t i = 0; i < settings_count; i++)
        if (strcmp(settings_table[i].section, r->items.section) == 0)
            suggest(&best, key, settings_table[i].key);
    config_warn(r->config, r->items.line, "[%s] has no \"%.60s\"%s%s%s", r->items.section, key,
                best.name ? "; did you mean \"" : "", best.name ? best.name : "",
                best.name ? "\"?" : "");
}

static void read_key(struct reader *r)
{
    struct err err;
    if (!keys_set(r->config->keys, r->items.key, r->items.value, &err))
        config_warn(r->config, r->items.line, "%s", err.text);
}

typedef void pairs_put(struct pairs *p, const char *key, const char *value, unsigned line);

static void read_pair(struct reader *r, struct pairs *to, pairs_put *put)
{
    if (to->count == CONFIG_PAIRS_MAX)
        config_warn(r->config, r->items.line, "more than %d items in [%s]", CONFIG_PAIRS_MAX,
                    r->items.section);
    else
        put(to, r->items.key, r->items.value, r->items.line);
}

static void read_rule(struct reader *r)
{
    read_pair(r, &r->config->rules, pairs_set);
}

static void read_trigger(struct reader *r)
{
    read_pair(r, &r->config->triggers, pairs_set);
}

/* Definitions in the form of --span: src/engine/span.h. */
static void read_span(struct reader *r)
{
    char text[1200];
    const int length = snprintf(text, sizeof text, "%s = %s", r->items.key, r->items.value);
    if (length < 0 || (size_t)length >= sizeof text)
        config_warn(r->config, r->items.line, "the span \"%.60s\" is too long", r->items.key);
    else if (r->config->spans.count == CONFIG_PAIRS_MAX)
        config_warn(r->config, r->items.line, "more than %d items in [spans]", CONFIG_PAIRS_MAX);
    else
        pairs_set(&r->config->spans, r->items.key, text, r->items.line);
}

static void read_group(struct reader *r, struct pair_group **groups, unsigned *count,
                       pairs_put *put)
{
    const char *const name = strchr(r->items.section, '.') + 1;
    if (!*name) {
        config_warn(r->config, r->items.line, "expected a name after [%s", r->items.section);
        return;
    }
    struct pair_group *const g = group_at(groups, count, name);
    if (!g) {
        config_warn(r->config, r->items.line, "more than %d sections as [%s]", CONFIG_GROUPS_MAX,
                    r->items.section);
        return;
    }
    if (!g->line)
        g->line = r->items.line;
    read_pair(r, &g->pairs, put);
}

static void read_view(struct reader *r)
{
    read_group(r, &r->config->views, &r->config->view_count, pairs_set);
}

static void read_columns(struct reader *r)
{
    read_group(r, &r->config->columns, &r->config->column_count, pairs_set);
}

/* An option may be repeated. */
static void read_recorder(struct reader *r)
{
    read_group(r, &r->config->recorders, &r->config->recorder_count, pairs_add);
}

/* A name that ends in a dot stands for all that begin with it. */
static const struct section {
    const char *name;
    void (*read)(struct reader *r);
} sections[] = {
    {"ui", read_setting},         {"panes", read_setting}, {"symbols", read_setting},
    {"record", read_setting},     {"keys", read_key},      {"rules", read_rule},
    {"triggers", read_trigger},   {"views.", read_view},   {"columns.", read_columns},
    {"recorder.", read_recorder}, {"spans", read_span},
};

static const struct section *find_section(const char *name)
{
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        const size_t bytes = strlen(sections[i].name);
        const bool is_group = sections[i].name[bytes - 1] == '.';
        if (is_group ? strncmp(name, sections[i].name, bytes) == 0
                     : strcmp(name, sections[i].name) == 0)
            return &sections[i];
    }
    return NULL;
}

static void read_head(struct reader *r)
{
    if (!find_section(r->items.section))
        config_warn(
            r->config, r->items.line,
            "there is no section [%s]; there are ui, panes, columns.PANE, views.NAME, keys, "
            "rules, triggers, spans, symbols, record and recorder.NAME",
            r->items.section);
}

static void read_item(struct reader *r)
{
    const struct section *const s = find_section(r->items.section);
    if (s)
        s->read(r);
    else if (!r->items.section[0])
        config_warn(r->config, r->items.line, "expected a [section] before \"%.60s\"",
                    r->items.key);
}

void config_parse(struct config *c, const char *text, size_t bytes, const char *name)
{
    *c = (struct config){.keys = keys_new()};
    snprintf(c->path, sizeof c->path, "%s", name);
    settings_default(&c->file);
    struct reader r = {.config = c, .items = item_reader(text, bytes)};
    for (enum item_kind kind = item_next(&r.items); kind != ITEM_END; kind = item_next(&r.items)) {
        if (kind == ITEM_HEAD)
            read_head(&r);
        else if (kind == ITEM_PAIR)
            read_item(&r);
        else
            config_warn(c, r.items.line, "%s \"%.100s\"", r.items.expected, r.items.key);
    }
    c->settings = c->file;
}

void config_fini(struct config *c)
{
    keys_free(c->keys);
    pairs_fini(&c->rules);
    pairs_fini(&c->triggers);
    pairs_fini(&c->spans);
    for (unsigned i = 0; i < c->view_count; i++)
        pairs_fini(&c->views[i].pairs);
    for (unsigned i = 0; i < c->column_count; i++)
        pairs_fini(&c->columns[i].pairs);
    for (unsigned i = 0; i < c->recorder_count; i++)
        pairs_fini(&c->recorders[i].pairs);
    free(c->views);
    free(c->columns);
    free(c->recorders);
    *c = (struct config){0};
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Where the file is when nobody says so on the line; "" = nowhere. */
static void usual_path(char *out, size_t room)
{
    const char *const reported = getenv("TRACETOP_CONFIG");
    char folder[1024];
    out[0] = '\0';
    if (reported && *reported) {
        snprintf(out, room, "%s", reported);
        return;
    }
    os_config_folder(folder, sizeof folder);
    if (folder[0])
        snprintf(out, room, "%s/tracetop.conf", folder);
}

void config_usual_folder(const char *name, char *out, size_t room)
{
    struct config c = {.view_count = 0};
    usual_path(c.path, sizeof c.path);
    if (!config_folder(&c, name, out, room))
        out[0] = '\0';
}

/* What the file holds, with a NUL; NULL with a sentence. */
static char *read_file(const char *path, size_t *bytes, struct err *err)
{
    struct os_file *const f = os_open(path, err);
    if (!f)
        return NULL;
    char *text = NULL;
    const int64_t size = os_size(f);
    if (size < 0 || size > CONFIG_BYTES_MAX) {
        fail(err, "%.700s: expected at most %d bytes", path, CONFIG_BYTES_MAX);
    } else {
        text = mem_new((size_t)size + 1, 1);
        const int64_t got = os_read_at(f, text, (size_t)size, 0, err);
        *bytes = got < 0 ? 0 : (size_t)got;
        if (got < 0) {
            free(text);
            text = NULL;
        }
    }
    os_close(f);
    return text;
}

char *config_read_beside(const struct config *c, const char *name, struct err *err)
{
    char path[1200];
    size_t bytes;
    if (!config_folder(c, name, path, sizeof path) || os_path_kind(path) == OS_NOTHING)
        return mem_string("");
    return read_file(path, &bytes, err);
}

bool config_load(struct config *c, const char *path, struct err *err)
{
    char usual[sizeof c->path];
    usual_path(usual, sizeof usual);
    const char *const from = path ? path : usual;
    size_t bytes = 0;
    if (!*from || os_path_is_null(from) || (!path && os_path_kind(from) == OS_NOTHING)) {
        config_parse(c, "", 0, from);
        return true;
    }
    char *const text = read_file(from, &bytes, err);
    config_parse(c, text ? text : "", bytes, from);
    free(text);
    c->is_there = text != NULL;
    if (!text && !path)
        config_warn_text(c, err->text);
    return text || !path;
}
