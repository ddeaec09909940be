/* A rundown of one instant gives a fresh model all that was alive in the old one then, even when it
 * is made long after. */
#include "tests/test.h"

#include "collectors/synthetic/synthetic.h"
#include "src/base/mem.h"
#include "src/event/decode.h"
#include "src/event/tracelogging.h"
#include "src/event/tracetop_write.h"
#include "src/model/rundown.h"
#include "src/model/wait.h"
#include "src/os/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 300000, CHUNK = 1 << 20 };

static const int64_t START = 1700000000000000000;

struct machine {
    struct model model;
    struct model_rundown_config config;
    uint64_t fed;
};

static void machine_init(struct machine *m, const struct trace_clock *clock)
{
    *m = (struct machine){.fed = 0};
    model_init(&m->model);
    model_sources(&m->model, 1);
    m->model.sources[0].clock = *clock;
}

static void machine_fini(struct machine *m)
{
    model_fini(&m->model);
    model_rundown_config_free(&m->config);
}

/* Feeds records whose time is up to `until` (raw). */
static void feed(struct machine *m, const uint8_t *records, size_t bytes, int64_t until)
{
    for (size_t at = 0; at < bytes;) {
        struct record_head head;
        struct event e;
        struct fact f = {0};
        memcpy(&head, records + at, sizeof head);
        if (head.ts <= until && head.form == RECORD_ETW) {
            assert_int_equal(event_of_record((const struct record_head *)(records + at), &e),
                             EVENT_OK);
            if (model_rundown_is_config(&e))
                model_rundown_config_keep(&m->config, &head, records + at + sizeof head);
            model_fact(&m->model, &e, 0, trace_clock_ns(&m->model.sources[0].clock, head.ts), &f);
            m->fed++;
        }
        at += ring_padded(head.bytes);
    }
}

/* What is alive, a line each, sorted. */
struct lines {
    char **at;
    size_t count, room;
};

static void add(struct lines *l, const char *format, ...) PRINTF_LIKE(2, 3);
static void add(struct lines *l, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (l->count == l->room)
        l->at = mem_grow(l->at, l->room = l->room ? l->room * 2 : 1024, sizeof *l->at);
    l->at[l->count++] = mem_string(text);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_lines(struct lines *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->at[i]);
    free(l->at);
}

static const char *or_none(const char *text)
{
    return text ? text : "-";
}

static struct lines alive(const struct model *m)
{
    struct lines l = {0};
    for (uint32_t n = 1; n <= m->processes.newest; n++) {
        const struct process *const p = model_process_at(m, n);
        if (p && p->name && !(p->flags & LIFETIME_ENDED))
            add(&l, "process %u %s %s of %u in %d by %s since %lld", p->pid, p->name,
                or_none(p->command), p->parent_pid, (int)p->session, or_none(p->user),
                (long long)p->start_ns);
    }
    for (uint32_t n = 1; n <= m->threads.newest; n++) {
        const struct thread *const t = generation_at(&m->threads, n);
        const struct process *const p = t ? model_process_at(m, t->process) : NULL;
        if (p && !(t->flags & LIFETIME_ENDED))
            add(&l, "thread %u of %u from %llx %s", t->tid, p->pid, (unsigned long long)t->start,
                or_none(t->name));
    }
    for (uint32_t n = 1; n <= m->connections.newest; n++) {
        const struct connection *const c = generation_at(&m->connections, n);
        const struct process *const p = c ? model_process_at(m, c->process) : NULL;
        char local[80], remote[80];
        if (p && !c->ends.is_udp && !c->closed_ns)
            add(&l, "connection %s %s of %u by %u since %lld took %lld mss %u",
                model_connection_end(c, false, local, sizeof local),
                model_connection_end(c, true, remote, sizeof remote), p->pid, c->opened_by,
                (long long)c->opened_ns, (long long)c->handshake_ns, c->segment);
    }
    for (uint32_t n = 1; n <= m->images.newest; n++) {
        const struct image *const i = generation_at(&m->images, n);
        const struct process *const p = i ? model_process_at(m, i->process) : NULL;
        if (p && i->module && i->until_ns == INT64_MAX)
            add(&l, "image %llx+%llx %s of %u", (unsigned long long)i->base,
                (unsigned long long)i->size, model_file_at(m, i->module)->name, p->pid);
    }
    for (uint32_t i = 0; i <= m->file_now.mask; i++) {
        const struct map_entry *const e = &m->file_now.entries[i];
        const struct file *const f = e->value ? model_file_at(m, e->value) : NULL;
        const enum key_namespace key_namespace = model_key_namespace(e->key);
        if (f && f->name && model_key_address(e->key) &&
            (key_namespace == NAMESPACE_FILE || key_namespace == NAMESPACE_KEY))
            add(&l, "name %d %llx %s", (int)key_namespace,
                (unsigned long long)model_key_address(e->key), f->name);
    }
    qsort(l.at, l.count, sizeof *l.at, by_text);
    return l;
}

static void same(const struct lines *expected, const struct lines *found)
{
    size_t i = 0, j = 0, missing = 0, extra = 0;
    while (i < expected->count || j < found->count) {
        const int order = i == expected->count ? 1
                          : j == found->count  ? -1
                                               : strcmp(expected->at[i], found->at[j]);
        if (order < 0 && missing++ < 5)
            print_error("missing: %s\n", expected->at[i]);
        if (order > 0 && extra++ < 5)
            print_error("extra: %s\n", found->at[j]);
        i += order <= 0;
        j += order >= 0;
    }
    assert_int_equal(missing, 0);
    assert_int_equal(extra, 0);
}

struct tape {
    uint8_t *bytes;
    size_t used;
    struct trace_clock clock;
    int64_t first, last;
};

static struct tape record(uint64_t seed)
{
    const struct synthetic_options o = {
        .seed = seed, .events = EVENTS, .start_ns = START, .hostile = 20};
    struct synthetic *const s = synthetic_new(&o);
    struct tape t = {.clock = synthetic_clock(s)};
    while (!synthetic_is_done(s)) {
        t.bytes = mem_grow(t.bytes, t.used + CHUNK, 1);
        t.used += synthetic_fill(s, t.bytes + t.used, CHUNK, INT64_MAX);
    }
    t.first = synthetic_totals(s)->first;
    t.last = synthetic_totals(s)->last;
    synthetic_free(s);
    return t;
}

static struct model_rundown *list(const struct machine *m, int64_t at_ns, bool is_end)
{
    const struct model_rundown_options o = {
        .model = &m->model, .config = &m->config, .at_ns = at_ns, .is_end = is_end};
    struct model_rundown *const r = model_rundown_new(&o);
    while (model_rundown_work(r, 0)) /* in the smallest slices there are */
        ;
    return r;
}

static void a_past_instant_is_reported(uint64_t seed, double where, bool is_end)
{
    const struct tape t = record(seed);
    const int64_t until = t.first + (int64_t)((double)(t.last - t.first) * where);
    struct machine whole, then, fresh;
    machine_init(&whole, &t.clock);
    machine_init(&then, &t.clock);
    machine_init(&fresh, &t.clock);
    feed(&whole, t.bytes, t.used, INT64_MAX);
    feed(&then, t.bytes, t.used, until);
    assert_true(whole.fed > then.fed || where == 1);

    struct model_rundown *const r = list(&whole, trace_clock_ns(&t.clock, until), is_end);
    size_t bytes;
    const uint8_t *const records = model_rundown_records(r, &bytes);
    const struct model_rundown_figures figures = model_rundown_figures(r);
    assert_true(figures.processes > 10 && figures.threads > 50 && figures.files > 50);
    assert_true(is_end ? figures.configuration == 0 : figures.configuration > 2);
    feed(&fresh, records, bytes, INT64_MAX);

    struct lines expected = alive(&then.model), found = alive(&fresh.model);
    assert_true(expected.count > 100);
    same(&expected, &found);
    free_lines(&expected);
    free_lines(&found);
    model_rundown_free(r);
    machine_fini(&whole);
    machine_fini(&then);
    machine_fini(&fresh);
    free(t.bytes);
}

static void at_the_end(void **state)
{
    (void)state;
    a_past_instant_is_reported(3, 1, true);
}

static void in_the_middle(void **state)
{
    (void)state;
    a_past_instant_is_reported(4, 0.5, false);
    a_past_instant_is_reported(5, 0.9, false);
}

static void shortly_after_the_start(void **state)
{
    (void)state;
    a_past_instant_is_reported(6, 0.05, false);
}

/* Read as anybody reads them: by the layouts of the classes, which real traces verify. */
static void records_have_the_layouts_of_windows(void **state)
{
    (void)state;
    const struct tape t = record(7);
    struct machine m;
    machine_init(&m, &t.clock);
    feed(&m, t.bytes, t.used, INT64_MAX);
    struct model_rundown *const r = list(&m, trace_clock_ns(&t.clock, t.last), false);
    size_t bytes, wrong = 0, count = 0;
    const uint8_t *const records = model_rundown_records(r, &bytes);
    for (size_t at = 0; at < bytes;) {
        const struct record_head *const head = (const struct record_head *)(records + at);
        struct event e;
        struct decoded d[DECODE_FIELDS];
        assert_int_equal(event_of_record(head, &e), EVENT_OK);
        assert_int_equal(e.record_bytes + sizeof *head, head->bytes);
        struct tracelogging own; /* of the events that describe themselves */
        const struct payload_layout *const l = e.kind != HEADER_MANIFEST     ? decode_layout(&e)
                                               : tracelogging_read(&e, &own) ? &own.layout
                                                                             : NULL;
        assert_non_null(l);
        const unsigned fields = decode_fields(l, &e, d, DECODE_FIELDS);
        if (fields != l->field_count || !d[fields - 1].is_present) {
            print_error("hook %04x: field %s is missing\n", e.id, d[fields - 1].field->name);
            wrong++;
        }
        count++;
        at += ring_padded(head->bytes);
    }
    assert_true(count > 500);
    assert_int_equal(wrong, 0);
    model_rundown_free(r);
    machine_fini(&m);
    free(t.bytes);
}

static void configuration_is_kept_once(void **state)
{
    (void)state;
    const struct tape t = record(8);
    struct machine m;
    machine_init(&m, &t.clock);
    feed(&m, t.bytes, t.used, INT64_MAX);
    const size_t used = m.config.used;
    feed(&m, t.bytes, t.used, INT64_MAX);
    assert_int_equal(m.config.used, used);
    assert_int_equal(m.config.dropped, 0);
    machine_fini(&m);
    free(t.bytes);
}

/* ---- images ---------------------------------------------------------------------------- */

/* A record of our own, at its time. */
static void log_like(struct machine *m, const struct event *like, int64_t ts, uint32_t pid,
                     uint64_t base)
{
    uint8_t record[1024];
    struct payload_writer p = {record, record, record + sizeof record};
    struct event e;
    struct fact f = {0};
    tracetop_write_begin(
        &p, "Mapping",
        "pid:u32,base:hex64,size:hex64,offset:hex64,device:hex32,inode:u64,build:text", like->pid,
        like->tid, ts);
    put_u32(&p, pid);
    put_u64(&p, base);
    put_u64(&p, 0x5000);
    put_u64(&p, 0x2000);
    put_u32(&p, 0x801);
    put_u64(&p, 4711);
    put_bytes(&p, "c0ffee", sizeof "c0ffee");
    tracetop_write_end(&p);
    assert_int_equal(event_parse(record, (uint32_t)(p.at - p.start), &e), EVENT_OK);
    model_fact(&m->model, &e, 0, trace_clock_ns(&m->model.sources[0].clock, ts), &f);
}

/* An image and, behind it, which build of which file it is and from where in it. */
static void load_library(struct machine *m, uint32_t process, uint32_t pid, uint64_t base)
{
    const struct event nobody = {.pid = EVENT_NO_ID, .tid = EVENT_NO_ID};
    const struct image_event loaded = {
        .base = base, .size = 0x5000, .time = 5000, .op = OP_START, .path = "/usr/lib/libx.so"};
    assert_int_equal(model_image(&m->model, 0, process, &loaded), 1);
    log_like(m, &nobody, 6000, pid, base);
}

/* Which build of which file, from where in it, and since when: what stacks get their names by. */
static void what_an_image_is_travels(void **state)
{
    (void)state;
    enum { PID = 77 };
    static const uint64_t BASE = 0x7f0000001000;
    const struct trace_clock clock = {.kind = CLOCK_QPC, .frequency = 1000000000};
    struct machine there, again;
    machine_init(&there, &clock);
    machine_init(&again, &clock);
    const uint32_t process = model_process(&there.model, 0, PID, 1000);
    struct process *const worker = generation_at(&there.model.processes, process);
    model_rename(&there.model, &worker->name, "worker");
    load_library(&there, process, PID, BASE);

    struct model_rundown *const r = list(&there, 900000, false);
    size_t bytes;
    const uint8_t *const records = model_rundown_records(r, &bytes);
    feed(&again, records, bytes, INT64_MAX);
    const struct image *const i = generation_at(&again.model.images, 1);
    assert_non_null(i);
    assert_int_equal(i->from_ns, 5000);
    assert_int_equal(i->file_offset, 0x2000);
    const struct build *const b = generation_at(&again.model.builds, i->build);
    assert_non_null(b);
    assert_int_equal(b->device, 0x801);
    assert_int_equal(b->inode, 4711);
    assert_int_equal(b->id_bytes, 3);
    assert_memory_equal(b->id, "\xc0\xff\xee", 3);
    model_rundown_free(r);
    machine_fini(&there);
    machine_fini(&again);
}

/* A fork that has not called exec when a snapshot ends has its parent's images, and they lie in their
 * files where they did: names of its functions and of its children's depend on that. */
static void a_fork_inherits_what_images_are(void **state)
{
    (void)state;
    enum { PID = 77, FORK = 78 };
    static const uint64_t BASE = 0x7f0000001000;
    const struct trace_clock clock = {.kind = CLOCK_QPC, .frequency = 1000000000};
    struct machine there, again;
    machine_init(&there, &clock);
    machine_init(&again, &clock);
    const uint32_t process = model_process(&there.model, 0, PID, 1000);
    load_library(&there, process, PID, BASE);
    struct process *const fork = model_process_start(&there.model, 0, FORK, 7000, "worker");
    fork->forked = process;

    struct model_rundown *const r = list(&there, 900000, true);
    size_t bytes;
    const uint8_t *const records = model_rundown_records(r, &bytes);
    feed(&again, records, bytes, INT64_MAX);
    const uint32_t child = map_get(&again.model.process_now, model_id_key(0, FORK));
    const struct image *const i = generation_at(
        &again.model.images, model_image_at(&again.model, 0, child, BASE + 0x100, 800000));
    assert_non_null(i);
    assert_int_equal(i->file_offset, 0x2000);
    model_rundown_free(r);
    machine_fini(&there);
    machine_fini(&again);
}

/* Our collector's record that a thread waits: since so long ago, or 0 where nobody knows. */
static void met_waiting(struct machine *m, int64_t ts, uint32_t tid, const char *call,
                        uint64_t since)
{
    uint8_t record[512];
    struct payload_writer p = {record, record, record + sizeof record};
    struct event e;
    struct fact f = {0};
    tracetop_write_begin(&p, "Wait", "pid:u32,tid:u32,call:text,since:u64", 77, tid, ts);
    put_u32(&p, 77);
    put_u32(&p, tid);
    put_bytes(&p, call, strlen(call) + 1);
    put_u64(&p, since);
    tracetop_write_end(&p);
    assert_int_equal(event_parse(record, (uint32_t)(p.at - p.start), &e), EVENT_OK);
    model_fact(&m->model, &e, 0, trace_clock_ns(&m->model.sources[0].clock, ts), &f);
}

static void expect_wait(const struct machine *m, uint32_t tid, int64_t ns, bool is_longer,
                        const char *text)
{
    const uint32_t number = map_get(&m->model.thread_now, model_id_key(0, tid));
    const struct thread *const t = generation_at(&m->model.threads, number);
    char room[32];
    assert_non_null(t);
    const struct wait_now w = model_wait_at(&m->model, t, 950000);
    assert_int_equal(w.state, ns ? WAIT_BLOCKED : WAIT_NOT_SEEN);
    if (!ns)
        return;
    assert_int_equal(w.ns, ns);
    assert_int_equal(w.is_longer, is_longer);
    assert_string_equal(wait_text(w.place, room, sizeof room), text);
}

/* Waits that began before a snapshot are in it: who hangs is seen there, too. Who was seen on a
 * processor, or waiting already, is believed more than what was read of it. */
static void waits_travel(void **state)
{
    (void)state;
    enum { PID = 77, LONGER, KNOWN, SEEN, TWICE };
    const struct trace_clock clock = {.kind = CLOCK_QPC, .frequency = 1000000000};
    struct machine there, again;
    machine_init(&there, &clock);
    machine_init(&again, &clock);
    there.model.sources[0].is_linux = true;
    const uint32_t process = model_process(&there.model, 0, PID, 1000);
    for (uint32_t tid = LONGER; tid <= TWICE; tid++)
        model_thread_start(&there.model, 0, tid, process, 2000);
    struct thread *const seen = generation_at(
        &there.model.threads, map_get(&there.model.thread_now, model_id_key(0, SEEN)));
    seen->has_switched = true;
    met_waiting(&there, 5000, LONGER, "futex", 0);
    met_waiting(&there, 5000, KNOWN, "pipe read", 2500);
    met_waiting(&there, 5000, SEEN, "futex", 0);
    met_waiting(&there, 5000, TWICE, "poll", 0);
    met_waiting(&there, 6000, TWICE, "futex", 0);
    expect_wait(&there, LONGER, 5000, true, "futex");
    expect_wait(&there, KNOWN, 2500, false, "pipe read");
    expect_wait(&there, SEEN, 0, false, NULL);
    expect_wait(&there, TWICE, 5000, true, "poll");

    struct model_rundown *const r = list(&there, 900000, false);
    size_t bytes;
    const uint8_t *const records = model_rundown_records(r, &bytes);
    feed(&again, records, bytes, INT64_MAX);
    again.model.sources[0].is_linux = true;
    expect_wait(&again, LONGER, 900000, true, "futex");
    expect_wait(&again, KNOWN, 2500, false, "pipe read");
    expect_wait(&again, SEEN, 0, false, NULL);
    model_rundown_free(r);
    machine_fini(&there);
    machine_fini(&again);
}

/* A process that was there before so many others came and went that their numbers went round. */
static void who_stays_is_reported_after_many(void **state)
{
    (void)state;
    enum { COMING = 3 << 17, STAYS = 7, FIRST_PID = 1000, PIDS = 997 };
    const struct trace_clock clock = trace_clock_make(CLOCK_QPC, 10000000, START, 0);
    struct machine m, fresh;
    machine_init(&m, &clock);
    machine_init(&fresh, &clock);
    assert_non_null(model_process_start(&m.model, 0, STAYS, START + 1, "stays"));
    for (unsigned i = 0; i < COMING; i++) {
        const int64_t now = START + 10 + (int64_t)i * 10;
        model_process_start(&m.model, 0, FIRST_PID + i % PIDS, now, "comes");
        model_process_end(&m.model, 0, FIRST_PID + i % PIDS, now + 9);
    }
    struct model_rundown *const r = list(&m, START + 10 + (int64_t)COMING * 10, false);
    size_t bytes;
    const uint8_t *const records = model_rundown_records(r, &bytes);
    feed(&fresh, records, bytes, INT64_MAX);
    const struct process *const p = model_process_at(
        &fresh.model, map_get(&fresh.model.process_now, model_id_key(0, STAYS)));
    assert_non_null(p);
    assert_string_equal(p->name, "stays");
    model_rundown_free(r);
    machine_fini(&m);
    machine_fini(&fresh);
}

/* The table of processes doubles while it is listed: each of them is listed once. */
static void a_growing_table_is_listed_once(void **state)
{
    (void)state;
    enum { BEFORE = 8000, AFTER = 30000 };
    struct machine m;
    const struct trace_clock clock = trace_clock_make(CLOCK_QPC, 0, FILETIME_UNIX_EPOCH, 10000000);
    m = (struct machine){.fed = 0};
    model_init_for(&m.model, 100000); /* as with a small ring */
    model_sources(&m.model, 1);
    m.model.sources[0].clock = clock;
    for (uint32_t pid = 1; pid <= BEFORE; pid++)
        model_process_start(&m.model, 0, pid, 1000, "one.exe");
    const uint32_t places = m.model.processes.places;
    struct model_rundown *const r =
        model_rundown_new(&(struct model_rundown_options){.model = &m.model, .at_ns = 2000});
    for (unsigned i = 0; i < BEFORE / 2 / 64; i++)
        assert_true(model_rundown_work(r, 0)); /* half of them */
    for (uint32_t pid = BEFORE + 1; pid <= AFTER; pid++)
        model_process_start(&m.model, 0, pid, 3000, "later.exe");
    assert_true(m.model.processes.places > places);
    assert_int_equal(m.model.processes.evicted, 0);
    while (model_rundown_work(r, INT64_MAX))
        ;
    assert_int_equal(model_rundown_figures(r).processes, BEFORE);
    model_rundown_free(r);
    machine_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_end),
        cmocka_unit_test(in_the_middle),
        cmocka_unit_test(waits_travel),
        cmocka_unit_test(who_stays_is_reported_after_many),
        cmocka_unit_test(shortly_after_the_start),
        cmocka_unit_test(records_have_the_layouts_of_windows),
        cmocka_unit_test(configuration_is_kept_once),
        cmocka_unit_test(what_an_image_is_travels),
        cmocka_unit_test(a_fork_inherits_what_images_are),
        cmocka_unit_test(a_growing_table_is_listed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
