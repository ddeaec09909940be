#include "src/os/zst.h"

#include "src/base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>

bool zst_is(struct os_file *f)
{
    uint8_t magic[4];
    return os_read_at(f, magic, sizeof magic, 0, NULL) == sizeof magic &&
           load_u32(magic) == ZSTD_MAGICNUMBER;
}

/* One run: the two files, how far each has come, and a piece of memory for each. */
struct unpack {
    const char *name;
    struct os_file *from, *to;
    uint64_t from_at, to_at;
    int64_t most;
    ZSTD_DCtx *context;
    ZSTD_inBuffer in;
    ZSTD_outBuffer out;
    size_t in_room;
};

enum unpack_answer { UNPACK_MORE, UNPACK_DONE, UNPACK_DAMAGE, UNPACK_FAILED };

static bool unpack_begin(struct unpack *u, struct err *err)
{
    u->context = ZSTD_createDCtx();
    u->in_room = ZSTD_DStreamInSize();
    u->in.src = malloc(u->in_room);
    u->out.size = ZSTD_DStreamOutSize();
    u->out.dst = malloc(u->out.size);
    if (!u->context || !u->in.src || !u->out.dst)
        return fail(err, "%s: no memory to unpack it", u->name);
    u->to = os_open_unnamed(err);
    return u->to != NULL;
}

static void unpack_end(struct unpack *u)
{
    ZSTD_freeDCtx(u->context);
    free((void *)u->in.src);
    free(u->out.dst);
}

static enum unpack_answer refill(struct unpack *u, size_t wanted, struct err *damage,
                                 struct err *err)
{
    const int64_t got = os_read_at(u->from, (void *)u->in.src, u->in_room, u->from_at, err);
    if (got < 0)
        return UNPACK_FAILED;
    u->in.size = (size_t)got;
    u->in.pos = 0;
    u->from_at += (uint64_t)got;
    if (got > 0)
        return UNPACK_MORE;
    if (wanted == 0)
        return UNPACK_DONE; /* the end of a frame and of the file */
    fail(damage,
         "%s: the compressed file ends at %" PRIu64 " inside its stream: expected the end of "
         "a zstd frame",
         u->name, u->from_at);
    return UNPACK_DAMAGE;
}

static enum unpack_answer flush(struct unpack *u, struct err *damage, struct err *err)
{
    bool is_over = false;
    if (u->to_at + u->out.pos > (uint64_t)u->most) {
        u->out.pos = (size_t)((uint64_t)u->most - u->to_at);
        is_over = true;
    }
    if (!os_write_at(u->to, u->out.dst, u->out.pos, u->to_at, err))
        return UNPACK_FAILED;
    u->to_at += u->out.pos;
    u->out.pos = 0;
    if (is_over)
        fail(damage,
             "%s: unpacks to more than the %" PRId64
             " bytes that its trace header allows; the rest "
             "was left",
             u->name, u->most);
    return is_over ? UNPACK_DAMAGE : UNPACK_MORE;
}

/* One step of the stream; `wanted` is 0 between frames. */
static enum unpack_answer step(struct unpack *u, size_t *wanted, struct err *damage,
                               struct err *err)
{
    /* Output that filled the whole piece may have more behind it, but not after a frame. */
    const bool is_drained = u->out.pos < u->out.size || *wanted == 0;
    if (u->in.pos == u->in.size && is_drained) {
        const enum unpack_answer answer = refill(u, *wanted, damage, err);
        if (answer != UNPACK_MORE)
            return answer;
    }
    u->out.pos = 0;
    const uint64_t at = u->from_at - u->in.size + u->in.pos;
    *wanted = ZSTD_decompressStream(u->context, &u->out, &u->in);
    const bool is_bad = ZSTD_isError(*wanted);
    if (is_bad)
        fail(damage, "%s: at %" PRIu64 " of the compressed file: expected a zstd stream: %s",
             u->name, at, ZSTD_getErrorName(*wanted));
    const size_t came = u->out.pos;
    const enum unpack_answer answer = flush(u, damage, err);
    u->out.pos = came;
    return is_bad && answer == UNPACK_MORE ? UNPACK_DAMAGE : answer;
}

int64_t zst_head(struct os_file *from, void *to, size_t bytes)
{
    uint8_t packed[16 << 10];
    ZSTD_DCtx *const context = ZSTD_createDCtx();
    ZSTD_outBuffer out = {.dst = to, .size = bytes};
    uint64_t at = 0;
    for (size_t wanted = 1; context && out.pos < bytes && !ZSTD_isError(wanted);) {
        const int64_t got = os_read_at(from, packed, sizeof packed, at, NULL);
        ZSTD_inBuffer in = {.src = packed, .size = got > 0 ? (size_t)got : 0};
        if (!in.size)
            break;
        at += in.size;
        while (in.pos < in.size && out.pos < bytes && !ZSTD_isError(wanted))
            wanted = ZSTD_decompressStream(context, &out, &in);
    }
    ZSTD_freeDCtx(context);
    return context ? (int64_t)out.pos : -1;
}

static bool is_given_up(const struct zst_stop *stop)
{
    return stop && stop->is_given_up(stop->of);
}

struct os_file *zst_unpack(struct os_file *from, const char *name, int64_t most,
                           const struct zst_stop *stop, struct err *damage, struct err *err)
{
    struct unpack u = {.name = name, .from = from, .most = most};
    enum unpack_answer answer = UNPACK_FAILED;
    damage->text[0] = '\0';
    if (unpack_begin(&u, err)) {
        size_t wanted = 1;
        do
            answer = step(&u, &wanted, damage, err);
        while (answer == UNPACK_MORE && !is_given_up(stop));
        if (answer == UNPACK_MORE) {
            fail(err, "%s: given up while it was unpacked", name);
            answer = UNPACK_FAILED;
        }
    }
    unpack_end(&u);
    if (answer == UNPACK_DAMAGE && u.to_at == 0) {
        fail(err, "%s", damage->text);
        answer = UNPACK_FAILED;
    }
    if (answer == UNPACK_FAILED) {
        os_close(u.to);
        return NULL;
    }
    return u.to;
}

/* ---- packing ----------------------------------------------------------------------------- */

struct pack {
    struct os_file *from, *to;
    uint64_t from_at, to_at;
    ZSTD_CCtx *context;
    uint8_t *in, *out;
    size_t in_room, out_room;
};

/* What `bytes` of input give; at the end also what the frame closes with. */
static bool pack_piece(struct pack *p, size_t bytes, bool is_end, struct err *err)
{
    ZSTD_inBuffer in = {.src = p->in, .size = bytes};
    size_t left;
    do {
        ZSTD_outBuffer out = {.dst = p->out, .size = p->out_room};
        left = ZSTD_compressStream2(p->context, &out, &in, is_end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return fail(err, "packing failed: %s", ZSTD_getErrorName(left));
        if (!os_write_at(p->to, p->out, out.pos, p->to_at, err))
            return false;
        p->to_at += out.pos;
    } while (in.pos < in.size || (is_end && left));
    return true;
}

static bool pack_all(struct pack *p, const _Atomic bool *stop, struct err *err)
{
    if (!p->context || !p->in || !p->out)
        return fail(err, "no memory to pack the trace");
    ZSTD_CCtx_setParameter(p->context, ZSTD_c_checksumFlag, 1);
    for (;;) {
        if (stop && *stop)
            return fail(err, "interrupted while packing");
        const int64_t got = os_read_at(p->from, p->in, p->in_room, p->from_at, err);
        if (got < 0)
            return false;
        p->from_at += (uint64_t)got;
        const bool is_end = (size_t)got < p->in_room;
        if (!pack_piece(p, (size_t)got, is_end, err))
            return false;
        if (is_end)
            return true;
    }
}

bool zst_pack(struct os_file *from, struct os_file *to, const _Atomic bool *stop, struct err *err)
{
    struct pack p = {.from = from,
                     .to = to,
                     .context = ZSTD_createCCtx(),
                     .in_room = ZSTD_CStreamInSize(),
                     .out_room = ZSTD_CStreamOutSize()};
    p.in = malloc(p.in_room);
    p.out = malloc(p.out_room);
    const bool is_good = pack_all(&p, stop, err);
    ZSTD_freeCCtx(p.context);
    free(p.in);
    free(p.out);
    return is_good;
}
