/* Ids and addresses that come back, traces that end early, machines of two pointer
 * sizes: names and totals belong to who did it. */
#include "tests/stage.h"

static const uint32_t TID = 70, PID_A = 700, PID_B = 800;

static const struct scene *from(struct scene *room, struct stage *s, unsigned collector)
{
    *room = (struct scene){.stage = s, .collector = collector, .pid = 4, .tid = EVENT_NO_ID};
    return room;
}

static struct frame *finish(struct stage *s, const char *pane)
{
    stage_finish(s);
    stage_play(s);
    stage_request(s, pane);
    return stage_ask(s);
}

/* Of the rows whose column has this text: how many, and the sum of another column. */
struct found {
    unsigned rows;
    uint64_t sum;
};

static struct found find(const struct frame *f, const char *column, const char *text,
                         const char *summed)
{
    struct found found = {0};
    for (unsigned i = 0; i < f->row_count; i++) {
        if (strcmp(text_of(f, cell(f, i, column)), text) != 0)
            continue;
        found.rows++;
        found.sum += amount(f, cell(f, i, summed), summed);
    }
    return found;
}

static void expect(const struct frame *f, const char *column, const char *text, const char *summed,
                   unsigned rows, uint64_t sum)
{
    const struct found found = find(f, column, text, summed);
    assert_int_equal(found.rows, rows);
    assert_int_equal(found.sum, sum);
}

/* ---- ids come back --------------------------------------------------------------------- */

/* A thread id goes from one process to another; both had their time on the processor. */
static void threads_come_back(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    const struct scene *by = from(&room, s, 0);
    send_process(by, 1, HOOK_DC_START, PID_A, 4, "a.exe");
    send_process(by, 2, HOOK_DC_START, PID_B, 4, "b.exe");
    send_thread(by, 3, HOOK_DC_START, PID_A, TID);
    send_switch(by, 1000, 0, TID);
    send_switch(by, 1300, TID, 0);
    send_thread(by, 1301, HOOK_END, PID_A, TID);
    send_thread(by, 1400, HOOK_START, PID_B, TID);
    send_ready(by, 1900, TID);
    send_switch(by, 2000, 0, TID);
    send_switch(by, 2050, TID, 0);
    struct frame *f = finish(s, "cpu");
    expect(f, "name", "a.exe", "run", 1, 300000);
    expect(f, "name", "b.exe", "run", 1, 50000);
    expect(f, "name", "a.exe", "ready", 1, 0);
    expect(f, "name", "b.exe", "ready", 1, 100000);
    expect(f, "name", "b.exe", "wait", 1, 0); /* the other one's wait is not his */
    assert_int_equal(amount(f, total(f, "csw"), "csw"), 4);
    frame_free(f);
    stage_close(s);
}

/* The switch to a ready thread was lost: what comes later is not the end of that wait.
 * And a time slice without length has its time before it all the same. */
static void lost_switches_leave_no_debt(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    const struct scene *by = from(&room, s, 0);
    send_process(by, 1, HOOK_DC_START, PID_A, 4, "a.exe");
    send_thread(by, 2, HOOK_DC_START, PID_A, TID);
    send_switch(by, 900, 0, 0);
    send_ready(by, 1000, TID);
    send_switch(by, 500000, TID, 0); /* the one to it is missing */
    send_ready(by, 500300, TID);
    send_switch(by, 500310, 0, TID);
    send_switch(by, 500310, TID, 0);
    struct frame *f = finish(s, "cpu");
    expect(f, "name", "a.exe", "ready", 1, 10000);
    expect(f, "name", "a.exe", "wait", 1, 300000);
    expect(f, "name", "a.exe", "run", 1, 0);
    frame_free(f);
    stage_close(s);
}

static void send_ends(const struct scene *s, int64_t us, uint16_t hook, uint32_t pid,
                      uint32_t bytes)
{
    struct note n = {.used = 0};
    put_u32(&n, pid);
    put_u32(&n, bytes);
    put_u32(&n, 0x0100000a); /* 10.0.0.1, the remote end */
    put_u32(&n, 0x0200000a);
    put_u16(&n, 0xbb01); /* 443 */
    put_u16(&n, 0x50c3); /* 50000 */
    for (unsigned i = 0; i < 6; i++)
        put_u64(&n, 0);
    send_record(s, us, hook, 2, &n);
}

enum { SEND = 0x060a, RECEIVE = 0x060b, CONNECT = 0x060c, DISCONNECT = 0x060d, COPY = 0x0612 };

static void connections_come_back(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    const struct scene *by = from(&room, s, 0);
    send_process(by, 1, HOOK_DC_START, PID_A, 4, "a.exe");
    send_process(by, 2, HOOK_DC_START, PID_B, 4, "b.exe");
    send_ends(by, 1000, CONNECT, PID_A, 0);
    send_ends(by, 1001, SEND, PID_A, 10);
    send_ends(by, 1002, RECEIVE, PID_A, 700);
    send_ends(by, 1003, COPY, PID_A, 700); /* the same bytes once more */
    send_ends(by, 1004, DISCONNECT, PID_A, 0);
    send_ends(by, 2000, CONNECT, PID_A, 0);
    send_ends(by, 2001, SEND, PID_A, 20);
    send_ends(by, 2002, CONNECT, PID_A, 0); /* that it was closed was not recorded */
    send_ends(by, 2003, SEND, PID_A, 30);
    send_ends(by, 2500, DISCONNECT, PID_A, 0);
    send_ends(by, 3000, SEND, PID_B, 40);
    struct frame *f = finish(s, "network");
    assert_int_equal(f->row_count, 4);
    expect(f, "raddr", "10.0.0.1:443", "send", 4, 100);
    expect(f, "laddr", "10.0.0.2:50000", "recv", 4, 700);
    expect(f, "name", "a.exe", "send", 3, 60);
    expect(f, "name", "b.exe", "send", 1, 40);
    expect(f, "state", "closed", "send", 2, 40);
    expect(f, "state", "connected", "send", 1, 20);
    expect(f, "state", "open", "send", 1, 40);
    frame_free(f);
    stage_close(s);
}

/* `wide`: addresses of 8 bytes. */
static void put_address(struct note *n, uint64_t address, bool wide)
{
    if (wide)
        put_u64(n, address);
    else
        put_u32(n, (uint32_t)address);
}

static void send_key(const struct scene *s, int64_t us, uint16_t hook, uint64_t handle,
                     uint32_t status, const char *name)
{
    struct note n = {.used = 0};
    put_u64(&n, 0);
    put_u32(&n, status);
    put_u32(&n, 0);
    put_u64(&n, handle);
    put_wide(&n, name);
    send_record(s, us, hook, 2, &n);
}

enum { KEY_OPEN = 0x090b, KEY_QUERY = 0x0910, KCB_CREATE = 0x0916, KCB_DELETE = 0x0917 };

/* An address is one key, then another; and the first key comes back at a third address. */
static void keys_come_back(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room = {.stage = s, .pid = PID_A, .tid = TID};
    const struct scene *by = &room;
    send_process(by, 1, HOOK_DC_START, PID_A, 4, "a.exe");
    send_thread(by, 3, HOOK_DC_START, PID_A, TID);
    send_key(by, 1000, KCB_CREATE, 0xb00, 0, "\\KEY\\one");
    send_key(by, 1001, KEY_QUERY, 0xb00, 0, "");
    send_key(by, 1002, KCB_DELETE, 0xb00, 0, "\\KEY\\one");
    send_key(by, 1003, KCB_CREATE, 0xb00, 0, "\\KEY\\two");
    send_key(by, 1004, KEY_QUERY, 0xb00, 0xc0000034u, "");
    send_key(by, 1005, KEY_QUERY, 0xb00, 0x80000005u, ""); /* a warning is an answer */
    send_key(by, 1006, KCB_CREATE, 0xc00, 0, "\\KEY\\one");
    send_key(by, 1007, KEY_QUERY, 0xc00, 0, "");
    send_key(by, 1008, KEY_OPEN, 0, 0, "\\KEY\\one"); /* whole paths have no address */
    send_key(by, 1009, KEY_OPEN, 0, 0, "\\KEY\\three");
    send_key(by, 1010, KEY_OPEN, 0, 0, "\\KEY\\three");
    struct frame *f = finish(s, "registry");
    assert_int_equal(f->row_count, 3);
    expect(f, "key", "\\KEY\\one", "opens", 1, 1);
    expect(f, "key", "\\KEY\\three", "opens", 1, 2);
    expect(f, "key", "\\KEY\\one", "ops", 1, 3);
    expect(f, "key", "\\KEY\\two", "ops", 1, 2);
    assert_true(cell(f, (unsigned)row_named(f, "key", "\\KEY\\one"), "fail").number == 0);
    assert_true(cell(f, (unsigned)row_named(f, "key", "\\KEY\\two"), "fail").number == 50);
    frame_free(f);
    stage_close(s);
}

static void send_open(const struct scene *s, int64_t us, uint64_t object, const char *path)
{
    struct note n = {.used = 0};
    put_u64(&n, 0x9000 + (uint64_t)us);
    put_u64(&n, object);
    put_u32(&n, TID);
    put_u32(&n, 0);
    put_u32(&n, 0);
    put_u32(&n, 0);
    put_wide(&n, path);
    send_record(s, us, 0x0440, 3, &n);
}

static void send_read(const struct scene *s, int64_t us, uint64_t object, uint64_t key,
                      uint32_t bytes)
{
    struct note n = {.used = 0};
    put_u64(&n, 0);
    put_u64(&n, 0x9000 + (uint64_t)us);
    put_u64(&n, object);
    put_u64(&n, key);
    put_u32(&n, TID);
    put_u32(&n, bytes);
    put_u32(&n, 0);
    send_record(s, us, 0x0443, 3, &n);
}

static void send_close(const struct scene *s, int64_t us, uint64_t object, uint64_t key)
{
    struct note n = {.used = 0};
    put_u64(&n, 0x9000 + (uint64_t)us);
    put_u64(&n, object);
    put_u64(&n, key);
    put_u32(&n, TID);
    send_record(s, us, 0x0442, 3, &n);
}

/* However often it is opened, and as what, a file is one row; an object that is used
 * again is another file. */
static void files_are_opened_again(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    const struct scene *by = from(&room, s, 0);
    send_thread(by, 3, HOOK_DC_START, PID_A, TID);
    for (unsigned i = 0; i < 3; i++) {
        send_open(by, 1000 + 10 * i, 0xf00 + i, "\\one");
        send_read(by, 1001 + 10 * i, 0xf00 + i, 0xaa0, 100);
    }
    send_close(by, 2000, 0xf01, 0xaa0);
    send_open(by, 2001, 0xf01, "\\two");
    send_read(by, 2002, 0xf01, 0xbb0, 5);
    send_read(by, 2003, 0xf00, 0xaa0, 1);
    send_disk(by, 2004, false, 0, 4096, 0xaa0, 10, TID);
    struct frame *f = finish(s, "files");
    assert_int_equal(f->row_count, 2);
    expect(f, "path", "\\one", "opens", 1, 3);
    expect(f, "path", "\\one", "read", 1, 301);
    expect(f, "path", "\\two", "opens", 1, 1);
    expect(f, "path", "\\two", "read", 1, 5);
    frame_free(f);
    stage_close(s);
}

/* Whose operation ended is not known where nobody saw it begin. */
static void strange_completions_are_nobodys(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    const struct scene *by = from(&room, s, 0);
    send_process(by, 1, HOOK_DC_START, PID_A, 4, "a.exe");
    send_thread(by, 2, HOOK_DC_START, PID_A, TID);
    send_switch(by, 1000, 0, TID);
    struct note n = {.used = 0};
    put_u64(&n, 0x1234);
    put_u64(&n, 0);
    put_u32(&n, 0xc0000034u);
    send_record(by, 1500, 0x044c, 3, &n);
    send_switch(by, 2000, TID, 0);
    struct frame *f = finish(s, "processes");
    expect(f, "name", "a.exe", "events", 1, 3); /* its listing, its thread's, and the stay */
    expect(f, "name", "(unknown)", "events", 1, 1);
    frame_free(f);
    stage_close(s);
}

/* ---- several machines ------------------------------------------------------------------------ */

/* Two traces; the first one ends while the second has two thirds before it. */
static void one_trace_ends_early(void **state)
{
    (void)state;
    struct stage *s = stage_open(2, 1 << 20, RING_SEGMENT);
    struct scene rooms[2];
    const char *const names[] = {"short.exe", "long.exe"};
    for (unsigned i = 0; i < 2; i++) {
        const struct scene *by = from(&rooms[i], s, i);
        send_process(by, 1, HOOK_DC_START, PID_A, 4, names[i]);
        send_thread(by, 2, HOOK_DC_START, PID_A, TID);
        for (int64_t us = 1000; us < (i ? 3000000 : 1000000); us += 1000)
            send_disk(by, us + i, false, 0, 10 + i, 0xaa0, 100, TID);
        send_file_name(by, i ? 3000000 : 1000000, 36, 0xaa0, names[i]);
    }
    struct frame *f = finish(s, "processes");
    expect(f, "name", "short.exe", "disk_read", 1, 999 * 10);
    expect(f, "name", "long.exe", "disk_read", 1, 2999 * 11);
    assert_int_equal(amount(f, total(f, "disk_read"), "disk_read"), 999 * 10 + 2999 * 11);
    assert_int_equal(f->late, 0);
    frame_free(f);
    stage_request(s, "diskfiles");
    f = stage_ask(s);
    expect(f, "path", "short.exe", "reads", 1, 999);
    expect(f, "path", "long.exe", "reads", 1, 2999);
    frame_free(f);
    stage_close(s);
}

/* As send_record() with a PERFINFO header, of a machine with 4-byte pointers. */
static void send_narrow(const struct scene *s, int64_t us, uint16_t hook, uint8_t version,
                        const struct note *payload)
{
    enum { PERFINFO32 = 16 };
    struct note n = {.used = 0};
    put_u16(&n, version);
    put_u8(&n, PERFINFO32);
    put_u8(&n, 0xc0);
    put_u16(&n, (uint16_t)(16 + payload->used));
    put_u16(&n, hook);
    put_u64(&n, (uint64_t)us * 10);
    put(&n, payload->bytes, payload->used);
    const struct record_head head = {
        .bytes = (uint32_t)(sizeof head + n.used), .form = RECORD_ETW, .cpu = s->cpu, .ts = us * 10};
    assert_true(ring_put(s->stage->collectors[s->collector].hot, &head, n.bytes));
}

/* The same acts on a machine of 64 bits and on one of 32: what addresses name is found at
 * the place that each has it. */
static void send_acts(const struct scene *by, int64_t us, bool wide, const char *path)
{
    struct note n = {.used = 0};
    put_address(&n, 0xaa0, wide);
    put_wide(&n, path);
    (wide ? send_record : send_narrow)(by, us, 0x0400, 2, &n);
    n.used = 0;
    put_u32(&n, 0); /* disk */
    put_u32(&n, 0);
    put_u32(&n, wide ? 64 : 32); /* bytes */
    put_u32(&n, 0);
    put_u64(&n, 4096);
    put_address(&n, 0xaa0, wide);
    put_address(&n, 0x1000, wide);
    put_u64(&n, 1000);
    put_u32(&n, TID);
    (wide ? send_record : send_narrow)(by, us + 1, 0x010a, 3, &n);
    n.used = 0;
    put_u64(&n, (uint64_t)us * 10); /* a hard fault */
    put_u64(&n, 0);
    put_address(&n, 0x7000, wide);
    put_address(&n, 0xaa0, wide);
    put_u32(&n, TID);
    put_u32(&n, wide ? 6400 : 3200);
    (wide ? send_record : send_narrow)(by, us + 2, 0x0220, 2, &n);
    n.used = 0;
    put_address(&n, 0x10000, wide); /* an allocation */
    put_address(&n, wide ? 640000 : 320000, wide);
    put_u32(&n, PID_A);
    put_u32(&n, 0x1000);
    (wide ? send_record : send_narrow)(by, us + 3, 0x0262, 2, &n);
}

static void pointers_have_two_sizes(void **state)
{
    (void)state;
    struct stage *s = stage_open(2, 1 << 20, RING_SEGMENT);
    const char *const names[] = {"wide.exe", "narrow.exe"};
    for (unsigned i = 0; i < 2; i++) {
        struct scene room;
        const struct scene *by = from(&room, s, i);
        send_process(by, 1, HOOK_DC_START, PID_A, 4, names[i]);
        send_thread(by, 2, HOOK_DC_START, PID_A, TID);
        send_acts(by, 1000, i == 0, names[i]);
    }
    struct frame *f = finish(s, "memory");
    expect(f, "name", "wide.exe", "hard_bytes", 1, 6400);
    expect(f, "name", "narrow.exe", "hard_bytes", 1, 3200);
    expect(f, "name", "wide.exe", "alloc", 1, 640000);
    expect(f, "name", "narrow.exe", "alloc", 1, 320000);
    expect(f, "file", "wide.exe", "hard", 1, 1);
    expect(f, "file", "narrow.exe", "hard", 1, 1);
    frame_free(f);
    stage_request(s, "diskfiles");
    f = stage_ask(s);
    expect(f, "path", "wide.exe", "read", 1, 64);
    expect(f, "path", "narrow.exe", "read", 1, 32);
    frame_free(f);
    stage_close(s);
}

/* Only the machine as it runs has this process: elsewhere its id is another's. */
static void only_live_rows_are_this_process(void **state)
{
    (void)state;
    for (unsigned is_live = 0; is_live < 2; is_live++) {
        struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
        s->collectors[0].kind = is_live ? &stage_live : &stage_file;
        struct scene room;
        const struct scene *by = from(&room, s, 0);
        send_process(by, 1, HOOK_DC_START, os_process_id(), 4, "ours.exe");
        send_process(by, 2, HOOK_DC_START, PID_B, 4, "b.exe");
        stage_finish(s);
        stage_play(s);
        stage_request(s, "processes");
        struct frame *f = stage_ask(s);
        expect(f, "name", "ours.exe", "csw", 1, 0);
        const unsigned rows = f->row_count;
        frame_free(f);
        stage_request(s, "processes")->hides = HIDE_SELF;
        f = stage_ask(s);
        assert_int_equal(f->row_count, rows - is_live);
        assert_int_equal(f->hidden, is_live);
        expect(f, "name", "ours.exe", "csw", !is_live, 0);
        frame_free(f);
        stage_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_come_back),
        cmocka_unit_test(lost_switches_leave_no_debt),
        cmocka_unit_test(connections_come_back),
        cmocka_unit_test(keys_come_back),
        cmocka_unit_test(files_are_opened_again),
        cmocka_unit_test(strange_completions_are_nobodys),
        cmocka_unit_test(one_trace_ends_early),
        cmocka_unit_test(pointers_have_two_sizes),
        cmocka_unit_test(only_live_rows_are_this_process),
    };
    return cmocka_run_group_tests_name("lives of ids", tests, NULL, NULL);
}
