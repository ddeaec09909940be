#include "tests/live/harness.h"

#include "collectors/collectors.h"
#include "collectors/linux/bpf/bpf.h"
#include "collectors/linux/kernel/tracefs.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/os/os.h"
#include "src/pane/panes.h"

#include <dirent.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATIENCE = 240 }; /* seconds, for what hangs */

/* ---- beginning and end ------------------------------------------------------------------- */

static _Noreturn void give_up(struct live_run *r, const char *why)
{
    print_message("skipped: %s\n", why);
    if (r)
        live_free(r);
    skip();
    abort(); /* not reached: cmocka does not say so */
}

static bool is_on(const struct collector *c, const struct live_request *w)
{
    return (atomic_load(&c->active) & w->classes) == w->classes &&
           (atomic_load(&c->active_stacks) & w->stacks) == w->stacks;
}

static void wait_until_on(struct live_run *r, const struct live_request *w)
{
    const struct collector *const c = &r->session->collector;
    const int64_t deadline = os_now() + PATIENCE * 1000000000ll;
    while (!is_on(c, w) && os_now() < deadline) {
        if (atomic_load(&c->refused) & w->classes) {
            char notice[NOTICE_BYTES] = "a class of events was refused";
            notices_last(&c->notices, notice);
            give_up(r, notice);
        }
        os_sleep(1000000);
    }
    if (!is_on(c, w))
        fail_msg("not all of %#x and %#x (stacks) is on: %#x, %#x", w->classes, w->stacks,
                 atomic_load(&c->active), atomic_load(&c->active_stacks));
}

/* Where the test has no request of its own: TRACETOP_SOURCE=perf runs it without BPF. */
static uint8_t source_of(const struct live_request *w)
{
    const char *const forced = getenv("TRACETOP_SOURCE");
    return w->kernel_source == KERNEL_AUTO && forced && strcmp(forced, "perf") == 0
               ? KERNEL_PERF
               : w->kernel_source;
}

bool live_has_bpf(void)
{
    const struct live_request usual = {.classes = 0};
    struct bpf *const b = source_of(&usual) == KERNEL_PERF ? NULL : bpf_open(NULL, NULL);
    bpf_close(b);
    return b != NULL;
}

/* ---- other tracers ----------------------------------------------------------------------- */

static unsigned open_events(const char *pid)
{
    static const char *const kinds[] = {"anon_inode:[perf_event]", "anon_inode:bpf"};
    char path[300], link[64];
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
    DIR *const all = opendir(path);
    for (const struct dirent *d; all && (d = readdir(all));) {
        const ssize_t bytes = readlinkat(dirfd(all), d->d_name, link, sizeof link - 1);
        link[bytes > 0 ? bytes : 0] = '\0';
        for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
            count += strncmp(link, kinds[i], strlen(kinds[i])) == 0;
    }
    if (all)
        closedir(all);
    return count;
}

/* The kernel numbers events, whosever they are. */
static uint64_t next_event_id(void)
{
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_SW_DUMMY,
                                .exclude_kernel = 1,
                                .disabled = 1};
    const int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    uint64_t id = 0;
    if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0)
        id = 0;
    if (fd >= 0)
        close(fd);
    return id;
}

/* Who else has kernel events open, and how many; with the number of the next event. */
static uint64_t tracers_now(unsigned events_of_ours)
{
    uint64_t sum = hash_mix(next_event_id() - events_of_ours);
    DIR *const all = opendir("/proc");
    for (const struct dirent *d; all && (d = readdir(all));) {
        const uint64_t pid = strtoull(d->d_name, NULL, 10);
        const unsigned open = pid && pid != (uint64_t)getpid() ? open_events(d->d_name) : 0;
        sum += open ? hash_mix(pid << 20 | open) : 0;
    }
    if (all)
        closedir(all);
    return sum;
}

void live_must_be_alone(struct live_run *r)
{
    if (!r->is_alone)
        give_up(r, "another tracer came or went meanwhile, and the kernel called nobody then");
}

/* Counts only; the kernel does that everywhere. */
static void count_in_init(struct live_run *r, const char *group, const char *tracepoint)
{
    struct tracefs fs;
    char *const format =
        tracefs_find(&fs, NULL, NULL) ? tracefs_format(&fs, group, tracepoint, NULL) : NULL;
    struct perf_event_attr a = {.type = PERF_TYPE_TRACEPOINT,
                                .size = sizeof a,
                                .config = format ? format_id(format) : 0,
                                .inherit = 1};
    free(format);
    DIR *const threads = a.config ? opendir("/proc/1/task") : NULL;
    for (const struct dirent *d; threads && (d = readdir(threads));) {
        const long tid = strtol(d->d_name, NULL, 10);
        const int fd =
            tid && r->counter_count < LIVE_COUNTERS
                ? (int)syscall(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC)
                : -1;
        if (fd >= 0)
            r->counters[r->counter_count++] = fd;
    }
    if (threads)
        closedir(threads);
}

uint64_t live_out_of_reach(const struct live_run *r)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < r->counter_count; i++) {
        uint64_t count = 0;
        if (read(r->counters[i], &count, sizeof count) == sizeof count)
            sum += count;
    }
    return sum;
}

struct live_run *live_begin(const struct live_request *w)
{
    struct live_run *const r = mem_new(1, sizeof *r);
    const struct session_options o = {
        .kind = &collector_live,
        .collector = {.wanted = w->classes,
                      .wanted_stacks = w->stacks,
                      .kernel_source = source_of(w),
                      .scope = w->scope,
                      .kernel_bytes = w->kernel_bytes},
        .ring_bytes = w->ring_bytes ? w->ring_bytes : 64 << 20,
        .capture = w->capture,
        .interval_ns = 1000000000,
        .facts = w->facts,
        .has_symbols = !w->has_no_symbols,
    };
    struct err err;
    r->session = session_start(&o, &err);
    if (!r->session) {
        free(r);
        give_up(NULL, err.text);
    }
    wait_until_on(r, w);
    if (w->tracepoint)
        count_in_init(r, w->group, w->tracepoint);
    r->tracers = tracers_now(0);
    r->began = os_now();
    return r;
}

void live_end(struct live_run *r)
{
    r->ended = os_now();
    r->is_alone = r->tracers == tracers_now(1);
    r->session->collector.kind->stop(&r->session->collector);
    r->is_over = true;
}

void live_free(struct live_run *r)
{
    if (!r->is_over)
        live_end(r);
    for (unsigned i = 0; i < r->counter_count; i++)
        close(r->counters[i]);
    session_stop(r->session);
    session_free(r->session);
    free(r);
}

/* ---- records --------------------------------------------------------------------------------- */

struct scan {
    bool (*is_it)(const struct event *e, void *arg);
    void *arg;
    uint64_t count;
};

static void scan(struct scan *s, const uint8_t *at, size_t bytes)
{
    for (size_t used = 0; used < bytes;) {
        struct record_head head;
        memcpy(&head, at + used, sizeof head);
        struct event e;
        /* Records lie padded to 8, heads included: event_of_record() may look at them there. */
        if (event_of_record((const struct record_head *)(const void *)(at + used), &e) == EVENT_OK)
            s->count += s->is_it(&e, s->arg);
        used += ring_padded(head.bytes);
    }
}

uint64_t live_count(const struct live_run *r, bool (*is_it)(const struct event *e, void *arg),
                    void *arg)
{
    assert_true(r->is_over);
    struct ring *const ring = r->session->hot;
    const struct ring_figures figures = ring_figures(ring);
    if (figures.tail)
        fail_msg("the ring has lapped: %" PRIu64 " records in %zu bytes", figures.put,
                 ring_capacity(ring));
    enum { STEP = 4 << 20 };
    uint8_t *const room = mem_new(STEP, 1);
    struct scan s = {.is_it = is_it, .arg = arg};
    uint64_t position = ring_pin(ring, PIN_RECORDER, 0);
    for (size_t bytes; (bytes = ring_copy(ring, &position, room, STEP));)
        scan(&s, room, bytes);
    ring_unpin(ring, PIN_RECORDER);
    free(room);
    return s.count;
}

/* ---- panes ----------------------------------------------------------------------------------- */

static const struct pane *find_pane(const char *id)
{
    const struct pane *const p = pane_find(id);
    if (!p)
        fail_msg("no pane %s", id);
    return p;
}

static unsigned find_column(const struct pane *p, const char *id)
{
    const struct column *const c = pane_column(p, id);
    if (!c)
        fail_msg("pane %s has no column %s", p->id, id);
    return (unsigned)(c - p->columns);
}

/* Everything the pane counted; the caller frees it. Only what has ended ever settles. */
static struct frame *ask(const struct live_run *r, const struct pane *p, bool is_settled)
{
    static uint64_t sequence;
    struct request request = {
        .sequence = ++sequence, .pane = p, .rows = 1u << 20, .accumulate = true};
    engine_request(r->session->engine, &request);
    struct frame *const f = engine_wait_frame(r->session->engine, request.sequence, is_settled,
                                              PATIENCE * 1000000000ll);
    if (!f)
        fail_msg("pane %s gave no answer in %d s", p->id, PATIENCE);
    return f;
}

static double number_in(const struct value *v)
{
    switch (v->type) {
    case VALUE_ID:
    case VALUE_HEX:
    case VALUE_COUNT:
    case VALUE_BYTES:
        return (double)v->count;
    case VALUE_TIME:
    case VALUE_INSTANT:
        return (double)v->ns;
    case VALUE_RATE:
    case VALUE_BYTE_RATE:
    case VALUE_TIME_RATE:
    case VALUE_PERCENT:
        return v->number;
    default:
        return -1;
    }
}

/* Rates of a total are of the whole time: what was counted is rate × seconds. */
static double total_in(const struct frame *f, const struct value *v, size_t column)
{
    const bool is_rate =
        v->type == VALUE_RATE || v->type == VALUE_BYTE_RATE || v->type == VALUE_TIME_RATE;
    return is_rate ? v->number * f->column_s[column] : number_in(v);
}

static bool is_text(const struct frame *f, const struct value *v, const char *text)
{
    return (v->type == VALUE_TEXT || v->type == VALUE_PATH) && v->text.bytes == strlen(text) &&
           memcmp(f->arena + v->text.offset, text, v->text.bytes) == 0;
}

static double look_up(const struct live_run *r, const char *pane, const char *key, uint64_t id,
                      const char *text, const char *column)
{
    const struct pane *const p = find_pane(pane);
    const unsigned k = find_column(p, key), c = find_column(p, column);
    struct frame *const f = ask(r, p, true);
    double found = -1;
    for (unsigned i = 0; i < f->row_count && found < 0; i++) {
        const struct value *const cells = f->rows[i].cells;
        const bool is_row = text ? is_text(f, &cells[k], text) : number_in(&cells[k]) == (double)id;
        if (is_row)
            found = total_in(f, &cells[c], c);
    }
    frame_free(f);
    return found;
}

double live_number(const struct live_run *r, const char *pane, const char *key, uint64_t id,
                   const char *column)
{
    return look_up(r, pane, key, id, NULL, column);
}

double live_number_named(const struct live_run *r, const char *pane, const char *key,
                         const char *text, const char *column)
{
    return look_up(r, pane, key, 0, text, column);
}

void live_wait_for_text(const struct live_run *r, const char *pane, const char *key, uint64_t id,
                        const char *column, const char *text)
{
    const struct pane *const p = find_pane(pane);
    const unsigned k = find_column(p, key), c = find_column(p, column);
    bool is_there = false;
    for (const int64_t until = os_now() + PATIENCE_NS; !is_there && os_now() < until;) {
        os_sleep(20000000);
        struct frame *const f = ask(r, p, false);
        for (unsigned i = 0; i < f->row_count; i++)
            is_there |= number_in(&f->rows[i].cells[k]) == (double)id &&
                        is_text(f, &f->rows[i].cells[c], text);
        frame_free(f);
    }
    if (!is_there)
        fail_msg("pane %s: %s of %" PRIu64 " never is %s", pane, column, id, text);
}

struct frame *live_frame(const struct live_run *r, const char *pane)
{
    return ask(r, find_pane(pane), false);
}

double live_sum(const struct live_run *r, const char *pane, const char *column)
{
    const struct pane *const p = find_pane(pane);
    const unsigned c = find_column(p, column);
    struct frame *const f = ask(r, p, true);
    double sum = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        const double v = total_in(f, &f->rows[i].cells[c], c);
        sum += v > 0 ? v : 0;
    }
    frame_free(f);
    return sum;
}

/* ---- accounts -------------------------------------------------------------------------------- */

void live_check_accounts(const struct live_run *r)
{
    const struct collector_loss *const loss = &r->session->collector.loss;
    const uint64_t made = atomic_load(&loss->made), received = atomic_load(&loss->received),
                   lost = atomic_load(&loss->lost), undelivered = atomic_load(&loss->undelivered);
    print_message("made %" PRIu64 " = received %" PRIu64 " + lost %" PRIu64 " + silent %" PRIu64
                  "; skipped %" PRIu64 ", our ring lost %" PRIu64 "\n",
                  made, received, lost, undelivered, atomic_load(&loss->skipped),
                  ring_figures(r->session->hot).lost);
    assert_int_equal(made, received + lost + undelivered);
    assert_int_equal(atomic_load(&loss->skipped), 0);
}

/* ---- processors and processes ---------------------------------------------------------------- */

unsigned live_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

int live_pin(unsigned which)
{
    cpu_set_t may, one;
    if (sched_getaffinity(0, sizeof may, &may) != 0)
        give_up(NULL, "the processors of this process are not known");
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &may) || which--)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (sched_setaffinity(0, sizeof one, &one) == 0)
            return cpu;
        break;
    }
    give_up(NULL, "this process may not choose its processor");
}

int64_t live_status(int pid, const char *name)
{
    char path[64], line[256];
    if (pid)
        snprintf(path, sizeof path, "/proc/%d/status", pid);
    else
        snprintf(path, sizeof path, "/proc/thread-self/status");
    FILE *const f = fopen(path, "re");
    int64_t value = -1;
    const size_t length = strlen(name);
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, length) == 0 && line[length] == ':')
            value = strtoll(line + length + 1, NULL, 10);
    if (f)
        fclose(f);
    return value;
}
