/* Cassettes: what is written is read back, and no bytes are dangerous (src/etl/cassette.h). */
#include "tests/test.h"

#include "src/etl/cassette.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096, HEADER = 280 };

static const struct cassette_head head = {.pointer = 8,
                                          .processors = 4,
                                          .build = 22621,
                                          .mode = 0x10001100,
                                          .frequency = 10000000,
                                          .began = 123456789,
                                          .began_filetime = 133000000000000000};

static uint8_t event_header[CASSETTE_EVENT_HEADER], context[CASSETTE_CONTEXT], log_header[HEADER];
static const uint8_t bytes[64] = "abcdefghijklmnopqrstuvwxyz0123456789";

static struct cassette_frame session(void)
{
    return (struct cassette_frame){.kind = CASSETTE_SESSION,
                                   .session = 1,
                                   .about = {.mode = 0x02000100,
                                             .is_kernel = true,
                                             .header_bytes = HEADER,
                                             .name_bytes = 6,
                                             .header = log_header,
                                             .name = bytes}};
}

static struct cassette_frame call(void)
{
    return (struct cassette_frame){.kind = CASSETTE_CALL,
                                   .session = 1,
                                   .call = {.began = 1,
                                            .took = 2,
                                            .result = 5,
                                            .name_bytes = 10,
                                            .about_bytes = 3,
                                            .name = "StartTrace",
                                            .about = "0x1"}};
}

static struct cassette_frame event(void)
{
    struct cassette_frame f = {.kind = CASSETTE_EVENT,
                               .event = {.arrived = 77,
                                         .header = event_header,
                                         .context = context,
                                         .item_count = 3,
                                         .user_bytes = 13,
                                         .user = bytes}};
    f.event.items[0] = (struct cassette_item){
        .reserved = 9, .type = 1, .linkage = 1, .bytes = 16, .data = bytes};
    f.event.items[1] = (struct cassette_item){.type = 6, .linkage = 1, .bytes = 24}; /* NULL */
    f.event.items[2] = (struct cassette_item){.type = 11, .bytes = 1, .data = bytes + 3};
    return f;
}

/* One of each; its size. */
static size_t write_all(uint8_t *room, size_t most)
{
    struct cassette_writer w;
    const struct cassette_frame s = session(), c = call(), e = event();
    const struct cassette_frame b = {.kind = CASSETTE_BUFFER,
                                     .buffer = {.arrived = 78, .read = 1, .size = 65536, .filled = 300}};
    cassette_begin(&w, room, most, &head);
    assert_true(cassette_put(&w, &c));
    assert_true(cassette_put(&w, &s));
    assert_true(cassette_put(&w, &e));
    assert_true(cassette_put(&w, &b));
    cassette_end(&w);
    return w.used;
}

static void next(struct cassette *c, struct cassette_frame *f, enum cassette_kind kind)
{
    struct err err = {""};
    assert_int_equal(cassette_next(c, f, &err), CASSETTE_FRAME);
    assert_int_equal(f->kind, kind);
}

static void check_event(const struct cassette_event *e)
{
    assert_int_equal(e->arrived, 77);
    assert_memory_equal(e->header, event_header, sizeof event_header);
    assert_int_equal(e->item_count, 3);
    assert_int_equal(e->items[0].reserved, 9);
    assert_int_equal(e->items[0].linkage, 1);
    assert_memory_equal(e->items[0].data, bytes, 16);
    assert_null(e->items[1].data);
    assert_int_equal(e->items[1].bytes, 24);
    assert_int_equal(e->items[2].data[0], bytes[3]);
    assert_int_equal(e->user_bytes, 13);
    assert_memory_equal(e->user, bytes, 13);
}

static void all_kinds_come_back(void **state)
{
    static uint8_t room[ROOM];
    (void)state;
    struct cassette c;
    struct cassette_frame f;
    struct err err = {""};
    memset(event_header, 0x5a, sizeof event_header);
    const size_t size = write_all(room, sizeof room);
    assert_int_equal(size % 8, 0);
    assert_true(cassette_open(&c, room, size, &err));
    assert_memory_equal(&c.head, &head, sizeof head);
    next(&c, &f, CASSETTE_CALL);
    assert_int_equal(f.session, 1);
    assert_int_equal(f.call.result, 5);
    assert_memory_equal(f.call.name, "StartTrace", 10);
    assert_memory_equal(f.call.about, "0x1", 3);
    next(&c, &f, CASSETTE_SESSION);
    assert_true(f.about.is_kernel);
    assert_int_equal(f.about.header_bytes, HEADER);
    assert_memory_equal(f.about.name, bytes, 6);
    next(&c, &f, CASSETTE_EVENT);
    check_event(&f.event);
    next(&c, &f, CASSETTE_BUFFER);
    assert_int_equal(f.buffer.filled, 300);
    next(&c, &f, CASSETTE_END);
    assert_int_equal(f.end.events, 1);
    assert_int_equal(f.end.left_out, 0);
    assert_int_equal(cassette_next(&c, &f, &err), CASSETTE_OVER);
    assert_true(c.has_ended);
}

/* Frames of `size` bytes, from a copy of exactly that size; false where it is damaged. */
static bool read_all(const uint8_t *from, size_t size, struct cassette *c, size_t *frames)
{
    uint8_t *const copy = malloc(size ? size : 1);
    struct cassette_frame f;
    struct err err = {""};
    memcpy(copy, from, size);
    enum cassette_answer a = CASSETTE_DAMAGED;
    *frames = 0;
    if (cassette_open(c, copy, size, &err))
        while ((a = cassette_next(c, &f, &err)) == CASSETTE_FRAME)
            ++*frames;
    assert_true(a != CASSETTE_DAMAGED || err.text[0]);
    free(copy);
    return a != CASSETTE_DAMAGED;
}

static void every_prefix_is_safe(void **state)
{
    static uint8_t room[ROOM];
    (void)state;
    struct cassette c;
    size_t frames, most = 0;
    const size_t size = write_all(room, sizeof room);
    for (size_t i = 0; i < size; i++) {
        const bool is_good = read_all(room, i, &c, &frames);
        assert_true(frames >= most);
        most = frames;
        assert_false(is_good && c.has_ended);
    }
    assert_int_equal(most, 4);
    assert_true(read_all(room, size, &c, &frames));
    assert_int_equal(frames, 5);
}

static void no_changed_byte_is_dangerous(void **state)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    static uint8_t room[ROOM];
    (void)state;
    struct cassette c;
    size_t frames;
    const size_t size = write_all(room, sizeof room);
    for (size_t i = 0; i < size; i++)
        for (size_t v = 0; v < sizeof values; v++) {
            const uint8_t was = room[i];
            room[i] = values[v];
            read_all(room, size, &c, &frames);
            room[i] = was;
        }
}

static void others_are_refused_with_a_sentence(void **state)
{
    static uint8_t room[ROOM];
    (void)state;
    struct cassette c;
    struct err err = {""};
    const size_t size = write_all(room, sizeof room);
    assert_false(cassette_open(&c, "MZ", 2, &err));
    assert_non_null(strstr(err.text, "magic"));
    store_u16(room + 8, CASSETTE_VERSION + 1);
    assert_false(cassette_open(&c, room, size, &err));
    assert_non_null(strstr(err.text, "version 2"));
    store_u16(room + 8, CASSETTE_VERSION);
    store_u64(room + 0x18, 0);
    assert_false(cassette_open(&c, room, size, &err));
    assert_non_null(strstr(err.text, "clock"));
}

static void frames_of_later_versions_are_passed_over(void **state)
{
    static uint8_t room[ROOM];
    (void)state;
    struct cassette c;
    struct cassette_frame f;
    struct err err = {""};
    const size_t size = write_all(room, sizeof room);
    store_u16(room + CASSETTE_HEAD + 4, 900); /* the call */
    assert_true(cassette_open(&c, room, size, &err));
    next(&c, &f, CASSETTE_SESSION);
}

static void a_full_cassette_counts_and_ends(void **state)
{
    static uint8_t room[CASSETTE_LEAST + 300];
    (void)state;
    struct cassette c;
    struct cassette_frame f;
    struct cassette_writer w;
    struct err err = {""};
    const struct cassette_frame e = event();
    cassette_begin(&w, room, sizeof room, &head);
    while (cassette_put(&w, &e))
        assert_true(w.used <= sizeof room);
    cassette_put(&w, &e);
    cassette_end(&w);
    assert_true(w.used <= sizeof room);
    assert_true(cassette_open(&c, room, w.used, &err));
    next(&c, &f, CASSETTE_EVENT);
    next(&c, &f, CASSETTE_END);
    assert_int_equal(f.end.events, 1);
    assert_int_equal(f.end.left_out, 2);
}

static void too_many_items_are_left_out(void **state)
{
    static uint8_t room[ROOM];
    (void)state;
    struct cassette_writer w;
    struct cassette_frame e = event();
    e.event.item_count = CASSETTE_ITEMS + 1;
    cassette_begin(&w, room, sizeof room, &head);
    assert_false(cassette_put(&w, &e));
    assert_int_equal(w.left_out, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_come_back),
        cmocka_unit_test(every_prefix_is_safe),
        cmocka_unit_test(no_changed_byte_is_dangerous),
        cmocka_unit_test(others_are_refused_with_a_sentence),
        cmocka_unit_test(frames_of_later_versions_are_passed_over),
        cmocka_unit_test(a_full_cassette_counts_and_ends),
        cmocka_unit_test(too_many_items_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
