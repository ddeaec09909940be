/* Records of the kernel's rings, taken apart.
 *
 *   every record   u32 type, u16 misc, u16 size
 *   SAMPLE (9)     u64 id, u64 ip, u32 pid, u32 tid, u64 time, u64 addr, u32 cpu, u32 0,
 *                  [u64 count, u64 addresses[count]], [u32 bytes, raw, padding to 8],
 *                  [u64 0: no user's; 2: of 64 bits, u64 registers[]], [u64 bytes, stack, u64 of
 *                  them that are there]
 *   the others     their body, then u32 pid, u32 tid, u64 time, u32 cpu, u32 0, u64 id
 */
#include "collectors/linux/kernel/sample.h"

#include <linux/perf_event.h>

#include <string.h>

enum {
    HEADER = 8,
    FIXED = 48,   /* of a sample, behind its header */
    TRAILER = 32, /* sample_id of the side band */
    AT_ID = HEADER,
    AT_IP = HEADER + 8,
    AT_PID = HEADER + 16,
    AT_TID = HEADER + 20,
    AT_TIME = HEADER + 24,
    AT_ADDR = HEADER + 32,
    AT_CPU = HEADER + 40,
};

/* No machine runs that long: differences of times are numbers. */
static bool is_time(int64_t time)
{
    return time >= 0 && time <= INT64_MAX / 4;
}

/* Where the sample_id of a side-band record lies: at its end. But kernels (6.18 still) make
 * each KSYMBOL record longer than the one for the listener before, with nothing in what is
 * too much: there it lies behind the name, which is padded to 8. At least HEADER + TRAILER bytes.
 */
static const uint8_t *trailer_of(const uint8_t *record, size_t bytes)
{
    enum { NAME_AT = HEADER + 16 };
    const uint8_t *const last = record + bytes - TRAILER;
    if (load_u32(record) != PERF_RECORD_KSYMBOL || bytes < NAME_AT + TRAILER)
        return last;
    const size_t room = bytes - TRAILER - NAME_AT;
    const size_t name = strnlen((const char *)record + NAME_AT, room) / 8 * 8 + 8;
    return name <= room ? record + NAME_AT + name : last;
}

int64_t sample_time(const uint8_t *record, size_t bytes)
{
    const bool is_sample = load_u32(record) == PERF_RECORD_SAMPLE;
    if (bytes < (is_sample ? HEADER + FIXED : HEADER + TRAILER))
        return 0;
    const int64_t time =
        (int64_t)load_u64(is_sample ? record + AT_TIME : trailer_of(record, bytes) + 8);
    return is_time(time) ? time : 0;
}

/* Registers and stack; those of 32-bit programs are passed over. */
static bool parse_stack(const uint8_t *record, size_t bytes, size_t at, struct sample *out)
{
    enum { ABI_NONE, ABI_32, ABI_64, REGISTERS = 8 * SAMPLE_REGISTERS };
    if (bytes - at < 8)
        return false;
    const uint64_t abi = load_u64(record + at);
    at += 8;
    if (abi != ABI_NONE) {
        if (bytes - at < REGISTERS)
            return false;
        out->registers = abi == ABI_64 ? record + at : NULL;
        at += REGISTERS;
    }
    if (bytes - at < 8)
        return false;
    const uint64_t room = load_u64(record + at);
    at += 8;
    if (!room)
        return true;
    if (room > bytes - at || bytes - at - room < 8)
        return false;
    const uint64_t used = load_u64(record + at + room);
    out->stack = record + at;
    out->stack_bytes = (uint32_t)(used < room ? used : room);
    return true;
}

/* The call chain and the raw part, as far as the record says they are there and they fit. */
static bool parse_parts(const uint8_t *record, size_t bytes, struct sample *out,
                        const struct sample_source *source)
{
    size_t at = HEADER + FIXED;
    if (source->has_chain) {
        if (bytes - at < 8)
            return false;
        const uint64_t count = load_u64(record + at);
        at += 8;
        if (count > (bytes - at) / 8)
            return false;
        out->chain = (const uint64_t *)(const void *)(record + at);
        out->chain_count = (uint32_t)count;
        at += 8 * (size_t)count;
    }
    if (source->has_raw) {
        if (bytes - at < 4)
            return false;
        const uint32_t raw = load_u32(record + at);
        at += 4;
        if (raw > bytes - at)
            return false;
        out->raw = record + at;
        out->raw_bytes = raw;
        at += raw;
    }
    at = (at + 7) & ~(size_t)7;
    return !source->has_stack || (at <= bytes && parse_stack(record, bytes, at, out));
}

static enum sample_parsed parse_sample(const uint8_t *record, size_t bytes, struct sample *out,
                                       const struct sample_source *source)
{
    out->pid = load_u32(record + AT_PID);
    out->tid = load_u32(record + AT_TID);
    out->time = (int64_t)load_u64(record + AT_TIME);
    out->ip = load_u64(record + AT_IP);
    out->addr = load_u64(record + AT_ADDR);
    out->cpu = (uint16_t)load_u32(record + AT_CPU);
    out->event = source->event;
    out->layout = source->layout;
    return is_time(out->time) && parse_parts(record, bytes, out, source) ? SAMPLE_EVENT
                                                                         : SAMPLE_BAD;
}

static enum sample_parsed parse_side_band(const uint8_t *record, size_t bytes, struct sample *out)
{
    if (bytes < HEADER + TRAILER)
        return SAMPLE_BAD;
    const uint8_t *const trailer = trailer_of(record, bytes);
    out->pid = load_u32(trailer);
    out->tid = load_u32(trailer + 4);
    out->time = (int64_t)load_u64(trailer + 8);
    out->cpu = (uint16_t)load_u32(trailer + 16);
    out->body = record + HEADER;
    out->body_bytes = (uint32_t)(trailer - out->body);
    return is_time(out->time) ? SAMPLE_SIDE_BAND : SAMPLE_BAD;
}

/* Types up to this are described in the headers of the kernel this was written against. */
static bool is_known(uint32_t type)
{
    return type >= PERF_RECORD_MMAP && type <= PERF_RECORD_AUX_OUTPUT_HW_ID;
}

/* All zero, in pieces that compilers store at once: as a whole it becomes a string instruction,
 * which takes as long as the rest of the parsing. */
static inline void clear(struct sample *s)
{
    enum { PIECE = 16, PIECES = 7 };
    _Static_assert(sizeof *s == PIECE * PIECES, "clear() covers the sample");
    uint8_t *const at = (uint8_t *)s;
    memset(at, 0, PIECE);
    memset(at + PIECE, 0, PIECE);
    memset(at + 2 * PIECE, 0, PIECE);
    memset(at + 3 * PIECE, 0, PIECE);
    memset(at + 4 * PIECE, 0, PIECE);
    memset(at + 5 * PIECE, 0, PIECE);
    memset(at + 6 * PIECE, 0, PIECE);
}

enum sample_parsed sample_parse(const uint8_t *record, size_t bytes, struct sample *out,
                                const struct sample_source **source,
                                const struct sample_source *(*find)(const void *arg, uint64_t id),
                                const void *arg)
{
    clear(out);
    out->type = load_u32(record);
    out->misc = load_u16(record + 4);
    *source = NULL;
    if (out->type != PERF_RECORD_SAMPLE)
        return is_known(out->type) ? parse_side_band(record, bytes, out) : SAMPLE_UNKNOWN_ID;
    if (bytes < HEADER + FIXED)
        return SAMPLE_BAD;
    *source = find(arg, load_u64(record + AT_ID));
    return *source ? parse_sample(record, bytes, out, *source) : SAMPLE_UNKNOWN_ID;
}

uint64_t side_band_u64(const struct sample *s, size_t at)
{
    return s->body_bytes >= 8 && at <= s->body_bytes - 8 ? load_u64(s->body + at) : 0;
}

/* ---- fields ------------------------------------------------------------------------------ */

uint64_t sample_small(const struct field_place *p, const uint8_t *at)
{
    switch (p->size) {
    case 1:
        return p->is_signed ? (uint64_t)(int64_t)(int8_t)*at : *at;
    case 2:
        return p->is_signed ? (uint64_t)(int64_t)(int16_t)load_u16(at) : load_u16(at);
    default:
        return 0;
    }
}

const uint8_t *sample_bytes(const struct sample *s, unsigned field, size_t *bytes)
{
    *bytes = 0;
    if (!sample_has(s, field))
        return NULL;
    const struct field_place *const p = &s->layout->fields[field];
    if (!p->is_data_loc) {
        *bytes = p->size;
        return s->raw + p->offset;
    }
    const uint32_t where = load_u32(s->raw + p->offset), offset = where & 0xffff;
    const uint32_t length = where >> 16;
    if (offset > s->raw_bytes || length > s->raw_bytes - offset)
        return NULL;
    *bytes = length;
    return s->raw + offset;
}

size_t sample_text(const struct sample *s, unsigned field, char *out, size_t room)
{
    size_t bytes;
    const uint8_t *const from = sample_bytes(s, field, &bytes);
    const size_t length = from ? strnlen((const char *)from, bytes) : 0;
    const size_t kept = length < room - 1 ? length : room - 1;
    if (kept)
        memcpy(out, from, kept);
    out[kept] = '\0';
    return kept;
}
