/* Network, files and disks as Windows' manifest providers record them: the panes show what they show
 * of the kernel logger's events of the same operations, and each operation once where a trace has
 * both. */
#include "tests/etl_writer.h"
#include "tests/shared.h"
#include "tests/test.h"

#include "collectors/collectors.h"
#include "collectors/synthetic/synthetic.h"
#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/command/session.h"
#include "src/event/decode.h"
#include "src/event/providers.h"
#include "src/pane/panes.h"
#include "src/pane/query_pane.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEED = 5, EVENTS = 60000, ROOM = 256 * 1024, LARGEST = 64 * 1024 };

/* ---- the same record of another recorder ----------------------------------------------------------- */

enum recorders { OF_KERNEL_LOGGER = 1, OF_PROVIDERS = 2, DISKS_OF_PROVIDERS = 4 };

/* Group of the kernel event; what its types are called by the provider; how many bytes at the end of
 * a 64-bit payload are cut, and put. */
static const struct twin {
    uint16_t hook;
    const struct guid *provider;
    uint16_t id;
    uint8_t version, cut, more;
} twins[] = {
    {0x060a, &kernel_network_provider, 10, 0, 4, 0}, /* connid has four bytes there */
    {0x060b, &kernel_network_provider, 11, 0, 4, 0},
    {0x060c, &kernel_network_provider, 12, 0, 4, 0},
    {0x060d, &kernel_network_provider, 13, 0, 4, 0},
    {0x060e, &kernel_network_provider, 14, 0, 4, 0},
    {0x060f, &kernel_network_provider, 15, 0, 4, 0},
    {0x0611, &kernel_network_provider, 17, 0, 0, 0},
    {0x061a, &kernel_network_provider, 26, 0, 4, 0},
    {0x061b, &kernel_network_provider, 27, 0, 4, 0},
    {0x061c, &kernel_network_provider, 28, 0, 4, 0},
    {0x061d, &kernel_network_provider, 29, 0, 4, 0},
    {0x061e, &kernel_network_provider, 30, 0, 4, 0},
    {0x061f, &kernel_network_provider, 31, 0, 4, 0},
    {0x080a, &kernel_network_provider, 42, 0, 4, 0},
    {0x080b, &kernel_network_provider, 43, 0, 4, 0},
    {0x081a, &kernel_network_provider, 58, 0, 4, 0},
    {0x081b, &kernel_network_provider, 59, 0, 4, 0},
    {0x0440, &kernel_file_provider, 12, 1, 0, 0},
    {0x0441, &kernel_file_provider, 13, 1, 4, 0}, /* padding behind the thread */
    {0x0442, &kernel_file_provider, 14, 1, 4, 0},
    {0x0443, &kernel_file_provider, 15, 1, 0, 4}, /* ExtraFlags */
    {0x0444, &kernel_file_provider, 16, 1, 0, 4},
    {0x0445, &kernel_file_provider, 17, 1, 0, 0},
    {0x0446, &kernel_file_provider, 18, 1, 0, 0},
    {0x0447, &kernel_file_provider, 19, 1, 0, 0},
    {0x0448, &kernel_file_provider, 20, 1, 0, 0},
    {0x0449, &kernel_file_provider, 21, 1, 4, 0},
    {0x044a, &kernel_file_provider, 22, 1, 0, 0},
    {0x044b, &kernel_file_provider, 23, 1, 0, 0},
    {0x044c, &kernel_file_provider, 24, 0, 0, 0},
};

/* Completions alone, and nobody who asked for them. */
static const struct twin disk_twins[] = {
    {0x010a, &kernel_disk_provider, 10, 0, 4, 0},
    {0x010b, &kernel_disk_provider, 11, 0, 4, 0},
    {0x010c, NULL, 0, 0, 0, 0},
    {0x010d, NULL, 0, 0, 0, 0},
    {0x010e, &kernel_disk_provider, 14, 0, 4, 0},
    {0x010f, NULL, 0, 0, 0, 0},
};

static const struct twin *find_twin(const struct twin *list, size_t count, const struct event *e)
{
    for (size_t i = 0; i < count; i++)
        if (header_is_kernel((enum header_kind)e->kind) && list[i].hook == e->id)
            return &list[i];
    return NULL;
}

#define FIND(list, e) find_twin(list, sizeof(list) / sizeof *(list), e)

/* EVENT_HEADER of 64 bits, and the payload. The header names the thread that the kernel event's
 * fields or header do: whoever asked. */
static size_t make_twin(const struct event *e, const struct twin *t, uint8_t *out)
{
    enum { HEADER64 = 19, HEADER_BYTES = 80, FLAG_64_BIT = 0x40 };
    uint32_t pid = EVENT_NO_ID, tid = EVENT_NO_ID;
    const size_t kept = e->payload_bytes - t->cut, bytes = HEADER_BYTES + kept + t->more;
    decode_owner(e, &pid, &tid);
    memset(out, 0, bytes);
    store_u16(out, (uint16_t)bytes);
    out[2] = HEADER64;
    out[3] = 0xc0;
    store_u16(out + 4, FLAG_64_BIT);
    store_u32(out + 8, tid != EVENT_NO_ID ? tid : e->tid);
    store_u32(out + 12, pid != EVENT_NO_ID ? pid : e->pid);
    store_u64(out + 16, (uint64_t)e->ts);
    memcpy(out + 24, t->provider->b, sizeof t->provider->b);
    store_u16(out + 40, t->id);
    out[42] = t->version;
    out[44] = 4; /* level */
    memcpy(out + HEADER_BYTES, e->payload, kept);
    return bytes;
}

static void put(struct etl_writer *w, const struct record_head *like, const void *record, size_t bytes)
{
    struct err err;
    struct record_head head = *like;
    head.bytes = (uint32_t)(sizeof head + bytes);
    if (!etl_writer_put(w, &head, record, &err))
        fail_msg("%s", err.text);
}

static void put_record(struct etl_writer *w, const struct record_head *head, unsigned recorders,
                       unsigned *twins_put)
{
    static uint8_t room[LARGEST];
    struct event e;
    const uint8_t *const record = (const uint8_t *)(head + 1);
    const size_t bytes = head->bytes - sizeof *head;
    const bool is_event = head->form == RECORD_ETW && event_of_record(head, &e) == EVENT_OK;
    const struct twin *const t = !is_event                        ? NULL
                                 : recorders & DISKS_OF_PROVIDERS ? FIND(disk_twins, &e)
                                                                  : FIND(twins, &e);
    if (!t || recorders & OF_KERNEL_LOGGER)
        put(w, head, record, bytes);
    if (!t || !t->provider || !(recorders & (OF_PROVIDERS | DISKS_OF_PROVIDERS)))
        return;
    put(w, head, room, make_twin(&e, t, room));
    ++*twins_put;
}

/* What the synthetic machine does, as they record it. */
static unsigned make_trace(const char *path, unsigned recorders)
{
    struct err err;
    struct synthetic *const s = synthetic_new(&(struct synthetic_options){.seed = SEED, .events = EVENTS});
    const struct etl_writer_options o = {.path = path,
                                         .clock = synthetic_clock(s),
                                         .start = synthetic_clock(s).anchor_raw,
                                         .cpus = 64};
    struct etl_writer *const w = etl_writer_open(&o, &err);
    uint8_t *const buffer = mem_new(ROOM, 1);
    unsigned twins_put = 0;
    size_t bytes;
    if (!w)
        fail_msg("%s", err.text);
    while ((bytes = synthetic_fill(s, buffer, ROOM, INT64_MAX)) != 0)
        for (size_t at = 0; at < bytes;) {
            const struct record_head *const head = (const void *)(buffer + at);
            put_record(w, head, recorders, &twins_put);
            at += (head->bytes + 7u) / 8 * 8;
        }
    if (!etl_writer_close(w, &err))
        fail_msg("%s", err.text);
    free(buffer);
    synthetic_free(s);
    return twins_put;
}

/* ---- what panes show ------------------------------------------------------------------------------- */

static void write_cell(FILE *out, const struct frame *f, const struct value *v)
{
    if (v->type == VALUE_TEXT || v->type == VALUE_PATH || v->type == VALUE_SERIES)
        fprintf(out, "|%.*s", (int)v->text.bytes, f->arena + v->text.offset);
    else if (v->type == VALUE_RATE || v->type == VALUE_BYTE_RATE || v->type == VALUE_TIME_RATE ||
             v->type == VALUE_PERCENT)
        fprintf(out, "|%g", v->number);
    else
        fprintf(out, "|%" PRIu64, v->type == VALUE_ABSENT ? 0 : v->count);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct frame *ask_pane(struct session *s, const struct pane *pane, const char *filter)
{
    static uint64_t sequence;
    struct request r;
    memset(&r, 0, sizeof r);
    r.pane = pane;
    r.rows = 1u << 20;
    r.accumulate = true;
    r.sequence = ++sequence;
    snprintf(r.filter, sizeof r.filter, "%s", filter);
    engine_request(s->engine, &r);
    struct frame *const f = engine_wait_frame(s->engine, sequence, true, PATIENCE_NS);
    assert_non_null(f);
    return f;
}

static struct frame *ask(struct session *s, const char *pane, const char *filter)
{
    return ask_pane(s, pane_find(pane), filter);
}

/* All rows in order, one a line, to be freed. */
static char *rows_of(struct session *s, const char *pane)
{
    struct frame *const f = ask(s, pane, "");
    char **const lines = mem_new(f->row_count + 1, sizeof *lines), *text;
    size_t bytes;
    for (unsigned i = 0; i < f->row_count; i++) {
        FILE *const line = open_memstream(&lines[i], &bytes);
        for (size_t c = 0; c < f->pane->column_count; c++)
            write_cell(line, f, &f->rows[i].cells[c]);
        fclose(line);
    }
    qsort(lines, f->row_count, sizeof *lines, by_text);
    FILE *const all = open_memstream(&text, &bytes);
    for (unsigned i = 0; i < f->row_count; i++) {
        fprintf(all, "%s\n", lines[i]);
        free(lines[i]);
    }
    fclose(all);
    free(lines);
    frame_free(f);
    return text;
}

static struct session *open_trace(const char *path)
{
    struct err err;
    const struct session_options o = {.kind = &collector_etl,
                                      .collector = {.files = &path, .file_count = 1},
                                      .ring_bytes = 64 << 20,
                                      .interval_ns = 1000000000};
    struct session *const s = session_start(&o, &err);
    if (!s)
        fail_msg("%s", err.text);
    return s;
}

static void panes_show_the_same(void **state)
{
    (void)state;
    static const char *const shown[] = {"network", "files", NULL};
    static const unsigned recorders[] = {OF_PROVIDERS, OF_KERNEL_LOGGER | OF_PROVIDERS};
    char path[64];
    snprintf(path, sizeof path, "/tmp/test_kernel_providers-%d.etl", (int)getpid());
    assert_int_equal(make_trace(path, OF_KERNEL_LOGGER), 0);
    struct session *const s = open_trace(path);
    char *expected[2];
    for (unsigned i = 0; shown[i]; i++) {
        expected[i] = rows_of(s, shown[i]);
        assert_true(strlen(expected[i]) > 1000);
    }
    session_stop(s);
    session_free(s);
    unlink(path);
    for (unsigned k = 0; k < sizeof recorders / sizeof *recorders; k++) {
        const unsigned twins_put = make_trace(path, recorders[k]);
        struct session *const again = open_trace(path);
        for (unsigned i = 0; shown[i]; i++) {
            char *const rows = rows_of(again, shown[i]);
            print_message("%s: %u events of providers, %zu bytes of rows\n", shown[i], twins_put,
                          strlen(rows));
            assert_string_equal(rows, expected[i]);
            free(rows);
        }
        session_stop(again);
        session_free(again);
        unlink(path);
        assert_true(twins_put > 1000);
    }
    for (unsigned i = 0; shown[i]; i++)
        free(expected[i]);
}

static void check_recorder(struct session *s, const char *pane, const char *expected)
{
    char text[FRAME_RECORDER];
    struct frame *const f = ask(s, pane, "");
    assert_string_equal(frame_recorder(f, text), expected);
    frame_free(f);
}

/* Frees the query when the engine has gone on to another pane. */
static void check_query_recorder(struct session *s, const char *text, const char *expected)
{
    struct err err;
    struct query q;
    char recorder[FRAME_RECORDER];
    assert_true(query_parse(&q, text, &err));
    const struct pane *const p = query_pane_new(&q, &err);
    assert_non_null(p);
    struct frame *const f = ask_pane(s, p, "");
    assert_string_equal(frame_recorder(f, recorder), expected);
    frame_free(f);
    frame_free(ask(s, "cpu", ""));
    query_pane_free(p);
}

/* Of two recorders the one counts that was the first to record; panes name it. */
static void panes_name_who_recorded(void **state)
{
    (void)state;
    static const struct {
        unsigned recorders;
        const char *network, *files;
    } rows[] = {
        {OF_KERNEL_LOGGER, "", ""},
        {OF_PROVIDERS, "Kernel-Network", "Kernel-File"},
        {OF_KERNEL_LOGGER | OF_PROVIDERS, "kernel logger, not Kernel-Network",
         "kernel logger, not Kernel-File"},
    };
    char path[64];
    snprintf(path, sizeof path, "/tmp/test_kernel_providers-%d.etl", (int)getpid());
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make_trace(path, rows[i].recorders);
        struct session *const s = open_trace(path);
        check_recorder(s, "network", rows[i].network);
        check_recorder(s, "files", rows[i].files);
        check_recorder(s, "cpu", "");
        check_recorder(s, "processes", "");
        check_query_recorder(s, "by path | sum size where class=file", rows[i].files);
        check_query_recorder(s, "by proc | count where class=sample", "");
        check_query_recorder(s, "by proc | count", "");
        session_stop(s);
        session_free(s);
        unlink(path);
    }
}

/* Bytes and operations a second of all processes and of nobody. */
static void sum_disks(struct session *s, double sums[4])
{
    static const char *const columns[] = {"read", "write", "reads", "flushes"};
    struct frame *const f = ask(s, "disk", "");
    for (unsigned i = 0; i < 4; i++) {
        const size_t c = (size_t)(pane_column(f->pane, columns[i]) - f->pane->columns);
        sums[i] = 0;
        for (unsigned row = 0; row < f->row_count; row++)
            sums[i] += f->rows[row].cells[c].type == VALUE_ABSENT ? 0 : f->rows[row].cells[c].number;
    }
    frame_free(f);
}

static void disks_have_the_same_sums(void **state)
{
    (void)state;
    char path[64];
    double expected[4], sums[4];
    snprintf(path, sizeof path, "/tmp/test_kernel_providers-%d.etl", (int)getpid());
    assert_int_equal(make_trace(path, OF_KERNEL_LOGGER), 0);
    struct session *const s = open_trace(path);
    sum_disks(s, expected);
    session_stop(s);
    session_free(s);
    unlink(path);
    assert_true(make_trace(path, DISKS_OF_PROVIDERS) > 100);
    struct session *const again = open_trace(path);
    sum_disks(again, sums);
    session_stop(again);
    session_free(again);
    unlink(path);
    for (unsigned i = 0; i < 4; i++) {
        print_message("%g a second of the kernel logger, %g of the provider\n", expected[i], sums[i]);
        assert_true(expected[i] > 1 && fabs(sums[i] - expected[i]) < 1e-6 * expected[i]);
    }
}

/* A trace with the kernel logger's names of files, and the operations of the provider alone: opens,
 * as many as the trace has records of them. */
static void a_real_trace_has_its_opens(void **state)
{
    (void)state;
    glob_t found = shared_files("../shared/etl/perfview-net.4.5.2.x64.etl.zst");
    struct session *const s = open_trace(found.gl_pathv[0]);
    struct frame *const f = ask(s, "events", "class=file op=open");
    assert_int_equal(f->shown, 562);
    frame_free(f);
    session_stop(s);
    session_free(s);
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(panes_show_the_same),
                                       cmocka_unit_test(panes_name_who_recorded),
                                       cmocka_unit_test(disks_have_the_same_sums),
                                       cmocka_unit_test(a_real_trace_has_its_opens)};
    return cmocka_run_group_tests_name("kernel_providers", tests, NULL, NULL);
}
