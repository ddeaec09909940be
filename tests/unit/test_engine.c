#include "tests/sanitizer.h"
#include "tests/stage.h"

#include "src/pane/panes.h"

#include <stdio.h>

static const struct scene *scene_of(struct stage *s, struct scene *room, uint32_t pid, uint32_t tid)
{
    *room = (struct scene){.stage = s, .pid = pid, .tid = tid};
    return room;
}

static uint32_t roll(uint32_t *prng)
{
    *prng = *prng * 1664525 + 1013904223;
    return *prng >> 8;
}

/* Two processes, one of them the creator of the other, read and write. */
static void play_disk(struct stage *s)
{
    struct scene room;
    const struct scene *init = scene_of(s, &room, 100, 101);
    send_process(init, 1000, HOOK_DC_START, 100, 4, "init.exe");
    send_thread(init, 1001, HOOK_DC_START, 100, 101);
    send_process(init, 2000, HOOK_START, 200, 100, "writer.exe");
    send_thread(init, 2001, HOOK_START, 200, 201);
    for (unsigned i = 0; i < 10; i++) {
        send_disk(init, 10000 + i * 1000, false, 0, 4096, 0xf00, 500, 101);
        send_disk(init, 10100 + i * 1000, true, 0, 1000, 0xbaa, 200, 201);
        send_disk(init, 10200 + i * 1000, true, 1, 500, 0xf00, 300, 201);
    }
    send_file_name(init, 30000, 36, 0xf00, "\\Device\\one");
    send_file_name(init, 30001, 36, 0xbaa, "\\Device\\two");
    send_record(init, 1000000, 0x0008, 2, &(struct note){.used = 0});
}

static void processes_add_up(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    play_disk(s);
    stage_finish(s);
    stage_play(s);
    stage_request(s, "processes");
    struct frame *f = stage_ask(s);
    assert_int_equal(f->state, STATE_FINISHED);
    assert_int_equal(f->events, 37);
    const int init = row_named(f, "name", "init.exe"), writer = row_named(f, "name", "writer.exe");
    assert_true(init >= 0 && writer >= 0);
    assert_int_equal(cell(f, (unsigned)writer, "pid").count, 200);
    assert_int_equal(cell(f, (unsigned)writer, "ppid").count, 100);
    assert_int_equal(cell(f, (unsigned)writer, "threads").count, 1);
    assert_string_equal(text_of(f, cell(f, (unsigned)writer, "cmd")), "writer.exe");
    assert_int_equal(amount(f, cell(f, (unsigned)init, "disk_read"), "disk_read"), 40960);
    assert_int_equal(amount(f, cell(f, (unsigned)writer, "disk_write"), "disk_write"), 15000);
    uint64_t events = 0, read = 0, written = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        events += amount(f, cell(f, i, "events"), "events");
        read += amount(f, cell(f, i, "disk_read"), "disk_read");
        written += amount(f, cell(f, i, "disk_write"), "disk_write");
    }
    assert_int_equal(events, amount(f, total(f, "events"), "events"));
    assert_int_equal(events, f->events);
    assert_int_equal(read, amount(f, total(f, "disk_read"), "disk_read"));
    assert_int_equal(written, amount(f, total(f, "disk_write"), "disk_write"));
    frame_free(f);
    stage_close(s);
}

static void disk_drills_to_files(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    play_disk(s);
    stage_finish(s);
    stage_play(s);
    stage_request(s, "disk");
    struct frame *f = stage_ask(s);
    assert_int_equal(f->shown, 3);
    struct frame_row parent = {.flags = 0};
    uint64_t bytes = 0;
    for (unsigned i = 0; i < f->row_count; i++)
        if (cell(f, i, "pid").count == 200 && cell(f, i, "disk").count == 0) {
            parent = f->rows[i];
            bytes = amount(f, cell(f, i, "total"), "total");
            assert_int_equal(cell(f, i, "avg").ns, 200000);
            assert_int_equal(cell(f, i, "max").ns, 200000);
            assert_int_equal(cell(f, i, "p99").ns, 200000);
            assert_string_equal(text_of(f, cell(f, i, "file")), "\\Device\\two");
        }
    assert_int_equal(parent.crumb, CRUMB_DISK_PROCESS);
    assert_int_equal(bytes, 10000);
    frame_free(f);

    struct request *r = stage_request(s, "diskfiles");
    r->crumbs[0] = (struct crumb){.kind = parent.crumb, .key = parent.key};
    r->crumb_count = 1;
    f = stage_ask(s);
    assert_int_equal(f->shown, 1);
    assert_string_equal(text_of(f, cell(f, 0, "path")), "\\Device\\two");
    assert_int_equal(amount(f, total(f, "total"), "total"), bytes);
    assert_string_equal(text_of(f, f->crumbs[0].name), "disk 0 · writer.exe 200");
    const struct frame_row file = f->rows[0];
    frame_free(f);

    r = stage_request(s, "events");
    r->crumbs[0] = (struct crumb){.kind = parent.crumb, .key = parent.key};
    r->crumbs[1] = (struct crumb){.kind = file.crumb, .key = file.key};
    r->crumb_count = 2;
    f = stage_ask(s);
    assert_int_equal(f->shown, 10);
    assert_string_equal(text_of(f, cell(f, 0, "event")), "Write");
    assert_non_null(strstr(text_of(f, cell(f, 0, "detail")), "TransferSize=1000"));
    frame_free(f);
    stage_close(s);
}

/* ---- identity -------------------------------------------------------------------------- */

/* A pid that comes back is somebody else: rows, names and sums stay apart. */
static void pids_come_back(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    const struct scene *by = scene_of(s, &room, 4, 8);
    send_process(by, 1000, HOOK_START, 500, 4, "first.exe");
    send_thread(by, 1001, HOOK_START, 500, 501);
    send_disk(by, 2000, false, 0, 111, 0, 100, 501);
    send_thread(by, 3000, HOOK_END, 500, 501);
    send_process(by, 3001, HOOK_END, 500, 4, "first.exe");
    send_disk(by, 3500, false, 0, 5, 0, 100, 501); /* completes after its thread's end */
    send_process(by, 4000, HOOK_START, 500, 4, "second.exe");
    send_thread(by, 4001, HOOK_START, 500, 501);
    send_disk(by, 5000, false, 0, 222, 0, 100, 501);
    stage_finish(s);
    stage_play(s);
    stage_request(s, "processes");
    struct frame *f = stage_ask(s);
    const int first = row_named(f, "name", "first.exe"),
              second = row_named(f, "name", "second.exe");
    assert_true(first >= 0 && second >= 0);
    assert_int_equal(cell(f, (unsigned)first, "pid").count, 500);
    assert_int_equal(cell(f, (unsigned)second, "pid").count, 500);
    assert_int_equal(amount(f, cell(f, (unsigned)first, "disk_read"), "disk_read"), 116);
    assert_int_equal(amount(f, cell(f, (unsigned)second, "disk_read"), "disk_read"), 222);
    assert_true(f->rows[first].flags & ROW_EXITED);
    assert_false(f->rows[second].flags & ROW_EXITED);
    assert_int_equal(cell(f, (unsigned)first, "age").ns, 2001000);
    frame_free(f);
    stage_close(s);
}

/* A start and an end that were lost: the rundown's other name is another process. */
static void another_name_is_another_process(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    const struct scene *by = scene_of(s, &room, 4, 8);
    send_process(by, 1000, HOOK_DC_START, 500, 4, "old.exe");
    send_tcp(by, 2000, true, 500, 10);
    send_process(by, 3000, HOOK_DC_END, 500, 4, "new.exe");
    send_tcp(by, 4000, true, 500, 20);
    stage_finish(s);
    stage_play(s);
    stage_request(s, "processes");
    struct frame *f = stage_ask(s);
    const int old = row_named(f, "name", "old.exe"), new = row_named(f, "name", "new.exe");
    assert_true(old >= 0 && new >= 0);
    assert_int_equal(amount(f, cell(f, (unsigned)old, "net_send"), "net_send"), 10);
    assert_int_equal(amount(f, cell(f, (unsigned)new, "net_send"), "net_send"), 20);
    frame_free(f);
    stage_close(s);
}

/* Samples of a thread nobody named yet stand under (unknown); the rundown at the end
 * moves them to their process, totals and drill-down alike. */
static void threads_learned_late(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    const struct scene *by = scene_of(s, &room, 0, EVENT_NO_ID);
    for (unsigned i = 0; i < 30; i++)
        send_sample(by, 1000 + i * 1000, i % 3 == 0 ? 701 : i % 3 == 1 ? 702 : 0);
    stage_play(s);
    while (engine_figures(s->engine).events < 30)
        os_sleep(100000);
    stage_request(s, "processes");
    struct frame *f = stage_ask_now(s);
    int unknown = row_named(f, "name", "(unknown)");
    assert_true(unknown >= 0);
    assert_int_equal(cell(f, (unsigned)unknown, "samples").count, 20);
    assert_int_equal(cell(f, (unsigned)row_named(f, "name", "(idle)"), "samples").count, 10);
    assert_true(cell(f, (unsigned)unknown, "cpu").is_estimated);
    frame_free(f);

    send_process(by, 50000, HOOK_DC_END, 700, 4, "late.exe");
    send_thread(by, 50001, HOOK_DC_END, 700, 701);
    stage_finish(s);
    f = stage_ask(s);
    unknown = row_named(f, "name", "(unknown)");
    const int late = row_named(f, "name", "late.exe");
    assert_true(unknown >= 0 && late >= 0);
    assert_int_equal(cell(f, (unsigned)unknown, "samples").count, 10);
    assert_int_equal(cell(f, (unsigned)late, "samples").count, 10);
    assert_int_equal(total(f, "samples").count, 30);
    const struct row_key key = f->rows[late].key;
    frame_free(f);

    struct request *r = stage_request(s, "processes");
    r->crumbs[0] = (struct crumb){.kind = CRUMB_PROCESS, .key = key};
    r->crumb_count = 1;
    f = stage_ask(s);
    assert_int_equal(f->shown, 1);
    assert_int_equal(cell(f, 0, "samples").count, 10);
    frame_free(f);
    stage_close(s);
}

/* A file's name comes with the rundown at the end and is right for what was before;
 * an address that was given up and taken again is another file. */
static void files_named_late(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    const struct scene *by = scene_of(s, &room, 4, 8);
    send_thread(by, 1, HOOK_DC_START, 4, 8);
    send_disk(by, 1000, false, 0, 100, 0xaa0, 10, 8);
    send_file_name(by, 2000, 35, 0xaa0, "\\gone");
    send_disk(by, 3000, false, 0, 200, 0xaa0, 10, 8);
    send_file_name(by, 4000, 36, 0xaa0, "\\there");
    stage_finish(s);
    stage_play(s);
    stage_request(s, "diskfiles");
    struct frame *f = stage_ask(s);
    assert_int_equal(f->shown, 2);
    const int gone = row_named(f, "path", "\\gone"), there = row_named(f, "path", "\\there");
    assert_true(gone >= 0 && there >= 0);
    assert_int_equal(amount(f, cell(f, (unsigned)gone, "read"), "read"), 100);
    assert_int_equal(amount(f, cell(f, (unsigned)there, "read"), "read"), 200);
    frame_free(f);
    stage_close(s);
}

/* ---- idle rows, and rows that keep their order -------------------------------------------- */

/* Sends bytes of the processes 10, 20, 30 … in a second, then something of System in the
 * next one, so that the second is over. */
static void play_second(const struct stage *s, const struct scene *by, unsigned second,
                        const uint32_t *bytes, unsigned count)
{
    const uint64_t before = engine_figures(s->engine).events;
    unsigned sent = 1;
    for (unsigned i = 0; i < count; i++)
        if (bytes[i] && ++sent)
            send_tcp(by, second * 1000000 + 10 + i, true, 10 + i * 10, bytes[i]);
    send_tcp(by, (second + 1) * 1000000 + 5, false, 4, 1);
    while (engine_figures(s->engine).events < before + sent)
        os_sleep(100000);
}

/* The pids shown, in order, with a blank behind each. */
static const char *pids_of(const struct frame *f)
{
    static char text[256];
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < f->row_count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%u ",
                                 (unsigned)cell(f, i, "pid").count);
    return text;
}

static const char *pids_now(struct stage *s)
{
    struct frame *f = stage_ask_now(s);
    const char *pids = pids_of(f);
    frame_free(f);
    return pids;
}

static struct stage *busy_stage(struct scene *by)
{
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    scene_of(s, by, 4, EVENT_NO_ID);
    for (unsigned i = 0; i < 5; i++)
        send_process(by, 1 + i, HOOK_DC_START, 10 + i * 10, 4, "some.exe");
    stage_play(s);
    while (engine_figures(s->engine).events < 5)
        os_sleep(100000);
    return s;
}

static struct request *ask_senders(struct stage *s)
{
    struct request *r = stage_request(s, "processes");
    r->accumulate = false;
    r->sort = (unsigned)(pane_column(r->pane, "net_send") - r->pane->columns);
    return r;
}

static void idle_rows_are_hidden_and_counted(void **state)
{
    (void)state;
    struct scene by;
    struct stage *s = busy_stage(&by);
    play_second(s, &by, 1, (const uint32_t[]){100, 50, 0, 7}, 4);
    struct request *r = ask_senders(s);
    struct frame *f = stage_ask_now(s);
    assert_int_equal(f->hidden, 0);
    const uint64_t all = f->shown, bytes = amount(f, total(f, "net_send"), "net_send");
    assert_int_equal(bytes, 157);
    frame_free(f);
    r->hides_idle = true;
    f = stage_ask_now(s);
    assert_string_equal(pids_of(f), "10 20 40 ");
    assert_int_equal(f->shown, 3);
    assert_int_equal(f->hidden, all - 3);
    assert_int_equal(amount(f, total(f, "net_send"), "net_send"), bytes);
    frame_free(f);
    snprintf(r->filter, sizeof r->filter, "20"); /* both leave rows out: each counts once */
    f = stage_ask_now(s);
    assert_string_equal(pids_of(f), "20 ");
    assert_int_equal(f->hidden, all - 1);
    frame_free(f);
    r->filter[0] = '\0';
    play_second(s, &by, 2, (const uint32_t[]){0, 0, 3}, 3);
    f = stage_ask_now(s);
    assert_string_equal(pids_of(f), "30 4 "); /* System closed the second before */
    frame_free(f);
    r->accumulate = true; /* what did something ever since */
    f = stage_ask_now(s);
    assert_int_equal(f->hidden, 0);
    frame_free(f);
    stage_finish(s);
    stage_close(s);
}

static bool has_row_of(struct stage *s, uint32_t pid)
{
    struct frame *const f = stage_ask_now(s);
    bool has = false;
    for (unsigned i = 0; i < f->row_count; i++)
        has |= cell(f, i, "pid").count == pid;
    frame_free(f);
    return has;
}

/* In every pane whose rows are a process's, not in that of processes alone. */
static void rows_of_the_exited_leave(void **state)
{
    (void)state;
    struct scene by;
    struct stage *s = busy_stage(&by);
    play_second(s, &by, 1, (const uint32_t[]){100, 50}, 2);
    struct request *r = stage_request(s, "network");
    r->accumulate = false;
    assert_true(has_row_of(s, 10));
    send_process(&by, 2000007, HOOK_END, 10, 4, "some.exe");
    play_second(s, &by, 2, (const uint32_t[]){0, 3}, 2);
    play_second(s, &by, 3, (const uint32_t[]){0, 3}, 2);
    assert_true(has_row_of(s, 10)); /* for a while */
    for (unsigned second = 4; second <= 15; second++)
        play_second(s, &by, second, (const uint32_t[]){0, 3}, 2);
    assert_false(has_row_of(s, 10));
    assert_true(has_row_of(s, 20));
    r->group = GROUPED_BY_NAME; /* which it was in then, all the same */
    struct frame *const f = stage_ask_now(s);
    const int row = row_named(f, "name", "some.exe");
    assert_true(row >= 0);
    assert_non_null(strstr(text_of(f, cell(f, (unsigned)row, "trend")), " 150 "));
    frame_free(f);
    r->group = GROUPED_NOT;
    r->accumulate = true;
    assert_true(has_row_of(s, 10));
    stage_finish(s);
    stage_close(s);
}

/* A second in which processes 10, 20 … send as many bytes and then exit. */
static void exit_in_second(const struct stage *s, const struct scene *by, unsigned second,
                           const uint32_t *bytes, unsigned count)
{
    const uint64_t before = engine_figures(s->engine).events;
    for (unsigned i = 0; i < count; i++) {
        send_tcp(by, second * 1000000 + 10 + i, true, 10 + i * 10, bytes[i]);
        send_process(by, second * 1000000 + 500000 + i, HOOK_END, 10 + i * 10, 4, "some.exe");
    }
    send_tcp(by, (second + 1) * 1000000 + 5, false, 4, 1);
    while (engine_figures(s->engine).events < before + 2 * count + 1)
        os_sleep(100000);
}

/* Where more than a screenful have exited, one row stands for them: with their sums, and a way to
 * them. */
static void many_exited_share_a_row(void **state)
{
    (void)state;
    enum { SCREENFUL = 3 };
    struct scene by;
    struct stage *s = busy_stage(&by);
    exit_in_second(s, &by, 1, (const uint32_t[]){100, 50, 25, 5}, 4);
    struct request *r = ask_senders(s);
    r->rows = 3 * SCREENFUL;
    struct frame *f = stage_ask_now(s);
    const uint64_t all = f->shown;
    frame_free(f);
    r->folds_exited = true;
    f = stage_ask_now(s);
    const int row = row_named(f, "name", "(exited: 4) some.exe 4");
    assert_true(row >= 0);
    assert_int_equal(f->shown, all - 4 + 1);
    assert_int_equal(f->hidden, 0);
    assert_int_equal(amount(f, cell(f, (unsigned)row, "net_send"), "net_send"), 180);
    assert_int_equal(amount(f, total(f, "net_send"), "net_send"), 180);
    assert_int_equal(f->rows[row].flags & ROW_EXITED, ROW_EXITED);
    assert_int_equal(f->rows[row].crumb, CRUMB_GROUP);
    const struct row_key key = f->rows[row].key;
    frame_free(f);
    r->rows = 3 * 5;
    f = stage_ask_now(s); /* still: half a screenful would have rows of their own */
    assert_int_equal(f->shown, all - 4 + 1);
    frame_free(f);
    r->rows = 3 * 9;
    f = stage_ask_now(s);
    assert_int_equal(f->shown, all);
    frame_free(f);
    r->rows = 3 * SCREENFUL;
    snprintf(r->filter, sizeof r->filter, "some"); /* who asks for rows has them */
    f = stage_ask_now(s);
    assert_int_equal(f->row_count, 5);
    frame_free(f);
    r->filter[0] = '\0';
    /* inside they have rows of their own */
    r->crumbs[0] = (struct crumb){.kind = CRUMB_GROUP, .key = key};
    r->crumb_count = 1;
    f = stage_ask_now(s);
    assert_string_equal(pids_of(f), "10 20 30 40 ");
    frame_free(f);
    r->group = GROUPED_BY_NAME;
    f = stage_ask_now(s);
    assert_true(row_named(f, "name", "some.exe (4)") >= 0);
    frame_free(f);
    stage_finish(s);
    stage_close(s);
}

/* Two traces of which one is 17 years older: samples of half a minute would have numbers before
 * time began. */
static void samples_of_many_years_keep_their_length(void **state)
{
    (void)state;
    static const int64_t YEARS_US = 17 * 365 * 86400ll * 1000000;
    struct scene by;
    struct stage *const s = busy_stage(&by);
    const struct command c = {.kind = COMMAND_INTERVAL, .number = 30e9};
    send_tcp(&by, YEARS_US, false, 4, 1);
    send_tcp(&by, YEARS_US + 1000000, false, 4, 1);
    stage_finish(s);
    frame_free((stage_request(s, "processes"), stage_ask(s)));
    engine_command(s->engine, &c);
    struct frame *const f = stage_ask(s);
    assert_int_equal(f->sample_ns, 1000000000);
    frame_free(f);
    stage_close(s);
}

/* Where there are no rows, none is sorted: this is for the sanitizers. */
static void an_empty_pane_keeps_its_order(void **state)
{
    (void)state;
    struct scene by;
    struct stage *const s = busy_stage(&by);
    stage_request(s, "interrupts")->locks_order = true;
    stage_finish(s);
    struct frame *const f = stage_ask(s);
    assert_int_equal(f->row_count, 0);
    frame_free(f);
    stage_close(s);
}

/* The row of whoever has exited fades before it goes; in sums over all the time nothing goes. */
static void exited_rows_fade_and_go(void **state)
{
    (void)state;
    static const int64_t MS = 1000000;
    static const struct {
        int64_t stay; /* the exit is half a second ago */
        bool accumulates, fades;
    } cases[] = {{2000 * MS, false, false}, {900 * MS, false, true}, {900 * MS, true, false}};
    struct scene by;
    struct stage *s = busy_stage(&by);
    exit_in_second(s, &by, 1, (const uint32_t[]){100}, 1);
    struct request *r = ask_senders(s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        r->exited_ns = cases[i].stay;
        r->accumulate = cases[i].accumulates;
        struct frame *f = stage_ask_now(s);
        int row = 0;
        while (row < (int)f->row_count && cell(f, (unsigned)row, "pid").count != 10)
            row++;
        assert_in_range(row, 0, (int)f->row_count - 1);
        assert_int_equal(f->rows[row].flags & (ROW_EXITED | ROW_LEAVING),
                         cases[i].fades ? ROW_EXITED | ROW_LEAVING : ROW_EXITED);
        frame_free(f);
    }
    stage_finish(s);
    stage_close(s);
}

static void rows_keep_their_order(void **state)
{
    (void)state;
    struct scene by;
    struct stage *s = busy_stage(&by);
    play_second(s, &by, 1, (const uint32_t[]){100, 50, 10}, 3);
    struct request *r = ask_senders(s);
    r->hides_idle = true;
    assert_string_equal(pids_now(s), "10 20 30 ");
    r->locks_order = true;
    assert_string_equal(pids_now(s), "10 20 30 ");
    play_second(s, &by, 2, (const uint32_t[]){1, 60, 500, 800, 900}, 5);
    assert_string_equal(pids_now(s), "10 20 30 50 40 4 "); /* new ones last, sorted */
    r->freeze = true;
    assert_string_equal(pids_now(s), "10 20 30 50 40 4 ");
    r->freeze = false;
    play_second(s, &by, 3, (const uint32_t[]){0, 5, 6, 7}, 4);
    assert_string_equal(pids_now(s), "20 30 40 4 ");
    play_second(s, &by, 4, (const uint32_t[]){9, 5, 6, 7}, 4);
    assert_string_equal(pids_now(s), "10 20 30 40 4 "); /* back in its old place */
    r->has_anchor = true; /* where rows start follows the order held */
    r->anchor_line = 1;
    struct frame *f = stage_ask_now(s);
    r->anchor = f->rows[2].key;
    frame_free(f);
    f = stage_ask_now(s);
    assert_int_equal(f->first, 1);
    assert_int_equal(f->anchor_row, 1);
    assert_int_equal(cell(f, 1, "pid").count, 30);
    frame_free(f);
    r->has_anchor = false;
    r->ascending = true; /* another order: it is the one that is held from now on */
    assert_string_equal(pids_now(s), "4 20 30 40 10 ");
    play_second(s, &by, 5, (const uint32_t[]){1, 2, 3, 4}, 4);
    assert_string_equal(pids_now(s), "4 20 30 40 10 ");
    r->locks_order = false;
    assert_string_equal(pids_now(s), "4 10 20 30 40 ");
    stage_finish(s);
    stage_close(s);
}

/* ---- the scheduler ------------------------------------------------------------------------ */

/* Two processes of a thread each, and who sends for them. */
static void meet_ten_and_twenty(struct stage *s, struct scene *by)
{
    scene_of(s, by, 4, 8);
    send_process(by, 1, HOOK_DC_START, 10, 4, "ten.exe");
    send_process(by, 2, HOOK_DC_START, 20, 4, "twenty.exe");
    send_thread(by, 3, HOOK_DC_START, 10, 11);
    send_thread(by, 4, HOOK_DC_START, 20, 21);
    by->tid = EVENT_NO_ID;
}

/* Of a range, the last processor in it. */
static void a_range_has_its_last_processor(void **state)
{
    (void)state;
    enum { MS = 1000, MS_NS = 1000000 };
    static const struct {
        int64_t from, to;
        unsigned cpu;
    } rows[] = {{0, 300, 0}, {500, 800, 1}, {0, 0, 0}, {100, 750, 1}, {850, 1050, 0}};
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene by;
    meet_ten_and_twenty(s, &by);
    for (int64_t i = 0; i < 3; i++) {
        by.cpu = i == 1;
        send_switch(&by, (100 + 400 * i) * MS, 0, 11);
        send_switch(&by, (200 + 400 * i) * MS, 11, 0);
    }
    stage_finish(s);
    stage_play(s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct request *const r = stage_request(s, "cpu");
        r->from_ns = rows[i].from * MS_NS;
        r->to_ns = rows[i].to * MS_NS;
        struct frame *const f = stage_ask(s);
        unsigned row = 0;
        while (row < f->row_count && cell(f, row, "tid").count != 11)
            row++;
        assert_true(row < f->row_count);
        assert_int_equal(cell(f, row, "cpu").count, rows[i].cpu);
        frame_free(f);
    }
    stage_close(s);
}

/* Time on processors, waits to run, and a thread that nobody interrupts. */
static void switches_give_time(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    struct scene *by = &room;
    meet_ten_and_twenty(s, by);
    send_switch(by, 100000, 0, 11);
    send_ready(by, 150000, 21);
    send_switch(by, 200000, 11, 21); /* 11 ran 100 ms; 21 was ready for 50 */
    send_switch(by, 500000, 21, 0);  /* 21 ran 300 ms */
    by->cpu = 1;
    send_switch(by, 600000, 0, 11); /* and 11 stays on processor 1 */
    by->cpu = 0;
    send_switch(by, 3600001, 0, 0);
    stage_play(s);
    while (engine_figures(s->engine).events < 10)
        os_sleep(100000);
    struct request *r = stage_request(s, "processes");
    r->accumulate = false;
    struct frame *f = stage_ask_now(s);
    const int busy = row_named(f, "name", "ten.exe");
    assert_true(cell(f, (unsigned)busy, "cpu").number > 49.99);
    assert_true(cell(f, (unsigned)busy, "cpu").number < 50.01); /* one of two processors */
    assert_true(f->cpu_percent > 49.99 && f->cpu_percent < 50.01);
    assert_false(f->is_total);
    frame_free(f);
    stage_finish(s);
    f = stage_ask(s);
    assert_true(f->is_total); /* over: the whole says more than its last interval */
    const int ten = row_named(f, "name", "ten.exe"), twenty = row_named(f, "name", "twenty.exe");
    assert_true(ten >= 0 && twenty >= 0);
    /* Until the end of the last whole interval: 3.000001 s. */
    assert_int_equal(cell(f, (unsigned)ten, "cpu_time").ns, 100000000 + 2400001000);
    assert_int_equal(cell(f, (unsigned)twenty, "cpu_time").ns, 300000000);
    assert_int_equal(amount(f, cell(f, (unsigned)twenty, "ready"), "ready"), 50000000);
    assert_int_equal(amount(f, cell(f, (unsigned)twenty, "csw"), "csw"), 1);
    assert_false(cell(f, (unsigned)ten, "cpu").is_estimated);
    frame_free(f);
    /* Narrowed to the process, the slices of its long stay count as well. */
    r = stage_request(s, "processes");
    f = stage_ask(s);
    const struct row_key key = f->rows[row_named(f, "name", "ten.exe")].key;
    frame_free(f);
    r->crumbs[0] = (struct crumb){.kind = CRUMB_PROCESS, .key = key};
    r->crumb_count = 1;
    f = stage_ask(s);
    assert_int_equal(total(f, "cpu_time").ns, 100000000 + 2400001000);
    frame_free(f);
    stage_close(s);
}

/* Switches that come when their interval is over: whose stay it was has been counted up to there,
 * and a processor has no more time than there is. */
static void late_switches_make_no_time(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    struct scene *by = &room;
    meet_ten_and_twenty(s, by);
    send_switch(by, 100000, 0, 11);
    by->cpu = 1;
    send_switch(by, 1200000, 0, 0); /* the first interval is over: 11 has had 0.9 s of it */
    by->cpu = 0;
    send_switch(by, 400000, 11, 21);
    send_switch(by, 600000, 21, 11);
    send_switch(by, 1500000, 11, 0);
    stage_play(s);
    stage_finish(s);
    stage_request(s, "processes");
    struct frame *f = stage_ask(s);
    const int ten = row_named(f, "name", "ten.exe"), twenty = row_named(f, "name", "twenty.exe");
    assert_true(ten >= 0 && twenty >= 0);
    assert_int_equal(f->late_classes, 1u << FACT_SWITCH);
    assert_int_equal(cell(f, (unsigned)ten, "cpu_time").ns +
                         cell(f, (unsigned)twenty, "cpu_time").ns,
                     1400000000);
    frame_free(f);
    stage_close(s);
}

/* ---- what the user asks -------------------------------------------------------------------- */

static void play_many(struct stage *s, unsigned processes)
{
    struct scene room;
    const struct scene *by = scene_of(s, &room, 4, EVENT_NO_ID);
    for (unsigned i = 1; i <= processes; i++) {
        char name[32];
        snprintf(name, sizeof name, i % 2 ? "Odd%03u.exe" : "even%03u.exe", i);
        send_process(by, i * 10, HOOK_DC_START, i * 4, 4, name);
        send_tcp(by, i * 10 + 1, true, i * 4, i * 100);
    }
    send_record(by, 2000000, 0x0008, 2, &(struct note){.used = 0});
}

static void filters_hide_rows(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        unsigned shown, hidden;
    } cases[] = {
        {"", 41, 0},
        {"odd", 20, 21},
        {"Odd", 20, 21},
        {"oDd", 0, 41},
        {"odd 003", 1, 40},
        {"!odd", 21, 20},
        {"not odd !even", 1, 40},
        {"!", 41, 0},
        {"\"odd003.\"", 1, 40},
        {"160", 1, 40},
    };
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    play_many(s, 40);
    stage_finish(s);
    stage_play(s);
    struct request *r = stage_request(s, "processes");
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(r->filter, sizeof r->filter, "%s", cases[i].filter);
        struct frame *f = stage_ask(s);
        if (f->shown != cases[i].shown || f->hidden != cases[i].hidden)
            fail_msg("filter '%s': %u shown, %u hidden", cases[i].filter, (unsigned)f->shown,
                     (unsigned)f->hidden);
        uint64_t sent = 0;
        for (unsigned n = 0; n < f->row_count; n++)
            sent += amount(f, cell(f, n, "net_send"), "net_send");
        assert_int_equal(sent, amount(f, total(f, "net_send"), "net_send"));
        frame_free(f);
    }
    stage_close(s);
}

/* More rows than can be matched in one frame: partial frames lead to the right one. */
static void many_rows_are_matched(void **state)
{
    (void)state;
    enum { ROWS = THREADS_ARE_SANITIZED ? 10000 : 40000 };
    struct stage *s = stage_open(1, 16 << 20, RING_SEGMENT);
    struct scene room;
    const struct scene *by = scene_of(s, &room, 4, EVENT_NO_ID);
    unsigned expected = 0;
    for (unsigned pid = 1; pid <= ROWS; pid++) {
        char digits[16];
        send_tcp(by, pid, true, pid, 1);
        snprintf(digits, sizeof digits, "%u", pid);
        expected += strstr(digits, "77") != NULL;
    }
    stage_finish(s);
    stage_play(s);
    struct request *r = stage_request(s, "processes");
    snprintf(r->filter, sizeof r->filter, "77");
    struct frame *f = stage_ask(s);
    assert_int_equal(f->shown, expected);
    assert_int_equal(f->hidden, ROWS - expected);
    assert_int_equal(amount(f, total(f, "net_send"), "net_send"), expected);
    frame_free(f);
    stage_close(s);
}

/* Whatever the order, the anchor keeps its line, and its row is the same. */
static void the_cursor_belongs_to_a_row(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    play_many(s, 40);
    stage_finish(s);
    stage_play(s);
    struct request *r = stage_request(s, "processes");
    struct frame *f = stage_ask(s);
    r->anchor = f->rows[row_named(f, "name", "Odd021.exe")].key;
    frame_free(f);
    r->has_anchor = true;
    r->anchor_line = 5;
    r->rows = 10;
    for (unsigned i = 0; i < r->pane->column_count * 2; i++) {
        r->sort = i / 2;
        r->ascending = i % 2;
        f = stage_ask(s);
        assert_true(f->anchor_row >= 0);
        assert_true(f->anchor_row == 5 || f->first == 0);
        assert_string_equal(text_of(f, cell(f, (unsigned)f->anchor_row, "name")), "Odd021.exe");
        frame_free(f);
    }
    r->anchor.a = 0x7fffffff;
    r->first = 39;
    f = stage_ask(s);
    assert_int_equal(f->anchor_row, -1);
    assert_int_equal(f->first, 39);
    assert_int_equal(f->row_count, 2);
    frame_free(f);
    stage_close(s);
}

static void rows_are_sorted(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    play_many(s, 300);
    stage_finish(s);
    stage_play(s);
    struct request *r = stage_request(s, "processes");
    r->sort = (unsigned)(pane_column(r->pane, "net_send") - r->pane->columns);
    r->rows = 7;
    for (r->first = 0; r->first < 300; r->first += 31) {
        struct frame *f = stage_ask(s);
        for (unsigned i = 0; i < f->row_count && r->first + i < 300; i++)
            assert_int_equal(amount(f, cell(f, i, "net_send"), "net_send"), (300 - r->first - i) * 100);
        frame_free(f);
    }
    stage_close(s);
}

/* Frozen: the picture stands while collection goes on; thawed, it has caught up. */
static void freezing_holds_the_picture(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    const struct scene *by = scene_of(s, &room, 4, EVENT_NO_ID);
    send_process(by, 1, HOOK_DC_START, 40, 4, "talker.exe");
    send_tcp(by, 2, true, 40, 100);
    stage_play(s);
    while (engine_figures(s->engine).events < 2)
        os_sleep(100000);
    struct request *r = stage_request(s, "processes");
    r->freeze = true;
    frame_free(stage_ask_now(s));
    send_tcp(by, 3000000, true, 40, 900);
    stage_finish(s);
    struct frame *f = stage_ask(s);
    assert_true(f->is_frozen);
    assert_int_equal(f->instant, 2000);
    assert_int_equal(f->events, 3);
    int row = row_named(f, "name", "talker.exe");
    assert_int_equal(amount(f, cell(f, (unsigned)row, "net_send"), "net_send"), 100);
    const struct row_key key = f->rows[row].key;
    frame_free(f);
    struct request *events = stage_request(s, "events");
    events->freeze = true;
    events->crumb_count = 1;
    events->crumbs[0] = (struct crumb){.kind = CRUMB_PROCESS, .key = key};
    f = stage_ask(s);
    assert_int_equal(f->shown, 2);
    frame_free(f);
    r = stage_request(s, "processes");
    f = stage_ask(s);
    assert_false(f->is_frozen);
    row = row_named(f, "name", "talker.exe");
    assert_int_equal(amount(f, cell(f, (unsigned)row, "net_send"), "net_send"), 1000);
    frame_free(f);
    stage_close(s);
}

/* What was frozen can be read in full however often the ring laps afterwards. */
static void frozen_records_stay(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 64 * 1024, 4096);
    struct scene room;
    const struct scene *by = scene_of(s, &room, 4, EVENT_NO_ID);
    for (unsigned i = 1; i <= 300; i++)
        send_tcp(by, i, true, 40, i);
    stage_play(s);
    while (engine_figures(s->engine).events < 300)
        os_sleep(100000);
    struct request *r = stage_request(s, "events");
    r->freeze = true;
    frame_free(stage_ask_now(s));
    for (unsigned i = 301; i <= 20000; i++)
        send_tcp(by, i, true, 40, i);
    stage_finish(s);
    struct frame *f = stage_ask(s);
    assert_int_equal(f->shown, 300);
    for (unsigned i = 0; i < 300; i++) {
        char size[32];
        snprintf(size, sizeof size, "size=%u ", i + 1);
        assert_non_null(strstr(text_of(f, cell(f, i, "detail")), size));
    }
    frame_free(f);
    r->freeze = false;
    r->first = 0;
    f = stage_ask(s);
    assert_int_equal(f->shown, 20000);
    assert_string_equal(text_of(f, cell(f, 0, "detail")), "(overwritten)");
    r->has_anchor = r->detail = true;
    r->anchor = f->rows[0].key;
    frame_free(f);
    f = stage_ask(s);
    assert_int_equal(f->fields[0].text.type, VALUE_INSTANT);
    assert_string_equal(text_of(f, f->fields[f->field_count - 1].name), "(overwritten)");
    assert_int_equal(f->payload_bytes, 0);
    r->has_anchor = r->detail = false;
    frame_free(f);
    stage_close(s);
}

/* The text of the row of that name in an event's details. */
static const char *detail_of(const struct frame *f, const char *name)
{
    for (size_t i = 0; i < f->field_count; i++)
        if (strcmp(text_of(f, f->fields[i].name), name) == 0)
            return text_of(f, f->fields[i].text);
    fail_msg("details have no row '%s'", name);
    return "";
}

/* Events in order, by filter, to the tail, with the fields of one. */
static void events_are_listed(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    play_many(s, 40);
    stage_finish(s);
    stage_play(s);
    struct request *r = stage_request(s, "events");
    r->rows = 10;
    struct frame *f = stage_ask(s);
    assert_int_equal(f->shown, 81);
    const int64_t first = cell(f, 0, "time").ns;
    assert_int_equal(first, 10000);
    assert_int_equal(cell(f, 1, "dt").ns, 1000);
    assert_string_equal(text_of(f, cell(f, 0, "provider")), "Process");
    assert_non_null(strstr(text_of(f, cell(f, 1, "detail")), "size=100"));
    frame_free(f);
    r->follow_tail = true;
    f = stage_ask(s);
    assert_int_equal(f->first, 71);
    assert_int_equal(cell(f, 9, "time").ns, 2000000000);
    frame_free(f);
    r->follow_tail = false;
    snprintf(r->filter, sizeof r->filter, "odd !process");
    f = stage_ask(s);
    assert_int_equal(f->shown, 20);
    assert_int_equal(f->hidden, 61);
    r->crumb_count = 1; /* what crumbs leave out is not hidden by the filter */
    r->crumbs[0] = (struct crumb){.kind = CRUMB_KIND, .key.a = 3}; /* the second kind met */
    const struct row_key third = f->rows[3].key;
    frame_free(f);
    f = stage_ask(s);
    assert_int_equal(f->shown, 20);
    assert_int_equal(f->hidden, 20);
    assert_string_equal(text_of(f, f->crumbs[0].name), "TcpIp SendIPV4");
    r->crumb_count = 0;
    r->has_anchor = true;
    r->anchor = third;
    r->anchor_line = 1;
    r->detail = true;
    frame_free(f);
    f = stage_ask(s);
    assert_int_equal(f->anchor_row, 1);
    assert_string_equal(text_of(f, cell(f, 1, "name")), "Odd007.exe");
    assert_true(f->field_count >= 9);
    assert_int_equal(f->fields[0].text.type, VALUE_INSTANT);
    assert_string_equal(detail_of(f, "Provider"), "TcpIp");
    assert_non_null(strstr(detail_of(f, "Event"), "SendIPV4, version"));
    assert_non_null(strstr(detail_of(f, "By"), "Odd007.exe 28"));
    assert_string_equal(detail_of(f, "Schema"), "built in");
    assert_string_equal(detail_of(f, "PID"), "28");
    assert_int_equal(f->payload_bytes, 40);
    double since;
    assert_int_equal(sscanf(detail_of(f, "Since start"), "%lf s", &since), 1);
    assert_int_equal((int64_t)(since * 1e9 + 0.5), cell(f, 1, "time").ns - first);
    frame_free(f);
    stage_close(s);
}

/* A manifest event of Kernel-Process: a new priority of a thread. */
static void send_priority(const struct scene *s, int64_t us, uint8_t version, size_t trailing)
{
    enum { HEADER64 = 0x13, HEADER_BYTES = 80, PRIORITY_CHANGE = 8 };
    static const uint8_t provider[] = {0xd6, 0x2c, 0xfb, 0x22, 0x7b, 0x0e, 0x2b, 0x42,
                                       0xa0, 0xc7, 0x2f, 0xad, 0x1f, 0xd0, 0xe7, 0x16};
    struct note n = {.used = 0};
    put_u16(&n, (uint16_t)(HEADER_BYTES + 10 + trailing));
    put_u16(&n, 0xc000 | HEADER64);
    put_u32(&n, 0);
    put_u32(&n, s->tid);
    put_u32(&n, s->pid);
    put_u64(&n, (uint64_t)us * 10);
    put(&n, provider, sizeof provider);
    put_u16(&n, PRIORITY_CHANGE);
    put_u8(&n, version);
    while (n.used < HEADER_BYTES)
        put_u8(&n, 0);
    put_u32(&n, 100);
    put_u32(&n, 200);
    put_u8(&n, 8);
    put_u8(&n, 9);
    while (trailing--)
        put_u8(&n, 0xee);
    const struct record_head head = {.bytes = (uint32_t)(sizeof head + n.used),
                                     .form = RECORD_ETW,
                                     .cpu = s->cpu,
                                     .ts = us * 10};
    assert_true(ring_put(s->stage->collectors[s->collector].hot, &head, n.bytes));
}

/* Manifest events have built-in names and fields; details say when these are of a lower version. */
static void manifest_events_have_names_and_fields(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, 4096);
    stage_play(s);
    struct scene room;
    const struct scene *by = scene_of(s, &room, 4, 8);
    send_priority(by, 1000, 0, 0);
    send_priority(by, 2000, 9, 3);
    stage_finish(s);
    struct request *r = stage_request(s, "events");
    r->rows = 10;
    r->has_anchor = r->detail = true;
    static const char *const schemas[] = {"built in", "built in, version 0 (the event: version 9)"};
    for (unsigned i = 0; i < 2; i++) {
        struct frame *f = stage_ask(s);
        assert_int_equal(f->shown, 2);
        assert_non_null(strstr(text_of(f, cell(f, i, "detail")), "NewPriority=9"));
        r->anchor = f->rows[i].key;
        frame_free(f);
        f = stage_ask(s);
        assert_string_equal(detail_of(f, "Provider"), "Microsoft-Windows-Kernel-Process");
        assert_non_null(strstr(detail_of(f, "Event"), "CpuPriorityChange"));
        assert_string_equal(detail_of(f, "Schema"), schemas[i]);
        assert_string_equal(detail_of(f, "Level"), "0 (LogAlways)");
        assert_string_equal(detail_of(f, "Opcode"), "0 (Info)");
        assert_string_equal(detail_of(f, "NewPriority"), "9");
        if (i)
            assert_string_equal(detail_of(f, "(trailing bytes)"), "3 bytes from offset 0xa");
        frame_free(f);
    }
    stage_close(s);
}

/* What the ring has overwritten can still be listed, without its fields. */
static void the_window_outlives_the_ring(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 64 * 1024, 4096);
    stage_play(s);
    struct scene room;
    const struct scene *by = scene_of(s, &room, 4, EVENT_NO_ID);
    for (unsigned i = 0; i < 20000; i++)
        send_tcp(by, i, true, 40, 1);
    stage_finish(s);
    struct request *r = stage_request(s, "events");
    r->rows = 10;
    struct frame *f = stage_ask(s);
    assert_int_equal(f->shown, 20000);
    assert_string_equal(text_of(f, cell(f, 0, "detail")), "(overwritten)");
    frame_free(f);
    r->follow_tail = true;
    f = stage_ask(s);
    assert_non_null(strstr(text_of(f, cell(f, 9, "detail")), "size=1"));
    frame_free(f);
    stage_close(s);
}

/* ---- rings, loss, commands ------------------------------------------------------------------- */

/* Two sources are one timeline, and one that ends early holds nobody up. */
static void rings_merge_by_time(void **state)
{
    (void)state;
    struct stage *s = stage_open(2, 1 << 20, RING_SEGMENT);
    struct scene room;
    struct scene *by = &room;
    scene_of(s, by, 4, EVENT_NO_ID);
    for (unsigned i = 0; i < 100; i++) {
        by->collector = 0;
        send_tcp(by, 1000 + i * 20, true, 40, 1);
        by->collector = 1;
        if (i < 10)
            send_tcp(by, 1010 + i * 20, false, 40, 1);
    }
    ring_finish(s->collectors[1].hot);
    stage_play_with(s,
                    (struct engine_options){.interval_ns = 1000000000, .wait_ns = STAGE_TIMEOUT});
    while (engine_figures(s->engine).events < 110)
        os_sleep(100000);
    assert_int_equal(engine_figures(s->engine).late, 0);
    ring_finish(s->collectors[0].hot);
    struct request *r = stage_request(s, "events");
    struct frame *f = stage_ask(s);
    assert_int_equal(f->shown, 110);
    for (unsigned i = 1; i < f->row_count; i++)
        assert_true(cell(f, i, "time").ns >= cell(f, i - 1, "time").ns);
    frame_free(f);
    r = stage_request(s, "processes"); /* pid 40 of two machines are two processes */
    f = stage_ask(s);
    assert_int_equal(f->shown, 2);
    (void)r;
    frame_free(f);
    stage_close(s);
}

/* The first record is not always the oldest: rates are of the whole span all the same. */
static void the_beginning_is_the_oldest_event(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    struct scene *by = &room;
    scene_of(s, by, 4, EVENT_NO_ID);
    send_tcp(by, 500000, true, 40, 1);
    send_tcp(by, 100000, true, 40, 1);
    send_tcp(by, 500500, true, 40, 1);
    stage_finish(s);
    stage_play(s);
    stage_request(s, "processes");
    struct frame *f = stage_ask(s);
    assert_int_equal(f->events, 3);
    assert_int_equal(f->late, 0);
    assert_true(f->interval_s > 0.4 && f->interval_s < 0.41);
    frame_free(f);
    stage_close(s);
}

/* A header may count too few processors: those that run are there. Their numbers may have holes. */
static void processors_that_run_are_counted(void **state)
{
    (void)state;
    enum { CPUS = 4, SECOND = 1000000 };
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    s->collectors[0].sources[0].cpus = 1;
    struct scene room;
    struct scene *by = &room;
    scene_of(s, by, 4, EVENT_NO_ID);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        send_thread(by, cpu, HOOK_DC_START, 40 + cpu, 100 + cpu);
        send_thread(by, cpu, HOOK_DC_START, 40 + cpu, 200 + cpu);
    }
    for (unsigned i = 0; i < 3; i++)
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
            by->cpu = (uint16_t)(2 * cpu);
            const uint32_t one = 100 + cpu, other = 200 + cpu;
            send_switch(by, 1000 + i * (SECOND / 4), i % 2 ? other : one, i % 2 ? one : other);
        }
    stage_finish(s);
    stage_play(s);
    stage_request(s, "processes")->accumulate = true;
    struct frame *f = stage_ask(s);
    assert_int_equal(f->cpus, CPUS);
    if (f->cpu_percent < 99 || f->cpu_percent > 101)
        fail_msg("CPU %.1f %%", f->cpu_percent);
    for (unsigned i = 0; i < f->row_count; i++)
        assert_true(cell(f, i, "cpu").number < 25.5);
    frame_free(f);
    struct request *const r = stage_request(s, "processes");
    r->chart = (struct chart_look){.kind = CHART_CPUS, .columns = 16, .lanes = 16};
    f = stage_ask(s);
    assert_non_null(f->chart);
    assert_int_equal(f->chart->lanes, 2 * CPUS - 1);
    frame_free(f);
    stage_close(s);
}

/* A live source first reports what exists already, which takes a while: the first interval begins
 * with the first event that happens, and a time slice that goes on counts in it. */
static void the_beginning_is_what_happens(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    s->collectors[0].kind = &stage_live;
    s->collectors[0].sources[0].cpus = 1;
    struct scene room;
    struct scene *by = &room;
    scene_of(s, by, 4, EVENT_NO_ID);
    send_thread(by, 0, HOOK_DC_START, 4, 8);
    send_thread(by, 1000, HOOK_DC_START, 12, 16);
    send_switch(by, 400000, 8, 16);
    send_switch(by, 500000, 16, 8);
    send_switch(by, 550000, 8, 16);
    send_tcp(by, 600000, true, 40, 1); /* until then, thread 16 goes on */
    stage_play(s);
    while (engine_figures(s->engine).events < 6)
        os_sleep(1000000);
    stage_request(s, "processes");
    struct frame *f = stage_ask_now(s);
    assert_true(f->interval_s > 0.199 && f->interval_s < 0.201);
    assert_true(f->cpu_percent > 99 && f->cpu_percent < 101);
    frame_free(f);
    stage_finish(s);
    stage_close(s);
}

/* A silent source that says how far it is lets others pass; one that says nothing is
 * waited for, but not for ever, and what it sends then for an interval that is over is late. */
static void silence_is_waited_for(void **state)
{
    (void)state;
    struct stage *s = stage_open(2, 1 << 20, RING_SEGMENT);
    struct scene room;
    struct scene *by = &room;
    scene_of(s, by, 4, EVENT_NO_ID);
    send_tcp(by, 1000, true, 40, 1);
    ring_complete(s->collectors[1].hot, 1000000);
    send_tcp(by, 1200000, true, 40, 1); /* the first interval is over */
    stage_play_with(s, (struct engine_options){.interval_ns = 1000000000, .wait_ns = 100000000});
    while (engine_figures(s->engine).events < 1)
        os_sleep(100000);
    while (engine_figures(s->engine).events < 2) /* after the wait */
        os_sleep(100000);
    by->collector = 1;
    send_tcp(by, 1500, true, 40, 1);
    stage_finish(s);
    stage_request(s, "processes");
    struct frame *f = stage_ask(s);
    assert_int_equal(f->events, 3);
    assert_int_equal(f->late, 1);
    assert_int_equal(f->late_classes, 1u << FACT_NETWORK);
    frame_free(f);
    stage_close(s);
}

static void loss_is_shown(void **state)
{
    (void)state;
    struct stage *s = stage_open(2, 1 << 20, RING_SEGMENT);
    atomic_store(&s->collectors[0].loss.kernel, 3);
    atomic_store(&s->collectors[1].loss.kernel, 4);
    atomic_store(&s->collectors[0].loss.buffers, 5);
    atomic_store(&s->collectors[1].loss.skipped, 6);
    const struct record_head huge = {.bytes = 1 << 20, .form = RECORD_ETW};
    assert_null(ring_reserve(s->collectors[0].hot, &huge));
    const uint8_t damage[32] = {0};
    const struct record_head bad = {.bytes = sizeof bad + sizeof damage, .form = RECORD_ETW};
    assert_true(ring_put(s->collectors[0].hot, &bad, damage));
    stage_finish(s);
    stage_play(s);
    stage_request(s, "processes");
    struct frame *f = stage_ask(s);
    assert_int_equal(f->loss.kernel, 7);
    assert_int_equal(f->loss.realtime, 5);
    assert_int_equal(f->loss.ring, 1);
    assert_true(total(f, "events").is_incomplete);
    frame_free(f);
    const struct engine_figures figures = engine_figures(s->engine);
    assert_int_equal(figures.loss.decoder, 7);
    assert_int_equal(figures.undecoded, 1);
    stage_close(s);
}

/* Of a file one knows how much was lost, not when; live, when it was noticed. */
static void moments_of_loss_are_known_live(void **state)
{
    (void)state;
    for (unsigned is_live = 0; is_live < 2; is_live++) {
        struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
        s->collectors[0].kind = is_live ? &stage_live : &stage_file;
        atomic_store(&s->collectors[0].loss.kernel, 3);
        const struct scene by = {.stage = s, .pid = 4, .tid = 8};
        send_tcp(&by, 1000, true, 40, 1);
        stage_finish(s);
        stage_play(s);
        stage_request(s, "processes");
        s->request.about = ABOUT_MARKS;
        struct frame *f = stage_ask(s);
        while (f->loss.kernel != 3) { /* looked for now and then */
            frame_free(f);
            os_sleep(100000);
            f = stage_ask(s);
        }
        assert_int_equal(f->field_count, is_live);
        if (is_live)
            assert_memory_equal(f->arena + f->fields[0].text.text.offset, "loss of 3", 9);
        frame_free(f);
        stage_close(s);
    }
}

/* A collector announces a source before its first record: that is read, though the engine did not
 * know the source when it began. What no collector announces is damage. */
static void sources_may_come_later(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct collector *const c = &s->collectors[0];
    const struct scene first = {.stage = s, .pid = 4, .tid = 8};
    const struct scene second = {.stage = s, .pid = 4, .tid = 8, .source = 1};
    const struct scene unknown = {.stage = s, .pid = 4, .tid = 8, .source = 2};
    send_tcp(&first, 1000, true, 40, 1);
    stage_play(s);
    while (engine_figures(s->engine).events < 1)
        os_sleep(100000);
    c->sources[1] = c->sources[0];
    atomic_store(&c->source_count, 2);
    for (int64_t us = 1100; us < 1600; us += 100)
        send_tcp(&second, us, true, 40, 1);
    send_tcp(&unknown, 1700, true, 40, 1);
    stage_finish(s);
    stage_request(s, "network");
    struct frame *const f = stage_ask(s);
    assert_int_equal(f->events, 6);
    assert_int_equal(f->loss.decoder, 1);
    frame_free(f);
    stage_close(s);
}

/* One damaged time does not stop the clock, and a source that failed says so. */
static void one_wild_time_is_survived(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 4 << 20, RING_SEGMENT);
    struct scene room;
    const struct scene *by = scene_of(s, &room, 4, EVENT_NO_ID);
    send_tcp(by, 1000, true, 40, 1);
    send_tcp(by, 900000000000, true, 40, 1);
    stage_play(s);
    for (unsigned i = 0; i < 10000; i++)
        send_tcp(by, 2000 + i * 1000, true, 40, 1);
    while (engine_figures(s->engine).events < 10002)
        os_sleep(100000);
    struct request *r = stage_request(s, "processes");
    r->accumulate = false;
    struct frame *f = stage_ask_now(s);
    assert_int_equal(f->instant, 2000000 + 9999 * 1000000ll);
    assert_int_equal(amount(f, total(f, "events"), "events"), 1000);
    frame_free(f);
    atomic_store(&s->collectors[0].exit_status, 1);
    stage_finish(s);
    f = stage_ask(s);
    assert_int_equal(f->state, STATE_FAILED);
    frame_free(f);
    stage_close(s);
}

/* Commands are never dropped: a thousand marks are a thousand events. */
static void commands_are_kept(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    play_many(s, 3);
    stage_play(s);
    while (engine_figures(s->engine).events < 7)
        os_sleep(100000);
    for (unsigned i = 0; i < 1000; i++) {
        struct command c = {.kind = COMMAND_MARK};
        snprintf(c.text, sizeof c.text, "mark %u", i);
        engine_command(s->engine, &c);
    }
    engine_command(s->engine, &(struct command){.kind = COMMAND_PAUSE});
    engine_command(s->engine, &(struct command){.kind = COMMAND_SPEED, .number = 4});
    struct request *r = stage_request(s, "events");
    r->follow_tail = true;
    struct frame *f = stage_ask_now(s);
    assert_int_equal(f->shown, 1007);
    assert_int_equal(f->state, STATE_PAUSED);
    assert_true(atomic_load(&s->collectors[0].paused));
    assert_int_equal(atomic_load(&s->collectors[0].speed), 4);
    assert_string_equal(text_of(f, cell(f, f->row_count - 1, "event")), "Mark");
    assert_string_equal(text_of(f, cell(f, f->row_count - 1, "detail")),
                        "mark mark 999  │ Message=\"mark 999\"");
    frame_free(f);
    engine_command(s->engine, &(struct command){.kind = COMMAND_RESET});
    stage_request(s, "processes");
    stage_finish(s);
    f = stage_ask(s);
    assert_int_equal(f->shown, 0);
    frame_free(f);
    stage_close(s);
}

/* Who was on the processor at a reset has the time since then, and no more than there was. */
static void a_reset_parts_stays(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    s->collectors[0].kind = &stage_live;
    s->collectors[0].sources[0].cpus = 1;
    struct scene room;
    struct scene *by = &room;
    scene_of(s, by, 4, EVENT_NO_ID);
    send_thread(by, 0, HOOK_DC_START, 4, 8);
    send_thread(by, 1000, HOOK_DC_START, 12, 16);
    send_switch(by, 100000, 8, 16);
    send_tcp(by, 1800000, true, 40, 1); /* until the reset, 0.8 s of this interval */
    stage_play(s);
    while (engine_figures(s->engine).events < 4)
        os_sleep(1000000);
    engine_command(s->engine, &(struct command){.kind = COMMAND_RESET});
    stage_request(s, "processes");
    frame_free(stage_ask_now(s));
    send_switch(by, 3800000, 16, 8);
    stage_finish(s);
    struct frame *const f = stage_ask(s);
    assert_true(f->cpu_percent > 99.9 && f->cpu_percent < 100.1);
    assert_int_equal(total(f, "sum_time").ns, 2000000000);
    frame_free(f);
    stage_close(s);
}

static _Atomic int64_t stage_clock; /* ns since 1970 */

static int64_t stage_now(const struct collector *c)
{
    (void)c;
    return atomic_load(&stage_clock);
}

static void mark_at(struct stage *s, int64_t us, const char *text)
{
    struct command c = {.kind = COMMAND_MARK};
    atomic_store(&stage_clock, us * 1000);
    snprintf(c.text, sizeof c.text, "%s", text);
    engine_command(s->engine, &c);
}

/* What the list of events has, once there are so many: "1000 Send, 1500 Mark …". */
static void times_are(struct stage *s, uint64_t count, const char *expected)
{
    struct request *const r = stage_request(s, "events");
    r->rows = 100;
    char text[512] = "";
    for (uint64_t shown = 0; shown < count;) {
        struct frame *const f = stage_ask_now(s);
        shown = f->shown;
        assert_true(shown <= count);
        text[0] = '\0';
        for (unsigned i = 0; i < f->row_count; i++) {
            const size_t used = strlen(text);
            const bool is_mark = strcmp(text_of(f, cell(f, i, "event")), "Mark") == 0;
            snprintf(text + used, sizeof text - used, "%s%lld%s", used ? " " : "",
                     (long long)(cell(f, i, "time").ns / 1000), is_mark ? "m" : "");
        }
        frame_free(f);
        if (shown < count)
            os_sleep(1000000);
    }
    assert_string_equal(text, expected);
}

/* A live mark has the time at which it was asked for, and stands among the events of that time
 * whenever they come. */
static void marks_are_of_their_moment(void **state)
{
    (void)state;
    static const struct collector_kind live = {
        .id = "stage", .help = "", .is_live = true, .now = stage_now};
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = 4, .tid = 8};
    s->collectors[0].kind = &live;
    send_tcp(&by, 100000, true, 40, 1);
    stage_play(s);
    while (engine_figures(s->engine).events < 1)
        os_sleep(100000);
    mark_at(s, 100500, "among what is to come");
    mark_at(s, 100400, "later than that, though the clock was set back");
    send_tcp(&by, 100200, true, 40, 1);
    send_tcp(&by, 100900, true, 40, 1);
    times_are(s, 5, "100000 100200 100500m 100500m 100900");
    mark_at(s, 101500, "before a silence");
    ring_complete(s->collectors[0].hot, 101400000);
    times_are(s, 5, "100000 100200 100500m 100500m 100900"); /* older events may still come */
    ring_complete(s->collectors[0].hot, 101500000);
    times_are(s, 6, "100000 100200 100500m 100500m 100900 101500m");
    mark_at(s, 103000, "while a source says nothing");
    atomic_store(&stage_clock, 103000000 + 3000000000ll); /* for three seconds */
    times_are(s, 7, "100000 100200 100500m 100500m 100900 101500m 103000m");
    stage_finish(s);
    stage_close(s);
}

/* A process whose name is still to come reads from the disk, live. */
static struct stage *begin_unnamed(int64_t names_ns)
{
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = 200, .tid = 201};
    s->collectors[0].kind = &stage_live;
    atomic_store(&s->collectors[0].is_naming, true);
    send_thread(&by, 1000, HOOK_DC_START, 200, 201);
    send_disk(&by, 2000, false, 0, 4096, 0xf00, 500, 201);
    ring_complete(s->collectors[0].hot, 3000000);
    stage_play_with(s, (struct engine_options){.interval_ns = 1000000000,
                                               .wait_ns = 50000000,
                                               .names_ns = names_ns});
    stage_request(s, "processes");
    engine_request(s->engine, &s->request);
    while (engine_figures(s->engine).events < 2)
        os_sleep(1000000);
    return s;
}

/* The first frame of a live source waits for names that its collector still reads … */
static void the_first_frame_waits_for_names(void **state)
{
    (void)state;
    struct stage *const s = begin_unnamed(STAGE_TIMEOUT);
    const struct scene by = {.stage = s, .pid = 200, .tid = 201};
    assert_null(engine_take_frame(s->engine));
    send_process(&by, 4000, HOOK_DC_START, 200, 100, "writer.exe");
    ring_complete(s->collectors[0].hot, 5000000);
    atomic_store(&s->collectors[0].is_naming, false);
    struct frame *const f =
        engine_wait_frame(s->engine, s->request.sequence, false, STAGE_TIMEOUT);
    assert_non_null(f);
    assert_true(row_named(f, "name", "writer.exe") >= 0);
    frame_free(f);
    stage_finish(s);
    stage_close(s);
}

/* … but not for ever. */
static void the_first_frame_comes_without_names(void **state)
{
    (void)state;
    struct stage *const s = begin_unnamed(1000000);
    struct frame *const f =
        engine_wait_frame(s->engine, s->request.sequence, false, STAGE_TIMEOUT);
    assert_non_null(f);
    assert_true(f->row_count > 0);
    assert_int_equal(cell(f, 0, "pid").count, 200);
    frame_free(f);
    stage_finish(s);
    stage_close(s);
}

/* Bytes nobody vouches for: kernel records of every hook with any payload, any time,
 * any processor, whole or cut. Every pane answers, and every event is counted. */
static void damaged_records_do_no_harm(void **state)
{
    (void)state;
    enum { EVENTS = 60000, TURNS = THREADS_ARE_SANITIZED ? 3 : 12 };
    struct stage *s = stage_open(1, 4 << 20, RING_SEGMENT);
    stage_play_with(s, (struct engine_options){.interval_ns = 1000000000, .facts = 40000});
    uint32_t prng = 99;
    for (unsigned i = 0; i < EVENTS; i++) {
        struct note n = {.used = 0};
        const struct scene by = {.stage = s,
                                 .cpu = (uint16_t)(roll(&prng) % 70000),
                                 .pid = roll(&prng) % 50,
                                 .tid = roll(&prng) % 5 ? 7 : EVENT_NO_ID};
        for (unsigned length = roll(&prng) % 100; length > 0; length--)
            put_u8(&n, (uint8_t)(roll(&prng) % 4 ? roll(&prng) % 3 : roll(&prng)));
        const uint32_t groups = 0x1a;
        const uint16_t hook = (uint16_t)((roll(&prng) % groups) << 8 | roll(&prng) % 80);
        int64_t us = i;
        if (roll(&prng) % 1000 == 0) /* a wild time */
            us = (int64_t)((uint64_t)roll(&prng) << 39) / 10;
        send_record(&by, us, hook, (uint8_t)(roll(&prng) % 6), &n);
    }
    stage_finish(s);
    for (unsigned i = 0; panes[i]; i++) {
        struct request *r = stage_request(s, panes[i]->id);
        for (unsigned turn = 0; turn < TURNS; turn++) {
            r->rows = 1 + roll(&prng) % 200;
            r->sort = roll(&prng) % 40;
            r->first = roll(&prng) % 50000;
            r->hides_idle = roll(&prng) % 3 == 0;
            r->locks_order = roll(&prng) % 2;
            r->accumulate = turn % 2;
            r->freeze = turn % 5 == 4;
            r->detail = r->has_anchor = turn % 3 == 1;
            r->anchor = (struct row_key){roll(&prng) % 30000, roll(&prng) % 3, 0, 0};
            r->anchor_line = (int)(roll(&prng) % 60) - 20;
            snprintf(r->filter, sizeof r->filter, "%s", turn % 4 == 3 ? "!1 e" : "");
            r->crumb_count = turn % 3;
            for (unsigned c = 0; c < r->crumb_count; c++)
                r->crumbs[c] = (struct crumb){.kind = (uint8_t)(roll(&prng) % 8),
                                              .key = {roll(&prng) % 60, roll(&prng) % 60, 0, 0}};
            struct frame *f = stage_ask(s);
            assert_int_equal(f->events, EVENTS);
            assert_true(f->row_count <= r->rows && f->first + f->row_count <= f->shown);
            assert_true(f->anchor_row < (int)f->row_count);
            frame_free(f);
        }
    }
    assert_int_equal(engine_figures(s->engine).facts, EVENTS);
    stage_close(s);
}

/* Stopping is possible at any moment: while it drains, scans, waits or rests. */
static void it_stops_at_any_moment(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 30; i++) {
        struct stage *s = stage_open(1 + i % 2, 1 << 20, RING_SEGMENT);
        play_many(s, 300);
        if (i % 3 == 0)
            stage_finish(s);
        stage_play(s);
        struct request *r = stage_request(s, i % 2 ? "events" : "processes");
        r->freeze = i % 5 == 0;
        snprintf(r->filter, sizeof r->filter, "odd");
        engine_request(s->engine, r);
        engine_command(s->engine, &(struct command){.kind = COMMAND_MARK, .text = "x"});
        os_sleep((int64_t)i * 200000);
        stage_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_add_up),
        cmocka_unit_test(marks_are_of_their_moment),
        cmocka_unit_test(disk_drills_to_files),
        cmocka_unit_test(pids_come_back),
        cmocka_unit_test(another_name_is_another_process),
        cmocka_unit_test(threads_learned_late),
        cmocka_unit_test(files_named_late),
        cmocka_unit_test(idle_rows_are_hidden_and_counted),
        cmocka_unit_test(rows_of_the_exited_leave),
        cmocka_unit_test(many_exited_share_a_row),
        cmocka_unit_test(samples_of_many_years_keep_their_length),
        cmocka_unit_test(an_empty_pane_keeps_its_order),
        cmocka_unit_test(exited_rows_fade_and_go),
        cmocka_unit_test(rows_keep_their_order),
        cmocka_unit_test(a_range_has_its_last_processor),
        cmocka_unit_test(switches_give_time),
        cmocka_unit_test(late_switches_make_no_time),
        cmocka_unit_test(filters_hide_rows),
        cmocka_unit_test(many_rows_are_matched),
        cmocka_unit_test(the_cursor_belongs_to_a_row),
        cmocka_unit_test(rows_are_sorted),
        cmocka_unit_test(freezing_holds_the_picture),
        cmocka_unit_test(frozen_records_stay),
        cmocka_unit_test(events_are_listed),
        cmocka_unit_test(manifest_events_have_names_and_fields),
        cmocka_unit_test(the_window_outlives_the_ring),
        cmocka_unit_test(rings_merge_by_time),
        cmocka_unit_test(the_beginning_is_the_oldest_event),
        cmocka_unit_test(processors_that_run_are_counted),
        cmocka_unit_test(the_beginning_is_what_happens),
        cmocka_unit_test(a_reset_parts_stays),
        cmocka_unit_test(silence_is_waited_for),
        cmocka_unit_test(loss_is_shown),
        cmocka_unit_test(moments_of_loss_are_known_live),
        cmocka_unit_test(sources_may_come_later),
        cmocka_unit_test(one_wild_time_is_survived),
        cmocka_unit_test(commands_are_kept),
        cmocka_unit_test(the_first_frame_waits_for_names),
        cmocka_unit_test(the_first_frame_comes_without_names),
        cmocka_unit_test(damaged_records_do_no_harm),
        cmocka_unit_test(it_stops_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
