/* The meters of the machine: which lines there are at which size, what stands in them, that nothing
 * moves from one frame to the next, and that old values of the setting still count. */
#include "tests/made_app.h"

#include "ui/config/settings.h"
#include "ui/state/layout.h"
#include "ui/state/meters.h"

#include <math.h>

enum { INTERVALS = 100, CPUS_MOST = 200 };

#define GIB (1024.0 * 1024 * 1024)

/* A machine whose figures are known, in memory of the test's own. */
struct machine {
    float series[INTERVALS * GAUGES];
    struct gauge_cpu cpus[CPUS_MOST];
};

static void all_unknown(struct frame_gauges *all)
{
    for (unsigned i = 0; i < GAUGES; i++)
        all->now[i] = NAN;
    all->series = NULL;
    all->series_count = 0;
    all->cpus = NULL;
    all->cpu_count = 0;
}

static void from_events(struct frame_gauges *all)
{
    all->now[GAUGE_CPU] = 37.25;
    all->now[GAUGE_DISK_BUSY] = 98.5;
    all->now[GAUGE_DISK_READ] = 48.1 * 1024 * 1024;
    all->now[GAUGE_DISK_WRITE] = 172 * 1024;
    all->now[GAUGE_NET_IN] = 1.1 * 1024 * 1024;
    all->now[GAUGE_NET_OUT] = 0;
    all->now[GAUGE_EVENTS] = 22700;
    all->now[GAUGE_LOST] = 0;
}

static void sampled_on_linux(struct frame_gauges *all)
{
    all->now[GAUGE_CPU_USER] = 20;
    all->now[GAUGE_CPU_SYSTEM] = 12;
    all->now[GAUGE_CPU_IRQ] = 4;
    all->now[GAUGE_CPU_STEAL] = 1.25;
    all->now[GAUGE_MEMORY_TOTAL] = 15.6 * GIB;
    all->now[GAUGE_MEMORY_USED] = 6.12 * GIB;
    all->now[GAUGE_MEMORY_BUFFERS] = 0.3 * GIB;
    all->now[GAUGE_MEMORY_CACHE] = 4.2 * GIB;
    all->now[GAUGE_MEMORY_FREE] = 5 * GIB;
    all->now[GAUGE_SWAP_TOTAL] = 2 * GIB;
    all->now[GAUGE_SWAP_USED] = 0;
    all->now[GAUGE_LOAD_1] = 1.2;
    all->now[GAUGE_LOAD_5] = 1.1;
    all->now[GAUGE_LOAD_15] = 0.98;
    all->now[GAUGE_READY] = 3;
    all->now[GAUGE_PRESSURE_CPU] = 1;
    all->now[GAUGE_PRESSURE_MEMORY] = 0;
    all->now[GAUGE_PRESSURE_IO] = 12.3;
}

static void fill_series(struct frame_gauges *all, struct machine *m)
{
    for (unsigned n = 0; n < INTERVALS; n++)
        for (unsigned i = 0; i < GAUGES; i++)
            m->series[n * GAUGES + i] =
                (float)(all->now[i] * (n + 1 == INTERVALS ? 1 : 0.3 + 0.1 * (n % 8)));
    all->series = m->series;
    all->series_count = INTERVALS;
}

static void with_cpus(struct frame_gauges *all, struct machine *m, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
    {
        struct gauge_cpu c = {(float)(i % 16 * 5), 10, i % 3 ? 0 : 5, 0, 0};
        c.busy = c.user + c.system + c.irq;
        m->cpus[i] = c;
    }
    all->cpus = m->cpus;
    all->cpu_count = count;
}

static struct fake *made(int width, int height, struct machine *m, unsigned cpus)
{
    struct fake *const f = fake_new(width, height, 5);
    struct frame_gauges *const all = &f->proto.gauges;
    all_unknown(all);
    from_events(all);
    sampled_on_linux(all);
    fill_series(all, m);
    if (cpus)
        with_cpus(all, m, cpus);
    f->app.settings.meters = METERS_AUTO;
    f->app.meters_seen = (struct meters_seen){0};
    app_ask(&f->app);
    serve(f);
    return f;
}

/* The lines of meters, as they stand at the top; the caller frees. */
static char *lines_of(struct fake *f)
{
    char *const all = screen(f);
    char *end = all;
    for (int i = app_layout(&f->app).machine.height; i > 0; i--)
        end = strchr(end, '\n') + 1;
    *end = '\0';
    return all;
}

static void stands(struct fake *f, const char *lines)
{
    char *const found = lines_of(f);
    if (strcmp(found, lines) != 0) {
        print_message("expected\n%sfound\n", lines); /* each is more than a message holds */
        fail_msg("%s", found);
    }
    free(found);
}

/* ---- the setting -------------------------------------------------------------------------- */

static void old_values_still_count(void **state)
{
    static const struct {
        const char *text, *kept;
    } cases[] = {{"yes", "auto"}, {"on", "auto"},  {"no", "off"},   {"0", "off"},   {"1", "auto"},
                 {"auto", "auto"}, {"off", "off"}, {"one", "one"}, {"two", "two"}, {"full", "full"}};
    (void)state;
    const struct setting *const row = setting_find("ui", "meters");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct settings s;
        struct err err;
        char text[SETTING_ROOM];
        settings_default(&s);
        assert_true(setting_read(row, &s, cases[i].text, &err));
        setting_write(row, &s, text);
        assert_string_equal(text, cases[i].kept);
    }
    struct settings s;
    struct err err;
    assert_false(setting_read(row, &s, "three", &err));
    assert_non_null(strstr(err.text, "auto, off, one, two or full"));
}

static void the_key_cycles(void **state)
{
    static const struct {
        int columns, rows;
        uint8_t from, to[5];
    } cases[] = {
        {80, 24, METERS_AUTO, {METERS_FULL, METERS_OFF, METERS_ONE, METERS_TWO, METERS_FULL}},
        {120, 40, METERS_AUTO, {METERS_OFF, METERS_ONE, METERS_TWO, METERS_FULL, METERS_OFF}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m;
        struct fake *const f = made(cases[i].columns, cases[i].rows, &m, 4);
        f->app.settings.meters = cases[i].from;
        for (size_t k = 0; k < 5; k++) {
            press(f, "#");
            assert_int_equal(f->app.settings.meters, cases[i].to[k]);
        }
        shows(f, i ? "meters: off" : "meters: full");
        fake_free(f);
    }
}

/* ---- what stands where -------------------------------------------------------------------- */

static void two_lines_at_the_usual_size(void **state)
{
    struct machine m;
    (void)state;
    struct fake *const f = made(80, 24, &m, 4);
    stands(f, " CPU 37.2% ━━╍╍╸─────── ▁▁▂▂▂▂▃▁▁▁▃ │ mem 6.12G ━━━━┅┅┅─── of 15.6G │ load  1.20\n"
              " disk 98.5% ▇▂▃▄▇ r 48.1M w  172K/s │ net ▂▃▄▇ in 1.10M out     0/s │ psi 12.3%\n");
    f->app.settings.symbols = SYMBOLS_BRAILLE;
    stands(f, " CPU 37.2% ⠿⠿⠶⠶⠇······· ⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀ │ mem 6.12G ⠿⠿⠿⠿⠒⠒⠒··· of 15.6G │ load  1.20\n"
              " disk 98.5% ⣤⣴⣾⣀⣼ r 48.1M w  172K/s │ net ⣴⣾⣀⣼ in 1.10M out     0/s │ psi 12.3%\n");
    f->app.settings.symbols = SYMBOLS_BLOCK;
    f->app.glyphs = f->grid.glyphs = &glyphs_ascii;
    stands(f, " CPU 37.2% ##**#....... ......:...: | mem 6.12G ####+++... of 15.6G | load  1.20\n"
              " disk 98.5% #.::# r 48.1M w  172K/s | net .::# in 1.10M out     0/s | psi 12.3%\n");
    fake_free(f);
}

static void one_line_keeps_what_matters(void **state)
{
    struct machine m;
    (void)state;
    struct fake *const f = made(80, 24, &m, 4);
    f->app.settings.meters = METERS_ONE;
    stands(f, " CPU 37.2% ▂▂▂▂▃▁▁▁▂▂▂▂▃▁▁▁▃ │ disk 98.5% r 48.1M w  172K/s │ mem 6.12G of 15.6G\n");
    fake_free(f);
}

static void all_of_it_where_there_is_room(void **state)
{
    struct machine m;
    (void)state;
    struct fake *const f = made(120, 40, &m, 4);
    stands(f,
           " CPU     37.2% ━━━╍╍┅╸────────── ▁▁▂▂▂▂▃▁▁▁▂▂▂▂▃▁▁▁▂▂▂▂▃▁▁▁▃  user 20.0%     system  12.0%"
           "     irq    4.0%  steal  1.2%\n"
           " 0 15.0% ╍╍┅─────────────────  1 15.0% ━╍╍─────────────────  2 20.0% ━━╍╍────────────────"
           "  3 30.0% ━━━╍╍┅──────────────\n"
           " memory  6.12G ━━━━━━━┅┅┅┅╸───── ▁▁▂▂▂▂▃▁▁▁▂▂▂▂▃▁▁▁▂▂▂▂▃▁▁▁▃  of   15.6G     buffers  307M"
           "     cache 4.20G  free  5.00G\n"
           " load     1.20 ▇▂▃▄▄▅▆▆▇▂▃▄▄▅▆▆▇▂▃▄▄▅▆▆▇▂▃▄▄▅▆▆▇▂▃▄▄▅▆▆▇▂▃▄▇  5m    1.10     15m      0.98"
           "     ready     3\n"
           " disk    98.5% ━━━━━━━━━━━━━━━━━ ▃▄▄▅▆▆▇▂▃▄▄▅▆▆▇▂▃▄▄▅▆▆▇▂▃▄▇  read 48.1MB/s  write    172KB/s\n"
           " net           ▄▅▆▆▇▂▃▄▄▅▆▆▇▂▃▄▇ ···························  in   1.10MB/s  out         0B/s\n");
    fake_free(f);
}

/* A group shows its mean and its busiest one. */
static void many_processors_share_meters(void **state)
{
    static const struct {
        unsigned cpus;
        const char *first, *last;
    } cases[] = {{16, " 0 15.0% ", " 15 90.0% "},
                 {17, "  0-1 15.0% ", " 16 10.0% "},
                 {64, "  0-3 20.0% ", " 60-63 80.0% "},
                 {128, "    0-7 29.4% ", " 120-127 69.4% "}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m;
        struct fake *const f = made(240, 60, &m, cases[i].cpus);
        f->app.settings.meters = METERS_FULL;
        char *const lines = lines_of(f);
        if (!strstr(lines, cases[i].first) || !strstr(lines, cases[i].last) ||
            !strstr(lines, "max ") != (cases[i].cpus <= 16))
            fail_msg("%u processors:\n%s", cases[i].cpus, lines);
        free(lines);
        fake_free(f);
    }
}

/* What a trace does not hold takes no room, and no line. */
static void what_is_not_known_is_left_out(void **state)
{
    struct machine m;
    (void)state;
    struct fake *const f = made(80, 24, &m, 0);
    struct frame_gauges *const all = &f->proto.gauges;
    all_unknown(all);
    from_events(all);
    fill_series(all, &m);
    f->app.meters_seen = (struct meters_seen){0};
    press(f, "C-l");
    stands(f, " CPU 37.2% ━━━━━╸──────── ▂▂▃▁▁▁▂▂▂▂▃▁▁▁▃ │ net ▃▄▄▅▆▆▇▂▃▄▇ in 1.10M out     0/s\n"
              " disk 98.5% ▃▄▄▅▆▆▇▂▃▄▇ r 48.1M w  172K/s │ events 22.7k/s ▇▂▃▄▄▅▆▆▇▂▃▄▄▅▆▆▇▂▃▄▇\n");
    all_unknown(all);
    all->now[GAUGE_EVENTS] = 5;
    f->app.meters_seen = (struct meters_seen){0};
    press(f, "C-l");
    char *const lines = lines_of(f);
    assert_int_equal(app_layout(&f->app).machine.height, 1);
    assert_ptr_equal(strstr(lines, " events     5/s"), lines);
    free(lines);
    fake_free(f);
}

/* While one steps back to before something was known, its meter stays. */
static void known_meters_stay(void **state)
{
    struct machine m;
    (void)state;
    struct fake *const f = made(80, 24, &m, 0);
    f->proto.gauges.now[GAUGE_MEMORY_USED] = NAN;
    f->proto.gauges.now[GAUGE_LOAD_1] = NAN;
    press(f, "C-l");
    shows(f, "mem     - ");
    shows(f, "load     -\n");
    fake_free(f);
}

/* ---- nothing moves ------------------------------------------------------------------------ */

/* Where the lines have something else than a figure, a bar or a curve. */
static char *places_of(struct fake *f)
{
    app_draw(&f->app, &f->grid);
    const int height = app_layout(&f->app).machine.height, width = f->grid.width;
    char *const out = calloc((size_t)(height * width) + 1, 1);
    for (int i = 0; i < height * width; i++) {
        const struct cell *const c = grid_look(&f->grid, i % width, i / width);
        const bool is_fixed = c->role == ROLE_DIM || c->role == ROLE_BORDER;
        out[i] = !is_fixed ? ' ' : c->role == ROLE_BORDER ? '|' : c->bytes[0];
    }
    return out;
}

static void figures_of_any_size_move_nothing(void **state)
{
    static const double sizes[] = {0, 0.004, 9.97, 99.97, 1234567, 999.6 * 1024 * 1024, 9e17};
    static const uint8_t modes[] = {METERS_ONE, METERS_TWO, METERS_FULL};
    (void)state;
    for (int width = 80; width <= 260; width += 20) {
        struct machine m;
        struct fake *const f = made(width, 60, &m, 16);
        for (size_t mode = 0; mode < sizeof modes; mode++) {
            f->app.settings.meters = modes[mode];
            char *first = NULL;
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                for (unsigned g = 0; g < GAUGES; g++)
                    if (!isnan(f->proto.gauges.now[g]))
                        f->proto.gauges.now[g] = sizes[i];
                press(f, "C-l");
                char *const places = places_of(f);
                if (!first)
                    first = strdup(places);
                for (size_t at = 0; first[at]; at++)
                    if (first[at] != places[at])
                        fail_msg("%d cells, mode %u, value %g: line %zu, cell %zu: '%.20s', then '%.20s'",
                                 width, modes[mode], sizes[i], at / (size_t)width, at % (size_t)width,
                                 first + at, places + at);
                free(places);
            }
            free(first);
        }
        fake_free(f);
    }
}

/* The full view takes a quarter of the screen at most, and no line ends beyond it. */
static void meters_leave_room(void **state)
{
    static const unsigned cpus[] = {0, 1, 2, 16, 17, 200};
    (void)state;
    for (int width = 80; width <= 300; width += 55)
        for (int height = 24; height <= 84; height += 20)
            for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
                struct machine m;
                struct fake *const f = made(width, height, &m, cpus[i]);
                for (uint8_t mode = METERS_AUTO; mode < METERS_MODES; mode++) {
                    f->app.settings.meters = mode;
                    char *const lines = lines_of(f);
                    const int taken = app_layout(&f->app).machine.height;
                    assert_true(taken <= (mode == METERS_FULL ? height / 4 : height / 6 + 2));
                    assert_true(mode == METERS_OFF ? taken == 0 : taken > 0);
                    if (taken)
                        assert_ptr_equal(strstr(lines, " CPU "), lines);
                    free(lines);
                }
                fake_free(f);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_values_still_count),
        cmocka_unit_test(the_key_cycles),
        cmocka_unit_test(two_lines_at_the_usual_size),
        cmocka_unit_test(one_line_keeps_what_matters),
        cmocka_unit_test(all_of_it_where_there_is_room),
        cmocka_unit_test(many_processors_share_meters),
        cmocka_unit_test(what_is_not_known_is_left_out),
        cmocka_unit_test(known_meters_stay),
        cmocka_unit_test(figures_of_any_size_move_nothing),
        cmocka_unit_test(meters_leave_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
