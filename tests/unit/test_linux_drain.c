/* What the collector's thread and control's share, without a kernel: damage in a ring is reported
 * as a loss, records up to a moment are counted, messages wait until there is room. */
#include "tests/test.h"

#include "collectors/linux/live.h"
#include "src/base/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 4096, RECORD = 56, ID = 77 };

struct made_live {
    struct linux_live live;
    struct collector collector;
    struct sample_slot slots[VARIANTS];
    struct id_entry ids[64];
    struct live_ring rings[1];
    struct stream streams[1];
    struct heap_item due[1];
    _Alignas(8) uint8_t data[RING];
    uint8_t bounce[KERNEL_RECORD_MAX];
    uint64_t head, tail;
    struct linux_event event;
};

static void translate(struct translator *t, const struct sample *s)
{
    (void)s;
    t->unpaired++; /* no event does that here: it counts for us */
}

static struct made_live *make(void)
{
    struct made_live *const m = mem_new(1, sizeof *m);
    struct linux_live *const l = &m->live;
    l->collector = &m->collector;
    l->feed.collector = &m->collector;
    l->slots = m->slots;
    l->ids = m->ids;
    l->id_mask = 63;
    l->rings = m->rings;
    l->streams = m->streams;
    l->merge = (struct merge){.streams = m->streams, .stream_count = 1, .due.items = m->due};
    m->event.translate = translate;
    m->slots[0].source.event = &m->event;
    m->slots[0].check_at = INT64_MAX;
    ids_add(l, ID, 0);
    kernel_ring_init(&m->streams[0].ring, m->data, RING, &m->head, &m->tail, m->bounce);
    m->rings[0].state = RING_READY;
    return m;
}

/* A sample without parts: id, ip, pid, tid, time, addr, cpu. */
static void put(struct made_live *m, int64_t time, uint16_t size)
{
    uint8_t *const at = m->data + m->head % RING;
    const uint32_t type = PERF_RECORD_SAMPLE;
    const uint64_t id = ID;
    memset(at, 0, RECORD);
    memcpy(at, &type, 4);
    memcpy(at + 6, &size, 2);
    memcpy(at + 8, &id, 8);
    memcpy(at + 32, &time, 8);
    m->head += RECORD;
}

static void damage_is_reported_once_while_the_ring_is_in_use(void **state)
{
    (void)state;
    struct made_live *const m = make();
    put(m, 10, RECORD);
    put(m, 20, 12); /* no size of a record: it and what follows are given up */
    put(m, 30, RECORD);
    drain_pass(&m->live, 100);
    assert_int_equal(m->live.translator.unpaired, 1);
    assert_int_equal(m->collector.loss.buffers, 1);
    assert_int_equal(m->collector.loss.skipped_bytes, 2 * RECORD);
    put(m, 110, RECORD);
    drain_pass(&m->live, 200);
    assert_int_equal(m->live.translator.unpaired, 2);
    assert_int_equal(m->collector.loss.buffers, 1);
    assert_int_equal(m->tail, m->head);
    free(m);
}

static void what_had_come_by_a_moment_is_counted(void **state)
{
    (void)state;
    struct made_live *const m = make();
    m->slots[0].check_at = 25;
    for (int64_t time = 10; time <= 40; time += 10)
        put(m, time, RECORD);
    drain_pass(&m->live, 20);
    assert_int_equal(m->slots[0].check_at, 25); /* nothing younger yet */
    drain_pass(&m->live, 100);
    assert_true(m->slots[0].check_at == INT64_MAX);
    assert_int_equal(m->slots[0].received_then, 2);
    assert_int_equal(m->slots[0].received, 4);
    free(m);
}

static void a_sentence_without_room_is_not_reported(void **state)
{
    (void)state;
    struct made_live *const m = make();
    for (int i = 0; i < MESSAGES; i++)
        assert_true(message_write(&m->live.messages, "sentence %d", i));
    assert_false(message_write(&m->live.messages, "one too many"));
    assert_string_equal(m->live.messages.text[MESSAGES - 1], "sentence 7");
    m->live.messages.passed = 1;
    assert_true(message_write(&m->live.messages, "there is room again"));
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_is_reported_once_while_the_ring_is_in_use),
        cmocka_unit_test(what_had_come_by_a_moment_is_counted),
        cmocka_unit_test(a_sentence_without_room_is_not_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
