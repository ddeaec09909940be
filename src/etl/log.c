#include "src/etl/log.h"

#include "src/base/mem.h"
#include "src/os/atomic_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a file of a rotating log held, for when it goes. */
struct past {
    uint64_t events, buffers;
};

struct etl_log {
    struct etl_log_options o;
    uint8_t *header;
    struct atomic_file atomic_file;
    struct etl_write *write;
    unsigned newest, oldest;   /* numbers of the newest file, and of the oldest that is kept */
    struct past *past;         /* rotate: files_most of them, by number */
    uint64_t reserve;          /* bytes left for the end: what the front took */
    bool is_at_edge;           /* what comes belongs to this file, whatever its size */
    struct etl_written before; /* in files that are finished */
};

char *etl_log_name(const char *path, enum etl_log_mode mode, unsigned number)
{
    if (mode != ETL_LOG_ROTATE)
        return mem_string(path);
    const char *const slash = strrchr(path, '/');
    const char *const name = slash ? slash : path;
    const char *const place = strstr(name, "%d"), *const dot = strrchr(name, '.');
    const size_t room = strlen(path) + sizeof "-4294967295";
    char *const text = mem_new(room, 1);
    const size_t stem = place ? (size_t)(place - path) : dot ? (size_t)(dot - path) : strlen(path);
    if (place)
        snprintf(text, room, "%.*s%u%s", (int)stem, path, number, place + 2);
    else
        snprintf(text, room, "%.*s-%04u%s", (int)stem, path, number, path + stem);
    return text;
}

static char *name_of(const struct etl_log *l, unsigned number)
{
    return etl_log_name(l->o.path, l->o.mode, number);
}

static bool begin_file(struct etl_log *l, struct err *err)
{
    char *const name = name_of(l, l->newest + 1);
    const struct etl_write_options o = {
        .name = name,
        .header = l->header,
        .header_bytes = l->o.header_bytes,
        .buffer_bytes = l->o.buffer_bytes,
        .most_bytes = l->o.mode == ETL_LOG_CIRCULAR ? l->o.most_bytes : 0,
        .is_compressed = l->o.is_compressed,
        .is_numbered = l->o.mode == ETL_LOG_ROTATE,
        .is_stream = l->o.is_stream,
    };
    bool is_good = atomic_file_open(&l->atomic_file, name, l->o.force, err);
    l->atomic_file.stays = !l->o.is_whole_or_none;
    if (is_good) {
        l->write = etl_write_new(l->atomic_file.file, &o, err);
        is_good = l->write != NULL;
        if (!is_good)
            atomic_file_discard(&l->atomic_file);
    }
    l->newest += is_good;
    free(name);
    return is_good;
}

struct etl_log *etl_log_new(const struct etl_log_options *o, struct err *err)
{
    struct etl_log *const l = mem_new(1, sizeof *l);
    l->o = *o;
    l->o.path = mem_string(o->path);
    l->header = mem_copy(o->header, o->header_bytes);
    l->past = mem_new(o->files_most + 1, sizeof *l->past);
    l->oldest = o->first_number ? o->first_number : 1;
    l->newest = l->oldest - 1;
    l->o.first_number = l->oldest;
    const uint32_t buffer = o->buffer_bytes ? o->buffer_bytes : ETL_WRITE_BUFFER;
    if (o->mode != ETL_LOG_SEQUENTIAL && o->most_bytes / 2 < buffer)
        fail(err,
             "%s: a circular or rotating trace needs a size of two buffers (%" PRIu32 ") or more",
             o->path, buffer);
    else if (begin_file(l, err))
        return l;
    etl_log_drop(l);
    return NULL;
}

void etl_log_begin(struct etl_log *l, int64_t ts, int64_t start)
{
    if (l->write)
        etl_write_begin(l->write, ts, start);
}

static bool is_within(const struct etl_log *l, const struct record_head *head)
{
    return etl_write_size_with(l->write, head) + l->reserve <= l->o.most_bytes;
}

bool etl_log_has_room(const struct etl_log *l, const struct record_head *head)
{
    return l->o.mode != ETL_LOG_SEQUENTIAL || !l->o.most_bytes || is_within(l, head);
}

static bool is_next_file_due(const struct etl_log *l, const struct record_head *head)
{
    return l->o.mode == ETL_LOG_ROTATE && !l->is_at_edge && !is_within(l, head);
}

bool etl_log_stays(const struct etl_log *l, const struct record_head *head)
{
    return l->write && etl_log_has_room(l, head) && !is_next_file_due(l, head);
}

/* ---- from file to file ----------------------------------------------------------------------- */

static void add_counts(struct etl_written *to, const struct etl_written *c)
{
    to->events += c->events;
    to->buffers += c->buffers;
    to->bytes += c->bytes;
    to->lost_events += c->lost_events;
    to->lost_buffers += c->lost_buffers;
    to->overwritten_events += c->overwritten_events;
    to->overwritten_buffers += c->overwritten_buffers;
}

/* Makes room for the file that is finished: the oldest goes. */
static void remove_oldest(struct etl_log *l)
{
    const unsigned most = l->o.files_most;
    if (!most || l->newest - l->oldest < most)
        return;
    char *const name = name_of(l, l->oldest);
    os_remove(name);
    free(name);
    l->before.overwritten_events += l->past[l->oldest % most].events;
    l->before.overwritten_buffers += l->past[l->oldest % most].buffers;
    l->oldest++;
}

/* Gives the file that is finished, or as far as it could be written, its name; `err` says what
 * went wrong with writing it, and then also what became of it. */
static bool name_file(struct etl_log *l, bool is_whole, struct err *err)
{
    struct err name;
    if (!is_whole && l->o.is_whole_or_none) {
        atomic_file_discard(&l->atomic_file);
        return false;
    }
    const bool is_named = atomic_file_commit(&l->atomic_file, &name);
    const struct err why = is_whole || !err ? (struct err){""} : *err;
    if (is_whole && !is_named)
        fail(err, "%s", name.text);
    else if (!is_whole)
        fail(err, "%.400s; %.600s", why.text, is_named ? "earlier data was kept" : name.text);
    return is_named;
}

static bool end_file(struct etl_log *l, int64_t end, const struct err *before, struct err *err)
{
    const bool is_written = etl_write_finish(l->write, end, err);
    const bool is_whole = is_written && !before;
    if (before)
        fail(err, "%s", before->text);
    const struct etl_written c = etl_write_count(l->write);
    etl_write_free(l->write);
    l->write = NULL;
    add_counts(&l->before, &c);
    const bool is_named = name_file(l, is_whole, err);
    if (l->o.files_most) {
        remove_oldest(l);
        l->past[l->newest % l->o.files_most] = (struct past){c.events, c.buffers};
    }
    return is_whole && is_named;
}

static bool put_edge(struct etl_log *l, bool is_end, struct err *err)
{
    return !l->o.edge || l->o.edge(l->o.state, is_end, err);
}

static bool next_file(struct etl_log *l, struct err *err)
{
    struct err why;
    return begin_file(l, &why) || fail(err, "%.900s; earlier data was kept", why.text);
}

static bool rotate(struct etl_log *l, struct err *err)
{
    l->is_at_edge = true;
    const bool is_good = put_edge(l, true, err) && end_file(l, 0, NULL, err) && next_file(l, err) &&
                         put_edge(l, false, err);
    l->is_at_edge = false;
    return is_good;
}

/* ---- the log --------------------------------------------------------------------------------- */

static bool has_file(const struct etl_log *l, struct err *err)
{
    return l->write || fail(err, "%s: the trace could not continue in another file", l->o.path);
}

bool etl_log_append(struct etl_log *l, const struct record_head *head, const void *record,
                    struct err *err)
{
    if (!has_file(l, err))
        return false;
    if (is_next_file_due(l, head) && !rotate(l, err))
        return false;
    return etl_write_append(l->write, head, record, err);
}

bool etl_log_next(struct etl_log *l, struct err *err)
{
    return has_file(l, err) && rotate(l, err);
}

bool etl_log_flush(struct etl_log *l, struct err *err)
{
    return has_file(l, err) && etl_write_flush(l->write, err);
}

/* Front and end take at most half of a file. */
static bool leave_room(struct etl_log *l, struct err *err)
{
    const uint64_t front = etl_write_count(l->write).bytes;
    if (l->o.most_bytes && front > l->o.most_bytes / 4)
        return fail(err,
                    "%s: a file of %" PRIu64 " bytes is too small: %" PRIu64
                    " are needed for the state at the start",
                    l->o.path, l->o.most_bytes, front);
    l->reserve = front;
    return true;
}

bool etl_log_keep(struct etl_log *l, struct err *err)
{
    if (!has_file(l, err))
        return false;
    if (l->o.mode == ETL_LOG_CIRCULAR)
        return etl_write_keep(l->write, err);
    return etl_write_flush(l->write, err) && leave_room(l, err);
}

void etl_log_begin_end(struct etl_log *l)
{
    l->is_at_edge = true;
}

bool etl_log_finish(struct etl_log *l, int64_t end, const struct err *before,
                    struct etl_written *all, struct err *err)
{
    bool is_good = false;
    if (l->write)
        is_good = end_file(l, end, before, err);
    else if (before)
        fail(err, "%s", before->text);
    else
        has_file(l, err);
    if (all)
        *all = etl_log_count(l);
    etl_log_drop(l);
    return is_good;
}

void etl_log_drop(struct etl_log *l)
{
    if (!l)
        return;
    etl_write_free(l->write);
    atomic_file_discard(&l->atomic_file);
    free((char *)l->o.path);
    free(l->header);
    free(l->past);
    free(l);
}

struct etl_written etl_log_count(const struct etl_log *l)
{
    struct etl_written all = l->before;
    const struct etl_written c = l->write ? etl_write_count(l->write) : (struct etl_written){0};
    if (l->write)
        add_counts(&all, &c);
    return all;
}

unsigned etl_log_files(const struct etl_log *l)
{
    return l->newest - l->o.first_number + 1;
}
