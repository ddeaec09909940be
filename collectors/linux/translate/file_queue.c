#include "collectors/linux/translate/file_queue.h"

#include "collectors/linux/translate/file_names.h"

#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPS = 1 << 13,        /* events that may wait … */
    CHAINS = 1 << 16,     /* … and words of their stacks */
    LOOKUPS = 1 << 12,    /* 8 MB; fewer where the ring of events is small */
    FEW_LOOKUPS = 1 << 7, /* that are taken in turn first; twice as many where all of them wait */
    LOOKUPS_PART = 16,    /* of the ring of events */
};

/* What is not known by then goes without a name. The helper needs some microseconds, but shares
 * the processors with whatever is traced, and may be at something longer: at first it lists the
 * whole system. A call that opens may wait for ever, and all behind it with it. */
static const int64_t PATIENCE_NS = 1000000000, CALL_PATIENCE_NS = 200000000;
/* A call that has not returned by then, of a thread that was killed for one, leaves its place. */
static const int64_t GIVEN_UP_NS = 10000000000;

/* Namespaces of keys that are no device's. */
enum { NAMESPACE_PATH = 1, NAMESPACE_DESCRIPTOR };
#define KEY_NAMESPACE(number) (UINT64_MAX - (number))

enum lookup_state {
    LOOKUP_FREE,
    LOOKUP_CALLING, /* the call that opens it has not returned */
    LOOKUP_ASKED,
    LOOKUP_ANSWERED, /* the stream has not come to where the helper looked */
    LOOKUP_FILE,
    LOOKUP_OTHER,
    LOOKUP_GONE,
};

struct lookup {
    uint32_t serial;
    uint32_t events; /* in the queue that refer to it */
    uint32_t pid;
    int32_t fd; /* -1 while it is not known */
    uint64_t object, key;
    uint64_t known; /* the key of before, where it is looked up again; 0 = there was none */
    int64_t begun_ns;
    int64_t closed_ns;   /* 0 = open as far as is known */
    int64_t answered_ns; /* when the helper looked */
    uint8_t state;       /* enum lookup_state */
    bool is_file;        /* the answer: a file */
    char path[FILE_PATH];     /* of the call; of the answer, once that is valid */
    char answered[FILE_PATH]; /* the answer's, while it is not known whether it holds */
};

struct queued {
    struct file_op op;
    uint32_t chain, chain_count;
    uint64_t chains_after; /* chain_end behind it */
};

struct file_queue {
    struct translator *t;
    struct open_files *files;
    struct queued *ops;
    uint64_t first, end; /* of ops, counting on */
    uint64_t *chains;
    uint64_t chain_first, chain_end;
    struct lookup *lookups;
    uint32_t next_lookup, lookup_room, lookup_most;
    uint32_t most_ops; /* that ever waited */
    struct file_names *names;
};

struct file_queue *file_queue_new(struct translator *t, struct open_files *files)
{
    struct file_queue *q = mem_new(1, sizeof *q);
    q->t = t;
    q->files = files;
    q->ops = mem_new(OPS, sizeof *q->ops);
    q->chains = mem_new(CHAINS, sizeof *q->chains);
    q->lookup_most =
        translator_places(t, sizeof *q->lookups, LOOKUPS_PART, FEW_LOOKUPS, LOOKUPS);
    q->lookups = mem_new(q->lookup_most, sizeof *q->lookups);
    q->lookup_room = FEW_LOOKUPS;
    q->names = file_names_new();
    return q;
}

void file_queue_free(struct file_queue *q)
{
    if (!q)
        return;
    free(q->ops);
    free(q->chains);
    free(q->lookups);
    file_names_free(q->names);
    free(q);
}

size_t file_queue_bytes(const struct file_queue *q)
{
    return q->most_ops * sizeof *q->ops + CHAINS * sizeof *q->chains +
           q->lookup_room * sizeof *q->lookups + file_names_bytes();
}

/* ---- names ---------------------------------------------------------------------------- */

bool file_name(struct file_queue *q, uint64_t key, const char *path, int64_t time)
{
    return file_names_put(q->names, q->t, key, path, time);
}

/* The key of a file of which only the path is known, named. */
static uint64_t file_key_of_path(struct file_queue *q, const char *path, int64_t time)
{
    const uint64_t key =
        linux_file_key(KEY_NAMESPACE(NAMESPACE_PATH), file_path_hash(path, strlen(path)));
    file_name(q, key, path, time);
    return key;
}

/* What is left of a file when it cannot be looked up: one name for all with this number. */
static uint64_t key_of_descriptor(struct file_queue *q, int32_t fd, char name[32], int64_t time)
{
    if (fd < 0)
        return 0;
    snprintf(name, 32, "fd %d", (int)fd);
    const uint64_t key = linux_file_key(KEY_NAMESPACE(NAMESPACE_DESCRIPTOR), (uint32_t)fd);
    file_name(q, key, name, time);
    return key;
}

/* ---- lookups ---------------------------------------------------------------------------- */

/* Its handle is its place and which use of the place it is: an old one finds nothing. */
static struct lookup *lookup_at(struct file_queue *q, uint32_t handle)
{
    const uint32_t at = handle & (LOOKUPS - 1);
    struct lookup *const l = at < q->lookup_most ? &q->lookups[at] : NULL;
    return l && handle && l->serial == handle / LOOKUPS ? l : NULL;
}

static bool is_waiting(const struct lookup *l)
{
    return l->state == LOOKUP_CALLING || l->state == LOOKUP_ASKED || l->state == LOOKUP_ANSWERED;
}

static bool is_late(const struct lookup *l, int64_t now)
{
    return now - l->begun_ns > (l->state == LOOKUP_CALLING ? CALL_PATIENCE_NS : PATIENCE_NS);
}

/* Who takes a lookup. Calls that open have the odd places, others the even ones: where the helper
 * is slow, questions fill all of theirs, and calls whose path is known need no answer. */
enum taker { ASKS, OPENS };

/* A place that nothing waits for; memory is touched as far as places are needed. */
static struct lookup *free_lookup(struct file_queue *q, enum taker taker, int64_t time,
                                  uint32_t *at)
{
    for (;; q->lookup_room *= 2) {
        for (unsigned i = 0; i < q->lookup_room / 2; i++) {
            *at = (q->next_lookup++ * 2 + taker) & (q->lookup_room - 1);
            struct lookup *const l = &q->lookups[*at];
            const bool is_given_up = time - l->begun_ns > GIVEN_UP_NS ||
                                     (q->lookup_room == q->lookup_most && is_late(l, time));
            if (!l->events && (!is_waiting(l) || is_given_up))
                return l;
        }
        if (q->lookup_room == q->lookup_most)
            return NULL;
        q->next_lookup = q->lookup_room / 2;
    }
}

static void write_first(struct file_queue *q);
static void put_what_can_go(struct file_queue *q, int64_t now);

/* Where events of the queue have all places of calls that open, the first of them goes without its
 * name: it waits for an answer, and holds up all behind it, most of which know theirs. */
static struct lookup *take_lookup(struct file_queue *q, enum taker taker, int64_t time,
                                  uint32_t *at)
{
    enum { GIVEN_UP_MOST = 256 };
    struct lookup *l = free_lookup(q, taker, time, at);
    for (unsigned i = 0; !l && taker == OPENS && i < GIVEN_UP_MOST && q->first < q->end; i++) {
        write_first(q);
        put_what_can_go(q, time);
        l = free_lookup(q, taker, time, at);
    }
    return l;
}

static uint32_t lookup_new(struct file_queue *q, enum taker taker, uint32_t pid, int64_t time)
{
    uint32_t at;
    struct lookup *const l = take_lookup(q, taker, time, &at);
    if (!l)
        return 0;
    if (++l->serial > UINT32_MAX / LOOKUPS)
        l->serial = 1;
    l->state = LOOKUP_CALLING;
    l->pid = pid;
    l->fd = -1;
    l->object = open_files_object(q->files, pid);
    l->key = l->known = 0;
    l->begun_ns = time;
    l->closed_ns = l->answered_ns = 0;
    l->path[0] = '\0';
    return l->serial * LOOKUPS | at;
}

static void set_path(char to[FILE_PATH], const char *path, size_t bytes)
{
    const size_t kept = bytes < FILE_PATH ? bytes : FILE_PATH - 1;
    memcpy(to, path, kept);
    to[kept] = '\0';
}

uint32_t file_lookup_open(struct file_queue *q, uint32_t pid, const char *path, size_t path_bytes,
                          int64_t time)
{
    const uint32_t handle = lookup_new(q, OPENS, pid, time);
    struct lookup *const l = lookup_at(q, handle);
    if (l && path)
        set_path(l->path, path, path_bytes);
    return handle;
}

void file_lookup_path(struct file_queue *q, uint32_t lookup, const char *path, size_t path_bytes)
{
    struct lookup *const l = lookup_at(q, lookup);
    if (l && l->state == LOOKUP_CALLING)
        set_path(l->path, path, path_bytes);
}

void file_lookup_failed(struct file_queue *q, uint32_t lookup)
{
    struct lookup *const l = lookup_at(q, lookup);
    if (l)
        l->state = LOOKUP_GONE;
}

static bool ask(struct file_queue *q, const struct open_file *f, uint32_t handle, int64_t time)
{
    const struct help question = {
        .kind = HELP_FD,
        .domain = DOMAIN_FILE,
        .pid = f->pid,
        .fd = f->fd,
        .key = handle,
        .time = time,
    };
    return q->t->helper && helper_ask(q->t->helper, &question);
}

/* The call had the whole path: that is the file's name, and nothing waits. The first time, the
 * helper looks the file up all the same: disks and faults know it by its device and inode. */
static void take_reported_path(struct file_queue *q, struct lookup *l, struct open_file *f,
                               int64_t time)
{
    l->key =
        linux_file_key(KEY_NAMESPACE(NAMESPACE_PATH), file_path_hash(l->path, strlen(l->path)));
    l->state = LOOKUP_FILE;
    f->key = l->key;
    f->state = OPEN_FILE;
    if (file_name(q, l->key, l->path, l->begun_ns))
        ask(q, f, 0, time);
}

void file_lookup_ask(struct file_queue *q, struct open_file *f, uint32_t lookup, int64_t time)
{
    struct lookup *l = lookup_at(q, lookup);
    if (l)
        f->object = l->object;
    const uint32_t handle = l ? lookup : lookup_new(q, ASKS, f->pid, time);
    l = lookup_at(q, handle);
    if (!l)
        return; /* it stays OPEN_GONE */
    l->object = f->object;
    l->fd = f->fd;
    if (l->path[0] == '/') {
        take_reported_path(q, l, f, time);
        return;
    }
    const bool is_asked = ask(q, f, handle, time);
    l->state = is_asked ? LOOKUP_ASKED : LOOKUP_GONE;
    f->state = is_asked ? OPEN_ASKED : OPEN_GONE;
    f->lookup = handle;
}

bool file_lookup_again(struct file_queue *q, struct open_file *f, int64_t time)
{
    const uint32_t handle = lookup_new(q, ASKS, f->pid, time);
    struct lookup *const l = lookup_at(q, handle);
    if (!l)
        return false;
    l->object = f->object;
    l->fd = f->fd;
    l->known = f->key;
    const bool is_asked = ask(q, f, handle, time);
    l->state = is_asked ? LOOKUP_ASKED : LOOKUP_GONE;
    if (!is_asked)
        return false;
    f->state = OPEN_ASKED;
    f->lookup = handle;
    return true;
}

bool file_lookup_is_alive(struct file_queue *q, uint32_t lookup, int64_t now)
{
    const struct lookup *const l = lookup_at(q, lookup);
    return l && (l->state == LOOKUP_ANSWERED ||
                 (is_waiting(l) && now - l->begun_ns <= GIVEN_UP_NS));
}

void file_lookup_closed(struct file_queue *q, const struct open_file *f, int64_t time)
{
    struct lookup *const l = f->state == OPEN_ASKED ? lookup_at(q, f->lookup) : NULL;
    if (l && l->object == f->object && !l->closed_ns)
        l->closed_ns = time;
}

/* Nobody can say what it is: it is what it was before, if that is known. */
static void set_lookup_gone(struct lookup *l)
{
    l->state = l->known ? LOOKUP_FILE : LOOKUP_GONE;
    l->key = l->known;
}

/* The descriptor's entry learns what the lookup has found. */
static void update_entry(struct open_file *f, const struct lookup *l)
{
    f->state = l->state == LOOKUP_FILE    ? OPEN_FILE
               : l->state == LOOKUP_OTHER ? OPEN_OTHER
                                          : OPEN_GONE;
    f->key = l->key;
}

/* The stream has passed the moment at which the helper looked: was it still the same? */
static void settle(struct file_queue *q, struct lookup *l)
{
    struct open_file *f = open_files_find(q->files, l->pid, l->fd, l->answered_ns);
    if (f && f->object != l->object)
        f = NULL;
    const bool holds = l->closed_ns ? l->answered_ns < l->closed_ns : f != NULL;
    l->state = l->is_file ? LOOKUP_FILE : LOOKUP_OTHER;
    if (!holds)
        set_lookup_gone(l);
    else if (l->is_file)
        set_path(l->path, l->answered, strlen(l->answered));
    if (f)
        update_entry(f, l);
}

static void answer(struct file_queue *q, struct lookup *l, const struct reply *m)
{
    l->answered_ns = m->time;
    l->is_file = m->is_file;
    l->state = LOOKUP_ANSWERED;
    if (m->is_file) {
        l->key = linux_file_key(m->dev, m->inode);
        set_path(l->answered, m->path, strlen(m->path));
        /* True of the file, whatever became of the descriptor; and before whatever waits for it, in
         * order of time as well: a file has its records in that order. */
        file_name(q, l->key, l->answered, l->begun_ns);
    }
}

void file_lookup_reply(struct file_queue *q, const struct reply *m)
{
    if (!m->key && m->is_found && m->is_file)
        file_name(q, linux_file_key(m->dev, m->inode), m->path, q->t->time);
    struct lookup *const l = lookup_at(q, (uint32_t)m->key);
    if (!l || l->state != LOOKUP_ASKED)
        return;
    if (m->is_found) {
        answer(q, l, m);
        return;
    }
    set_lookup_gone(l);
    struct open_file *const f = open_files_find(q->files, l->pid, l->fd, m->time);
    if (f && f->object == l->object)
        update_entry(f, l);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* What an event is about, as far as is known when it leaves. */
struct subject {
    uint64_t object, key;
    const char *path; /* of a Create */
    bool is_file;
    char name[32];
};

static void find_subject(struct file_queue *q, const struct file_op *op, struct subject *s)
{
    s->object = op->object;
    s->key = op->key;
    s->path = "";
    s->is_file = true;
    const struct lookup *const l = lookup_at(q, op->lookup);
    if (!l)
        return;
    s->object = l->object;
    s->key = l->key;
    s->path = l->path;
    s->is_file = l->state != LOOKUP_OTHER;
    if (l->state == LOOKUP_FILE || !s->is_file)
        return;
    if (l->known) { /* the answer is late */
        s->key = l->known;
        return;
    }
    s->key = l->path[0] ? file_key_of_path(q, l->path, op->time)
                        : key_of_descriptor(q, l->fd, s->name, op->time);
    if (!l->path[0])
        s->path = s->name;
}

static void put_payload(struct payload_writer *p, const struct file_op *op, const struct subject *s)
{
    if (op->type == FILE_READ || op->type == FILE_WRITE)
        put_u64(p, op->offset);
    put_u64(p, op->irp);
    if (op->type == FILE_OPERATION_END) {
        put_u64(p, op->offset);
        put_u32(p, op->size);
        return;
    }
    put_u64(p, s->object);
    if (op->type == FILE_CREATE) {
        put_u32(p, op->tid);
        put_u32(p, op->flags);
        put_u32(p, 0x80); /* NORMAL */
        put_u32(p, 7);    /* Linux shares all */
        put_utf16(p, s->path, strlen(s->path));
        return;
    }
    put_u64(p, s->key);
    const bool is_info = op->type == FILE_SET_INFO || op->type == FILE_DELETE ||
                         op->type == FILE_RENAME || op->type == FILE_QUERY_INFO || op->type == FILE_FS_CONTROL;
    if (is_info)
        put_u64(p, op->offset);
    put_u32(p, op->tid);
    if (is_info || op->type == FILE_DIR_ENUM || op->type == FILE_READ || op->type == FILE_WRITE)
        put_u32(p, op->size);
    if (op->type == FILE_READ || op->type == FILE_WRITE)
        put_u32(p, op->flags);
    if (op->type == FILE_DIR_ENUM) {
        put_u32(p, op->flags);
        put_u32(p, 0);
        put_utf16(p, "*", 1);
    }
}

static void write_op(struct file_queue *q, const struct file_op *op, const uint64_t *chain,
                     uint32_t chain_count)
{
    struct subject subject = {.name = ""};
    find_subject(q, op, &subject);
    if (!subject.is_file)
        return;
    struct translator *const t = q->t;
    struct payload_writer *const p =
        record_begin(t, HEADER_SYSTEM, 0x0400 | op->type, 3, op->pid, op->tid, op->cpu, op->time);
    put_payload(p, op, &subject);
    record_end(t);
    const struct sample stack = {.cpu = op->cpu,
                                 .pid = op->pid,
                                 .tid = op->tid,
                                 .time = op->time,
                                 .chain = chain,
                                 .chain_count = chain_count};
    if (chain_count)
        stack_put(t, &stack, op->pid, op->tid, op->time);
}

static void write_first(struct file_queue *q)
{
    const struct queued *const first = &q->ops[q->first & (OPS - 1)];
    write_op(q, &first->op, q->chains + first->chain, first->chain_count);
    struct lookup *const l = lookup_at(q, first->op.lookup);
    if (l)
        l->events--;
    q->chain_first = first->chains_after;
    q->first++;
    if (q->first == q->end) /* the same places again, whose memory has been touched */
        q->first = q->end = q->chain_first = q->chain_end = 0;
}

static void put_what_can_go(struct file_queue *q, int64_t now)
{
    for (; q->first < q->end; write_first(q)) {
        struct lookup *const l = lookup_at(q, q->ops[q->first & (OPS - 1)].op.lookup);
        if (!l)
            continue;
        if (l->state == LOOKUP_ANSWERED && now >= l->answered_ns)
            settle(q, l);
        if (!is_waiting(l))
            continue;
        if (!is_late(l, now))
            return;
    }
}

static void report_what_waits(struct file_queue *q)
{
    q->t->awaited_since = q->first < q->end ? q->ops[q->first & (OPS - 1)].op.time : 0;
}

void file_queue_drain(struct file_queue *q, int64_t now)
{
    put_what_can_go(q, now);
    report_what_waits(q);
}

void file_queue_flush(struct file_queue *q)
{
    while (q->first < q->end)
        write_first(q);
    report_what_waits(q);
}

/* A stack lies in one piece: what does not fit before the end begins at the start again. */
static bool keep_chain(struct file_queue *q, struct queued *e, const struct sample *s)
{
    const uint64_t at = q->chain_end & (CHAINS - 1);
    const uint64_t skip = at + s->chain_count > CHAINS ? CHAINS - at : 0;
    if (q->chain_end + skip + s->chain_count - q->chain_first > CHAINS)
        return false;
    e->chain = (uint32_t)((q->chain_end + skip) & (CHAINS - 1));
    e->chain_count = s->chain_count;
    memcpy(q->chains + e->chain, s->chain, s->chain_count * sizeof *s->chain);
    q->chain_end += skip + s->chain_count;
    return true;
}

void file_queue_put(struct file_queue *q, const struct file_op *op, const struct sample *s)
{
    file_queue_drain(q, s->time);
    struct lookup *const l = lookup_at(q, op->lookup);
    if (q->first == q->end && (!l || !is_waiting(l))) {
        write_op(q, op, s->chain, s->chain_count);
        return;
    }
    if (q->end - q->first == OPS)
        write_first(q);
    struct queued *const e = &q->ops[q->end & (OPS - 1)];
    *e = (struct queued){.op = *op};
    while (s->chain_count && s->chain_count < CHAINS && !keep_chain(q, e, s))
        write_first(q);
    e->chains_after = q->chain_end;
    q->end++;
    const uint32_t waiting = (uint32_t)(q->end < OPS ? q->end : OPS);
    q->most_ops = waiting > q->most_ops ? waiting : q->most_ops;
    report_what_waits(q);
    if (l)
        l->events++;
}
