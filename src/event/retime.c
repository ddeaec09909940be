#include "src/event/retime.h"

#include "src/base/bytes.h"
#include "src/event/decode.h"

/* Where the time stands in the header; 0 where there is none. */
static uint32_t time_at(const struct event *e)
{
    enum { SEQUENCE = 1, CLASS = 2, COMPONENT = 4 };
    if (e->kind == HEADER_PERFINFO)
        return 8;
    if (e->kind != HEADER_MESSAGE)
        return 16;
    if (!event_has_time(e))
        return 0;
    uint32_t at = 8;
    at += e->flags & SEQUENCE ? 4 : 0;
    at += e->flags & CLASS ? 16 : e->flags & COMPONENT ? 4 : 0;
    return at;
}

void record_set_time(uint8_t *record, const struct event *e, int64_t ts)
{
    const uint32_t at = time_at(e);
    if (at)
        store_u64(record + at, (uint64_t)ts);
}

bool trace_clock_is_same(const struct trace_clock *a, const struct trace_clock *b)
{
    return a->frequency == b->frequency &&
           trace_clock_ns(a, a->anchor_raw) == trace_clock_ns(b, a->anchor_raw);
}

static int64_t convert(int64_t raw, const struct trace_clock *from, const struct trace_clock *to)
{
    return trace_clock_raw(to, trace_clock_ns(from, raw));
}

static int64_t convert_span(int64_t ticks, const struct trace_clock *from,
                            const struct trace_clock *to)
{
    const struct trace_clock zero = {.frequency = to->frequency, .kind = to->kind};
    return trace_clock_raw(&zero, trace_clock_span_ns(from, ticks));
}

/* The fields of kernel payloads that hold raw times, and those that hold ticks. */
static void change_payload(uint8_t *payload, const struct event *e, const struct trace_clock *from,
                           const struct trace_clock *to)
{
    static const struct {
        const char *name;
        bool is_span;
    } fields[] = {{"InitialTime", false},
                  {"EventTimeStamp", false},
                  {"HighResResponseTime", true},
                  {"ElapsedTime", true}};
    const struct payload_layout *const l = decode_layout(e);
    for (size_t i = 0; l && i < sizeof fields / sizeof *fields; i++) {
        unsigned at;
        enum field_type type;
        if (!layout_place(l, fields[i].name, e->pointer, &at, &type) || at + 8 > e->payload_bytes)
            continue;
        const int64_t was = (int64_t)load_u64(payload + at);
        const int64_t now =
            fields[i].is_span ? convert_span(was, from, to) : convert(was, from, to);
        store_u64(payload + at, (uint64_t)now);
    }
}

int64_t record_change_clock(uint8_t *record, const struct event *e, const struct trace_clock *from,
                            const struct trace_clock *to)
{
    const int64_t ts = convert(e->ts, from, to);
    record_set_time(record, e, ts);
    change_payload(record + (e->payload - e->record), e, from, to);
    return ts;
}
