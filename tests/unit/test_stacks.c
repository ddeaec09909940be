/* Views and exports of stacks add up to what was recorded: every shape, every metric, every
 * format; and the files are what the programs that read them expect. */
#include "tests/feeder.h"
#include "tests/json_read.h"
#include "tests/sanitizer.h"
#include "tests/shared.h"

#include "src/export/stacks.h"

#include <inttypes.h>
#include <stdio.h>

#define FRAMEWORK "../shared/etl/perfview-net.4.5.2.x64"

/* ---- a recording made by hand ---------------------------------------------------------------- */

enum {
    WALK = 0x1820,
    ANN = 20,
    BOB = 30,
    A = 21,
    B = 31,
    OUTER = 0x400100,
    INNER = 0x400200,
    SLEEP = 0x400300,
    WAKE = 0x400400
};

static void send_walk(const struct scene *by, int64_t us, uint32_t pid, uint32_t tid,
                      const uint64_t *frames, unsigned count)
{
    struct note n = {.used = 0};
    put_u64(&n, (uint64_t)us * 10);
    put_u32(&n, pid);
    put_u32(&n, tid);
    for (unsigned i = 0; i < count; i++)
        put_u64(&n, frames[i]);
    send_record(by, us + 1, WALK, 2, &n);
}

static void sample(const struct scene *by, int64_t us, uint32_t pid, uint32_t tid,
                   const uint64_t *frames, unsigned count)
{
    send_sample(by, us, tid);
    if (count)
        send_walk(by, us, pid, tid, frames, count);
}

/* Ann: 6 samples in inner < outer, 3 in outer, 2 in inner < inner < outer, 1 without a stack.
 * Bob: 4 in outer. */
static struct stage *play_samples(void)
{
    struct stage *const s = stage_open(1, 1 << 20, 1 << 16);
    const struct scene by = {.stage = s, .pid = EVENT_NO_ID, .tid = EVENT_NO_ID};
    static const uint64_t deep[] = {INNER, INNER, OUTER};
    stage_play(s);
    send_process(&by, 1, HOOK_START, ANN, 1, "ann.exe");
    send_process(&by, 2, HOOK_START, BOB, 1, "bob;exe");
    send_thread(&by, 3, HOOK_START, ANN, A);
    send_thread(&by, 4, HOOK_START, BOB, B);
    for (unsigned i = 0; i < 12; i++)
        sample(&by, 100 + 10 * i, ANN, A,
               deep + (i < 6   ? 1
                       : i < 9 ? 2
                               : 0),
               i < 6    ? 2
               : i < 9  ? 1
               : i < 11 ? 3
                        : 0);
    for (unsigned i = 0; i < 4; i++)
        sample(&by, 300 + 10 * i, BOB, B, deep + 2, 1);
    stage_finish(s);
    return s;
}

static struct request *request_of(struct stage *s, enum stack_metric metric)
{
    struct request *const r = stage_request(s, "stacks");
    r->stacks.metric = (uint8_t)metric;
    r->rows = 1000000;
    return r;
}

static void expect_row(const struct frame *f, unsigned row, const char *text, uint64_t weight,
                       uint64_t self)
{
    assert_true(row < f->row_count);
    assert_string_equal(text_of(f, cell(f, row, "frame")), text);
    assert_int_equal(cell(f, row, "samples").count, weight);
    assert_int_equal(cell(f, row, "self").count, self);
}

static uint64_t sum_of(const struct frame *f, const char *column)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < f->row_count; i++)
        sum += cell(f, i, column).count;
    return sum;
}

static void callees_and_callers(void **state)
{
    (void)state;
    struct stage *const s = play_samples();
    request_of(s, METRIC_SAMPLES);
    struct frame *f = stage_ask(s);
    expect_row(f, 0, "- 0x400100", 15, 7);
    expect_row(f, 1, "- 0x400200", 8, 6);
    expect_row(f, 2, "  0x400200", 2, 2);
    expect_row(f, 3, "  (no stack)", 1, 1);
    assert_int_equal(total(f, "samples").count, 16);
    assert_int_equal(f->stack_weight, 15);
    assert_int_equal(f->stack_missing, 1);
    frame_free(f);
    request_of(s, METRIC_SAMPLES)->stacks.shape = STACK_CALLERS;
    f = stage_ask(s);
    expect_row(f, 0, "- 0x400200", 8, 0);
    expect_row(f, 1, "   0x400100", 6, 6);
    expect_row(f, 2, " - 0x400200", 2, 0);
    expect_row(f, 3, "   0x400100", 2, 2);
    expect_row(f, 4, "  0x400100", 7, 7);
    assert_int_equal(sum_of(f, "self"), 16);
    frame_free(f);
    stage_close(s);
}

static void flat_counts_a_frame_once(void **state)
{
    (void)state;
    struct stage *const s = play_samples();
    request_of(s, METRIC_SAMPLES)->stacks.shape = STACK_FLAT;
    struct frame *f = stage_ask(s);
    assert_int_equal(f->row_count, 3);
    expect_row(f, 0, "  0x400100", 15, 7);
    expect_row(f, 1, "  0x400200", 8, 8);
    expect_row(f, 2, "  (no stack)", 1, 1);
    frame_free(f);
    stage_close(s);
}

static void folds_keep_the_sum(void **state)
{
    (void)state;
    struct stage *const s = play_samples();
    request_of(s, METRIC_SAMPLES)->stacks.fold = FOLD_RECURSION;
    struct frame *f = stage_ask(s);
    assert_int_equal(f->row_count, 3);
    expect_row(f, 1, "  0x400200", 8, 8);
    frame_free(f);
    request_of(s, METRIC_SAMPLES)->stacks.fold = FOLD_MODULES;
    f = stage_ask(s);
    assert_int_equal(f->row_count, 2);
    expect_row(f, 0, "  (no module)", 15, 15);
    frame_free(f);
    request_of(s, METRIC_SAMPLES)->stacks.fold = FOLD_PROCESSES;
    f = stage_ask(s);
    expect_row(f, 0, "- ann.exe (20)", 11, 0);
    expect_row(f, 1, "- 0x400100", 11, 3);
    expect_row(f, 4, "- bob;exe (30)", 4, 0);
    assert_int_equal(sum_of(f, "self"), 16);
    frame_free(f);
    stage_close(s);
}

/* Rows name frames for the next request. */
static void frames_are_dropped_kept_and_looked_around(void **state)
{
    (void)state;
    struct stage *const s = play_samples();
    request_of(s, METRIC_SAMPLES);
    struct frame *f = stage_ask(s);
    const struct row_key inner = f->rows[1].key;
    frame_free(f);
    struct request *r = request_of(s, METRIC_SAMPLES);
    r->stacks.terms[0] = (struct stack_term){inner, true};
    r->stacks.term_count = 1;
    f = stage_ask(s);
    expect_row(f, 0, "  0x400100", 7, 7);
    assert_int_equal(f->stack_hidden, 8);
    assert_int_equal(f->stack_weight + f->stack_hidden + f->stack_missing, 16);
    frame_free(f);
    r->stacks.terms[0].drops = false;
    f = stage_ask(s);
    expect_row(f, 0, "- 0x400100", 8, 0);
    assert_int_equal(f->stack_hidden, 7);
    frame_free(f);
    r = request_of(s, METRIC_SAMPLES);
    r->stacks.shape = STACK_BOTH;
    r->stacks.focus = inner;
    f = stage_ask(s);
    expect_row(f, 0, "- 0x400200 is called by", 8, 0);
    expect_row(f, 1, "  0x400100", 8, 8);
    expect_row(f, 2, "- 0x400200 calls", 8, 6);
    expect_row(f, 3, "  0x400200", 2, 2);
    frame_free(f);
    stage_close(s);
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* Windows logs the stack of the thread that is switched to: where it had stopped. */
static struct stage *begin_waits(void)
{
    static const uint64_t sleep[] = {SLEEP, OUTER}, wake[] = {WAKE};
    struct stage *const s = stage_open(1, 1 << 20, 1 << 16);
    const struct scene by = {.stage = s, .pid = EVENT_NO_ID, .tid = EVENT_NO_ID},
                       bob = {.stage = s, .pid = BOB, .tid = B};
    stage_play(s);
    send_process(&by, 1, HOOK_START, ANN, 1, "ann.exe");
    send_process(&by, 2, HOOK_START, BOB, 1, "bob.exe");
    send_thread(&by, 3, HOOK_START, ANN, A);
    send_thread(&by, 4, HOOK_START, BOB, B);
    send_switch(&by, 100, 0, A);
    send_switch(&by, 200, A, B); /* waits from here … */
    send_ready(&bob, 5200, A);   /* … to here: 5 ms … */
    send_walk(&by, 5200, BOB, B, wake, 1);
    send_switch(&by, 5500, B, A); /* … and is ready for 0.3 ms */
    send_walk(&by, 5500, ANN, A, sleep, 2);
    send_switch(&by, 5600, A, 0);
    return s;
}

static struct stage *play_waits(void)
{
    struct stage *const s = begin_waits();
    stage_finish(s);
    return s;
}

static void waits_count_where_they_began(void **state)
{
    (void)state;
    struct stage *const s = play_waits();
    request_of(s, METRIC_WAITING);
    struct frame *f = stage_ask(s);
    assert_int_equal(f->metric, METRIC_WAITING);
    assert_true(f->metrics >> METRIC_WAITING & 1);
    assert_string_equal(text_of(f, cell(f, 1, "frame")), "  0x400300");
    assert_int_equal(cell(f, 1, "samples").ns, 5000000);
    assert_int_equal(total(f, "samples").ns, 5000000);
    frame_free(f);
    request_of(s, METRIC_WAKING);
    f = stage_ask(s);
    assert_string_equal(text_of(f, cell(f, 0, "frame")), "  0x400400");
    assert_int_equal(cell(f, 0, "samples").ns, 5000000);
    frame_free(f);
    request_of(s, METRIC_READY);
    f = stage_ask(s);
    assert_string_equal(text_of(f, cell(f, 1, "frame")), "  0x400300");
    assert_int_equal(cell(f, 1, "samples").ns, 300000);
    frame_free(f);
    stage_close(s);
}

/* Samples, time ready and waits in one tree: it adds up to the three, in every shape. */
static void the_wall_clock_is_all_states(void **state)
{
    (void)state;
    static const uint64_t inner[] = {INNER, OUTER};
    struct stage *const s = begin_waits();
    const struct scene by = {.stage = s, .pid = EVENT_NO_ID, .tid = EVENT_NO_ID};
    static const struct {
        unsigned shape;
        const char *rows[5];
    } shapes[] = {
        {STACK_CALLEES,
         {"- 0x400100", " - 0x400300", "    [waiting]", "    [ready]", " - 0x400200"}},
        {STACK_CALLERS, {"- [waiting]", "- 0x400300", "  0x400100", "- [running]"}},
        {STACK_FLAT, {"  0x400100", "  0x400300", "  [waiting]", "  [running]"}},
    };
    send_switch(&by, 6000, 0, A);
    sample(&by, 6100, ANN, A, inner, 2);
    sample(&by, 6200, ANN, A, inner, 2);
    stage_finish(s);
    const int64_t samples = 2000000, sum = samples + 5000000 + 300000;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct request *const r = request_of(s, METRIC_WALL);
        r->stacks.shape = (uint8_t)shapes[i].shape;
        struct frame *const f = stage_ask(s);
        assert_true(f->metrics >> METRIC_WALL & 1);
        assert_int_equal(total(f, "samples").ns, sum);
        for (unsigned n = 0; n < 5 && shapes[i].rows[n]; n++)
            assert_string_equal(text_of(f, cell(f, n, "frame")), shapes[i].rows[n]);
        frame_free(f);
    }
    stage_close(s);
}

static struct row_key key_of(struct stage *s, const char *pane, const char *name)
{
    stage_request(s, pane);
    struct frame *const f = stage_ask(s);
    const int row = row_named(f, "name", name);
    assert_true(row >= 0);
    const struct row_key key = f->rows[row].key;
    frame_free(f);
    return key;
}

/* The stack comes with the switch of the thread that leaves, which is none of the row's. */
static void waits_of_a_row_have_their_stacks(void **state)
{
    (void)state;
    struct stage *const s = play_waits();
    const struct crumb crumbs[] = {{.kind = CRUMB_PROCESS, .key = key_of(s, "processes", "ann.exe")},
                                   {.kind = CRUMB_THREAD, .key = key_of(s, "cpu", "ann.exe")}};
    static const struct {
        enum stack_metric metric;
        uint64_t ns;
    } rows[] = {{METRIC_WAITING, 5000000}, {METRIC_READY, 300000}};
    for (size_t c = 0; c < sizeof crumbs / sizeof *crumbs; c++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct request *const r = request_of(s, rows[i].metric);
            r->crumbs[0] = crumbs[c];
            r->crumb_count = 1;
            struct frame *const f = stage_ask(s);
            assert_int_equal(f->row_count, 2);
            assert_string_equal(text_of(f, cell(f, 1, "frame")), "  0x400300");
            assert_int_equal(cell(f, 1, "samples").ns, rows[i].ns);
            assert_int_equal(total(f, "samples").ns, rows[i].ns);
            frame_free(f);
        }
    stage_close(s);
}

/* Events of a row by the row's own stacks: a switch away by where the thread stood, which comes
 * with the switch back; a wake-up by the waker's. */
static void events_of_a_row_have_its_own_stacks(void **state)
{
    (void)state;
    struct stage *const s = play_waits();
    static const struct {
        const char *process, *frame, *absent;
    } rows[] = {{"ann.exe", "  0x400300", "0x400400"}, {"bob.exe", "  0x400400", "0x400300"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct crumb crumb = {.kind = CRUMB_PROCESS, .key = key_of(s, "processes", rows[i].process)};
        struct request *const r = request_of(s, METRIC_OPERATIONS);
        r->crumbs[0] = crumb;
        r->crumb_count = 1;
        struct frame *const f = stage_ask(s);
        bool has_frame = false;
        for (unsigned row = 0; row < f->row_count; row++) {
            const char *const text = text_of(f, cell(f, row, "frame"));
            has_frame |= strcmp(text, rows[i].frame) == 0 && cell(f, row, "samples").count == 1;
            assert_null(strstr(text, rows[i].absent));
        }
        assert_true(has_frame);
        frame_free(f);
    }
    stage_close(s);
}

/* The events of a frame are those whose stacks go through it, in the row that they are of. */
static void events_of_a_frame_are_of_its_row(void **state)
{
    (void)state;
    struct stage *const s = play_waits();
    const struct crumb ann = {.kind = CRUMB_PROCESS, .key = key_of(s, "processes", "ann.exe")},
                       bob = {.kind = CRUMB_PROCESS, .key = key_of(s, "processes", "bob.exe")};
    struct request *r = request_of(s, METRIC_OPERATIONS);
    r->crumbs[0] = ann;
    r->crumb_count = 1;
    struct frame *f = stage_ask(s);
    int row = 0;
    while (!strstr(text_of(f, cell(f, (unsigned)row, "frame")), "0x400300"))
        row++;
    const struct crumb frame = {.kind = CRUMB_FRAME, .key = f->rows[row].key};
    frame_free(f);
    for (unsigned i = 0; i < 2; i++) {
        r = stage_request(s, "events");
        r->crumbs[0] = i ? bob : ann;
        r->crumbs[1] = frame;
        r->crumb_count = 2;
        f = stage_ask(s);
        assert_int_equal(f->row_count, i ? 0 : 1); /* that by which it came in again */
        if (f->row_count)
            assert_string_equal(text_of(f, cell(f, 0, "event")), "CSwitch");
        frame_free(f);
    }
    stage_close(s);
}

/* ---- files ----------------------------------------------------------------------------------- */

static char *written(const struct frame *f, const char *format)
{
    char *text = NULL;
    size_t bytes;
    FILE *const to = open_memstream(&text, &bytes);
    const struct stacks_export x = {.frame = f, .name = "a \"trace\""};
    assert_true(stacks_write(&x, format, to));
    fclose(to);
    return text;
}

static uint64_t folded_sum(const char *text)
{
    uint64_t sum = 0;
    while (*text) {
        const size_t bytes = strcspn(text, "\n");
        const char *blank = text + bytes;
        assert_int_equal(*blank, '\n');
        while (blank > text && *blank != ' ')
            blank--;
        assert_true(blank > text && blank[1] >= '1' && blank[1] <= '9');
        sum += strtoull(blank + 1, NULL, 10);
        text += bytes + 1;
    }
    return sum;
}

/* What https://www.speedscope.app/file-format-schema.json requires of a sampled profile. */
static void expect_speedscope(const char *text, uint64_t sum)
{
    assert_true(json_is_valid(text));
    assert_true(json_is(json_member(text, "$schema"),
                        "https://www.speedscope.app/file-format-schema.json"));
    const char *const frames = json_member(json_member(text, "shared"), "frames");
    const size_t frame_count = json_count(frames);
    for (const char *f = json_first(frames); f; f = json_next(f))
        assert_int_equal(*json_member(f, "name"), '"');
    const char *const p = json_first(json_member(text, "profiles"));
    assert_true(json_is(json_member(p, "type"), "sampled"));
    assert_int_equal(*json_member(p, "name"), '"');
    const char *const unit = json_member(p, "unit");
    assert_true(json_is(unit, "none") || json_is(unit, "nanoseconds") || json_is(unit, "bytes"));
    assert_int_equal(strtoull(json_member(p, "startValue"), NULL, 10), 0);
    assert_int_equal(strtoull(json_member(p, "endValue"), NULL, 10), sum);
    const char *weight = json_first(json_member(p, "weights"));
    uint64_t found = 0;
    for (const char *s = json_first(json_member(p, "samples")); s; s = json_next(s)) {
        for (const char *f = json_first(s); f; f = json_next(f))
            assert_true(strtoull(f, NULL, 10) < frame_count);
        assert_non_null(weight); /* as many as samples */
        found += strtoull(weight, NULL, 10);
        weight = json_next(weight);
    }
    assert_null(weight);
    assert_int_equal(found, sum);
}

/* Thousandths of what the trace format counts in. */
static uint64_t thousandths(const char *number)
{
    char *point;
    const uint64_t whole = strtoull(number, &point, 10);
    assert_int_equal(*point, '.');
    return whole * 1000 + strtoull(point + 1, NULL, 10);
}

/* Complete events with times; each lies within the one before that has not ended. */
static void expect_perfetto(const char *text, uint64_t sum)
{
    enum { DEEPEST = 1024 };
    assert_true(json_is_valid(text));
    uint64_t ends[DEEPEST], selfs = 0;
    unsigned depth = 0;
    for (const char *e = json_first(json_member(text, "traceEvents")); e; e = json_next(e)) {
        assert_int_equal(*json_member(e, "name"), '"');
        assert_non_null(json_member(e, "pid"));
        if (!json_is(json_member(e, "ph"), "X"))
            continue;
        const uint64_t start = thousandths(json_member(e, "ts")),
                       end = start + thousandths(json_member(e, "dur"));
        while (depth && ends[depth - 1] <= start)
            depth--;
        assert_true(depth == 0 || end <= ends[depth - 1]);
        assert_true(depth < DEEPEST);
        ends[depth++] = end;
        selfs += strtoull(json_member(json_member(e, "args"), "self"), NULL, 10);
    }
    assert_int_equal(selfs, sum);
}

static void expect_files(const struct frame *f)
{
    const uint64_t sum = f->stack_weight + f->stack_missing;
    char *text = written(f, "folded");
    assert_int_equal(folded_sum(text), sum);
    free(text);
    text = written(f, "speedscope");
    expect_speedscope(text, sum);
    free(text);
    text = written(f, "perfetto");
    expect_perfetto(text, sum);
    free(text);
    text = written(f, "tree");
    assert_non_null(strstr(text, "TOTAL%"));
    free(text);
}

static void files_add_up(void **state)
{
    (void)state;
    struct stage *const s = play_samples();
    struct request *const r = request_of(s, METRIC_SAMPLES);
    r->stacks.is_whole = true;
    r->stacks.fold = FOLD_PROCESSES;
    r->folds_all = true; /* is of the screen */
    struct frame *const f = stage_ask(s);
    expect_files(f);
    char *const text = written(f, "folded");
    assert_non_null(strstr(text, "ann.exe (20);0x400100;0x400200 6\n"));
    assert_non_null(strstr(text, "bob:exe (30);0x400100 4\n"));
    assert_non_null(strstr(text, "(no stack) 1\n"));
    free(text);
    char said[256];
    stacks_account(f, said, sizeof said);
    assert_string_equal(said, "samples: 15 with a stack, 1 without");
    assert_false(stacks_write(&(struct stacks_export){.frame = f, .name = ""}, "svg", stdout));
    frame_free(f);
    stage_close(s);
}

/* ---- a real one ------------------------------------------------------------------------------ */

struct counted {
    long pid;
    unsigned long samples;
};

/* Samples by process as somebody else's reader counted them. */
static unsigned read_counts(struct counted *out, unsigned room)
{
    FILE *const in = fopen(FRAMEWORK ".procs.tsv", "r");
    char line[1024];
    unsigned count = 0;
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        struct counted c;
        char *end;
        c.pid = strtol(line, &end, 10);
        const char *const last = strrchr(line, '\t');
        if (end == line || *end != '\t' || !last)
            continue;
        c.samples = strtoul(last + 1, NULL, 10);
        if (c.pid < 0 || c.pid > INT32_MAX || !c.samples)
            continue;
        assert_true(count < room);
        out[count++] = c;
    }
    fclose(in);
    return count;
}

static void expect_shapes(struct stage *s, const char *filter, uint64_t samples)
{
    for (unsigned shape = STACK_CALLEES; shape <= STACK_FLAT; shape++)
        for (unsigned fold = 0; fold < STACK_FOLDS; fold++) {
            struct request *const r = request_of(s, METRIC_SAMPLES);
            snprintf(r->filter, sizeof r->filter, "%s", filter);
            r->stacks.shape = (uint8_t)shape;
            r->stacks.fold = (uint8_t)fold;
            r->stacks.is_whole = fold == FOLD_NO_FRAMES;
            struct frame *const f = stage_ask(s);
            assert_int_equal(total(f, "samples").count, samples);
            assert_int_equal(sum_of(f, "self"), samples);
            assert_int_equal(f->stack_weight + f->stack_missing, samples);
            frame_free(f);
        }
}

static void real_samples_are_those_counted(void **state)
{
    (void)state;
    enum { PROCESSES = 64 };
    glob_t found = shared_files(FRAMEWORK ".etl.zst");
    struct counted counts[PROCESSES];
    struct stage *const s = stage_open(1, 4 << 20, 1 << 16);
    struct feeder feed = {.stage = s, .file = found.gl_pathv[0]};
    assert_true(feeder_open(&feed));
    stage_play(s);
    feeder_start(&feed);
    const unsigned count = read_counts(counts, PROCESSES);
    assert_true(count > 10);
    uint64_t all = 0;
    for (unsigned i = 0; i < count; i++) {
        char filter[64];
        snprintf(filter, sizeof filter, "pid=%ld", counts[i].pid);
        if (!IS_SANITIZED || i % 4 == 0)
            expect_shapes(s, filter, counts[i].samples);
        all += counts[i].samples;
    }
    expect_shapes(s, "", all);
    request_of(s, METRIC_SAMPLES)->stacks.is_whole = true;
    struct frame *f = stage_ask(s);
    expect_files(f);
    frame_free(f);
    request_of(s, METRIC_RUNNING)->stacks.is_whole = true;
    f = stage_ask(s);
    assert_int_equal(total(f, "samples").ns, all * 1000000);
    expect_files(f);
    assert_false(f->metrics >> METRIC_WAITING & 1);
    frame_free(f);
    feeder_stop(&feed);
    stage_close(s);
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callees_and_callers),
        cmocka_unit_test(flat_counts_a_frame_once),
        cmocka_unit_test(folds_keep_the_sum),
        cmocka_unit_test(frames_are_dropped_kept_and_looked_around),
        cmocka_unit_test(waits_count_where_they_began),
        cmocka_unit_test(the_wall_clock_is_all_states),
        cmocka_unit_test(waits_of_a_row_have_their_stacks),
        cmocka_unit_test(events_of_a_row_have_its_own_stacks),
        cmocka_unit_test(events_of_a_frame_are_of_its_row),
        cmocka_unit_test(files_add_up),
        cmocka_unit_test(real_samples_are_those_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
