#include "tests/stage.h"

static const struct scene *scene_of(struct stage *s, struct scene *room, uint32_t pid, uint32_t tid)
{
    *room = (struct scene){ .stage = s, .pid = pid, .tid = tid };
    return room;
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
    send_record(init, 1000000, 0x0008, 2, &(struct note){ .used = 0 });
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
    assert_int_equal(amount(f, cell(f, (unsigned)init, "disk_read")), 40960);
    assert_int_equal(amount(f, cell(f, (unsigned)writer, "disk_write")), 15000);
    uint64_t events = 0, read = 0, written = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        events += amount(f, cell(f, i, "events"));
        read += amount(f, cell(f, i, "disk_read"));
        written += amount(f, cell(f, i, "disk_write"));
    }
    assert_int_equal(events, amount(f, total(f, "events")));
    assert_int_equal(events, f->events);
    assert_int_equal(read, amount(f, total(f, "disk_read")));
    assert_int_equal(written, amount(f, total(f, "disk_write")));
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
    struct frame_row parent = { .flags = 0 };
    uint64_t bytes = 0;
    for (unsigned i = 0; i < f->row_count; i++)
        if (cell(f, i, "pid").count == 200 && cell(f, i, "disk").count == 0) {
            parent = f->rows[i];
            bytes = amount(f, cell(f, i, "total"));
            assert_int_equal(cell(f, i, "avg").ns, 200000);
            assert_int_equal(cell(f, i, "max").ns, 200000);
            assert_int_equal(cell(f, i, "p99").ns, 200000);
            assert_string_equal(text_of(f, cell(f, i, "file")), "\\Device\\two");
        }
    assert_int_equal(parent.crumb, CRUMB_DISK_PROCESS);
    assert_int_equal(bytes, 10000);
    frame_free(f);

    struct request *r = stage_request(s, "diskfiles");
    r->crumbs[0] = (struct crumb){ .kind = parent.crumb, .key = parent.key };
    r->crumb_count = 1;
    f = stage_ask(s);
    assert_int_equal(f->shown, 1);
    assert_string_equal(text_of(f, cell(f, 0, "path")), "\\Device\\two");
    assert_int_equal(amount(f, total(f, "total")), bytes);
    assert_string_equal(text_of(f, f->crumb_names[0]), "disk 0 · writer.exe 200");
    const struct frame_row file = f->rows[0];
    frame_free(f);

    r = stage_request(s, "events");
    r->crumbs[0] = (struct crumb){ .kind = parent.crumb, .key = parent.key };
    r->crumbs[1] = (struct crumb){ .kind = file.crumb, .key = file.key };
    r->crumb_count = 2;
    f = stage_ask(s);
    assert_int_equal(f->shown, 10);
    assert_string_equal(text_of(f, cell(f, 0, "event")), "Write");
    assert_non_null(strstr(text_of(f, cell(f, 0, "detail")), "TransferSize=1000"));
    frame_free(f);
    stage_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_add_up),
        cmocka_unit_test(disk_drills_to_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
