/* Call trees whose frames get names while they are shown: functions become one row each, and
 * cursor, folds and crumbs stay with the frames they were put on. The PDB is one of the fuzzer's
 * corpus; the trace has its id late. */
#include "tests/stage.h"

#include "src/model/rundown.h"
#include "src/symbol/pdb.h"
#include "src/symbol/symbol.h"

#include <stdio.h>

static const uint64_t BASE = 0x180000000u;
static const char FOLDER[] = "tests/fuzz/corpus/pdb";

enum { PID = 50, TID = 51 };

static void send_image(const struct scene *s, int64_t us)
{
    struct note n = {.used = 0};
    put_u64(&n, BASE);
    put_u64(&n, 0x5000);
    put_u32(&n, PID);
    for (unsigned i = 0; i < 3; i++)
        put_u32(&n, 0); /* checksum, time stamp, signature */
    put_u64(&n, BASE);
    for (unsigned i = 0; i < 4; i++)
        put_u32(&n, 0);
    put_wide(&n, "\\Device\\HarddiskVolume1\\full.dll");
    send_record(s, us, 0x1403, 3, &n);
}

/* Which PDB an image has: a classic event that a merge adds. */
static void send_pdb_id(const struct scene *s, int64_t us, const struct pdb *p)
{
    static const struct guid image_id = {{0xd7, 0x75, 0xe6, 0xb3, 0x54, 0x25, 0x18, 0x4f, 0x83,
                                          0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde}};
    enum { FULL_HEADER64 = 20, RSDS = 0x24, HEAD = 48 };
    struct note body = {.used = 0}, n = {.used = 0};
    put_u64(&body, BASE);
    put_u32(&body, PID);
    put(&body, &p->guid, sizeof p->guid);
    put_u32(&body, p->age);
    put(&body, "full.pdb", 9);
    put_u16(&n, (uint16_t)(HEAD + body.used));
    put_u8(&n, FULL_HEADER64);
    put_u8(&n, 0xc0);
    put_u8(&n, RSDS);
    put_u8(&n, 0);
    put_u16(&n, 0);
    put_u32(&n, TID);
    put_u32(&n, PID);
    put_u64(&n, (uint64_t)us * 10);
    put(&n, &image_id, sizeof image_id);
    put_u64(&n, 0);
    put(&n, body.bytes, body.used);
    struct ring *const ring = s->stage->collectors[s->collector].hot;
    const struct record_head head = {
        .bytes = (uint32_t)(sizeof head + n.used), .form = RECORD_ETW, .ts = us * 10};
    assert_true(ring_put(ring, &head, n.bytes));
}

/* A sample with its stack, innermost first. */
static void send_stack(const struct scene *s, int64_t us, const uint64_t *rvas, unsigned count)
{
    struct note n = {.used = 0};
    send_sample(s, us, TID);
    put_u64(&n, (uint64_t)us * 10);
    put_u32(&n, PID);
    put_u32(&n, TID);
    for (unsigned i = 0; i < count; i++)
        put_u64(&n, BASE + rvas[i]);
    send_record(s, us, 0x1820, 2, &n);
}

static struct pdb the_pdb(void)
{
    struct blob b;
    struct err err = {""};
    struct pdb p = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/full.pdb", FOLDER);
    if (!blob_open(&b, path, &err) || !pdb_identify(&b, &p.guid, &p.age, &err))
        fail_msg("%s", err.text);
    blob_close(&b);
    return p;
}

/* hidden ← shown ← entry, from two places each. */
static struct stage *play_unnamed(struct scene *s, bool has_symbols)
{
    static const uint64_t one[] = {0x1034, 0x1010, 0x1078}, two[] = {0x1038, 0x1012, 0x1078};
    struct stage *const stage = stage_open(1, 1 << 20, RING_SEGMENT);
    *s = (struct scene){.stage = stage, .pid = EVENT_NO_ID, .tid = EVENT_NO_ID};
    stage_play_with(stage, (struct engine_options){.interval_ns = 1000000000,
                                                   .wait_ns = 50000000,
                                                   .has_symbols = has_symbols,
                                                   .symbol_path = FOLDER});
    send_process(s, 1, HOOK_DC_START, PID, 4, "prog.exe");
    send_thread(s, 2, HOOK_DC_START, PID, TID);
    send_image(s, 3);
    send_stack(s, 10, one, 3);
    send_stack(s, 20, two, 3);
    return stage;
}

static struct frame *ask_whole(struct stage *stage, unsigned rows)
{
    const int64_t until = os_now() + STAGE_TIMEOUT;
    for (;;) {
        struct frame *const f = stage_ask_now(stage);
        if (f->row_count >= rows && !f->is_partial)
            return f;
        frame_free(f);
        assert_true(os_now() < until);
        os_sleep(1000000);
    }
}

static int row_with(const struct frame *f, const char *text)
{
    for (unsigned i = 0; i < f->row_count; i++)
        if (strstr(text_of(f, cell(f, i, "frame")), text))
            return (int)i;
    return -1;
}

static uint64_t samples(const struct frame *f, const char *text)
{
    const int at = row_with(f, text);
    return at < 0 ? 0 : cell(f, (unsigned)at, "samples").count;
}

static void names_fill_in_without_jumping(void **state)
{
    (void)state;
    const struct pdb pdb = the_pdb();
    struct scene s;
    struct stage *const stage = play_unnamed(&s, true);
    stage_request(stage, "stacks");
    struct frame *f = ask_whole(stage, 5);
    assert_int_equal(samples(f, "full.dll!+0x1078"), 2);
    assert_int_equal(samples(f, "full.dll!+0x1010"), 1);
    assert_int_equal(samples(f, "full.dll!+0x1012"), 1);
    const struct row_key of_10 = f->rows[row_with(f, "+0x1010")].key;
    const struct row_key of_12 = f->rows[row_with(f, "+0x1012")].key;
    const struct row_key inner = f->rows[row_with(f, "+0x1038")].key;
    frame_free(f);
    send_pdb_id(&s, 30, &pdb);
    stage_finish(stage);
    /* The cursor is on one of two rows that become one; the row says that it is its. */
    stage->request.has_anchor = true;
    stage->request.anchor_line = 10;
    stage->request.anchor = of_12;
    f = stage_ask(stage);
    assert_int_equal(samples(f, "full.dll!entry"), 2);
    assert_int_equal(samples(f, "full.dll!shown"), 2);
    assert_int_equal(samples(f, "full.dll!hidden"), 2);
    assert_int_equal(row_with(f, "+0x"), -1);
    assert_true(f->anchor_row >= 0);
    assert_int_equal(f->anchor_row, row_with(f, "full.dll!shown"));
    assert_true(row_key_equal(f->rows[f->anchor_row].key, of_12));
    assert_true(f->symbols_answered == f->symbols_asked && f->symbols_asked > 0);
    frame_free(f);
    /* A fold that was put on the other one is a fold of both. */
    stage->request.has_anchor = false;
    stage->request.folds[0] = of_10;
    stage->request.fold_count = 1;
    f = stage_ask(stage);
    assert_int_equal(f->rows[row_with(f, "full.dll!shown")].fold, FOLD_SHUT);
    assert_int_equal(row_with(f, "full.dll!hidden"), -1);
    frame_free(f);
    /* What goes through that frame goes through the function. */
    stage->request.fold_count = 0;
    stage->request.crumbs[0] = (struct crumb){.kind = CRUMB_FRAME, .key = inner};
    stage->request.crumb_count = 1;
    f = stage_ask(stage);
    assert_int_equal(samples(f, "full.dll!hidden"), 2);
    assert_string_equal(text_of(f, f->crumbs[0].name), "full.dll!hidden");
    frame_free(f);
    stage_close(stage);
}

static void all_about_a_frame_is_reported(void **state)
{
    (void)state;
    const struct pdb pdb = the_pdb();
    struct scene s;
    struct stage *const stage = play_unnamed(&s, true);
    send_pdb_id(&s, 30, &pdb);
    stage_finish(stage);
    stage_request(stage, "stacks");
    struct frame *f = stage_ask(stage);
    stage->request.has_anchor = stage->request.detail = true;
    stage->request.anchor = f->rows[row_with(f, "hidden")].key;
    frame_free(f);
    f = stage_ask(stage);
    bool has_name = false, has_file = false;
    for (unsigned i = 0; i < f->field_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s", text_of(f, f->fields[i].name));
        const char *const text = text_of(f, f->fields[i].text);
        has_name |= strcmp(name, "Frame") == 0 && strcmp(text, "full.dll!hidden") == 0;
        has_file |= strcmp(name, "Names from") == 0 && strstr(text, "full.pdb");
    }
    assert_true(has_name && has_file);
    frame_free(f);
    stage_close(stage);
}

/* Into another engine, as a snapshot that is opened does. */
static void play_rundown(const struct scene *to, const struct model_rundown *r)
{
    size_t bytes;
    const uint8_t *const records = model_rundown_records(r, &bytes);
    for (size_t at = 0; at < bytes;) {
        struct record_head head;
        memcpy(&head, records + at, sizeof head);
        assert_true(ring_put(to->stage->collectors[0].hot, &head, records + at + sizeof head));
        at += ring_padded(head.bytes);
    }
}

static void snapshots_keep_what_proves_a_file(void **state)
{
    (void)state;
    static const uint64_t one[] = {0x1034, 0x1010, 0x1078};
    const struct pdb pdb = the_pdb();
    struct scene s, again;
    struct stage *const stage = play_unnamed(&s, false);
    send_pdb_id(&s, 30, &pdb);
    stage_finish(stage);
    stage_request(stage, "stacks");
    frame_free(stage_ask(stage));
    int64_t at = 1000000000;
    struct model_rundown *const r = engine_rundown(stage->engine, 0, &at, false);
    assert_non_null(r);
    struct stage *const other = stage_open(1, 1 << 20, RING_SEGMENT);
    again = (struct scene){.stage = other, .pid = EVENT_NO_ID, .tid = EVENT_NO_ID};
    stage_play_with(other, (struct engine_options){.interval_ns = 1000000000,
                                                   .wait_ns = 50000000,
                                                   .has_symbols = true,
                                                   .symbol_path = FOLDER});
    play_rundown(&again, r);
    send_stack(&again, 2000000, one, 3);
    stage_finish(other);
    stage_request(other, "stacks");
    struct frame *const f = stage_ask(other);
    assert_int_equal(samples(f, "full.dll!hidden"), 1);
    frame_free(f);
    model_rundown_free(r);
    stage_close(other);
    stage_close(stage);
}

static void without_symbols_there_are_offsets(void **state)
{
    (void)state;
    const struct pdb pdb = the_pdb();
    struct scene s;
    struct stage *const stage = play_unnamed(&s, false);
    send_pdb_id(&s, 30, &pdb);
    stage_finish(stage);
    stage_request(stage, "stacks");
    struct frame *const f = stage_ask(stage);
    assert_int_equal(samples(f, "full.dll!+0x1078"), 2);
    assert_int_equal(f->symbols_asked, 0);
    frame_free(f);
    stage_close(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_fill_in_without_jumping),
        cmocka_unit_test(all_about_a_frame_is_reported),
        cmocka_unit_test(snapshots_keep_what_proves_a_file),
        cmocka_unit_test(without_symbols_there_are_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
