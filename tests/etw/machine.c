/* The machine that is traced: a thread on which processes run, files are read and time passes.
 * Its events are the records of the synthetic machine, of real traces with the times of now, or of
 * the stand-in's own provider. */
#include "tests/etw/fake.h"

#include "collectors/synthetic/synthetic.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/payload_writer.h"
#include "src/etl/etl.h"
#include "src/event/retime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CRITICAL_SECTION running, state;

enum {
    SCRATCH = 256 * 1024,
    CONFIG = 16 * 1024,
    BEAT = 5, /* ms */
    CONFIG_GROUP = 0x0b,
    EXIT_BAD_FILE = 97,
};

static struct {
    HANDLE thread;
    volatile LONG is_stopping;
    int64_t frequency;
    struct synthetic *synthetic;
    struct trace_clock theirs, ours; /* of the synthetic machine; of the sessions */
    uint64_t made;                   /* events so far */
    uint64_t config_bytes;
    struct etl_reader *files;
    struct trace_clock file_ours;
    struct event next; /* of the files */
    bool has_next, files_began, has_stopped, has_jumped;
    bool gives_names, gives_files_only; /* the list that is being made */
    uint64_t flooded;
    _Alignas(8) uint8_t scratch[SCRATCH];
    _Alignas(8) uint8_t config[CONFIG]; /* the hardware: reported when a session stops */
    _Alignas(8) uint8_t record[65536];
} m;

int64_t machine_now(void)
{
    LARGE_INTEGER now;
    QueryPerformanceCounter(&now);
    return now.QuadPart;
}

int64_t machine_frequency(void)
{
    if (!m.frequency) {
        LARGE_INTEGER frequency;
        QueryPerformanceFrequency(&frequency);
        m.frequency = frequency.QuadPart;
    }
    return m.frequency;
}

unsigned machine_cpus(void)
{
    SYSTEM_INFO info;
    if (m.synthetic)
        return synthetic_cpus(m.synthetic);
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors < 2 ? 2 : info.dwNumberOfProcessors;
}

/* ---- the synthetic machine ------------------------------------------------------------------ */

/* The session's clock is another one, or has jumped: times move, in payloads as well. */
static bool is_moved(void)
{
    return !trace_clock_is_same(&m.theirs, &m.ours);
}

static void put(struct record_head head, const uint8_t *record, const struct trace_clock *from,
                const struct trace_clock *to, struct fake_session *only)
{
    struct event e;
    memcpy(m.record, record, head.bytes - sizeof head);
    if (event_parse(m.record, head.bytes - sizeof head, &e) != EVENT_OK)
        return;
    head.ts = record_change_clock(m.record, &e, from, to);
    buffers_put(&head, m.record, only);
}

static void keep_config(const struct record_head *head, const uint8_t *record)
{
    const size_t bytes = (head->bytes + 7) & ~7u;
    if (record[7] != CONFIG_GROUP || m.config_bytes + bytes > CONFIG)
        return;
    memcpy(m.config + m.config_bytes, head, sizeof *head);
    memcpy(m.config + m.config_bytes + sizeof *head, record, head->bytes - sizeof *head);
    m.config_bytes += bytes;
}

enum purpose { TO_ALL, TO_ONE, TO_NOBODY };

/* Where counters are sampled by, one overflows whenever the timer strikes. */
static void put_counter_sample(struct record_head head, const uint8_t *record)
{
    enum { HOOK_AT = 6, TYPE_SAMPLE = 0x2e, GROUP = 0x0f, TYPE_COUNTER = 0x2f, SOURCE_AT = 28 };
    const uint16_t source = (uint16_t)inform_counter();
    if (!source || record[HOOK_AT] != TYPE_SAMPLE || record[HOOK_AT + 1] != GROUP ||
        head.bytes < sizeof head + SOURCE_AT + sizeof source)
        return;
    _Alignas(8) uint8_t copy[64];
    if (head.bytes - sizeof head > sizeof copy)
        return;
    memcpy(copy, record, head.bytes - sizeof head);
    copy[HOOK_AT] = TYPE_COUNTER;
    memcpy(copy + SOURCE_AT, &source, sizeof source);
    if (is_moved())
        put(head, copy, &m.theirs, &m.ours, NULL);
    else
        buffers_put(&head, copy, NULL);
}

/* The hardware comes at the end only, names where the list gives them. */
static bool is_listed(const uint8_t *record)
{
    enum { TYPE_AT = 6, GROUP_AT = 7, FILES = 0x04, FILE_RUNDOWN = 0x24, REGISTRY = 0x09 };
    const unsigned group = record[GROUP_AT];
    const bool is_file = group == FILES && record[TYPE_AT] == FILE_RUNDOWN;
    if (m.gives_files_only && !is_file)
        return false;
    return group != CONFIG_GROUP && (m.gives_names || !(is_file || group == REGISTRY));
}

static void put_all(size_t bytes, enum purpose purpose, struct fake_session *only)
{
    for (size_t at = 0; at < bytes;) {
        struct record_head head;
        memcpy(&head, m.scratch + at, sizeof head);
        const uint8_t *const record = m.scratch + at + sizeof head;
        at += (head.bytes + 7) & ~(size_t)7;
        if (head.form != RECORD_LOST && purpose == TO_ALL)
            put_counter_sample(head, record);
        if (head.form == RECORD_LOST) {
            struct record_lost lost;
            memcpy(&lost, record, sizeof lost);
            buffers_lose(lost.events);
        } else if (purpose == TO_NOBODY) {
            keep_config(&head, record);
        } else if (purpose == TO_ONE && !is_listed(record)) {
            continue;
        } else if (is_moved()) {
            put(head, record, &m.theirs, &m.ours, only);
        } else {
            buffers_put(&head, record, only);
        }
        m.made += purpose == TO_ALL;
    }
}

/* What is listed next, for somebody or for nobody. */
static void run_lists(enum purpose purpose, struct fake_session *only)
{
    while (synthetic_is_listing(m.synthetic)) {
        const int64_t here = synthetic_time(m.synthetic);
        put_all(synthetic_fill(m.synthetic, m.scratch, SCRATCH, here), purpose, only);
    }
}

static void put_config(struct fake_session *s)
{
    for (size_t at = 0; at < m.config_bytes;) {
        struct record_head head;
        memcpy(&head, m.config + at, sizeof head);
        put(head, m.config + at + sizeof head, &m.theirs, &m.ours, s);
        at += (head.bytes + 7) & ~(size_t)7;
    }
}

/* Which of a list's records come, as the switches have it. */
static bool gives_names(enum listing why)
{
    static const enum unkind_switch without[] = {[LISTING_START] = UNKIND_NO_START_LISTS,
                                                 [LISTING_CLEAR] = UNKIND_NO_NAMES_ON_CLEAR,
                                                 [LISTING_STOP] = UNKIND_NO_NAMES_ON_STOP,
                                                 [LISTING_FILES] = UNKIND_NO_NAMES_PROVIDER};
    return !unkind(without[why]);
}

void machine_list(struct fake_session *s, enum listing why)
{
    enum { NO_CONFIG = 0x10000000 };
    if (!m.synthetic || (why == LISTING_START && unkind(UNKIND_NO_START_LISTS)))
        return;
    m.gives_names = gives_names(why);
    m.gives_files_only = why == LISTING_FILES;
    synthetic_list(m.synthetic, why != LISTING_START);
    run_lists(TO_ONE, s);
    if (why == LISTING_STOP && !(s->p.EnableFlags & NO_CONFIG))
        put_config(s);
}

static void run_synthetic(int64_t now)
{
    if (!m.synthetic)
        return;
    const int64_t until = trace_clock_raw(&m.theirs, trace_clock_ns(&m.ours, now));
    while (!play.events || m.made < play.events) {
        const size_t bytes = synthetic_fill(m.synthetic, m.scratch, SCRATCH, until);
        if (!bytes)
            return;
        EnterCriticalSection(&state);
        put_all(bytes, TO_ALL, NULL);
        LeaveCriticalSection(&state);
    }
}

/* The program lists Wine's own processes, too. Their ids are smaller, so no id has two names. */
enum { IDS_ABOVE = 100000 };

static void make_synthetic(void)
{
    const struct synthetic_options o = {.seed = play.seed,
                                        .rate = play.rate,
                                        .start_raw = machine_now(),
                                        .cpus = play.cpus ? play.cpus : machine_cpus(),
                                        .ids_above = IDS_ABOVE,
                                        .hostile = play.hostile,
                                        .lose = play.lose};
    m.synthetic = synthetic_new(&o);
    m.theirs = m.ours = synthetic_clock(m.synthetic);
    m.ours.frequency = machine_frequency();
    run_lists(TO_NOBODY, NULL);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void next_of_files(void)
{
    struct err err;
    const enum etl_answer answer = etl_reader_next(m.files, &m.next, &err);
    m.has_next = answer == ETL_EVENT;
}

static void open_files(void)
{
    struct err err;
    if (!play.file_count)
        return;
    m.files = etl_reader_open(play.files, play.file_count, &err);
    if (!m.files) {
        fprintf(stderr, "TRACETOP_TEST_ETW_PLAY: %s\n", err.text);
        fflush(stderr);
        ExitProcess(EXIT_BAD_FILE);
    }
    next_of_files();
}

/* The files' first event happens now; their later ones as much later as they did, or faster. */
static void begin_files(int64_t now)
{
    struct trace_clock clock = etl_clock(etl_reader_file(m.files, m.next.source));
    m.files_began = true;
    m.file_ours =
        (struct trace_clock){.anchor_raw = now,
                             .anchor_ns = trace_clock_ns(&clock, m.next.ts),
                             .frequency = machine_frequency() / (play.speed ? play.speed : 1),
                             .kind = CLOCK_QPC};
}

static bool is_log_header(const struct event *e)
{
    return header_is_kernel((enum header_kind)e->kind) && e->id == 0;
}

static void run_files(int64_t now)
{
    if (!m.has_next || play_time() < play.begin)
        return;
    if (!m.files_began)
        begin_files(now);
    EnterCriticalSection(&state);
    while (m.has_next) {
        const struct event *const e = &m.next;
        const struct trace_clock theirs = etl_clock(etl_reader_file(m.files, e->source));
        if (trace_clock_raw(&m.file_ours, trace_clock_ns(&theirs, e->ts)) > now)
            break;
        const struct record_head head = {.bytes = (uint32_t)sizeof head + e->record_bytes,
                                         .form = RECORD_ETW,
                                         .cpu = e->cpu,
                                         .ts = e->ts};
        if (!is_log_header(e))
            put(head, e->record, &theirs, &m.file_ours, NULL);
        next_of_files();
    }
    LeaveCriticalSection(&state);
}

/* ---- what happens to sessions ---------------------------------------------------------------- */

static bool is_due(const struct fake_session *s, int64_t now)
{
    return now - s->flushed >= (int64_t)s->p.FlushTimer * machine_frequency();
}

/* Stopped from outside: as the test requests, or by another process. */
static bool is_ended(const struct fake_session *s)
{
    if (table_open()[s->index].state == ROW_STOPPED)
        return true;
    return play.stop_at && !m.has_stopped && play_time() >= play.stop_at &&
           (!play.stop_name[0] || _wcsicmp(play.stop_name, s->name) == 0);
}

static void look_after_sessions(int64_t now)
{
    const bool is_stop = play.stop_at && play_time() >= play.stop_at;
    for (unsigned i = 0; i < FAKE_SESSIONS; i++) {
        struct fake_session *const s = session_at(i);
        if (!s->is_used || s->is_stopped)
            continue;
        if (!s->is_foreign && is_ended(s))
            session_end(s);
        else if (is_due(s, now))
            buffers_flush(s);
    }
    m.has_stopped |= is_stop;
}

static void jump(void)
{
    if (!play.jump_at || m.has_jumped || play_time() < play.jump_at)
        return;
    m.has_jumped = true;
    m.ours.anchor_raw += play.jump * machine_frequency() / 1000;
    m.file_ours.anchor_raw += play.jump * machine_frequency() / 1000;
}

static void flood(void)
{
    const uint64_t wanted = play.flood * (uint64_t)play_time() / 1000;
    if (play.flood && wanted > m.flooded)
        m.flooded += provider_flood(wanted - m.flooded);
}

/* A driver prints: DbgPrintEx(77, 3, …). */
static void print(int64_t now)
{
    enum { HEADER_SYSTEM64 = 2, MARK = 0xc0, HOOK = 0x0a20, VERSION = 2, PAYLOAD = 32 };
    static const char text[] = "hello from a driver";
    struct payload_writer p = {m.record, m.record, m.record + sizeof m.record};
    const size_t bytes = PAYLOAD + 2 * sizeof(uint32_t) + sizeof text;
    const struct record_head head = {
        .bytes = (uint32_t)(sizeof head + bytes), .form = RECORD_ETW, .ts = now};
    put_u16(&p, VERSION);
    put_u8(&p, HEADER_SYSTEM64);
    put_u8(&p, MARK);
    put_u16(&p, (unsigned)bytes);
    put_u16(&p, HOOK);
    put_u32(&p, GetCurrentThreadId());
    put_u32(&p, GetCurrentProcessId());
    put_u64(&p, (uint64_t)now);
    put_u64(&p, 0); /* processor times */
    put_u32(&p, 77);
    put_u32(&p, 3);
    put_bytes(&p, text, sizeof text);
    for (unsigned i = 0; i < play.prints; i++)
        buffers_put(&head, m.record, NULL);
}

static DWORD WINAPI run(void *arg)
{
    (void)arg;
    while (!m.is_stopping) {
        Sleep(BEAT);
        EnterCriticalSection(&running);
        const int64_t now = machine_now();
        jump();
        const int64_t jumped = m.has_jumped ? play.jump * machine_frequency() / 1000 : 0;
        run_synthetic(now + jumped);
        run_files(now + jumped);
        EnterCriticalSection(&state);
        flood();
        print(now + jumped);
        look_after_sessions(now);
        LeaveCriticalSection(&state);
        LeaveCriticalSection(&running);
        console_look();
    }
    return 0;
}

/* ---- start and stop -------------------------------------------------------------------------- */

void machine_begin(void)
{
    EnterCriticalSection(&running);
    if (!m.thread) {
        if (!play.is_empty)
            make_synthetic();
        open_files();
        m.thread = CreateThread(NULL, 0, run, NULL, 0, NULL);
    }
    LeaveCriticalSection(&running);
}
