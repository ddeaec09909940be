/* The pane of events with fields of payloads as columns: which names become one, which columns keep
 * their places, and how many there can be. */
#include "tests/test.h"

#include "src/pane/event_columns.h"
#include "src/pane/panes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pane *events(void)
{
    return pane_find("events");
}

static unsigned place_of(const struct pane *p, const char *id)
{
    const struct column *const c = pane_column(p, id);
    if (!c)
        fail_msg("there is no column %s", id);
    return (unsigned)(c - p->columns);
}

static void names_of_payload_fields_become_columns(void **state)
{
    (void)state;
    struct event_panes s = {0};
    struct err err;
    const unsigned own = (unsigned)events()->column_count;
    assert_ptr_equal(event_panes_now(&s, events()), events());
    assert_true(event_panes_learn(&s, events(), "pid, .Depth:24, TcpIp.Send.daddr,, size", &err));
    const struct pane *const p = event_panes_now(&s, events());
    assert_ptr_equal(p->of, events());
    assert_int_equal(p->column_count, own + 2);
    assert_int_equal(place_of(p, ".Depth"), own);
    assert_string_equal(pane_column(p, ".Depth")->title, "Depth");
    assert_string_equal(pane_column(p, "TcpIp.Send.daddr")->title, "daddr");
    assert_string_equal(pane_column(p, "TcpIp.Send.daddr")->help,
                        "Field TcpIp.Send.daddr of the payload");
    assert_true(event_panes_learn(&s, p, ".Depth, nonesuch", &err)); /* nothing new */
    assert_ptr_equal(event_panes_now(&s, events()), p);
    assert_ptr_equal(event_panes_now(&s, pane_find("disk")), pane_find("disk"));
    event_panes_fini(&s);
}

static bool is_third(const void *of, unsigned column)
{
    return column == *(const unsigned *)of + 2;
}

static bool is_none(const void *of, unsigned column)
{
    (void)of, (void)column;
    return false;
}

/* Whoever still shows an older pane has it as it was. */
static void older_panes_stay_and_places_are_kept(void **state)
{
    (void)state;
    struct event_panes s = {0};
    struct err err;
    char name[32];
    const unsigned own = (unsigned)events()->column_count;
    for (unsigned i = 0; i < EVENT_COLUMNS_MAX; i++) {
        snprintf(name, sizeof name, ".Field%u", i);
        const struct column *const c = event_panes_add(&s, events(), name, is_none, NULL, &err);
        assert_non_null(c);
        assert_string_equal(c->id, name);
    }
    const struct pane *const full = event_panes_now(&s, events());
    assert_int_equal(full->column_count, own + EVENT_COLUMNS_MAX);
    assert_null(event_panes_add(&s, events(), ".More", is_none, NULL, &err));
    assert_non_null(strstr(err.text, "at most 32 columns"));
    assert_non_null(event_panes_add(&s, full, ".More", is_third, &own, &err));
    const struct pane *const p = event_panes_now(&s, full);
    assert_int_equal(place_of(p, ".More"), own + 2);
    assert_int_equal(place_of(p, ".Field3"), own + 3);
    assert_null(pane_column(p, ".Field2"));
    assert_int_equal(place_of(full, ".Field2"), own + 2);
    assert_false(event_panes_learn(&s, p, ".OneMore", &err));
    event_panes_fini(&s);
}

static void names_that_no_filter_reads_are_refused(void **state)
{
    (void)state;
    struct event_panes s = {0};
    struct err err;
    char longest[300] = ".";
    memset(longest + 1, 'a', sizeof longest - 2);
    static const char *const wrong[] = {"", "foo", ".a b", ".\x1b[31m", ".a,b", ".a\"", "."};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(event_columns_reads(wrong[i]));
        assert_null(event_panes_add(&s, events(), wrong[i], is_none, NULL, &err));
    }
    assert_null(event_panes_add(&s, events(), longest, is_none, NULL, &err));
    assert_null(event_panes_add(&s, pane_find("disk"), ".Depth", is_none, NULL, &err));
    assert_non_null(strstr(err.text, "disk has no column \".Depth\""));
    assert_false(event_panes_learn(&s, events(), longest, &err));
    assert_int_equal(s.count, 0);
    event_panes_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_payload_fields_become_columns),
        cmocka_unit_test(older_panes_stay_and_places_are_kept),
        cmocka_unit_test(names_that_no_filter_reads_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
