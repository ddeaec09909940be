/* The hardware as /proc and /sys describe it: what the records of the hardware configuration need.
 * Names may be anybody's choice (mount points, network interfaces): they come as they are, cut to
 * their room. What a system does not have is left empty; what it refuses counts in struct proc.
 * Any thread, one at a time for each struct proc. */
#ifndef COLLECTORS_LINUX_PROC_HARDWARE_H
#define COLLECTORS_LINUX_PROC_HARDWARE_H

#include "collectors/linux/proc/proc.h"

enum {
    HARDWARE_TEXT = 128,
    HARDWARE_MOUNTS = 256,      /* of disks; further ones are left out, as in the next lines */
    HARDWARE_PROCESSORS = 1024,
    HARDWARE_ADAPTERS = 256,
    HARDWARE_INTERRUPTS = 1024,
    HARDWARE_SERVICES = 1024,
    HARDWARE_VIDEO = 32,
};

/* The first line of a file without blanks at its end; false when there is none. A file that does
 * not exist is not counted as gone. */
bool hardware_line(struct proc *p, const char *path, char *out, size_t room);

/* The last name of what a link points to, "" when there is none: that of a device's driver. A link
 * that does not exist is not counted as gone. */
void hardware_link_name(struct proc *p, const char *path, char *out, size_t room);

/* ---- system and processors ---------------------------------------------------------- */

struct hardware_system {
    char distribution[HARDWARE_TEXT]; /* "Debian GNU/Linux 12 (bookworm)" */
    uint64_t boot_ns;                 /* ns since 1970, whole seconds; 0: not known */
};
void hardware_system(struct proc *p, struct hardware_system *out);

struct hardware_topology {
    uint32_t packages, cores, processors, nodes; /* 0: not known */
    char caches[HARDWARE_TEXT];                  /* of the first processor: "L1 data 32K, L2 1024K" */
};
void hardware_topology(struct proc *p, struct hardware_topology *out);

struct hardware_processor {
    uint32_t number, family, model, stepping;
    uint32_t mhz, mhz_now; /* at most, and just now; 0: not known */
    char name[HARDWARE_TEXT], vendor[HARDWARE_TEXT];
};
typedef void hardware_processor(void *to, const struct hardware_processor *c);
void hardware_processors(struct proc *p, hardware_processor *processor, void *to);

struct hardware_platform {
    char manufacturer[HARDWARE_TEXT], product[HARDWARE_TEXT];
    char bios_date[HARDWARE_TEXT], bios_version[HARDWARE_TEXT];
};
/* False where nothing is known. */
bool hardware_platform(struct proc *p, struct hardware_platform *out);

/* Secure boot of UEFI; false where the machine was started otherwise, or does not say. */
bool hardware_secure_boot(struct proc *p, bool *is_enabled);

/* Which sleep states the kernel offers; false where it does not say. */
struct hardware_power {
    bool standby, memory, disk;
};
bool hardware_power(struct proc *p, struct hardware_power *out);

/* ---- mounted file systems ------------------------------------------------------------ */

struct hardware_mount {
    uint64_t dev; /* as the kernel's events write it */
    char path[PROC_PATH], source[HARDWARE_TEXT], type[HARDWARE_TEXT];
    uint64_t cluster, clusters, free; /* bytes of one, how many, free for all; 0: not known */
};
struct hardware_mounts {
    struct hardware_mount *all;
    size_t count;
    uint64_t left_out;
};
/* One line of mountinfo, which is changed; false when it is none or shows a part of a file system. */
bool hardware_parse_mount(char *line, struct hardware_mount *out);

/* File systems on block devices, each once, at the place where it was mounted first. */
void hardware_mounts_read(struct proc *p, struct hardware_mounts *out);
void hardware_mounts_fini(struct hardware_mounts *m);

/* Of this device, or of a source "/dev/NAME"; NULL where it is not mounted. */
const struct hardware_mount *hardware_mount_of(const struct hardware_mounts *m, uint64_t dev,
                                               const char *name);

/* Asks how large it is and what is free. Nothing is asked below a file system that a program or
 * another machine serves: those need not answer. */
void hardware_mount_measure(const struct hardware_mounts *m, struct hardware_mount *mount);

/* ---- devices -------------------------------------------------------------------------- */

struct hardware_adapter {
    char name[64], driver[64];
    uint64_t address; /* six bytes, the first one in the low bits; 0: it has none */
    uint32_t address_bytes, index;
    char ip[1024], dns[256]; /* with ; between, as in records of Windows */
};
typedef void hardware_adapter(void *to, const struct hardware_adapter *a);
void hardware_adapters(struct proc *p, hardware_adapter *adapter, void *to);

struct hardware_video {
    char name[HARDWARE_TEXT], driver[64]; /* "card0 8086:9a49" */
    uint64_t memory;
    uint32_t width, height; /* of what is connected; 0: nothing */
};
typedef void hardware_video(void *to, const struct hardware_video *v);
void hardware_videos(struct proc *p, hardware_video *video, void *to);

struct hardware_interrupt {
    uint32_t number;
    uint64_t processors; /* bits of the first 64 */
    char device[HARDWARE_TEXT];
};
typedef void hardware_interrupt(void *to, const struct hardware_interrupt *i);
void hardware_interrupts(struct proc *p, hardware_interrupt *interrupt, void *to);

/* Running services, from the control groups of systemd; systemd itself is not called. */
struct hardware_service {
    char name[HARDWARE_TEXT], process[PROC_COMM];
    uint32_t pid;
};
typedef void hardware_service(void *to, const struct hardware_service *s);
void hardware_services(struct proc *p, hardware_service *service, void *to);

#endif
