/* Traces written anew: whole ones are the same record by record, whatever their size or
 * damage; parts hold what their events need. */
#include "tests/folder.h"
#include "tests/made_log.h"
#include "tests/sanitizer.h"
#include "tests/shared.h"
#include "tests/strict.h"
#include "tests/test.h"

#include "src/etl/buffer.h"
#include "src/etl/etl.h"
#include "src/etl/write.h"
#include "src/event/decode.h"
#include "src/event/providers.h"
#include "src/event/retime.h"
#include "src/event/schema.h"
#include "src/event/tracetop_provider.h"
#include "src/export/cut.h"
#include "src/export/dump.h"
#include "src/export/stats.h"

#include <unistd.h>

/* ---- running it ----------------------------------------------------------------------------- */

struct result {
    char path[64];
    char said[4096];
    int status;
};

static struct result cut_as(const char *const *files, size_t count, const char *range,
                            const char *filter, const char *suffix, bool is_compressed)
{
    static unsigned number;
    struct result r = {.status = -1};
    snprintf(r.path, sizeof r.path, "/tmp/tracetop-cut-%d-%u%s", (int)getpid(), number++, suffix);
    struct err err = {""};
    struct os_file *const to = os_create(r.path, &err);
    if (!to)
        fail_msg("%s", err.text);
    FILE *const said = fmemopen(r.said, sizeof r.said - 1, "w");
    assert_non_null(said);
    const struct cut_options o = {.files = files,
                                  .file_count = count,
                                  .range = range,
                                  .filter = filter,
                                  .to = to,
                                  .to_name = r.path,
                                  .is_compressed = is_compressed};
    r.status = cut_run(&o, said);
    fclose(said);
    os_close(to);
    return r;
}

static struct result cut(const char *const *files, size_t count, const char *range,
                         const char *filter, const char *suffix)
{
    return cut_as(files, count, range, filter, suffix, false);
}

static struct result compressed(const char *file)
{
    return cut_as(&file, 1, NULL, "", ".etl", true);
}

static struct result copy(const char *file)
{
    return cut(&file, 1, NULL, "", ".etl");
}

static void drop(const struct result *r)
{
    unlink(r->path);
}

static void expect_same_bytes(const char *a, const char *b)
{
    assert_true(file_is_same(a, b));
}

static char *stats_of(const char *file)
{
    char *text, *errors;
    size_t bytes, error_bytes;
    FILE *const out = open_memstream(&text, &bytes), *const err =
                                                         open_memstream(&errors, &error_bytes);
    assert_true(out && err);
    stats_run(&file, 1, false, out, err);
    fclose(out);
    fclose(err);
    free(errors);
    return text;
}

/* ---- the same, record by record -------------------------------------------------------------- */

/* The log header differs in what the writer is in charge of and in nothing else. */
static void expect_same_header(const struct event *a, const struct event *b)
{
    struct etl_header x, y;
    assert_int_equal(a->record_bytes, b->record_bytes);
    assert_true(etl_header_read(a, &x, NULL) && etl_header_read(b, &y, NULL));
    assert_true(x.end == y.end || x.end == 0 || y.end > x.end);
    assert_int_equal(x.build, y.build);
    assert_int_equal(x.timer_resolution, y.timer_resolution);
    assert_int_equal(x.pointer, y.pointer);
    assert_int_equal(x.events_lost, y.events_lost);
    assert_int_equal(x.buffers_lost, y.buffers_lost);
    assert_int_equal(x.cpu_mhz, y.cpu_mhz);
    assert_int_equal(x.clock_type, y.clock_type);
    assert_int_equal(x.start, y.start);
    assert_int_equal(x.boot, y.boot);
    assert_int_equal(x.frequency, y.frequency);
    assert_int_equal(x.bias_minutes, y.bias_minutes);
    assert_string_equal(x.logger, y.logger);
    assert_string_equal(x.file, y.file);
}

struct reading {
    struct etl_reader *r;
    struct event e;
    enum etl_answer answer;
};

static struct reading reading_of(const char *file)
{
    struct err err = {""};
    struct reading x = {.r = etl_reader_open(&file, 1, &err)};
    if (!x.r)
        fail_msg("%s", err.text);
    return x;
}

static bool next(struct reading *x)
{
    struct err err;
    x->answer = etl_reader_next(x->r, &x->e, &err);
    return x->answer == ETL_EVENT;
}

static uint64_t expect_same_records(const char *before, const char *after)
{
    struct reading a = reading_of(before), b = reading_of(after);
    const struct trace_clock ca = etl_clock(etl_reader_file(a.r, 0)),
                             cb = etl_clock(etl_reader_file(b.r, 0));
    assert_true(trace_clock_is_same(&ca, &cb) && ca.kind == cb.kind &&
                ca.anchor_raw == cb.anchor_raw);
    uint64_t count = 0;
    bool is_header_seen = false;
    while (next(&a)) {
        assert_true(next(&b));
        count++;
        assert_int_equal(a.e.ts, b.e.ts);
        assert_int_equal(a.e.kind, b.e.kind);
        assert_int_equal(a.e.type, b.e.type);
        assert_int_equal(a.e.cpu, b.e.cpu);
        if (!is_header_seen && a.e.kind == HEADER_SYSTEM && a.e.id == 0) {
            is_header_seen = true;
            expect_same_header(&a.e, &b.e);
            continue;
        }
        assert_int_equal(a.e.extended_bytes, b.e.extended_bytes);
        assert_int_equal(a.e.payload_bytes, b.e.payload_bytes);
        assert_int_equal(a.e.record_bytes, b.e.record_bytes);
        assert_memory_equal(a.e.record, b.e.record, a.e.record_bytes);
    }
    assert_false(next(&b));
    assert_true(a.answer == ETL_END && b.answer == ETL_END && is_header_seen);
    const struct etl_tally *const t = etl_tally(etl_reader_file(b.r, 0));
    const struct etl_header *const h = etl_header(etl_reader_file(b.r, 0));
    assert_true(etl_is_whole(t) && !t->never_stopped);
    assert_int_equal(h->buffers_written, t->buffers);
    etl_reader_close(a.r);
    etl_reader_close(b.r);
    return count;
}

static uint32_t mode_of(const char *file)
{
    struct err err;
    struct etl_file *const f = etl_open(file, &err);
    assert_non_null(f);
    const uint32_t mode = etl_header(f)->mode;
    etl_close(f);
    return mode;
}

/* Compressed, and from that written anew as it was; of the log format, which compression has one
 * of its own for, it is not known any more that it was an older one. */
static void expect_packed_round_trip(const char *file, const char *plain)
{
    const struct result packed = compressed(file), again = compressed(plain),
                        back = copy(packed.path);
    expect_same_records(plain, packed.path);
    expect_same_bytes(packed.path, again.path);
    expect_same_records(plain, back.path);
    assert_false(mode_of(back.path) & ETL_MODE_COMPRESSED);
    assert_true(mode_of(packed.path) & ETL_MODE_COMPRESSED);
    char *const a = stats_of(file), *const b = stats_of(packed.path);
    assert_string_equal(a, b);
    free(a);
    free(b);
    drop(&packed);
    drop(&again);
    drop(&back);
}

/* Shows 1: stats equal row by row, every record equal, and a copy of the copy is the copy. */
static void expect_round_trip(const char *file)
{
    const struct result once = copy(file), again = copy(file), twice = copy(once.path);
    const bool is_damaged = strstr(file, "derived-") && !strstr(file, "unstopped");
    if (once.status != (is_damaged ? 6 : 0) || twice.status != 0)
        fail_msg("%s: status %d, %s", file, once.status, once.said);
    expect_same_bytes(once.path, again.path);
    expect_same_bytes(once.path, twice.path);
    expect_same_records(file, once.path);
    assert_false(mode_of(once.path) & ETL_MODE_COMPRESSED);
    expect_packed_round_trip(file, once.path);
    char *const a = stats_of(file), *const b = stats_of(once.path);
    assert_string_equal(a, b);
    free(a);
    free(b);
    drop(&once);
    drop(&again);
    drop(&twice);
}

static void real_traces_stay_the_same(void **state)
{
    (void)state;
    static const char *const patterns[] = {"../shared/etl/*.etl", "../shared/etl/*.etl.zst"};
    size_t done = 0;
    for (size_t p = 0; p < 2; p++) {
        glob_t found = shared_files(patterns[p]);
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (!IS_SANITIZED || !shared_is_large(found.gl_pathv[i])) {
                expect_round_trip(found.gl_pathv[i]);
                done++;
            }
        globfree(&found);
    }
    assert_true(done > 15);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Times in tenths of a second since the log began; its clock ticks ten million times a second. */
enum { TENTH = 1000000 };

/* The offset of the id in the payload; version 2, 64-bit. */
static unsigned id_at(unsigned hook)
{
    switch (hook) {
    case 0x0301:
    case 0x0302:
    case 0x0303:
    case 0x0304: /* process */
    case 0x060c:
    case 0x060d: /* connection: the remote address */
        return 8;
    case 0x0501:
    case 0x0502:
    case 0x0503:
    case 0x0504:
    case 0x0548: /* thread */
        return 4;
    case 0x0916:
    case 0x0918:
    case 0x0919: /* key */
    case 0x1825:
    case 0x1826: /* stack by key */
        return 16;
    case 0x010a: /* disk read: the file */
        return 24;
    default:
        return 0;
    }
}

struct happening {
    int tenth;
    unsigned hook;
    uint32_t id;
    const char *name;
    int of; /* stacks: the time of their event */
};

static void put_happening(struct log_maker *m, const struct happening *h)
{
    uint8_t record[16 + 96] = {2, 0, 0x11, 0xc0};
    unsigned bytes = 16 + 72;
    put_u16(record + 6, h->hook);
    put_u64(record + 8, (uint64_t)(MADE_START_RAW + h->tenth * TENTH));
    put_u32(record + 16 + id_at(h->hook), h->id);
    if (h->of)
        put_u64(record + 16, (uint64_t)(MADE_START_RAW + h->of * TENTH));
    if (h->name) { /* of files: UTF-16 behind the object */
        bytes = 16 + 8;
        for (const char *c = h->name; *c; c++, bytes += 2)
            record[bytes] = (uint8_t)*c;
        bytes += 2;
    }
    put_u16(record + 4, bytes);
    made_record(m, record, bytes);
}

/* "hook@time:id" of every event but the log header. */
static char *content(const char *file)
{
    static char text[8192];
    size_t used = 0;
    struct reading x = reading_of(file);
    text[0] = '\0';
    while (next(&x)) {
        if (x.e.id == 0)
            continue;
        const int64_t tenth = (x.e.ts - MADE_START_RAW) / TENTH;
        assert_int_equal((x.e.ts - MADE_START_RAW) % TENTH, 0);
        used += (size_t)snprintf(text + used, sizeof text - used, "%04x@%d:%x ", x.e.id, (int)tenth,
                                 load_u32(x.e.payload + id_at(x.e.id)));
        assert_true(used < sizeof text);
    }
    assert_int_equal(etl_tally(etl_reader_file(x.r, 0))->late_events, 0);
    etl_reader_close(x.r);
    return text;
}

static const struct happening story[] = {
    {5, 0x0b0a, 1, NULL, 0},     /* configuration: wherever it is */
    {10, 0x0301, 1, NULL, 0},    /* process 1: there all along */
    {10, 0x0301, 2, NULL, 0},    /* 2: gone before */
    {10, 0x0301, 5, NULL, 0},    /* 5: its id is used again, and ends inside */
    {10, 0x0301, 9, NULL, 0},    /* 9: ends behind */
    {10, 0x0501, 0x11, NULL, 0}, /* a thread */
    {10, 0x030a, 0x20, NULL, 0}, /* an image */
    {10, 0x0420, 0x31, "a", 0},  /* files: one from before */
    {10, 0x0420, 0x33, "c", 0},  /* one that is deleted before */
    {10, 0x0420, 0x35, "e", 0},  /* one whose key is used again */
    {10, 0x0916, 0x40, NULL, 0}, /* a registry key */
    {10, 0x060c, 0x50, NULL, 0}, /* a connection that stays */
    {10, 0x060c, 0x51, NULL, 0}, /* one that is closed */
    {15, 0x0548, 0x11, NULL, 0}, /* the thread gets a name, and another */
    {16, 0x0548, 0x11, NULL, 0},
    {20, 0x0302, 2, NULL, 0},
    {20, 0x0302, 5, NULL, 0},
    {20, 0x0423, 0x33, "c", 0},
    {20, 0x060d, 0x51, NULL, 0},
    {30, 0x0301, 5, NULL, 0},
    {30, 0x0400, 0x35, "f", 0},
    {40, 0x0f2e, 1, NULL, 0},
    {42, 0x1826, 0x62, NULL, 40}, /* a stack of an event that is not inside */
    {50, 0x0f2e, 2, NULL, 0},     /* ── from here on inside */
    {55, 0x0303, 7, NULL, 0},     /* 7: has its own record inside */
    {60, 0x0301, 3, NULL, 0},     /* 3: starts inside */
    {70, 0x0302, 5, NULL, 0},
    {75, 0x0f2e, 3, NULL, 0},
    {76, 0x010a, 0x32, NULL, 0}, /* a read of the file that is named at the end */
    {77, 0x1826, 0x63, NULL, 76},
    {80, 0x0424, 0x34, "d", 0},
    {90, 0x0304, 8, NULL, 0},  /* 8: its end of the rundown lies inside */
    {100, 0x0f2e, 4, NULL, 0}, /* ── to here */
    {102, 0x1826, 0x61, NULL, 100},
    {110, 0x0f2e, 5, NULL, 0},
    {120, 0x0301, 6, NULL, 0}, /* 6: behind */
    {120, 0x0302, 9, NULL, 0},
    {145, 0x0b0b, 2, NULL, 0},
    {150, 0x0304, 6, NULL, 0},
    {150, 0x0304, 4, NULL, 0}, /* 4: known by the rundown at the end alone */
    {150, 0x0424, 0x32, "late.txt", 0},
    {150, 0x1824, 0x61, NULL, 0}, /* frames */
    {150, 0x1824, 0x62, NULL, 0},
    {150, 0x1824, 0x63, NULL, 0},
};

static char *story_file(void)
{
    struct log_maker m = made_log(16384, 2);
    made_buffer(&m, 0, 0);
    for (size_t i = 0; i < sizeof story / sizeof *story; i++)
        put_happening(&m, &story[i]);
    char *name = made_write(&m, m.size);
    made_free(&m);
    return name;
}

#define BEFORE "060c@10:50 0b0a@50:1 "
#define ALIVE_AT_START                                                                             \
    "0303@50:1 0303@50:9 0303@50:5 0303@50:8 0303@50:4 0503@50:11 0548@50:11 1403@50:20 "          \
    "0424@50:31 "                                                                                  \
    "0424@50:35 0424@50:32 0918@50:40 "
#define ALIVE_AT_END                                                                               \
    "0304@100:1 0304@100:9 0304@100:7 0304@100:3 0304@100:4 0504@100:11 0548@100:11 1404@100:20 "  \
    "0919@100:40 "

static void parts_stand_alone(void **state)
{
    (void)state;
    static const struct {
        const char *range, *filter, *content;
    } rows[] = {
        {"4.5s..9.5s", "",
         BEFORE ALIVE_AT_START
         "0f2e@50:2 0303@55:7 0301@60:3 0302@70:5 0f2e@75:3 010a@76:32 1826@77:63 "
         "0424@80:34 0304@90:8 0f2e@100:4 " ALIVE_AT_END
         "1826@102:61 0b0b@102:2 1824@102:61 1824@102:63 "},
        /* by the name of a file that comes last */
        {"4.5s..9.5s", "late.txt",
         BEFORE ALIVE_AT_START
         "0303@55:7 0301@60:3 0302@70:5 010a@76:32 1826@77:63 0424@80:34 0304@90:8 " ALIVE_AT_END
         "0b0b@100:2 1824@100:63 "},
        {"4.5s..9.5s", "!late.txt SampleProf",
         BEFORE ALIVE_AT_START
         "0f2e@50:2 0303@55:7 0301@60:3 0302@70:5 0f2e@75:3 0424@80:34 0304@90:8 "
         "0f2e@100:4 " ALIVE_AT_END "1826@102:61 0b0b@102:2 1824@102:61 "},
    };
    char *const file = story_file();
    const char *const files[] = {file};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct result r = cut(files, 1, rows[i].range, rows[i].filter, ".etl");
        assert_int_equal(r.status, 0);
        assert_string_equal(content(r.path), rows[i].content);
        drop(&r);
    }
    made_unlink(file);
}

/* An event of tracetop's provider: a process and a text. */
static void put_tracetop(struct log_maker *m, int tenth, const char *name, uint32_t pid,
                         const char *text)
{
    uint8_t record[256] = {0};
    unsigned at = 80 + 8;
    record[2] = 19;
    record[3] = 0xc0;
    put_u16(record + 4, 1); /* extended items follow */
    put_u64(record + 16, (uint64_t)(MADE_START_RAW + tenth * TENTH));
    memcpy(record + 24, &tracetop_provider, sizeof tracetop_provider);
    at += 3; /* size and tags of the schema */
    at += (unsigned)sprintf((char *)record + at, "%s", name) + 1;
    at += (unsigned)sprintf((char *)record + at, "pid") + 1;
    record[at++] = 8; /* u32 */
    at += (unsigned)sprintf((char *)record + at, "name") + 1;
    record[at++] = 2; /* text */
    const unsigned schema = at - 88, item = (at - 80 + 7) / 8 * 8;
    put_u16(record + 80, item);
    put_u16(record + 82, 11);
    put_u16(record + 86, schema);
    put_u16(record + 88, schema);
    at = 80 + item;
    put_u32(record + at, pid);
    at += 4 + (unsigned)sprintf((char *)record + at + 4, "%s", text) + 1;
    put_u16(record, at);
    made_record(m, record, at);
}

/* The last program of a process before the part is repeated at its start. */
static void names_are_repeated_at_the_ends(void **state)
{
    (void)state;
    struct log_maker m = made_log(16384, 2);
    made_buffer(&m, 0, 0);
    put_tracetop(&m, 5, "Machine", 0, "here");
    put_happening(&m, &(struct happening){10, 0x0301, 1, NULL, 0});
    put_happening(&m, &(struct happening){10, 0x0301, 2, NULL, 0});
    put_happening(&m, &(struct happening){10, 0x0301, 3, NULL, 0});
    put_tracetop(&m, 11, "Exec", 1, "a");
    put_tracetop(&m, 11, "Exec", 2, "b");
    put_tracetop(&m, 11, "Exec", 3, "gone");
    put_tracetop(&m, 12, "Command", 1, "a -x");
    put_tracetop(&m, 12, "Rename", 2, "old");
    put_tracetop(&m, 13, "Rename", 1, "older");
    put_tracetop(&m, 14, "Rename", 1, "c");
    put_tracetop(&m, 14, "Exec", 2, "d");
    put_happening(&m, &(struct happening){20, 0x0302, 3, NULL, 0});
    put_happening(&m, &(struct happening){50, 0x0f2e, 3, NULL, 0});
    put_tracetop(&m, 60, "Exec", 2, "inside");
    put_happening(&m, &(struct happening){100, 0x0f2e, 3, NULL, 0});
    put_tracetop(&m, 110, "Exec", 2, "behind");
    char *const file = made_write(&m, m.size);
    made_free(&m);
    const char *const files[] = {file};
    const struct result r = cut(files, 1, "4.5s..9.5s", "", ".etl");
    assert_int_equal(r.status, 0);
    char text[512] = "";
    struct reading x = reading_of(r.path);
    while (next(&x)) {
        const char *name;
        if (tracetop_event_name(&x.e) && tracetop_event_text(&x.e, "name", &name))
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s@%d:%s ",
                     tracetop_event_name(&x.e), (int)((x.e.ts - MADE_START_RAW) / TENTH), name);
        else if (x.e.id >> 8 == 3)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%04x:%x ", x.e.id,
                     load_u32(x.e.payload + 8));
    }
    etl_reader_close(x.r);
    assert_string_equal(text, "Machine@50:here 0303:1 Command@50:a -x Rename@50:c 0303:2 "
                              "Command@50:d "
                              "Exec@60:inside 0304:1 Command@100:a -x Rename@100:c 0304:2 "
                              "Command@100:inside ");
    drop(&r);
    made_unlink(file);
}

/* ---- processes that Kernel-Process alone records ------------------------------------------------ */

struct recorded {
    int tenth;
    unsigned id, version;
    uint32_t pid;
    const char *name;
};

/* ProcessStart of versions 0 to 2 and ProcessStop of version 0, as the manifest has them. */
static void put_recorded(struct log_maker *m, const struct recorded *p)
{
    enum { CREATED = 4, PARENT = 12, NAME = 20, STOP_NAME = 48 };
    uint8_t record[512] = {0}, *const payload = record + 80;
    const bool is_start = p->id == KERNEL_PROCESS_START;
    unsigned at = !is_start ? STOP_NAME : p->version ? NAME + 4 : NAME;
    record[2] = 19;
    record[3] = 0xc0;
    put_u64(record + 16, (uint64_t)(MADE_START_RAW + p->tenth * TENTH));
    memcpy(record + 24, &kernel_process_provider, sizeof kernel_process_provider);
    record[0x28] = (uint8_t)p->id;
    record[0x2a] = (uint8_t)p->version;
    record[0x2d] = (uint8_t)p->id;
    put_u32(payload, p->pid);
    put_u64(payload + CREATED, 130000000000000000u + p->pid);
    if (is_start)
        put_u32(payload + PARENT, 4);
    for (const char *c = p->name; *c; c++, at += is_start ? 2 : 1)
        payload[at] = (uint8_t)*c;
    at += is_start ? 2 : 1;
    if (is_start && p->version == 2) {
        put_u32(payload + at, 0xc5);
        at += 4 + 4 + 2 + 2; /* checksum, time, two empty names */
    }
    put_u16(record, 80 + at);
    made_record(m, record, 80 + at);
}

/* "id.version@time:pid=name" of every event about a process. */
static const char *processes_of(const char *file)
{
    static char text[1024];
    struct schemas *const schemas = schemas_new();
    struct reading x = reading_of(file);
    text[0] = '\0';
    while (next(&x)) {
        struct schema schema;
        struct decoded fields[DECODE_FIELDS];
        char name[128] = "";
        if (x.e.id >> 8 != 3 && !guid_equal(&x.e.provider, &kernel_process_provider))
            continue;
        const bool is_manifest = x.e.kind == HEADER_MANIFEST;
        const bool is_known = is_manifest && schema_find(schemas, x.e.source, &x.e, &schema);
        const unsigned count =
            is_known ? decode_fields(schema.layout, &x.e, fields, DECODE_FIELDS) : 0;
        for (unsigned i = 0; i < count; i++)
            if (fields[i].is_present && strcmp(fields[i].field->name, "ImageName") == 0)
                decode_format(&fields[i], name, sizeof name);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%x.%u@%d:%u=%s ", x.e.id,
                 x.e.version, (int)((x.e.ts - MADE_START_RAW) / TENTH),
                 load_u32(x.e.payload + (is_manifest ? 0 : 8)), name);
    }
    etl_reader_close(x.r);
    schemas_free(schemas);
    return text;
}

/* Their names come from before the part, or from the end behind it. What the kernel logger says of
 * a process is enough. */
static void processes_of_the_provider_keep_their_names(void **state)
{
    (void)state;
    enum { START = KERNEL_PROCESS_START, STOP = KERNEL_PROCESS_STOP };
    static const struct recorded before[] = {
        {10, START, 0, 1, "\\a.exe"},  {10, START, 1, 2, "\\b.exe"},   {10, START, 2, 3, "\\c.exe"},
        {10, START, 0, 4, "gone.exe"}, {10, START, 0, 5, "twice.exe"}, {20, STOP, 0, 4, "gone.exe"},
    };
    static const struct recorded behind[] = {
        {60, START, 0, 6, "inside.exe"},
        {110, STOP, 0, 1, "a.exe"},
        {110, STOP, 0, 7, "late.exe"},
    };
    struct log_maker m = made_log(16384, 2);
    made_buffer(&m, 0, 0);
    put_happening(&m, &(struct happening){5, 0x0b0a, 1, NULL, 0});
    put_happening(&m, &(struct happening){9, 0x0301, 5, NULL, 0});
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        put_recorded(&m, &before[i]);
    put_happening(&m, &(struct happening){50, 0x0f2e, 3, NULL, 0});
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        put_recorded(&m, &behind[i]);
    char *const file = made_write(&m, m.size);
    made_free(&m);
    const char *const files[] = {file};
    const struct result r = cut(files, 1, "4.5s..9.5s", "", ".etl");
    assert_int_equal(r.status, 0);
    assert_string_equal(processes_of(r.path),
                        "303.2@50:5= f.0@50:1=\\a.exe f.0@50:2=\\b.exe f.0@50:3=\\c.exe "
                        "f.0@50:7=late.exe 1.0@60:6=inside.exe 304.2@100:5= ");
    /* and of a part of the part */
    const char *const parts[] = {r.path};
    const struct result again = cut(parts, 1, "1s..2s", "", ".etl");
    assert_int_equal(again.status, 0);
    assert_string_equal(processes_of(again.path),
                        "303.2@60:5= f.0@60:1=\\a.exe f.0@60:2=\\b.exe f.0@60:3=\\c.exe "
                        "f.0@60:7=late.exe 1.0@60:6=inside.exe 304.2@70:5= ");
    drop(&again);
    drop(&r);
    made_unlink(file);
}

/* Whose a fork is, since when a process and an image are there, and the better of two listings of a
 * thread. */
static void what_is_known_is_kept(void **state)
{
    (void)state;
    struct log_maker m = made_log(16384, 2);
    made_buffer(&m, 0, 0);
    put_happening(&m, &(struct happening){8, 0x0303, 0, NULL, 0});
    put_tracetop(&m, 9, "Owner", 0, "root");
    put_happening(&m,
                  &(struct happening){10, 0x0301, 1, NULL, 0}); /* of process 0, as the image is */
    put_happening(&m, &(struct happening){11, 0x0503, 0x11, "a", 0});
    put_happening(&m, &(struct happening){12, 0x0503, 0x11, NULL, 0});
    put_happening(&m, &(struct happening){20, 0x030a, 0x20, NULL, 0});
    put_tracetop(&m, 60, "Exec", 1, "sleep");
    put_happening(&m, &(struct happening){100, 0x0f2e, 3, NULL, 0});
    put_tracetop(&m, 105, "Command", 1, "sleep 3");
    put_tracetop(&m, 110, "Rename", 1, "other");
    put_tracetop(&m, 115, "Command", 1, "other 4");
    char *const file = made_write(&m, m.size);
    made_free(&m);
    const char *const files[] = {file};
    const struct result r = cut(files, 1, "4.2s..9.2s", "", ".etl");
    assert_int_equal(r.status, 0);
    char text[512] = "";
    struct reading x = reading_of(r.path);
    while (next(&x)) {
        uint64_t pid, number;
        const char *name, *const event = tracetop_event_name(&x.e);
        const size_t used = strlen(text), room = sizeof text - used;
        if (x.e.id == 0x0503)
            snprintf(text + used, room, "thread of %u bytes ", (unsigned)x.e.record_bytes);
        if (!event || !tracetop_event_number(&x.e, "pid", &pid))
            continue;
        if (tracetop_event_number(&x.e, "since", &number))
            snprintf(text + used, room, "%u since %u ", (unsigned)pid,
                     (unsigned)(number / 100000000));
        else if (tracetop_event_number(&x.e, "loaded", &number))
            snprintf(text + used, room, "%u loaded ", (unsigned)pid);
        else if (tracetop_event_text(&x.e, "name", &name))
            snprintf(text + used, room, "%u %s@%d:%s ", (unsigned)pid, event,
                     (int)((x.e.ts - MADE_START_RAW) / TENTH), name);
    }
    etl_reader_close(x.r);
    assert_string_equal(text, "0 Owner@50:root 1 since 40 1 Owner@50:root "
                              "thread of 88 bytes 0 loaded 1 Exec@60:sleep 0 Owner@100:root 1 "
                              "Owner@100:root 1 Command@100:sleep 3 ");
    drop(&r);
    made_unlink(file);
}

static void put_exit(struct log_maker *m, int tenth, uint32_t status)
{
    uint8_t record[20] = {2, 0, 0x11, 0xc0, sizeof record, 0, 0x34, 0x0f};
    put_u64(record + 8, (uint64_t)(MADE_START_RAW + tenth * TENTH));
    put_u32(record + 16, status);
    made_record(m, record, sizeof record);
}

/* What dump says of a file holds this. */
static void expect_dump(const char *file, enum event_format format, const char *expected)
{
    static char text[16384];
    FILE *const out = fmemopen(text, sizeof text - 1, "w"), *const err = tmpfile();
    const struct dump_options o = {.files = &file, .file_count = 1, .lines.format = format};
    assert_int_equal(dump_run(&o, out, err), 0);
    fclose(out);
    fclose(err);
    if (!strstr(text, expected))
        fail_msg("%s is not in\n%s", expected, text);
}

/* Statuses have the names of the trace's system. The event with the system may come behind them;
 * parts keep it. */
static void systems_name_their_statuses(void **state)
{
    (void)state;
    for (unsigned is_linux = 0; is_linux < 2; is_linux++) {
        struct log_maker m = made_log(16384, 2);
        made_buffer(&m, 0, 0);
        put_exit(&m, 60, 0xc0000034);
        put_exit(&m, 61, 0xc000c018);
        put_exit(&m, 62, 0xc0001234);
        if (is_linux)
            put_tracetop(&m, 70, "Machine", 0, "here");
        char *const file = made_write(&m, m.size);
        made_free(&m);
        const struct result r = cut((const char *[]){file}, 1, "0s..4s", "", ".etl");
        assert_int_equal(r.status, 0);
        const char *const files[] = {file, r.path};
        for (unsigned i = 0; i < 2; i++) {
            expect_dump(files[i], EVENT_TEXT, is_linux ? "=ENOENT\n" : "=OBJECT_NAME_NOT_FOUND\n");
            expect_dump(files[i], EVENT_TEXT, "SysCallNtStatus=EMFILE\n");
            expect_dump(files[i], EVENT_TEXT,
                        is_linux ? "=Linux 0xc0001234\n" : "=Windows 0xc0001234\n");
            expect_dump(files[i], EVENT_JSONL,
                        "\"data\":{\"SysCallNtStatus\":3221274648},\"status\":\"EMFILE\"");
            expect_dump(files[i], EVENT_JSONL,
                        is_linux
                            ? "{\"SysCallNtStatus\":3221225524},\"status\":\"ENOENT\""
                            : "{\"SysCallNtStatus\":3221225524},\"status\":\"OBJECT_NAME_NOT_FOUND\"");
        }
        drop(&r);
        made_unlink(file);
    }
}

/* A part of a part by the same times is the part again. */
static void parts_of_parts(void **state)
{
    (void)state;
    char *const file = story_file();
    const char *const files[] = {file};
    const struct result once = cut(files, 1, "4.5s..9.5s", "", ".etl");
    const char *const again[] = {once.path};
    const struct result twice = cut(again, 1, "4s..9s", "", ".etl");
    assert_int_equal(twice.status, 0);
    char *const first = strdup(content(once.path));
    assert_string_equal(content(twice.path), first);
    free(first);
    drop(&once);
    drop(&twice);
    made_unlink(file);
}

static void ranges_without_sense(void **state)
{
    (void)state;
    char *const file = story_file();
    const char *const files[] = {file};
    static const char *const rows[][2] = {
        {"5", "expected a range"},
        {"10s..5s", "ends before it begins"},
        {"2030-01-01T00:00:00Z..2031-01-01T00:00:00Z", "outside"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct result r = cut(files, 1, rows[i][0], "", ".etl");
        assert_int_equal(r.status, 2);
        assert_non_null(strstr(r.said, rows[i][1]));
        drop(&r);
    }
    made_unlink(file);
}

/* What is wanted of a real trace is what lies in the range, and nothing is twice. */
static void real_parts_are_parts(void **state)
{
    (void)state;
    glob_t found = shared_files("../shared/etl/perfview-net.4.5.2.x64.etl.zst");
    const char *const file = found.gl_pathv[0];
    const struct result r = cut(&file, 1, "3s..4s", "", ".etl");
    assert_int_equal(r.status, 0);
    struct reading a = reading_of(file), b = reading_of(r.path);
    const struct trace_clock clock = etl_clock(etl_reader_file(a.r, 0));
    assert_true(next(&a) && next(&b));
    const int64_t start = trace_clock_ns(&clock, a.e.ts);
    uint64_t inside = 0, kept = 0, samples = 0, kept_samples = 0;
    do {
        const int64_t ns = trace_clock_ns(&clock, a.e.ts) - start;
        const bool is_in = ns >= 3000000000 && ns <= 4000000000;
        inside += is_in && a.e.id >> 8 != 0x18;
        samples += is_in && a.e.kind == HEADER_PERFINFO && a.e.id == 0x0f2e;
    } while (next(&a));
    do {
        const int64_t ns = trace_clock_ns(&clock, b.e.ts) - start;
        const bool is_edge = ns == 3000000000 || ns == 4000000000;
        const bool is_in = ns >= 3000000000 && ns <= 4000000000 && !is_edge;
        kept += is_in && b.e.id >> 8 != 0x18;
        kept_samples += b.e.kind == HEADER_PERFINFO && b.e.id == 0x0f2e;
    } while (next(&b));
    assert_true(samples > 1000);
    assert_int_equal(samples, kept_samples);
    assert_int_equal(inside, kept);
    etl_reader_close(a.r);
    etl_reader_close(b.r);
    drop(&r);
    globfree(&found);
}

/* ---- several files, odd files ---------------------------------------------------------------- */

/* `count` DPCs that began 10 us before they were logged, every tenth of a second. */
static char *clock_file(uint32_t clock_type, int64_t frequency, int64_t start, int offset_tenths)
{
    struct log_maker m = {.buffer_bytes = 8192};
    made_buffer(&m, 4, 0);
    made_log_header(&m, (struct made_header){.mode = 1,
                                             .buffers_written = 2,
                                             .clock_type = clock_type,
                                             .frequency = frequency,
                                             .end = MADE_START_FILETIME + 1,
                                             .ts = start});
    made_buffer(&m, 0, 1);
    for (int i = 0; i < 50; i++) {
        uint8_t record[16 + 16] = {2, 0, 0x11, 0xc0, 32, 0, 0x44, 0x0f};
        const int64_t ts = start + frequency * (offset_tenths + 2 * i) / 10;
        put_u64(record + 8, (uint64_t)ts);
        put_u64(record + 16, (uint64_t)(ts - frequency / 100000));
        made_record(&m, record, sizeof record);
    }
    char *name = made_write(&m, m.size);
    made_free(&m);
    return name;
}

static void clocks_are_converted(void **state)
{
    (void)state;
    char *const first = clock_file(CLOCK_QPC, 2500000, 777, 10);
    char *const second = clock_file(CLOCK_SYSTEM, 10000000, MADE_START_FILETIME, 11);
    const char *const files[] = {first, second};
    const struct result r = cut(files, 2, NULL, "", ".etl");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.said, "has another clock than"));
    struct reading x = reading_of(r.path);
    const struct trace_clock clock = etl_clock(etl_reader_file(x.r, 0));
    assert_int_equal(clock.frequency, 2500000);
    const int64_t start = trace_clock_ns(&clock, 777);
    unsigned count = 0;
    while (next(&x)) {
        if (x.e.id == 0)
            continue;
        assert_int_equal(trace_clock_ns(&clock, x.e.ts) - start,
                         1000000000 + (int64_t)count++ * 100000000);
        assert_int_equal(x.e.ts - (int64_t)load_u64(x.e.payload), 25);
    }
    assert_int_equal(count, 100);
    etl_reader_close(x.r);
    drop(&r);

    const char *const same[] = {first, first};
    const struct result s = cut(same, 2, NULL, "", ".etl");
    assert_int_equal(s.status, 0);
    assert_string_equal(s.said, "");
    drop(&s);
    made_unlink(first);
    made_unlink(second);
}

/* A log with events at 1 s and 2 s whose header says how much was lost, in which zone. */
static char *lossy_log(uint32_t events, uint32_t buffers, int32_t bias)
{
    enum { HEADER = 72 + 32, BUILD = 8, LOST = 48, BIAS = 72, LOST_BUFFERS = 276 };
    struct log_maker m = made_log(4096, 2);
    put_u32(m.bytes + HEADER + BUILD, 22631);
    put_u32(m.bytes + HEADER + LOST, events);
    put_u32(m.bytes + HEADER + BIAS, (uint32_t)bias);
    put_u32(m.bytes + HEADER + LOST_BUFFERS, buffers);
    made_buffer(&m, 0, 0);
    put_happening(&m, &(struct happening){10, 0x0f2e, 3, NULL, 0});
    put_happening(&m, &(struct happening){20, 0x0f2e, 3, NULL, 0});
    char *const file = made_write(&m, m.size);
    made_free(&m);
    return file;
}

static void expect_losses(const char *path, uint32_t events, uint32_t buffers)
{
    const struct strict s = strict_read(path);
    assert_int_equal(s.headers, 1);
    assert_int_equal(s.events_lost, events);
    assert_int_equal(s.buffers_lost, buffers);
    assert_int_equal(s.bias, -330);
    assert_int_equal(s.build, 22631);
    assert_int_equal(s.start,
                     MADE_START_FILETIME); /* the pair of times is the anchor of the clock */
}

/* A part has the losses of the whole, for where they were is not known; a merge has their sum. */
static void headers_say_what_was_lost(void **state)
{
    (void)state;
    char *const first = lossy_log(3, 1, -330), *const second = lossy_log(41, 2, -330);
    const char *const files[] = {first, second};
    const struct result part = cut(files, 1, "0s..0.5s", "", ".etl");
    assert_int_equal(part.status, 0);
    expect_losses(part.path, 3, 1);
    drop(&part);
    const struct result merged = cut(files, 2, NULL, "", ".etl");
    assert_int_equal(merged.status, 0);
    expect_losses(merged.path, 44, 3);
    drop(&merged);
    made_unlink(first);
    made_unlink(second);
}

/* Whichever is named first: the new log begins with the earliest, has one header, and ends with the
 * last event. */
static void several_begin_with_the_earliest(void **state)
{
    (void)state;
    enum { START_AT = 72 + 32 + 264 };
    static const int64_t later = 408000000; /* 40.8 s */
    uint8_t start[8];
    char *const late = clock_file(CLOCK_QPC, 10000000, 777, 10);
    char *const early = clock_file(CLOCK_QPC, 2500000, 99, 11);
    FILE *const f = fopen(late, "r+b");
    assert_non_null(f);
    put_u64(start, (uint64_t)(MADE_START_FILETIME + later));
    assert_int_equal(fseek(f, START_AT, SEEK_SET), 0);
    assert_int_equal(fwrite(start, 1, sizeof start, f), sizeof start);
    assert_int_equal(fclose(f), 0);
    const char *const orders[][2] = {{late, early}, {early, late}};
    for (size_t i = 0; i < 2; i++) {
        const struct result r = cut(orders[i], 2, NULL, "", ".etl");
        assert_int_equal(r.status, 0);
        const struct strict s = strict_read(r.path);
        assert_int_equal(s.start, MADE_START_FILETIME);
        assert_int_equal(s.headers, 1);
        assert_int_equal(s.events, 1 + 50 + 50);
        assert_int_equal(strict_filetime(&s, s.first), MADE_START_FILETIME + 11000000);
        assert_int_equal(strict_filetime(&s, s.last), MADE_START_FILETIME + later + 108000000);
        assert_int_equal(s.end, MADE_START_FILETIME + later + 108000000);
        drop(&r);
    }
    made_unlink(late);
    made_unlink(early);
}

/* Events "disk" have been recorded since then (a FILETIME), and still are. Returns the bytes. */
static unsigned recorded_since(uint8_t *record, int64_t since)
{
    /* Fields behind their names: 2 is a text, 10 a number of 64 bits. */
    static const char schema[] = "\0\0\0Recorded\0class\0\2from\0\12until\0\12";
    enum {
        ITEM = 80,
        DATA = ITEM + 8,
        SCHEMA = sizeof schema - 1,
        AT = DATA + (SCHEMA + 7) / 8 * 8
    };
    memset(record, 0, AT);
    record[2] = 19;
    record[3] = 0xc0;
    put_u16(record + 4, 1); /* extended items follow */
    put_u64(record + 16, (uint64_t)since);
    memcpy(record + 24, &tracetop_provider, sizeof tracetop_provider);
    put_u16(record + ITEM, AT - ITEM);
    put_u16(record + ITEM + 2, 11);
    put_u16(record + ITEM + 6, SCHEMA);
    memcpy(record + DATA, schema, SCHEMA);
    put_u16(record + DATA, SCHEMA);
    memcpy(record + AT, "disk", 5);
    put_u64(record + AT + 5, (uint64_t)clock_times(since - FILETIME_UNIX_EPOCH, 100));
    put_u64(record + AT + 13, 0);
    put_u16(record, AT + 21);
    return AT + 21;
}

/* A recording that began `offset` s after the first and took 10 s; what it says of its disks goes
 * on.
 */
static char *recording_from(int64_t offset)
{
    static const int64_t S = 10000000; /* of FILETIME and of the clock */
    const int64_t start = MADE_START_FILETIME + offset * S;
    uint8_t record[512];
    struct log_maker m = {.buffer_bytes = 8192};
    made_buffer(&m, 4, 0);
    made_log_header(&m, (struct made_header){.mode = 1,
                                             .buffers_written = 2,
                                             .clock_type = CLOCK_SYSTEM,
                                             .frequency = S,
                                             .end = start + 10 * S,
                                             .ts = start});
    made_buffer(&m, 0, 1);
    made_record(&m, record, recorded_since(record, start + S));
    char *const name = made_write(&m, m.size);
    made_free(&m);
    return name;
}

/* Between two recordings nothing was recorded: a span that goes on ends with its own one. */
static void spans_end_with_their_recording(void **state)
{
    (void)state;
    static const uint64_t S = 1000000000;
    char *const first = recording_from(0), *const second = recording_from(40);
    const char *const files[] = {first, second};
    const struct result r = cut(files, 2, NULL, "", ".etl");
    assert_int_equal(r.status, 0);
    struct reading x = reading_of(r.path);
    uint64_t from, until, before = 0;
    unsigned count = 0;
    while (next(&x)) {
        if (!tracetop_event_number(&x.e, "from", &from) ||
            !tracetop_event_number(&x.e, "until", &until))
            continue;
        assert_int_equal(until - from, 9 * S);
        if (before)
            assert_int_equal(from - before, 40 * S);
        before = from;
        count++;
    }
    assert_int_equal(count, 2);
    etl_reader_close(x.r);
    drop(&r);
    made_unlink(first);
    made_unlink(second);
}

static void packed_is_the_same(void **state)
{
    (void)state;
    char *const file = story_file();
    const char *const files[] = {file};
    const struct result r = cut(files, 1, NULL, "", ".etl.zst");
    assert_int_equal(r.status, 0);
    assert_int_equal(expect_same_records(file, r.path), sizeof story / sizeof *story + 1);
    drop(&r);
    made_unlink(file);
}

/* A header with a smaller buffer size than the trace has, and a record that does not fit. */
static void lying_header_is_survived(void **state)
{
    (void)state;
    struct log_maker m = made_log(131072, 2);
    put_u32(m.bytes + 72 + 32, 4096);
    made_buffer(&m, 0, 0);
    static uint8_t record[65535] = {2, 0, 0x11, 0xc0, 0xff, 0xff, 0x2e, 0x0f};
    put_u64(record + 8, MADE_START_RAW + 1);
    made_record(&m, record, sizeof record);
    char *const file = made_write(&m, m.size);
    const struct result r = copy(file);
    assert_int_equal(r.status, 0);
    assert_int_equal(expect_same_records(file, r.path), 2);
    drop(&r);
    made_unlink(file);
    made_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_traces_stay_the_same),
        cmocka_unit_test(parts_stand_alone),
        cmocka_unit_test(names_are_repeated_at_the_ends),
        cmocka_unit_test(processes_of_the_provider_keep_their_names),
        cmocka_unit_test(what_is_known_is_kept),
        cmocka_unit_test(systems_name_their_statuses),
        cmocka_unit_test(parts_of_parts),
        cmocka_unit_test(ranges_without_sense),
        cmocka_unit_test(real_parts_are_parts),
        cmocka_unit_test(clocks_are_converted),
        cmocka_unit_test(packed_is_the_same),
        cmocka_unit_test(lying_header_is_survived),
        cmocka_unit_test(headers_say_what_was_lost),
        cmocka_unit_test(several_begin_with_the_earliest),
        cmocka_unit_test(spans_end_with_their_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
