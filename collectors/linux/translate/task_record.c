#include "collectors/linux/translate/task_record.h"

#include <string.h>

static struct payload_writer *begin(struct translator *t, unsigned hook, unsigned version,
                                    const struct record_from *from)
{
    return record_begin(t, HEADER_SYSTEM, hook, version, from->pid, from->tid, from->cpu,
                        from->time);
}

static struct payload_writer *begin_tracetop(struct translator *t, const char *event,
                                             const char *fields, const struct record_from *from)
{
    return record_begin_tracetop(t, event, fields, from->pid, from->tid, from->cpu, from->time);
}

static void put_wide(struct payload_writer *p, struct some_text text)
{
    put_utf16(p, text.at, text.bytes);
}

static void put_narrow(struct payload_writer *p, struct some_text text)
{
    put_text(p, text.at, text.bytes);
}

/* TOKEN_USER (a pointer that is not 0 says that there is one, and attributes), then S-1-22-1-UID,
 * Samba's form for Unix users; else a pointer's half that is 0. */
static void put_owner_sid(struct payload_writer *p, const struct process_record *r)
{
    enum { REVISION = 1, PARTS = 2, UNIX_USERS = 22, USER = 1 };
    if (!r->has_owner) {
        put_u32(p, 0);
        return;
    }
    put_u64(p, 1);
    put_u64(p, 0);
    put_u8(p, REVISION);
    put_u8(p, PARTS);
    put_zeros(p, 5); /* the authority has 6 bytes, the highest first */
    put_u8(p, UNIX_USERS);
    put_u32(p, USER);
    put_u32(p, r->uid);
}

size_t task_cut_text(char *out, size_t room, struct some_text text)
{
    static const char more[] = "…";
    if (text.bytes <= room) {
        memcpy(out, text.at, text.bytes);
        return text.bytes;
    }
    size_t bytes = room - (sizeof more - 1);
    while (bytes && ((uint8_t)text.at[bytes] & 0xc0) == 0x80)
        bytes--;
    memcpy(out, text.at, bytes);
    memcpy(out + bytes, more, sizeof more - 1);
    return bytes + sizeof more - 1;
}

void put_process(struct translator *t, unsigned hook, const struct record_from *from,
                 const struct process_record *r)
{
    struct payload_writer *const p = begin(t, hook, 4, from);
    put_u64(p, 0); /* address of the kernel's object */
    put_u32(p, r->pid);
    put_u32(p, r->parent);
    put_u32(p, r->session);
    put_u32(p, hook == HOOK_PROCESS_END ? (uint32_t)r->exit : EXIT_STILL_ACTIVE);
    put_u64(p, 0); /* page tables */
    put_u32(p, 0); /* flags */
    put_owner_sid(p, r);
    put_narrow(p, r->name);
    put_wide(p, r->command);
    put_u16(p, 0); /* package */
    put_u16(p, 0); /* application */
    record_end(t);
}

void put_thread(struct translator *t, unsigned hook, const struct record_from *from, uint32_t pid,
                uint32_t tid, struct some_text name)
{
    struct payload_writer *const p = begin(t, hook, 3, from);
    put_u32(p, pid);
    put_u32(p, tid);
    put_zeros(p, 56); /* stacks, affinity, entry, environment */
    put_u32(p, 0);    /* service tag */
    put_zeros(p, 4);  /* priorities, flags */
    put_wide(p, name);
    record_end(t);
}

void put_thread_name(struct translator *t, const struct record_from *from, uint32_t pid,
                     uint32_t tid, struct some_text name)
{
    struct payload_writer *const p = begin(t, HOOK_THREAD_NAME, 2, from);
    put_u32(p, pid);
    put_u32(p, tid);
    put_wide(p, name);
    record_end(t);
}

/* ---- images ----------------------------------------------------------------------- */

static void put_mapping(struct translator *t, const struct record_from *from,
                        const struct image_record *i)
{
    struct payload_writer *const p =
        begin_tracetop(t, "Mapping",
                       "pid:u32,base:hex64,size:hex64,offset:hex64,device:hex32,"
                       "inode:u64,build:text",
                       from);
    put_u32(p, i->pid);
    put_u64(p, i->base);
    put_u64(p, i->size);
    put_u64(p, i->offset);
    put_u32(p, (uint32_t)i->dev);
    put_u64(p, i->inode);
    put_hex_text(p, i->build_id, i->build_id_bytes);
    record_end(t);
}

void put_image(struct translator *t, unsigned hook, const struct record_from *from,
               const struct image_record *i)
{
    struct payload_writer *const p = begin(t, hook, 3, from);
    put_u64(p, i->base);
    put_u64(p, i->size);
    put_u32(p, i->pid);
    put_zeros(p, 12); /* checksum, time stamp, signature */
    put_u64(p, 0);    /* the base that the file asks for */
    put_zeros(p, 16);
    put_wide(p, i->path);
    record_end(t);
    if (hook != HOOK_IMAGE_UNLOAD && (i->inode || i->build_id_bytes))
        put_mapping(t, from, i);
}

/* ---- our own ---------------------------------------------------------------------- */

void put_exec(struct translator *t, const struct record_from *from, uint32_t pid,
              struct some_text name, struct some_text path, struct some_text arguments)
{
    struct payload_writer *const p =
        begin_tracetop(t, "Exec", "pid:u32,name:text,path:text,arguments:text", from);
    put_u32(p, pid);
    put_narrow(p, name);
    put_narrow(p, path);
    put_narrow(p, arguments);
    record_end(t);
}

void put_rename(struct translator *t, const struct record_from *from, uint32_t pid,
                struct some_text name)
{
    struct payload_writer *const p = begin_tracetop(t, "Rename", "pid:u32,name:text", from);
    put_u32(p, pid);
    put_narrow(p, name);
    record_end(t);
}

void put_command(struct translator *t, const struct record_from *from,
                 const struct process_record *r, struct some_text path)
{
    struct payload_writer *const p = begin_tracetop(
        t, "Command", "pid:u32,parent:u32,session:u32,name:text,path:text,arguments:text", from);
    put_u32(p, r->pid);
    put_u32(p, r->parent);
    put_u32(p, r->session);
    put_narrow(p, r->name);
    put_narrow(p, path);
    put_narrow(p, r->command);
    record_end(t);
}

void put_owner(struct translator *t, const struct record_from *from, uint32_t pid, uint32_t uid,
               const char *name)
{
    struct payload_writer *const p = begin_tracetop(t, "Owner", "pid:u32,uid:u32,name:text", from);
    put_u32(p, pid);
    put_u32(p, uid);
    put_narrow(p, (struct some_text){name, strlen(name)});
    record_end(t);
}
