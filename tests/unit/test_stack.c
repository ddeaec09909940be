/* Stacks find their events, whole or by key, late and from other processors; and no
 * walk is lost count of. */
#include "tests/feeder.h"
#include "tests/shared.h"

#include "src/event/providers.h"
#include "src/model/model.h"

#include <stdio.h>

enum { WALK = 0x1820, CREATED = 0x1822, DELETED = 0x1823, RUNDOWN = 0x1824,
       BY_KEY_KERNEL = 0x1825, BY_KEY_USER = 0x1826, SAMPLE = 0x0f2e };

#define KERNEL_FRAME 0xfffff80000001000u
static const uint64_t KERNEL = KERNEL_FRAME;

/* A model with its facts, fed record by record. */
struct bench {
    struct model model;
    struct facts facts;
    unsigned pointer;
};

static void bench_open(struct bench *b, unsigned pointer)
{
    model_init(&b->model);
    model_sources(&b->model, 2);
    facts_init(&b->facts, 1000000);
    b->model.facts = &b->facts;
    b->pointer = pointer;
}

static void bench_close(struct bench *b)
{
    model_fini(&b->model);
    facts_fini(&b->facts);
}

/* Returns the fact's number. */
static uint64_t feed(struct bench *b, int64_t ts, uint16_t hook, const struct note *n)
{
    const struct event e = {.ts = ts, .pid = EVENT_NO_ID, .tid = EVENT_NO_ID, .id = hook,
                            .opcode = hook & 0xff, .version = 2, .kind = HEADER_PERFINFO,
                            .pointer = (uint8_t)b->pointer, .payload = n->bytes,
                            .payload_bytes = (uint32_t)n->used};
    struct fact *f = facts_add(&b->facts);
    model_fact(&b->model, &e, 0, ts * 100, f);
    return b->facts.end - 1;
}

static void put_pointer(const struct bench *b, struct note *n, uint64_t v)
{
    if (b->pointer == 8)
        put_u64(n, v);
    else
        put_u32(n, (uint32_t)v);
}

static uint64_t sample(struct bench *b, int64_t ts, uint32_t tid)
{
    struct note n = {.used = 0};
    put_pointer(b, &n, KERNEL);
    put_u32(&n, tid);
    put_u32(&n, 1);
    return feed(b, ts, SAMPLE, &n);
}

static void walk(struct bench *b, int64_t ts, uint16_t hook, int64_t of, uint32_t tid,
                 const uint64_t *words, unsigned count)
{
    struct note n = {.used = 0};
    put_u64(&n, (uint64_t)of);
    put_u32(&n, 77);
    put_u32(&n, tid);
    for (unsigned i = 0; i < count; i++)
        put_pointer(b, &n, words[i]);
    feed(b, ts, hook, &n);
}

static void define(struct bench *b, int64_t ts, uint16_t hook, uint64_t key, uint64_t frame)
{
    struct note n = {.used = 0};
    put_pointer(b, &n, key);
    put_pointer(b, &n, frame);
    feed(b, ts, hook, &n);
}

#define WALK_OF(b, ts, hook, of, tid, ...)                                                         \
    walk(b, ts, hook, of, tid, (const uint64_t[]){__VA_ARGS__},                                    \
         sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

/* The fact's frames must be these, innermost first. */
static void expect(const struct bench *b, uint64_t number, unsigned count, const uint64_t *wanted)
{
    uint64_t frames[2 * STACK_FRAMES];
    const struct stack *s =
        generation_at(&b->model.stack_store.stacks, facts_at(&b->facts, number)->stack);
    const unsigned found = s ? model_stack_frames(&b->model, s, frames) : 0;
    assert_int_equal(found, count);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(frames[i], wanted[i]);
}

#define EXPECT(b, number, ...)                                                                     \
    expect(b, number, sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t),                    \
           (const uint64_t[]){__VA_ARGS__})

static void expect_tally(const struct bench *b, unsigned matched, unsigned unmatched)
{
    assert_int_equal(b->model.tally.stacks_matched, matched);
    assert_int_equal(b->model.tally.stacks_unmatched, unmatched);
}

/* ---- whole stacks ------------------------------------------------------------------------ */

static void parts_join(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 8);
    const uint64_t whole = sample(&b, 10, 5), apart = sample(&b, 20, 5), bare = sample(&b, 30, 5);
    WALK_OF(&b, 11, WALK, 10, 5, KERNEL + 2, KERNEL + 1, 0x402, 0x401);
    WALK_OF(&b, 21, WALK, 20, 5, 0x402, 0x401); /* the user's half first */
    WALK_OF(&b, 40, WALK, 20, 5, KERNEL + 2, KERNEL + 1);
    EXPECT(&b, whole, KERNEL + 2, KERNEL + 1, 0x402, 0x401);
    EXPECT(&b, apart, KERNEL + 2, KERNEL + 1, 0x402, 0x401);
    assert_int_equal(facts_at(&b.facts, whole)->stack, facts_at(&b.facts, apart)->stack);
    assert_int_equal(facts_at(&b.facts, bare)->stack, 0);
    WALK_OF(&b, 50, WALK, 35, 5, 0x402); /* of nothing */
    expect_tally(&b, 3, 1);
    bench_close(&b);
}

/* Two processors, one moment: their events differ by thread. */
static void events_differ_by_thread(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 8);
    const uint64_t five = sample(&b, 10, 5), six = sample(&b, 10, 6);
    WALK_OF(&b, 11, WALK, 10, 6, 0x600);
    WALK_OF(&b, 12, WALK, 10, 5, 0x500);
    WALK_OF(&b, 13, WALK, 10, 7, 0x700);
    EXPECT(&b, five, 0x500);
    EXPECT(&b, six, 0x600);
    expect_tally(&b, 2, 1);
    bench_close(&b);
}

/* A record that a merge put beside a kernel event has its time; the walk is not its. */
static void the_kernel_event_is_meant(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 8);
    const uint64_t real = sample(&b, 10, 5);
    struct event beside = {.ts = 10, .pid = 77, .tid = 5, .kind = HEADER_CLASSIC, .pointer = 8};
    model_fact(&b.model, &beside, 0, 1000, facts_add(&b.facts));
    const uint64_t other = b.facts.end - 1;
    WALK_OF(&b, 11, WALK, 10, 5, 0x500);
    EXPECT(&b, real, 0x500);
    assert_int_equal(facts_at(&b.facts, other)->stack, 0);
    bench_close(&b);
}

static void narrow_frames_are_distinguished(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 4);
    const uint64_t n = sample(&b, 10, 5);
    WALK_OF(&b, 11, WALK, 10, 5, 0x80001000, 0x401000);
    EXPECT(&b, n, 0xffffffff80001000, 0x401000);
    const struct stack *s =
        generation_at(&b.model.stack_store.stacks, facts_at(&b.facts, n)->stack);
    assert_true(s->parts.kernel && s->parts.user);
    bench_close(&b);
}

/* ---- keys ---------------------------------------------------------------------------------- */

static void keys_are_reported_later(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 8);
    const uint64_t n = sample(&b, 10, 5);
    WALK_OF(&b, 11, BY_KEY_KERNEL, 10, 5, 0xabc0);
    WALK_OF(&b, 12, BY_KEY_USER, 10, 5, 0xdef0);
    expect(&b, n, 0, NULL);
    assert_int_not_equal(facts_at(&b.facts, n)->stack, 0);
    define(&b, 90, RUNDOWN, 0xdef0, 0x401);
    define(&b, 91, RUNDOWN, 0xabc0, KERNEL);
    EXPECT(&b, n, KERNEL, 0x401);
    expect_tally(&b, 2, 0);
    bench_close(&b);
}

static void keys_come_back(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 8);
    const uint64_t first = sample(&b, 10, 5), second = sample(&b, 20, 5), third = sample(&b, 40, 5);
    WALK_OF(&b, 11, BY_KEY_USER, 10, 5, 0xdef0);
    define(&b, 15, DELETED, 0xdef0, 0x401);
    WALK_OF(&b, 21, BY_KEY_USER, 20, 5, 0xdef0);
    define(&b, 30, DELETED, 0xdef0, 0x402);
    define(&b, 35, CREATED, 0xdef0, 0x403); /* from here on, without waiting for its end */
    WALK_OF(&b, 41, BY_KEY_USER, 40, 5, 0xdef0);
    EXPECT(&b, first, 0x401);
    EXPECT(&b, second, 0x402);
    EXPECT(&b, third, 0x403);
    define(&b, 50, RUNDOWN, 0xdef0, 0x403);
    EXPECT(&b, third, 0x403);
    /* One that is read late means what the key was at its own time. */
    const uint64_t late = sample(&b, 60, 5);
    WALK_OF(&b, 49, BY_KEY_USER, 60, 5, 0xdef0);
    EXPECT(&b, late, 0x403);
    bench_close(&b);
}

/* ---- bounds ----------------------------------------------------------------------------------- */

/* A stack may come when so many newer events have come that its event has no place any more. */
static void late_stacks_find_their_events(void **state)
{
    (void)state;
    enum { EVENTS = 2 * STACK_SLOTS };
    struct bench b;
    bench_open(&b, 8);
    for (unsigned i = 0; i < EVENTS; i++)
        sample(&b, 1000 + i / 2, 5 + i % 2); /* on two processors at once */
    for (unsigned i = 0; i < EVENTS; i++)
        WALK_OF(&b, 1000000 + i, WALK, 1000 + i / 2, 5 + i % 2, 0x400 + i % 7);
    expect_tally(&b, EVENTS, 0);
    for (unsigned i = 0; i < EVENTS; i++)
        EXPECT(&b, i, 0x400 + i % 7);
    WALK_OF(&b, 2000000, WALK, 1000, 7, 0x400); /* of nobody who was there */
    WALK_OF(&b, 2000000, WALK, 1, 5, 0x400);    /* nor then */
    expect_tally(&b, EVENTS, 2);
    assert_int_equal(b.model.tally.stacks_late, 0); /* no event is out of reach */
    bench_close(&b);
}

/* Stacks of events that are long gone are counted, and so is what is cut short. */
static void what_is_gone_is_counted(void **state)
{
    (void)state;
    enum { EVENTS = 40 * STACK_SLOTS, WALKS = 1000 };
    struct bench b;
    bench_open(&b, 8);
    for (unsigned i = 0; i < EVENTS; i++)
        sample(&b, 1000 + i, 5);
    for (unsigned i = 0; i < WALKS; i++)
        WALK_OF(&b, 1000000 + i, WALK, 1000 + i, 5, 0x400 + i % 7);
    expect_tally(&b, 0, WALKS);
    assert_int_equal(b.model.tally.stacks_late, WALKS);
    WALK_OF(&b, 2000000, WALK, 1000 + EVENTS - 1, 7, 0x400); /* of nobody, not late */
    expect_tally(&b, 0, WALKS + 1);
    assert_int_equal(b.model.tally.stacks_late, WALKS);
    bench_close(&b);
}

/* A program whose every stack is another: the oldest are forgotten, never those of recent
 * events, of a frozen view, or of keys that live. */
static uint64_t sample_deep(struct bench *b, uint32_t i, uint64_t words[18])
{
    for (unsigned d = 0; d < 16; d++)
        words[2 + d] = 0x100000 + (uint64_t)i * 64 + d;
    words[0] = KERNEL + 2;
    words[1] = KERNEL + 1;
    const uint64_t number = sample(b, 100 + i * 10, 5);
    walk(b, 101 + i * 10, WALK, 100 + i * 10, 5, words, 18);
    return number;
}

static void old_stacks_make_room(void **state)
{
    (void)state;
    enum { SAMPLES = 90000, FROZEN = 500, RECENT = 5000 };
    struct bench b;
    uint64_t words[18], first = 0;
    bench_open(&b, 8);
    define(&b, 1, CREATED, 0xabc, 0x777);
    struct facts frozen = {0};
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const uint64_t number = sample_deep(&b, i, words);
        first = i == 0 ? number : first;
        if (i == FROZEN) {
            frozen = facts_share(&b.facts);
            b.model.frozen_facts = &frozen;
        }
    }
    const struct stack_store *s = &b.model.stack_store;
    assert_true(s->stacks.evicted > 0 && s->call_count <= 1 << 19);
    assert_int_equal(b.model.tally.stacks_dropped, 0);
    const uint64_t next = sample(&b, 100 + SAMPLES * 10, 5);
    WALK_OF(&b, 101 + SAMPLES * 10, BY_KEY_USER, 100 + SAMPLES * 10, 5, 0xabc);
    EXPECT(&b, next, 0x777);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const bool is_recent = i >= SAMPLES - RECENT, is_frozen = i < FROZEN;
        if (!is_recent && !is_frozen)
            continue;
        const struct fact *f = facts_at(is_frozen ? &frozen : &b.facts, first + 2 * i);
        const struct stack *stack = generation_at(&s->stacks, f->stack);
        uint64_t frames[2 * STACK_FRAMES];
        assert_non_null(stack);
        assert_int_equal(model_stack_frames(&b.model, stack, frames), 18);
        assert_true(frames[1] == KERNEL + 1 && frames[2] == 0x100000 + (uint64_t)i * 64);
    }
    facts_fini(&frozen);
    bench_close(&b);
}

static void hostile_lengths_are_survived(void **state)
{
    (void)state;
    uint32_t prng = 5;
    for (unsigned pointer = 4; pointer <= 8; pointer += 4) {
        struct bench b;
        bench_open(&b, pointer);
        unsigned walks = 0;
        for (unsigned i = 0; i < 10000; i++) {
            static const uint16_t hooks[] = {WALK,    CREATED,       DELETED,    RUNDOWN,
                                             SAMPLE,  BY_KEY_KERNEL, BY_KEY_USER};
            prng = prng * 1103515245 + 12345;
            const uint16_t hook = hooks[(prng >> 16) % 7];
            struct note n = {.used = 0};
            put_u64(&n, prng >> 20);
            put_u64(&n, 0x0000000500000005u);
            for (unsigned w = 0; w < 100; w++)
                put_u64(&n, w % 3 ? KERNEL : prng >> 22);
            n.used = (prng >> 8) % (i % 2 ? n.used : 40);
            feed(&b, prng >> 20, hook, &n);
            walks += hook == WALK || hook == BY_KEY_KERNEL || hook == BY_KEY_USER;
            uint64_t frames[2 * STACK_FRAMES];
            const struct fact *f = facts_at(&b.facts, b.facts.end - 1 - i % 2);
            const struct stack *s = generation_at(&b.model.stack_store.stacks, f->stack);
            assert_true(!s || model_stack_frames(&b.model, s, frames) <= 2 * STACK_FRAMES);
        }
        assert_int_equal(b.model.tally.stacks_matched + b.model.tally.stacks_unmatched, walks);
        bench_close(&b);
    }
}

/* ---- in the event itself --------------------------------------------------------------------- */

static void put_item(struct note *n, uint16_t type, const uint64_t *words, unsigned count,
                     bool is_last)
{
    put_u16(n, (uint16_t)(8 + 8 * count));
    put_u16(n, type);
    put_u16(n, !is_last);
    put_u16(n, (uint16_t)(8 * count));
    for (unsigned i = 0; i < count; i++)
        put_u64(n, words[i]);
}

static void inline_stacks_are_read(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 8);
    struct note n = {.used = 0};
    put_item(&n, 6, (const uint64_t[]){0, KERNEL, 0x402, 0x401}, 4, true);
    struct event e = {.ts = 10, .pid = 77, .tid = 5, .kind = HEADER_MANIFEST, .pointer = 8,
                      .extended = n.bytes, .extended_bytes = (uint32_t)n.used};
    model_fact(&b.model, &e, 0, 1000, facts_add(&b.facts));
    EXPECT(&b, 0, KERNEL, 0x402, 0x401);
    n.used = 0;
    put_item(&n, 18, (const uint64_t[]){7, 0xabc0}, 2, true);
    e.ts = 20;
    model_fact(&b.model, &e, 0, 2000, facts_add(&b.facts));
    define(&b, 30, RUNDOWN, 0xabc0, 0x777);
    EXPECT(&b, 1, 0x777);
    n.used = 0;
    put_item(&n, 5, (const uint64_t[]){0, 0x0000040100000402u}, 2, true);
    e.extended_bytes = (uint32_t)n.used;
    model_fact(&b.model, &e, 0, 3000, facts_add(&b.facts));
    EXPECT(&b, 3, 0x402, 0x401);
    assert_int_equal(b.model.tally.stacks_inline, 3);
    assert_int_equal(b.model.tally.stacks_incomplete, 1);
    expect_tally(&b, 0, 0); /* they are no walks */
    bench_close(&b);
}

/* A stack in two events: the kernel's half with the event, the user's later, by one id. */
static void inline_parts_join(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 8);
    struct note n = {.used = 0};
    struct event e = {.ts = 10, .pid = 77, .tid = 5, .kind = HEADER_MANIFEST, .pointer = 8,
                      .extended = n.bytes};
    static const uint64_t items[][3] = {
        {9, KERNEL_FRAME + 2, KERNEL_FRAME + 1}, {8, KERNEL_FRAME + 2, KERNEL_FRAME + 3},
        {9, 0x402, 0x401},                       {9, 0x502, 0x501},
    };
    for (unsigned i = 0; i < 4; i++) {
        n.used = 0;
        put_item(&n, 6, items[i], 3, true);
        e.extended_bytes = (uint32_t)n.used;
        e.ts = 10 + i;
        model_fact(&b.model, &e, 0, 1000 + i, facts_add(&b.facts));
    }
    EXPECT(&b, 0, KERNEL + 2, KERNEL + 1, 0x402, 0x401);
    EXPECT(&b, 1, KERNEL + 2, KERNEL + 3); /* its other half did not come */
    assert_int_equal(facts_at(&b.facts, 2)->stack, facts_at(&b.facts, 0)->stack);
    EXPECT(&b, 3, 0x502, 0x501); /* the id has been used up */
    assert_int_equal(b.model.tally.stacks_incomplete, 2);
    bench_close(&b);
}

/* ---- real traces ------------------------------------------------------------------------------- */

/* Walks in a file, of the kernel and of .NET runtimes, counted by nothing but their ids. */
static uint64_t count_walks(const char *name)
{
    struct err err;
    struct event e;
    uint64_t walks = 0;
    struct etl_reader *r = etl_reader_open(&name, 1, &err);
    assert_non_null(r);
    while (etl_reader_next(r, &e, &err) == ETL_EVENT)
        walks += header_is_kernel(e.kind)
                     ? e.id == WALK || e.id == BY_KEY_KERNEL || e.id == BY_KEY_USER
                     : e.id == DOTNET_WALK && guid_equal(&e.provider, &dotnet_provider);
    etl_reader_close(r);
    return walks;
}

static void all_walks_are_counted(const char *pattern, uint64_t expected_walks)
{
    glob_t found = shared_files(pattern);
    struct stage *s = stage_open(1, 4 << 20, 1 << 16);
    struct feeder f = {.stage = s, .file = found.gl_pathv[0]};
    assert_true(feeder_open(&f));
    stage_play(s);
    feeder_start(&f);
    stage_request(s, "processes");
    struct frame *frame = stage_ask(s);
    const uint64_t walks = count_walks(found.gl_pathv[0]);
    assert_int_equal(walks, expected_walks);
    assert_int_equal(frame->stacks_matched + frame->stacks_unmatched, walks);
    print_message("%s: %llu walks, %llu without their event\n", found.gl_pathv[0],
                  (unsigned long long)walks, (unsigned long long)frame->stacks_unmatched);
    assert_true(frame->stacks_unmatched * 100 <= walks); /* by far most find their event */
    frame_free(frame);
    feeder_stop(&f);
    stage_close(s);
    globfree(&found);
}

static void windows_7(void **state)
{
    (void)state;
    all_walks_are_counted("../shared/etl/perfview-win7-PerfViewData.etl.zst", 18532 + 54165);
}

static void windows_8(void **state)
{
    (void)state;
    all_walks_are_counted("../shared/etl/perfview-net.4.5.2.x64.etl.zst", 9359 + 14983);
}

/* ---- the call tree ------------------------------------------------------------------------------- */

static void send_walk(const struct scene *by, int64_t us, int64_t of_us, uint32_t pid,
                      uint32_t tid, const uint64_t *frames, unsigned count)
{
    struct note n = {.used = 0};
    put_u64(&n, (uint64_t)of_us * 10);
    put_u32(&n, pid);
    put_u32(&n, tid);
    for (unsigned i = 0; i < count; i++)
        put_u64(&n, frames[i]);
    send_record(by, us, WALK, 2, &n);
}

static void send_load(const struct scene *by, int64_t us, uint32_t pid, uint64_t base,
                      const char *path)
{
    struct note n = {.used = 0};
    put_u64(&n, base);
    put_u64(&n, 0x10000);
    put_u32(&n, pid);
    for (unsigned i = 0; i < 9; i++)
        put_u32(&n, 0);
    put_wide(&n, path);
    send_record(by, us, 0x1404, 3, &n); /* a list at the end: right for all that came before */
}

enum { SHELL = 20, OTHER = 30, SHELL_THREAD = 21, OTHER_THREAD = 31 };

/* Of the shell 300 samples in a, of them 200 in b below, each with another kernel frame in
 * 100; one rare path; 7 samples without a stack. Another process: 50 in a. */
static struct stage *play_samples(void)
{
    struct stage *s = stage_open(1, 1 << 20, 1 << 16);
    const struct scene by = {.stage = s, .pid = EVENT_NO_ID, .tid = EVENT_NO_ID};
    stage_play(s);
    send_process(&by, 1, HOOK_START, SHELL, 1, "shell.exe");
    send_process(&by, 2, HOOK_START, OTHER, 1, "other.exe");
    send_thread(&by, 3, HOOK_START, SHELL, SHELL_THREAD);
    send_thread(&by, 4, HOOK_START, OTHER, OTHER_THREAD);
    int64_t us = 100;
    for (unsigned i = 0; i < 358; i++, us += 10) {
        const bool is_other = i >= 308;
        const uint32_t tid = is_other ? OTHER_THREAD : SHELL_THREAD;
        const uint64_t inner[] = {KERNEL, 0x400200, 0x400100}, rare[] = {0x999},
                       outer[] = {0x400100};
        send_sample(&by, us, tid);
        if (i < 100)
            send_walk(&by, us + 3, us, SHELL, tid, inner, 3);
        else if (i < 200)
            send_walk(&by, us + 3, us, SHELL, tid, inner + 1, 2);
        else if (i < 300 || is_other)
            send_walk(&by, us + 3, us, is_other ? OTHER : SHELL, tid, outer, 1);
        else if (i == 300)
            send_walk(&by, us + 3, us, SHELL, tid, rare, 1);
    }
    send_load(&by, us, SHELL, 0x400000, "C:\\bin\\app.exe");
    send_load(&by, us + 1, OTHER, 0x400000, "C:\\bin\\app.exe");
    stage_finish(s);
    return s;
}

static void expect_row(const struct frame *f, unsigned row, const char *text, unsigned samples,
                       unsigned self)
{
    assert_string_equal(text_of(f, cell(f, row, "frame")), text);
    assert_int_equal(cell(f, row, "samples").count, samples);
    assert_int_equal(cell(f, row, "self").count, self);
}

/* SELF over all rows is everything, once. */
static void expect_sums(const struct frame *f)
{
    uint64_t self = 0;
    for (unsigned i = 0; i < f->row_count; i++)
        self += cell(f, i, "self").count;
    assert_int_equal(f->row_count, f->shown);
    assert_int_equal(self, total(f, "self").count);
    assert_int_equal(self, total(f, "samples").count);
}

static void trees_add_up(void **state)
{
    (void)state;
    struct stage *s = play_samples();
    struct request *r = stage_request(s, "stacks");
    struct frame *f = stage_ask(s);
    expect_sums(f);
    /* 358 samples, two processes, two threads and two images that have no stacks. */
    assert_int_equal(total(f, "samples").count, 358 + 6);
    assert_int_equal(f->row_count, 5);
    expect_row(f, 0, "- app.exe!+0x100", 350, 150);
    expect_row(f, 1, "- app.exe!+0x200", 200, 100);
    expect_row(f, 2, "  0xfffff80000001000", 100, 100);
    expect_row(f, 3, "  (1 below 0.5%)", 1, 1);
    expect_row(f, 4, "  (no stack)", 13, 13);
    assert_string_equal(text_of(f, cell(f, 1, "mode")), "u");
    assert_string_equal(text_of(f, cell(f, 2, "mode")), "k");
    assert_true(cell(f, 1, "total").number > 56.9 && cell(f, 1, "total").number < 57.0);
    r->folds[0] = f->rows[0].key;
    r->fold_count = 1;
    frame_free(f);
    f = stage_ask(s);
    expect_sums(f);
    assert_int_equal(f->row_count, 3);
    expect_row(f, 0, "+ app.exe!+0x100", 350, 350);
    frame_free(f);
    stage_close(s);
}

static void trees_narrow(void **state)
{
    (void)state;
    struct stage *s = play_samples();
    stage_request(s, "processes");
    struct frame *f = stage_ask(s);
    const int row = row_named(f, "name", "other.exe");
    assert_true(row >= 0);
    const struct row_key key = f->rows[row].key;
    frame_free(f);
    struct request *r = stage_request(s, "stacks");
    r->crumbs[0] = (struct crumb){.kind = CRUMB_PROCESS, .key = key};
    r->crumb_count = 1;
    f = stage_ask(s);
    expect_sums(f);
    expect_row(f, 0, "  app.exe!+0x100", 50, 50);
    expect_row(f, 1, "  (no stack)", 3, 3);
    frame_free(f);
    r = stage_request(s, "stacks");
    snprintf(r->filter, sizeof r->filter, "other");
    f = stage_ask(s);
    expect_row(f, 0, "  app.exe!+0x100", 50, 50);
    frame_free(f);
    r->from_ns = 100000 + 100 * 10000 - 1; /* before the 101st sample … */
    r->to_ns = 100000 + 199 * 10000;       /* … to the 200th */
    r->filter[0] = '\0';
    f = stage_ask(s);
    expect_row(f, 1, "  app.exe!+0x200", 100, 100);
    assert_int_equal(f->row_count, 2);
    frame_free(f);
    stage_close(s);
}

/* A disk operation has the stack of its beginning; one whose beginning was not seen has none. */
static void operations_keep_their_stack(void **state)
{
    (void)state;
    enum { READ = 0x010a, READ_INIT = 0x010c };
    struct bench b;
    bench_open(&b, 8);
    uint64_t ends[2];
    for (unsigned i = 0; i < 2; i++) {
        struct note init = {.used = 0}, end = {.used = 0};
        put_u64(&init, 0xffff1000);
        put_u32(&init, 5);
        if (i == 0) {
            feed(&b, 10, READ_INIT, &init);
            WALK_OF(&b, 11, WALK, 10, 5, 0x402, 0x401);
        }
        put_u32(&end, 0);      /* DiskNumber */
        put_u32(&end, 0);      /* IrpFlags */
        put_u32(&end, 4096);   /* TransferSize */
        put_u32(&end, 0);      /* Reserved */
        put_u64(&end, 0);      /* ByteOffset */
        put_u64(&end, 0xaa0);  /* FileObject */
        put_u64(&end, 0xffff1000); /* Irp */
        put_u64(&end, 500);    /* HighResResponseTime */
        ends[i] = feed(&b, 20 + i, READ, &end);
    }
    EXPECT(&b, ends[0], 0x402, 0x401);
    expect(&b, ends[1], 0, NULL);
    WALK_OF(&b, 30, WALK, 10, 5, KERNEL + 2, KERNEL + 1); /* the other half comes late */
    EXPECT(&b, ends[0], KERNEL + 2, KERNEL + 1, 0x402, 0x401);
    bench_close(&b);
}

/* An operation is sequential when it begins where the one before on its disk ended. */
static void sequential_operations_are_reported(void **state)
{
    (void)state;
    enum { READ = 0x010a, WRITE = 0x010b, FLUSH = 0x010e };
    static const struct {
        uint16_t hook;
        uint32_t disk, bytes;
        uint64_t offset;
        bool follows;
    } steps[] = {{READ, 0, 4096, 1000, false},  {READ, 0, 4096, 5096, true},
                 {WRITE, 1, 100, 9192, false},  {FLUSH, 0, 0, 0, false},
                 {WRITE, 0, 10, 9192, true},    {READ, 0, 1, 9201, false},
                 {READ, 1, 8, 9292, true},      {READ, 1, 8, 9292, false}};
    struct bench b;
    bench_open(&b, 8);
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct note n = {.used = 0};
        put_u32(&n, steps[i].disk);
        put_u32(&n, 0);
        if (steps[i].hook == FLUSH) {
            put_u64(&n, 10); /* HighResResponseTime */
            put_u64(&n, 0xffff2000);
        } else {
            put_u32(&n, steps[i].bytes);
            put_u32(&n, 0);
            put_u64(&n, steps[i].offset);
            put_u64(&n, 0xaa0);
            put_u64(&n, 0xffff2000);
            put_u64(&n, 10);
        }
        const uint64_t number = feed(&b, 10 + i, steps[i].hook, &n);
        const bool follows = facts_at(&b.facts, number)->flags & FACT_SEQUENTIAL;
        assert_int_equal(follows, steps[i].follows);
    }
    bench_close(&b);
}

/* A stack that comes after its event was counted moves it to its place. */
static void late_stacks_move_their_event(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, 1 << 16);
    const struct scene by = {.stage = s, .pid = EVENT_NO_ID, .tid = EVENT_NO_ID};
    const uint64_t frames[] = {0x400200, 0x400100};
    stage_play(s);
    stage_request(s, "stacks");
    send_sample(&by, 100, 5);
    send_sample(&by, 200, 5);
    struct frame *f = NULL;
    while (f = stage_ask_now(s), f->row_count != 1 || cell(f, 0, "samples").count != 2) {
        frame_free(f);
        os_sleep(1000000);
    }
    expect_row(f, 0, "  (no stack)", 2, 2);
    frame_free(f);
    send_walk(&by, 300, 100, 77, 5, frames + 1, 1);
    send_walk(&by, 301, 200, 77, 5, frames, 2);
    stage_finish(s);
    f = stage_ask(s);
    expect_sums(f);
    assert_int_equal(f->row_count, 2);
    expect_row(f, 0, "- 0x400100", 2, 1);
    expect_row(f, 1, "  0x400200", 1, 1);
    frame_free(f);
    stage_close(s);
}

static void real_trees_add_up(void **state)
{
    (void)state;
    glob_t found = shared_files("../shared/etl/perfview-net.4.5.2.x64.etl.zst");
    struct stage *s = stage_open(1, 4 << 20, 1 << 16);
    struct feeder f = {.stage = s, .file = found.gl_pathv[0]};
    assert_true(feeder_open(&f));
    stage_play(s);
    feeder_start(&f);
    stage_request(s, "stacks")->rows = 100000;
    struct frame *frame = stage_ask(s);
    expect_sums(frame);
    /* Everything but 9359 + 14983 walks, 2921 definitions of keys and the beginnings of 1231 disk
     * operations, whose ends count; and every key was defined. */
    assert_int_equal(total(frame, "samples").count, frame->events - 9359 - 14983 - 2921 - 1231);
    assert_int_equal(row_named(frame, "frame", "  (frames unknown)"), -1);
    /* 5247 events of the kernel, and 14895 of the 14896 walks of the 64-bit runtime. */
    expect_row(frame, 0, "- ntdll.dll!+0x1c3f1", 5247 + 14895, 0);
    frame_free(frame);
    feeder_stop(&f);
    stage_close(s);
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_join),
        cmocka_unit_test(events_differ_by_thread),
        cmocka_unit_test(the_kernel_event_is_meant),
        cmocka_unit_test(narrow_frames_are_distinguished),
        cmocka_unit_test(keys_are_reported_later),
        cmocka_unit_test(keys_come_back),
        cmocka_unit_test(late_stacks_find_their_events),
        cmocka_unit_test(what_is_gone_is_counted),
        cmocka_unit_test(old_stacks_make_room),
        cmocka_unit_test(hostile_lengths_are_survived),
        cmocka_unit_test(inline_stacks_are_read),
        cmocka_unit_test(inline_parts_join),
        cmocka_unit_test(windows_7),
        cmocka_unit_test(windows_8),
        cmocka_unit_test(trees_add_up),
        cmocka_unit_test(trees_narrow),
        cmocka_unit_test(operations_keep_their_stack),
        cmocka_unit_test(sequential_operations_are_reported),
        cmocka_unit_test(late_stacks_move_their_event),
        cmocka_unit_test(real_trees_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
