#include "src/export/stats.h"

#include "src/base/clock.h"
#include "src/base/json.h"
#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/base/show.h"
#include "src/etl/etl.h"
#include "src/event/decode.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STATUS_OK = 0, STATUS_ERROR = 1, STATUS_SKIPPED = 6 };

/* ---- kinds ------------------------------------------------------------------------------- */

/* One distinct kind of event. `word` packs header kind, id, opcode and version, and is
 * never 0; the provider of kernel kinds is looked up when it is printed. */
struct kind_count {
    uint64_t word;
    struct guid provider;
    uint64_t count, bytes;
};

/* Open addressing; at most half full, a power of two. A file can hold as many kinds as
 * events: beyond MOST_KINDS they are counted together, so that memory stays bounded. */
struct kind_counts {
    struct kind_count *slots;
    size_t room, used;
    uint64_t beyond; /* events of kinds that found no place */
};

enum { FIRST_ROOM = 1024, MOST_KINDS = 1 << 20 };

static uint64_t word_of(const struct event *e)
{
    return (uint64_t)(e->kind + 1) << 48 | (uint64_t)e->id << 32 | (uint64_t)e->version << 16 |
           e->opcode;
}

static enum header_kind kind_header(const struct kind_count *k)
{
    return (enum header_kind)((k->word >> 48) - 1);
}

static unsigned kind_id(const struct kind_count *k)
{
    return k->word >> 32 & 0xffff;
}

static unsigned kind_version(const struct kind_count *k)
{
    return k->word >> 16 & 0xffff;
}

static unsigned kind_opcode(const struct kind_count *k)
{
    return k->word & 0xff;
}

static size_t hash(uint64_t word, const struct guid *g)
{
    uint64_t low, high;
    memcpy(&low, g->b, 8);
    memcpy(&high, g->b + 8, 8);
    const uint64_t h = (word ^ low * 0x9e3779b97f4a7c15u ^ high) * 0xd6e8feb86659fd93u;
    return (size_t)(h ^ h >> 32);
}

static struct kind_count *place(struct kind_counts *k, uint64_t word, const struct guid *provider)
{
    for (size_t i = hash(word, provider);; i++) {
        struct kind_count *slot = &k->slots[i & (k->room - 1)];
        if (!slot->word || (slot->word == word && guid_equal(&slot->provider, provider)))
            return slot;
    }
}

static void grow(struct kind_counts *k)
{
    const struct kind_counts old = *k;
    k->room = old.room ? old.room * 2 : FIRST_ROOM;
    k->slots = mem_new(k->room, sizeof *k->slots);
    for (size_t i = 0; i < old.room; i++)
        if (old.slots[i].word)
            *place(k, old.slots[i].word, &old.slots[i].provider) = old.slots[i];
    free(old.slots);
}

static void count_event(struct kind_counts *k, const struct event *e)
{
    const uint64_t word = word_of(e);
    struct kind_count *slot = place(k, word, &e->provider);
    if (!slot->word) {
        if (k->used == MOST_KINDS) {
            k->beyond++;
            return;
        }
        if (++k->used > k->room / 2) {
            grow(k);
            slot = place(k, word, &e->provider);
        }
        slot->word = word;
        slot->provider = e->provider;
    }
    slot->count++;
    slot->bytes += e->payload_bytes;
}

static void resolve_providers(struct kind_counts *k)
{
    for (size_t i = 0; i < k->room; i++)
        if (k->slots[i].word && header_is_kernel(kind_header(&k->slots[i])))
            k->slots[i].provider = *event_class_guid((uint16_t)kind_id(&k->slots[i]));
}

/* By provider as it reads, then id, opcode, version, header. */
static int compare(const void *a, const void *b)
{
    const struct kind_count *x = a, *y = b;
    char text[2][GUID_TEXT];
    const int order =
        memcmp(&x->provider, &y->provider, sizeof x->provider)
            ? strcmp(guid_format(&x->provider, text[0]), guid_format(&y->provider, text[1]))
            : 0;
    if (order)
        return order;
    const unsigned left[] = {kind_id(x), kind_opcode(x), kind_version(x), kind_header(x)};
    const unsigned right[] = {kind_id(y), kind_opcode(y), kind_version(y), kind_header(y)};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* Closes the gaps; the table is no longer one to look things up in. */
static void sort_kinds(struct kind_counts *k)
{
    size_t used = 0;
    for (size_t i = 0; i < k->room; i++)
        if (k->slots[i].word)
            k->slots[used++] = k->slots[i];
    qsort(k->slots, used, sizeof *k->slots, compare);
}

/* ---- files ------------------------------------------------------------------------------- */

struct figures {
    const char *name;
    struct etl_tally tally;
    uint64_t events_lost, buffers_lost;
    uint32_t cpus, build;
    unsigned pointer;
    uint32_t clock_type;
    bool has_times;
    int64_t first, last;       /* raw, within one file */
    int64_t first_ns, last_ns; /* since 1970 */
};

static void note_time(struct figures *f, int64_t ts)
{
    if (!f->has_times || ts < f->first)
        f->first = ts;
    if (!f->has_times || ts > f->last)
        f->last = ts;
    f->has_times = true;
}

void stats_report_file(const struct etl_file *file, FILE *err)
{
    const struct etl_header *h = etl_header(file);
    for (unsigned i = 0; etl_sentence(file, i); i++)
        message_print(err, "%s", etl_sentence(file, i));
    if (h->events_lost || h->buffers_lost)
        message_print(err,
                      "%s: lost while it was recorded: %" PRIu32 " kernel, %" PRIu32 " buffers",
                      etl_name(file), h->events_lost, h->buffers_lost);
}

static void finish_figures(struct figures *f, const struct etl_file *file)
{
    const struct etl_header *h = etl_header(file);
    const struct trace_clock clock = etl_clock(file);
    f->tally = *etl_tally(file);
    f->events_lost = h->events_lost;
    f->buffers_lost = h->buffers_lost;
    f->cpus = h->cpus;
    f->build = h->build;
    f->clock_type = h->clock_type;
    if (f->pointer < h->pointer && h->pointer == 8)
        f->pointer = 8;
    f->first_ns = f->has_times ? trace_clock_ns(&clock, f->first) : 0;
    f->last_ns = f->has_times ? trace_clock_ns(&clock, f->last) : 0;
}

static void count_batch(struct kind_counts *k, struct figures *f, const struct event *e,
                        size_t count, bool is_header_buffer)
{
    for (size_t i = 0; i < count; i++) {
        count_event(k, &e[i]);
        if (!(is_header_buffer && event_describes_log(&e[i])))
            note_time(f, e[i].ts);
        /* The header of a 64-bit machine's log may say 4 (a 32-bit program started it). */
        if (e[i].pointer > f->pointer)
            f->pointer = e[i].pointer;
    }
}

static bool count_file(struct kind_counts *k, struct figures *f, FILE *errors)
{
    enum { BATCH = 32 };
    struct err err;
    struct etl_file *file = etl_open(f->name, &err);
    if (!file) {
        message_print(errors, "%s", err.text);
        return false;
    }
    struct event batch[BATCH];
    size_t count;
    enum etl_answer answer;
    f->pointer = 4;
    while ((answer = etl_next_many(file, batch, BATCH, &count, &err)) == ETL_EVENT)
        count_batch(k, f, batch, count, etl_tally(file)->buffers == 1);
    finish_figures(f, file);
    stats_report_file(file, errors);
    if (answer == ETL_FAILED)
        message_print(errors, "%s", err.text);
    etl_close(file);
    return answer == ETL_END;
}

/* ---- output -------------------------------------------------------------------------------- */

static void event_of_kind(const struct kind_count *k, struct event *out)
{
    *out = (struct event){
        .kind = (uint8_t)kind_header(k),
        .id = (uint16_t)kind_id(k),
        .opcode = (uint8_t)kind_opcode(k),
        .version = (uint16_t)kind_version(k),
        .provider = k->provider,
        .pointer = 8,
    };
}

/* "DiskIo/Read", or nothing where no name is known. */
static void format_name(const struct kind_count *k, char *out, size_t room)
{
    struct event e;
    const char *class_name, *event_name;
    event_of_kind(k, &e);
    decode_name(&e, &class_name, &event_name);
    snprintf(out, room, "%s%s%s", class_name, *class_name && *event_name ? "/" : "", event_name);
}

enum { NAME_ROOM = 128 };

static void print_rows(const struct kind_counts *k, FILE *out)
{
    fputs("header\tprovider\tid\topcode\tversion\tcount\tbytes\tname\n", out);
    for (size_t i = 0; i < k->used; i++) {
        const struct kind_count *kind = &k->slots[i];
        char provider[GUID_TEXT], name[NAME_ROOM];
        format_name(kind, name, sizeof name);
        show(out, "%s\t%s\t%u\t%u\t%u\t%" PRIu64 "\t%" PRIu64 "\t%s\n",
                header_kind_name(kind_header(kind)), guid_format(&kind->provider, provider),
                kind_id(kind), kind_opcode(kind), kind_version(kind), kind->count, kind->bytes,
                name);
    }
}

static const char *clock_name(uint32_t type)
{
    static const char *const names[] = {"raw", "qpc", "system", "cycles"};
    return type < sizeof names / sizeof *names ? names[type] : "unknown";
}

static void json_times(const struct figures *f, FILE *out)
{
    if (!f->has_times) {
        fputs(
            "\"first_filetime\":null,\"last_filetime\":null,\"first_time\":null,\"last_time\":null",
            out);
        return;
    }
    char first[CLOCK_TEXT], last[CLOCK_TEXT];
    show(out,
         "\"first_filetime\":%" PRId64 ",\"last_filetime\":%" PRId64
         ",\"first_time\":\"%s\",\"last_time\":\"%s\"",
         clock_filetime(f->first_ns), clock_filetime(f->last_ns),
         clock_format_iso(f->first_ns, first), clock_format_iso(f->last_ns, last));
}

static void json_figures(const struct figures *f, FILE *out)
{
    const struct etl_tally *t = &f->tally;
    show(out,
            "\"events\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"buffers\":%" PRIu64
            ",\"events_lost\":%" PRIu64 ",\"buffers_lost\":%" PRIu64 ",",
            t->events, t->payload_bytes, t->buffers, f->events_lost, f->buffers_lost);
    json_times(f, out);
    show(out,
            ",\"cpus\":%" PRIu32 ",\"pointer\":%u,\"clock\":\"%s\",\"build\":%" PRIu32
            ",\"damaged_buffers\":%" PRIu64 ",\"missing_buffers\":%" PRIu64
            ",\"skipped_bytes\":%" PRIu64 ",\"never_stopped\":%s",
            f->cpus, f->pointer, clock_name(f->clock_type), f->build, t->damaged_buffers,
            t->missing_buffers, t->skipped_bytes, t->never_stopped ? "true" : "false");
}

static void json_rows(const struct kind_counts *k, FILE *out)
{
    for (size_t i = 0; i < k->used; i++) {
        const struct kind_count *kind = &k->slots[i];
        char provider[GUID_TEXT], name[NAME_ROOM];
        format_name(kind, name, sizeof name);
        show(
            out,
            "%s\n  {\"header\":\"%s\",\"provider\":\"%s\",\"id\":%u,\"opcode\":%u,\"version\":%u"
            ",\"count\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"name\":",
            i ? "," : "", header_kind_name(kind_header(kind)),
            guid_format(&kind->provider, provider), kind_id(kind), kind_opcode(kind),
            kind_version(kind), kind->count, kind->bytes);
        json_text(out, name);
        putc('}', out);
    }
}

static void json_files(const struct figures *f, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        show(out, "%s\n  {\"file\":", i ? "," : "");
        json_text(out, f[i].name);
        if (f[i].has_times) /* in the file's own clock: several files have no common one */
            show(out, ",\"first_ts\":%" PRId64 ",\"last_ts\":%" PRId64, f[i].first, f[i].last);
        putc(',', out);
        json_figures(&f[i], out);
        putc('}', out);
    }
}

static void add_times(struct figures *to, const struct figures *f)
{
    if (!f->has_times)
        return;
    if (!to->has_times || f->first_ns < to->first_ns)
        to->first_ns = f->first_ns;
    if (!to->has_times || f->last_ns > to->last_ns)
        to->last_ns = f->last_ns;
    to->has_times = true;
}

static void add_figures(struct figures *to, const struct figures *f)
{
    to->tally.events += f->tally.events;
    to->tally.payload_bytes += f->tally.payload_bytes;
    to->tally.buffers += f->tally.buffers;
    to->tally.damaged_buffers += f->tally.damaged_buffers;
    to->tally.missing_buffers += f->tally.missing_buffers;
    to->tally.skipped_bytes += f->tally.skipped_bytes;
    to->tally.never_stopped |= f->tally.never_stopped;
    to->events_lost += f->events_lost;
    to->buffers_lost += f->buffers_lost;
    to->cpus = f->cpus > to->cpus ? f->cpus : to->cpus;
    to->pointer = f->pointer > to->pointer ? f->pointer : to->pointer;
    to->clock_type = f->clock_type;
    to->build = f->build;
    add_times(to, f);
}

static void print_json(const struct kind_counts *k, const struct figures *f, size_t count,
                       FILE *out)
{
    struct figures all = {0};
    for (size_t i = 0; i < count; i++)
        add_figures(&all, &f[i]);
    fputs("{\"schema\":\"tracetop.stats.1\",\"totals\":{", out);
    json_figures(&all, out);
    fputs("},\"files\":[", out);
    json_files(f, count, out);
    fputs("],\"kinds\":[", out);
    json_rows(k, out);
    fputs("]}\n", out);
}

int stats_run(const char *const *files, size_t count, bool json, FILE *out, FILE *err)
{
    struct kind_counts kinds = {0};
    struct figures *figures = mem_new(count, sizeof *figures);
    int status = STATUS_OK;
    grow(&kinds);
    for (size_t i = 0; i < count && status != STATUS_ERROR; i++) {
        figures[i].name = files[i];
        if (!count_file(&kinds, &figures[i], err))
            status = STATUS_ERROR;
        else if (!etl_is_whole(&figures[i].tally))
            status = STATUS_SKIPPED;
    }
    if (kinds.beyond)
        message_print(err,
                      "more than %d kinds of events: %" PRIu64
                      " events of the others are only in the totals",
                      MOST_KINDS, kinds.beyond);
    if (status != STATUS_ERROR) {
        resolve_providers(&kinds);
        sort_kinds(&kinds);
        if (json)
            print_json(&kinds, figures, count, out);
        else
            print_rows(&kinds, out);
    }
    free(kinds.slots);
    free(figures);
    return status;
}
