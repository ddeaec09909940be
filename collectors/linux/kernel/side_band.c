#include "collectors/linux/kernel/side_band.h"

#include "collectors/linux/kernel/file_key.h"

#include <linux/perf_event.h>

static struct some_text text_at(const struct sample *s, size_t offset)
{
    const char *const at = (const char *)s->body + offset;
    return (struct some_text){at, strnlen(at, s->body_bytes - offset)};
}

bool band_task(const struct sample *s, struct band_task *out)
{
    if (s->body_bytes < 16)
        return false;
    *out = (struct band_task){
        .pid = load_u32(s->body),
        .ppid = load_u32(s->body + 4),
        .tid = load_u32(s->body + 8),
        .ptid = load_u32(s->body + 12),
    };
    return true;
}

bool band_comm(const struct sample *s, struct band_comm *out)
{
    if (s->body_bytes < 8)
        return false;
    *out = (struct band_comm){load_u32(s->body), load_u32(s->body + 4), text_at(s, 8)};
    return true;
}

bool band_map(const struct sample *s, struct band_map *out)
{
    enum { FIXED = 64, BUILD_ID_MAX = 20 };
    if (s->body_bytes < FIXED)
        return false;
    *out = (struct band_map){
        .pid = load_u32(s->body),
        .tid = load_u32(s->body + 4),
        .base = load_u64(s->body + 8),
        .size = load_u64(s->body + 16),
        .offset = load_u64(s->body + 24),
        .protection = load_u32(s->body + 56),
        .name = text_at(s, FIXED),
    };
    if (s->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
        const size_t bytes = s->body[32];
        out->build_id = s->body + 36;
        out->build_id_bytes = bytes < BUILD_ID_MAX ? bytes : BUILD_ID_MAX;
    } else {
        out->dev = linux_dev(load_u32(s->body + 32), load_u32(s->body + 36));
        out->inode = load_u64(s->body + 40);
    }
    return true;
}
