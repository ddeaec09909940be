/* The synthetic machine by itself: the same seed gives the same bytes, every record has
 * the layout the documentation gives, times rise, nothing the totals know is missing. */
#include "tests/test.h"

#include "collectors/synthetic/synthetic.h"
#include "src/base/bytes.h"
#include "src/base/hash.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 * 1024 };

/* All records of a machine, one after the other; `step` bounds each call in ticks. */
static uint64_t run(const struct synthetic_options *o, size_t room, int64_t step,
                    void (*each)(const struct record_head *, void *), void *arg)
{
    struct synthetic *s = synthetic_new(o);
    uint8_t *buffer = mem_new(room, 1);
    uint64_t h = HASH_START;
    for (int64_t until = step; !synthetic_is_done(s);) {
        const size_t bytes = synthetic_fill(s, buffer, room, until);
        if (bytes == 0)
            until = synthetic_time(s) + step;
        for (size_t at = 0; at < bytes;) {
            const struct record_head *head = (const void *)(buffer + at);
            assert_true(head->bytes >= sizeof *head && head->bytes <= bytes - at);
            h = hash_bytes(h, buffer + at, head->bytes);
            if (each)
                each(head, arg);
            at += (head->bytes + 7u) / 8 * 8;
        }
    }
    free(buffer);
    synthetic_free(s);
    return h;
}

static const struct synthetic_options plain = {.seed = 7, .events = 60000, .keep_totals = true};

static void seed_is_everything(void **state)
{
    (void)state;
    const uint64_t whole = run(&plain, CHUNK, INT64_MAX / 2, NULL, NULL);
    assert_int_equal(whole, run(&plain, CHUNK, INT64_MAX / 2, NULL, NULL));
    /* How it is called makes no difference: small rooms, many small steps of time. */
    assert_int_equal(whole, run(&plain, SYNTHETIC_ROOM, INT64_MAX / 2, NULL, NULL));
    assert_int_equal(whole, run(&plain, CHUNK, 100000, NULL, NULL));
    struct synthetic_options other = plain;
    other.seed = 8;
    assert_int_not_equal(whole, run(&other, CHUNK, INT64_MAX / 2, NULL, NULL));
}

/* ---- layouts ------------------------------------------------------------------------ */

/* Whole records as the documentation of the layouts gives them, typed by hand; ? is a
 * hex digit that the machine chooses. */
static const struct pattern {
    uint16_t hook;
    uint8_t kind; /* TRACE_HEADER_TYPE byte */
    const char *hex;
} patterns[] = {
    {0x0005, 2,
     "0200 02c0 4400 05 00 00000000 00000000 ???????????????? 00000000 00000000"
     "ff7f0307 00000000 00010000 00000000 00000000 00000000 00000000 00000000 50000000"},
    {0x0020, 17,
     "0200 11c0 3400 20 00 ????????????????"
     "ff7f0307 00000000 00010000 00000000 00000000 00000000 00000000 00000000 50000000"},
    {0x0008, 17, "0200 11c0 1000 08 00 ????????????????"},
    {0x0f49, 17,
     "0300 11c0 2800 49 0f ???????????????? 00000000 10270000 10270000"
     "5400 6900 6d00 6500 7200 0000"},
    /* The idle process: key, pid 0, parent 0, session -1, pending, table, flags, TOKEN_USER,
     * S-1-5-18, "Idle", empty command, package, application. */
    {0x0303, 17,
     "0400 11c0 5b00 03 03 ???????????????? ???????? 8f9bffff 00000000 00000000 ffffffff"
     "03010000 ???????????????? 00000000 ???????????????? 0000000000000000"
     "01 01 000000000005 12000000 49646c6500 0000 0000 0000"},
    /* An idle thread, named: kernel stack, no user stack, 8 processors. */
    {0x0503, 2,
     "0300 02c0 8000 03 05 00000000 00000000 ???????????????? 00000000 00000000"
     "???????? ???????? ???????? ???????? ???????? ???????? ????????????????"
     "???????????????? ff00000000000000 ???????????????? ???????????????? 00000000"
     "?? 05 02 00 4900 6400 6c00 6500 2000 5400 6800 7200 6500 6100 6400 0000"},
    {0x0524, 17,
     "0400 11c0 2800 24 05 ???????????????? ???????? ???????? ?? ?? ?? 00 ?? ?? ?? ??"
     "???????? 00000000"},
    {0x0532, 17, "0200 11c0 1800 32 05 ???????????????? ???????? 01 ?? ?? 00"},
    {0x010c, 2,
     "0300 02c0 2c00 0c 01 ???????? ???????? ???????????????? ???????? ????????"
     "????????8f9bffff ????????"},
    /* A read of disk 0 to 2: flags, size, 0, offset, key, irp, response, thread. */
    {0x010a, 17,
     "0300 11c0 4400 0a 01 ???????????????? 0?000000 ????0600 00?0???? 00000000"
     "????????????0000 ????????0dc0ffff ????????8f9bffff ??????0000000000 ????0000"},
    {0x0443, 17,
     "0300 11c0 4000 43 04 ???????????????? ????????????0000 ????????8f9bffff"
     "????????8f9bffff ????????0dc0ffff ????0000 ???????? 00090600 00000000"},
    {0x044c, 17,
     "0300 11c0 2400 4c 04 ???????????????? ????????8f9bffff ???????????????? ????????"},
    {0x0220, 17,
     "0200 11c0 3800 20 02 ???????????????? ???????????????? ????????????????"
     "????????a?010000 ????????0dc0ffff ????0000 00?0??00"},
    {0x0f2e, 17, "0200 11c0 2000 2e 0f ???????????????? ???????????????? ???????? 0100 ?? 00"},
    {0x0f44, 17, "0200 11c0 2000 44 0f ???????????????? ???????????????? ????????03f8ffff"},
    {0x0f32, 17,
     "0200 11c0 2800 32 0f ???????????????? ???????????????? ????????03f8ffff 01 ??00 00"
     "0?000000"},
    /* 192.0.2.20 asks port 443 (bytes in network order) of 198.51.100.x. */
    {0x080a, 17,
     "0200 11c0 3000 0a 08 ???????????????? ????0000 ????0000 c6 33 64 ?? c0 00 02 14 0035"
     "???? 00000000 0000000000000000"},
};

static bool matches(const char *hex, const uint8_t *at, size_t bytes)
{
    size_t digit = 0;
    for (; *hex; hex++) {
        if (*hex == ' ')
            continue;
        if (digit / 2 >= bytes)
            return false;
        const unsigned nibble = at[digit / 2] >> (digit % 2 ? 0 : 4) & 15;
        if (*hex != '?' && *hex != "0123456789abcdef"[nibble])
            return false;
        digit++;
    }
    return digit == 2 * bytes;
}

struct seen {
    int64_t last;
    uint64_t records, lost;
    bool is_matched[sizeof patterns / sizeof *patterns];
};

static void look(const struct record_head *head, void *arg)
{
    struct seen *seen = arg;
    const uint8_t *at = (const uint8_t *)(head + 1);
    assert_true(head->ts > seen->last);
    seen->last = head->ts;
    assert_true(head->cpu < 64);
    if (head->form == RECORD_LOST) {
        struct record_lost lost;
        assert_int_equal(head->bytes, sizeof *head + sizeof lost);
        memcpy(&lost, at, sizeof lost);
        seen->lost += lost.events;
        return;
    }
    seen->records++;
    const size_t size = load_u16(at + 4);
    assert_int_equal(head->bytes, sizeof *head + size);
    assert_int_equal(at[3], 0xc0);
    assert_true(at[2] == 2 || at[2] == 17);
    assert_int_equal(load_u64(at + (at[2] == 2 ? 16 : 8)), head->ts);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (patterns[i].hook != (at[7] << 8 | at[6]) || patterns[i].kind != at[2] ||
            seen->is_matched[i])
            continue;
        seen->is_matched[i] = matches(patterns[i].hex, at, size);
    }
}

static void layouts_are_as_documented(void **state)
{
    (void)state;
    struct seen seen = {0};
    unsigned missing = 0;
    run(&plain, CHUNK, INT64_MAX / 2, look, &seen);
    assert_int_equal(seen.records, plain.events);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (!seen.is_matched[i]) {
            print_error("no record of hook 0x%04x matches %s\n", patterns[i].hook, patterns[i].hex);
            missing++;
        }
    assert_int_equal(missing, 0);
}

static void losses_are_reported(void **state)
{
    (void)state;
    struct synthetic_options o = plain;
    o.lose = 300;
    struct seen seen = {0};
    run(&o, CHUNK, INT64_MAX / 2, look, &seen);
    assert_true(seen.lost > 100);
    assert_int_equal(seen.records + seen.lost, o.events);
}

/* ---- what happens in it ---------------------------------------------------------------- */

static uint64_t count_of(const struct synthetic_totals *t, const char *name)
{
    uint64_t count = 0;
    for (size_t i = 0; i < synthetic_kind_count; i++)
        if (strcmp(synthetic_kinds[i].name, name) == 0)
            count += t->kinds[i];
    return count;
}

static struct synthetic *machine(const struct synthetic_options *o)
{
    struct synthetic *s = synthetic_new(o);
    void *buffer = mem_new(CHUNK, 1);
    while (!synthetic_is_done(s))
        synthetic_fill(s, buffer, CHUNK, INT64_MAX);
    free(buffer);
    return s;
}

/* Half a million records hold every kind, those of the lists at the end included. */
static void every_kind_occurs(void **state)
{
    (void)state;
    struct synthetic_options o = plain;
    o.events = 600000;
    unsigned missing = 0;
    struct synthetic *early = machine(&o);
    o.late_rundown = true;
    struct synthetic *late = machine(&o);
    for (size_t i = 0; i < synthetic_kind_count; i++)
        if (synthetic_totals(early)->kinds[i] + synthetic_totals(late)->kinds[i] == 0) {
            print_error("no %s\n", synthetic_kinds[i].name);
            missing++;
        }
    assert_int_equal(missing, 0);
    assert_int_equal(count_of(synthetic_totals(early), "Process/DCEnd"), 0);
    assert_int_equal(count_of(synthetic_totals(late), "Process/DCStart"), 0);
    assert_int_equal(count_of(synthetic_totals(late), "FileIo/Name"), 0);
    assert_true(synthetic_totals(early)->stalls > 0);
    synthetic_free(early);
    synthetic_free(late);
}

/* A million events of a busy hour reuse process ids, as Windows does. */
static void ids_are_used_again(void **state)
{
    (void)state;
    struct synthetic_options o = plain;
    o.events = 1000000;
    struct synthetic *s = machine(&o);
    const struct synthetic_totals *t = synthetic_totals(s);
    unsigned reused = 0;
    for (size_t i = 0; i < t->process_count; i++)
        for (size_t j = 0; j < i; j++)
            if (t->processes[i].pid == t->processes[j].pid) {
                assert_true(t->processes[j].end && t->processes[j].end < t->processes[i].start);
                reused++;
                break;
            }
    assert_true(reused > 3);
    synthetic_free(s);
}

static void rate_is_kept(void **state)
{
    (void)state;
    static const uint64_t rates[] = {5000, 20000, 60000, 300000};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct synthetic_options o = {.seed = 3, .rate = rates[i], .events = rates[i] * 12};
        struct synthetic *s = machine(&o);
        const struct synthetic_totals *t = synthetic_totals(s);
        const double rate = (double)t->records * 1e7 / (double)(t->last - t->first);
        print_message("asked for %6.0f events/s, %u processors: %6.0f\n", (double)rates[i],
                      synthetic_cpus(s), rate);
        assert_true(rate > 0.5 * (double)rates[i] && rate < 1.6 * (double)rates[i]);
        synthetic_free(s);
    }
}

static void hostile_names_are_rare_or_asked_for(void **state)
{
    (void)state;
    struct synthetic_options o = plain;
    const uint64_t tame = run(&o, CHUNK, INT64_MAX / 2, NULL, NULL);
    o.hostile = 1000;
    struct seen seen = {0};
    assert_int_not_equal(tame, run(&o, CHUNK, INT64_MAX / 2, look, &seen));
    assert_int_equal(seen.records, o.events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seed_is_everything),
        cmocka_unit_test(layouts_are_as_documented),
        cmocka_unit_test(losses_are_reported),
        cmocka_unit_test(every_kind_occurs),
        cmocka_unit_test(ids_are_used_again),
        cmocka_unit_test(rate_is_kept),
        cmocka_unit_test(hostile_names_are_rare_or_asked_for),
    };
    return cmocka_run_group_tests_name("synthetic machine", tests, NULL, NULL);
}
