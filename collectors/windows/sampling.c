#include "collectors/windows/sampling.h"

#include "collectors/windows/live.h"
#include "collectors/windows/owned.h"

#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/base/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what there is --------------------------------------------------------------------------- */

ULONG sampling_interval(ULONG source)
{
    struct etw_profile_interval i = {.source = source};
    ULONG bytes;
    const bool is_reported =
        etw_api()->TraceQueryInformation &&
        etw_api()->TraceQueryInformation(0, TraceSampledProfileIntervalInfo, &i, sizeof i,
                                         &bytes) == ERROR_SUCCESS;
    return is_reported ? i.interval : 0;
}

/* The list is of entries that say how far the next one is; the last says 0. */
static unsigned read_list(const BYTE *list, size_t bytes, struct sampling_fact *out, unsigned room)
{
    enum { NAME_AT = offsetof(PROFILE_SOURCE_INFO, Description) };
    unsigned count = 0;
    for (size_t at = 0; count < room && bytes - at >= sizeof(PROFILE_SOURCE_INFO);) {
        PROFILE_SOURCE_INFO s;
        WCHAR name[64] = L"";
        memcpy(&s, list + at, sizeof s);
        const size_t here =
            s.NextEntryOffset && s.NextEntryOffset < bytes - at ? s.NextEntryOffset : bytes - at;
        const size_t text = here > NAME_AT ? here - NAME_AT : 0;
        memcpy(name, list + at + NAME_AT, text < sizeof name - 2 ? text : sizeof name - 2);
        out[count] = (struct sampling_fact){
            .source = s.Source, .least = s.MinInterval, .most = s.MaxInterval};
        utf8_of(name, out[count].name, sizeof out[count].name);
        count++;
        if (!s.NextEntryOffset || s.NextEntryOffset >= bytes - at)
            break;
        at += s.NextEntryOffset;
    }
    return count;
}

unsigned sampling_list(struct sampling_fact *out, unsigned room)
{
    enum { ROOM = 256 * 1024 }; /* a thousand sources and more; processors have about a hundred */
    ULONG bytes = 0;
    if (!etw_api()->TraceQueryInformation)
        return 0;
    BYTE *const list = mem_new(ROOM, 1);
    const ULONG error =
        etw_api()->TraceQueryInformation(0, TraceProfileSourceListInfo, list, ROOM, &bytes);
    const unsigned count =
        error == ERROR_SUCCESS ? read_list(list, bytes < ROOM ? bytes : ROOM, out, room) : 0;
    free(list);
    return count;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static void list_names(const struct sampling_fact *facts, unsigned count, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < count && used + 80 < room; i++)
        if (facts[i].source != SAMPLING_TIMER)
            used +=
                (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", facts[i].name);
}

static const struct sampling_fact *find(const struct sampling_fact *facts, unsigned count,
                                        const char *name, size_t bytes)
{
    for (unsigned i = 0; i < count; i++)
        if (facts[i].source != SAMPLING_TIMER && strlen(facts[i].name) == bytes &&
            text_compare(facts[i].name, bytes, name, bytes) == 0)
            return &facts[i];
    return NULL;
}

/* NAME or NAME:COUNT. */
static bool read_counter(const char *text, const struct sampling_fact *facts, unsigned count,
                         struct sampling_source *out, struct err *err)
{
    char names[600];
    const char *const colon = strrchr(text, ':');
    const size_t bytes = colon ? (size_t)(colon - text) : strlen(text);
    const struct sampling_fact *const f = find(facts, count, text, bytes);
    uint64_t interval = 0;
    list_names(facts, count, names, sizeof names);
    if (!f)
        return names[0] ? fail(err, "--pmc: expected one of %s, found '%.100s'", names, text)
                        : fail(err, "--pmc: this machine reports no processor counters (virtual "
                                    "machines often have none)");
    if (colon &&
        (!unit_count(colon + 1, &interval, NULL) || interval < f->least || interval > f->most))
        return fail(err,
                    "--pmc %s: expected a number from %lu to %lu after the colon, found '%.60s'",
                    f->name, f->least, f->most, colon + 1);
    *out = (struct sampling_source){f->source, (ULONG)interval};
    return true;
}

bool sampling_read(const struct collector_options *o, struct sampling *out, struct err *err)
{
    *out = (struct sampling){.timer = (ULONG)(o->sample_ns / 100)};
    if (!o->counter_count)
        return true;
    if (o->counter_count > SAMPLING_COUNTERS)
        return fail(err, "--pmc: at most %d counters can be read at once, %zu are given",
                    SAMPLING_COUNTERS, o->counter_count);
    struct sampling_fact *const facts = mem_new(SAMPLING_SOURCES, sizeof *facts);
    const unsigned count = sampling_list(facts, SAMPLING_SOURCES);
    bool is_read = true;
    for (size_t i = 0; is_read && i < o->counter_count; i++)
        is_read = read_counter(o->counters[i], facts, count, &out->counters[out->count++], err);
    free(facts);
    return is_read;
}

/* ---- switching ---------------------------------------------------------------------------- */

static ULONG set_information(ULONG class, void *data, size_t bytes)
{
    if (!etw_api()->TraceSetInformation)
        return ERROR_CALL_NOT_IMPLEMENTED;
    return etw_api()->TraceSetInformation(0, class, data, (ULONG)bytes);
}

/* The old value is stored first, so that it is always put back. Where it is unknown, nothing is
 * changed. */
static ULONG set_interval(ULONG source, ULONG interval)
{
    struct etw_profile_interval i = {source, interval};
    const ULONG before = sampling_interval(source);
    if (!before)
        return ERROR_NOT_SUPPORTED;
    if (before == interval)
        return ERROR_SUCCESS;
    owned_interval(source, before);
    return set_information(TraceSampledProfileIntervalInfo, &i, sizeof i);
}

static void begin_timer(struct live *l)
{
    struct sampling *const s = &l->sampling;
    char reason[256];
    if (!s->timer)
        return;
    const ULONG error = set_interval(SAMPLING_TIMER, s->timer);
    if (error != ERROR_SUCCESS && !s->reported_timer)
        s->reported_timer = message_write(
            &l->messages, "the processors cannot be sampled every %.4g ms: %s; it stays %.4g ms",
            s->timer / 1e4, etw_reason(error, reason, sizeof reason),
            sampling_interval(SAMPLING_TIMER) / 1e4);
}

static void begin_counters(struct live *l)
{
    struct sampling *const s = &l->sampling;
    ULONG sources[SAMPLING_COUNTERS], error = ERROR_SUCCESS;
    char reason[256];
    for (unsigned i = 0; i < s->count; i++) {
        sources[i] = s->counters[i].source;
        if (s->counters[i].interval && error == ERROR_SUCCESS)
            error = set_interval(sources[i], s->counters[i].interval);
    }
    if (s->count && error == ERROR_SUCCESS)
        owned_sources();
    if (s->count && error == ERROR_SUCCESS)
        error = set_information(TraceProfileSourceConfigInfo, sources, s->count * sizeof *sources);
    s->has_counters = s->count && error == ERROR_SUCCESS;
    if (error != ERROR_SUCCESS && !s->reported_counters)
        s->reported_counters =
            message_write(&l->messages, "the processors' counters are unavailable: %s",
                          etw_reason(error, reason, sizeof reason));
}

void sampling_begin(struct live *l)
{
    if (l->sampling.is_on)
        return;
    l->sampling.is_on = true;
    begin_timer(l);
    begin_counters(l);
}

void sampling_end(struct live *l)
{
    if (!l->sampling.is_on)
        return;
    l->sampling.is_on = l->sampling.has_counters = false;
    owned_sampling_restore();
}
