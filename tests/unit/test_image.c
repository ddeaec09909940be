/* Images: which module had an address, whenever that was said. */
#include "tests/stage.h"

#include "src/engine/inside.h"
#include "src/model/model.h"

static const uint64_t KERNEL_BASE = 0xfffff80001000000u;

static uint32_t log_image(struct model *m, uint32_t process, enum fact_op op, uint64_t base,
                          uint64_t size, int64_t time, const char *path)
{
    const struct image_event e = {
        .base = base, .size = size, .time = time, .op = op, .path = path};
    return model_image(m, 0, process, &e);
}

/* The module at an address, or "-". */
static const char *at(const struct model *m, uint32_t process, uint64_t address, int64_t time)
{
    const struct image *i =
        generation_at(&m->images, model_image_at(m, 0, process, address, time));
    const char *name = model_module_name(m, i);
    return name ? name : "-";
}

static void images_have_their_time(void **state)
{
    (void)state;
    struct model m;
    model_init(&m);
    const uint32_t a = log_image(&m, 1, OP_START, 0x10000, 0x2000, 100, "C:\\a.dll");
    assert_int_equal(log_image(&m, 1, OP_END, 0x10000, 0x2000, 200, "C:\\a.dll"), a);
    const uint32_t b = log_image(&m, 1, OP_START, 0x11000, 0x2000, 300, "C:\\b.dll");
    assert_int_not_equal(a, b);
    assert_string_equal(at(&m, 1, 0x10000, 99), "-");
    assert_string_equal(at(&m, 1, 0x10000, 100), "a.dll");
    assert_string_equal(at(&m, 1, 0x11fff, 199), "a.dll");
    assert_string_equal(at(&m, 1, 0x12000, 150), "-");
    assert_string_equal(at(&m, 1, 0x11fff, 250), "-");
    assert_string_equal(at(&m, 1, 0x11fff, 300), "b.dll");
    assert_string_equal(at(&m, 2, 0x11fff, 300), "-");
    model_fini(&m);
}

/* A list at the end is about the whole time, except where another image was. */
static void late_lists_count_from_the_start(void **state)
{
    (void)state;
    struct model m;
    model_init(&m);
    log_image(&m, 1, OP_START, 0x10000, 0x1000, 100, "early.dll");
    log_image(&m, 1, OP_END, 0x10000, 0x1000, 200, "early.dll");
    log_image(&m, 1, OP_RUNDOWN, 0x10000, 0x1000, 900, "late.dll");
    assert_string_equal(at(&m, 1, 0x10010, 50), "late.dll");
    assert_string_equal(at(&m, 1, 0x10010, 150), "early.dll");
    assert_string_equal(at(&m, 1, 0x10010, 250), "late.dll");
    model_fini(&m);
}

static void a_load_ends_what_it_covers(void **state)
{
    (void)state;
    struct model m;
    model_init(&m);
    log_image(&m, 1, OP_RUNDOWN, 0x10000, 0x8000, 10, "old.dll");
    const uint32_t before = model_image_epoch(&m, 0, 1);
    log_image(&m, 1, OP_START, 0x12000, 0x1000, 100, "new.dll");
    assert_int_not_equal(model_image_epoch(&m, 0, 1), before);
    assert_string_equal(at(&m, 1, 0x12010, 99), "old.dll");
    assert_string_equal(at(&m, 1, 0x12010, 100), "new.dll");
    assert_string_equal(at(&m, 1, 0x10010, 100), "-");
    /* The same again, unsaid unload between: another lifetime. */
    const uint32_t first = log_image(&m, 1, OP_START, 0x12000, 0x1000, 200, "new.dll");
    assert_int_equal(log_image(&m, 1, OP_RUNDOWN, 0x12000, 0x1000, 300, "new.dll"), first);
    model_fini(&m);
}

static void the_kernel_is_everybodys(void **state)
{
    (void)state;
    struct model m;
    model_init(&m);
    log_image(&m, 4, OP_RUNDOWN, KERNEL_BASE, 0x10000, 10, "\\SystemRoot\\system32\\ntoskrnl.exe");
    assert_string_equal(at(&m, 7, KERNEL_BASE + 5, 1), "ntoskrnl.exe");
    assert_int_equal(model_image_at(&m, 1, 7, KERNEL_BASE + 5, 1), 0); /* another machine's */
    model_fini(&m);
}

/* More lifetimes than a process may have: memory stays bounded, what lives is found. */
static void spaces_are_bounded(void **state)
{
    (void)state;
    struct model m;
    model_init(&m);
    log_image(&m, 1, OP_START, 0x7f0000, 0x1000, 1, "stays.dll");
    for (int64_t t = 2; t < 20000; t += 2) {
        log_image(&m, 1, OP_START, 0x10000, 0x1000, t, "comes.dll");
        log_image(&m, 1, OP_END, 0x10000, 0x1000, t + 1, "comes.dll");
    }
    assert_true(m.tally.images_dropped > 0);
    assert_string_equal(at(&m, 1, 0x7f0001, 9), "stays.dll");
    assert_string_equal(at(&m, 1, 0x10001, 19998), "comes.dll");
    assert_true(m.spaces[0].count <= 4096);
    model_fini(&m);
}

static void wild_bounds_are_survived(void **state)
{
    (void)state;
    struct model m;
    model_init(&m);
    log_image(&m, 1, OP_START, UINT64_MAX - 5, UINT64_MAX, 1, "end.sys");
    log_image(&m, 1, OP_START, 0, 0, 2, NULL);
    log_image(&m, 1, OP_START, 0, UINT64_MAX, 3, "all.dll");
    log_image(&m, 1, OP_END, 0x55, 0, 4, "never.dll");
    assert_string_equal(at(&m, 1, UINT64_MAX - 1, 5), "end.sys");
    assert_string_equal(at(&m, 1, 0x7fff, 5), "all.dll");
    model_fini(&m);
}

/* Through the engine: a Load of a 64-bit system, its Unload, and the pane's row. */
static void the_pane_shows_them(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, 1 << 16);
    const struct scene by = {.stage = s, .pid = 20, .tid = 21};
    stage_play(s);
    send_process(&by, 1, HOOK_START, 20, 1, "shell.exe");
    send_module(&by, 10, 0x030a, 20, 0x400000, "\\Device\\x.dll");
    send_module(&by, 20, 0x1402, 20, 0x400000, "\\Device\\x.dll");
    send_module(&by, 30, 0x1404, 0, KERNEL_BASE, "\\SystemRoot\\nt.exe");
    stage_finish(s);
    stage_request(s, "images");
    struct frame *f = stage_ask(s);
    assert_int_equal(f->shown, 2);
    const int row = row_named(f, "module", "\\Device\\x.dll");
    assert_true(row >= 0);
    assert_int_equal(cell(f, (unsigned)row, "base").count, 0x400000);
    assert_int_equal(cell(f, (unsigned)row, "size").count, 0x3000);
    assert_int_equal(cell(f, (unsigned)row, "pid").count, 20);
    assert_int_equal(amount(f, cell(f, (unsigned)row, "loads"), "loads"), 1);
    assert_int_equal(amount(f, cell(f, (unsigned)row, "unloads"), "unloads"), 1);
    assert_int_equal(amount(f, total(f, "listed"), "listed"), 1);
    frame_free(f);
    stage_close(s);
}

/* A scan that ends just as its time is over has seen everything: its frame shows the interval that
 * it says, not the one before. */
static void a_scan_may_end_late(void **state)
{
    (void)state;
    struct err err;
    struct stage *s = stage_open(1, 1 << 20, 1 << 16);
    const struct scene by = {.stage = s, .pid = 20, .tid = 21};
    s->collectors[0].kind = &stage_live;
    s->engine = engine_new(&(struct engine_options){.collectors = s->list, .collector_count = 1},
                           true, &err);
    assert_non_null(s->engine);
    engine_open_view(s->engine, 0);
    struct view *const v = s->engine->viewports[0].view;
    send_process(&by, 1, HOOK_START, 20, 1, "shell.exe");
    send_module(&by, 10, 0x1402, 20, 0x400000, "\\Device\\x.dll");
    send_module(&by, 20, 0x030a, 20, 0x400000, "\\Device\\x.dll");
    ring_complete(s->collectors[0].hot, 1500000000);
    engine_drain(s->engine);
    engine_pass_silence(s->engine);
    stage_request(s, "images")->accumulate = false;
    view_ask(v, &s->request);
    static const int64_t OVER = INT64_MIN;
    while (!view_is_complete(v))
        view_work(v, OVER);
    struct frame_maker maker;
    view_fill(v, &maker);
    struct frame *const f = maker_take(&maker);
    assert_int_equal(f->interval, 1);
    assert_int_equal(amount(f, total(f, "loads"), "loads"), 1);
    frame_free(f);
    view_free(v);
    engine_free(s->engine);
    ring_free(s->collectors[0].hot);
    free(s);
}

/* ---- churn -------------------------------------------------------------------------------- */

enum { STAYING = 300, COMING = 200000, PIDS = 997, FIRST_PID = 1000 };

static const char *library(char *out, size_t room, unsigned n)
{
    snprintf(out, room, "lib%u.so", n);
    return out;
}

/* One process that stays, and so many that come, map a file nobody else has, open one and go, that
 * every table has been full many times; the end of some is never reported. */
static void churn(struct model *m)
{
    char path[64];
    model_sources(m, 1);
    m->sources[0].is_linux = true;
    const uint32_t stays = model_process_start(m, 0, 7, 1, "stays")->number;
    for (unsigned i = 0; i < STAYING; i++)
        log_image(m, stays, OP_START, 0x10000 + i * 0x1000, 0x1000, 2,
                  library(path, sizeof path, i));
    for (unsigned i = 0; i < COMING; i++) {
        const int64_t now = 10 + (int64_t)i * 10;
        const uint32_t pid = FIRST_PID + i % PIDS;
        m->time = now;
        snprintf(path, sizeof path, "/tmp/build/%u", i);
        const uint32_t p = model_process_start(m, 0, pid, now, "comes")->number;
        model_thread_start(m, 0, pid, p, now);
        log_image(m, p, OP_START, 0x400000, 0x1000, now, path);
        model_file_named(m, 0, NAMESPACE_FILE, 0x100000 + i, path);
        model_thread_end(m, 0, pid, now + 9);
        if (i % 3)
            model_process_end(m, 0, pid, now + 9);
    }
}

static void churn_takes_nothing_from_who_stays(void **state)
{
    (void)state;
    struct model m;
    char path[64];
    model_init_for(&m, 1 << 16);
    churn(&m);
    const uint32_t stays = map_get(&m.process_now, model_id_key(0, 7));
    assert_string_equal(model_process_at(&m, stays)->name, "stays");
    for (unsigned i = 0; i < STAYING; i++)
        assert_string_equal(at(&m, stays, 0x10000 + i * 0x1000, 99), library(path, sizeof path, i));
    /* The newest are there as well, and no living thing had to go. */
    const uint32_t last = FIRST_PID + (COMING - 1) % PIDS;
    const uint32_t newest = map_get(&m.process_now, model_id_key(0, last));
    snprintf(path, sizeof path, "%u", COMING - 1);
    assert_string_equal(at(&m, newest, 0x400010, 10 + (COMING - 1) * 10ll), path);
    assert_int_equal(m.processes.evicted + m.threads.evicted + m.images.evicted, 0);
    assert_int_equal(m.files.evicted, 0);
    assert_true(m.images.recycled > COMING / 2 && m.files.recycled > COMING / 2);
    /* Maps hold what the tables hold. */
    assert_true(m.file_now.count <= m.files.places + m.bindings.places);
    assert_true(m.image_spaces.count <= m.images.places);
    model_fini(&m);
}

/* A small ring means small tables, and they grow for whatever lives. */
static void nothing_alive_is_refused(void **state)
{
    (void)state;
    enum { PROCESSES = 20000, MODULES_EACH = 4 };
    struct model m;
    char path[64];
    model_init_for(&m, 1 << 16);
    model_sources(&m, 1);
    for (unsigned i = 0; i < PROCESSES; i++) {
        const uint32_t pid = FIRST_PID + i;
        m.time = pid;
        const uint32_t p = model_process_start(&m, 0, pid, pid, "lives")->number;
        model_thread_start(&m, 0, pid, p, pid);
        for (unsigned n = 0; n < MODULES_EACH; n++) {
            snprintf(path, sizeof path, "lib%u-%u.so", i, n);
            log_image(&m, p, OP_START, 0x10000 + n * 0x1000, 0x1000, pid, path);
        }
        const struct connection_ends ends = {.remote_port = 443, .local_port = (uint16_t)pid};
        model_connection(&m, 0, &ends, p, OP_CONNECT, pid);
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        const uint32_t p = map_get(&m.process_now, model_id_key(0, FIRST_PID + i));
        assert_non_null(model_process_at(&m, p));
        assert_string_equal(model_process_at(&m, p)->name, "lives");
        assert_int_equal(model_process_at(&m, p)->threads, 1);
        snprintf(path, sizeof path, "lib%u-3.so", i);
        assert_string_equal(at(&m, p, 0x13000, FIRST_PID + i), path);
    }
    assert_int_equal(m.processes.evicted + m.threads.evicted + m.images.evicted, 0);
    assert_int_equal(m.files.evicted + m.connections.evicted, 0);
    model_fini(&m);
}

/* An old process whose end comes now stays as long as facts of now do, while others that ended long
 * ago make room. */
static void who_ended_long_ago_goes_first(void **state)
{
    (void)state;
    enum { OLD = 1 << 15, NOW = 1000000 };
    struct model m;
    struct facts facts;
    facts_init(&facts, 1 << 16);
    facts_add(&facts)->time = NOW;
    model_init_for(&m, 1 << 16);
    model_sources(&m, 1);
    m.facts = &facts;
    uint32_t old_process = 0, old_thread = 0;
    for (unsigned i = 0; i < OLD; i++) {
        const uint32_t pid = FIRST_PID + i;
        const uint32_t p = model_process_start(&m, 0, pid, i, "short")->number;
        const uint32_t t = model_thread_start(&m, 0, pid, p, i)->number;
        if (i == OLD / 2) {
            old_process = p;
            old_thread = t;
            continue;
        }
        model_thread_end(&m, 0, pid, i);
        model_process_end(&m, 0, pid, i);
    }
    model_thread_end(&m, 0, FIRST_PID + OLD / 2, NOW + 1);
    model_process_end(&m, 0, FIRST_PID + OLD / 2, NOW + 1);
    for (unsigned i = 0; i < OLD; i++) {
        const uint32_t p = model_process_start(&m, 0, i, NOW + 2, "next")->number;
        model_thread_start(&m, 0, i, p, NOW + 2);
        model_thread_end(&m, 0, i, NOW - 1);
        model_process_end(&m, 0, i, NOW - 1);
    }
    assert_non_null(model_process_at(&m, old_process));
    assert_non_null(generation_at(&m.threads, old_thread));
    assert_int_equal(m.tally.early_processes + m.tally.early_threads, 0);
    model_fini(&m);
    facts_fini(&facts);
}

/* A file that is written to again and again keeps its number and its name, however many others come
 * and go meanwhile. */
static void files_in_use_stay(void **state)
{
    (void)state;
    enum { USED = 200, OTHERS = 200000, EACH = 10 };
    static uint32_t used[USED];
    struct model m;
    char path[64];
    model_init_for(&m, 1 << 16);
    model_sources(&m, 1);
    m.sources[0].is_linux = true;
    for (unsigned i = 0; i < USED + OTHERS; i++) {
        m.time = i + 1;
        snprintf(path, sizeof path, "/tmp/%u", i);
        const uint32_t file = model_file_named(&m, 0, NAMESPACE_FILE, 0x1000 + i, path);
        model_file(&m, 0, NAMESPACE_FILE, 0x1000 + i); /* written to at once */
        if (i < USED)
            used[i] = file;
        for (unsigned n = 0; n < USED && i % EACH == 0 && i >= USED; n++)
            model_file(&m, 0, NAMESPACE_FILE, 0x1000 + n);
    }
    for (unsigned i = 0; i < USED; i++)
        assert_int_equal(model_file_known(&m, 0, NAMESPACE_FILE, 0x1000 + i), used[i]);
    assert_int_equal(m.files.evicted, 0);
    model_fini(&m);
}

/* Windows names once what was open before, and says what is closed: a file that stays open has its
 * name also when nobody has used it for long. */
static void open_files_keep_their_names(void **state)
{
    (void)state;
    enum { OTHERS = 200000 };
    struct model m;
    char path[64];
    model_init_for(&m, 1 << 16);
    model_sources(&m, 1);
    m.time = 1;
    const uint32_t log = model_file_named(&m, 0, NAMESPACE_OPEN, 0x1000, "C:\\a.log");
    for (unsigned i = 0; i < OTHERS; i++) {
        m.time++;
        snprintf(path, sizeof path, "C:\\tmp\\%u", i);
        model_file_named(&m, 0, NAMESPACE_OPEN, 0x2000 + i, path);
        m.time++;
        model_file_gone(&m, 0, NAMESPACE_OPEN, 0x2000 + i);
    }
    assert_int_equal(model_file_known(&m, 0, NAMESPACE_OPEN, 0x1000), log);
    assert_string_equal(model_file_at(&m, log)->name, "C:\\a.log");
    assert_int_equal(m.files.evicted, 0);
    assert_true(m.files.places <= 1 << 13); /* for that alone it does not grow */
    model_fini(&m);
}

/* Flows of UDP have no end, and openings are not always closed. */
static void flows_and_addresses_make_room(void **state)
{
    (void)state;
    struct model m;
    model_init_for(&m, 1 << 16);
    model_sources(&m, 1);
    struct connection_ends ends = {.remote_port = 443};
    const uint32_t tcp = model_connection(&m, 0, &ends, 1, OP_CONNECT, 1);
    for (unsigned i = 0; i < 100000; i++) {
        m.time = i;
        const struct connection_ends udp = {.is_udp = true,
                                            .local_port = (uint16_t)i,
                                            .remote_port = (uint16_t)(i >> 16)};
        model_connection(&m, 0, &udp, 1, OP_SEND, i);
        model_file_named(&m, 0, NAMESPACE_OPEN, 0x1000 + i, "/etc/one"); /* never closed */
    }
    assert_non_null(generation_at(&m.connections, tcp));
    assert_int_equal(m.connections.evicted, 0);
    assert_true(m.file_now.count <= m.files.places + m.bindings.places);
    const uint32_t one = model_file_called(&m, 0, NAMESPACE_OPEN, "/etc/one");
    assert_int_equal(model_file_named(&m, 0, NAMESPACE_OPEN, 0x999999, "/etc/one"), one);
    model_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_have_their_time),
        cmocka_unit_test(late_lists_count_from_the_start),
        cmocka_unit_test(a_load_ends_what_it_covers),
        cmocka_unit_test(the_kernel_is_everybodys),
        cmocka_unit_test(spaces_are_bounded),
        cmocka_unit_test(wild_bounds_are_survived),
        cmocka_unit_test(the_pane_shows_them),
        cmocka_unit_test(a_scan_may_end_late),
        cmocka_unit_test(churn_takes_nothing_from_who_stays),
        cmocka_unit_test(nothing_alive_is_refused),
        cmocka_unit_test(who_ended_long_ago_goes_first),
        cmocka_unit_test(files_in_use_stay),
        cmocka_unit_test(open_files_keep_their_names),
        cmocka_unit_test(flows_and_addresses_make_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
