/* Questions about a recording with several times more events than the engine keeps: six million of
 * the synthetic machine. Each answer must count what the file holds, which is counted here record
 * by record; the time that it takes is printed. Usage: bench_whole [MB]; 330 without. */
#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/etl/etl.h"
#include "src/os/os.h"
#include "src/pane/panes.h"
#include "tests/make_etl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t PATIENCE_NS = 600000000000;

/* Filters that let through the events of one hook, and the column that counts them. */
static const struct question {
    const char *pane, *filter, *column;
    uint16_t hook;
} questions[] = {
    {"disk", "op=read", "ops", 0x010a},
    {"disk", "op=write", "ops", 0x010b},
    {"rates", "op=hard", "count", 0x0220},
    {"rates", "event=CSwitch", "count", 0x0524},
    {"rates", "event=ReadyThread", "count", 0x0532},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static bool count_records(const char *path, uint64_t counts[QUESTIONS])
{
    struct err err;
    struct event e;
    struct etl_reader *const r = etl_reader_open(&path, 1, &err);
    if (!r)
        return false;
    while (etl_reader_next(r, &e, &err) == ETL_EVENT)
        for (unsigned i = 0; i < QUESTIONS; i++)
            counts[i] += header_is_kernel((enum header_kind)e.kind) && e.id == questions[i].hook;
    etl_reader_close(r);
    return true;
}

static const struct frame *ask(struct session *s, const struct question *q, uint64_t sequence)
{
    struct request r = {.pane = pane_find(q->pane), .sequence = sequence, .rows = 1,
                        .accumulate = true};
    snprintf(r.filter, sizeof r.filter, "%s", q->filter);
    engine_request(s->engine, &r);
    return engine_wait_frame(s->engine, sequence, true, PATIENCE_NS);
}

static bool check(struct session *s, const struct question *q, uint64_t sequence, uint64_t expected)
{
    const int64_t began = os_now();
    const struct frame *const f = ask(s, q, sequence);
    const struct column *const c = pane_column(pane_find(q->pane), q->column);
    const uint64_t counted = f && c ? f->totals[c - f->pane->columns].count : 0;
    const bool is_right = f && counted == expected && expected && !f->is_window_only;
    printf("whole file  %s %s: %" PRIu64 " of %" PRIu64 " in %.1f s%s\n", q->pane, q->filter,
           counted, expected, (double)(os_now() - began) / 1e9, is_right ? "" : "  WRONG");
    frame_free((struct frame *)f);
    return is_right;
}

static bool measure(const char *path)
{
    uint64_t counts[QUESTIONS] = {0};
    struct err err;
    const struct session_options o = {.kind = &collector_etl,
                                      .collector = {.files = &path, .file_count = 1},
                                      .interval_ns = 1000000000};
    struct session *const s = session_start(&o, &err);
    if (!s || !count_records(path, counts)) {
        printf("whole file  %s cannot be read\n", path);
        return false;
    }
    bool is_right = true;
    frame_free((struct frame *)ask(s, &(struct question){.pane = "processes", .filter = ""}, 1));
    for (unsigned i = 0; i < QUESTIONS; i++)
        is_right &= check(s, &questions[i], i + 2, counts[i]);
    session_stop(s);
    session_free(s);
    return is_right;
}

int main(int argc, char **argv)
{
    const uint64_t mb = argc > 1 ? strtoull(argv[1], NULL, 10) : 330;
    const struct synthetic_options machine = {.seed = 7, .start_ns = 1700000000000000000};
    const struct etl_writer_options shape = {0};
    const char *const folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char path[512];
    uint64_t records;
    struct err err;
    snprintf(path, sizeof path, "%s/tracetop-whole-%d.etl", folder, (int)getpid());
    if (!make_etl(path, &machine, &shape, mb * 1000000, &records, &err)) {
        printf("whole file  %s\n", err.text);
        return 1;
    }
    printf("whole file  %" PRIu64 " events, %" PRIu64 " MB\n", records, mb);
    const bool is_right = measure(path);
    unlink(path);
    return !is_right;
}
