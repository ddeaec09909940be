/* What the collector's callback does with each event (collectors/windows/consumer.c), and the
 * recorder's writer behind it. */
#include "tests/cassette/make.h"
#include "tests/cassette/play.h"

#include "collectors/windows/record.h"

#include "src/base/bytes.h"
#include "src/etl/buffer.h"
#include "src/etl/write.h"
#include "src/os/os.h"

struct replay {
    struct os_file *file;
    struct etl_write *write;
    struct replayed *out;
    _Alignas(8) uint8_t record[65536];
};

/* The log header as the session describes itself. */
static struct etl_header header_of(const struct cassette *c, const struct cassette_session *s)
{
    enum {
        CPUS_AT = 12,
        TIMER_AT = 24,
        MHZ_AT = 52,
        BOOT_AT = 248,
        FREQUENCY_AT = 256,
        START_AT = 264,
        CLOCK_AT = 272,
        WHOLE = 280,
    };
    struct etl_header h = {.cpus = c->head.processors,
                           .build = c->head.build,
                           .pointer = 8,
                           .clock_type = 1,
                           .frequency = c->head.frequency,
                           .ts = c->head.began,
                           .start = c->head.began_filetime,
                           .logger = "replay"};
    if (s->header_bytes < WHOLE)
        return h;
    h.timer_resolution = load_u32(s->header + TIMER_AT);
    h.cpu_mhz = load_u32(s->header + MHZ_AT);
    h.boot = (int64_t)load_u64(s->header + BOOT_AT);
    h.frequency = (int64_t)load_u64(s->header + FREQUENCY_AT);
    h.clock_type = load_u32(s->header + CLOCK_AT);
    h.cpus = load_u32(s->header + CPUS_AT);
    return h;
}

static bool open_file(struct replay *r, const struct etl_header *h, const char *to,
                      struct err *err)
{
    uint8_t record[ETL_WRITE_HEADER_ROOM];
    const struct etl_write_options o = {.name = to,
                                        .header = record,
                                        .header_bytes = etl_log_header(h, 0, 0, record),
                                        .buffer_bytes = ETL_WRITE_BUFFER_FULL};
    r->file = os_create(to, err);
    r->write = r->file ? etl_write_new(r->file, &o, err) : NULL;
    return r->write;
}

static bool take_event(struct replay *r, const struct cassette_event *e, struct err *err)
{
    struct played played;
    struct record_plan plan;
    play_event(&played, e, NULL);
    record_plan(&played.record, &plan);
    r->out->cut += plan.is_cut;
    r->out->events++;
    record_write(&plan, r->record);
    const struct record_head head = {.bytes = (uint32_t)sizeof head + plan.bytes,
                                     .form = RECORD_ETW,
                                     .cpu = plan.cpu,
                                     .ts = played.record.EventHeader.TimeStamp.QuadPart};
    return etl_write_append(r->write, &head, r->record, err);
}

static bool take_frame(struct replay *r, const struct cassette *c, const struct cassette_frame *f,
                       const char *to, struct err *err)
{
    if (f->kind == CASSETTE_SESSION && !r->write) {
        const struct etl_header h = header_of(c, &f->about);
        return open_file(r, &h, to, err);
    }
    if (f->kind == CASSETTE_EVENT)
        return r->write ? take_event(r, &f->event, err)
                        : fail(err, "cassette: an event before any session");
    return true;
}

static bool play_all(struct replay *r, struct cassette *c, const char *to, struct err *err)
{
    struct cassette_frame f;
    for (;;) {
        switch (cassette_next(c, &f, err)) {
        case CASSETTE_FRAME:
            if (!take_frame(r, c, &f, to, err))
                return false;
            break;
        case CASSETTE_OVER:
            if (!c->has_ended)
                return fail(err, "cassette: it was cut off behind %zu bytes", c->size);
            return r->write ? etl_write_finish(r->write, 0, err)
                            : fail(err, "cassette: no session");
        case CASSETTE_DAMAGED:
            return false;
        }
    }
}

bool replay_cassette(const void *bytes, size_t size, const char *to, struct replayed *out,
                     struct err *err)
{
    static struct replay r;
    struct cassette c;
    *out = (struct replayed){0};
    r.file = NULL;
    r.write = NULL;
    r.out = out;
    record_prepare();
    const bool is_good = cassette_open(&c, bytes, size, err) && play_all(&r, &c, to, err);
    etl_write_free(r.write);
    os_close(r.file);
    return is_good;
}
