/* The capture filter: what it stores is what the same words show of a run in which everything was
 * stored; who and what there is always is; what no record carries is refused with its place. */
#include "tests/test.h"

#include "collectors/collectors.h"
#include "collectors/synthetic/synthetic.h"
#include "src/base/mem.h"
#include "src/collect/capture.h"
#include "src/command/session.h"
#include "src/filter/filter.h"
#include "src/pane/panes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 9, EVENTS = 60000, ROOM = 256 * 1024 };

static struct session *start(const char *capture)
{
    struct err err;
    const struct session_options o = {.kind = &collector_synthetic,
                                      .collector = {.seed = SEED, .events = EVENTS},
                                      .ring_bytes = 64 << 20,
                                      .capture = capture,
                                      .interval_ns = 1000000000};
    struct session *const s = session_start(&o, &err);
    if (!s)
        fail_msg("%s", err.text);
    return s;
}

static void stop(struct session *s)
{
    session_stop(s);
    session_free(s);
}

static struct frame *list_of(struct session *s, const char *pane, const char *filter)
{
    static uint64_t sequence;
    struct request r;
    memset(&r, 0, sizeof r);
    r.pane = pane_find(pane);
    r.rows = 1000;
    r.sequence = ++sequence;
    r.accumulate = true;
    snprintf(r.filter, sizeof r.filter, "%s", filter);
    engine_request(s->engine, &r);
    struct frame *const f = engine_wait_frame(s->engine, r.sequence, true, PATIENCE_NS);
    assert_non_null(f);
    return f;
}

static uint64_t shown_by(struct session *s, const char *filter)
{
    struct frame *const f = list_of(s, "events", filter);
    const uint64_t shown = f->shown;
    frame_free(f);
    return shown;
}

/* ---- the same as from the whole ---- */

static const char *const filters[] = {
    "class=disk op=read size>=32K",
    "class=switch cpu=1",
    "fault=hard",
    "class=switch newpri=9",
    "class=switch oldpri=9 state=waiting",
    "class=switch reason=WrQueue",
    "class=disk offset>=8G op=read",
    "class=fault va>=0x1a100000000",
    "class=disk tid=2000..2099",
    "class=network port=443",
    "class=network raddr=198.51.100.0/24",
    "class=network laddr=192.0.2.0/24 proto=tcp",
    "class=network lport>=1024 op=send",
    "class=network rport=443",
    "class=disk provider=DiskIo prio=normal",
    "event=CSwitch",
    "id=266",
    "opcode=36",
    "class=isr vector=131",
    "class=disk disk=1",
    "class=registry | class=syscall",
    "class=file op=write",
    "(class=disk op=write) or (class=file op=read size>4K)",
    "class=disk !op=read",
    "class=disk op=read size!=4096",
    "class=dpc cpu=2",
    "version>=4 class=switch",
    "proc=firefox.exe class=disk",
    "proc:sql class=network | proc=System class=disk",
    "class=switch proc=firefox.exe,cl.exe",
    "class=file !proc=cl.exe",
    "proc!=svchost.exe class=registry",
    "proc~/^(cl|link)\\.exe$/ op=read",
};

static void stores_what_the_same_words_show(void **state)
{
    (void)state;
    struct session *const whole = start(NULL);
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        const uint64_t expected = shown_by(whole, filters[i]);
        struct session *const part = start(filters[i]);
        const uint64_t found = shown_by(part, filters[i]), all = shown_by(part, "");
        const bool is_right = found == expected && all < EVENTS;
        print_message("%s%s: %" PRIu64 " of %" PRIu64 " stored, %" PRIu64 " expected\n",
                      is_right ? "" : "WRONG ", filters[i], found, all, expected);
        wrong += !is_right;
        const struct capture_figures *const f =
            capture_figures(atomic_load(&part->collector.capture.wanted));
        assert_int_equal(f->kept + f->left_out, EVENTS + synthetic_sampled(&part->collector));
        assert_int_equal(engine_figures(part->engine).loss.ring, 0);
        stop(part);
    }
    stop(whole);
    assert_int_equal(wrong, 0);
}

/* A process's events, its switches among them, whoever comes before and after. */
static void a_process_is_whole(void **state)
{
    (void)state;
    static const char *const whats[] = {"class=switch", "class=disk",     "class=file",
                                        "class=sample", "class=registry", "class=network"};
    struct session *const whole = start(NULL);
    struct frame *const all = list_of(whole, "processes", "proc=firefox.exe");
    char pids[64] = "pid=";
    for (unsigned i = 0; i < all->row_count && i < 3; i++)
        snprintf(
            pids + strlen(pids), sizeof pids - strlen(pids), "%s%u", i ? "," : "",
            (unsigned)all->rows[i].cells[pane_column(all->pane, "pid") - all->pane->columns].count);
    frame_free(all);
    struct session *const part = start(pids);
    for (size_t i = 0; i < sizeof whats / sizeof *whats; i++) {
        char filter[128];
        snprintf(filter, sizeof filter, "%s %s", pids, whats[i]);
        const uint64_t expected = shown_by(whole, filter), found = shown_by(part, filter);
        print_message("%s: %" PRIu64 ", expected %" PRIu64 "\n", filter, found, expected);
        assert_int_equal(found, expected);
    }
    struct frame *const a = list_of(whole, "processes", pids), *const b =
                                                                   list_of(part, "processes", pids);
    assert_int_equal(a->row_count, b->row_count);
    assert_true(b->row_count > 0);
    const size_t cpu = (size_t)(pane_column(a->pane, "cpu_time") - a->pane->columns);
    for (unsigned i = 0; i < a->row_count; i++)
        assert_int_equal(a->rows[i].cells[cpu].ns, b->rows[i].cells[cpu].ns);
    frame_free(a);
    frame_free(b);
    stop(part);
    stop(whole);
}

/* Nothing is unknown, though hardly anything was stored. */
static void names_are_always_stored(void **state)
{
    (void)state;
    struct session *const whole = start(NULL), *const part = start("class=disk op=read");
    static const char *const whats[] = {"class=process", "class=thread", "class=image",
                                        "class=name"};
    for (size_t i = 0; i < sizeof whats / sizeof *whats; i++)
        assert_int_equal(shown_by(part, whats[i]), shown_by(whole, whats[i]));
    struct frame *const f = list_of(part, "disk", "");
    assert_true(f->row_count > 3);
    for (unsigned i = 0; i < f->row_count; i++) {
        const struct value *const name =
            &f->rows[i].cells[pane_column(f->pane, "name") - f->pane->columns];
        assert_memory_not_equal(f->arena + name->text.offset, "(unknown)", 9);
    }
    frame_free(f);
    stop(part);
    stop(whole);
}

/* ---- while it runs ---- */

struct feed_count {
    uint64_t all, left;
};

/* Records up to so many; what the slot leaves out of them. */
static struct feed_count pass(struct capture_slot *d, struct synthetic *s, uint8_t *room,
                              unsigned fills)
{
    struct feed_count c = {0, 0};
    for (unsigned i = 0; i < fills; i++) {
        const size_t bytes = synthetic_fill(s, room, ROOM, INT64_MAX);
        for (size_t at = 0; at < bytes;) {
            const struct record_head *const head = (const void *)(room + at);
            c.all++;
            c.left += capture_leaves_out(d, head, head + 1, false);
            at += (head->bytes + 7u) / 8 * 8;
        }
    }
    return c;
}

static void may_change_while_it_runs(void **state)
{
    (void)state;
    struct synthetic *const s =
        synthetic_new(&(struct synthetic_options){.seed = SEED, .events = EVENTS});
    uint8_t *const room = mem_new(ROOM, 1);
    struct capture_slot d = {.wanted = NULL};
    assert_int_equal(pass(&d, s, room, 1).left, 0);
    assert_true(capture_set(&d, capture_new("class=disk", NULL)));
    const struct feed_count disks = pass(&d, s, room, 1);
    assert_true(disks.left > disks.all / 2 && disks.left < disks.all);
    assert_true(capture_set(&d, NULL));
    assert_int_equal(pass(&d, s, room, 1).left, 0);
    /* So often that nobody has looked: what is in use stays, and is said to. */
    unsigned taken = 0;
    for (unsigned i = 0; i < 20; i++) {
        struct capture *const c = capture_new("cpu=99", NULL);
        if (capture_set(&d, c))
            taken++;
        else
            capture_free(c);
    }
    assert_true(taken > 0 && taken < 20);
    pass(&d, s, room, 1);
    assert_true(capture_set(&d, NULL));
    capture_slot_fini(&d);
    free(room);
    synthetic_free(s);
}

static struct event of_profile(uint16_t id, int64_t ts, const uint8_t *payload, uint32_t bytes)
{
    return (struct event){.kind = HEADER_PERFINFO,
                          .id = id,
                          .opcode = (uint8_t)id,
                          .version = 2,
                          .pointer = 8,
                          .ts = ts,
                          .payload = payload,
                          .payload_bytes = bytes,
                          .pid = EVENT_NO_ID,
                          .tid = EVENT_NO_ID};
}

static struct event of_sample(int64_t ts)
{
    static const uint8_t payload[16] = {1, 0, 0, 0, 0, 0, 0, 0, 7};
    return of_profile(0x0f2e, ts, payload, sizeof payload);
}

static bool takes_walk_of(struct capture *c, int64_t ts, int64_t now)
{
    uint8_t payload[24] = {0};
    memcpy(payload, &ts, sizeof ts);
    const struct event e = of_profile(0x1820, now, payload, sizeof payload);
    return capture_takes(c, &e, false);
}

/* A user's stack comes when it has been unwound: a quarter of a second and sixty thousand events
 * later. */
static void late_stacks_follow_their_events(void **state)
{
    (void)state;
    enum { LATE = 60000, STEP = 4383, BEGIN = 1000000 };
    struct capture *const c = capture_new("class=sample", NULL);
    unsigned taken = 0;
    for (int i = 0; i < LATE; i++) {
        const struct event e = of_sample(BEGIN + (int64_t)i * STEP);
        assert_true(capture_takes(c, &e, false));
    }
    const int64_t now = BEGIN + (int64_t)LATE * STEP;
    for (int i = 0; i < LATE; i++)
        taken += takes_walk_of(c, BEGIN + (int64_t)i * STEP, now + i);
    print_message("%u of %d\n", taken, LATE);
    assert_true(taken > LATE - LATE / 1000);
    assert_false(takes_walk_of(c, BEGIN + 1, now)); /* of an event that was left out */
    capture_free(c);
}

/* Records that end early, at every byte: as the whole, or not, but never beyond their end. */
static void reads_no_further_than_records_go(void **state)
{
    (void)state;
    struct synthetic *const s =
        synthetic_new(&(struct synthetic_options){.seed = SEED, .events = 3000});
    uint8_t *const room = mem_new(ROOM, 1);
    struct capture *const c = capture_new(
        "size>=1 offset>=1 disk=0 prio=normal | va>1 | raddr=10.0.0.0/8 port=1 reason=WrQueue "
        "newpri=1 oldpri=1 state=waiting vector=1 pid=1 tid=2 !level=3 !keyword=1 !task=2",
        NULL);
    assert_non_null(c);
    const size_t bytes = synthetic_fill(s, room, ROOM, INT64_MAX);
    for (size_t at = 0; at < bytes;) {
        const struct record_head *const head = (const void *)(room + at);
        struct event e;
        assert_int_equal(event_of_record(head, &e), EVENT_OK);
        for (uint32_t left = e.payload_bytes; left-- > 0;) {
            uint8_t *const payload = mem_copy(e.payload, left ? left : 1);
            struct event cut = e;
            cut.payload = payload;
            cut.payload_bytes = left;
            capture_takes(c, &cut, false);
            free(payload);
        }
        at += (head->bytes + 7u) / 8 * 8;
    }
    capture_free(c);
    free(room);
    synthetic_free(s);
}

/* ---- what is refused ---- */

static void refuses_with_the_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says, *at;
    } rows[] = {
        {"", "takes a condition", ""},
        {"  ", "takes a condition", ""},
        {"lat>10ms", "'lat' cannot be used here: it combines two events", "at 0)"},
        {"class=disk lat>10ms", "filter the display", "at 11)"},
        {"class=file path:\\temp", "'path' cannot be used here: it comes from other events",
         "at 11)"},
        {"cpu=1 stack:ntfs", "'stack' cannot be used here: stacks come after", "at 6)"},
        {"class=disk tag", "'tag' cannot be used here: rows are tagged", "at 11)"},
        {"class=disk firefox", "write proc:firefox, event:firefox or provider:firefox", "at 11)"},
        {"(cpu=1 or cpu=2) and !gpu", "write proc:gpu, event:gpu or provider:gpu: a bare word",
         "at 22)"},
        {"\"two words\"", "write proc:WORD", "at 0)"},
        {"dt>5ms", "it combines two events", "at 0)"},
        {"time>10:15", "it cannot match future events", "at 0)"},
        {"size>=", "expected a value", "at 6)"},
        {"(class=disk", "expected a closing )", "at 11)"},
        {"class=dsk", "expected one of", "at 6)"},
        {"nosuch=1", "there is no field 'nosuch'", "at 0)"},
        {"raddr:10.0", "takes addresses here", "at 0)"},
        {"task:GC", "'task' takes numbers here", "at 0)"},
        {"opcode=Start", "'opcode' takes numbers here", "at 0)"},
        {"cpu=1 keyword=Loader,0x10", "'keyword' takes numbers here", "at 6)"},
        {"message:failed", "'message' cannot be used here: payloads are decoded", "at 0)"},
        {"cpu=1 .Depth=2", "'.Depth' cannot be used here: payloads are decoded", "at 6)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = {""};
        assert_null(capture_new(rows[i].text, &err));
        if (!strstr(err.text, rows[i].says) || !strstr(err.text, rows[i].at))
            fail_msg("'%s': %s", rows[i].text, err.text);
    }
    char longest[CAPTURE_TEXT + 8];
    struct err err;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_null(capture_new(longest, &err));
}

/* Whatever is typed, up to where it is typed: a filter or a sentence. */
static void any_bytes_are_read(void **state)
{
    (void)state;
    static const char signs[] =
        "class=disk size>=64K !(|)\"/~,..*0x10.0.0.0/8 or and not \xff\x80\t";
    uint32_t prng = 7;
    for (unsigned i = 0; i < 400; i++) {
        char text[48];
        struct err err = {""};
        const unsigned bytes = i % (sizeof text - 1);
        for (unsigned k = 0; k < bytes; k++)
            text[k] = signs[((prng = prng * 1664525u + 1013904223u) >> 16) % (sizeof signs - 1)];
        text[bytes] = '\0';
        struct capture *const c = capture_new(text, &err);
        assert_true(c || err.text[0]);
        capture_free(c);
        struct capture_scope scope;
        capture_scope_of(text, &scope);
    }
}

static void parts_are_pushed_down(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
        unsigned pids;
    } rows[] = {
        {"pid=4,8 class=disk", "", 2},
        {"proc=fire* class=disk", "fire*", 0},
        {"class=disk and proc=x", "x", 0},
        {"proc=x", "x", 0},
        {"proc=x pid=4", "x", 0},
        {"proc=x | class=disk", "", 0},
        {"class=disk or pid=4", "", 0},
        {"!pid=4", "", 0},
        {"pid=4..9", "", 0},
        {"pid!=4", "", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct capture_scope s;
        capture_scope_of(rows[i].text, &s);
        assert_string_equal(s.name, rows[i].name);
        assert_int_equal(s.pid_count, rows[i].pids);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_what_the_same_words_show),
        cmocka_unit_test(a_process_is_whole),
        cmocka_unit_test(names_are_always_stored),
        cmocka_unit_test(may_change_while_it_runs),
        cmocka_unit_test(late_stacks_follow_their_events),
        cmocka_unit_test(reads_no_further_than_records_go),
        cmocka_unit_test(refuses_with_the_place),
        cmocka_unit_test(any_bytes_are_read),
        cmocka_unit_test(parts_are_pushed_down),
    };
    return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
