/* Triggers: how they read, and that they are hit in exactly those intervals in which the pane,
 * asked afterwards with the same words, has a row. */
#include "tests/test.h"

#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/engine/trigger.h"
#include "src/pane/panes.h"

#include <stdio.h>
#include <string.h>

static const int64_t SECOND = 1000000000;

static void lines_are_read(void **state)
{
    (void)state;
    struct trigger t;
    struct err err;
    assert_true(trigger_parse("disk.p99>200ms for 3s do snapshot around -30s..10s once", &t, &err));
    assert_string_equal(t.pane->id, "disk");
    assert_string_equal(t.filter, "p99>200ms");
    assert_int_equal(t.for_ns, 3 * SECOND);
    assert_int_equal(t.action, TRIGGER_SNAPSHOT);
    assert_int_equal(t.before_ns, 30 * SECOND);
    assert_int_equal(t.after_ns, 10 * SECOND);
    assert_int_equal(t.every_ns, 60 * SECOND);
    assert_true(t.once);

    assert_true(
        trigger_parse("lat>1s path:\"what to do.txt\" do mark it is slow every 5s", &t, &err));
    assert_string_equal(t.pane->id, "events");
    assert_string_equal(t.filter, "lat>1s path:\"what to do.txt\"");
    assert_string_equal(t.argument, "it is slow");
    assert_int_equal(t.every_ns, 5 * SECOND);
    assert_false(t.once);

    assert_true(trigger_parse("(net.recv>1M|net.send>1M) proc=a.b do run x -y once", &t, &err));
    assert_string_equal(t.pane->id, "network");
    assert_string_equal(t.filter, "(recv>1M|send>1M) proc=a.b");
    assert_int_equal(t.action, TRIGGER_RUN);
    assert_string_equal(t.argument, "x -y");

    static const char *const payloads[][3] = {
        {".Depth>2 do bell", "events", ".Depth>2"},
        {"TcpIp.Send.daddr=10.* do bell", "events", "TcpIp.Send.daddr=10.*"},
        {"Kernel-Network.size>64K do bell", "events", "Kernel-Network.size>64K"},
        {"some.provider.Field=1 do bell", "events", "some.provider.Field=1"},
        {"process.Start.ParentId=4 do bell", "events", "process.Start.ParentId=4"},
        {"events.some.provider.field=1 do bell", "events", "some.provider.field=1"},
        {"disk.DiskIo.Read.TransferSize>1M disk.ops>3 do bell", "disk",
         "DiskIo.Read.TransferSize>1M ops>3"},
    };
    for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
        if (!trigger_parse(payloads[i][0], &t, &err))
            fail_msg("%s: %s", payloads[i][0], err.text);
        assert_string_equal(t.pane->id, payloads[i][1]);
        assert_string_equal(t.filter, payloads[i][2]);
    }

    assert_true(trigger_parse("disk.p99>200ms do snapshot", &t, &err));
    assert_int_equal(t.before_ns | t.after_ns, 0);
}

static void wrong_lines_say_what_was_expected(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "found no \"do\""},
        {"do bell", "expected a condition before"},
        {"disk.p99>200ms", "found no \"do\""},
        {"disk.p99>200ms do", "expected snapshot, mark, bell"},
        {"disk.p99>200ms do dance", "found 'dance'"},
        {"disk.p99>200ms for soon do bell", "found 'soon'"},
        {"disk.p99>200ms for -1s do bell", "found '-1s'"},
        {"disk.p99>200ms cpu.run>1 do bell", "found disk and cpu"},
        {"nothing.p99>200ms do bell", "found 'nothing'"},
        {"disk.nothing>200ms do bell", "nothing"},
        {"disk.p99>soon do bell", "soon"},
        {"stacks.samples>1 do bell", "call trees"},
        {"disk.p99>1ms do snapshot now", "found 'now'"},
        {"disk.p99>1ms do snapshot around 5s", "found '5s'"},
        {"disk.p99>1ms do snapshot around 5s..6s", "found '5s..6s'"},
        {"disk.p99>1ms do bell loudly", "found 'loudly'"},
        {"disk.p99>1ms do run", "expected a command"},
        {"disk.p99>1ms do bell every day", "found 'day'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trigger t;
        struct err err = {""};
        if (trigger_parse(rows[i].text, &t, &err))
            fail_msg("'%s' was taken", rows[i].text);
        if (!strstr(err.text, rows[i].says))
            fail_msg("'%s': %s", rows[i].text, err.text);
    }
    char longest[2 * TRIGGER_TEXT];
    struct trigger t;
    struct err err;
    memset(longest, 'a', sizeof longest);
    memcpy(longest + sizeof longest - 9, " do bell", 9);
    assert_false(trigger_parse(longest, &t, &err));
    assert_non_null(strstr(err.text, "at most 255 bytes"));
}

/* ---- hits ---- */

static const char *const conditions[] = {
    "disk.p99>8ms do bell every 1ms",              /* of rows */
    "disk.op=read disk.lat>8ms do bell every 1ms", /* of events, row by row */
    "processes.name:e processes.csw>100 do bell every 1ms",
    "lat>15ms op=read do bell every 1ms", /* of events alone */
    "disk.p99>1000s do bell",             /* never */
    "disk.p99>8ms for 2s do bell every 1ms",
    "disk.p99>8ms do bell every 3s",
    "disk.p99>8ms do bell once",
    "DiskIo.Read.TransferSize>=512K do bell every 1ms", /* of what records have */
    "events.DiskIo.Read.TransferSize>1G do bell",
    "disk.DiskIo.Write.TransferSize>=256K disk.ops>1 do bell every 1ms",
};
enum { CONDITIONS = sizeof conditions / sizeof *conditions };

static struct frame *ask(struct session *s, struct request *r)
{
    r->sequence++;
    engine_request(s->engine, r);
    struct frame *const f = engine_wait_frame(s->engine, r->sequence, true, 60 * SECOND);
    assert_non_null(f);
    return f;
}

static bool shows(struct session *s, struct request *r, const struct frame *whole, int64_t interval)
{
    r->from_ns = whole->origin + interval * whole->sample_ns - 1;
    r->to_ns = r->from_ns + whole->sample_ns;
    struct frame *const f = ask(s, r);
    const bool has_rows = f->shown > 0;
    frame_free(f);
    return has_rows;
}

/* Walks the intervals as the rules say, with what the pane shows of each. */
static uint64_t expected_hits(struct session *s, const struct trigger *t, struct request *r,
                              const struct frame *whole)
{
    uint64_t hits = 0;
    int64_t held = 0, last = 0;
    r->pane = t->pane;
    r->rows = 10;
    r->hides_idle = t->pane->view == PANE_TABLE;
    snprintf(r->filter, sizeof r->filter, "%s", t->filter);
    for (int64_t i = 0; i < (int64_t)whole->interval; i++) {
        const int64_t end = whole->origin + (i + 1) * whole->sample_ns;
        held = shows(s, r, whole, i) ? held + whole->sample_ns : 0;
        const bool may = !hits || (!t->once && end - last >= t->every_ns);
        if (!held || held < t->for_ns || !may)
            continue;
        hits++;
        last = end;
    }
    return hits;
}

static void hits_are_what_the_panes_show(void **state)
{
    (void)state;
    struct err err;
    const struct session_options o = {
        .kind = &collector_synthetic,
        .collector = {.seed = 3, .events = 300000, .start_ns = 1700000000 * SECOND},
        .ring_bytes = 128 << 20,
        .interval_ns = SECOND / 2,
        .triggers = conditions,
        .trigger_count = CONDITIONS};
    struct session *const s = session_start(&o, &err);
    if (!s)
        fail_msg("%s", err.text);
    struct request r;
    memset(&r, 0, sizeof r);
    r.pane = pane_find("disk");
    r.rows = 10;
    struct frame *const whole = ask(s, &r);
    assert_true(whole->interval > 10);
    for (unsigned i = 0; i < CONDITIONS; i++) {
        struct trigger t;
        assert_true(trigger_parse(conditions[i], &t, &err));
        const uint64_t expected = expected_hits(s, &t, &r, whole);
        if (whole->triggers[i].hits != expected)
            fail_msg("%s: hit %u times in %u intervals, expected %u", conditions[i],
                     (unsigned)whole->triggers[i].hits, (unsigned)whole->interval,
                     (unsigned)expected);
        print_message("%s: %u of %u intervals\n", conditions[i], (unsigned)expected,
                      (unsigned)whole->interval);
    }
    assert_true(whole->triggers[0].hits > 0 && whole->triggers[0].hits < whole->interval);
    assert_int_equal(whole->triggers[4].hits, 0);
    assert_int_equal(whole->triggers[7].hits, 1);
    assert_true(whole->triggers[8].hits > 0);
    assert_int_equal(whole->triggers[9].hits, 0);
    assert_true(whole->triggers[10].hits > 0);
    frame_free(whole);
    session_stop(s);
    session_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read),
        cmocka_unit_test(wrong_lines_say_what_was_expected),
        cmocka_unit_test(hits_are_what_the_panes_show),
    };
    return cmocka_run_group_tests_name("trigger", tests, NULL, NULL);
}
