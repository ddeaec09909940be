/* Switches and wake-ups: states, priorities and reasons of waiting as ETW records have them. */
#include "tests/made_sample.h"

#include "collectors/linux/translate/reason.h"
#include "collectors/linux/translate/switch.h"
#include "collectors/linux/translate/wait_calls.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define N(v) ((uint64_t)(v))
enum { CSWITCH = 0x0524, READY = 0x0532 };

/* ---- states ------------------------------------------------------------------------------- */

/* As 6.18 prints them; an older kernel, whose bits lay elsewhere; and what is no list. */
static const char now[] =
    "print fmt: \"x\", (REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, \"|\", "
    "{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, "
    "{ 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, { 0x00000080, \"I\" }) "
    ": \"R\", REC->prev_state & 0x100 ? \"+\" : \"\"";
static const char old[] =
    "print fmt: \"x\", __print_flags(REC->prev_state & (2048 - 1), \"|\", { 1, \"S\"} , "
    "{ 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, "
    "{ 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }, { 1024, \"N\" })";

static void states_have_their_meaning(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        int64_t prev_state;
        uint8_t state, reason;
    } rows[] = {
        {now, 0, 1, REASON_QUANTUM_END},    {now, 0x100, 1, REASON_PREEMPTED},
        {now, 0x101, 1, REASON_PREEMPTED},  {now, 1, 5, REASON_USER_REQUEST},
        {now, 2, 5, REASON_EXECUTIVE},      {now, 4, 5, REASON_SUSPENDED},
        {now, 8, 5, REASON_SUSPENDED},      {now, 0x10, 4, REASON_TERMINATED},
        {now, 0x20, 4, REASON_TERMINATED},  {now, 0x40, 5, REASON_EXECUTIVE},
        {now, 0x80, 5, REASON_QUEUE},       {old, 2048, 1, REASON_PREEMPTED},
        {old, 16, 4, REASON_TERMINATED},    {old, 512, 5, REASON_EXECUTIVE},
        {NULL, 0x100, 1, REASON_PREEMPTED}, {"print fmt: none", 0x80, 5, REASON_QUEUE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct switch_masks m = switch_masks_of(rows[i].format);
        const struct switch_end end = switch_end_of(&m, rows[i].prev_state);
        if (end.state != rows[i].state || end.reason != rows[i].reason)
            fail_msg("row %zu: state %u, reason %u", i, end.state, end.reason);
    }
}

static void priorities_keep_their_order(void **state)
{
    (void)state;
    static const struct {
        int32_t prio;
        uint8_t expected;
    } rows[] = {{0, 31}, {99, 16}, {100, 15}, {120, 8}, {139, 1}, {-1, 31}, {140, 0}, {-2, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (switch_priority(rows[i].prio, false) != rows[i].expected)
            fail_msg("%d: %u", rows[i].prio, switch_priority(rows[i].prio, false));
    for (int32_t prio = 1; prio < 140; prio++)
        assert_true(switch_priority(prio, false) <= switch_priority(prio - 1, false));
    assert_int_equal(switch_priority(120, true), 0);
}

/* ---- records ------------------------------------------------------------------------------- */

static void send_switch(struct sample_maker *m, uint64_t from, uint64_t to)
{
    m->time += 10;
    made_send(m, made_event(m, "sched_switch"), "prev_pid", from, "prev_prio", N(120), "prev_state",
              N(1), "next_pid", to, "next_prio", N(120), NULL);
}

/* Thread 68 comes and is never seen to go; 70 goes unseen at times, as where records were lost. */
static void hidden_threads_are_reported_once(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_SWITCH);
    const struct sample lost = {.type = PERF_RECORD_LOST};
    send_switch(m, 5, 7);
    for (unsigned i = 0; i < 20; i++) {
        send_switch(m, 7, 70);
        m->domain->side_band(&m->translator, &lost);
        send_switch(m, 7, 70);
        send_switch(m, 70, 7);
    }
    assert_int_equal(m->translator.unpaired, 0);
    for (unsigned i = 0; i < 20; i++) {
        send_switch(m, 7, 70);
        send_switch(m, 7, 70);
        send_switch(m, 70, 7);
    }
    assert_int_equal(m->translator.unpaired, 20);
    assert_int_equal(notices_count(&m->collector.notices), 0);
    for (unsigned i = 0; i < 20; i++) {
        send_switch(m, 7, 68);
        assert_int_equal(notices_count(&m->collector.notices), i >= 8);
        send_switch(m, 7, 9);
        send_switch(m, 9, 7);
    }
    assert_int_equal(m->translator.unpaired, 40);
    assert_int_equal(notices_count(&m->collector.notices), 1);
    char notice[NOTICE_BYTES];
    assert_true(notices_read(&m->collector.notices, 0, notice));
    assert_non_null(strstr(notice, "thread 68 "));
    made_free(m);
}

/* The record says so where whoever came last left unseen, or records were lost since. */
static void records_say_where_the_chain_is_broken(void **state)
{
    (void)state;
    enum { SPARE = 11 };
    static const struct {
        uint64_t from, to;
        bool is_after_loss;
        uint8_t spare; /* 1: unseen, 2: the first one */
    } rows[] = {{5, 7, false, 2}, {7, 68, false, 0}, {9, 7, false, 1},
                {7, 9, false, 0}, {8, 7, true, 1},   {7, 5, true, 0}};
    struct sample_maker *const m = made_new(DOMAIN_SWITCH);
    const struct sample lost = {.type = PERF_RECORD_LOST};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].is_after_loss)
            m->domain->side_band(&m->translator, &lost);
        send_switch(m, rows[i].from, rows[i].to);
        assert_int_equal(made_next(m, CSWITCH).payload[SPARE], rows[i].spare);
    }
    made_free(m);
}

static void switches_become_records(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_SWITCH);
    m->time = 5000;
    m->pid = 700;
    m->tid = 701;
    made_send(m, made_event(m, "sched_switch"), "prev_pid", N(701), "prev_prio", N(120),
              "prev_state", N(1), "next_pid", N(0), "next_prio", N(120), "prev_call", N(SYS_futex),
              NULL);
    const struct came c = made_next(m, CSWITCH);
    assert_int_equal(c.bytes, 24);
    assert_int_equal(c.pid, EVENT_NO_ID); /* the payload names both threads */
    assert_int_equal(load_u32(c.payload), 0);
    assert_int_equal(load_u32(c.payload + 4), 701);
    assert_int_equal(c.payload[8], 0); /* idle */
    assert_int_equal(c.payload[9], 8);
    assert_int_equal(c.payload[12], REASON_ALERT);
    assert_int_equal(c.payload[14], 5);
    made_send(m, made_event(m, "sched_switch"), "prev_pid", N(701), "prev_prio", N(120),
              "prev_state", N(0), "next_pid", N(9), "next_prio", N(0), "prev_call",
              N(SYS_sched_yield), NULL);
    assert_int_equal(made_next(m, CSWITCH).payload[12], REASON_YIELD);
    made_nothing(m);
    made_free(m);
}

/* The call says why a thread waits; for reads and writes, with the kind of file. */
static void waits_have_their_call(void **state)
{
    (void)state;
    static const struct {
        int64_t call;
        unsigned file, state;
        enum wait_call expected;
    } rows[] = {
        {SYS_futex, 0, 1, WAIT_FUTEX},
        {SYS_clock_nanosleep, 0, 1, WAIT_OWN_SLEEP},
        {SYS_read, S_IFIFO, 1, WAIT_PIPE_READ},
        {SYS_write, S_IFIFO, 1, WAIT_PIPE_WRITE},
        {SYS_readv, S_IFSOCK, 1, WAIT_RECEIVE},
        {SYS_read, S_IFREG, 2, WAIT_FILE_READ},
        {SYS_read, S_IFCHR, 1, WAIT_DEVICE_READ},
        {SYS_read, 0, 1, WAIT_EVENT_READ},
        {SYS_recvfrom, S_IFIFO, 1, WAIT_RECEIVE},
        {SYS_fdatasync, 0, 2, WAIT_FSYNC},
        {SYS_getpid, 0, 1, WAIT_OTHER_CALL},
        {60000, 0, 1, WAIT_OTHER_CALL},
        {CALL_NONE, 0, 2, WAIT_PAGE_FAULT},
        {CALL_OF_KERNEL, 0, 1, WAIT_NOT_KNOWN},
        {CALL_OF_32_BITS, 0, 1, WAIT_NOT_KNOWN},
        {INT64_MIN, 0, 1, WAIT_NOT_KNOWN},
        {SYS_futex, 0, 0, WAIT_NOT_KNOWN},     /* it could have gone on */
        {SYS_futex, 0, 0x100, WAIT_NOT_KNOWN}, /* preempted */
        {SYS_futex, 0, 4, WAIT_NOT_KNOWN},     /* stopped */
    };
    enum { CALL = 20 };
    struct sample_maker *const m = made_new(DOMAIN_SWITCH);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        made_send(m, made_event(m, "sched_switch"), "prev_pid", N(701), "prev_prio", N(120),
                  "prev_state", N(rows[i].state), "next_pid", N(0), "next_prio", N(120),
                  "prev_call", N(rows[i].call), "prev_file", N(rows[i].file), NULL);
        const uint32_t call = load_u32(made_next(m, CSWITCH).payload + CALL);
        if (call != rows[i].expected)
            fail_msg("row %zu: %u, not %u", i, call, rows[i].expected);
        assert_true(!call || wait_call_name(call));
    }
    made_free(m);
}

static void wakers_are_threads_or_interrupts(void **state)
{
    (void)state;
    static const struct {
        uint64_t flags;
        uint8_t is_dpc;
    } rows[] = {{0, 0}, {0x08, 1}, {0x10, 1}, {0x18, 1}, {0x05, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sample_maker *const m = made_new(DOMAIN_SWITCH);
        m->time = 5000;
        m->pid = 700;
        m->tid = 701;
        made_send(m, made_event(m, "sched_waking"), "pid", N(815), "common_flags", rows[i].flags,
                  NULL);
        const struct came c = made_next(m, READY);
        assert_int_equal(c.tid, 701);
        assert_int_equal(load_u32(c.payload), 815);
        assert_int_equal(c.payload[6], rows[i].is_dpc);
        made_free(m);
    }
}

/* ---- reasons -------------------------------------------------------------------------------- */

static void functions_have_reasons(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint8_t reason;
        bool is_passed;
    } rows[] = {
        {"futex_do_wait", REASON_ALERT, false},
        {"schedule", REASON_UNKNOWN, true},
        {"schedule_timeout", REASON_UNKNOWN, true},
        {"do_nanosleep", REASON_UNKNOWN, true},
        {"hrtimer_nanosleep", REASON_DELAY, false},
        {"anon_pipe_read", REASON_RECEIVE, false},
        {"anon_pipe_write", REASON_REPLY, false},
        {"do_sys_poll", REASON_USER_REQUEST, false},
        {"do_sys_polling", REASON_UNKNOWN, false},
        {"worker_thread", REASON_QUEUE, false},
        {"rcu_gp_fqs_loop", REASON_QUEUE, false},
        {"ext4_foo", REASON_UNKNOWN, false},
        {"", REASON_UNKNOWN, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool is_passed;
        if (reason_of_function(rows[i].name, &is_passed) != rows[i].reason ||
            is_passed != rows[i].is_passed)
            fail_msg("%s", rows[i].name);
    }
}

static struct reasons *read_text(const char *text)
{
    FILE *const f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(f);
    struct reasons *const r = reasons_read(f);
    fclose(f);
    return r;
}

static void call_chains_have_reasons(void **state)
{
    (void)state;
    struct reasons *const r = read_text("ffffffff81000300 T futex_do_wait\n"
                                        "ffffffff81000100 T __schedule\n"
                                        "ffffffff81000200 t schedule\n"
                                        "ffffffff81000200 d not_code\n"
                                        "ffffffff81000400 T unknown_one\n"
                                        "ffffffff81000500 W worker_thread\n"
                                        "broken line\n"
                                        "ffffffff81000600 T end_of_it\n");
    assert_non_null(r);
    static const uint64_t kernel = (uint64_t)PERF_CONTEXT_KERNEL,
                          user = (uint64_t)PERF_CONTEXT_USER;
    const struct {
        uint64_t chain[8];
        uint32_t count;
        enum wait_reason reason;
    } rows[] = {
        {{kernel, 0xffffffff81000150, 0xffffffff81000210, 0xffffffff81000310, user, 0x401000},
         6,
         REASON_ALERT},
        /* The call was the function's last instruction: its return address is the next one's. */
        {{kernel, 0xffffffff81000150, 0xffffffff81000400}, 3, REASON_ALERT},
        {{kernel, 0xffffffff81000150, 0xffffffff81000450, 0xffffffff81000510}, 4, REASON_QUEUE},
        {{user, 0xffffffff81000310}, 2, REASON_UNKNOWN},
        {{kernel, 0xffffffff81000150}, 2, REASON_UNKNOWN},
        {{kernel, 0xffffffff80000000}, 2, REASON_UNKNOWN},
        {{0}, 0, REASON_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (reason_of_chain(r, rows[i].chain, rows[i].count) != rows[i].reason)
            fail_msg("row %zu", i);
    reasons_free(r);
    assert_null(read_text("0000000000000000 T futex_do_wait\n")); /* hidden addresses */
    reasons_free(NULL);
}

/* The innermost frames are those of who looks on, where such a one is among them. */
static void tracers_are_no_part_of_a_stack(void **state)
{
    (void)state;
    struct reasons *const r = read_text("ffffffff81000100 T __schedule\n"
                                        "ffffffff81000200 t schedule\n"
                                        "ffffffff81000300 T bpf_trace_run4\n"
                                        "ffffffff81000400 T __bpf_trace_sched_switch\n"
                                        "ffffffff81000500 T bpf_prog_alloc\n"
                                        "ffffffff81000600 T __traceiter_sched_switch\n"
                                        "ffffffff81000700 T do_nanosleep\n");
    assert_non_null(r);
    static const uint64_t program = 0xffffffffc002a046;
    const struct {
        uint64_t frames[8];
        uint32_t count, leading;
    } rows[] = {
        {{program, 0xffffffff81000380, 0xffffffff81000150, 0xffffffff81000210}, 4, 2},
        {{program, 0xffffffff81000380, 0xffffffff81000420, 0xffffffff81000650, 0xffffffff81000150}, 5, 4},
        {{0xffffffff81000150, 0xffffffff81000210, 0xffffffff81000720}, 3, 0},
        {{program, 0xffffffff81000380}, 2, 2},
        {{program}, 1, 0},
        {{0}, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (reason_tracer_frames(r, rows[i].frames, rows[i].count) != rows[i].leading)
            fail_msg("row %zu", i);
    reasons_free(r);
}

/* A thread that comes in has the stack that it went out with, however many do; the next one with the id
 * of a thread that ended has none. */
static void who_left_is_remembered(void **state)
{
    (void)state;
    enum { STACK = 0x1820, THREADS = 500, RUNNING = 0, SLEEPS = 1, DEAD = 16, FEW = 1 << 20 };
    struct sample_maker *const m = made_new(DOMAIN_STACK);
    const struct linux_domain *const switches = linux_domains[DOMAIN_SWITCH];
    switches->start(&m->translator);
    const size_t at_rest = m->domain->bytes(&m->translator);
    const struct linux_event *const event = &switches->events[0];
    assert_string_equal(event->name, "sched_switch");
    uint64_t chain[2] = {(uint64_t)PERF_CONTEXT_KERNEL};
    m->chain = chain;
    m->chain_count = 2;
    for (uint32_t tid = 1; tid <= THREADS; tid++) {
        m->time++;
        chain[1] = 0xffff800000000000 + tid;
        made_send(m, event, "prev_pid", N(tid), "prev_prio", N(120), "prev_state", N(SLEEPS),
                  "next_pid", N(0), "next_prio", N(120), NULL);
        made_next(m, CSWITCH);
    }
    assert_in_range(at_rest, 1, FEW);
    m->chain_count = 0;
    for (uint32_t tid = 1; tid <= THREADS; tid++) {
        m->time++;
        made_send(m, event, "prev_pid", N(0), "prev_prio", N(120), "prev_state", N(RUNNING),
                  "next_pid", N(tid), "next_prio", N(120), NULL);
        made_next(m, CSWITCH);
        const struct came c = made_next(m, STACK);
        assert_int_equal(load_u64(c.payload + 16), 0xffff800000000000 + tid);
    }
    m->chain_count = 2;
    made_send(m, event, "prev_pid", N(7), "prev_prio", N(120), "prev_state", N(DEAD), "next_pid",
              N(0), "next_prio", N(120), NULL);
    made_next(m, CSWITCH);
    made_send(m, event, "prev_pid", N(0), "prev_prio", N(120), "prev_state", N(RUNNING),
              "next_pid", N(7), "next_prio", N(120), NULL);
    made_next(m, CSWITCH);
    made_nothing(m);
    switches->stop(&m->translator);
    made_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_have_their_meaning),
        cmocka_unit_test(priorities_keep_their_order),
        cmocka_unit_test(switches_become_records),
        cmocka_unit_test(hidden_threads_are_reported_once),
        cmocka_unit_test(records_say_where_the_chain_is_broken),
        cmocka_unit_test(waits_have_their_call),
        cmocka_unit_test(wakers_are_threads_or_interrupts),
        cmocka_unit_test(functions_have_reasons),
        cmocka_unit_test(call_chains_have_reasons),
        cmocka_unit_test(who_left_is_remembered),
        cmocka_unit_test(tracers_are_no_part_of_a_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
