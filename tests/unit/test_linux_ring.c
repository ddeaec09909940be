/* The kernel's rings and what stands in them, from made bytes: every way to be wrong. */
#include "tests/linux_bytes.h"
#include "tests/test.h"

#include "collectors/linux/kernel/merge.h"
#include "collectors/linux/kernel/tracefs.h"
#include "src/base/bytes.h"

#include <stdio.h>

/* ---- the ring ------------------------------------------------------------------------------ */

/* A record of `words` u64s, filled with `mark`. */
static void put_marked(struct made_ring *r, uint64_t mark, unsigned words)
{
    struct made_record m;
    made_begin(&m, PERF_RECORD_SAMPLE, 0);
    for (unsigned i = 1; i < words; i++)
        made_u64(&m, mark);
    made_end(&m);
    made_ring_put(r, m.bytes, m.used);
}

/* A record at every place of a small ring: whole, wrapped, wrapped behind its header. */
static void records_wrap(void **state)
{
    (void)state;
    enum { BYTES = 4096, WORDS = 21 };
    struct made_ring r;
    made_ring_init(&r, BYTES, UINT64_MAX - BYTES / 2 + 1); /* the counters overflow, too */
    for (uint64_t i = 1; i < 400; i++) {
        put_marked(&r, i, WORDS);
        kernel_ring_look(&r.ring);
        size_t bytes;
        const uint8_t *const record = kernel_ring_peek(&r.ring, &bytes);
        assert_non_null(record);
        assert_int_equal(bytes, WORDS * 8);
        for (unsigned w = 1; w < WORDS; w++) {
            uint64_t found;
            memcpy(&found, record + 8 * w, 8);
            assert_int_equal(found, i);
        }
        assert_ptr_equal(record, kernel_ring_peek(&r.ring, &bytes));
        kernel_ring_take(&r.ring);
        assert_null(kernel_ring_peek(&r.ring, &bytes));
    }
    kernel_ring_release(&r.ring);
    assert_int_equal(r.tail, r.head);
    assert_int_equal(r.ring.damaged, 0);
    made_ring_fini(&r);
}

/* Room goes back while records are being read, not only at the end. */
static void room_goes_back(void **state)
{
    (void)state;
    enum { BYTES = 64 * 1024 };
    struct made_ring r;
    made_ring_init(&r, BYTES, 0);
    for (unsigned i = 0; i < BYTES / 80 - 1; i++)
        put_marked(&r, i, 10);
    kernel_ring_look(&r.ring);
    size_t bytes, taken = 0, steps = 0;
    uint64_t tail = r.tail;
    while (kernel_ring_peek(&r.ring, &bytes)) {
        kernel_ring_take(&r.ring);
        taken += bytes;
        assert_true(r.tail <= taken);
        assert_true(taken - r.tail <= BYTES / 8);
        steps += r.tail != tail;
        tail = r.tail;
    }
    assert_in_range(steps, 6, 9);
    made_ring_fini(&r);
}

/* Sizes that cannot be cost what is there and are counted; what comes later is read. */
static void damage_costs_what_is_there(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint16_t size;
        unsigned present; /* bytes up to the head */
    } rows[] = {
        {"size 0", 0, 64},
        {"smaller than its header", 7, 64},
        {"not a multiple of 8", 20, 64},
        {"beyond the head", 72, 64},
        {"the largest", 65528, 64},
        {"less than a header", 8, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made_ring r;
        made_ring_init(&r, 4096, 4096 - 32);
        uint8_t bad[64] = {9};
        memcpy(bad + 6, &rows[i].size, 2);
        made_ring_put(&r, bad, rows[i].present);
        kernel_ring_look(&r.ring);
        size_t bytes;
        if (kernel_ring_peek(&r.ring, &bytes))
            fail_msg("%s: read as a record", rows[i].name);
        assert_int_equal(r.ring.damaged, 1);
        assert_int_equal(r.ring.damaged_bytes, rows[i].present);
        made_ring_put(&r, bad, (8 - r.head % 8) % 8); /* the kernel goes on at a multiple of 8 */
        kernel_ring_look(&r.ring);
        kernel_ring_peek(&r.ring, &bytes);
        put_marked(&r, 5, 4);
        kernel_ring_look(&r.ring);
        assert_non_null(kernel_ring_peek(&r.ring, &bytes));
        made_ring_fini(&r);
    }
}

/* A head that is not of this ring: nothing beyond the ring is read. */
static void heads_are_not_trusted(void **state)
{
    (void)state;
    struct made_ring r;
    made_ring_init(&r, 4096, 0);
    put_marked(&r, 1, 4);
    r.head = 1 << 20;
    kernel_ring_look(&r.ring);
    size_t bytes;
    assert_null(kernel_ring_peek(&r.ring, &bytes));
    assert_int_equal(r.ring.damaged, 1);
    made_ring_fini(&r);
}

/* ---- merging --------------------------------------------------------------------------------- */

static void put_timed(struct made_ring *r, uint64_t time, uint32_t tid)
{
    struct made_record m;
    made_sample(&m, 1, tid, tid, time, 0);
    made_end(&m);
    made_ring_put(r, m.bytes, m.used);
}

static void rings_merge_by_time(void **state)
{
    (void)state;
    enum { RINGS = 5, EACH = 200 };
    struct made_ring made[RINGS];
    struct stream streams[RINGS + 1] = {{.is_on = false}};
    struct heap_item due[RINGS + 1];
    uint64_t time = 1;
    for (int i = 0; i < RINGS; i++)
        made_ring_init(&made[i], 1 << 16, 0);
    for (unsigned n = 0; n < RINGS * EACH; n++) /* an order that is no pattern */
        put_timed(&made[n * 7919 % RINGS], time++, n);
    for (int i = 0; i < RINGS; i++) {
        streams[i + 1].ring = made[i].ring;
        streams[i + 1].is_on = true;
    }
    struct merge m = {.streams = streams, .stream_count = RINGS + 1, .due.items = due};
    uint64_t last = 0, count = 0;
    for (int64_t until = 100; count < RINGS * EACH; until += 333) {
        merge_begin(&m, until, 1 << 30);
        for (const struct stream *s; (s = merge_next(&m)); count++) {
            const uint64_t now = (uint64_t)sample_time(s->record, s->bytes);
            assert_true(now > last);
            assert_true((int64_t)now <= until);
            last = now;
            merge_take(&m);
        }
        merge_end(&m);
        assert_int_equal(last, until < RINGS * EACH ? until : RINGS * EACH);
    }
    for (int i = 0; i < RINGS; i++) {
        assert_int_equal(made[i].tail, made[i].head);
        made_ring_fini(&made[i]);
    }
}

/* A record that claims to come from the future is taken when its neighbors are. */
static void nothing_waits_for_the_future(void **state)
{
    (void)state;
    struct made_ring made;
    made_ring_init(&made, 4096, 0);
    put_timed(&made, 10, 1);
    put_timed(&made, 1 << 29, 2);
    put_timed(&made, 12, 3);
    struct stream stream = {.ring = made.ring, .is_on = true};
    struct heap_item due[1];
    struct merge m = {.streams = &stream, .stream_count = 1, .due.items = due};
    unsigned count = 0;
    merge_begin(&m, 20, 1000);
    for (; merge_next(&m); merge_take(&m))
        count++;
    merge_end(&m);
    assert_int_equal(count, 3);
    assert_int_equal(m.futures, 1);
    made_ring_fini(&made);
}

/* ---- samples --------------------------------------------------------------------------------- */

static const struct sample_layout layout = {
    .bytes = 32,
    .fields =
        {
            [0] = {.offset = 8, .size = 4, .is_signed = true},
            [1] = {.offset = 12, .size = 2},
            [2] = {.offset = 14, .size = 1, .is_signed = true},
            [3] = {.offset = 16, .size = 8},
            [4] = {.offset = 24, .size = 4, .is_data_loc = true},
            [5] = {.offset = 28, .size = 4}, /* a text of four */
            [6] = {0},                       /* this kernel has none */
        },
};
static const struct linux_event event = {.group = "g", .name = "n"};
static const struct sample_source plain = {&event, &layout, false, true, false, 0},
                                  chained = {&event, &layout, true, true, false, 1},
                                  bare = {&event, &layout, false, false, false, 2},
                                  deep = {&event, &layout, false, false, true, 3};

static const struct sample_source *find(const void *arg, uint64_t id)
{
    (void)arg;
    return id == 10 ? &plain : id == 11 ? &chained : id == 12 ? &bare : id == 13 ? &deep : NULL;
}

/* Parses from a copy of exactly these bytes, so that a sanitizer sees one byte too far. */
static enum sample_parsed parse(const struct made_record *m, size_t bytes, struct sample *out,
                                uint8_t **copy)
{
    const struct sample_source *source;
    *copy = malloc(bytes ? bytes : 1);
    memcpy(*copy, m->bytes, bytes);
    return sample_parse(*copy, bytes, out, &source, find, NULL);
}

static const uint8_t raw[40] = {
    0x74, 1,    0x10, 0,    9,   0,   0,   0, /* common: type 372, soft interrupt, thread 9 */
    0xfe, 0xff, 0xff, 0xff,                   /* 0: -2 */
    0x34, 0x12, 0x80, 0,                      /* 1, 2: -128 */
    1,    2,    3,    4,    5,   6,   7,   8, /* 3 */
    36,   0,    4,    0,                      /* 4: four bytes at 36 */
    'a',  'b',  0,    'c',                    /* 5 */
    0,    0,    0,    0,    'x', 'y', 'z', 0,
};

static void samples_are_parsed(void **state)
{
    (void)state;
    struct made_record m;
    made_sample(&m, 11, 812, 815, 123456789, 3);
    made_u64(&m, 4);
    made_u64(&m, (uint64_t)PERF_CONTEXT_KERNEL);
    made_u64(&m, 0xffffffff81000010u);
    made_u64(&m, (uint64_t)PERF_CONTEXT_USER);
    made_u64(&m, 0x401000);
    made_raw(&m, raw, sizeof raw);
    made_end(&m);
    struct sample s;
    uint8_t *copy;
    assert_int_equal(parse(&m, m.used, &s, &copy), SAMPLE_EVENT);
    assert_int_equal(s.pid, 812);
    assert_int_equal(s.tid, 815);
    assert_int_equal(s.time, 123456789);
    assert_int_equal(s.cpu, 3);
    assert_true(s.ip == 0xffffffff81000000u && s.addr == 0x7f0000001000u);
    assert_int_equal(s.chain_count, 4);
    assert_true(s.chain[3] == 0x401000);
    assert_int_equal(s.raw_bytes, sizeof raw);
    assert_int_equal(sample_i64(&s, 0), -2);
    assert_int_equal(sample_u32(&s, 1), 0x1234);
    assert_int_equal(sample_i64(&s, 2), -128);
    assert_true(sample_u64(&s, 3) == 0x0807060504030201u);
    assert_false(sample_has(&s, 6));
    assert_int_equal(sample_u64(&s, 6), 0);
    char text[8], tiny[2];
    assert_int_equal(sample_text(&s, 4, text, sizeof text), 3);
    assert_string_equal(text, "xyz");
    assert_int_equal(sample_text(&s, 4, tiny, sizeof tiny), 1);
    assert_string_equal(tiny, "x");
    assert_int_equal(sample_text(&s, 5, text, sizeof text), 2);
    free(copy);
}

/* Every shorter record of the same type and id is refused or whole as far as it goes. */
static void every_prefix(void **state)
{
    (void)state;
    struct made_record m;
    made_sample(&m, 11, 1, 2, 3, 0);
    made_u64(&m, 3);
    for (int i = 0; i < 3; i++)
        made_u64(&m, 0x401000);
    made_raw(&m, raw, sizeof raw);
    made_end(&m);
    const size_t needed = 8 + 48 + 8 + 24 + 4 + sizeof raw;
    for (size_t bytes = 8; bytes <= m.used; bytes++) {
        struct sample s;
        uint8_t *copy;
        const enum sample_parsed parsed = parse(&m, bytes, &s, &copy);
        if ((parsed == SAMPLE_EVENT) != (bytes >= needed))
            fail_msg("%zu of %zu bytes: %d", bytes, m.used, parsed);
        sample_time(copy, bytes);
        free(copy);
    }
}

/* The user's registers and stack: of the copy only what is there, at any length of the record. */
static void stacks_are_parsed(void **state)
{
    (void)state;
    enum { ROOM = 64, USED = 48 };
    struct made_record m;
    made_sample(&m, 13, 1, 2, 3, 0);
    made_u64(&m, 2); /* of 64 bits */
    for (uint64_t i = 0; i < SAMPLE_REGISTERS; i++)
        made_u64(&m, 100 + i);
    made_u64(&m, ROOM);
    for (uint64_t i = 0; i < ROOM / 8; i++)
        made_u64(&m, 200 + i);
    made_u64(&m, USED);
    made_end(&m);
    for (size_t bytes = 8; bytes <= m.used; bytes++) {
        struct sample s;
        uint8_t *copy;
        const enum sample_parsed parsed = parse(&m, bytes, &s, &copy);
        if ((parsed == SAMPLE_EVENT) != (bytes == m.used))
            fail_msg("%zu of %zu bytes: %d", bytes, m.used, parsed);
        if (parsed == SAMPLE_EVENT) {
            assert_int_equal(load_u64(s.registers + 8 * 7), 107);
            assert_int_equal(s.stack_bytes, USED);
            assert_int_equal(load_u64(s.stack + 8), 201);
        }
        free(copy);
    }
    made_sample(&m, 13, 1, 2, 3, 0);
    made_u64(&m, 0); /* a thread of the kernel: neither */
    made_u64(&m, 0);
    made_end(&m);
    struct sample s;
    uint8_t *copy;
    assert_int_equal(parse(&m, m.used, &s, &copy), SAMPLE_EVENT);
    assert_null(s.registers);
    assert_null(s.stack);
    free(copy);
}

/* RAW shorter than a field: the field is missing, nothing else. */
static void short_raw(void **state)
{
    (void)state;
    for (uint32_t bytes = 0; bytes <= sizeof raw; bytes++) {
        struct made_record m;
        made_sample(&m, 10, 1, 2, 3, 0);
        made_raw(&m, raw, bytes);
        const size_t used = m.used;
        made_end(&m);
        struct sample s;
        uint8_t *copy;
        assert_int_equal(parse(&m, used, &s, &copy), SAMPLE_EVENT);
        for (unsigned f = 0; f < 7; f++) {
            const struct field_place *const p = &layout.fields[f];
            assert_int_equal(sample_has(&s, f), p->size && bytes >= p->offset + (uint32_t)p->size);
            sample_u64(&s, f);
            char text[8];
            sample_text(&s, f, text, sizeof text);
        }
        size_t found;
        const uint8_t *const at = sample_bytes(&s, 4, &found);
        assert_int_equal(at != NULL, bytes >= 40); /* its text lies at 36 … 39 */
        free(copy);
    }
}

static void wrong_records(void **state)
{
    (void)state;
    struct made_record m;
    struct sample s;
    uint8_t *copy;

    made_sample(&m, 99, 1, 2, 3, 0); /* nobody opened this */
    made_end(&m);
    assert_int_equal(parse(&m, m.used, &s, &copy), SAMPLE_UNKNOWN_ID);
    free(copy);

    made_begin(&m, 200, 0); /* a type of the future */
    made_trailer(&m, 1, 2, 3, 0);
    made_end(&m);
    assert_int_equal(parse(&m, m.used, &s, &copy), SAMPLE_UNKNOWN_ID);
    assert_int_equal(sample_time(copy, m.used), 3);
    free(copy);

    static const uint64_t counts[] = {4, 1 << 20, UINT64_MAX, UINT64_MAX / 8 + 1, 1ull << 61};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        made_sample(&m, 11, 1, 2, 3, 0); /* more frames than there are */
        made_u64(&m, counts[i]);
        for (int f = 0; f < 3; f++)
            made_u64(&m, 0x401000);
        made_end(&m);
        assert_int_equal(parse(&m, m.used, &s, &copy), SAMPLE_BAD);
        assert_null(s.raw);
        free(copy);
    }

    made_sample(&m, 12, 1, 2, UINT64_MAX, 0); /* a time that is none */
    made_end(&m);
    assert_int_equal(parse(&m, m.used, &s, &copy), SAMPLE_BAD);
    assert_int_equal(sample_time(copy, m.used), 0);
    free(copy);

    made_sample(&m, 10, 1, 2, 3, 0); /* RAW beyond the record */
    made_u32(&m, 0xfffffff0u);
    made_u32(&m, 0);
    made_end(&m);
    assert_int_equal(parse(&m, m.used, &s, &copy), SAMPLE_BAD);
    free(copy);
}

static void data_loc_outside(void **state)
{
    (void)state;
    static const struct {
        uint16_t offset, length;
        bool is_there;
    } rows[] = {
        {36, 4, true},  {36, 5, false},          {40, 0, true}, {41, 0, false}, {0, 40, true},
        {0, 41, false}, {0xffff, 0xffff, false}, {39, 1, true}, {0, 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t changed[40];
        memcpy(changed, raw, sizeof raw);
        memcpy(changed + 24, &rows[i].offset, 2);
        memcpy(changed + 26, &rows[i].length, 2);
        struct made_record m;
        made_sample(&m, 10, 1, 2, 3, 0);
        made_raw(&m, changed, sizeof changed);
        const size_t used = m.used;
        made_end(&m);
        struct sample s;
        uint8_t *copy;
        assert_int_equal(parse(&m, used, &s, &copy), SAMPLE_EVENT);
        size_t bytes;
        if ((sample_bytes(&s, 4, &bytes) != NULL) != rows[i].is_there)
            fail_msg("offset %u, length %u", rows[i].offset, rows[i].length);
        assert_int_equal(bytes, rows[i].is_there ? rows[i].length : 0);
        free(copy);
    }
}

static void side_band(void **state)
{
    (void)state;
    struct made_record m;
    made_begin(&m, PERF_RECORD_LOST, 0);
    made_u64(&m, 10);
    made_u64(&m, 4711);
    made_trailer(&m, 8, 9, 1000, 1);
    made_end(&m);
    struct sample s;
    uint8_t *copy;
    assert_int_equal(parse(&m, m.used, &s, &copy), SAMPLE_SIDE_BAND);
    assert_int_equal(s.body_bytes, 16);
    assert_int_equal(side_band_u64(&s, 8), 4711);
    assert_int_equal(side_band_u64(&s, 9), 0);
    assert_int_equal(s.time, 1000);
    assert_int_equal(s.tid, 9);
    assert_int_equal(s.cpu, 1);
    free(copy);
    for (size_t bytes = 8; bytes < 40; bytes++) { /* not even a trailer */
        assert_int_equal(parse(&m, bytes, &s, &copy), SAMPLE_BAD);
        assert_int_equal(sample_time(copy, bytes), 0);
        free(copy);
    }
}

/* Every listener but the first gets a KSYMBOL record with bytes behind its sample_id. */
static void symbol_records(void **state)
{
    (void)state;
    static const char *const names[] = {"bpf_x", "bpf_prog_1234567", "a_name_of_23_characters"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned extra = 0; extra < 3; extra++) {
            struct made_record m;
            made_begin(&m, PERF_RECORD_KSYMBOL, 0);
            made_u64(&m, 0xffffffffc0000000u);
            made_u64(&m, 64);
            made_bytes(&m, names[i], strlen(names[i]) + 1);
            made_end(&m);
            made_trailer(&m, 8, 9, 1000, 1);
            for (unsigned j = 0; j < 4 * extra; j++)
                made_u64(&m, 0x123456789abcu + j);
            made_end(&m);
            struct sample s;
            uint8_t *copy;
            assert_int_equal(parse(&m, m.used, &s, &copy), SAMPLE_SIDE_BAND);
            assert_int_equal(s.time, 1000);
            assert_int_equal(sample_time(copy, m.used), 1000);
            assert_int_equal(s.tid, 9);
            assert_string_equal((const char *)s.body + 16, names[i]);
            free(copy);
        }
}

/* ---- formats --------------------------------------------------------------------------------- */

static const char format[] =
    "name: made\nID: 372\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\n"
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:pid_t old_pid;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:__data_loc char[] filename;\toffset:32;\tsize:4;\tsigned:0;\n"
    "\tfield:u64 huge;\toffset:70000;\tsize:8;\tsigned:0;\n"
    "\tfield:u64 empty;\toffset:40;\tsize:0;\tsigned:0;\n"
    "\tfield:u64 cut;\toffset:40;\n"
    "\tfield:char big[1024];\toffset:48;\tsize:1024;\tsigned:0;\n"
    "\n"
    "print fmt: \"%d\", __print_flags(REC->x, \"|\", { 0x00000001, \"S\" }, { 0x40, \"P\" }), "
    "REC->fake field:int later; offset:1; size:4; signed:0;\n";

static void formats_are_read(void **state)
{
    (void)state;
    struct field_place p;
    assert_int_equal(format_id(format), 372);
    assert_true(format_field(format, "common_type", &p));
    assert_true(format_field(format, "pid", &p));
    assert_int_equal(p.offset, 24); /* not old_pid's */
    assert_true(p.is_signed);
    assert_true(format_field(format, "old_pid", &p));
    assert_int_equal(p.offset, 28);
    assert_true(format_field(format, "prev_comm", &p));
    assert_int_equal(p.size, 16);
    assert_true(format_field(format, "filename", &p));
    assert_true(p.is_data_loc);
    assert_true(format_field(format, "big", &p));
    assert_int_equal(p.size, 255);
    static const char *const absent[] = {"comm", "huge", "empty", "cut", "later", "d", "", "id"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (format_field(format, absent[i], &p))
            fail_msg("found '%s'", absent[i]);
    uint64_t value;
    char name[8];
    assert_true(format_flag(format, 1, &value, name, sizeof name));
    assert_int_equal(value, 0x40);
    assert_string_equal(name, "P");
    assert_false(format_flag(format, 2, &value, name, sizeof name));
    assert_false(format_flag("print fmt: __print_flags(x, {", 0, &value, name, sizeof name));
    assert_false(format_flag("", 0, &value, name, sizeof name));
}

static void layouts_need_their_fields(void **state)
{
    (void)state;
    static const struct linux_event whole = {.group = "g",
                                             .name = "made",
                                             .fields = {"pid", "?nothing", "filename"}},
                                    lacking = {
                                        .group = "g", .name = "made", .fields = {"pid", "nothing"}};
    struct sample_layout l;
    struct err err;
    assert_true(format_layout(format, &whole, &l, &err));
    assert_int_equal(l.bytes, 36);
    assert_int_equal(l.fields[1].size, 0);
    assert_false(format_layout(format, &lacking, &l, &err));
    assert_non_null(strstr(err.text, "g:made of this kernel has no field nothing"));
}

/* Any beginning of a format text is safe. */
static void format_prefixes(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes < sizeof format; bytes++) {
        char *const copy = malloc(bytes + 1);
        memcpy(copy, format, bytes);
        copy[bytes] = '\0';
        struct field_place p;
        format_field(copy, "filename", &p);
        format_field(copy, "nothing", &p);
        format_id(copy);
        uint64_t value;
        char name[8];
        for (unsigned i = 0; i < 4; i++)
            format_flag(copy, i, &value, name, sizeof name);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_wrap),
        cmocka_unit_test(room_goes_back),
        cmocka_unit_test(damage_costs_what_is_there),
        cmocka_unit_test(heads_are_not_trusted),
        cmocka_unit_test(rings_merge_by_time),
        cmocka_unit_test(nothing_waits_for_the_future),
        cmocka_unit_test(samples_are_parsed),
        cmocka_unit_test(every_prefix),
        cmocka_unit_test(stacks_are_parsed),
        cmocka_unit_test(short_raw),
        cmocka_unit_test(wrong_records),
        cmocka_unit_test(data_loc_outside),
        cmocka_unit_test(side_band),
        cmocka_unit_test(symbol_records),
        cmocka_unit_test(formats_are_read),
        cmocka_unit_test(layouts_need_their_fields),
        cmocka_unit_test(format_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
