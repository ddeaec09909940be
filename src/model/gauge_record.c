#include "src/model/gauge_record.h"

#include <math.h>
#include <stdio.h>

/* Hundredths: what follows is noise, and only makes lines long. */
static double rounded(double value)
{
    return round(value * 100) / 100;
}

static bool is_whole(enum gauge g)
{
    return gauge_infos[g].unit == GAUGE_BYTES;
}

/* Appends "name:type" to a list. */
static void append(char out[GAUGE_FIELDS], size_t *used, const char *name, const char *type)
{
    const int more =
        snprintf(out + *used, GAUGE_FIELDS - *used, "%s%s:%s", *used ? "," : "", name, type);
    *used += more > 0 && (size_t)more < GAUGE_FIELDS - *used ? (size_t)more : 0;
}

void gauge_record_fields(const double values[GAUGES], char out[GAUGE_FIELDS])
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned g = 0; g < GAUGES; g++)
        if (!isnan(values[g]))
            append(out, &used, gauge_infos[g].id, is_whole(g) ? "u64" : "f64");
}

void gauge_record_put(struct payload_writer *p, const double values[GAUGES])
{
    for (unsigned g = 0; g < GAUGES; g++)
        if (isnan(values[g]))
            continue;
        else if (is_whole(g))
            put_u64(p, values[g] > 0 ? (uint64_t)values[g] : 0);
        else
            put_f64(p, rounded(values[g]));
}

void gauge_record_put_cpu(struct payload_writer *p, unsigned number, const struct gauge_cpu *c)
{
    put_u32(p, number);
    put_f64(p, rounded((double)c->user));
    put_f64(p, rounded((double)c->system));
    put_f64(p, rounded((double)c->irq));
    put_f64(p, rounded((double)c->steal));
}

static const struct part {
    const char *name;
    size_t offset;
} parts[] = {
    {"rss", offsetof(struct memory_reading, rss)},
    {"private", offsetof(struct memory_reading, own)},
    {"shared", offsetof(struct memory_reading, shared)},
    {"swap", offsetof(struct memory_reading, swap)},
};

static uint64_t part_of(const struct memory_reading *r, const struct part *part)
{
    uint64_t value;
    memcpy(&value, (const char *)r + part->offset, sizeof value);
    return value;
}

void gauge_record_memory_fields(const struct memory_reading *r, char out[GAUGE_FIELDS])
{
    size_t used = 0;
    append(out, &used, "pid", "u32");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (part_of(r, &parts[i]) != READING_UNKNOWN)
            append(out, &used, parts[i].name, "u64");
    if (r->threads != UINT32_MAX)
        append(out, &used, "threads", "u32");
    if (r->files != UINT32_MAX)
        append(out, &used, "files", "u32");
}

void gauge_record_put_memory(struct payload_writer *p, uint32_t pid, const struct memory_reading *r)
{
    put_u32(p, pid);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (part_of(r, &parts[i]) != READING_UNKNOWN)
            put_u64(p, part_of(r, &parts[i]));
    if (r->threads != UINT32_MAX)
        put_u32(p, r->threads);
    if (r->files != UINT32_MAX)
        put_u32(p, r->files);
}
