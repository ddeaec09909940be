/* Sums agree: what `a' shows live in every column that adds up, what the trace that was written of
 * the very same events shows when it is opened again, what one counts who adds up the lines of
 * `tracetop dump`, and the query that one types for such a column. Nothing is left to chance:
 * collecting has ended before the trace is written, and the ring holds all that was collected. */
#include "tests/live/harness.h"
#include "tests/live/program.h"
#include "tests/typed.h"

#include "collectors/collectors.h"
#include "src/base/mem.h"
#include "src/os/os.h"
#include "src/pane/panes.h"
#include "src/table/pane.h"
#include "src/trace/snapshot.h"
#include "ui/main/user_views.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 30, PAGES = 64, PAGE = 4096, RING = 512 << 20, ROWS = 1 << 20 };
enum { FACTS = 8 << 20 /* kept */ };

static const int64_t TIMEOUT = 240000000000; /* only what hangs takes as long */

static const uint32_t CLASSES = 1u << FACT_SWITCH | 1u << FACT_READY | 1u << FACT_SAMPLE |
                                1u << FACT_DISK | 1u << FACT_FILE | 1u << FACT_NETWORK |
                                1u << FACT_FAULT | 1u << FACT_MEMORY | 1u << FACT_DPC |
                                1u << FACT_ISR | 1u << FACT_SYSCALL;

/* ---- something to add up ------------------------------------------------------------------ */

static void write_through(const char *path)
{
    char block[8 * PAGE] = "tracetop";
    const int f = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (f >= 0 && write(f, block, sizeof block) == sizeof block && fsync(f) == 0 &&
        lseek(f, 0, SEEK_SET) == 0 && read(f, block, sizeof block) > 0)
        unlink(path);
    close(f);
}

static void talk(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    char text[700] = "tracetop";
    const int in = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0),
              out = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (bind(in, (struct sockaddr *)&at, sizeof at) == 0 &&
        getsockname(in, (struct sockaddr *)&at, &length) == 0 &&
        sendto(out, text, sizeof text, 0, (struct sockaddr *)&at, sizeof at) > 0)
        (void)!recv(in, text, sizeof text, 0);
    close(in);
    close(out);
}

static void touch_pages(void)
{
    char *const pages =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(pages, PAGES * PAGE, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        pages[i * PAGE] = 1;
    munmap(pages, PAGES * PAGE);
}

static void work(const char *path)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        write_through(path);
        talk();
        touch_pages();
        for (volatile int n = 0; n < 3000000; n++)
            ;
        usleep(5000);
    }
}

/* ---- live against the trace ---------------------------------------------------------------- */

static struct frame *ask(struct engine *e, const struct pane *p)
{
    static uint64_t sequence = 5000;
    struct request r = {.sequence = ++sequence, .pane = p, .rows = ROWS, .accumulate = true};
    engine_request(e, &r);
    struct frame *const f = engine_wait_frame(e, r.sequence, true, TIMEOUT);
    assert_non_null(f);
    return f;
}

static struct session *reopen(const char *path, int64_t origin)
{
    struct err err = {""};
    const char *const files[] = {path};
    const struct session_options o = {.kind = &collector_etl,
                                      .collector = {.files = files, .file_count = 1},
                                      .ring_bytes = RING,
                                      .origin_ns = origin,
                                      .interval_ns = 1000000000};
    struct session *const s = session_start(&o, &err);
    if (!s)
        print_error("%s\n", err.text);
    assert_non_null(s);
    return s;
}

/* The sum of a column; rates are multiplied by their seconds. */
static double amount_in(const struct frame *f, const struct value *v, size_t column)
{
    switch (v->type) {
    case VALUE_COUNT:
    case VALUE_BYTES:
        return (double)v->count;
    case VALUE_TIME:
        return (double)v->ns;
    case VALUE_RATE:
    case VALUE_BYTE_RATE:
    case VALUE_TIME_RATE:
        return v->number * f->column_s[column];
    default:
        return 0;
    }
}

static double sum_of(const struct frame *f, size_t column)
{
    double sum = 0;
    for (unsigned i = 0; i < f->row_count; i++)
        sum += amount_in(f, &f->rows[i].cells[column], column);
    return sum;
}

/* A trace lists once more who and what is there when it begins and ends: where events of all kinds
 * are counted, these are events, too. */
static bool counts_lists(const struct pane *p, const struct column *c)
{
    return strcmp(p->id, "rates") == 0 || strcmp(c->id, "events") == 0 ||
           strcmp(c->id, "listed") == 0;
}

static bool adds_up(const struct pane *p, const struct column *c)
{
    return c->flags & COLUMN_SUMS && c->type != VALUE_PERCENT && !counts_lists(p, c);
}

/* Whole numbers but for the last bits of rates. */
static bool is_same(double a, double b)
{
    return fabs(a - b) <= 0.5 + fabs(a) * 1e-9;
}

/* Returns how many columns had something in them. */
static unsigned compare_pane(const struct pane *p, struct engine *live, struct engine *trace,
                             unsigned *wrong)
{
    struct frame *const a = ask(live, p), *const b = ask(trace, p);
    unsigned filled = 0;
    for (size_t c = 0; c < p->column_count; c++) {
        if (!adds_up(p, &p->columns[c]))
            continue;
        const double shown = sum_of(a, c), again = sum_of(b, c),
                     total = amount_in(a, &a->totals[c], c);
        filled += shown > 0;
        if (is_same(shown, again) && is_same(shown, total))
            continue;
        ++*wrong;
        print_message("%s.%s: live %.3f (header %.3f), of the trace %.3f\n", p->id,
                      p->columns[c].id, shown, total, again);
    }
    frame_free(a);
    frame_free(b);
    return filled;
}

/* ---- against dump -------------------------------------------------------------------------- */

/* Lines "pane column sum", by the names that dump gives to fields. */
static const char add_up[] =
    " | awk 'function field(name) {"
    " if (!match($0, \"\\\"\" name \"\\\":(\\\"[^\\\"]*\\\"|[0-9]+)\")) return \"\";"
    " text = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3);"
    " gsub(/\"/, \"\", text); return text; }"
    " { event = field(\"event\"); }"
    " event ~ /^DiskIo\\/(Read|Write|FlushBuffers)$/ { sum[\"disk ops\"]++; }"
    " event ~ /^DiskIo\\/(Read|Write)$/ { sum[\"disk sum_bytes\"] += field(\"TransferSize\"); }"
    " event ~ /^(Tcp|Udp)Ip\\/(Send|Recv)/ { sum[\"network sum_ops\"]++;"
    "   sum[\"network bytes\"] += field(\"size\"); }"
    " event == \"PageFault/HardFault\" { sum[\"memory sum_bytes\"] += field(\"ByteCount\"); }"
    " event ~ /^PageFault\\/(HardFault|TransitionFault|DemandZeroFault|CopyOnWrite|FAULTADDR_WITH_IP)$/ {"
    "   sum[\"memory sum_ops\"]++; }"
    " event == \"PerfInfo/SampleProf\" { sum[\"processes samples\"]++; }"
    " event == \"Thread/CSwitch\" { sum[\"cpu csw\"]++; }"
    " event == \"PerfInfo/SysClEnter\" { sum[\"calls sum_ops\"]++; }"
    " END { for (k in sum) printf \"%s %.0f\\n\", k, sum[k]; }'";

static unsigned compare_dump(struct engine *live, const char *path, unsigned *wrong)
{
    char program[4096], command[8192], pane[32], column[32];
    double counted;
    unsigned lines = 0;
    assert_true(live_program(program, sizeof program));
    snprintf(command, sizeof command, "%s dump -O jsonl %s%s", program, path, add_up);
    FILE *const f = popen(command, "r");
    assert_non_null(f);
    while (fscanf(f, "%31s %31s %lf", pane, column, &counted) == 3) {
        const struct pane *const p = pane_find(pane);
        const struct column *const c = pane_column(p, column);
        if (!c)
            fail_msg("pane %s has no column %s", pane, column);
        struct frame *const shown = ask(live, p);
        const double sum = sum_of(shown, (size_t)(c - p->columns));
        frame_free(shown);
        lines++;
        if (is_same(sum, counted))
            continue;
        ++*wrong;
        print_message("%s.%s: live %.3f, dump has %.0f\n", pane, column, sum, counted);
    }
    assert_int_equal(pclose(f), 0);
    return lines;
}

/* Threads that still run are counted up to the end of each interval, and in the first one up to the
 * last event: intervals of the trace are to end when those of the screen did. Returns where they
 * begin. */
static int64_t wait_for_an_interval(struct engine *e)
{
    const int64_t until = os_now() + TIMEOUT;
    engine_request(e, &(struct request){.sequence = 1, .pane = pane_find("processes")});
    int64_t origin = 0;
    while (!origin) {
        struct frame *const f = engine_take_frame(e);
        if (f && f->interval > 0)
            origin = f->origin;
        frame_free(f);
        assert_true(os_now() < until);
        os_sleep(5000000);
    }
    return origin;
}

/* All records and facts are to be kept: on a machine that is busy with other things, work that
 * takes long ends before there is no room left. */
static void wait_for_work(const struct live_run *r, pid_t worker)
{
    bool has_ended = false, is_full = false;
    while (!has_ended && !is_full) {
        os_sleep(5000000);
        has_ended = waitpid(worker, NULL, WNOHANG) == worker;
        is_full = ring_figures(r->session->hot).put_bytes > RING / 4 ||
                  engine_figures(r->session->engine).facts > FACTS / 4;
    }
    if (has_ended)
        return;
    print_message("others fill the ring: the work ends early\n");
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
}

static void what_is_shown_is_what_was_written(void **state)
{
    (void)state;
    char folder[] = "/tmp/live_sums.XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/work", folder);
    struct live_run *const r = live_begin(&(struct live_request){
        .classes = CLASSES, .has_no_symbols = true, .ring_bytes = RING, .facts = FACTS});
    const pid_t worker = fork();
    if (worker == 0) {
        work(path);
        _exit(0);
    }
    wait_for_work(r, worker);
    const int64_t origin = wait_for_an_interval(r->session->engine);
    live_end(r);
    assert_int_equal(ring_figures(r->session->hot).tail, 0);
    struct snapshot_result result = {.path = ""};
    snapshot_finish(snapshot_start(&(struct snapshot_options){.engine = r->session->engine,
                                                              .collector = &r->session->collector,
                                                              .folder = folder}),
                    &result);
    if (!result.is_done)
        print_error("%s\n", result.err.text);
    assert_true(result.is_done);
    struct session *const again = reopen(result.path, origin);
    unsigned wrong = 0, filled = 0;
    for (const struct pane *const *p = panes; *p; p++)
        if ((*p)->view == PANE_TABLE)
            filled += compare_pane(*p, r->session->engine, again->engine, &wrong);
    const unsigned lines = compare_dump(r->session->engine, result.path, &wrong);
    uint64_t typed = 0;
    wrong += typed_compare(r->session->engine, &typed);
    print_message("%" PRIu64 " events: %u columns with something in them, %u of them by dump, "
                  "%" PRIu64 " rows as typed\n",
                  result.events, filled, lines, typed);
    session_stop(again);
    session_free(again);
    live_free(r);
    unlink(result.path);
    unlink(path); /* where the work ended early */
    rmdir(folder);
    assert_true(filled > 40 && lines >= 6 && typed > 500);
    assert_int_equal(wrong, 0);
}

/* CPU% of all rows, of the interval with this number, or of the first one while it runs. */
static double all_processor_time(struct engine *e, uint64_t interval, double *total)
{
    static const double ENOUGH_S = 0.3; /* of the first one */
    static uint64_t sequence = 9000;
    const int64_t until = os_now() + TIMEOUT;
    const struct pane *const p = pane_find("processes");
    const size_t column = (size_t)(pane_column(p, "cpu") - p->columns);
    for (;;) {
        struct request r = {.sequence = ++sequence, .pane = p, .rows = ROWS};
        engine_request(e, &r);
        struct frame *const f = engine_wait_frame(e, r.sequence, false, TIMEOUT);
        assert_non_null(f);
        double sum = -1;
        if (f->interval > interval || (!interval && !f->interval && f->interval_s > ENOUGH_S)) {
            sum = 0;
            for (unsigned i = 0; i < f->row_count; i++)
                sum += f->rows[i].cells[column].number;
            *total = f->totals[column].number;
        }
        frame_free(f);
        if (sum >= 0)
            return sum;
        assert_true(os_now() < until);
        os_sleep(5000000);
    }
}

/* Idle time included, and what the kernel hides, which is of "(unknown)"; an idle processor is
 * counted from the beginning on. */
static void all_time_of_processors_is_counted(void **state)
{
    (void)state;
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = 1u << FACT_SWITCH | 1u << FACT_READY,
                                          .has_no_symbols = true,
                                          .ring_bytes = RING});
    unsigned wrong = 0;
    for (unsigned i = 0; i < 4; i++) {
        double total = 0;
        const double sum = all_processor_time(r->session->engine, i, &total);
        /* The first one still runs: its newest switches are on their way. An idle processor that
         * was not counted would be 50 % of two. */
        const double off = i ? 0.2 : 10;
        const bool is_right = fabs(sum - 100) < off && fabs(total - sum) < 0.01;
        print_message("interval %u: %.3f %% of the machine, %.3f in the header\n", i, sum, total);
        wrong += !is_right;
    }
    live_end(r);
    live_free(r);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    user_views_builtin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_time_of_processors_is_counted),
        cmocka_unit_test(what_is_shown_is_what_was_written),
    };
    return cmocka_run_group_tests_name("sums, live", tests, NULL, NULL);
}
