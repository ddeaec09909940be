/* Sessions: started as a whole or not at all, and what is said at the end. */
#include "tests/test.h"

#include "collectors/synthetic/synthetic.h"
#include "src/command/command.h"
#include "src/command/session.h"
#include "src/pane/panes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct collector_kind *find(const char *id)
{
    const struct collector_kind *const *k = collector_kinds;
    while (*k && strcmp((*k)->id, id) != 0)
        k++;
    assert_non_null(*k);
    return *k;
}

/* The rows of the page's table: events of all providers together, and none before the first. */
static uint64_t count_providers(const struct session *s)
{
    char *text = NULL, name[64];
    size_t bytes = 0;
    uint64_t sum = 0, events, before = UINT64_MAX;
    double first, last;
    FILE *const to = open_memstream(&text, &bytes);
    session_info(s, to);
    fclose(to);
    const char *line = strstr(text, "PROVIDER OR CLASS\n");
    assert_non_null(line);
    while ((line = strchr(line, '\n')) && *++line) {
        assert_int_equal(sscanf(line, "%" SCNu64 " %*s %*s %lf %lf %63s", &events, &first, &last,
                                name),
                         4);
        assert_true(events <= before && first >= 0 && first <= last);
        sum += events;
        before = events;
    }
    free(text);
    return sum;
}

static void events_arrive(void **state)
{
    (void)state;
    struct err err;
    const struct session_options o = {
        .kind = find("synthetic"),
        .collector = {.seed = 3, .events = 20000, .start_ns = 1779013230000000000},
        .ring_bytes = 1 << 20,
        .interval_ns = 1000000000,
    };
    struct session *const s = session_start(&o, &err);
    if (!s)
        fail_msg("%s", err.text);
    const struct request r = {.sequence = 1, .pane = panes[0], .rows = 1, .accumulate = true};
    engine_request(s->engine, &r);
    struct frame *const f = engine_wait_frame(s->engine, 1, true, PATIENCE_NS);
    assert_non_null(f);
    assert_int_equal(f->state, STATE_FINISHED);
    frame_free(f);
    const uint64_t events = 20000 + synthetic_sampled(&s->collector);
    assert_int_equal(count_providers(s), events);
    session_stop(s);
    assert_int_equal(s->figures.events, events);
    assert_true(session_loss_percent(s) == 0);
    assert_int_equal(session_status(s, 0), EXIT_DONE);
    session_free(s);
}

/* A session as it stands after session_stop(), made by hand. */
static char *summary_of(const struct engine_figures *figures, const char *const notices[2],
                        bool counts_events)
{
    struct session *const s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->figures = *figures;
    for (unsigned i = 0; i < 2 && notices[i]; i++)
        notices_add(&s->collector.notices, notices[i]);
    char *text = NULL;
    size_t bytes = 0;
    FILE *const to = open_memstream(&text, &bytes);
    session_summary(s, counts_events, to);
    fclose(to);
    free(s);
    return text;
}

static void losses_are_reported(void **state)
{
    (void)state;
    static const struct {
        struct engine_figures figures;
        const char *notices[2], *expected;
    } rows[] = {
        {{.events = 5}, {NULL}, ""},
        {{.events = 5}, {"x.etl: was never stopped"}, "tracetop: x.etl: was never stopped\n"},
        {{.events = 5}, {"one", "another"}, "tracetop: one\ntracetop: another\n"},
        {{.events = 5, .loss = {.kernel = 3}}, {NULL}, "tracetop: 5 events; lost: 3 kernel\n"},
        {{.events = 5, .loss = {.kernel = 1, .realtime = 2, .ring = 3, .decoder = 4}},
         {NULL},
         "tracetop: 5 events; lost: 1 kernel, 2 buffers, "
         "3 ring, 4 undecoded\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *const text = summary_of(&rows[i].figures, rows[i].notices, true);
        if (strcmp(text, rows[i].expected) != 0)
            fail_msg("row %zu: %s", i, text);
        free(text);
    }
}

/* Who says how many events a file has says no other number beside. */
static void losses_are_reported_without_a_second_total(void **state)
{
    (void)state;
    const struct engine_figures figures = {.events = 5, .loss = {.kernel = 3, .ring = 1}};
    char *const text = summary_of(&figures, (const char *const[2]){NULL, NULL}, false);
    assert_string_equal(text, "tracetop: lost: 3 kernel, 1 ring\n");
    free(text);
}

static void losses_decide_the_status(void **state)
{
    (void)state;
    struct session *const s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->figures = (struct engine_figures){.events = 90, .loss = {.kernel = 4, .ring = 6}};
    assert_true(session_loss_percent(s) == 10);
    assert_int_equal(session_status(s, -1), EXIT_DONE);
    assert_int_equal(session_status(s, 10), EXIT_DONE);
    assert_int_equal(session_status(s, 9), EXIT_LOSS);
    s->collector.exit_status = EXIT_SKIPPED;
    assert_int_equal(session_status(s, 9), EXIT_SKIPPED);
    free(s);
}

static void a_failed_start_leaves_nothing(void **state)
{
    (void)state;
    struct err err = {""};
    const char *const missing[] = {"tests/no-such-file.etl"};
    struct session_options o = {
        .kind = find("etl"),
        .collector = {.files = missing, .file_count = 1},
        .ring_bytes = 1 << 20,
        .interval_ns = 1000000000,
    };
    enum exit_status refusal = EXIT_DONE;
    o.refusal = &refusal;
    assert_null(session_start(&o, &err));
    assert_non_null(strstr(err.text, "no-such-file.etl"));
    assert_int_equal(refusal, EXIT_ERROR);
    o.kind = find("synthetic");
    o.ring_bytes = UINT64_MAX;
    assert_null(session_start(&o, &err));
    assert_non_null(strstr(err.text, "ring"));
}

static bool is_full(struct collector *c, const struct collector_options *o, struct err *err)
{
    (void)o;
    atomic_store(&c->exit_status, EXIT_LIMIT);
    return fail(err, "no place is left");
}

static void stop_nothing(struct collector *c)
{
    (void)c;
}

/* The status of a live collector that says why it cannot start; of another start, not of this one.
 */
static void a_collector_says_which_status_it_is(void **state)
{
    (void)state;
    const struct collector_kind full = {
        .id = "full", .is_live = true, .start = is_full, .stop = stop_nothing};
    struct err err = {""};
    enum exit_status refusal = EXIT_DONE;
    struct session_options o = {.kind = &full, .ring_bytes = 1 << 20, .refusal = &refusal};
    assert_null(session_start(&o, &err));
    assert_int_equal(refusal, EXIT_LIMIT);
    o.kind = find("synthetic");
    o.ring_bytes = UINT64_MAX;
    assert_null(session_start(&o, &err));
    assert_int_equal(refusal, EXIT_ERROR);
}

/* --ring 2s of a source whose rate is known holds two seconds, and not many more. */
static void a_ring_of_a_time_holds_that_time(void **state)
{
    (void)state;
    enum { RATE = 100000, SECONDS = 2 };
    struct err err = {""};
    const struct session_options o = {
        .kind = find("synthetic"),
        .collector = {.seed = 1, .rate = RATE, .events = (uint64_t)RATE * SECONDS * 3},
        .ring_ns = SECONDS * 1000000000ll,
        .interval_ns = 1000000000,
    };
    struct session *const s = session_start(&o, &err);
    assert_non_null(s);
    assert_true(ring_capacity(s->hot) < session_ring_bytes(&o) + 4 * RING_SEGMENT);
    while (engine_figures(s->engine).events < o.collector.events)
        os_sleep(10000000);
    const struct ring_figures f = ring_figures(s->hot);
    const double held = (double)(f.head - f.tail) / (double)f.put_bytes * SECONDS * 3;
    assert_true(f.tail > 0); /* more has happened than is held */
    assert_true(held >= SECONDS && held < 2 * SECONDS);
    session_stop(s);
    session_free(s);
}

static void no_time_takes_more_than_an_eighth_of_the_memory(void **state)
{
    (void)state;
    struct session_options o = {.ring_ns = 86400000000000};
    assert_int_equal(session_ring_bytes(&o), os_memory() / 8);
    o.ring_ns = 1;
    assert_true(session_ring_bytes(&o) >= 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_arrive),
        cmocka_unit_test(losses_are_reported),
        cmocka_unit_test(losses_are_reported_without_a_second_total),
        cmocka_unit_test(losses_decide_the_status),
        cmocka_unit_test(a_failed_start_leaves_nothing),
        cmocka_unit_test(a_collector_says_which_status_it_is),
        cmocka_unit_test(a_ring_of_a_time_holds_that_time),
        cmocka_unit_test(no_time_takes_more_than_an_eighth_of_the_memory),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
