/* The meters of the machine: which lines there are at which size, what stands in them, that nothing
 * moves from one frame to the next, and that old values of the setting still count. */
#include "tests/made_app.h"

#include "ui/config/settings.h"
#include "ui/term/svg.h"
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
        m->cpus[i] = (struct gauge_cpu){(float)(i % 16 * 5), 10, i % 3 ? 0 : 5, 0};
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
    f->app.meters_seen = (struct meters_seen){0};
    app_ask(&f->app);
    serve(f);
    return f;
}

static void look(void **state)
{
    static const struct {
        int w, h;
        unsigned cpus;
        uint8_t mode;
    } cases[] = {{80, 24, 4, METERS_AUTO},   {80, 24, 4, METERS_ONE},
                 {80, 24, 4, METERS_FULL},   {120, 40, 4, METERS_AUTO},
                 {120, 40, 4, METERS_TWO},   {120, 40, 4, METERS_ONE},
                 {200, 60, 16, METERS_AUTO}, {200, 60, 128, METERS_FULL},
                 {200, 60, 128, METERS_TWO}, {120, 40, 64, METERS_FULL}};
    (void)state;
    struct machine m;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake *f = made(cases[i].w, cases[i].h, &m, cases[i].cpus);
        f->app.settings.meters = cases[i].mode;
        char *s = screen(f);
        int lines = app_layout(&f->app).machine.height + 1;
        char *at = s;
        printf("--- %d %d %u mode %u\n", cases[i].w, cases[i].h, cases[i].cpus, cases[i].mode);
        while (lines-- && at) {
            char *e = strchr(at, '\n');
            printf("%.*s|\n", (int)(e - at), at);
            at = e + 1;
        }
        struct theme t;
        struct look lk;
        char name[64];
        for (int k = 0; k < 3; k++) {
            static const char *const th[] = {"default", "light", "mono"};
            theme_load(&t, th[k], NULL);
            theme_reduce(&t, k == 2 ? DEPTH_MONO : DEPTH_TRUE, &lk);
            snprintf(name, sizeof name, "/tmp/h4/m%u-%s.svg", i, th[k]);
            FILE *o = fopen(name, "w");
            grid_svg(&f->grid, &lk, o);
            fclose(o);
        }
        free(s);
        fake_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(look)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
