#include "src/command/session.h"

#include "src/base/text.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/base/scale.h"
#include "src/base/show.h"
#include "src/export/info.h"
#include "src/model/provider_count.h"
#include "src/os/os.h"

#include <inttypes.h>
#include <stdlib.h>

/* Below it, what is not the ring is made small as well. */
static const uint64_t SMALL_RING = 64ull << 20;

/* Rare events are some percent of all; a sixteenth keeps them far longer. */
enum { SLOW_PART = 16 };

/* History enough to look back on, small enough not to be felt by the machine. */
uint64_t session_ring_default(void)
{
    const uint64_t most = 72ull << 20, part = os_memory() / 16;
    return part && part < most ? part : most;
}

/* Events that lie in the ring take some 60 bytes, those with stacks 200: ring and window hold about
 * the same stretch of time. Beside a small ring the window is smaller: programs, libraries and the
 * kernel's symbols take the same whatever the ring is. */
size_t session_facts_default(uint64_t ring_bytes)
{
    enum { BYTES_PER_EVENT = 96, IN_SMALL = 160, LEAST = 1 << 16, MOST = 2 << 20 };
    const uint64_t facts = ring_bytes / (ring_bytes < SMALL_RING ? IN_SMALL : BYTES_PER_EVENT);
    return facts < LEAST ? LEAST : facts > MOST ? MOST : (size_t)facts;
}

/* The ring and the window have fixed sizes. The other bounds are measured: with rings of 32 and 80
 * MiB, under churn of processes, files, connections and modules, after all panes were open. */
struct session_memory session_memory(uint64_t ring_bytes)
{
    static const uint64_t MIB = 1 << 20;
    const bool is_small = ring_bytes < SMALL_RING;
    struct session_memory m = {
        .ring = ring_bytes + ring_bytes / SLOW_PART + 2 * RING_SEGMENT,
        .window = (session_facts_default(ring_bytes) / FACT_CHUNK + 2) * FACT_CHUNK *
                  sizeof(struct fact),
        .tables = 12 * MIB + (is_small ? ring_bytes / 3 : ring_bytes / 8 * 5),
        .collector = is_small ? 8 * MIB + ring_bytes / 8 * 5 : 24 * MIB + ring_bytes / 2,
        .program = 13 * MIB + ring_bytes / 6, /* with what is free in its heap */
    };
    m.all = m.ring + m.window + m.tables + m.collector + m.program;
    m.frozen = m.ring + m.window;
    return m;
}

uint64_t session_ring_bytes(const struct session_options *o)
{
    enum {
        BYTES_PER_S = 4 << 20, /* of a busy processor: 60000 events, a third with a stack */
        BYTES_PER_EVENT = 128, /* of the generator, with its part of a segment's end */
    };
    static const uint64_t LEAST = 4 << 20;
    const double seconds = (double)o->ring_ns / 1e9;
    const double per_s = o->collector.rate ? (double)o->collector.rate * BYTES_PER_EVENT
                                           : (double)os_processors() * BYTES_PER_S;
    const uint64_t part = os_memory() / 8, most = part ? part : session_ring_default();
    const double wanted = seconds * per_s;
    return wanted > (double)most ? most : wanted < (double)LEAST ? LEAST : (uint64_t)wanted;
}

static bool make_rings(struct session *s, const struct session_options *o, struct err *err)
{
    const uint64_t hot = o->ring_bytes ? o->ring_bytes
                         : o->ring_ns  ? session_ring_bytes(o)
                                       : session_ring_default();
    if (hot > SIZE_MAX / 2)
        return fail(err, "a ring of %" PRIu64 " bytes is more than this machine can address", hot);
    s->hot = ring_new((size_t)hot, RING_SEGMENT);
    s->slow = ring_new((size_t)hot / SLOW_PART, RING_SEGMENT);
    if (!s->hot || !s->slow)
        return fail(err,
                    "cannot allocate a ring of %" PRIu64 " bytes; choose a smaller one with --ring",
                    hot);
    s->collector.hot = s->hot;
    s->collector.slow = s->slow;
    return true;
}

static size_t facts_of(const struct session *s, const struct session_options *o)
{
    return o->facts || !o->kind->is_live ? o->facts
                                         : session_facts_default(ring_capacity(s->hot));
}

static bool start_engine(struct session *s, const struct session_options *o, struct err *err)
{
    s->collectors[0] = &s->collector;
    const struct engine_options engine = {.collectors = s->collectors,
                                          .collector_count = 1,
                                          .frame_wakeup = o->frame_wakeup,
                                          .facts = facts_of(s, o),
                                          .interval_ns = o->interval_ns,
                                          .has_symbols = o->has_symbols,
                                          .symbol_path = o->symbol_path,
                                          .downloads = o->downloads,
                                          .triggers = o->triggers,
                                          .trigger_count = o->trigger_count,
                                          .names_ns = o->names_ns,
                                          .spans = o->spans,
                                          .span_count = o->span_count,
                                          .only = o->only,
                                          .origin_ns = o->origin_ns};
    s->engine = engine_start(&engine, err);
    return s->engine != NULL;
}

static bool set_capture(struct session *s, const struct session_options *o, struct err *err)
{
    struct capture *const c = o->capture && *o->capture ? capture_new(o->capture, err) : NULL;
    if (c)
        capture_set(&s->collector.capture, c);
    s->collector.capture.pushed = o->pushed;
    return c || !o->capture || !*o->capture;
}

static enum exit_status refusal_of(const struct collector *c)
{
    const int status = atomic_load_explicit(&c->exit_status, memory_order_relaxed);
    if (c->kind->is_live && status)
        return (enum exit_status)status;
    return c->kind->is_permitted && !c->kind->is_permitted() ? EXIT_PRIVILEGE : EXIT_ERROR;
}

struct session *session_start(const struct session_options *o, struct err *err)
{
    struct session *const s = mem_new(1, sizeof *s);
    s->collector.kind = o->kind;
    s->start_ns = os_wall_now();
    s->collector.request = os_wakeup_new();
    if (set_capture(s, o, err) && make_rings(s, o, err)) {
        if (o->kind->start(&s->collector, &o->collector, err) &&
            (o->has_no_engine || start_engine(s, o, err)))
            return s;
        o->kind->stop(&s->collector);
    }
    if (o->refusal)
        *o->refusal = refusal_of(&s->collector);
    session_free(s);
    return NULL;
}

static void put_loss(FILE *to, uint64_t count, const char *what, const char **between)
{
    if (!count)
        return;
    show(to, "%s%" PRIu64 " %s", *between, count, what);
    *between = ", ";
}

static bool has_losses(const struct frame_loss *l)
{
    return l->kernel || l->realtime || l->ring || l->decoder;
}

/* "3 kernel, 1 buffers": causes as the loss page names them; only what there is. */
static void put_losses(const struct frame_loss *l, FILE *to)
{
    const char *between = "";
    put_loss(to, frame_loss_kernel(l), "kernel", &between);
    put_loss(to, l->undelivered, "undelivered", &between);
    put_loss(to, l->realtime, "buffers", &between);
    put_loss(to, l->ring, "ring", &between);
    put_loss(to, l->decoder, "undecoded", &between);
}

static void print_source(const struct source *s, FILE *out)
{
    char time[CLOCK_TEXT];
    show(out, "%s\n", s->name);
    if (s->is_linux && s->build)
        show(out, "  system       Linux %" PRIu32 ".%" PRIu32 "\n", s->build >> 16, s->build >> 8 & 0xff);
    else if (s->build)
        show(out, "  system       Windows, build %" PRIu32 "\n", s->build);
    char count[TEXT_COUNT];
    show(out, "  machine      %s", text_count(count, s->cpus, "processor"));
    if (s->mhz)
        show(out, " at %" PRIu32 " MHz", s->mhz);
    putc('\n', out);
    if (s->boot_ns)
        show(out, "  booted       %s\n", clock_format_iso(s->boot_ns, time));
}

static void print_losses(const struct frame_loss *l, FILE *out)
{
    if (has_losses(l)) {
        fputs("  lost         ", out);
        put_losses(l, out);
        putc('\n', out);
    } else if (!l->is_unknown) {
        fputs("  lost         none\n", out);
    }
    if (l->is_unknown)
        fputs("  lost         unknown: the system does not report it now\n", out);
}

/* Of each provider how many events, and when: in seconds since the first event of all. */
static void print_providers(const struct session *s, FILE *out)
{
    size_t count;
    struct provider_count *const all = engine_providers(s->engine, &count);
    int64_t first = INT64_MAX;
    for (size_t i = 0; all && i < count; i++)
        first = all[i].first_ns < first ? all[i].first_ns : first;
    if (all && count)
        info_print_head(out);
    for (size_t i = 0; all && i < count; i++)
        info_print_row(
            &(struct info_row){.name = all[i].name,
                               .events = all[i].events,
                               .bytes = all[i].bytes,
                               .has_times = true,
                               .first_s = (double)clock_minus(all[i].first_ns, first) / 1e9,
                               .last_s = (double)clock_minus(all[i].last_ns, first) / 1e9},
            out);
    free(all);
}

void session_info(const struct session *s, FILE *out)
{
    const struct collector *const c = &s->collector;
    const struct engine_figures f = engine_figures(s->engine);
    const unsigned sources = atomic_load_explicit(&c->source_count, memory_order_acquire);
    const int64_t now = os_wall_now();
    char time[CLOCK_TEXT], span[32];
    for (unsigned i = 0; i < sources; i++)
        print_source(&c->sources[i], out);
    scale_time((double)(now - s->start_ns), span, sizeof span);
    show(out, "  collector    %s: %s\n", c->kind->title, c->kind->help);
    show(out, "  since        %s, %s ago\n", clock_format_iso(s->start_ns, time), span);
    show(out, "  events       %" PRIu64 " so far\n", f.events);
    print_losses(&f.loss, out);
    show(out, "  kinds        :rates lists the kinds of events with their rates\n");
    print_providers(s, out);
}

/* Workers read files and ask the system; whatever does not answer, quitting works. By then the
 * terminal is as it was before, and files are closed. */
static void leave(void *arg)
{
    (void)arg;
    static const int64_t PATIENCE_NS = 30 * 1000000000ll; /* ETW may take 8 s to end a session */
    os_sleep(PATIENCE_NS);
    message_print(stderr, "a thread is blocked in the system; exiting without it");
    _Exit(EXIT_ERROR);
}

void session_leave_soon(void)
{
    os_thread_start("deadline", leave, NULL);
}

void session_stop_collecting(struct session *s)
{
    s->collector.kind->stop(&s->collector);
}

bool session_has_all(const struct session *s, int64_t until)
{
    const struct collector *const c = &s->collector;
    if (ring_completed(c->hot) < until)
        return false;
    const int64_t held = atomic_load_explicit(&c->held_since, memory_order_acquire);
    return !held || held > until;
}

void session_stop(struct session *s)
{
    session_stop_collecting(s);
    if (!s->engine) {
        s->figures = (struct engine_figures){.events = s->figures.events};
        engine_add_loss(&s->figures.loss, &s->collector);
        return;
    }
    s->figures = engine_figures(s->engine);
    engine_stop(s->engine);
    s->engine = NULL;
}

void session_free(struct session *s)
{
    if (!s)
        return;
    ring_free(s->hot);
    ring_free(s->slow);
    os_wakeup_free(s->collector.request);
    capture_slot_fini(&s->collector.capture);
    free(s);
}

static uint64_t lost_events(const struct session *s)
{
    return s->figures.loss.kernel + s->figures.loss.ring;
}

double session_loss_percent(const struct session *s)
{
    const double lost = (double)lost_events(s), all = lost + (double)s->figures.events;
    return all > 0 ? 100 * lost / all : 0;
}

int session_status(const struct session *s, double fail_on_loss)
{
    const int status = s->collector.exit_status;
    if (status == EXIT_DONE && fail_on_loss >= 0 && session_loss_percent(s) > fail_on_loss)
        return EXIT_LOSS;
    return status;
}

static uint64_t load(const _Atomic uint64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

/* Where the system counts what it makes, the losses add up to the event. */
static void put_accounts(const struct collector_loss *l, FILE *to)
{
    if (load(&l->made))
        show(to,
             "tracetop: the kernel made %" PRIu64 " events: %" PRIu64 " received, lost: %" PRIu64
             " kernel, %" PRIu64 " undelivered\n",
             load(&l->made), load(&l->received), load(&l->lost), load(&l->undelivered));
}

static void put_capture(const struct capture_slot *d, FILE *to)
{
    const struct capture *const c = atomic_load_explicit(&d->wanted, memory_order_relaxed);
    const struct capture_figures *const f = c ? capture_figures(c) : NULL;
    if (f)
        show(to, "tracetop: capture %s: %" PRIu64 " records stored, %" PRIu64 " not stored\n",
             capture_text(c), load(&f->kept), load(&f->left_out));
    if (d->pushed)
        show(to, "tracetop: capture: %s\n", d->pushed);
}

static void put_notices(const struct notices *n, FILE *to)
{
    char text[NOTICE_BYTES];
    const uint64_t count = notices_count(n), first = notices_oldest(count);
    if (first)
        show(to, "tracetop: %" PRIu64 " older notices are not shown\n", first);
    for (uint64_t i = first; i < count; i++)
        if (notices_read(n, i, text))
            show(to, "tracetop: %s\n", text);
}

void session_notices(const struct session *s, FILE *to)
{
    if (!s->collector.sources[0].is_synthetic)
        put_notices(&s->collector.notices, to);
}

void session_summary(const struct session *s, bool counts_events, FILE *to)
{
    const struct frame_loss *const l = &s->figures.loss;
    char count[TEXT_COUNT];
    if (has_losses(l)) {
        fputs("tracetop: ", to);
        if (counts_events)
            show(to, "%s; ", text_count(count, s->figures.events, "event"));
        fputs("lost: ", to);
        put_losses(l, to);
        fputs("\n", to);
    }
    if (l->kernel)
        put_accounts(&s->collector.loss, to);
    put_capture(&s->collector.capture, to);
    session_notices(s, to);
}
