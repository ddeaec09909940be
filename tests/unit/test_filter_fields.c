/* Every field of the filter language against a count of somebody who only reads the records of the
 * same made-up machine: how many events a list shows by a filter, and how many records say so. */
#include "tests/sanitizer.h"
#include "tests/shared.h"
#include "tests/test.h"

#include "collectors/collectors.h"
#include "collectors/synthetic/synthetic.h"
#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/command/session.h"
#include "src/etl/etl.h"
#include "src/event/decode.h"
#include "src/export/dump.h"
#include "src/filter/filter.h"
#include "src/pane/panes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 9, EVENTS = 150000, ROOM = 256 * 1024, IDS = 1 << 20, CPUS = 64, IMAGE = 20 };

static const int64_t SECOND = 10000000; /* ticks */

/* ---- reading records ---- */

struct thread {
    uint32_t pid;
    int64_t waits_since, ready_since; /* ticks; 0 = does not, or was not seen to begin */
    bool is_log_writer;
};

struct process {
    int64_t start; /* ticks; 0 = was there before */
    bool is_sqlservr;
};

/* What a record says, with what the ones before it said. */
struct record {
    const struct event *e;
    unsigned count;
    struct decoded fields[DECODE_FIELDS];
    const struct thread *threads;    /* by thread id, before this record */
    const struct process *processes; /* by process id, likewise */
    uint64_t kernel, kernel_bytes;   /* where ntoskrnl.exe lies */
    const uint32_t *running;         /* by processor */
    const int64_t *ready_for; /* by processor: how long what runs there had been ready; -1 = ? */
};

static bool has(const struct record *r, const char *name, uint64_t *out)
{
    for (unsigned i = 0; i < r->count; i++)
        if (strcmp(r->fields[i].field->name, name) == 0 && r->fields[i].is_present) {
            *out = r->fields[i].number;
            return true;
        }
    return false;
}

static uint64_t number(const struct record *r, const char *name)
{
    uint64_t n = UINT64_MAX;
    has(r, name, &n);
    return n;
}

static bool text_is(const struct record *r, const char *name, const char *text)
{
    char found[512];
    for (unsigned i = 0; i < r->count; i++)
        if (strcmp(r->fields[i].field->name, name) == 0) {
            decode_format(&r->fields[i], found, sizeof found);
            return strcmp(found, text) == 0;
        }
    return false;
}

static unsigned group_of(const struct record *r)
{
    return r->e->id >> 8;
}

enum {
    DISK = 1,
    FAULT = 2,
    PROCESS = 3,
    FILES = 4,
    THREAD = 5,
    TCP = 6,
    UDP = 8,
    REGISTRY = 9,
    PERF = 15
};

/* ---- conditions ---- */

static bool is_disk_read(const struct record *r)
{
    return group_of(r) == DISK && r->e->opcode == 10;
}
static bool is_switch(const struct record *r)
{
    return group_of(r) == THREAD && r->e->opcode == 36;
}
static bool is_ready(const struct record *r)
{
    return group_of(r) == THREAD && r->e->opcode == 50;
}
static bool is_transfer(const struct record *r)
{
    return (group_of(r) == TCP || group_of(r) == UDP) &&
           (r->e->opcode == 10 || r->e->opcode == 11 || r->e->opcode == 26 || r->e->opcode == 27);
}

static bool of_class(const struct record *r)
{
    return is_switch(r);
}
static bool of_cpu(const struct record *r)
{
    return is_switch(r) && r->e->cpu == 1;
}
static bool of_op(const struct record *r)
{
    return is_disk_read(r);
}
static bool of_size(const struct record *r)
{
    return is_disk_read(r) && number(r, "TransferSize") >= 32768;
}
static bool of_latency(const struct record *r)
{
    return is_disk_read(r) && number(r, "HighResResponseTime") > 5 * 10000;
}
static bool of_disk(const struct record *r)
{
    return is_disk_read(r) && number(r, "DiskNumber") == 1;
}
static bool of_priority(const struct record *r)
{
    return is_disk_read(r) && (number(r, "IrpFlags") >> 17 & 7) == 3;
}
static bool of_fault(const struct record *r)
{
    return group_of(r) == FAULT && r->e->opcode == 32;
}
static bool of_wait(const struct record *r)
{
    const struct thread *const t = is_ready(r) ? &r->threads[number(r, "TThreadId")] : NULL;
    return t && t->waits_since && r->e->ts - t->waits_since > 10 * 10000;
}
static bool of_ready(const struct record *r)
{
    return is_switch(r) && r->ready_for[r->e->cpu] > 50 * 10;
}
static bool of_reason(const struct record *r)
{
    return is_switch(r) && number(r, "OldThreadWaitReason") == 15;
}
static bool of_state(const struct record *r)
{
    return is_switch(r) && number(r, "OldThreadState") == 5;
}
static bool of_old_priority(const struct record *r)
{
    return is_switch(r) && number(r, "OldThreadPriority") == 9;
}
static bool of_new_priority(const struct record *r)
{
    return is_switch(r) && number(r, "NewThreadPriority") == 9;
}
static bool of_offset(const struct record *r)
{
    return is_disk_read(r) && number(r, "ByteOffset") >= 8ull << 30;
}
static bool of_file_offset(const struct record *r)
{
    return group_of(r) == FILES && r->e->opcode == 67 && number(r, "Offset") < 64 << 10;
}
static bool of_fault_address(const struct record *r)
{
    uint64_t at;
    return group_of(r) == FAULT && has(r, "VirtualAddress", &at) && at >= 0x1a100000000;
}
static bool of_value(const struct record *r)
{
    enum { SET = 14, DELETE = 15, QUERY = 16 };
    const bool is_value = r->e->opcode >= SET && r->e->opcode <= QUERY;
    return group_of(r) == REGISTRY && is_value && text_is(r, "KeyName", "Updater");
}
static bool of_retransmit(const struct record *r)
{
    return group_of(r) == TCP && (r->e->opcode == 14 || r->e->opcode == 30);
}
/* NTSTATUS: the two upper bits are those of errors. */
static bool of_failure(const struct record *r)
{
    uint64_t status;
    return group_of(r) == REGISTRY && has(r, "Status", &status) && status >> 30 == 3;
}
static bool of_tid(const struct record *r)
{
    return is_disk_read(r) && number(r, "IssuingThreadId") % 2000 < 100 &&
           number(r, "IssuingThreadId") >= 2000 && number(r, "IssuingThreadId") < 4000;
}
static bool of_provider(const struct record *r)
{
    return group_of(r) == DISK;
}
static bool of_opcode(const struct record *r)
{
    return r->e->opcode == 36;
}
static bool of_version(const struct record *r)
{
    return r->e->version == 3;
}
static bool of_id(const struct record *r)
{
    return is_disk_read(r);
}
static bool of_protocol(const struct record *r)
{
    return is_transfer(r) && group_of(r) == TCP;
}
static bool of_protocol_6(const struct record *r)
{
    return is_transfer(r) && group_of(r) == UDP && r->e->opcode >= 26;
}
/* Received UDP has the other end as its source. */
static const char *own_end(const struct record *r, const char *saddr, const char *daddr)
{
    const bool is_received = r->e->opcode == 11 || r->e->opcode == 27;
    return group_of(r) == UDP && is_received ? daddr : saddr;
}
static bool of_port(const struct record *r)
{
    return is_transfer(r) && (number(r, "sport") == 443 || number(r, "dport") == 443);
}
static bool of_remote_port(const struct record *r)
{
    return is_transfer(r) && number(r, own_end(r, "dport", "sport")) == 443;
}
static bool of_local_port(const struct record *r)
{
    return is_transfer(r) && number(r, own_end(r, "sport", "dport")) >= 1024;
}
static bool starts_with(const struct record *r, const char *field, const char *net)
{
    char found[512];
    for (unsigned i = 0; i < r->count; i++)
        if (strcmp(r->fields[i].field->name, field) == 0) {
            decode_format(&r->fields[i], found, sizeof found);
            return strncmp(found, net, strlen(net)) == 0;
        }
    return false;
}
static bool ends_with(const struct record *r, const char *field, const char *end)
{
    char found[512];
    for (unsigned i = 0; i < r->count; i++)
        if (strcmp(r->fields[i].field->name, field) == 0) {
            const size_t bytes = decode_format(&r->fields[i], found, sizeof found);
            return bytes >= strlen(end) && strcmp(found + bytes - strlen(end), end) == 0;
        }
    return false;
}
static bool of_local(const struct record *r)
{
    return is_transfer(r) && starts_with(r, own_end(r, "saddr", "daddr"), "192.0.2.");
}
static bool of_remote(const struct record *r)
{
    return is_transfer(r) && starts_with(r, own_end(r, "daddr", "saddr"), "198.51.100.");
}
static bool of_address(const struct record *r)
{
    return is_transfer(r) &&
           (starts_with(r, "daddr", "192.0.2.") || starts_with(r, "saddr", "192.0.2."));
}
static bool of_connect(const struct record *r)
{
    return group_of(r) == TCP && (r->e->opcode == 12 || r->e->opcode == 28);
}
static bool of_isr(const struct record *r)
{
    return group_of(r) == PERF && (r->e->opcode == 67 || r->e->opcode == 50);
}
static bool of_dpc(const struct record *r)
{
    return group_of(r) == PERF && r->e->opcode == 68;
}
static bool of_vector(const struct record *r)
{
    return of_isr(r) && number(r, "Vector") == 131;
}
static bool of_process_starts(const struct record *r)
{
    return group_of(r) == PROCESS && r->e->opcode == 1;
}
static bool of_parent(const struct record *r)
{
    return of_process_starts(r) && number(r, "ParentId") >= 1000;
}
static bool of_command(const struct record *r)
{
    char found[512];
    for (unsigned i = 0; i < r->count; i++)
        if (of_process_starts(r) && strcmp(r->fields[i].field->name, "CommandLine") == 0) {
            decode_format(&r->fields[i], found, sizeof found);
            return strstr(found, "/c") != NULL;
        }
    return false;
}
static bool of_session(const struct record *r)
{
    return of_process_starts(r) && number(r, "SessionId") == 1;
}
static bool of_name(const struct record *r)
{
    return of_process_starts(r) && text_is(r, "ImageFileName", "cl.exe");
}

static bool of_user(const struct record *r)
{
    return group_of(r) == PROCESS && r->e->opcode == 3 && starts_with(r, "UserSID", "S-1-5-18");
}
static bool of_end(const struct record *r)
{
    return group_of(r) == PROCESS && r->e->opcode == 2;
}
static bool of_age(const struct record *r)
{
    const int64_t start = of_end(r) ? r->processes[number(r, "ProcessId") % IDS].start : 0;
    return start && r->e->ts - start < SECOND / 2;
}
static bool of_thread(const struct record *r)
{
    return group_of(r) == DISK && r->e->opcode == 11 &&
           r->threads[number(r, "IssuingThreadId") % IDS].is_log_writer;
}
static bool of_waker(const struct record *r)
{
    enum { BY_DPC = 1 };
    const bool is_by_thread = is_ready(r) && !(number(r, "Flag") & BY_DPC);
    const uint32_t by = is_by_thread ? r->threads[r->running[r->e->cpu] % IDS].pid : 0;
    return r->processes[by % IDS].is_sqlservr;
}
static bool of_transfer(const struct record *r)
{
    return is_transfer(r);
}
static bool of_destination(const struct record *r)
{
    return starts_with(r, "daddr", "198.51.100.");
}
static bool of_key(const struct record *r)
{
    uint64_t at;
    return has(r, "KeyHandle", &at) && at != 0 && group_of(r) == REGISTRY;
}
static bool of_routine(const struct record *r)
{
    const bool is_deferred = r->e->opcode == 66 || r->e->opcode == 68 || r->e->opcode == 69;
    return group_of(r) == PERF && is_deferred && number(r, "Routine") - r->kernel < r->kernel_bytes;
}
static bool of_call(const struct record *r)
{
    return group_of(r) == PERF && r->e->opcode == 51 &&
           number(r, "SysCallAddress") - r->kernel < r->kernel_bytes;
}

static const struct row {
    const char *filter;
    bool (*holds)(const struct record *r);
} rows[] = {
    {"class=switch", of_class},
    {"cpu=1 class=switch", of_cpu},
    {"op=read class=disk", of_op},
    {"size>=32K op=read class=disk", of_size},
    {"lat>5ms op=read class=disk", of_latency},
    {"disk=1 op=read class=disk", of_disk},
    {"prio=normal op=read class=disk", of_priority},
    {"fault=hard", of_fault},
    {"wait>10ms class=ready", of_wait},
    {"ready>50us class=switch", of_ready},
    {"reason=WrQueue class=switch", of_reason},
    {"reason=\"no work\" class=switch", of_reason},
    {"state=waiting class=switch", of_state},
    {"oldpri=9 class=switch", of_old_priority},
    {"newpri=9 class=switch", of_new_priority},
    {"offset>=8G op=read class=disk", of_offset},
    {"offset<64K op=read class=file", of_file_offset},
    {"va>=0x1a100000000", of_fault_address},
    {"value=Updater", of_value},
    {"retr", of_retransmit},
    {"failed class=registry", of_failure},
    {"tid=2000..2099 op=read class=disk", of_tid},
    {"provider=DiskIo", of_provider},
    {"opcode=36", of_opcode},
    {"version=3", of_version},
    {"id=266", of_id},
    {"proto=tcp (op=send|op=receive)", of_protocol},
    {"proto=udp6 (op=send|op=receive)", of_protocol_6},
    {"port=443 (op=send|op=receive)", of_port},
    {"rport=443 (op=send|op=receive)", of_remote_port},
    {"lport>=1024 (op=send|op=receive)", of_local_port},
    {"laddr=192.0.2.0/24 (op=send|op=receive)", of_local},
    {"raddr=198.51.100.0/24 (op=send|op=receive)", of_remote},
    {"raddr=10.255.255.255,198.51.100.* (op=send|op=receive)", of_remote},
    {"addr=192.0.2.0/24 (op=send|op=receive)", of_address},
    {"dir=out op=connect", of_connect},
    {"kind=isr class=isr", of_isr},
    {"class=dpc (kind=dpc)", of_dpc},
    {"vector=131 class=isr", of_vector},
    {"class=process op=start ppid>=1000", of_parent},
    {"class=process op=start cmd:/c", of_command},
    {"class=process op=start session=1", of_session},
    {"class=process op=start proc=cl.exe", of_name},
    {"class=process op=rundown user=S-1-5-18", of_user},
    {"class=process op=end exited", of_end},
    {"class=process op=end age<500ms", of_age},
    {"class=disk op=write thread=LogWriter", of_thread},
    {"class=ready waker=sqlservr.exe", of_waker},
    {"connid>0 (op=send|op=receive)", of_transfer},
    {"class=dpc routine:ntoskrnl", of_routine},
    {"opcode=51 call:ntoskrnl", of_call},
    /* fields of payloads */
    {"TransferSize>=32K op=read class=disk", of_size},
    {"transfersize>=32768 opcode=10 class=disk", of_size},
    {"DiskIo.Read.TransferSize>=0x8000", of_size},
    {"daddr=198.51.100.0/24", of_destination},
    {".daddr:198.51.100.", of_destination},
    {"TcpIp.daddr=198.51.100.* | UdpIp.daddr=198.51.100.*", of_destination},
    {"NewThreadPriority=9", of_new_priority},
    {"VirtualAddress=0x1a100000000.. class=fault", of_fault_address},
    {"ImageFileName=cl.exe opcode=1 class=process", of_name},
    {"KeyHandle!=0 provider=Registry", of_key},
};
enum { FILTERS = sizeof rows / sizeof *rows };

/* ---- counting ---- */

struct count {
    uint64_t found[FILTERS];
    struct thread *threads;
    uint32_t running[CPUS];
    int64_t ready_for[CPUS];
    struct process *processes;
    uint64_t kernel, kernel_bytes;
};

static void learn_lifetimes(struct count *c, const struct record *r)
{
    const struct event *const e = r->e;
    const bool is_there = e->opcode == 1 || e->opcode == 3;
    if (group_of(r) == PROCESS && is_there)
        c->processes[number(r, "ProcessId") % IDS] =
            (struct process){.start = e->opcode == 1 ? e->ts : 0,
                             .is_sqlservr = text_is(r, "ImageFileName", "sqlservr.exe")};
    if (group_of(r) == THREAD && is_there)
        c->threads[number(r, "TThreadId") % IDS] =
            (struct thread){.pid = (uint32_t)number(r, "ProcessId"),
                            .is_log_writer = text_is(r, "ThreadName", "LogWriter")};
    if (group_of(r) == IMAGE && !c->kernel && ends_with(r, "FileName", "ntoskrnl.exe")) {
        c->kernel = number(r, "ImageBase");
        c->kernel_bytes = number(r, "ImageSize");
    }
}

static void learn(struct count *c, const struct record *r)
{
    const struct event *const e = r->e;
    learn_lifetimes(c, r);
    if (is_ready(r)) {
        struct thread *const t = &c->threads[number(r, "TThreadId")];
        t->waits_since = 0;
        t->ready_since = e->ts;
    } else if (is_switch(r)) {
        struct thread *const from = &c->threads[number(r, "OldThreadId")],
                             *const to = &c->threads[number(r, "NewThreadId")];
        const uint64_t state = number(r, "OldThreadState");
        from->waits_since = state == 5 ? e->ts : 0;
        from->ready_since = state == 1 ? e->ts : 0;
        c->ready_for[e->cpu] = to->ready_since ? e->ts - to->ready_since : -1;
        to->waits_since = to->ready_since = 0;
        c->running[e->cpu] = (uint32_t)number(r, "NewThreadId");
    }
}

static void look(struct count *c, const struct record_head *head)
{
    struct event e;
    if (event_of_record(head, &e) != EVENT_OK || !header_is_kernel((enum header_kind)e.kind))
        return;
    const struct payload_layout *const l = decode_layout(&e);
    struct record r = {.e = &e,
                       .threads = c->threads,
                       .running = c->running,
                       .ready_for = c->ready_for,
                       .processes = c->processes,
                       .kernel = c->kernel,
                       .kernel_bytes = c->kernel_bytes};
    if (l)
        r.count = decode_fields(l, &e, r.fields, DECODE_FIELDS);
    for (unsigned i = 0; i < FILTERS; i++)
        c->found[i] += rows[i].holds(&r);
    learn(c, &r);
}

static struct count *count_all(void)
{
    struct count *const c = mem_new(1, sizeof *c);
    struct synthetic *const s =
        synthetic_new(&(struct synthetic_options){.seed = SEED, .events = EVENTS});
    uint8_t *const buffer = mem_new(ROOM, 1);
    size_t bytes;
    c->threads = mem_new(IDS, sizeof *c->threads);
    c->processes = mem_new(IDS, sizeof *c->processes);
    for (unsigned i = 0; i < CPUS; i++)
        c->ready_for[i] = -1;
    while ((bytes = synthetic_fill(s, buffer, ROOM, INT64_MAX)) != 0)
        for (size_t at = 0; at < bytes;) {
            const struct record_head *const head = (const void *)(buffer + at);
            look(c, head);
            at += (head->bytes + 7u) / 8 * 8;
        }
    free(buffer);
    synthetic_free(s);
    return c;
}

static struct frame *list_by(struct session *s, const char *filter, unsigned most)
{
    static uint64_t sequence;
    struct request r;
    memset(&r, 0, sizeof r);
    r.pane = pane_find("events");
    r.rows = most;
    r.sequence = ++sequence;
    snprintf(r.filter, sizeof r.filter, "%s", filter);
    struct err err;
    if (!filter_check(filter, r.pane, &err))
        fail_msg("%s", err.text);
    engine_request(s->engine, &r);
    struct frame *const f = engine_wait_frame(s->engine, sequence, true, PATIENCE_NS);
    assert_non_null(f);
    return f;
}

static uint64_t shown_by(struct session *s, const char *filter)
{
    struct frame *const f = list_by(s, filter, 1);
    const uint64_t shown = f->shown;
    frame_free(f);
    return shown;
}

static struct session *start(const struct session_options *o)
{
    struct err err;
    struct session *const s = session_start(o, &err);
    if (!s)
        fail_msg("%s", err.text);
    return s;
}

static struct session *start_synthetic(void)
{
    const struct session_options o = {.kind = &collector_synthetic,
                                      .collector = {.seed = SEED, .events = EVENTS},
                                      .ring_bytes = 64 << 20,
                                      .interval_ns = 1000000000};
    return start(&o);
}

static void stop(struct session *s)
{
    session_stop(s);
    session_free(s);
}

static void fields_find_what_records_say(void **state)
{
    (void)state;
    struct count *const c = count_all();
    struct session *const s = start_synthetic();
    unsigned wrong = 0;
    for (unsigned i = 0; i < FILTERS; i++) {
        const uint64_t shown = shown_by(s, rows[i].filter);
        const bool is_right = shown == c->found[i] && shown > 0;
        print_message("%s%s: %" PRIu64 ", records %" PRIu64 "\n", is_right ? "" : "WRONG ",
                      rows[i].filter, shown, c->found[i]);
        wrong += !is_right;
    }
    stop(s);
    free(c->threads);
    free(c->processes);
    free(c);
    assert_int_equal(wrong, 0);
}

/* ---- distances ---- */

static const struct value *cell_of(const struct frame *f, unsigned row, const char *column)
{
    return &f->rows[row].cells[pane_column(f->pane, column) - f->pane->columns];
}

/* By the rows of the list itself, whatever the filter keeps for it. */
static uint64_t count_gaps(const struct frame *f, int64_t least)
{
    int64_t *const last = mem_new(IDS, sizeof *last);
    uint64_t found = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        const struct value *const tid = cell_of(f, i, "tid"), *const time = cell_of(f, i, "time");
        if (tid->type == VALUE_ABSENT)
            continue;
        int64_t *const before = &last[tid->count % IDS];
        found += *before && time->ns - *before >= least;
        *before = time->ns;
    }
    free(last);
    return found;
}

static void distances_are_those_of_threads(void **state)
{
    (void)state;
    enum { MS = 1000000 };
    struct session *const s = start_synthetic();
    struct frame *const all = list_by(s, "", UINT32_MAX);
    assert_true(all->row_count > EVENTS / 2);
    const uint64_t expected = count_gaps(all, 5 * MS);
    print_message("dt>=5ms: %" PRIu64 " of %u\n", expected, all->row_count);
    assert_true(expected > 100);
    assert_int_equal(shown_by(s, "dt>=5ms"), expected);
    assert_int_equal(shown_by(s, "dt>=5ms class=switch") + shown_by(s, "dt>=5ms !class=switch"),
                     expected);
    frame_free(all);
    stop(s);
}

/* ---- what only providers' events have ---- */

static bool has_level(const struct event *e)
{
    return !header_is_kernel((enum header_kind)e->kind) && e->level <= 4;
}
static bool has_keyword(const struct event *e)
{
    return !header_is_kernel((enum header_kind)e->kind) && e->keyword & 0x1;
}
static bool has_task(const struct event *e)
{
    return !header_is_kernel((enum header_kind)e->kind) && e->task == 1;
}

/* Count and Depth are the first two numbers of GCStart and GCEnd. */
static bool has_depth(const struct event *e)
{
    static const uint32_t RUNTIME = 0xe13c0d23;
    enum { START = 1, STOP = 2 };
    return e->kind == HEADER_MANIFEST && load_u32(e->provider.b) == RUNTIME &&
           (e->id == START || e->id == STOP) && load_u32(e->payload + 4) >= 1;
}

static const struct provided {
    const char *filter;
    bool (*holds)(const struct event *e);
} provided[] = {
    {"level<=info", has_level},
    {"keyword=0x1", has_keyword},
    {"keyword&0x1", has_keyword},
    {"task=1", has_task},
    {"DotNETRuntime.GarbageCollection.Depth>=1", has_depth},
    {"Microsoft-Windows-DotNETRuntime.Start.Depth>0 | dotnetruntime.stop.depth=1..", has_depth}};
enum { PROVIDED = sizeof provided / sizeof *provided };

static void count_provided(const char *name, uint64_t found[PROVIDED])
{
    struct err err;
    struct event e;
    struct etl_reader *const r = etl_reader_open(&name, 1, &err);
    if (!r)
        fail_msg("%s", err.text);
    while (etl_reader_next(r, &e, &err) == ETL_EVENT)
        for (unsigned i = 0; i < PROVIDED; i++)
            found[i] += provided[i].holds(&e);
    etl_reader_close(r);
}

static uint64_t dumped_by(const char *name, const char *filter)
{
    const struct dump_options o = {.files = &name, .file_count = 1, .filter = filter};
    FILE *const out = tmpfile();
    uint64_t lines = 0;
    assert_non_null(out);
    assert_int_equal(dump_run(&o, out, stderr), 0);
    rewind(out);
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, out)) > 0;)
        for (size_t i = 0; i < n; i++)
            lines += part[i] == '\n';
    fclose(out);
    return lines;
}

static void providers_say_levels(void **state)
{
    (void)state;
    uint64_t all[PROVIDED] = {0};
    glob_t found = shared_files("../shared/etl/perfview-gc*.etl");
    for (size_t i = 0; i < found.gl_pathc; i++) {
        uint64_t expected[PROVIDED] = {0};
        const char *const name = found.gl_pathv[i];
        const struct session_options o = {.kind = &collector_etl,
                                          .collector = {.files = &name, .file_count = 1},
                                          .ring_bytes = 64 << 20,
                                          .interval_ns = 1000000000};
        count_provided(name, expected);
        struct session *const s = start(&o);
        for (unsigned k = 0; k < PROVIDED; k++) {
            print_message("%s: %s: %" PRIu64 "\n", name, provided[k].filter, expected[k]);
            assert_int_equal(shown_by(s, provided[k].filter), expected[k]);
            assert_int_equal(dumped_by(name, provided[k].filter), expected[k]);
            all[k] += expected[k];
        }
        stop(s);
    }
    globfree(&found);
    for (unsigned k = 0; k < PROVIDED; k++)
        assert_true(all[k] > 0);
}

/* ---- names and messages ---- */

/* A filter, and what the JSON lines of exactly the events hold that it lets pass. */
static const struct named {
    const char *file, *filter, *line;
} named[] = {
    {"etwanalyzer-TraceLoggingTester.etl.zst", "task=CLRMethodRundown",
     "\"task_name\":\"CLRMethodRundown\""},
    {"etwanalyzer-TraceLoggingTester.etl.zst", "task:loaderrundown", "\"task_name\":\"CLRLoaderRundown\""},
    {"etwanalyzer-TraceLoggingTester.etl.zst", "opcode=ModuleDCEnd",
     "\"opcode_name\":\"ModuleDCEnd\""},
    {"etwanalyzer-TraceLoggingTester.etl.zst", "opcode~/dcendinit$/",
     "\"opcode_name\":\"DCEndInit\""},
    {"msbuild-PerfViewData.etl", "opcode=Stop,77", "\"opcode_name\":\"Stop\""},
    {"demikernel-PktMon.etl", "keyword=Rundown", "\"keyword_names\":[\"Rundown\"]"},
    {"demikernel-PktMon.etl", "message~/^Property:.*NdisObject/", ", NdisObject = "},
};
enum { NAMED = sizeof named / sizeof *named, LINE_MOST = 1 << 20 };

/* Lines of the whole file that hold the texts of these. */
static void count_lines(const char *name, const struct named *of, unsigned count, uint64_t *found)
{
    const struct dump_options o = {.files = &name, .file_count = 1};
    FILE *const out = tmpfile();
    char *const line = mem_new(LINE_MOST, 1);
    assert_non_null(out);
    assert_int_equal(dump_run(&o, out, stderr), 0);
    rewind(out);
    while (fgets(line, LINE_MOST, out)) {
        assert_non_null(strchr(line, '\n'));
        for (unsigned i = 0; i < count; i++)
            found[i] += strstr(line, of[i].line) != NULL;
    }
    free(line);
    fclose(out);
}

static void check_named(const char *name, const struct named *of, unsigned count)
{
    uint64_t expected[NAMED] = {0};
    const struct session_options o = {.kind = &collector_etl,
                                      .collector = {.files = &name, .file_count = 1},
                                      .ring_bytes = 64 << 20,
                                      .interval_ns = 1000000000};
    count_lines(name, of, count, expected);
    struct session *const s = start(&o);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t shown = shown_by(s, of[i].filter), dumped = dumped_by(name, of[i].filter);
        print_message("%s: %s: %" PRIu64 ", shown %" PRIu64 ", dumped %" PRIu64 "\n", of[i].file,
                      of[i].filter, expected[i], shown, dumped);
        assert_true(expected[i] > 0);
        assert_int_equal(shown, expected[i]);
        assert_int_equal(dumped, expected[i]);
    }
    stop(s);
}

/* Those of one file stand together: it is read once for all of them. */
static void providers_name_tasks_and_keywords(void **state)
{
    (void)state;
    for (unsigned i = 0, end = 0; i < NAMED; i = end) {
        char path[256];
        while (end < NAMED && strcmp(named[end].file, named[i].file) == 0)
            end++;
        snprintf(path, sizeof path, "../shared/etl/%s", named[i].file);
        glob_t found = shared_files(path);
        globfree(&found);
        check_named(path, named + i, IS_SANITIZED ? 1 : end - i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fields_find_what_records_say),
                                       cmocka_unit_test(distances_are_those_of_threads),
                                       cmocka_unit_test(providers_say_levels),
                                       cmocka_unit_test(providers_name_tasks_and_keywords)};
    return cmocka_run_group_tests_name("filter_fields", tests, NULL, NULL);
}
