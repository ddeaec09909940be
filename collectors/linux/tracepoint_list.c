/* `tracetop providers` on Linux: the kernel's tracepoints by system, which -e takes, with their
 * fields as events have them. */
#include "collectors/collectors.h"
#include "collectors/linux/kernel/tracefs.h"
#include "collectors/linux/translate/function.h"
#include "collectors/linux/translate/tracepoint.h"

#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/command/batch.h"
#include "src/command/command.h"
#include "src/os/rights.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* Names in a folder, sorted. */
struct names {
    char **items;
    size_t count, room;
};

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_free(struct names *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->items[i]);
    free(n->items);
}

/* The folders in a folder of tracefs. */
static void names_read(struct names *n, const char *path)
{
    *n = (struct names){NULL, 0, 0};
    const uint64_t before = os_rights_raise(OS_MAY_READ);
    DIR *const d = opendir(path);
    os_rights_return(before);
    for (const struct dirent *e; d && (e = readdir(d));) {
        if (e->d_type != DT_DIR || e->d_name[0] == '.')
            continue;
        if (n->count == n->room) {
            n->room = n->room ? 2 * n->room : 256;
            n->items = mem_grow(n->items, n->room, sizeof *n->items);
        }
        n->items[n->count++] = mem_string(e->d_name);
    }
    if (d)
        closedir(d);
    if (n->count)
        qsort(n->items, n->count, sizeof *n->items, compare);
}

static void names_of_system(struct names *n, const struct tracefs *fs, const char *system)
{
    char path[sizeof fs->path + 300];
    snprintf(path, sizeof path, "%s/events/%.255s", fs->path, system);
    names_read(n, path);
}

static int list(const struct tracefs *fs, const struct names *systems, FILE *to)
{
    show(to, "%11s  %s\n", "TRACEPOINTS", "SYSTEM");
    for (size_t i = 0; i < systems->count; i++) {
        struct names events;
        names_of_system(&events, fs, systems->items[i]);
        if (events.count)
            show(to, "%11zu  %s\n", events.count, systems->items[i]);
        names_free(&events);
    }
    return EXIT_DONE;
}

static void print_event(const struct tracefs *fs, const char *system, const char *event, FILE *to)
{
    struct err err;
    struct format_item f;
    char type[32];
    char *const format = tracefs_format(fs, system, event, &err);
    show(to, "%s:%s\n", system, event);
    for (const char *at = format; at && format_next(&at, &f);) {
        tracepoint_type(&f, type, sizeof type);
        show(to, "    %-9s %s\n", type, f.name);
    }
    free(format);
}

/* "SYSTEM" or "SYSTEM:EVENT", with or without "tp:" before it. */
static int show_system(const struct tracefs *fs, const char *name, FILE *to)
{
    struct names events;
    struct err err;
    size_t found = 0;
    name += strncmp(name, "tp:", 3) == 0 ? 3 : 0;
    char *const system = mem_string(name);
    char *const colon = strchr(system, ':');
    if (colon)
        *colon = '\0';
    names_of_system(&events, fs, strchr(system, '/') ? "" : system);
    for (size_t i = 0; i < events.count; i++) {
        if (colon && strcmp(colon + 1, events.items[i]) != 0)
            continue;
        print_event(fs, system, events.items[i], to);
        found++;
    }
    if (!found) {
        fail(&err, "this kernel has no %s '%.200s'; 'tracetop providers list' lists the systems",
             colon ? "tracepoint" : "tracepoints of a system", name);
        complain(err.text);
    }
    names_free(&events);
    free(system);
    return found ? EXIT_DONE : EXIT_ERROR;
}

static bool contains(const char *text, const char *part)
{
    return strcasestr(text, part) != NULL;
}

static bool has_field(const struct tracefs *fs, const char *system, const char *event,
                      const char *part)
{
    struct err err;
    struct format_item f;
    char *const format = tracefs_format(fs, system, event, &err);
    bool has = false;
    for (const char *at = format; at && !has && format_next(&at, &f);)
        has = contains(f.name, part);
    free(format);
    return has;
}

static int search(const struct tracefs *fs, const struct names *systems, const char *part, FILE *to)
{
    for (size_t i = 0; i < systems->count; i++) {
        struct names events;
        names_of_system(&events, fs, systems->items[i]);
        for (size_t k = 0; k < events.count; k++)
            if (contains(systems->items[i], part) || contains(events.items[k], part) ||
                has_field(fs, systems->items[i], events.items[k], part))
                show(to, "%s:%s\n", systems->items[i], events.items[k]);
        names_free(&events);
    }
    return EXIT_DONE;
}

static int answer(const struct command_verb *c, const struct tracefs *fs, FILE *to)
{
    struct names systems;
    char path[sizeof fs->path + 8];
    snprintf(path, sizeof path, "%s/events", fs->path);
    names_read(&systems, path);
    int status = EXIT_USAGE;
    if (!c->verb || (strcmp(c->verb, "list") == 0 && !c->word_count))
        status = list(fs, &systems, to);
    else if (c->word_count == 1 && strcmp(c->verb, "show") == 0)
        status = show_system(fs, c->words[0], to);
    else if (c->word_count == 1 && strcmp(c->verb, "search") == 0)
        status = search(fs, &systems, c->words[0], to);
    else
        complain(
            "expected list, show SYSTEM, show SYSTEM:EVENT, show u:FILE:FUNCTION or search TEXT; "
            "-e collects a tracepoint or function: there is nothing to enable");
    names_free(&systems);
    return status;
}

/* "u:FILE:PATTERN", "p:PID:MODULE!PATTERN" or "usdt:FILE:PATTERN": functions and probes, as -e
 * would watch them. */
static int show_functions(const char *name, FILE *to)
{
    struct err err;
    if (functions_list(name, to, &err))
        return EXIT_DONE;
    complain(err.text);
    return EXIT_ERROR;
}

int providers_run(const struct command_verb *c, FILE *to)
{
    struct tracefs fs;
    struct err why, err;
    if (c->verb && strcmp(c->verb, "show") == 0 && c->word_count == 1 &&
        function_is_named(c->words[0]))
        return show_functions(c->words[0], to);
    if (tracefs_find(&fs, NULL, &why))
        return answer(c, &fs, to);
    fail(&err, "the kernel's tracepoints cannot be listed: %s; run it as root", why.text);
    complain(err.text);
    return EXIT_PRIVILEGE;
}
