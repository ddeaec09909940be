/* Several files, all processors, one timeline.
 *
 * Opening walks the buffer headers once and notes 16 bytes for each buffer: the time
 * of its first event and where it is. Sorted by time, that index says when each
 * buffer's turn comes, whatever order they were flushed, wrapped or appended in.
 * Reading keeps a heap of *runs*, the buffers whose time span the timeline is in
 * (in an ordinary log one for each processor), and opens the next one of the index
 * when the oldest event of the heap is not older than its first.
 *
 * Memory: the index (16 bytes for a buffer of usually 64 KiB) and a piece or two of
 * data for each run, whatever the size of the files and of their buffers. */
#include "src/etl/file.h"

#include "src/base/heap.h"
#include "src/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    FILES_MOST = 64,      /* sources of an engine */
    INDEX_MOST = 4 << 20, /* 64 MiB of index: 256 GiB of 64 KiB buffers */
    RUNS_MOST = ETL_CPUS_MOST,
};

/* Where a buffer is, in one word that sorts as ties are to be broken: lower file, lower
 * processor, file order. 64 TiB are more than a file can have. */
enum { OFFSET_BITS = 46, CPU_BITS = 11 };

static uint64_t place_make(size_t file, unsigned cpu, uint64_t offset)
{
    return (uint64_t)file << (OFFSET_BITS + CPU_BITS) | (uint64_t)cpu << OFFSET_BITS | offset;
}

static size_t place_file(uint64_t place)
{
    return (size_t)(place >> (OFFSET_BITS + CPU_BITS));
}

static uint64_t place_offset(uint64_t place)
{
    return place & (((uint64_t)1 << OFFSET_BITS) - 1);
}

/* A buffer being read, with its next event. */
struct run {
    struct etl_feed feed;
    struct event event;
};

struct etl_reader {
    struct etl_file **files;
    size_t count;
    struct heap_key *index; /* number: the place */
    size_t index_count, index_room, index_at;
    struct heap heap; /* of runs, by their event's time, and the place */
    struct heap_item runs[RUNS_MOST];
    struct run *idle[RUNS_MOST]; /* closed runs keep their memory */
    size_t idle_count;
    bool is_top_taken; /* the caller has the top's event: move on first */
    int64_t last_key, newest_key;
    uint64_t done, total; /* bytes of buffers */
};

/* Times compare raw within one file, and as ns since 1970 over several. */
static int64_t key_of(const struct etl_reader *r, const struct etl_file *f, int64_t ts)
{
    return r->count == 1 ? ts : trace_clock_ns(&f->clock, ts);
}

/* ---- the index ---------------------------------------------------------------------- */

static bool index_grow(struct etl_reader *r, const struct etl_file *f, struct err *err)
{
    if (r->index_count < r->index_room)
        return true;
    if (r->index_count == INDEX_MOST)
        return fail(err,
                    "%s: more than %d buffers to put in order; cut the file or read it with "
                    "`tracetop stats`, which needs no order",
                    f->name, INDEX_MOST);
    const size_t room = r->index_room ? r->index_room * 2 : 256;
    struct heap_key *more = realloc(r->index, room * sizeof *more);
    if (!more)
        return fail(err, "%s: no memory for an index of %zu buffers", f->name, room);
    r->index = more;
    r->index_room = room;
    return true;
}

static bool index_add(struct etl_reader *r, size_t file, const struct etl_spot *spot,
                      struct err *err)
{
    struct etl_file *f = r->files[file];
    if (spot->offset >> OFFSET_BITS)
        return fail(err, "%s: a buffer at %" PRIu64 " is further than any file reaches", f->name,
                    spot->offset);
    if (!etl_feed_first_time(f, spot, &f->ts, err) || !index_grow(r, f, err))
        return false;
    const int64_t key = key_of(r, f, f->ts);
    r->newest_key = key > r->newest_key ? key : r->newest_key;
    r->index[r->index_count++] = (struct heap_key){
        .time = key,
        .number = place_make(file, spot->head.cpu, spot->offset),
    };
    r->total += spot->head.bytes;
    if (f->cpus_seen <= spot->head.cpu)
        f->cpus_seen = spot->head.cpu + 1u;
    return true;
}

static bool index_file(struct etl_reader *r, size_t file, struct err *err)
{
    struct etl_file *f = r->files[file];
    struct etl_spot spot;
    enum etl_answer answer;
    f->window.chunk = ETL_SCAN_CHUNK;
    while ((answer = etl_scan(f, &spot, err)) == ETL_EVENT)
        if (!index_add(r, file, &spot, err))
            return false;
    if (!f->header.cpus) /* not said, or not believed */
        f->header.cpus = f->cpus_seen < ETL_CPUS_MOST ? f->cpus_seen : ETL_CPUS_MOST;
    return answer == ETL_END;
}

static int compare(const void *a, const void *b)
{
    return heap_key_is_before(a, b) ? -1 : heap_key_is_before(b, a);
}

/* What is not open yet. */
static void index_sort(struct etl_reader *r)
{
    if (r->index_count > r->index_at)
        qsort(r->index + r->index_at, r->index_count - r->index_at, sizeof *r->index, compare);
}

/* ---- the runs ---------------------------------------------------------------------------- */

static struct etl_file *run_file(const struct etl_reader *r, const struct heap_item *i)
{
    return r->files[place_file(i->key.number)];
}

/* The next event of the run, and its time. */
static enum etl_answer run_next(const struct etl_reader *r, struct heap_item *i, struct err *err)
{
    struct etl_file *f = run_file(r, i);
    struct run *const run = i->what;
    const enum etl_answer answer = etl_feed_next(&run->feed, f, &run->event, err);
    if (answer == ETL_EVENT) {
        run->event.source = (uint8_t)place_file(i->key.number);
        i->key.time = key_of(r, f, run->event.ts);
    }
    return answer;
}

/* The header again, for the file may no longer be what it was when it was indexed:
 * then that is said, and the buffer is over before it began. */
static enum etl_answer read_spot(struct etl_file *f, uint64_t place, struct etl_feed *feed,
                                 struct err *err)
{
    size_t got;
    struct err why;
    struct etl_spot *spot = &feed->spot;
    *spot = (struct etl_spot){.offset = place_offset(place)};
    feed->is_damaged = false;
    const uint8_t *at = etl_window_at(f, spot->offset, ETL_BUFFER_HEADER, &got, err);
    if (!at)
        return ETL_FAILED;
    if (got < ETL_BUFFER_HEADER) {
        etl_notice_cut(f, feed, ETL_BUFFER_HEADER, got);
        return ETL_END;
    }
    spot->head = etl_buffer_read(at);
    if (etl_buffer_check(&spot->head, &why)) {
        etl_settle_size(f, spot);
        return ETL_EVENT;
    }
    etl_notice_changed(f, feed, why.text);
    return ETL_END;
}

/* The raw time that the index knows a buffer by. */
static int64_t raw_of(const struct etl_reader *r, const struct etl_file *f, int64_t key)
{
    return r->count == 1 ? key : trace_clock_raw(&f->clock, key);
}

static enum etl_answer open_run(struct etl_reader *r, struct heap_item *i, struct err *err)
{
    struct etl_file *f = run_file(r, i);
    struct etl_feed *feed = &((struct run *)i->what)->feed;
    const enum etl_answer answer = read_spot(f, i->key.number, feed, err);
    if (answer != ETL_EVENT)
        return answer;
    r->done += feed->spot.head.bytes;
    const struct etl_spot spot = feed->spot;
    if (!etl_feed_open(feed, f, &spot, raw_of(r, f, i->key.time), ETL_OWN, err))
        return ETL_FAILED;
    return run_next(r, i, err);
}

static void run_close(struct etl_reader *r, struct run *run)
{
    r->idle[r->idle_count++] = run;
}

/* Opens the next buffer of the index; one without events is none. */
static bool open_next(struct etl_reader *r, struct err *err)
{
    struct run *run = r->idle_count ? r->idle[--r->idle_count] : mem_new(1, sizeof *run);
    struct heap_item item = {r->index[r->index_at++], run};
    const enum etl_answer answer = open_run(r, &item, err);
    if (answer == ETL_EVENT)
        heap_add(&r->heap, item);
    else
        run_close(r, run);
    return answer != ETL_FAILED;
}

/* Moves the top run on; a run at its end leaves the heap. */
static bool move_on(struct etl_reader *r, struct err *err)
{
    struct heap_item first = r->heap.items[0];
    const enum etl_answer answer = run_next(r, &first, err);
    if (answer == ETL_EVENT)
        heap_move_first(&r->heap, first.key.time);
    else if (answer == ETL_END)
        run_close(r, heap_take(&r->heap).what);
    return answer != ETL_FAILED;
}

static bool is_next_due(const struct etl_reader *r)
{
    return r->index_at < r->index_count && r->heap.count < RUNS_MOST &&
           (r->heap.count == 0 ||
            !heap_key_is_before(&r->heap.items[0].key, &r->index[r->index_at]));
}

/* ---- the reader ------------------------------------------------------------------------------ */

/* By names, or where there are none by what is open already. */
static bool open_files(struct etl_reader *r, const char *const *names,
                       struct etl_file *const *files, size_t count, struct err *err)
{
    if (count > FILES_MOST)
        return fail(err, "%zu files: at most %d can be read as one timeline", count, FILES_MOST);
    r->files = mem_new(count, sizeof *r->files);
    for (; r->count < count; r->count++) {
        r->files[r->count] =
            names ? etl_open(names[r->count], err) : etl_open_again(files[r->count], err);
        if (!r->files[r->count])
            return false;
    }
    return true;
}

/* Of one that grows: only where it does so at its end. */
static bool let_grow(const struct etl_reader *r, struct err *err)
{
    struct etl_file *const f = r->files[0];
    f->is_growing = true;
    return f->header.mode & ETL_MODE_COMPRESSED ||
           fail(err, "%s: expected a compressed trace, as recorders write them, to follow",
                f->name);
}

static struct etl_reader *open_reader(const char *const *names, struct etl_file *const *files,
                                      size_t count, bool is_growing, struct err *err)
{
    struct etl_reader *r = mem_new(1, sizeof *r);
    r->heap.items = r->runs;
    r->newest_key = INT64_MIN;
    bool is_good = open_files(r, names, files, count, err) && (!is_growing || let_grow(r, err));
    for (size_t i = 0; i < count && is_good; i++)
        is_good = index_file(r, i, err);
    if (!is_good) {
        etl_reader_close(r);
        return NULL;
    }
    index_sort(r);
    r->last_key = INT64_MIN;
    return r;
}

struct etl_reader *etl_reader_open(const char *const *names, size_t count, struct err *err)
{
    return open_reader(names, NULL, count, false, err);
}

struct etl_reader *etl_reader_open_again(struct etl_file *const *files, size_t count,
                                         struct err *err)
{
    return open_reader(NULL, files, count, false, err);
}

struct etl_reader *etl_reader_open_growing(const char *name, struct err *err)
{
    return open_reader(&name, NULL, 1, true, err);
}

bool etl_reader_grow(struct etl_reader *r, bool is_final, struct err *err)
{
    struct etl_file *const f = r->files[0];
    if (!is_final && etl_size_now(f) == f->at)
        return true;
    if (!etl_read_header_again(f, err) && is_final)
        return false;
    f->is_growing &= !is_final;
    if (!index_file(r, 0, err))
        return false;
    index_sort(r);
    return true;
}

void etl_reader_put_back(struct etl_reader *r)
{
    r->is_top_taken = false;
}

int64_t etl_reader_newest(const struct etl_reader *r)
{
    return r->newest_key;
}

static void run_free(struct run *run)
{
    free(run->feed.room.bytes);
    free(run);
}

void etl_reader_close(struct etl_reader *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->heap.count; i++)
        run_free(r->heap.items[i].what);
    for (size_t i = 0; i < r->idle_count; i++)
        run_free(r->idle[i]);
    for (size_t i = 0; i < r->count; i++)
        etl_close(r->files[i]);
    free(r->files);
    free(r->index);
    free(r);
}

void etl_reader_rewind(struct etl_reader *r)
{
    while (r->heap.count)
        run_close(r, r->heap.items[--r->heap.count].what);
    r->index_at = 0;
    r->is_top_taken = false;
    r->last_key = INT64_MIN;
    r->done = 0;
}

size_t etl_reader_files(const struct etl_reader *r)
{
    return r->count;
}

struct etl_file *etl_reader_file(struct etl_reader *r, size_t index)
{
    return r->files[index];
}

enum etl_answer etl_reader_next(struct etl_reader *r, struct event *out, struct err *err)
{
    if (r->is_top_taken && !move_on(r, err))
        return ETL_FAILED;
    r->is_top_taken = false;
    while (is_next_due(r))
        if (!open_next(r, err))
            return ETL_FAILED;
    if (!r->heap.count)
        return ETL_END;
    const struct heap_item *const first = &r->heap.items[0];
    *out = ((const struct run *)first->what)->event;
    if (first->key.time < r->last_key)
        run_file(r, first)->tally.late_events++;
    else
        r->last_key = first->key.time;
    r->is_top_taken = true;
    return ETL_EVENT;
}

void etl_reader_progress(const struct etl_reader *r, uint64_t *done, uint64_t *total)
{
    *done = r->done;
    *total = r->total;
}
