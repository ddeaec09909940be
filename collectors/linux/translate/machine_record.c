#include "collectors/linux/translate/machine_record.h"

#include <unistd.h>

void machine_put(struct translator *t, const struct machine *m, int64_t time)
{
    enum { HOOK = 0x0b0a, NAME = 256, DOMAIN_NAME = 134 };
    const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
    struct payload_writer *const p =
        record_begin(t, HEADER_SYSTEM, HOOK, 3, t->self, t->self, 0, time);
    put_u32(p, m->mhz);
    put_u32(p, m->cpus);
    put_u32(p, m->memory_mb);
    put_u32(p, page);
    put_u32(p, page); /* what memory is given out in */
    put_utf16_field(p, m->name, NAME);
    put_utf16_field(p, "", DOMAIN_NAME);
    put_u64(p, m->has_threads);
    put_u64(p, 0); /* highest user address */
    put_u16(p, m->architecture);
    put_u16(p, 0); /* level, revision */
    put_u16(p, 0);
    put_u8(p, 1); /* physical addresses beyond 32 bits, pages that are not code */
    put_u8(p, 1);
    put_u32(p, 0); /* speed of memory */
    record_end(t);
}
