/* A recorder that cannot keep up with its ring counts what it missed, event by event. */
#include "tests/stage.h"

#include "src/base/bytes.h"
#include "src/etl/etl.h"
#include "src/trace/recorder.h"

#include <stdio.h>
#include <unistd.h>

enum { COUNT = 300000, BEFORE = 1000, TINY = 512 << 10, RECORD = 40, HOOK = 0x0f2e };

static const int64_t MS = 1000000;

static void send_one(struct ring *ring, unsigned i)
{
    uint8_t record[RECORD] = {0};
    const struct record_head head = {.bytes = (uint32_t)sizeof head + RECORD, .ts = i};
    store_u32(record, 0xc0110002);
    store_u16(record + 4, RECORD);
    store_u16(record + 6, HOOK);
    store_u64(record + 8, i);
    while (!ring_has_room(ring, head.bytes))
        os_sleep(50000); /* the engine is waited for, the recorder is not */
    assert_true(ring_put(ring, &head, record));
}

/* Records in the file, the time of the first, and what its header says is lost. */
static uint64_t look(const char *path, uint64_t *first, uint64_t *lost)
{
    struct err err = {""};
    struct event e;
    uint64_t found = 0;
    struct etl_reader *const reader = etl_reader_open(&path, 1, &err);
    assert_non_null(reader);
    while (etl_reader_next(reader, &e, &err) == ETL_EVENT)
        if (e.id == HOOK && found++ == 0)
            *first = (uint64_t)e.ts;
    *lost = etl_header(etl_reader_file(reader, 0))->events_lost;
    etl_reader_close(reader);
    return found;
}

/* From the first event that was delivered: delivered + lost = put, and the file says the same. */
static void what_was_overtaken_is_counted(void **state)
{
    (void)state;
    struct err err = {""};
    struct recorder_figures f;
    char path[64];
    uint64_t reported, first = 0;
    snprintf(path, sizeof path, "/tmp/test_overtaken.%d.etl", (int)getpid());
    struct stage *const s = stage_open(1, TINY, RING_SEGMENT);
    struct ring *const ring = s->collectors[0].hot;
    stage_play(s);
    unsigned i = 0;
    while (i < BEFORE)
        send_one(ring, ++i);
    while (ring_figures(ring).delivered < BEFORE)
        os_sleep(MS);
    const struct recorder_options o = {
        .engine = s->engine, .collector = &s->collectors[0], .path = path};
    struct recorder *const r = recorder_start(&o, &err);
    assert_non_null(r);
    /* one after the other until it has begun, then faster than it looks */
    do {
        send_one(ring, ++i);
        os_sleep(MS);
        recorder_poll(r, &f);
    } while (f.events == 0);
    while (i < COUNT || f.lost == 0) { /* where it keeps up: on and on */
        send_one(ring, ++i);
        if (i % COUNT == 0)
            recorder_poll(r, &f);
    }
    assert_true(recorder_stop(r, &f, &err));
    const uint64_t found = look(path, &first, &reported);
    stage_finish(s);
    stage_close(s);
    unlink(path);
    print_message("%u put, %llu written, %llu overtaken\n", i, (unsigned long long)found,
                  (unsigned long long)f.lost);
    assert_true(f.lost > 0);
    assert_int_equal(f.refused, 0);
    assert_int_equal(found, f.events);
    assert_int_equal(reported, f.lost);
    assert_int_equal(found + f.lost, i - first + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_overtaken_is_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
