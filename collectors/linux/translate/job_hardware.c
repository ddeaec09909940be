/* The hardware configuration: records of SystemConfig as Windows writes them at the end of a
 * session, filled on Linux; and events of tracetop's provider for values without a field there. */
#include "collectors/linux/kernel/machine.h"
#include "collectors/linux/proc/hardware.h"
#include "collectors/linux/translate/job.h"
#include "collectors/linux/translate/machine_record.h"

#include "src/os/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Hooks, and the version of each record that is written where it is not 2. */
enum {
    HOOK_NETWORK_ADAPTER = 0x0b0d,
    HOOK_VIDEO = 0x0b0e,
    HOOK_SERVICE = 0x0b0f,
    SERVICE_VERSION = 3,
    HOOK_POWER = 0x0b10,
    HOOK_INTERRUPT = 0x0b15,
    INTERRUPT_VERSION = 3,
    HOOK_PLATFORM = 0x0b19,
    HOOK_PROCESSOR = 0x0b23,
    HOOK_BOOT = 0x0b25,
};

/* What only the kernel knows may name no process. */
static struct record_from from_self(const struct job *e)
{
    return (struct record_from){e->out.self, e->out.self, 0, job_now()};
}

static struct payload_writer *begin_version(struct job *e, unsigned hook, unsigned version)
{
    const struct record_from from = from_self(e);
    return record_begin(&e->out, HEADER_SYSTEM, hook, version, from.pid, from.tid, from.cpu,
                        from.time);
}

static struct payload_writer *begin_config(struct job *e, unsigned hook)
{
    return begin_version(e, hook, 2);
}

static struct payload_writer *begin_tracetop(struct job *e, const char *event, const char *fields)
{
    const struct record_from from = from_self(e);
    return record_begin_tracetop(&e->out, event, fields, from.pid, from.tid, from.cpu, from.time);
}

static void put_string(struct payload_writer *p, const char *text)
{
    put_utf16(p, text, strlen(text));
}

static void put_narrow(struct payload_writer *p, const char *text)
{
    put_text(p, text, strlen(text));
}

/* ---- system ------------------------------------------------------------------------ */

/* SysConfigEx: the class in which merge tools write such records. */
static const struct guid sys_config_ex = {{0x91, 0xee, 0x79, 0x9b, 0xfd, 0xb5, 0xc0, 0x41, 0xa2,
                                           0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0}};

/* Where readers of other makers look for the name of the system and its build. When it was
 * installed, nothing says. */
static void report_build(struct job *e, const struct utsname *u, const char *distribution)
{
    enum { BUILD_INFO = 32 };
    char build[sizeof u->release + sizeof u->version];
    const struct record_from from = from_self(e);
    struct payload_writer *const p =
        record_begin_class(&e->out, &sys_config_ex, BUILD_INFO, from.cpu, from.time);
    snprintf(build, sizeof build, "%s %s", u->release, u->version);
    put_u64(p, 0);
    put_string(p, build);
    put_string(p, distribution[0] ? distribution : u->sysname);
    record_end(&e->out);
}

static void report_system(struct job *e)
{
    static const char fields[] =
        "system:text,release:text,version:text,machine:text,distribution:text,boot:u64";
    struct utsname u;
    struct hardware_system system;
    if (uname(&u) != 0)
        return;
    hardware_system(&e->proc, &system);
    struct payload_writer *const p = begin_tracetop(e, "Machine", fields);
    put_narrow(p, u.sysname);
    put_narrow(p, u.release);
    put_narrow(p, u.version);
    put_narrow(p, u.machine);
    put_narrow(p, system.distribution);
    put_u64(p, system.boot_ns);
    record_end(&e->out);
    report_build(e, &u, system.distribution);
}

/* ---- disks, and what is mounted from them ---------------------------------------------- */

struct volume {
    uint64_t dev, start, bytes;
    uint32_t number; /* of the partition; 0: the whole disk */
    const char *name;
};

struct disk_walk {
    struct job *job;
    const struct proc_disk *disk;
    uint32_t number;
    const struct hardware_mounts *mounts;
};

static void report_mount(const struct disk_walk *w, const struct hardware_mount *m, const char *name)
{
    static const char fields[] =
        "device:text,path:text,type:text,cluster:u64,clusters:u64,free:u64";
    struct payload_writer *const p = begin_tracetop(w->job, "Mount", fields);
    put_narrow(p, name);
    put_narrow(p, m->path);
    put_narrow(p, m->type);
    put_u64(p, m->cluster);
    put_u64(p, m->clusters);
    put_u64(p, m->free);
    record_end(&w->job->out);
}

/* The record has no place for the name of a folder. */
static void report_volume(const struct disk_walk *w, const struct volume *v)
{
    enum { FIXED = 3, LETTERS = 4, TYPE = 16, BYTES = 112 /* of this payload */ };
    const uint32_t sector = w->disk->sector ? w->disk->sector : 1;
    struct hardware_mount mount = {.dev = 0};
    const struct hardware_mount *const found = hardware_mount_of(w->mounts, v->dev, v->name);
    if (found) {
        mount = *found;
        hardware_mount_measure(w->mounts, &mount);
    }
    const uint32_t per_cluster = mount.cluster >= sector ? (uint32_t)(mount.cluster / sector) : 1;
    struct payload_writer *const p = begin_config(w->job, HOOK_LOGICAL_DISK);
    put_u64(p, v->start);
    put_u64(p, v->bytes);
    put_u32(p, w->number);
    put_u32(p, BYTES);
    put_u32(p, FIXED);
    put_utf16_field(p, "", LETTERS);
    put_u32(p, 0);
    put_u32(p, v->number);
    put_u32(p, per_cluster);
    put_u32(p, w->disk->sector);
    put_u32(p, 0);
    put_u64(p, mount.free);
    put_u64(p, mount.clusters ? mount.clusters : v->bytes / sector / per_cluster);
    put_utf16_field(p, mount.type, TYPE);
    put_u32(p, 0);
    put_u32(p, 0);
    record_end(&w->job->out);
    if (found)
        report_mount(w, &mount, v->name);
}

static bool report_partition(void *to, const struct proc_partition *part)
{
    const struct volume v = {part->dev, part->start, part->bytes, part->number, part->name};
    report_volume(to, &v);
    return true;
}

/* Disks have no geometry any more: what multiplies to their size, in sectors. */
static void report_disk(struct job *e, const struct proc_disk *d, uint32_t number)
{
    enum { LABEL = 256 };
    char label[sizeof d->name + sizeof d->model + 1];
    snprintf(label, sizeof label, d->model[0] ? "%s %s" : "%s", d->name, d->model);
    struct payload_writer *const p = begin_config(e, HOOK_PHYSICAL_DISK);
    put_u32(p, number);
    put_u32(p, d->sector);
    put_u32(p, 1);
    put_u32(p, 1);
    put_u64(p, d->sector ? d->bytes / d->sector : 0);
    put_zeros(p, 16); /* buses have no numbers either */
    put_utf16_field(p, label, LABEL);
    put_u32(p, d->partitions);
    put_u8(p, d->is_write_cached);
    put_u8(p, 0);
    put_zeros(p, 10); /* drive letter, spare */
    record_end(&e->out);
}

static void reply_disk(struct job *e, const struct help *question, const struct proc_disk *d,
                       uint32_t number)
{
    struct reply m = {
        .domain = DOMAIN_DISK,
        .kind = HELP_RUNDOWN,
        .is_found = true,
        .key = number,
        .time = question->time,
        .dev = d->dev,
    };
    job_path(&m, d->name, strlen(d->name));
    job_reply(e, &m);
}

void job_disks(struct job *e, const struct help *question)
{
    struct proc_disk *disks;
    struct hardware_mounts mounts;
    const size_t count = proc_disks(&e->proc, &disks);
    report_system(e);
    hardware_mounts_read(&e->proc, &mounts);
    for (size_t i = 0; i < count && !job_is_stopped(e); i++) {
        const struct proc_disk *const d = &disks[i];
        const struct disk_walk w = {e, d, (uint32_t)i, &mounts};
        const struct volume whole = {.dev = d->dev, .bytes = d->bytes, .name = d->name};
        report_disk(e, d, (uint32_t)i);
        reply_disk(e, question, d, (uint32_t)i);
        if (hardware_mount_of(&mounts, d->dev, d->name))
            report_volume(&w, &whole);
        proc_partitions(&e->proc, d, report_partition, (void *)&w);
    }
    hardware_mounts_fini(&mounts);
    free(disks);
}

void job_disk(struct job *e, const struct help *question)
{
    struct proc_disk *disks;
    const size_t count = proc_disks(&e->proc, &disks);
    for (size_t i = 0; i < count; i++)
        if (disks[i].dev == (uint32_t)question->fd)
            report_disk(e, &disks[i], (uint32_t)question->key);
    free(disks);
}

/* ---- processors -------------------------------------------------------------------------- */

static void report_topology(struct job *e)
{
    static const char fields[] =
        "packages:u32,cores:u32,processors:u32,nodes:u32,caches:text";
    struct hardware_topology t;
    hardware_topology(&e->proc, &t);
    if (!t.processors)
        return;
    struct payload_writer *const p = begin_tracetop(e, "Topology", fields);
    put_u32(p, t.packages);
    put_u32(p, t.cores);
    put_u32(p, t.processors);
    put_u32(p, t.nodes);
    put_narrow(p, t.caches);
    record_end(&e->out);
}

/* Speeds change while one looks; the same processor is to be the same record another time. */
static void report_processor(void *to, const struct hardware_processor *c)
{
    enum { NAME = 64, IDENTIFIER = 128, VENDOR = 16 };
    struct job *const e = to;
    char identifier[64] = "";
    e->mhz = e->mhz ? e->mhz : c->mhz_now;
    if (c->family)
        snprintf(identifier, sizeof identifier, "Family %u Model %u Stepping %u", c->family,
                 c->model, c->stepping);
    struct payload_writer *const p = begin_config(e, HOOK_PROCESSOR);
    put_u32(p, c->number);
    put_u32(p, 0); /* features, as Windows numbers them */
    put_u32(p, c->mhz ? c->mhz : e->mhz);
    put_utf16_field(p, c->name, NAME);
    put_utf16_field(p, identifier, IDENTIFIER);
    put_utf16_field(p, c->vendor, VENDOR);
    record_end(&e->out);
}

static void report_processors(struct job *e)
{
    report_topology(e);
    hardware_processors(&e->proc, report_processor, e);
}

/* ---- devices ------------------------------------------------------------------------------- */

static void report_adapter(void *to, const struct hardware_adapter *a)
{
    struct job *const e = to;
    char label[sizeof a->name + sizeof a->driver + 4];
    snprintf(label, sizeof label, a->driver[0] ? "%s (%s)" : "%s", a->name, a->driver);
    struct payload_writer *const p = begin_config(e, HOOK_NETWORK_ADAPTER);
    put_u64(p, a->address);
    put_u32(p, a->address_bytes);
    put_u32(p, a->index);
    put_u32(p, a->index);
    put_string(p, label);
    put_string(p, a->ip);
    put_string(p, a->dns);
    record_end(&e->out);
}

static void report_adapters(struct job *e)
{
    hardware_adapters(&e->proc, report_adapter, e);
}

static void report_video(void *to, const struct hardware_video *v)
{
    enum { TEXT = 256 };
    struct job *const e = to;
    struct payload_writer *const p = begin_config(e, HOOK_VIDEO);
    put_u32(p, v->memory < UINT32_MAX ? (uint32_t)v->memory : UINT32_MAX);
    put_u32(p, v->width);
    put_u32(p, v->height);
    put_u32(p, 0); /* bits of a pixel, refreshes */
    put_u32(p, 0);
    put_utf16_field(p, v->driver, TEXT);
    put_utf16_field(p, "", TEXT);
    put_utf16_field(p, v->name, TEXT);
    put_utf16_field(p, "", TEXT);
    put_utf16_field(p, "", TEXT);
    put_u32(p, 0);
    record_end(&e->out);
}

static void report_videos(struct job *e)
{
    hardware_videos(&e->proc, report_video, e);
}

static void report_interrupt(void *to, const struct hardware_interrupt *i)
{
    struct job *const e = to;
    struct payload_writer *const p = begin_version(e, HOOK_INTERRUPT, INTERRUPT_VERSION);
    put_u64(p, i->processors);
    put_u16(p, 0); /* the first group of processors */
    put_u16(p, 0);
    put_u32(p, i->number);
    put_u32(p, (uint32_t)strlen(i->device));
    put_string(p, i->device);
    record_end(&e->out);
}

static void report_interrupts(struct job *e)
{
    hardware_interrupts(&e->proc, report_interrupt, e);
}

static void report_service(void *to, const struct hardware_service *s)
{
    enum { RUNNING = 4 };
    struct job *const e = to;
    struct payload_writer *const p = begin_version(e, HOOK_SERVICE, SERVICE_VERSION);
    put_u32(p, s->pid);
    put_u32(p, RUNNING);
    put_u32(p, 0); /* no threads are marked with their service */
    put_string(p, s->name);
    put_string(p, "");
    put_string(p, s->process);
    put_string(p, "");
    put_string(p, "");
    record_end(&e->out);
}

static void report_services(struct job *e)
{
    hardware_services(&e->proc, report_service, e);
}

/* ---- platform -------------------------------------------------------------------------------- */

static void report_platform(struct job *e)
{
    struct hardware_platform f;
    if (!hardware_platform(&e->proc, &f))
        return;
    struct payload_writer *const p = begin_config(e, HOOK_PLATFORM);
    put_string(p, f.manufacturer);
    put_string(p, f.product);
    put_string(p, f.bios_date);
    put_string(p, f.bios_version);
    record_end(&e->out);
}

static void report_boot(struct job *e)
{
    enum { UEFI = 2 };
    bool is_secure;
    if (!hardware_secure_boot(&e->proc, &is_secure))
        return;
    struct payload_writer *const p = begin_config(e, HOOK_BOOT);
    put_u64(p, 0);
    put_u32(p, UEFI);
    put_u8(p, is_secure);
    put_u8(p, 1); /* firmware that has the variable can do it */
    put_u16(p, 0);
    record_end(&e->out);
}

static void report_power(struct job *e)
{
    struct hardware_power power;
    if (!hardware_power(&e->proc, &power))
        return;
    struct payload_writer *const p = begin_config(e, HOOK_POWER);
    put_u8(p, power.standby);
    put_u8(p, 0);
    put_u8(p, power.memory);
    put_u8(p, power.disk);
    put_u8(p, 1); /* off */
    put_zeros(p, 3);
    record_end(&e->out);
}

/* ---- all --------------------------------------------------------------------------------------- */

static const struct {
    const char *what;
    void (*report)(struct job *e);
} parts[] = {
    {"processors", report_processors},
    {"the platform", report_platform},
    {"secure boot", report_boot},
    {"network adapters", report_adapters},
    {"video", report_videos},
    {"sleep states", report_power},
    {"services", report_services},
    {"interrupts", report_interrupts},
};

static void report_refusal(struct job *e, const char *what)
{
    job_report(e, "%s: incomplete, for this user may not read some files in /proc and /sys; root may", what);
}

static void report_parts(struct job *e, bool says_refusals)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !job_is_stopped(e); i++) {
        const uint64_t refused = e->proc.refused;
        parts[i].report(e);
        if (says_refusals && e->proc.refused > refused)
            report_refusal(e, parts[i].what);
    }
}

void job_hardware(struct job *e)
{
    report_parts(e, false);
}

void job_machine(struct job *e, const struct help *question)
{
    const struct machine m = machine_read((uint32_t)os_processors());
    const uint64_t refused = e->proc.refused;
    machine_put(&e->out, &m, job_now());
    job_disks(e, question);
    if (e->proc.refused > refused)
        report_refusal(e, "disks");
    report_parts(e, true);
}
