/* Samples of kernel events made by tests, given to a domain of the Linux translator, and the
 * records that come out of it. */
#ifndef TESTS_MADE_SAMPLE_H
#define TESTS_MADE_SAMPLE_H

#include "tests/test.h"

#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/translate.h"
#include "src/base/bytes.h"
#include "src/event/tracetop_provider.h"
#include "src/ring/ring.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNUSED __attribute__((unused))

struct sample_maker {
    struct collector collector;
    struct feed feed;
    struct translator translator;
    const struct linux_domain *domain;
    uint16_t cpu;
    uint32_t pid, tid;
    int64_t time;
    uint64_t address, ip;
    const uint64_t *chain;
    uint32_t chain_count;
    bool by_bpf; /* fields that only programs have are there */
};

UNUSED static struct sample_maker *made_new(enum linux_domain_id which)
{
    struct sample_maker *const m = calloc(1, sizeof *m);
    m->collector.hot = ring_new(1 << 20, RING_SEGMENT);
    m->collector.slow = ring_new(1 << 18, RING_SEGMENT);
    m->feed.collector = &m->collector;
    m->translator.feed = &m->feed;
    m->translator.self = 99;
    m->domain = linux_domains[which];
    m->domain->start(&m->translator);
    return m;
}

UNUSED static void made_free(struct sample_maker *m)
{
    m->domain->stop(&m->translator);
    ring_free(m->collector.hot);
    ring_free(m->collector.slow);
    free(m);
}

UNUSED static const struct linux_event *made_event(const struct sample_maker *m, const char *name)
{
    for (size_t i = 0; i < m->domain->event_count; i++)
        if (m->domain->events[i].name && strcmp(m->domain->events[i].name, name) == 0)
            return &m->domain->events[i];
    fail_msg("domain %s has no event %s", m->domain->id, name);
    return NULL;
}

/* Sends one: for each value "name", number or text, up to NULL. Texts ("\"name") are arrays of 16
 * bytes, as are bytes ("=name"), numbers signed and of 8. What the domain asks for and is not
 * given is missing. */
UNUSED static void made_send(struct sample_maker *m, const struct linux_event *event, ...)
{
    uint8_t raw[512] = {0};
    struct sample_layout layout = {.is_bpf = m->by_bpf};
    uint16_t at = 8;
    va_list args;
    va_start(args, event);
    for (const char *name; (name = va_arg(args, const char *));) {
        const bool is_text = name[0] == '"', is_bytes = name[0] == '=';
        const bool is_array = is_text || is_bytes;
        unsigned i = 0;
        while (i < LINUX_FIELDS && event->fields[i] &&
               strcmp(event->fields[i] + (event->fields[i][0] == '?'), name + is_array) != 0)
            i++;
        assert_true(i < LINUX_FIELDS && event->fields[i]);
        layout.fields[i] =
            (struct field_place){.offset = at, .size = is_array ? 16 : 8, .is_signed = !is_array};
        if (is_text)
            strncpy((char *)raw + at, va_arg(args, const char *), 16);
        else if (is_bytes)
            memcpy(raw + at, va_arg(args, const uint8_t *), 16);
        else
            store_u64(raw + at, va_arg(args, uint64_t));
        at += is_array ? 16 : 8;
    }
    va_end(args);
    uint8_t *const exact = malloc(at); /* so that a sanitizer sees one byte too far */
    memcpy(exact, raw, at);
    const struct sample s = {.type = 9,
                             .cpu = m->cpu,
                             .pid = m->pid,
                             .tid = m->tid,
                             .time = m->time,
                             .event = event,
                             .layout = &layout,
                             .raw = exact,
                             .raw_bytes = at,
                             .chain = m->chain,
                             .chain_count = m->chain_count,
                             .addr = m->address,
                             .ip = m->ip};
    m->translator.time = m->time;
    event->translate(&m->translator, &s);
    free(exact);
}

/* What came out, oldest first; payloads are copies. */
struct came {
    uint16_t hook; /* 0: an event of our own … */
    char name[24]; /* … called this */
    uint32_t pid, tid;
    int64_t time;
    uint16_t cpu, version;
    size_t bytes;
    uint8_t payload[256];
};

/* The next record; false when there is none. */
UNUSED static bool made_take(struct sample_maker *m, struct came *out)
{
    uint64_t position;
    const struct record_head *const head = ring_peek(m->collector.hot, &position);
    struct event e;
    *out = (struct came){0};
    if (!head)
        return false;
    assert_int_equal(event_of_record(head, &e), EVENT_OK);
    const char *const name = tracetop_event_name(&e);
    *out = (struct came){.hook = name ? 0 : e.id,
                         .pid = e.pid,
                         .tid = e.tid,
                         .time = e.ts,
                         .cpu = e.cpu,
                         .version = e.version,
                         .bytes = e.payload_bytes};
    snprintf(out->name, sizeof out->name, "%s", name ? name : "");
    assert_true(e.payload_bytes <= sizeof out->payload);
    memcpy(out->payload, e.payload, e.payload_bytes);
    ring_release(m->collector.hot);
    return true;
}

UNUSED static struct came made_next(struct sample_maker *m, uint16_t hook)
{
    struct came c;
    assert_true(made_take(m, &c));
    assert_int_equal(c.hook, hook);
    return c;
}

UNUSED static struct came made_next_tracetop(struct sample_maker *m, const char *name)
{
    struct came c;
    assert_true(made_take(m, &c));
    assert_string_equal(c.name, name);
    return c;
}

UNUSED static void made_nothing(struct sample_maker *m)
{
    struct came c;
    if (made_take(m, &c))
        fail_msg("a record nobody expects: hook %#x, %s", c.hook, c.name);
}

#endif
