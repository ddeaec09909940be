/* Cells say what is known, the whole of it, and nothing else. */
#include "tests/stage.h"

#include "src/frame/maker.h"

enum {
    HOOK_FAULT = 0x0200,
    HOOK_FILE_OPEN = 0x0440,
    HOOK_FILE_READ = 0x0443,
    HOOK_DIR_ENUM = 0x0448,
    HOOK_FILE_END = 0x044c,
    HOOK_DIR_NOTIFY = 0x044d,
    HOOK_CALL_ENTER = 0x0f33,
    HOOK_CALL_EXIT,
};

static struct stage *open_stage(struct scene *by, bool is_linux)
{
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    *by = (struct scene){.stage = s, .pid = 700, .tid = 70};
    s->collectors[0].sources[0].is_linux = is_linux;
    send_process(by, 1, HOOK_DC_START, 700, 4, "a.exe");
    send_thread(by, 2, HOOK_DC_START, 700, 70);
    send_switch(by, 3, 0, 70);
    return s;
}

static struct frame *look(struct stage *s, const char *pane, const char *filter)
{
    if (!s->engine) {
        stage_finish(s);
        stage_play(s);
    }
    struct request *const r = stage_request(s, pane);
    snprintf(r->filter, sizeof r->filter, "%s", filter);
    return stage_ask(s);
}

static bool is_absent(const struct frame *f, unsigned row, const char *column)
{
    return cell(f, row, column).type == VALUE_ABSENT;
}

/* ---- files ------------------------------------------------------------------------------------- */

static void send_open(const struct scene *s, int64_t us, const char *path)
{
    struct note n = {.used = 0};
    put_u64(&n, 0x1000);
    put_u64(&n, 0xf00);
    put_u32(&n, 70);
    put_u32(&n, 0);
    put_u32(&n, 0);
    put_u32(&n, 0);
    put_wide(&n, path);
    send_record(s, us, HOOK_FILE_OPEN, 3, &n);
}

static void send_read(const struct scene *s, int64_t us, uint32_t bytes)
{
    struct note n = {.used = 0};
    put_u64(&n, 0);
    put_u64(&n, 0x1000);
    put_u64(&n, 0xf00);
    put_u64(&n, 0xf01);
    put_u32(&n, 70);
    put_u32(&n, bytes);
    put_u32(&n, 0);
    put_u32(&n, 0);
    send_record(s, us, HOOK_FILE_READ, 3, &n);
}

static void send_end(const struct scene *s, int64_t us, uint64_t extra, uint32_t status)
{
    struct note n = {.used = 0};
    put_u64(&n, 0x1000);
    put_u64(&n, extra);
    put_u32(&n, status);
    send_record(s, us, HOOK_FILE_END, 3, &n);
}

static void send_listing(const struct scene *s, int64_t us, uint16_t hook)
{
    struct note n = {.used = 0};
    put_u64(&n, 0x1000);
    put_u64(&n, 0xf00);
    put_u64(&n, 0xf01);
    put_u32(&n, 70);
    put_u32(&n, 4096);
    put_u32(&n, 1);
    put_u32(&n, 0);
    put_wide(&n, "*");
    send_record(s, us, hook, 3, &n);
}

/* What an open answers (opened, created) is no size. */
static void opens_have_no_size(void **state)
{
    (void)state;
    for (unsigned is_linux = 0; is_linux < 2; is_linux++) {
        struct scene by;
        struct stage *const s = open_stage(&by, is_linux);
        send_open(&by, 100, "\\a");
        send_end(&by, 110, 1, 0);
        send_read(&by, 120, 5000);
        send_end(&by, 130, 5000, 0);
        struct frame *f = look(s, "events", "op=open size>=1");
        assert_int_equal(f->row_count, 0);
        frame_free(f);
        f = look(s, "events", "op=open");
        assert_int_equal(f->row_count, 2);
        frame_free(f);
        f = look(s, "events", "op=read size=5000");
        assert_int_equal(f->row_count, is_linux ? 1 : 2);
        frame_free(f);
        stage_close(s);
    }
}

/* Who waits for changes of a directory lists nothing. */
static void notices_are_no_listings(void **state)
{
    (void)state;
    struct scene by;
    struct stage *const s = open_stage(&by, false);
    send_listing(&by, 100, HOOK_DIR_ENUM);
    send_listing(&by, 110, HOOK_DIR_NOTIFY);
    send_listing(&by, 120, HOOK_DIR_NOTIFY);
    struct frame *f = look(s, "files", "");
    assert_int_equal(amount(f, total(f, "enums"), "enums"), 1);
    assert_int_equal(amount(f, total(f, "ops"), "ops"), 3);
    frame_free(f);
    f = look(s, "events", "op=enum");
    assert_int_equal(f->row_count, 1);
    frame_free(f);
    stage_close(s);
}

/* Read-ahead reads more than was asked for: still not more of that than all. */
static void no_more_than_all_reaches_a_disk(void **state)
{
    (void)state;
    struct scene by;
    struct stage *const s = open_stage(&by, false);
    send_read(&by, 100, 5000);
    send_end(&by, 130, 5000, 0);
    send_disk(&by, 140, false, 0, 5200, 0xf01, 10, 70);
    struct frame *const f = look(s, "files", "");
    assert_int_equal(f->row_count, 1);
    assert_true(cell(f, 0, "disk_share").number == 100);
    frame_free(f);
    stage_close(s);
}

/* ---- what a filter asks of one of two ---------------------------------------------------------- */

/* A call that fails is known by its end: how many of those began is not. */
static void beginnings_have_no_status(void **state)
{
    (void)state;
    struct scene by;
    struct stage *const s = open_stage(&by, false);
    for (unsigned i = 0; i < 9; i++) {
        struct note enter = {.used = 0}, exit = {.used = 0};
        put_u64(&enter, 0xfffff80000001000u);
        send_record(&by, 100 + 10 * i, HOOK_CALL_ENTER, 2, &enter);
        put_u32(&exit, i % 3 ? 0 : 0xc0000034);
        send_record(&by, 105 + 10 * i, HOOK_CALL_EXIT, 2, &exit);
    }
    static const char *const panes_of_calls[] = {"callers", "calls"};
    static const char *const filters[] = {"status!=0", "status=OBJECT_NAME_NOT_FOUND",
                                          "status!=0 lat>1us", "lat>1us"};
    for (unsigned p = 0; p < 2; p++) {
        for (unsigned i = 0; i < 4; i++) {
            struct frame *const f = look(s, panes_of_calls[p], filters[i]);
            assert_int_equal(f->row_count, 1);
            assert_int_equal(amount(f, cell(f, 0, "errors"), "errors"), 3);
            assert_true(is_absent(f, 0, "calls"));
            assert_true(total(f, "calls").type == VALUE_ABSENT);
            frame_free(f);
        }
        struct frame *f = look(s, panes_of_calls[p], "");
        assert_int_equal(amount(f, cell(f, 0, "calls"), "calls"), 9);
        frame_free(f);
        f = look(s, panes_of_calls[p], "class=call");
        assert_int_equal(amount(f, cell(f, 0, "calls"), "calls"), 9);
        frame_free(f);
    }
    stage_close(s);
}

/* Operations of files likewise; only Linux has the bytes at the end. */
static void requests_have_no_status(void **state)
{
    (void)state;
    for (unsigned is_linux = 0; is_linux < 2; is_linux++) {
        struct scene by;
        struct stage *const s = open_stage(&by, is_linux);
        send_read(&by, 100, 5000);
        send_end(&by, 130, 5000, 0);
        struct frame *f = look(s, "files", "status=0");
        assert_int_equal(f->row_count, 1);
        assert_true(is_absent(f, 0, "ops"));
        assert_int_equal(is_absent(f, 0, "read"), !is_linux);
        assert_int_equal(amount(f, cell(f, 0, "read"), "read"), is_linux ? 5000 : 0);
        frame_free(f);
        f = look(s, "files", "op=read");
        assert_int_equal(amount(f, cell(f, 0, "ops"), "ops"), 1);
        assert_int_equal(amount(f, cell(f, 0, "read"), "read"), 5000);
        frame_free(f);
        stage_close(s);
    }
}

/* ---- faults ------------------------------------------------------------------------------------- */

static void send_fault(const struct scene *s, int64_t us, unsigned type)
{
    struct note n = {.used = 0};
    put_u64(&n, 0x7000);
    put_u64(&n, 0x8000);
    send_record(s, us, (uint16_t)(HOOK_FAULT + type), 2, &n);
}

/* On Linux a tracepoint has the kinds of soft faults; without it all are reported as
 * transitions. */
static void kinds_of_faults_may_be_unknown(void **state)
{
    (void)state;
    enum { TRANSITION = 10, ZERO = 11 };
    static const char *const kinds[] = {"zero", "transition", "copy", "guard"};
    for (unsigned is_linux = 0; is_linux < 2; is_linux++)
        for (unsigned is_reported = 0; is_reported < 2; is_reported++) {
            struct scene by;
            struct stage *const s = open_stage(&by, is_linux);
            send_fault(&by, 100, TRANSITION);
            send_fault(&by, 110, TRANSITION);
            send_fault(&by, 120, is_reported ? ZERO : TRANSITION);
            struct frame *const f = look(s, "memory", "");
            assert_int_equal(f->row_count, 1);
            assert_int_equal(amount(f, cell(f, 0, "soft"), "soft"), 3);
            for (unsigned i = 0; i < 4; i++) {
                const bool is_guard = i == 3;
                assert_int_equal(is_absent(f, 0, kinds[i]), is_linux && (is_guard || !is_reported));
            }
            frame_free(f);
            stage_close(s);
        }
}

/* ---- time -------------------------------------------------------------------------------------- */

/* Of two recordings years apart, only what they recorded can be looked back on. */
static void time_between_recordings_is_no_history(void **state)
{
    (void)state;
    static const int64_t S = 1000000, YEARS = 4ll * 365 * 86400 * 1000000;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct collector *const c = &s->collectors[0];
    c->sources[1] = c->sources[0];
    atomic_store(&c->source_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct scene by = {.stage = s, .source = (uint8_t)i, .pid = 700, .tid = 70};
        const int64_t first = 100 * S + i * YEARS;
        c->sources[i].start_ns = first * 1000;
        c->sources[i].end_ns = (first + 5 * S) * 1000;
        send_process(&by, first, HOOK_DC_START, 700, 4, "a.exe");
        send_process(&by, first + 5 * S, HOOK_DC_END, 700, 4, "a.exe");
    }
    struct frame *const f = look(s, "processes", "");
    assert_true(f->ring_s > 4.9 && f->ring_s < 10.1);
    frame_free(f);
    stage_close(s);
}

/* ---- texts -------------------------------------------------------------------------------------- */

/* The fields of an event are all there, however long. */
static void long_fields_are_whole(void **state)
{
    (void)state;
    char path[470], expected[512];
    struct scene by;
    struct stage *const s = open_stage(&by, false);
    memset(path, 'x', sizeof path);
    path[0] = '\\';
    path[sizeof path - 1] = '\0';
    for (unsigned i = 100; i < sizeof path - 1; i += 50)
        path[i] = '\\';
    send_open(&by, 100, path);
    struct frame *const f = look(s, "events", "op=open");
    assert_int_equal(f->row_count, 1);
    snprintf(expected, sizeof expected, "OpenPath=%s", path);
    const char *const shown = text_of(f, cell(f, 0, "detail"));
    assert_true(strlen(shown) > 511);
    assert_string_equal(shown + strlen(shown) - strlen(expected), expected);
    frame_free(f);
    stage_close(s);
}

/* Where there is no room, a sign says so, and nothing is half a character. */
static void cut_texts_have_a_sign(void **state)
{
    (void)state;
    enum { LONG = 3 << 20 };
    struct frame_maker m;
    maker_init(&m, 1, 1);
    char *const text = malloc(LONG);
    for (unsigned i = 0; i + 3 <= LONG; i += 3)
        memcpy(text + i, "\xe2\x82\xac", 3);
    size_t whole = 0, cut = 0;
    for (unsigned i = 0; i < 400; i++) {
        const struct value v = maker_text(&m, VALUE_TEXT, text, i ? 300000 : LONG);
        const char *const at = m.texts.bytes + v.text.offset;
        assert_true(v.text.bytes >= 3 && v.text.bytes % 3 == 0);
        if (v.text.bytes == 300000) {
            whole++;
            continue;
        }
        assert_memory_equal(at + v.text.bytes - 3, "…", 3);
        assert_memory_equal(at, text, v.text.bytes - 3);
        cut++;
    }
    assert_true(whole > 100 && cut > 100);
    assert_true(m.texts.used < 80 << 20);
    free(text);
    frame_free(maker_take(&m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_have_no_size),
        cmocka_unit_test(notices_are_no_listings),
        cmocka_unit_test(no_more_than_all_reaches_a_disk),
        cmocka_unit_test(beginnings_have_no_status),
        cmocka_unit_test(requests_have_no_status),
        cmocka_unit_test(kinds_of_faults_may_be_unknown),
        cmocka_unit_test(time_between_recordings_is_no_history),
        cmocka_unit_test(long_fields_are_whole),
        cmocka_unit_test(cut_texts_have_a_sign),
    };
    return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
