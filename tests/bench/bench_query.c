/* A query while it is typed: the time from a keystroke to the first rows of its answer and to all
 * of them, over a ring of 256 MiB that is full of the synthetic machine's events. Keys and values
 * are in the facts: each keystroke makes another query, which the engine scans its facts for.
 * Limits: first rows 50 ms, all of them 150 ms, 99 times of 100; beside them
 * the processor time, which a busy machine does not lengthen.
 *
 * Then a query whose values are in records alone: 5 M of them in a second of processor time; how
 * soon another request is answered while it is at work: 10 ms; and a million keys in 64 MiB.
 * Usage: bench_query [MIB]. */
#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/os/os.h"
#include "src/pane/panes.h"
#include "src/pane/query_pane.h"
#include "src/query/query.h"
#include "src/table/getters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 8, KEYS_MAX = 1024, ROWS = 150 };
static const int64_t PATIENCE_NS = 60000000000;
static const double first_limit_ms = 50, whole_limit_ms = 150;

/* As they are typed, from where they are whole. */
static const struct typed {
    const char *from, *rest;
} all_typed[] = {
    {"by proc", ", path | count, sum size, p99 lat where op=read sort p99 top 50"},
    {"by pid, op", " | count, max lat, avg lat where size>4K sort max"},
    {"by path", " | count, distinct proc, sum size where proc=sqlservr.exe"},
};

static int by_size(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

struct series {
    double ms[KEYS_MAX];
    unsigned count;
};

static void note(struct series *s, int64_t began)
{
    if (s->count < KEYS_MAX)
        s->ms[s->count++] = (double)(os_now() - began) / 1e6;
}

static double processor_ms(void)
{
    return (double)clock() * 1000 / CLOCKS_PER_SEC;
}

static bool print(const char *name, struct series *s, double limit)
{
    qsort(s->ms, s->count, sizeof *s->ms, by_size);
    const double p99 = s->count ? s->ms[(s->count - 1) * 99 / 100] : 0;
    printf("query       %s: median %.1f ms, p99 %.1f ms of %u times; limit %.0f ms%s\n", name,
           s->count ? s->ms[s->count / 2] : 0, p99, s->count, limit,
           p99 <= limit ? "" : "  MISSED");
    return s->count && p99 <= limit;
}

static struct frame *ask(struct session *s, struct request *r, uint64_t *sequence, bool settled)
{
    r->sequence = ++*sequence;
    engine_request(s->engine, r);
    return engine_wait_frame(s->engine, r->sequence, settled, PATIENCE_NS);
}

/* A screen asks for its rows; the first frame may hold a part of the answer. An answer without rows
 * has no first ones. */
static void stroke(struct session *s, const struct pane *p, uint64_t *sequence,
                   struct series *first, struct series *whole, struct series *busy)
{
    const double before = processor_ms();
    static struct request r; /* it is large */
    const int64_t began = os_now();
    r = (struct request){.pane = p, .rows = ROWS, .accumulate = true};
    struct frame *f = ask(s, &r, sequence, false);
    while (f && !f->row_count && f->is_partial) {
        frame_free(f);
        f = ask(s, &r, sequence, false);
    }
    if (f && f->row_count)
        note(first, began);
    if (f && f->is_partial) {
        frame_free(f);
        f = ask(s, &r, sequence, true);
    }
    frame_free(f);
    note(whole, began);
    busy->ms[busy->count] = processor_ms() - before;
    busy->count += busy->count + 1 < KEYS_MAX;
}

static void type(struct session *s, const struct typed *t, uint64_t *sequence, struct series *first,
                 struct series *whole, struct series *busy)
{
    char text[512], last[QUERY_TEXT] = "", title[QUERY_TEXT];
    const size_t whole_bytes = strlen(t->from) + strlen(t->rest);
    for (size_t bytes = strlen(t->from); bytes <= whole_bytes; bytes++) {
        struct query q;
        struct err err;
        snprintf(text, sizeof text, "%s%s", t->from, t->rest);
        text[bytes] = '\0';
        const struct pane *const p = query_parse(&q, text, &err) ? query_pane_new(&q, &err) : NULL;
        if (!p)
            continue;
        query_print(&q, title);
        if (strcmp(title, last) != 0)
            stroke(s, p, sequence, first, whole, busy);
        memcpy(last, title, sizeof last);
        /* The engine may refer to it until the end, as on screen. */
    }
}

static const struct pane *query(const char *text)
{
    struct query q;
    struct err err;
    const struct pane *const p = query_parse(&q, text, &err) ? query_pane_new(&q, &err) : NULL;
    if (!p)
        printf("query       %s\n", err.text);
    return p;
}

/* The events that a query of all of them counts. */
static uint64_t events_of(struct session *s, const struct pane *p, uint64_t *sequence)
{
    static struct request r;
    r = (struct request){.pane = p, .rows = ROWS, .accumulate = true};
    struct frame *const f = ask(s, &r, sequence, true);
    const struct column *const c = pane_column(p, "count");
    const uint64_t events = f ? f->totals[c - p->columns].count : 0;
    frame_free(f);
    return events;
}

/* Each record is read for its number. */
static bool read_records(struct session *s, const struct pane *p, uint64_t *sequence)
{
    static const double limit = 5;
    enum { TIMES = 3 };
    double best = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        static struct request other; /* so that nothing is known of the query */
        other = (struct request){.pane = pane_find("processes"), .rows = 1};
        frame_free(ask(s, &other, sequence, true));
        const double before = processor_ms();
        const uint64_t events = events_of(s, p, sequence);
        const double rate = (double)events / 1e3 / (processor_ms() - before);
        best = rate > best ? rate : best;
    }
    printf("query       values in records: %.1f M records/s of processor time; limit %.0f%s\n",
           best, limit, best >= limit ? "" : "  MISSED");
    return best >= limit;
}

/* Another request comes at any time of the scan. */
static bool cancel(struct session *s, const struct pane *p, uint64_t *sequence)
{
    static struct series answered, busy;
    static const double limit_ms = 10;
    enum { TIMES = 100 };
    for (unsigned i = 0; i < TIMES; i++) {
        static struct request r;
        r = (struct request){.pane = p, .rows = ROWS, .accumulate = true, .sequence = ++*sequence};
        engine_request(s->engine, &r);
        os_sleep((int64_t)(i + 1) * 1000000);
        const double before = processor_ms();
        const int64_t began = os_now();
        r = (struct request){.pane = pane_find("processes"), .rows = ROWS};
        frame_free(ask(s, &r, sequence, false));
        note(&answered, began);
        busy.ms[busy.count++] = processor_ms() - before;
    }
    print("processor time of that", &busy, limit_ms);
    return print("another request amid a scan of records", &answered, limit_ms);
}

/* Two events each: more rows than a table keeps are put into one. */
static bool keep_keys(void)
{
    enum { KEYS = 1000000, LIMIT_MIB = 64 };
    const struct pane *const p = query("by path | count, sum size, p99 lat");
    struct table t;
    size_t most = 0;
    table_init(&t, p);
    for (uint32_t i = 0; i < 2 * KEYS; i++) {
        const struct fact f = {.time = i,
                               .class = FACT_DISK,
                               .op = OP_READ,
                               .entity = i % KEYS + 1,
                               .value = i,
                               .latency = (i + 1) * 1000ull,
                               .flags = FACT_HAS_LATENCY};
        table_feed(&t, &f, 0);
        most = i % 1024 == 0 && table_bytes(&t) > most ? table_bytes(&t) : most;
    }
    const double mib = (double)most / (1 << 20);
    const bool is_met = mib <= LIMIT_MIB;
    printf("query       a million keys: %.1f MiB at most, %u rows and %llu in others; limit %d%s\n",
           mib, t.row_count, (unsigned long long)t.folded, LIMIT_MIB, is_met ? "" : "  MISSED");
    table_fini(&t);
    query_pane_free(p);
    return is_met;
}

int main(int argc, char **argv)
{
    static struct series first, whole, busy;
    const uint64_t mib = argc > 1 ? strtoull(argv[1], NULL, 10) : 256;
    struct err err;
    const struct session_options o = {.kind = &collector_synthetic,
                                      .collector = {.seed = 7, .events = mib * 14000},
                                      .ring_bytes = mib << 20,
                                      .interval_ns = 1000000000};
    struct session *const s = session_start(&o, &err);
    if (!s) {
        printf("query       %s\n", err.text);
        return 1;
    }
    uint64_t sequence = 0;
    static struct request all; /* until everything has come */
    all = (struct request){.pane = pane_find("processes"), .rows = 1};
    struct frame *const f = ask(s, &all, &sequence, true);
    printf("query       %" PRIu64 " events, %.1f s of them kept\n", f ? f->events : 0,
           f ? f->ring_s : 0);
    frame_free(f);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < sizeof all_typed / sizeof *all_typed; i++)
            type(s, &all_typed[i], &sequence, &first, &whole, &busy);
    bool ok = print("first rows", &first, first_limit_ms);
    ok &= print("all rows", &whole, whole_limit_ms);
    print("processor time", &busy, whole_limit_ms);
    const struct pane *const of_records = query("by cpu | count, sum .TransferSize");
    ok &= read_records(s, of_records, &sequence);
    ok &= cancel(s, of_records, &sequence);
    ok &= keep_keys();
    session_stop(s);
    session_free(s);
    return !ok;
}
