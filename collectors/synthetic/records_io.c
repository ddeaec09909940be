/* The synthetic machine's records of disks, files, the registry and the network: see
 * records.c. */
#include "collectors/synthetic/machine.h"

#include "src/base/payload_writer.h"

#include <string.h>

/* ---- disks and files ------------------------------------------------------------ */

bool log_disk_init(struct synthetic *s, unsigned cpu, const struct io *io,
                   const struct demo_thread *t)
{
    static const uint8_t kinds[] = {KIND_DISK_READ_INIT, KIND_DISK_WRITE_INIT,
                                    KIND_DISK_FLUSH_INIT};
    struct payload_writer p = log_begin(s, kinds[io->kind], cpu);
    put_u64(&p, io->irp);
    put_u32(&p, t->tid);
    return log_end(s, kinds[io->kind], cpu, &p);
}

static void count_transfer(struct synthetic *s, const struct io *io, const struct demo_thread *t,
                           int64_t ticks)
{
    struct synthetic_disk *d = &s->totals.disks[io->disk];
    struct synthetic_process *c = total_of(s, t);
    d->response += ticks;
    c->disk_ticks += ticks;
    if (io->kind == IO_FLUSH) {
        d->flushes++;
    } else if (io->kind == IO_WRITE) {
        d->writes++;
        d->written_bytes += io->bytes;
        c->disk_writes++;
        c->disk_written_bytes += io->bytes;
    } else {
        d->reads++;
        d->read_bytes += io->bytes;
        c->disk_reads++;
        c->disk_read_bytes += io->bytes;
    }
}

bool log_disk_done(struct synthetic *s, unsigned cpu, const struct io *io,
                   const struct demo_thread *t)
{
    static const uint8_t kinds[] = {KIND_DISK_READ, KIND_DISK_WRITE, KIND_DISK_FLUSH};
    const enum demo_kind kind = kinds[io->kind];
    struct payload_writer p = log_begin(s, kind, cpu);
    const int64_t ticks = s->now - io->start;
    put_u32(&p, io->disk);
    put_u32(&p, io->flags);
    if (io->kind != IO_FLUSH) {
        put_u32(&p, io->bytes);
        put_u32(&p, 0);
        put_u64(&p, io->offset);
        put_u64(&p, io->key);
        put_u64(&p, io->irp);
        put_u64(&p, (uint64_t)ticks);
    } else {
        put_u64(&p, (uint64_t)ticks);
        put_u64(&p, io->irp);
    }
    put_u32(&p, t->tid);
    if (!log_end(s, kind, cpu, &p))
        return false;
    count_transfer(s, io, t, ticks);
    return true;
}

static void put_path(struct payload_writer *p, const struct demo_file *f)
{
    char path[256];
    file_path(f, path, sizeof path);
    put_ascii16(p, path);
    put_hostile(p, f->hostile);
    put_u16(p, 0);
}

bool log_file_name(struct synthetic *s, unsigned cpu, enum demo_kind kind, struct demo_file *f)
{
    struct payload_writer p = log_begin(s, kind, cpu);
    put_u64(&p, f->key);
    put_path(&p, f);
    return log_end(s, kind, cpu, &p);
}

bool log_file_open(struct synthetic *s, unsigned cpu, const struct demo_thread *t, uint64_t irp,
                   const struct demo_file *f, uint32_t options)
{
    struct payload_writer p = log_begin(s, KIND_FILE_OPEN, cpu);
    put_u64(&p, irp);
    put_u64(&p, t->object);
    put_u32(&p, t->tid);
    put_u32(&p, options);
    put_u32(&p, 0x80);
    put_u32(&p, 3);
    put_path(&p, f);
    if (!log_end(s, KIND_FILE_OPEN, cpu, &p))
        return false;
    total_of(s, t)->file_opens++;
    return true;
}

bool log_file_simple(struct synthetic *s, unsigned cpu, enum demo_kind kind,
                     const struct demo_thread *t, uint64_t irp, const struct demo_file *f)
{
    struct payload_writer p = log_begin(s, kind, cpu);
    put_u64(&p, irp);
    put_u64(&p, t->object);
    put_u64(&p, f->key);
    put_u32(&p, t->tid);
    return log_end(s, kind, cpu, &p);
}

bool log_file_transfer(struct synthetic *s, unsigned cpu, enum demo_kind kind,
                       const struct demo_thread *t, uint64_t irp, const struct demo_file *f,
                       uint64_t offset, uint32_t bytes)
{
    struct payload_writer p = log_begin(s, kind, cpu);
    put_u64(&p, offset);
    put_u64(&p, irp);
    put_u64(&p, t->object);
    put_u64(&p, f->key);
    put_u32(&p, t->tid);
    put_u32(&p, bytes);
    put_u32(&p, kind == KIND_FILE_READ ? 0x60900 : 0x60a00);
    put_u32(&p, 0); /* ExtraFlags of current builds */
    if (!log_end(s, kind, cpu, &p))
        return false;
    struct synthetic_process *c = total_of(s, t);
    if (kind == KIND_FILE_READ) {
        c->file_reads++;
        c->file_read_bytes += bytes;
    } else {
        c->file_writes++;
        c->file_written_bytes += bytes;
    }
    return true;
}

bool log_file_info(struct synthetic *s, unsigned cpu, enum demo_kind kind,
                   const struct demo_thread *t, uint64_t irp, const struct demo_file *f,
                   uint64_t extra, uint32_t info_class)
{
    struct payload_writer p = log_begin(s, kind, cpu);
    put_u64(&p, irp);
    put_u64(&p, t->object);
    put_u64(&p, f->key);
    put_u64(&p, extra);
    put_u32(&p, t->tid);
    put_u32(&p, info_class);
    return log_end(s, kind, cpu, &p);
}

bool log_file_enum(struct synthetic *s, unsigned cpu, const struct demo_thread *t, uint64_t irp,
                   const struct demo_file *f, uint32_t length)
{
    struct payload_writer p = log_begin(s, KIND_FILE_ENUM, cpu);
    put_u64(&p, irp);
    put_u64(&p, t->object);
    put_u64(&p, f->key);
    put_u32(&p, t->tid);
    put_u32(&p, length);
    put_u32(&p, 37); /* FileIdBothDirectoryInformation */
    put_u32(&p, 0);
    put_ascii16(&p, "*");
    put_u16(&p, 0);
    return log_end(s, KIND_FILE_ENUM, cpu, &p);
}

bool log_file_done(struct synthetic *s, unsigned cpu, uint64_t irp, uint64_t extra, uint32_t status)
{
    struct payload_writer p = log_begin(s, KIND_FILE_DONE, cpu);
    put_u64(&p, irp);
    put_u64(&p, extra);
    put_u32(&p, status);
    if (!log_end(s, KIND_FILE_DONE, cpu, &p))
        return false;
    s->totals.file_errors += status >> 30 == 3;
    return true;
}

/* ---- registry ------------------------------------------------------------------- */

bool log_registry(struct synthetic *s, unsigned cpu, enum demo_kind kind, int64_t since,
                  uint32_t status, uint32_t index, uint64_t handle, const char *name)
{
    struct payload_writer p = log_begin(s, kind, cpu);
    put_u64(&p, (uint64_t)since);
    put_u32(&p, status);
    put_u32(&p, index);
    put_u64(&p, handle);
    put_ascii16(&p, name);
    put_u16(&p, 0);
    if (!log_end(s, kind, cpu, &p))
        return false;
    if (kind < KIND_KCB_CREATE) { /* the rest are names, not operations */
        total_of(s, current(s, cpu))->registry++;
        s->totals.registry_errors += status >> 30 == 3;
    }
    return true;
}

/* ---- network -------------------------------------------------------------------- */

static void put_port(struct payload_writer *p, uint16_t port)
{
    put_u8(p, port >> 8);
    put_u8(p, port & 0xff);
}

/* The last part of kind numbers: IPv6 kinds follow the IPv4 ones in the same order. */
static enum demo_kind tcp_kind(enum demo_kind v4, const struct link *l)
{
    static const uint8_t v6[] = {KIND_TCP6_SEND,       KIND_TCP6_RECEIVE,    KIND_TCP6_CONNECT,
                                 KIND_TCP6_DISCONNECT, KIND_TCP6_RETRANSMIT, KIND_TCP6_ACCEPT};
    return l->is_v6 ? (enum demo_kind)v6[v4 - KIND_TCP_SEND] : v4;
}

static enum demo_kind udp_kind(bool is_send, const struct link *l)
{
    if (is_send)
        return l->is_v6 ? KIND_UDP6_SEND : KIND_UDP_SEND;
    return l->is_v6 ? KIND_UDP6_RECEIVE : KIND_UDP_RECEIVE;
}

/* TCP names its ends local and remote; UDP, as in the datagram: a datagram that comes in
 * has the peer as its source. */
static void put_ends(struct synthetic *s, struct payload_writer *p, const struct link *l,
                     uint32_t bytes, bool is_turned)
{
    const size_t size = l->is_v6 ? 16 : 4;
    put_u32(p, s->processes[l->process].pid);
    put_u32(p, bytes);
    put_bytes(p, is_turned ? l->here : l->there, size);
    put_bytes(p, is_turned ? l->there : l->here, size);
    put_port(p, is_turned ? l->here_port : l->there_port);
    put_port(p, is_turned ? l->there_port : l->here_port);
}

bool log_transfer(struct synthetic *s, unsigned cpu, bool is_send, const struct link *l,
                  uint32_t bytes)
{
    const enum demo_kind kind =
        l->is_udp ? udp_kind(is_send, l) : tcp_kind(is_send ? KIND_TCP_SEND : KIND_TCP_RECEIVE, l);
    struct payload_writer p = log_begin(s, kind, cpu);
    put_ends(s, &p, l, bytes, l->is_udp && !is_send);
    if (is_send && !l->is_udp) {
        put_u32(&p, (uint32_t)(s->now / 1000000)); /* starts and ends in 100 ms since boot */
        put_u32(&p, (uint32_t)(s->now / 1000000));
    }
    put_u32(&p, 0);
    put_u64(&p, 0);
    if (!log_end(s, kind, cpu, &p))
        return false;
    struct synthetic_process *c = &s->totals.processes[s->processes[l->process].total];
    if (is_send) {
        c->sends++;
        c->sent_bytes += bytes;
    } else {
        c->receives++;
        c->received_bytes += bytes;
    }
    return true;
}

bool log_connect(struct synthetic *s, unsigned cpu, enum demo_kind kind, const struct link *l)
{
    kind = tcp_kind(kind, l);
    struct payload_writer p = log_begin(s, kind, cpu);
    put_ends(s, &p, l, 0, false);
    put_u16(&p, l->is_v6 ? 1440 : 1460);
    put_u16(&p, 1);
    put_u16(&p, 0);
    put_u16(&p, 1);
    put_u32(&p, 65700);
    put_u16(&p, 8);
    put_u16(&p, 8);
    put_u32(&p, 0);
    put_u64(&p, 0);
    return log_end(s, kind, cpu, &p);
}

bool log_disconnect(struct synthetic *s, unsigned cpu, enum demo_kind kind, const struct link *l,
                    uint32_t bytes)
{
    kind = tcp_kind(kind, l);
    struct payload_writer p = log_begin(s, kind, cpu);
    put_ends(s, &p, l, bytes, false);
    put_u32(&p, 0);
    put_u64(&p, 0);
    return log_end(s, kind, cpu, &p);
}

bool log_tcp_fail(struct synthetic *s, unsigned cpu)
{
    struct payload_writer p = log_begin(s, KIND_TCP_FAIL, cpu);
    put_u16(&p, 2);
    put_u16(&p, 5);
    return log_end(s, KIND_TCP_FAIL, cpu, &p);
}
