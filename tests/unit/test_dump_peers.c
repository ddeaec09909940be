/* What we say about real traces against what PerfView says about them: the baselines of
 * its own tests list events with their milliseconds, processor, process, length and
 * fields, and count the kinds. Differences of habit are tables here: names, fields that it
 * computes or misreads, kinds it leaves out. And samples per process against the counts
 * of an independent reader. */
#include "tests/test.h"

#include "src/base/mem.h"
#include "src/etl/etl.h"
#include "src/event/attribution.h"
#include "src/event/decode.h"
#include "src/event/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a trace in memory ------------------------------------------------------------------ */

struct seen {
    int64_t micros; /* since the header record, rounded as PerfView prints */
    struct event event;
    struct owner owner;
    const char *class, *name;
};

struct trace {
    struct seen *events;
    size_t count, room;
    struct attribution *owners;
    struct schemas *schemas;
};

static bool exists(const char *path)
{
    FILE *f = fopen(path, "r");
    if (f)
        fclose(f);
    else if (getenv("TRACETOP_REQUIRE_SHARED"))
        fail_msg("%s: cannot be opened, and TRACETOP_REQUIRE_SHARED is set", path);
    else
        print_message("%s is not there: skipped\n", path);
    return f != NULL;
}

static int64_t micros_of(int64_t ticks, int64_t frequency)
{
    return (ticks * 1000000 + frequency / 2) / frequency;
}

static void learn(struct trace *t, const char *path)
{
    struct err err;
    struct event e, about;
    struct etl_file *f = etl_open(path, &err);
    assert_non_null(f);
    t->owners = attribution_new();
    t->schemas = schemas_new();
    while (etl_next(f, &e, &err) == ETL_EVENT) {
        attribution_learn(t->owners, &e);
        schema_learn(t->schemas, 0, &e, &about);
    }
    attribution_settle(t->owners);
    etl_close(f);
}

static void keep(struct trace *t, const struct event *e, const struct etl_header *h)
{
    if (t->count == t->room) {
        t->room = t->room ? t->room * 2 : 4096;
        t->events = mem_grow(t->events, t->room, sizeof *t->events);
    }
    struct seen *s = &t->events[t->count++];
    *s = (struct seen){
        .micros = micros_of(e->ts - h->ts, h->frequency),
        .owner = attribution_of(t->owners, e),
    };
    decode_name(e, &s->class, &s->name);
    const uint8_t *const record = mem_copy(e->record, e->record_bytes);
    assert_int_equal(event_parse(record, e->record_bytes, &s->event), EVENT_OK);
    s->event.cpu = e->cpu;
}

static struct trace *open_trace(const char *path)
{
    struct err err;
    struct event e;
    struct trace *t = mem_new(1, sizeof *t);
    learn(t, path);
    struct etl_reader *r = etl_reader_open(&path, 1, &err);
    assert_non_null(r);
    while (etl_reader_next(r, &e, &err) == ETL_EVENT)
        keep(t, &e, etl_header(etl_reader_file(r, 0)));
    etl_reader_close(r);
    return t;
}

static void close_trace(struct trace *t)
{
    for (size_t i = 0; i < t->count; i++)
        free((void *)(uintptr_t)t->events[i].event.record);
    attribution_free(t->owners);
    schemas_free(t->schemas);
    free(t->events);
    free(t);
}

/* ---- one line of a baseline ----------------------------------------------------------------
 * EVENT 28.493: Windows Kernel/Process/DCStart PID=0; TID=-1; PName=Idle; ProceNum=7;
 *               DataLen=75; ProcessID=0; … */

struct baseline {
    int64_t micros;
    char kind[160], process[64];
    int64_t pid, tid;
    unsigned cpu, bytes;
    char *fields;
};

static int64_t read_number(const char *text)
{
    const bool is_hex = strncmp(text, "0x", 2) == 0, is_negative = *text == '-';
    uint64_t n = 0;
    for (text += is_hex ? 2 : is_negative; *text; text++)
        if (*text != ',')
            n = n * (is_hex ? 16 : 10) +
                (uint64_t)(*text <= '9' ? *text - '0' : (*text | 32) - 'a' + 10);
    return is_negative ? -(int64_t)n : (int64_t)n;
}

/* "name=value; " from the front; NULL at the end. A value may hold "; " of its own: what
 * follows then has no "=" before its end. */
static char *next_field(char **at, char **value)
{
    char *name = *at;
    char *equals = strchr(name, '=');
    if (!equals)
        return NULL;
    *equals = '\0';
    *value = equals + 1;
    char *end = strstr(*value, "; ");
    *at = end ? end + 2 : *value + strlen(*value);
    if (end)
        *end = '\0';
    return name;
}

static bool read_baseline(char *line, struct baseline *b)
{
    char millis[32];
    int at = 0;
    if (sscanf(line, "EVENT %31[0-9,.]: %n", millis, &at) != 1)
        return false;
    char *pid = strstr(line + at, " PID=");
    assert_non_null(pid);
    *pid = '\0';
    snprintf(b->kind, sizeof b->kind, "%s", line + at);
    char *dot = strchr(millis, '.');
    *dot = '\0';
    b->micros = read_number(millis) * 1000 + read_number(dot + 1);
    b->fields = pid + 1;
    char *value;
    next_field(&b->fields, &value);
    b->pid = read_number(value);
    next_field(&b->fields, &value);
    b->tid = read_number(value);
    next_field(&b->fields, &value);
    snprintf(b->process, sizeof b->process, "%s", value);
    next_field(&b->fields, &value);
    b->cpu = (unsigned)read_number(value);
    next_field(&b->fields, &value);
    b->bytes = (unsigned)read_number(value);
    return true;
}

/* ---- names -------------------------------------------------------------------------------- */

static const struct {
    const char *theirs, *ours;
} kinds[] = {
    {"Windows Kernel/EventTrace", "EventTraceEvent/Header"},
    {"Windows Kernel/EventTrace/RundownComplete", "EventTraceEvent/RDComplete"},
    {"Windows Kernel/EventTrace/", "EventTraceEvent/"},
    {"Windows Kernel/SysConfig/Opcode(37)", "SysConfigEx/Version"},
    {"Windows Kernel/SysConfig/", "SysConfigEx/"},
    {"Windows Kernel/Process/Stop", "Process/End"},
    {"Windows Kernel/Process/DCStop", "Process/DCEnd"},
    {"Windows Kernel/Thread/Stop", "Thread/End"},
    {"Windows Kernel/Image/DCStop", "Image/DCEnd"},
    {"Windows Kernel/Image/Unload", "Image/UnLoad"},
    {"Windows Kernel/PerfInfo/Sample", "PerfInfo/SampleProf"},
    {"Windows Kernel/UdpIp/RecvIPV6", "UdpIp/RecvIPV6"},
    {"Windows Kernel/UdpIp/SendIPV6", "UdpIp/SendIPV6"},
    {"Windows Kernel/UdpIp/Recv", "UdpIp/RecvIPV4"},
    {"Windows Kernel/UdpIp/Send", "UdpIp/SendIPV4"},
    {"Windows Kernel/Memory/", "PageFault/"},
    {"Windows Kernel/DiskIO/", "DiskIo/"},
    {"Windows Kernel/", ""},
    {"MSNT_SystemTrace/", ""},
    {"KernelTraceControl/ImageID/", "ImageId/"},
    {"KernelTraceControl/ImageID", "ImageId/Info"},
    {"KernelTraceControl/MetaData/", "EventMetadata/"},
};

/* Our name for their kind, or "" when it is no kernel kind. The first row that fits. */
static void our_name(const char *theirs, char *out, size_t room)
{
    out[0] = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const size_t n = strlen(kinds[i].theirs);
        const bool is_prefix = kinds[i].theirs[n - 1] == '/';
        if (is_prefix ? strncmp(theirs, kinds[i].theirs, n) : strcmp(theirs, kinds[i].theirs))
            continue;
        snprintf(out, room, "%s%s", kinds[i].ours, is_prefix ? theirs + n : "");
        return;
    }
}

/* Their fields that have another name here. Empty: not in the payload as such (computed,
 * joined from other events, flags spelled out, times in a date format) or misread. */
static const struct {
    const char *kind, *theirs, *ours;
} fields[] = {
    {"SysConfigEx/UnknownVolume", "Value", "NtPath"},
    {"SystemConfig/Services", "ProcessName", ""}, /* of the process that logged it */
    {"ImageId/Info", "ProcessID", ""},            /* read from within ImageSize */
    {"", "ProcessID", "ProcessId"},
    {"", "ParentID", "ParentId"},
    {"", "SessionID", "SessionId"},
    {"", "ApplicationID", "ApplicationId"},
    {"", "PageDirectoryBase", "DirectoryTableBase"},
    {"", "MemoryCount", "PageFaultCount"},
    {"", "SessionName", "SessionNameString"},
    {"", "LogFileName", "LogFileNameString"},
    {"", "GuidSig", "Guid"},
    {"", "PDBFileName", "PdbName"},
    {"", "FileKey", "FileObject"},
    {"", "SampleSource", "Source"},
    {"", "StartAddr", "Affinity"}, /* the slot's meaning since version 3 */
    {"", "TargetID", "TargetId"},
    {"", "Flags", ""},
    {"", "IrpFlags", ""},
    {"", "Priority", ""},
    {"", "BuildTime", ""},
    {"", "EndTime", ""},
    {"", "BootTime", ""},
    {"", "StartTime", ""},
    {"", "InstallDate", ""},
    {"", "UtcOffsetMinutes", ""},
    {"", "ElapsedTimeMSec", ""},
    {"", "DiskServiceTimeMSec", ""},
    {"", "ProcessorNumber", ""},
    {"", "ExecutingDPC", ""},
    {"", "ExecutingISR", ""},
    {"", "Rank", ""},
    {"", "ParentThreadID", ""},
    {"", "ParentProcessID", ""},
    {"", "ThreadName", ""}, /* of the process's life, not of this record */
    {"", "FileName", ""},   /* drive letters put in, or joined by the key */
    {"", "context", ""},    /* UdpIp version 2 read as version 0 */
    {"", "dsize", ""},
};

static const char *our_field(const char *kind, const char *theirs)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strncmp(kind, fields[i].kind, strlen(fields[i].kind)) == 0 &&
            strcmp(theirs, fields[i].theirs) == 0)
            return fields[i].ours;
    return theirs;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void print_with_commas(char *out, size_t room, int64_t n)
{
    char digits[32];
    const int count = snprintf(digits, sizeof digits, "%" PRId64, n);
    size_t used = 0;
    for (int i = 0; i < count && used + 2 < room; i++) {
        out[used++] = digits[i];
        if (digits[i] != '-' && (count - i - 1) % 3 == 0 && i + 1 < count)
            out[used++] = ',';
    }
    out[used] = '\0';
}

/* Names of flags, as they write some. There is room. */
static void separate_by_commas(char *text)
{
    for (char *bar; (bar = strchr(text, '|')); *bar = ',') {
        memmove(bar + 2, bar + 1, strlen(bar + 1) + 1);
        bar[1] = ' ';
    }
}

/* Their text for a value: numbers with thousands separators, sometimes signed where ours are
 * not; whatever is long cut behind twenty characters with "...". */
static bool value_matches(const char *theirs, const struct decoded *d)
{
    static char text[1 << 17];
    const size_t n = strlen(theirs);
    const bool is_cut = n >= 3 && strcmp(theirs + n - 3, "...") == 0;
    const bool is_named = *theirs != '-' && (*theirs < '0' || *theirs > '9');
    const unsigned type = d->field->type;
    const bool has_name = is_named && d->field->map && decode_value_name(d, text, DECODE_NAME);
    const bool is_number = !has_name && (type <= FIELD_SIZE || type == FIELD_PORT ||
                                         (type >= FIELD_HEX32 && type <= FIELD_HEX16));
    if (d->field->map && strcmp(theirs, "None") == 0)
        return d->number == 0;
    if (is_number && !is_cut) {
        const uint64_t number = (uint64_t)read_number(theirs);
        return number == d->number || (d->bytes == 4 && (uint32_t)number == (uint32_t)d->number);
    }
    if (is_number)
        print_with_commas(text, sizeof text, (int64_t)d->number);
    else
        decode_format(d, text, sizeof text);
    if (d->field->map && d->field->map->is_bits && is_named && !strchr(theirs, '|'))
        separate_by_commas(text);
    if (type == FIELD_BOOL8 || type == FIELD_BOOL32)
        return strcmp(theirs, d->number ? "True" : "False") == 0;
    return is_cut ? strncmp(text, theirs, n - 3) == 0 : strcmp(text, theirs) == 0;
}

struct cached_match {
    unsigned compared;
    char wrong[256];
};

static void compare_fields(const struct baseline *b, const char *kind, const struct seen *s,
                           struct cached_match *v)
{
    struct decoded ours[DECODE_FIELDS];
    const struct payload_layout *l = decode_layout(&s->event);
    const unsigned count = l ? decode_fields(l, &s->event, ours, DECODE_FIELDS) : 0;
    char *copy = mem_string(b->fields), *at = copy, *value;
    *v = (struct cached_match){0, ""};
    for (char *name; !v->wrong[0] && (name = next_field(&at, &value));) {
        const char *wanted = our_field(kind, name);
        if (!*wanted)
            continue;
        unsigned i = 0;
        while (i < count && strcmp(ours[i].field->name, wanted) != 0)
            i++;
        if (i == count || !ours[i].is_present)
            snprintf(v->wrong, sizeof v->wrong, "no field %s", wanted);
        else if (!value_matches(value, &ours[i]))
            snprintf(v->wrong, sizeof v->wrong, "%s: expected %.100s", wanted, value);
        v->compared++;
    }
    free(copy);
}

/* Fields of manifest events that they show in another form: flags and enumerations from their own
 * tables, times as dates, characters as numbers, drive letters put in. */
static bool is_in_another_form(const char *name)
{
    static const char *const names[] = {"FileName",        "CreateOptions", "CreateTime",
                                        "ExitTime",        "char_type",     "file_time_type",
                                        "system_time_type"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Numbers of manifest events for which they have names of their own and the manifest has none. */
static bool is_named_by_them(const char *kind, const char *name)
{
    static const char *const numbers[][2] = {
        {"/FitBucketInfo", "BucketKind"},
        {"/SettingsRundown", "BitSettings"},
        {"Runtime/Start", "StartupMode"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strstr(kind, numbers[i][0]) && strcmp(numbers[i][1], name) == 0)
            return true;
    return false;
}

/* Their texts of flags that are spelled otherwise here; they say nothing of the bit that a
 * mechanism was chosen. */
static const char *as_ours(const char *theirs)
{
    static const char *const texts[][2] = {
        {"ReadWrite, Delete", "READ|WRITE|DELETE"},
        {"not_specified", "None"},
        {"compact_high_frag", "compact_high_frag|specified"},
        {"compact_loh_forced", "compact_loh_forced|specified"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i][0], theirs) == 0)
            return texts[i][1];
    return theirs;
}

/* Events with a schema of the trace or a built-in one: every field that both name alike. */
static void compare_schema(const struct trace *t, const struct baseline *b, const struct seen *s,
                           struct cached_match *v)
{
    struct schema schema;
    struct decoded ours[DECODE_FIELDS];
    *v = (struct cached_match){0, ""};
    if (!schema_find(t->schemas, 0, &s->event, &schema))
        return;
    const unsigned count = decode_fields(schema.layout, &s->event, ours, DECODE_FIELDS);
    char *copy = mem_string(b->fields), *at = copy, *value;
    for (char *name; !v->wrong[0] && (name = next_field(&at, &value));)
        for (unsigned i = 0; i < count; i++) {
            if (ours[i].is_member || strcmp(ours[i].field->name, name) != 0 ||
                is_in_another_form(name) || is_named_by_them(b->kind, name))
                continue;
            if (!ours[i].is_present || !value_matches(as_ours(value), &ours[i]))
                snprintf(v->wrong, sizeof v->wrong, "%s: expected %.100s", name, value);
            v->compared++;
        }
    free(copy);
}

static int64_t id_of(uint32_t id)
{
    return id == EVENT_NO_ID ? -1 : (int64_t)id;
}

/* Their process names end before ".exe"; they invent one where they know none. */
static bool process_matches(const char *theirs, const char *ours)
{
    const size_t n = strlen(theirs);
    if (n == 0 || strncmp(theirs, "Process(", 8) == 0)
        return true;
    return ours && strncmp(ours, theirs, n) == 0 && (!ours[n] || ours[n] == '.');
}

/* Kinds whose owner is another one there. */
static const struct {
    const char *kind;
    bool is_header; /* they take the ids of the header, which may be nobody's */
} other_owners[] = {
    {"SystemConfig/Services", false}, /* the service in the event, not the process that logged it */
    {"DiskIo/FlushBuffers", false},   /* thread id read from within the response time */
    {"DiskIo/WriteInit", true},
};

static bool ids_match(const struct baseline *b, uint32_t pid, uint32_t tid)
{
    return id_of(pid) == b->pid && (b->tid == -1 || id_of(tid) == b->tid);
}

/* They leave modules of the kernel to process 0, as the records do. */
static bool is_kernel_module(const struct baseline *b, const char *kind, const struct seen *s)
{
    return strncmp(kind, "Image", 5) == 0 && b->pid == 0 && s->owner.pid == 4;
}

static bool owner_matches(const struct baseline *b, const char *kind, const struct seen *s)
{
    if (is_kernel_module(b, kind, s))
        return true;
    if (ids_match(b, s->owner.pid, s->owner.tid))
        return process_matches(b->process, s->owner.name);
    for (size_t i = 0; i < sizeof other_owners / sizeof other_owners[0]; i++)
        if (strcmp(kind, other_owners[i].kind) == 0)
            return !other_owners[i].is_header || ids_match(b, s->event.pid, s->event.tid);
    return false;
}

struct figures {
    unsigned lines, kernel, fields, counts, schema_fields;
};

/* Is this the event of the line? If false, v may have a reason. */
static bool is_same(const struct trace *t, const struct baseline *b, const char *kind,
                    const struct seen *s, struct cached_match *v)
{
    if (s->event.cpu != b->cpu || s->event.payload_bytes != b->bytes)
        return false;
    if (!*kind && (id_of(s->event.pid) != b->pid || id_of(s->event.tid) != b->tid))
        return false;
    if (!*kind) {
        compare_schema(t, b, s, v);
        return !v->wrong[0];
    }
    char name[96];
    snprintf(name, sizeof name, "%s/%s", s->class, s->name);
    if (strcmp(name, kind) != 0)
        return false;
    compare_fields(b, kind, s, v);
    if (!v->wrong[0] && !owner_matches(b, kind, s))
        snprintf(v->wrong, sizeof v->wrong, "owner %s %" PRId64 "/%" PRId64,
                 s->owner.name ? s->owner.name : "", id_of(s->owner.pid), id_of(s->owner.tid));
    return !v->wrong[0];
}

/* Events at that microsecond; the trace is in time order. */
static size_t first_at(const struct trace *t, int64_t micros)
{
    size_t low = 0, high = t->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->events[middle].micros < micros)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void check_line(const struct trace *t, const struct baseline *b, struct figures *f)
{
    char kind[200];
    struct cached_match v = {0, ""};
    our_name(b->kind, kind, sizeof kind);
    for (size_t i = first_at(t, b->micros); i < t->count && t->events[i].micros == b->micros; i++)
        if (is_same(t, b, kind, &t->events[i], &v)) {
            f->lines++;
            f->kernel += *kind != '\0';
            *(*kind ? &f->fields : &f->schema_fields) += v.compared;
            return;
        }
    fail_msg("%" PRId64 " us, %s, cpu %u, pid %" PRId64 ", tid %" PRId64
             ", %u bytes: no such event%s%s",
             b->micros, b->kind, b->cpu, b->pid, b->tid, b->bytes, *v.wrong ? ": " : "", v.wrong);
}

/* "COUNT provider/kind:n". They leave out samples of idle processors unless an interrupt
 * was being served: bits 0 and 1 of what the MOF calls Reserved. */
static bool is_counted(const struct seen *s)
{
    if (strcmp(s->name, "SampleProf") != 0)
        return true;
    struct decoded d[DECODE_FIELDS];
    decode_fields(decode_layout(&s->event), &s->event, d, DECODE_FIELDS);
    return s->owner.tid != 0 || (d[3].number & 3);
}

static unsigned count_kind(const struct trace *t, const char *kind)
{
    unsigned n = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct seen *s = &t->events[i];
        const size_t class = strlen(s->class);
        n += class && strncmp(kind, s->class, class) == 0 && kind[class] == '/' &&
             strcmp(kind + class + 1, s->name) == 0 && is_counted(s);
    }
    return n;
}

static unsigned check_count(const struct trace *t, char *line)
{
    char kind[200];
    char *colon = strrchr(line, ':');
    if (strncmp(line, "COUNT ", 6) != 0 || !colon)
        return 0;
    *colon = '\0';
    our_name(line + 6, kind, sizeof kind);
    if (!*kind)
        return 0;
    const unsigned found = count_kind(t, kind), expected = (unsigned)atoi(colon + 1);
    if (found != expected)
        fail_msg("%s: expected %u events, found %u of %s", line + 6, expected, found, kind);
    return 1;
}

static struct figures check_baseline(const char *trace, const char *baseline)
{
    static char line[1 << 16];
    struct figures f = {0, 0, 0, 0, 0};
    struct trace *t = open_trace(trace);
    FILE *in = fopen(baseline, "r");
    assert_non_null(in);
    struct baseline b;
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (read_baseline(line, &b))
            check_line(t, &b, &f);
        else
            f.counts += check_count(t, line);
    }
    fclose(in);
    close_trace(t);
    return f;
}

static void perfview_agrees(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct figures expected;
    } files[] = {
        {"net.4.5.2.x64.etl.zst", {480, 186, 1033, 56, 1215}},
        {"gcevents.etl", {52, 1, 17, 1, 253}},
        {"gcrundownevents.etl", {25, 1, 17, 1, 166}},
        {"primitive-types.etl", {6, 1, 17, 1, 45}},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char trace[128], baseline[128];
        snprintf(trace, sizeof trace, "../shared/etl/perfview-%s", files[i].name);
        snprintf(baseline, sizeof baseline, "../shared/etl/perfview-%.*s.perfview-baseline.txt",
                 (int)(strstr(files[i].name, ".etl") - files[i].name), files[i].name);
        if (!exists(trace) || !exists(baseline))
            skip_for("no %s or its baseline", trace);
        const struct figures f = check_baseline(trace, baseline);
        print_message("%s: %u events at their time, %u of kernel classes with %u fields; %u "
                      "counts; %u fields of "
                      "other events\n",
                      files[i].name, f.lines, f.kernel, f.fields, f.counts, f.schema_fields);
        assert_memory_equal(&f, &files[i].expected, sizeof f);
    }
}

/* ---- samples per process -------------------------------------------------------------------- */

/* The line of a process, "pid names header-events samples"; pid -1 is nobody. */
static void check_samples(const struct trace *t, const char *line, unsigned *sum)
{
    int64_t pid;
    unsigned expected, found = 0;
    if (sscanf(line, "%" SCNd64 "\t%*[^\t]\t%*u\t%u", &pid, &expected) != 2)
        return;
    for (size_t i = 0; i < t->count; i++)
        found +=
            strcmp(t->events[i].name, "SampleProf") == 0 && id_of(t->events[i].owner.pid) == pid;
    if (found != expected)
        fail_msg("process %" PRId64 ": expected %u samples, found %u", pid, expected, found);
    *sum += found;
}

static void samples_belong_to_processes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned samples;
    } files[] = {
        {"perfview-net.4.5.2.x64", 79528},
        {"perfview-win7-PerfViewData", 16865},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char trace[128], counts[128], line[4096];
        snprintf(trace, sizeof trace, "../shared/etl/%s.etl.zst", files[i].name);
        snprintf(counts, sizeof counts, "../shared/etl/%s.procs.tsv", files[i].name);
        if (!exists(trace) || !exists(counts))
            skip_for("no %s or its counts", trace);
        struct trace *t = open_trace(trace);
        FILE *in = fopen(counts, "r");
        unsigned sum = 0;
        while (fgets(line, sizeof line, in))
            check_samples(t, line, &sum);
        fclose(in);
        close_trace(t);
        assert_int_equal(sum, files[i].samples);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perfview_agrees),
        cmocka_unit_test(samples_belong_to_processes),
    };
    return cmocka_run_group_tests_name("dump_peers", tests, NULL, NULL);
}
