/* The first pass, in file order, finds the trace's ends and who lived when; the second, in time
 * order, what is alive at the ends of the range and what has which name. */
#include "src/export/part.h"

#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/event/tracetop_provider.h"
#include "src/filter/range.h"
#include "src/filter/remark.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STATUS_OK = 0, STATUS_ERROR = 1, STATUS_USAGE = 2 };

struct survey {
    const struct part_options *o;
    struct trace_part *part; /* NULL: only the ends are wanted */
    FILE *err;
    int64_t first, last;
    int64_t
        header; /* of the records in front that describe the log: may lie hours before the first */
    bool wants_owners;
};

static int complain(const struct survey *s, const struct err *e, int status)
{
    message_print(s->err, "%s", e->text);
    return status;
}

static bool is_stopped(const struct part_options *o)
{
    return (o->stop && *o->stop) || (o->is_given_up && o->is_given_up(o->of));
}

static void take_time(struct survey *s, int64_t ns)
{
    s->first = ns < s->first ? ns : s->first;
    s->last = ns > s->last ? ns : s->last;
}

/* A trace of nothing but such records begins with them. */
static int64_t first_of(const struct survey *s)
{
    return s->first == INT64_MAX ? s->header : s->first;
}

static int64_t last_of(const struct survey *s)
{
    return s->last < first_of(s) ? first_of(s) : s->last;
}

static void note(struct survey *s, size_t source, struct event *e)
{
    struct event about;
    e->source = (uint8_t)source;
    if (s->wants_owners)
        attribution_learn(s->part->owners, e);
    schema_learn(s->part->schemas, e->source, e, &about);
    if (tracetop_event_is_of_linux(e))
        s->part->is_linux[e->source] = true;
}

static bool is_survey_stopped(void *of)
{
    const struct survey *const s = of;
    return is_stopped(s->o);
}

static int survey_file(struct survey *s, size_t source)
{
    enum { BATCH = 32 };
    struct err err;
    struct event batch[BATCH];
    size_t count;
    struct etl_file *const f = etl_open_until(s->o->files[source], is_survey_stopped, s, &err);
    if (!f && is_stopped(s->o))
        return STATUS_OK;
    if (!f)
        return complain(s, &err, STATUS_ERROR);
    const struct trace_clock clock = etl_clock(f);
    enum etl_answer answer = ETL_END;
    while (!is_stopped(s->o) && (answer = etl_next_many(f, batch, BATCH, &count, &err)) == ETL_EVENT)
        for (size_t i = 0; i < count; i++) {
            const int64_t ns = trace_clock_ns(&clock, batch[i].ts);
            if (etl_tally(f)->buffers == 1 && event_describes_log(&batch[i]))
                s->header = ns < s->header ? ns : s->header;
            else
                take_time(s, ns);
            if (s->part)
                note(s, source, &batch[i]);
        }
    if (s->part) {
        etl_rest(f);
        s->part->files[s->part->file_count++] = f;
    } else {
        etl_close(f);
    }
    return answer == ETL_FAILED ? complain(s, &err, STATUS_ERROR) : STATUS_OK;
}

/* The first few sentences; of hostile files there may be hundreds. */
static void report_manifests(const struct survey *s)
{
    enum { MOST = 8 };
    char room[SCHEMAS_SENTENCE];
    const char *sentence;
    for (unsigned i = 0; i < MOST && (sentence = schemas_sentence(s->part->schemas, i, room)); i++)
        message_print(s->err, "%s", sentence);
}

static int survey_all(struct survey *s)
{
    int status = STATUS_OK;
    s->part->files = mem_new(s->o->file_count, sizeof *s->part->files);
    for (size_t i = 0; i < s->o->file_count && status == STATUS_OK; i++)
        status = survey_file(s, i);
    attribution_settle(s->part->owners);
    if (attribution_forgotten(s->part->owners))
        message_print(s->err,
                      "%" PRIu64 " starts and ends of processes and threads are more than can be"
                      " kept: some events are without a process",
                      attribution_forgotten(s->part->owners));
    report_manifests(s);
    if (schemas_dropped(s->part->schemas))
        message_print(
            s->err,
            "%" PRIu64
            " layouts in EventInfo records or manifests do not fit into memory: their events"
            " are shown as bytes",
            schemas_dropped(s->part->schemas));
    return status;
}

struct etl_reader *part_reader(const struct trace_part *p, const char *const *files, size_t count,
                               struct err *err)
{
    return p->files ? etl_reader_open_again(p->files, count, err)
                    : etl_reader_open(files, count, err);
}

static int learn(struct survey *s)
{
    struct err err;
    struct event e;
    enum etl_answer answer = ETL_END;
    struct etl_reader *const reader = part_reader(s->part, s->o->files, s->o->file_count, &err);
    if (!reader)
        return complain(s, &err, STATUS_ERROR);
    s->part->rundown = rundown_new(s->part->from, s->part->to);
    while (!is_stopped(s->o) && (answer = etl_reader_next(reader, &e, &err)) == ETL_EVENT) {
        const struct trace_clock clock = etl_clock(etl_reader_file(reader, e.source));
        const int64_t ns = trace_clock_ns(&clock, e.ts);
        rundown_note(s->part->rundown, &e, ns);
        if (s->part->facts)
            fact_select_learn(s->part->facts, &e, &clock, ns);
    }
    etl_reader_close(reader);
    if (rundown_forgotten(s->part->rundown))
        message_print(s->err,
                      "%" PRIu64 " starts and names are more than can be kept: some are missing",
                      rundown_forgotten(s->part->rundown));
    return answer == ETL_FAILED ? complain(s, &err, STATUS_ERROR) : STATUS_OK;
}

static int ask_models(struct survey *s)
{
    struct err why;
    struct trace_part *const p = s->part;
    const struct filter_span span = {first_of(s), last_of(s)};
    const struct fact_select_options options = {s->o->filter, &span, p->schemas, p->is_linux,
                                                false};
    p->facts = fact_select_new(&options, &why);
    return p->facts ? learn(s) : complain(s, &why, STATUS_USAGE);
}

int part_init(struct trace_part *p, const struct part_options *o, FILE *err)
{
    struct err why;
    struct range range = {.from.form = RANGE_OPEN};
    const bool has_filter = o->filter && *o->filter;
    struct survey s = {.o = o,
                       .part = p,
                       .err = err,
                       .first = INT64_MAX,
                       .last = INT64_MIN,
                       .header = INT64_MAX,
                       .wants_owners = o->wants_owners || has_filter};
    *p = (struct trace_part){.is_whole = !o->range && !has_filter,
                             .owners = attribution_new(),
                             .schemas = schemas_new()};
    if (o->range && !range_read(o->range, &range, &why))
        return complain(&s, &why, STATUS_USAGE);
    int status = s.wants_owners || !p->is_whole ? survey_all(&s) : STATUS_OK;
    if (status != STATUS_OK || p->is_whole || is_stopped(o))
        return status;
    if (!range_resolve(&range, first_of(&s), last_of(&s), &p->from, &p->to, &why))
        return complain(&s, &why, STATUS_USAGE);
    if (range.from.form == RANGE_OPEN && s.header < p->from)
        p->from = s.header;
    if (has_filter && o->may_ask_models && fact_select_is_for(o->filter))
        return ask_models(&s);
    status = learn(&s);
    const struct filter_span span = {first_of(&s), last_of(&s)};
    const struct select_names names = {p->rundown, p->schemas, p->is_linux};
    if (has_filter && !(p->select = select_new(o->filter, &names, &span, &why)))
        return complain(&s, &why, STATUS_USAGE);
    return status;
}

void part_fini(struct trace_part *p)
{
    select_free(p->select);
    fact_select_free(p->facts);
    rundown_free(p->rundown);
    attribution_free(p->owners);
    schemas_free(p->schemas);
    for (size_t i = 0; i < p->file_count; i++)
        etl_close(p->files[i]);
    free(p->files);
    *p = (struct trace_part){.owners = NULL};
}

int part_range(const struct part_options *o, int64_t *from, int64_t *to, FILE *err)
{
    struct err why;
    struct range range;
    struct survey s = {
        .o = o, .err = err, .first = INT64_MAX, .last = INT64_MIN, .header = INT64_MAX};
    int status = STATUS_OK;
    *from = *to = 0;
    if (!range_read(o->range, &range, &why))
        return complain(&s, &why, STATUS_USAGE);
    for (size_t i = 0; i < o->file_count && status == STATUS_OK; i++)
        status = survey_file(&s, i);
    if (status != STATUS_OK || is_stopped(o))
        return status;
    return range_resolve(&range, first_of(&s), last_of(&s), from, to, &why)
               ? STATUS_OK
               : complain(&s, &why, STATUS_USAGE);
}

bool part_has(const struct trace_part *p, const struct event *e, const struct owner *owner,
              const struct trace_clock *clock, int64_t ns)
{
    const bool passes = !p->facts || fact_select_passes(p->facts, e, clock, ns);
    return p->is_whole || (passes && ns >= p->from && ns <= p->to &&
                           (!p->select || select_passes(p->select, e, owner, ns)));
}

void part_remarks(const struct trace_part *p, FILE *err)
{
    const struct filter *const f = p->facts    ? fact_select_filter(p->facts)
                                   : p->select ? select_filter(p->select)
                                               : NULL;
    if (f)
        filter_remarks_print(f, p->schemas, err);
}
