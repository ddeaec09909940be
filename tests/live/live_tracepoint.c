/* Tracepoints by name (-e tp:SYSTEM:EVENT[:FILTER]): every event of them is there, with the fields
 * that the kernel declares, its stack, and nobody else's where processes were chosen. */
#include "tests/test.h"

#include "tests/live/place.h"

/* SYSTEM:EVENT FILTER: so many lines of the trace's text have this. */
static int lines(const char *filter, const char *pattern)
{
    char script[512];
    snprintf(script, sizeof script,
             "exit $($T dump $D/x.etl -O text '%s' 2>/dev/null | grep -c -- '%s')", filter,
             pattern);
    return place_run(script);
}

/* 100 signals that a shell sends to itself; it also loses a child, which sends another. The child
 * is a program that nobody else starts. */
#define SIGNALS                                                                                    \
    "sh -c 'i=0; while [ $i -lt 100 ]; do kill -WINCH $$; i=$((i + 1)); done; $D/planted-true'"

static void every_event_comes_with_its_fields(void **state)
{
    (void)state;
    place_needs_rights();
    assert_int_equal(place_run("cp /bin/true $D/planted-true && "
                               "$T record -q -o $D/x.etl -P proc -e tp:signal:signal_generate "
                               "-e tp:sched:sched_process_exec -- " SIGNALS),
                     0);
    assert_int_equal(lines("event=signal/signal_generate", "sig=28 .*comm=\"sh\" pid="), 100);
    assert_in_range(lines("event=signal/signal_generate", "sig=17 "), 1, 99);
    assert_int_equal(
        lines("event=sched/sched_process_exec", "filename=\"[^\"]*/planted-true\" pid="), 1);
    /* the fields are such that one can ask about */
    assert_int_equal(
        place_run("$T top --by 'signal.signal_generate.sig | count' $D/x.etl -O tsv 2>/dev/null | "
                  "awk '$1 == 28 && $2 == 100 { n++ } END { exit n != 1 }'"),
        0);
    assert_int_equal(lines("signal.signal_generate.sig=28", "signal/signal_generate"), 100);
}

static void the_kernel_filters(void **state)
{
    (void)state;
    place_needs_rights();
    assert_int_equal(place_run("cp /bin/true $D/planted-true && "
                               "$T record -q -o $D/x.etl -P proc -g other -e "
                               "'tp:signal:signal_generate:sig==28 && comm==\"sh\"' -- " SIGNALS),
                     0);
    assert_int_equal(lines("provider=signal", "sig=28 "), 100);
    assert_int_equal(lines("provider=signal", "signal_generate"), 100);
    assert_int_equal(
        place_run("$T record -q --force -o $D/y.etl -P proc -e \"tp:sched:sched_process_exec:"
                  "filename==\\\"$D/planted-true\\\"\" -- " SIGNALS " && $T dump $D/y.etl -O text "
                  "provider=sched 2>/dev/null | grep -c planted-true | grep -qx 1"),
        0);
    /* each with its stack */
    assert_int_equal(
        place_run("$T stacks $D/x.etl --metric operations provider=signal 2>/dev/null | "
                  "awk '/send_signal/ { n += $NF } END { exit n != 100 }'"),
        0);
}

static void others_are_left_out(void **state)
{
    (void)state;
    place_needs_rights();
    assert_int_equal(
        place_run("cd $D; sh -c 'while :; do kill -CHLD $$; sleep 0.01; done' & loud=$!\n"
                  "sh -c 'while :; do kill -CONT $$; sleep 0.01; done' & quiet=$!\n"
                  "$T record -q -o x.etl -P proc -p $quiet -t 1s -e tp:signal:signal_generate; "
                  "status=$?\n"
                  "kill $loud $quiet; echo $quiet >quiet; exit $status"),
        0);
    assert_int_equal(
        place_run("cd $D; $T dump x.etl -O text provider=signal 2>/dev/null >lines; "
                  "grep -q 'sig=18 ' lines && ! grep -v \"($(cat quiet))/\\|sleep\" lines"),
        0);
}

/* What is none is refused with a sentence, before anything is recorded. */
static void refusals(void **state)
{
    static const char *const rows[][2] = {
        {"tp:signal:none", "no event signal:none; .tracetop providers show signal. lists"},
        {"tp:none:none", "no event none:none"},
        {"tp:signal", "expected a tracepoint, tp:SYSTEM:EVENT"},
        {"tp:signal:", "expected a tracepoint"},
        {"tp:../signal:signal_generate", "expected a tracepoint"},
        {"Microsoft-Windows-DNS-Client", "expected a tracepoint"},
        {"tp:signal:signal_generate:nothing>1", "the kernel refuses the filter .nothing>1."},
        {"tp:signal:signal_generate:((", "the kernel refuses the filter"},
    };
    (void)state;
    place_needs_rights();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[512];
        snprintf(script, sizeof script,
                 "! $T record -o $D/none.etl -e '%s' -t 1s 2>$D/err && grep -q '%s' $D/err && "
                 "! test -e $D/none.etl",
                 rows[i][0], rows[i][1]);
        print_message("%s\n", rows[i][0]);
        assert_int_equal(place_run(script), 0);
    }
}

/* All of them are listed, with their fields. */
static void lists(void **state)
{
    (void)state;
    place_needs_rights();
    assert_int_equal(place_run("$T providers list | grep -q '[1-9]  signal$'"), 0);
    assert_int_equal(
        place_run("$T providers show signal:signal_generate | head -2 | tr -s '\\n ' ' ' | "
                  "grep -qx 'signal:signal_generate i32 sig *'"),
        0);
    assert_int_equal(place_run("$T providers search signal_gen | grep -qx signal:signal_generate"),
                     0);
    assert_int_equal(place_run("$T providers show nosuch 2>/dev/null"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_event_comes_with_its_fields, place_set_up,
                                        place_tear_down),
        cmocka_unit_test_setup_teardown(the_kernel_filters, place_set_up, place_tear_down),
        cmocka_unit_test_setup_teardown(others_are_left_out, place_set_up, place_tear_down),
        cmocka_unit_test_setup_teardown(refusals, place_set_up, place_tear_down),
        cmocka_unit_test_setup_teardown(lists, place_set_up, place_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
