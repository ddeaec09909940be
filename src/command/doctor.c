#include "src/command/doctor.h"

#include "src/base/json.h"
#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/collect/diagnostic.h"
#include "src/command/command.h"
#include "src/command/session.h"
#include "src/os/cache_file.h"
#include "src/os/http.h"
#include "src/os/os.h"
#include "src/symbol/download_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void doctor_begin(struct doctor *d, FILE *to, bool is_json)
{
    *d = (struct doctor){.to = to, .is_json = is_json};
    fputs(is_json ? "{\"findings\":[" : "", to);
}

static void put_text(FILE *to, const struct diagnostic *f)
{
    show(to, "%-3s %-34s %-8s", f->is_bad ? "!!" : "", f->subject, f->state);
    if (f->why[0]) {
        putc(' ', to);
        show_text(to, f->why, strlen(f->why));
    }
    putc('\n', to);
    if (!f->fix[0])
        return;
    fputs("        fix: ", to);
    show_text(to, f->fix, strlen(f->fix));
    putc('\n', to);
}

/* What stands before the colon of "syscalls:sys_enter_open"; 0 = there is none. */
static size_t group_bytes(const struct diagnostic *f)
{
    const char *const colon = strchr(f->subject, ':');
    return colon ? (size_t)(colon - f->subject) : 0;
}

static bool says_the_same(const struct diagnostic *a, const struct diagnostic *b)
{
    const size_t group = group_bytes(a);
    return group && group == group_bytes(b) && memcmp(a->subject, b->subject, group) == 0 &&
           a->is_bad == b->is_bad && strcmp(a->state, b->state) == 0 &&
           strcmp(a->why, b->why) == 0 && strcmp(a->fix, b->fix) == 0;
}

/* For people, the hundred tracepoints of calls that serve the same are one line, by what their
 * names have in common. */
static void hold(struct doctor *d, const struct diagnostic *f)
{
    char *const subject = d->held.subject;
    size_t bytes = 0;
    if (!d->held_count)
        d->held = *f;
    while (subject[bytes] && subject[bytes] == f->subject[bytes])
        bytes++;
    subject[bytes] = '\0';
    d->held_count++;
}

static void put_held(struct doctor *d)
{
    struct diagnostic *const f = &d->held;
    const size_t bytes = strlen(f->subject);
    if (d->held_count > 1) {
        snprintf(f->subject + bytes, sizeof f->subject - bytes, "* (%zu)", d->held_count);
        d->hidden += d->held_count - 1;
    }
    if (d->held_count)
        put_text(d->to, f);
    d->held_count = 0;
}

static void put_member(FILE *to, const char *name, const char *text)
{
    show(to, "\"%s\":", name);
    json_text(to, text);
    putc(',', to);
}

static void put_json(FILE *to, const struct diagnostic *f, bool is_first)
{
    fputs(is_first ? "\n{" : ",\n{", to);
    put_member(to, "subject", f->subject);
    put_member(to, "state", f->state);
    put_member(to, "why", f->why);
    put_member(to, "fix", f->fix);
    show(to, "\"bad\":%s}", f->is_bad ? "true" : "false");
}

void doctor_report(void *doctor, const struct diagnostic *f)
{
    struct doctor *const d = doctor;
    if (d->is_json) {
        put_json(d->to, f, d->count == 0);
    } else {
        if (d->count == d->all_room)
            d->all = mem_grow(d->all, d->all_room += 64, sizeof *d->all);
        d->all[d->count] = *f;
    }
    d->count++;
    d->bad += f->is_bad;
}

void doctor_examine(struct doctor *d, const struct collector_kind *kind)
{
    if (kind->examine) {
        kind->examine(doctor_report, d);
        return;
    }
    struct diagnostic f = {.state = "ok"};
    snprintf(f.subject, sizeof f.subject, "%s", kind->title);
    snprintf(f.why, sizeof f.why, "%s", kind->help);
    doctor_report(d, &f);
}

enum { MEBIBYTE = 1 << 20 };

static uint64_t mebibytes(uint64_t bytes)
{
    return (bytes + MEBIBYTE / 2) / MEBIBYTE;
}

/* Where a control group grants less than the machine has, that is the limit, and is met by being
 * killed. */
static void examine_memory_limit(struct doctor *d)
{
    const uint64_t installed = os_memory_installed(), limit = os_memory();
    const bool is_limited = limit < installed;
    struct diagnostic f = diagnostic("memory limit", is_limited ? "cgroup" : "none");
    if (is_limited)
        diagnostic_because(&f,
                           "a memory cgroup limits this program to %" PRIu64
                           " MiB of the machine's %" PRIu64 " MiB; the kernel ends it beyond that",
                           mebibytes(limit), mebibytes(installed));
    else
        diagnostic_because(&f,
                           "no memory cgroup limits this program; the machine has %" PRIu64 " MiB",
                           mebibytes(installed));
    doctor_report(d, &f);
}

/* What a live monitor takes in all (make soak asserts it), by its ring. */
void doctor_examine_memory(struct doctor *d)
{
    const uint64_t ring = session_ring_default();
    const struct session_memory m = session_memory(ring);
    const bool fits = m.all + m.frozen < os_memory();
    struct diagnostic f = diagnostic("memory budget", fits ? "ok" : "short");
    diagnostic_because(&f,
                       "live, tracetop takes at most %" PRIu64 " MiB, and %" PRIu64
                       " MiB more while the screen is frozen; a ring smaller than %" PRIu64
                       "M (--ring) needs less",
                       mebibytes(m.all), mebibytes(m.frozen), mebibytes(ring));
    if (!fits)
        diagnostic_advise(&f, "tracetop --ring %" PRIu64 "M", mebibytes(os_memory() / 32));
    doctor_report(d, &f);
    examine_memory_limit(d);
}

void doctor_examine_downloads(struct doctor *d)
{
    struct err err;
    struct http *const h = http_new(&err);
    char cache[1024];
    symbol_cache_folder(cache, sizeof cache);
    const struct cache_use use = cache_use(cache);
    struct diagnostic f = diagnostic("symbol downloads", h ? "ready" : "missing");
    if (!h)
        diagnostic_because(&f, "%s", err.text);
    else if (!cache[0])
        diagnostic_because(&f, "no folder for them: neither HOME nor XDG_CACHE_HOME is set");
    else
        diagnostic_because(&f,
                           "off unless --symbol-server or symbols.server names a server; the cache "
                           "%.200s holds %" PRIu64 " files, %" PRIu64 " MiB",
                           cache, use.files, mebibytes(use.bytes));
    http_free(h);
    doctor_report(d, &f);
}

/* Another check that needs a fix said so already. */
static bool is_fixed_by_another(const struct doctor *d, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (d->all[i].is_bad && strcmp(d->all[i].fix, d->all[at].fix) == 0)
            return true;
    return false;
}

/* First what the user misses, each with what changes it. */
static void put_missing(const struct doctor *d)
{
    if (d->bad)
        fputs("Missing here, and the command that changes it:\n", d->to);
    for (size_t i = 0; i < d->count; i++) {
        const struct diagnostic *const f = &d->all[i];
        if (!f->is_bad || is_fixed_by_another(d, i))
            continue;
        fputs("  - ", d->to);
        show_text(d->to, f->loses[0] ? f->loses : f->why, strlen(f->loses[0] ? f->loses : f->why));
        if (f->fix[0])
            fputs("\n      ", d->to);
        show_text(d->to, f->fix, strlen(f->fix));
        putc('\n', d->to);
    }
    if (d->bad)
        fputs("\nAll checks:\n", d->to);
    else
        fputs("Nothing needs a fix. All checks:\n", d->to);
}

static void put_all(struct doctor *d)
{
    put_missing(d);
    for (size_t i = 0; i < d->count; i++) {
        if (d->held_count && !says_the_same(&d->held, &d->all[i]))
            put_held(d);
        hold(d, &d->all[i]);
    }
    put_held(d);
    free(d->all);
    d->all = NULL;
}

int doctor_end(struct doctor *d)
{
    if (!d->is_json)
        put_all(d);
    if (d->is_json)
        show(d->to, "\n],\"bad\":%zu}\n", d->bad);
    else if (d->bad)
        show(d->to, "\n%zu of %zu checks (!!) need a fix: rights, mounts or settings.\n", d->bad,
             d->count);
    if (d->hidden)
        show(d->to, "%zu checks have no line of their own: lines with * count them.\n", d->hidden);
    return d->bad ? EXIT_PRIVILEGE : EXIT_DONE;
}
