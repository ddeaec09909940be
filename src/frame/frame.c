#include "src/base/mem.h"
#include "src/frame/maker.h"
#include "src/model/processor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    uint32_t class;
    const char *provider;
} recorders[] = {
    {1u << FACT_PROCESS, "Kernel-Process"},   {1u << FACT_DISK, "Kernel-Disk"},
    {1u << FACT_FILE, "Kernel-File"},         {1u << FACT_NETWORK, "Kernel-Network"},
    {1u << FACT_REGISTRY, "Kernel-Registry"},
};

/* Of what a pane is about. Panes of processes and threads have columns of everything, but are about
 * the former. A query or view that counts other classes, too, is about events and none of these. */
static uint32_t classes_of(const struct pane *p)
{
    uint32_t recorded = 0;
    for (size_t i = 0; i < sizeof recorders / sizeof *recorders; i++)
        recorded |= recorders[i].class;
    return p->view != PANE_TABLE || (p->user_view && p->classes & ~recorded) ? 0
           : p->crumb == CRUMB_PROCESS ? (p->classes | p->watched) & 1u << FACT_PROCESS
                                       : p->classes & ~(1u << FACT_PROCESS);
}

struct request request_for(const struct pane *p)
{
    return (struct request){.pane = p,
                            .sort = p->sort ? (unsigned)(pane_column(p, p->sort) - p->columns) : 0,
                            .ascending = p->order == ORDER_ASCENDING};
}

const char *frame_recorder(const struct frame *f, char out[FRAME_RECORDER])
{
    static const char kernel[] = "kernel logger";
    const uint32_t of_pane = classes_of(f->pane);
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof recorders / sizeof *recorders; i++) {
        const bool is_provider = f->by_provider & of_pane & recorders[i].class;
        const bool is_both = f->by_both & of_pane & recorders[i].class;
        const bool adds = !(RECORDED_ONCE & recorders[i].class);
        const char *const provider = recorders[i].provider;
        if (is_provider || is_both)
            used += (size_t)snprintf(out + used, FRAME_RECORDER - used, "%s%s%s%s",
                                     used ? ", " : "", is_provider ? provider : kernel,
                                     !is_both ? ""
                                     : adds   ? " and "
                                              : ", not ",
                                     !is_both      ? ""
                                     : is_provider ? kernel
                                                   : provider);
    }
    if (of_pane >> FACT_NETWORK & 1 && (f->by_winsock || f->by_http))
        snprintf(out + used, FRAME_RECORDER - used, "%s%s%s%s",
                 used                                      ? ", "
                 : f->by_kernel_logger >> FACT_NETWORK & 1 ? "kernel logger, "
                                                           : "",
                 f->by_winsock ? "Winsock-AFD (failures)" : "",
                 f->by_winsock && f->by_http ? ", " : "", f->by_http ? "HTTP (requests)" : "");
    return out;
}

void maker_init(struct frame_maker *m, size_t rows, size_t columns)
{
    *m = (struct frame_maker){0};
    m->rows = mem_new(rows, sizeof *m->rows);
    m->cells = mem_new(rows * columns, sizeof *m->cells);
    m->totals = mem_new(columns, sizeof *m->totals);
    for (size_t i = 0; i < rows; i++)
        m->rows[i].cells = m->cells + i * columns;
}

void maker_field(struct frame_maker *m, const char *name, const char *text)
{
    if (m->frame.field_count == m->field_room) {
        m->field_room = m->field_room ? m->field_room * 2 : 32;
        m->fields = mem_grow(m->fields, m->field_room, sizeof *m->fields);
    }
    m->fields[m->frame.field_count++] = (struct frame_field){
        .name = maker_text(m, VALUE_TEXT, name, strlen(name)),
        .text = maker_text(m, VALUE_TEXT, text, strlen(text)),
    };
}

void maker_payload(struct frame_maker *m, const void *bytes, size_t count)
{
    free(m->payload);
    m->payload = mem_copy(bytes, count);
    m->frame.payload_bytes = (unsigned)count;
}

struct frame *maker_take(struct frame_maker *m)
{
    struct frame *f = mem_copy(&m->frame, sizeof m->frame);
    f->rows = m->rows;
    f->totals = m->totals;
    f->fields = m->fields;
    f->payload = m->payload;
    f->arena = m->texts.bytes;
    f->arena_bytes = m->texts.used;
    f->cells = m->cells;
    *m = (struct frame_maker){0};
    return f;
}

void frame_free(struct frame *f)
{
    if (!f)
        return;
    free((void *)f->rows);
    free((void *)f->cells);
    free((void *)f->totals);
    free((void *)f->fields);
    free((void *)f->payload);
    free((void *)f->found_shut);
    free((void *)f->gauges.series);
    free((void *)f->gauges.cpus);
    free((void *)f->arena);
    chart_free((struct chart *)f->chart);
    strip_free((struct strip *)f->strip);
    free(f);
}
