#include "src/export/info.h"

#include "src/base/text.h"
#include "src/base/clock.h"
#include "src/base/hash.h"
#include "src/base/hash_index.h"
#include "src/base/json.h"
#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/base/scale.h"
#include "src/base/show.h"
#include "src/etl/etl.h"
#include "src/event/decode.h"
#include "src/event/schema.h"
#include "src/event/tracetop_provider.h"
#include "src/export/stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_OK = 0, STATUS_ERROR = 1, STATUS_SKIPPED = 6 };

/* ---- providers and classes ------------------------------------------------------------------- */

enum { NAME_ROOM = 128, PROVIDERS_MOST = 4096 /* all others are counted together */, OTHERS = 1 };

struct span {
    bool has_times;
    int64_t first, last; /* raw */
};

static void span_add(struct span *s, int64_t ts)
{
    s->first = !s->has_times || ts < s->first ? ts : s->first;
    s->last = !s->has_times || ts > s->last ? ts : s->last;
    s->has_times = true;
}

struct provider {
    struct guid guid;
    char name[NAME_ROOM]; /* "": not known */
    struct event like;    /* header of the first one: names may come later */
    uint64_t events, bytes;
    struct span span;
};

struct providers {
    struct provider *rows; /* by number; the first is not used */
    uint32_t count;
    struct hash_index index;
    uint32_t of_hook[1 << 16]; /* 0: not seen yet */
};

static uint64_t hash_of(const void *owner, uint32_t number)
{
    const struct providers *const p = owner;
    return hash_mix(hash_bytes(HASH_START, &p->rows[number].guid, sizeof(struct guid)));
}

static void providers_init(struct providers *p)
{
    *p = (struct providers){.rows = mem_new(PROVIDERS_MOST, sizeof *p->rows), .count = OTHERS + 1};
    hash_index_init(&p->index, PROVIDERS_MOST);
    snprintf(p->rows[OTHERS].name, NAME_ROOM, "(others)");
}

static void providers_fini(struct providers *p)
{
    hash_index_fini(&p->index);
    free(p->rows);
}

/* What outlives the buffer that holds the event. */
static struct event header_of(const struct event *e)
{
    return (struct event){.kind = e->kind,
                          .provider = e->provider,
                          .id = e->id,
                          .version = e->version,
                          .task = e->task,
                          .opcode = e->opcode,
                          .level = e->level,
                          .pointer = e->pointer,
                          .keyword = e->keyword};
}

static uint32_t number_of(struct providers *p, const struct guid *guid, const struct event *e)
{
    const uint64_t hash = hash_mix(hash_bytes(HASH_START, guid, sizeof *guid));
    uint32_t at = hash_index_first(&p->index, hash), number;
    for (; (number = p->index.numbers[at]) != 0; at = hash_index_next(&p->index, at))
        if (guid_equal(&p->rows[number].guid, guid))
            return number;
    if (p->count == PROVIDERS_MOST)
        return OTHERS;
    struct provider *const row = &p->rows[p->count];
    *row = (struct provider){.guid = *guid, .like = header_of(e)};
    hash_index_put(&p->index, at, p->count, hash_of, p);
    return p->count++;
}

static struct provider *provider_of(struct providers *p, const struct event *e)
{
    if (!header_is_kernel((enum header_kind)e->kind))
        return &p->rows[number_of(p, &e->provider, e)];
    uint32_t *const known = &p->of_hook[e->id];
    if (!*known)
        *known = number_of(p, event_class_guid(e->id), e);
    return &p->rows[*known];
}

static void name_provider(struct provider *p, struct schemas *schemas, const struct event *e)
{
    struct schema schema;
    const char *class_name, *event_name;
    schema_find(schemas, 0, e, &schema);
    decode_name(e, &class_name, &event_name);
    snprintf(p->name, NAME_ROOM, "%s", *schema.provider ? schema.provider : class_name);
}

/* Those with the most events first; what has no events is not there. */
static int compare(const void *a, const void *b)
{
    const struct provider *const x = a, *const y = b;
    if (x->events != y->events)
        return x->events < y->events ? 1 : -1;
    return memcmp(&x->guid, &y->guid, sizeof x->guid);
}

/* ---- one file ---------------------------------------------------------------------------------- */

struct page {
    const char *name;
    struct providers providers;
    struct schemas *schemas;
    struct etl_header header;
    struct etl_tally tally;
    struct trace_clock clock;
    char host[600], domain[300]; /* as the trace says; "": it does not */
    uint64_t memory_mb, processors, mhz;
    bool is_linux;
    struct span span;
};

/* SystemConfig/CPU, which a kernel session writes when it ends. */
static void learn_machine(struct page *p, const struct event *e)
{
    struct decoded fields[DECODE_FIELDS];
    const struct payload_layout *const l = decode_layout(e);
    const unsigned count = l ? decode_fields(l, e, fields, DECODE_FIELDS) : 0;
    for (unsigned i = 0; i < count && fields[i].is_present; i++) {
        const char *const name = fields[i].field->name;
        if (strcmp(name, "ComputerName") == 0)
            decode_format(&fields[i], p->host, sizeof p->host);
        else if (strcmp(name, "DomainName") == 0)
            decode_format(&fields[i], p->domain, sizeof p->domain);
        else if (strcmp(name, "MemSize") == 0)
            p->memory_mb = fields[i].number;
        else if (strcmp(name, "NumberOfProcessors") == 0)
            p->processors = fields[i].number;
        else if (strcmp(name, "MHz") == 0)
            p->mhz = fields[i].number;
    }
}

static void look_at_event(struct page *p, const struct event *e, bool is_header_buffer)
{
    enum { SYSTEM_CONFIG_CPU = 0x0b0a };
    struct event about;
    struct provider *const provider = provider_of(&p->providers, e);
    if (!(is_header_buffer && event_describes_log(e))) {
        span_add(&p->span, e->ts);
        span_add(&provider->span, e->ts);
    }
    if (!provider->events && provider != &p->providers.rows[OTHERS])
        name_provider(provider, p->schemas, e);
    provider->events++;
    provider->bytes += e->payload_bytes;
    if (schema_is_about(e))
        schema_learn(p->schemas, 0, e, &about);
    else if (decode_hook(e) == SYSTEM_CONFIG_CPU)
        learn_machine(p, e);
    else if (!p->is_linux && e->kind == HEADER_MANIFEST)
        p->is_linux = tracetop_event_is_of_linux(e);
}

/* By what was learned later: EventInfo records stand at the end of a trace. */
static void name_rest(struct page *p)
{
    struct providers *const all = &p->providers;
    for (uint32_t i = OTHERS + 1; i < all->count; i++)
        if (!all->rows[i].name[0])
            name_provider(&all->rows[i], p->schemas, &all->rows[i].like);
}

static enum etl_answer read_file(struct page *p, struct etl_file *file,
                                 const _Atomic bool *stop, struct err *err)
{
    enum { BATCH = 32 };
    struct event batch[BATCH];
    size_t count;
    enum etl_answer answer = ETL_END;
    while (!(stop && *stop) &&
           (answer = etl_next_many(file, batch, BATCH, &count, err)) == ETL_EVENT)
        for (size_t i = 0; i < count; i++)
            look_at_event(p, &batch[i], etl_tally(file)->buffers == 1);
    p->header = *etl_header(file);
    p->tally = *etl_tally(file);
    p->clock = etl_clock(file);
    name_rest(p);
    qsort(p->providers.rows, p->providers.count, sizeof *p->providers.rows, compare);
    return answer;
}

static int64_t ns_of(const struct page *p, int64_t raw)
{
    return trace_clock_ns(&p->clock, raw);
}

static uint64_t processors_of(const struct page *p)
{
    return p->processors ? p->processors : p->header.cpus;
}

static uint64_t mhz_of(const struct page *p)
{
    return p->mhz ? p->mhz : p->header.cpu_mhz;
}

static const char *clock_name(const struct etl_header *h)
{
    static const char *const names[] = {"raw", "performance counter", "system time",
                                        "processor cycles"};
    return h->clock_type < sizeof names / sizeof *names ? names[h->clock_type] : "unknown";
}

static const char *mode_name(const struct etl_header *h)
{
    return h->mode & ETL_MODE_CIRCULAR   ? "circular"
           : h->mode & ETL_MODE_NEWFILE  ? "new files"
           : h->mode & ETL_MODE_BUFFERING ? "in memory"
                                          : "sequential";
}

/* ---- text ---------------------------------------------------------------------------------------- */

#define LABEL "  %-12s "

static void print_machine(const struct page *p, FILE *out)
{
    char memory[32];
    const struct etl_header *const h = &p->header;
    const unsigned major = h->version & 0xff, minor = h->version >> 8 & 0xff;
    if (p->host[0])
        show(out, LABEL "%s%s%s%s\n", "host", p->host, p->domain[0] ? " (domain " : "", p->domain,
             p->domain[0] ? ")" : "");
    if (p->is_linux)
        show(out, LABEL "Linux\n", "system");
    else if (h->build)
        show(out, LABEL "Windows %u.%u, build %" PRIu32 "\n", "system", major, minor, h->build);
    char count[TEXT_COUNT];
    show(out, LABEL "%s", "machine", text_count(count, processors_of(p), "processor"));
    if (mhz_of(p))
        show(out, " at %" PRIu64 " MHz", mhz_of(p));
    scale_bytes((double)p->memory_mb * (1 << 20), memory, sizeof memory);
    if (p->memory_mb)
        show(out, ", %s of memory", memory);
    fputs("\n", out);
}

static void print_times(const struct page *p, FILE *out)
{
    char first[CLOCK_TEXT], last[CLOCK_TEXT], span[32];
    const int64_t booted = clock_of_filetime((uint64_t)p->header.boot);
    const int bias = p->header.bias_minutes;
    if (p->span.has_times) {
        const int64_t from = ns_of(p, p->span.first), to = ns_of(p, p->span.last);
        scale_time((double)clock_minus(to, from), span, sizeof span);
        show(out, LABEL "%s\n", "first event", clock_format_iso(from, first));
        show(out, LABEL "%s, %s later\n", "last event", clock_format_iso(to, last), span);
    }
    if (booted)
        show(out, LABEL "%s\n", "booted", clock_format_iso(booted, first));
    show(out, LABEL "UTC%c%02d:%02d\n", "time zone", bias > 0 ? '-' : '+', abs(bias) / 60,
         abs(bias) % 60);
}

static void print_log(const struct page *p, FILE *out)
{
    char bytes[32], payload[32], buffer[32];
    const struct etl_header *const h = &p->header;
    scale_bytes((double)p->tally.bytes, bytes, sizeof bytes);
    scale_bytes((double)p->tally.payload_bytes, payload, sizeof payload);
    scale_bytes(h->buffer_bytes, buffer, sizeof buffer);
    char count[TEXT_COUNT];
    show(out, LABEL "%s in %s of %s, %s\n", "size", bytes,
         text_count(count, p->tally.buffers, "buffer"), buffer, mode_name(h));
    show(out, LABEL "%" PRIu64 " with %s of payload\n", "events", p->tally.events, payload);
    show(out, LABEL "%" PRIu32 " events, %" PRIu32 " buffers, by the trace header\n", "lost",
         h->events_lost, h->buffers_lost);
    show(out, LABEL "%s, %" PRId64 " ticks a second\n", "clock", clock_name(h), p->clock.frequency);
    if (h->logger[0])
        show(out, LABEL "%s\n", "session", h->logger);
    if (h->file[0])
        show(out, LABEL "%s\n", "written as", h->file);
}

void info_print_head(FILE *out)
{
    show(out, "\n%10s %9s %11s %11s  %s\n", "EVENTS", "BYTES", "FIRST s", "LAST s",
         "PROVIDER OR CLASS");
}

void info_print_row(const struct info_row *r, FILE *out)
{
    char bytes[32], first[32] = "-", last[32] = "-";
    scale_bytes((double)r->bytes, bytes, sizeof bytes);
    if (r->has_times) {
        snprintf(first, sizeof first, "%.6f", r->first_s);
        snprintf(last, sizeof last, "%.6f", r->last_s);
    }
    show(out, "%10" PRIu64 " %9s %11s %11s  %s\n", r->events, bytes, first, last, r->name);
}

static double seconds_in(const struct page *p, int64_t raw)
{
    return (double)clock_minus(ns_of(p, raw), ns_of(p, p->span.first)) / 1e9;
}

static void print_providers(const struct page *p, FILE *out)
{
    info_print_head(out);
    for (uint32_t i = 0; i < p->providers.count && p->providers.rows[i].events; i++) {
        const struct provider *const r = &p->providers.rows[i];
        char guid[GUID_TEXT];
        info_print_row(&(struct info_row){.name = r->name[0] ? r->name : guid_format(&r->guid, guid),
                                          .events = r->events,
                                          .bytes = r->bytes,
                                          .has_times = r->span.has_times,
                                          .first_s = seconds_in(p, r->span.first),
                                          .last_s = seconds_in(p, r->span.last)},
                       out);
    }
}

static void print_text(const struct page *p, FILE *out)
{
    show(out, "%s\n", p->name);
    print_machine(p, out);
    print_times(p, out);
    print_log(p, out);
    print_providers(p, out);
}

/* ---- JSON ----------------------------------------------------------------------------------------- */

static void json_member(FILE *out, const char *key, const char *text)
{
    show(out, "\"%s\":", key);
    json_text(out, text);
    putc(',', out);
}

static void json_times(const struct page *p, const struct span *s, FILE *out)
{
    char first[CLOCK_TEXT], last[CLOCK_TEXT];
    if (s->has_times)
        show(out, "\"first_time\":\"%s\",\"last_time\":\"%s\",",
             clock_format_iso(ns_of(p, s->first), first), clock_format_iso(ns_of(p, s->last), last));
    else
        fputs("\"first_time\":null,\"last_time\":null,", out);
}

static void json_provider(const struct page *p, const struct provider *r, FILE *out)
{
    char guid[GUID_TEXT];
    show(out, "{\"guid\":\"%s\",", guid_format(&r->guid, guid));
    json_member(out, "name", r->name);
    json_times(p, &r->span, out);
    show(out, "\"events\":%" PRIu64 ",\"bytes\":%" PRIu64 "}", r->events, r->bytes);
}

static void print_json(const struct page *p, FILE *out)
{
    const struct etl_header *const h = &p->header;
    putc('{', out);
    json_member(out, "file", p->name);
    json_member(out, "host", p->host);
    json_member(out, "domain", p->domain);
    json_member(out, "system", p->is_linux ? "Linux" : "Windows");
    json_times(p, &p->span, out);
    json_member(out, "clock", clock_name(h));
    json_member(out, "mode", mode_name(h));
    json_member(out, "session", h->logger);
    json_member(out, "written_as", h->file);
    show(out,
         "\"version\":\"%u.%u\",\"build\":%" PRIu32 ",\"processors\":%" PRIu64 ",\"mhz\":%" PRIu64
         ",\"memory_mb\":%" PRIu64 ",\"time_zone_minutes\":%d,\"ticks_per_second\":%" PRId64
         ",\"size\":%" PRIu64 ",\"buffers\":%" PRIu64 ",\"buffer_size\":%" PRIu32
         ",\"events\":%" PRIu64 ",\"payload_bytes\":%" PRIu64 ",\"events_lost\":%" PRIu32
         ",\"buffers_lost\":%" PRIu32 ",\"providers\":[",
         h->version & 0xff, h->version >> 8 & 0xff, h->build, processors_of(p), mhz_of(p),
         p->memory_mb, -h->bias_minutes, p->clock.frequency, p->tally.bytes, p->tally.buffers,
         h->buffer_bytes, p->tally.events, p->tally.payload_bytes, h->events_lost, h->buffers_lost);
    for (uint32_t i = 0; i < p->providers.count && p->providers.rows[i].events; i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        json_provider(p, &p->providers.rows[i], out);
    }
    fputs("]}", out);
}

/* ---- all files ------------------------------------------------------------------------------------- */

static int run_file(const struct info_options *o, const char *name, bool is_first, FILE *out,
                    FILE *errors)
{
    struct err err;
    struct etl_file *const file = etl_open(name, &err);
    if (!file) {
        message_print(errors, "%s", err.text);
        return STATUS_ERROR;
    }
    struct page *const p = mem_new(1, sizeof *p);
    p->name = name;
    p->schemas = schemas_new();
    providers_init(&p->providers);
    const enum etl_answer answer = read_file(p, file, o->stop, &err);
    stats_report_file(file, errors);
    if (answer == ETL_FAILED)
        message_print(errors, "%s", err.text);
    else if (o->is_json)
        fputs(is_first ? "" : ",\n", out), print_json(p, out);
    else
        fputs(is_first ? "" : "\n", out), print_text(p, out);
    const int status = answer == ETL_FAILED      ? STATUS_ERROR
                       : etl_is_whole(&p->tally) ? STATUS_OK
                                                 : STATUS_SKIPPED;
    etl_close(file);
    providers_fini(&p->providers);
    schemas_free(p->schemas);
    free(p);
    return status;
}

int info_run(const struct info_options *o, FILE *out, FILE *err)
{
    int status = STATUS_OK;
    if (o->is_json)
        fputs("{\"schema\":\"tracetop.info.1\",\"files\":[\n", out);
    for (size_t i = 0; i < o->file_count && status != STATUS_ERROR; i++) {
        const int one = run_file(o, o->files[i], i == 0, out, err);
        status = one != STATUS_OK ? one : status;
    }
    if (o->is_json)
        fputs("]}\n", out);
    return status;
}
