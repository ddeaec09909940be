/* System, processors, platform, power, video, interrupts and services. */
#include "collectors/linux/proc/hardware.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool hardware_line(struct proc *p, const char *path, char *out, size_t room)
{
    const uint64_t gone = p->gone;
    const int64_t bytes = proc_read(p, path, out, room);
    p->gone = gone;
    if (bytes < 0)
        out[0] = '\0';
    size_t length = strcspn(out, "\n");
    while (length && (out[length - 1] == ' ' || out[length - 1] == '\t'))
        length--;
    out[length] = '\0';
    return length > 0;
}

void hardware_link_name(struct proc *p, const char *path, char *out, size_t room)
{
    char target[PROC_PATH];
    const uint64_t gone = p->gone;
    const int64_t bytes = proc_link(p, path, target, sizeof target);
    const char *const slash = bytes > 0 ? strrchr(target, '/') : NULL;
    p->gone = gone;
    snprintf(out, room, "%.*s", (int)room - 1, slash ? slash + 1 : "");
}

static uint32_t number_in(struct proc *p, const char *path)
{
    char text[32];
    return hardware_line(p, path, text, sizeof text) ? (uint32_t)strtoul(text, NULL, 0) : 0;
}

/* ---- system ---------------------------------------------------------------------------- */

static bool take_distribution(void *to, char *line, size_t length)
{
    struct hardware_system *const s = to;
    static const char key[] = "PRETTY_NAME=";
    if (strncmp(line, key, sizeof key - 1) != 0)
        return true;
    const char *at = line + sizeof key - 1;
    const bool is_quoted = length > sizeof key && *at == '"' && line[length - 1] == '"';
    if (is_quoted)
        line[length - 1] = '\0';
    snprintf(s->distribution, sizeof s->distribution, "%s", at + is_quoted);
    return false;
}

static bool take_boot_time(void *to, char *line, size_t length)
{
    (void)length;
    struct hardware_system *const s = to;
    unsigned long long seconds;
    if (sscanf(line, "btime %llu", &seconds) != 1)
        return true;
    s->boot_ns = seconds < INT64_MAX / 1000000000 ? seconds * 1000000000 : 0;
    return false;
}

void hardware_system(struct proc *p, struct hardware_system *out)
{
    const uint64_t gone = p->gone;
    *out = (struct hardware_system){.boot_ns = 0};
    proc_lines(p, "etc/os-release", take_distribution, out);
    proc_lines(p, "proc/stat", take_boot_time, out);
    p->gone = gone;
}

/* ---- processors ------------------------------------------------------------------------- */

/* NAME and a number; UINT32_MAX for other names. */
static uint32_t number_behind(const char *name, const char *word)
{
    const size_t length = strlen(word);
    char *end;
    if (strncmp(name, word, length) != 0 || name[length] < '0' || name[length] > '9')
        return UINT32_MAX;
    const unsigned long number = strtoul(name + length, &end, 10);
    return *end || number >= UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

struct topology {
    struct proc *p;
    struct hardware_topology *out;
};

/* Each set of processors is counted at its first one, with which its list begins. */
static bool is_first_of(struct proc *p, uint32_t processor, const char *list)
{
    char path[96], text[64], *end;
    snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/topology/%s", processor, list);
    if (!hardware_line(p, path, text, sizeof text))
        return false;
    const unsigned long first = strtoul(text, &end, 10);
    return end != text && first == processor;
}

static bool count_processor(void *to, const char *name)
{
    enum { MOST = 1 << 16 };
    const struct topology *const t = to;
    const uint32_t number = number_behind(name, "cpu");
    if (number >= MOST)
        return true;
    /* One that is switched off has no topology. */
    char path[96], text[64];
    snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/topology/core_id", number);
    if (!hardware_line(t->p, path, text, sizeof text))
        return true;
    t->out->processors++;
    t->out->packages += is_first_of(t->p, number, "core_siblings_list");
    t->out->cores += is_first_of(t->p, number, "thread_siblings_list");
    return true;
}

static bool count_node(void *to, const char *name)
{
    const struct topology *const t = to;
    t->out->nodes += number_behind(name, "node") != UINT32_MAX;
    return true;
}

static bool read_cache(struct proc *p, unsigned number, char *out, size_t room)
{
    static const char base[] = "sys/devices/system/cpu/cpu0/cache/index";
    char path[96], level[16], type[32], size[24];
    snprintf(path, sizeof path, "%s%u/level", base, number);
    if (!hardware_line(p, path, level, sizeof level))
        return false;
    snprintf(path, sizeof path, "%s%u/type", base, number);
    hardware_line(p, path, type, sizeof type);
    snprintf(path, sizeof path, "%s%u/size", base, number);
    hardware_line(p, path, size, sizeof size);
    const char *const kind = strcmp(type, "Data") == 0          ? "data "
                             : strcmp(type, "Instruction") == 0 ? "instructions "
                                                                : "";
    snprintf(out, room, "L%s %s%s", level, kind, size);
    return true;
}

void hardware_topology(struct proc *p, struct hardware_topology *out)
{
    enum { CACHES_MOST = 8 };
    const uint64_t gone = p->gone;
    struct topology t = {p, out};
    char cache[96];
    size_t used = 0;
    *out = (struct hardware_topology){.packages = 0};
    proc_list(p, "sys/devices/system/cpu", count_processor, &t);
    proc_list(p, "sys/devices/system/node", count_node, &t);
    for (unsigned i = 0; i < CACHES_MOST && used < sizeof out->caches && read_cache(p, i, cache, sizeof cache); i++)
        used += (size_t)snprintf(out->caches + used, sizeof out->caches - used, "%s%s",
                                 used ? ", " : "", cache);
    p->gone = gone;
}

struct processors {
    struct proc *p;
    struct hardware_processor now;
    bool has_one;
    unsigned count;
    hardware_processor *processor;
    void *to;
};

static uint32_t most_mhz(struct proc *p, uint32_t processor)
{
    char path[96];
    snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cpufreq/cpuinfo_max_freq", processor);
    return number_in(p, path) / 1000; /* the file has kHz */
}

static void give_processor(struct processors *s)
{
    if (!s->has_one || s->count == HARDWARE_PROCESSORS)
        return;
    s->count++;
    s->now.mhz = most_mhz(s->p, s->now.number);
    s->processor(s->to, &s->now);
}

/* "model name : AMD EPYC" */
static bool take_property(void *to, char *line, size_t length)
{
    (void)length;
    struct processors *const s = to;
    struct hardware_processor *const c = &s->now;
    char *const colon = strchr(line, ':');
    if (!colon)
        return true;
    size_t end = (size_t)(colon - line);
    while (end && (line[end - 1] == '\t' || line[end - 1] == ' '))
        end--;
    line[end] = '\0';
    const char *const value = colon + 1 + (colon[1] == ' ');
    const uint32_t number = (uint32_t)strtoul(value, NULL, 10);
    if (strcmp(line, "processor") == 0) {
        give_processor(s);
        *c = (struct hardware_processor){.number = number};
        s->has_one = true;
    } else if (strcmp(line, "vendor_id") == 0) {
        snprintf(c->vendor, sizeof c->vendor, "%s", value);
    } else if (strcmp(line, "model name") == 0) {
        snprintf(c->name, sizeof c->name, "%s", value);
    } else if (strcmp(line, "cpu family") == 0) {
        c->family = number;
    } else if (strcmp(line, "model") == 0) {
        c->model = number;
    } else if (strcmp(line, "cpu MHz") == 0) {
        c->mhz_now = number;
    } else if (strcmp(line, "stepping") == 0) {
        c->stepping = number;
    }
    return s->count < HARDWARE_PROCESSORS;
}

void hardware_processors(struct proc *p, hardware_processor *processor, void *to)
{
    struct processors s = {.p = p, .processor = processor, .to = to};
    const uint64_t gone = p->gone;
    proc_lines(p, "proc/cpuinfo", take_property, &s);
    give_processor(&s);
    p->gone = gone;
}

/* ---- platform, boot, power -------------------------------------------------------------- */

bool hardware_platform(struct proc *p, struct hardware_platform *out)
{
    memset(out, 0, sizeof *out);
    hardware_line(p, "sys/class/dmi/id/sys_vendor", out->manufacturer, sizeof out->manufacturer);
    hardware_line(p, "sys/class/dmi/id/product_name", out->product, sizeof out->product);
    hardware_line(p, "sys/class/dmi/id/bios_date", out->bios_date, sizeof out->bios_date);
    hardware_line(p, "sys/class/dmi/id/bios_version", out->bios_version, sizeof out->bios_version);
    if (!out->product[0]) /* boards without firmware tables */
        hardware_line(p, "sys/firmware/devicetree/base/model", out->product, sizeof out->product);
    return out->manufacturer[0] || out->product[0] || out->bios_version[0];
}

bool hardware_secure_boot(struct proc *p, bool *is_enabled)
{
    enum { ATTRIBUTES = 4, BYTES }; /* before the value of a variable */
    static const char path[] =
        "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    char value[BYTES + 1];
    const uint64_t gone = p->gone;
    const int64_t bytes = proc_read(p, path, value, sizeof value);
    p->gone = gone;
    *is_enabled = bytes == BYTES && value[ATTRIBUTES] == 1;
    return bytes == BYTES;
}

static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        if ((at == text || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

bool hardware_power(struct proc *p, struct hardware_power *out)
{
    char states[128], sleep[128];
    *out = (struct hardware_power){.standby = false};
    if (!hardware_line(p, "sys/power/state", states, sizeof states))
        return false;
    /* "s2idle [deep]": without deep, "mem" is no sleep state of the hardware. */
    const bool says_how = hardware_line(p, "sys/power/mem_sleep", sleep, sizeof sleep);
    out->standby = has_word(states, "standby");
    out->memory = has_word(states, "mem") && (!says_how || strstr(sleep, "deep"));
    out->disk = has_word(states, "disk");
    return true;
}

/* ---- video -------------------------------------------------------------------------------- */

struct videos {
    struct proc *p;
    struct hardware_video now;
    unsigned count;
    hardware_video *video;
    void *to;
};

/* The first mode of a connector of the card at hand is the preferred one. */
static bool take_connector(void *to, const char *name)
{
    struct videos *const s = to;
    const size_t length = strcspn(s->now.name, " ");
    char path[192], text[64];
    unsigned width, height;
    if (strncmp(name, s->now.name, length) != 0 || name[length] != '-' || strlen(name) > 96)
        return true;
    snprintf(path, sizeof path, "sys/class/drm/%s/status", name);
    if (!hardware_line(s->p, path, text, sizeof text) || strcmp(text, "connected") != 0)
        return true;
    snprintf(path, sizeof path, "sys/class/drm/%s/modes", name);
    if (!hardware_line(s->p, path, text, sizeof text) ||
        sscanf(text, "%5ux%5u", &width, &height) != 2)
        return true;
    s->now.width = width;
    s->now.height = height;
    return false;
}

static bool take_video(void *to, const char *name)
{
    struct videos *const s = to;
    char path[160];
    if (number_behind(name, "card") == UINT32_MAX || strlen(name) > 16)
        return true;
    s->now = (struct hardware_video){.memory = 0};
    snprintf(s->now.name, sizeof s->now.name, "%s", name);
    proc_list(s->p, "sys/class/drm", take_connector, s);
    snprintf(path, sizeof path, "sys/class/drm/%s/device/vendor", name);
    const uint32_t vendor = number_in(s->p, path);
    snprintf(path, sizeof path, "sys/class/drm/%s/device/device", name);
    if (vendor)
        snprintf(s->now.name, sizeof s->now.name, "%s %04x:%04x", name, vendor & 0xffff,
                 number_in(s->p, path) & 0xffff);
    snprintf(path, sizeof path, "sys/class/drm/%s/device/driver", name);
    hardware_link_name(s->p, path, s->now.driver, sizeof s->now.driver);
    snprintf(path, sizeof path, "sys/class/drm/%s/device/mem_info_vram_total", name);
    proc_number(s->p, path, &s->now.memory);
    s->video(s->to, &s->now);
    return ++s->count < HARDWARE_VIDEO;
}

void hardware_videos(struct proc *p, hardware_video *video, void *to)
{
    struct videos s = {.p = p, .video = video, .to = to};
    const uint64_t gone = p->gone;
    proc_list(p, "sys/class/drm", take_video, &s);
    p->gone = gone;
}

/* ---- interrupts ---------------------------------------------------------------------------- */

struct interrupts {
    struct proc *p;
    unsigned count;
    hardware_interrupt *interrupt;
    void *to;
};

static bool is_number(const char *word, size_t length)
{
    return length > 0 && strspn(word, "0123456789") >= length;
}

/* " 24:  1  0  IO-APIC  5-edge  ACPI:Ged": its number, how often on each processor, and what it is.
 * The line is changed; false when it is none with a number. */
static bool hardware_parse_interrupt(char *line, struct hardware_interrupt *out)
{
    char *at = line + strspn(line, " "), *end;
    *out = (struct hardware_interrupt){.number = 0};
    const unsigned long number = strtoul(at, &end, 10);
    if (*at < '0' || *at > '9' || *end != ':' || number > UINT32_MAX)
        return false;
    out->number = (uint32_t)number;
    size_t used = 0;
    for (at = end + 1; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (!used && is_number(at, length))
            continue;
        if (used + length + 2 > sizeof out->device)
            break;
        used += (size_t)snprintf(out->device + used, sizeof out->device - used, "%s%.*s",
                                 used ? " " : "", (int)length, at);
    }
    return true;
}

/* "00000000,00000003": groups of 32 bits, the highest first. */
static uint64_t mask_of(const char *text)
{
    uint64_t mask = 0;
    for (const char *at = text; *at; at++)
        if (*at != ',' && strchr("0123456789abcdef", *at))
            mask = mask << 4 | (uint64_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
    return mask;
}

static bool take_interrupt(void *to, char *line, size_t length)
{
    (void)length;
    struct interrupts *const s = to;
    struct hardware_interrupt i;
    char path[64], mask[4096];
    if (!hardware_parse_interrupt(line, &i))
        return true;
    snprintf(path, sizeof path, "proc/irq/%u/smp_affinity", i.number);
    if (hardware_line(s->p, path, mask, sizeof mask))
        i.processors = mask_of(mask);
    s->interrupt(s->to, &i);
    return ++s->count < HARDWARE_INTERRUPTS;
}

void hardware_interrupts(struct proc *p, hardware_interrupt *interrupt, void *to)
{
    struct interrupts s = {.p = p, .interrupt = interrupt, .to = to};
    const uint64_t gone = p->gone;
    proc_lines(p, "proc/interrupts", take_interrupt, &s);
    p->gone = gone;
}

/* ---- services ------------------------------------------------------------------------------- */

struct services {
    struct proc *p;
    const char *folder;
    unsigned count;
    hardware_service *service;
    void *to;
};

static bool take_service(void *to, const char *name)
{
    static const char suffix[] = ".service";
    struct services *const s = to;
    struct hardware_service found = {.pid = 0};
    struct proc_task task;
    const size_t length = strlen(name), stem = length - (sizeof suffix - 1);
    char path[384];
    if (length < sizeof suffix || stem >= sizeof found.name || strcmp(name + stem, suffix) != 0)
        return true;
    snprintf(path, sizeof path, "%s/%s/cgroup.procs", s->folder, name);
    found.pid = number_in(s->p, path);
    if (!found.pid || !proc_task(s->p, found.pid, &task))
        return true; /* one that has ended, or whose processes are in groups of their own */
    snprintf(found.name, sizeof found.name, "%.*s", (int)stem, name);
    snprintf(found.process, sizeof found.process, "%.*s", (int)task.comm_bytes, task.comm);
    s->service(s->to, &found);
    return ++s->count < HARDWARE_SERVICES;
}

void hardware_services(struct proc *p, hardware_service *service, void *to)
{
    static const char *const folders[] = {"sys/fs/cgroup/system.slice",
                                          "sys/fs/cgroup/unified/system.slice",
                                          "sys/fs/cgroup/systemd/system.slice"};
    struct services s = {.p = p, .service = service, .to = to};
    const uint64_t gone = p->gone;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !s.count; i++) {
        s.folder = folders[i];
        proc_list(p, s.folder, take_service, &s);
    }
    p->gone = gone;
}
