/* Fuzzes the Linux collector from the kernel's ring to ETW records: ring, samples, every
 * domain's translator. The input is what the ring holds; the first bytes say from where it
 * wraps. Whatever comes in, what goes out must be records that parse. */
#include "collectors/linux/kernel/merge.h"
#include "collectors/linux/translate/translate.h"
#include "src/base/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RING = 1 << 16, EVENTS_MOST = 256, HOT = 1 << 20 };

/* What a test has in place of a running kernel: fields one after the other, some as text. */
struct dataset {
    struct collector collector;
    struct feed feed;
    struct translator translator;
    struct sample_layout layouts[EVENTS_MOST];
    struct sample_source sources[EVENTS_MOST];
    uint32_t count;
    uint8_t *ring, *bounce;
};

static void make_layout(const struct linux_event *e, struct sample_layout *l)
{
    uint16_t offset = 8;
    for (unsigned i = 0; i < LINUX_FIELDS && e->fields[i]; i++) {
        const char *const name = e->fields[i] + (e->fields[i][0] == '?');
        struct field_place *const p = &l->fields[i];
        const bool is_text = strstr(name, "name") || strstr(name, "path");
        const bool is_array = strstr(name, "addr_v6") || strcmp(name, "args") == 0 ||
                              strcmp(name, "comm") == 0 || strcmp(name, "rwbs") == 0;
        *p = (struct field_place){
            .offset = offset,
            .size = is_array  ? 16
                    : is_text ? 4
                              : 8,
            .is_signed = i % 2,
            .is_data_loc = is_text,
        };
        offset = (uint16_t)(offset + p->size);
    }
    l->bytes = offset;
}

static struct dataset *make_dataset(void)
{
    struct dataset *const w = mem_new(1, sizeof *w);
    w->collector.hot = ring_new(HOT, RING_SEGMENT);
    w->feed = (struct feed){.collector = &w->collector};
    w->translator.feed = &w->feed;
    w->translator.self = 4242;
    w->ring = mem_new(RING, 1);
    w->bounce = mem_new(KERNEL_RECORD_MAX, 1);
    for (unsigned d = 0; d < DOMAINS; d++)
        for (size_t i = 0; linux_domains[d] && i < linux_domains[d]->event_count; i++) {
            const struct linux_event *const e = &linux_domains[d]->events[i];
            const uint32_t n = w->count++;
            if (n == EVENTS_MOST)
                abort(); /* the table above is to grow */
            make_layout(e, &w->layouts[n]);
            w->sources[n] = (struct sample_source){
                .event = e, .layout = &w->layouts[n], .has_raw = e->group || e->program};
        }
    return w;
}

/* Ids: a number of the table; with bit 8 the same with a call chain, with bit 9 with a stack. */
static const struct sample_source *find(const void *arg, uint64_t id)
{
    struct dataset *const w = (struct dataset *)(uintptr_t)arg;
    const uint32_t n = id & 0xff;
    if (id >> 10 || n >= w->count)
        return NULL;
    w->sources[n].has_chain = id >> 8 & 1;
    w->sources[n].has_stack = id >> 9 & 1;
    return &w->sources[n];
}

static void check_output(struct ring *hot)
{
    uint64_t position;
    for (const struct record_head *head; (head = ring_peek(hot, &position));) {
        struct event e;
        if (head->form == RECORD_ETW && event_of_record(head, &e) != EVENT_OK)
            abort();
        ring_release(hot);
    }
}

static void take(struct dataset *w, const struct stream *st)
{
    struct sample s;
    const struct sample_source *source;
    switch (sample_parse(st->record, st->bytes, &s, &source, find, w)) {
    case SAMPLE_EVENT:
        s.event->translate(&w->translator, &s);
        break;
    case SAMPLE_SIDE_BAND:
        for (unsigned d = 0; d < DOMAINS; d++)
            if (linux_domains[d] && linux_domains[d]->side_band)
                linux_domains[d]->side_band(&w->translator, &s);
        break;
    default:
        break;
    }
    check_output(w->collector.hot);
}

/* State of one input must not decide the next one's. */
static void start_domains(struct dataset *w)
{
    for (unsigned d = 0; d < DOMAINS; d++)
        if (linux_domains[d] && linux_domains[d]->start)
            linux_domains[d]->start(&w->translator);
}

static void stop_domains(struct dataset *w)
{
    for (unsigned d = DOMAINS; d-- > 0;)
        if (linux_domains[d] && linux_domains[d]->stop)
            linux_domains[d]->stop(&w->translator);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct dataset *w;
    static unsigned runs;
    if (!w) {
        w = make_dataset();
        start_domains(w);
    } else if (++runs % 256 == 0) { /* often enough: making them takes megabytes */
        stop_domains(w);
        start_domains(w);
    }
    if (size < 2 || size - 2 > RING)
        return 0;
    uint64_t start, head, tail;
    start = (uint64_t)(data[0] | data[1] << 8) * 8;
    head = start + size - 2;
    tail = start;
    for (size_t i = 0; i < size - 2; i++)
        w->ring[(start + i) & (RING - 1)] = data[2 + i];
    struct stream stream = {.is_on = true};
    struct heap_item due[1];
    kernel_ring_init(&stream.ring, w->ring, RING, &head, &tail, w->bounce);
    struct merge m = {.streams = &stream, .stream_count = 1, .due.items = due};
    merge_begin(&m, INT64_MAX, INT64_MAX);
    for (const struct stream *s; (s = merge_next(&m)); merge_take(&m))
        take(w, s);
    merge_end(&m);
    for (unsigned d = 0; d < DOMAINS; d++)
        if (linux_domains[d] && linux_domains[d]->tick)
            linux_domains[d]->tick(&w->translator, INT64_MAX / 4);
    check_output(w->collector.hot);
    return 0;
}
