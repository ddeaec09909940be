/* `tracetop doctor` on Linux: rights, what the kernel offers, and event by event which source
 * there is. Everything is tried; nothing is left behind. */
#include "collectors/linux/kernel/machine.h"
#include "collectors/linux/kernel/privilege.h"
#include "collectors/linux/kernel/tracefs_own.h"
#include "collectors/linux/live.h"
#include "collectors/linux/unwind/unwinder.h"
#include "src/base/mem.h"
#include "src/collect/diagnostic.h"
#include "src/os/priority_boost.h"
#include "src/os/rights_linux.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

struct doctor_of_linux {
    void (*report)(void *to, const struct diagnostic *f);
    void *to;
    struct rights rights;
    struct privilege privilege;
};

static void report(const struct doctor_of_linux *d, const struct diagnostic *f)
{
    d->report(d->to, f);
}

static int64_t read_number(const char *path, int64_t otherwise)
{
    FILE *const f = fopen(path, "re");
    int64_t number = otherwise;
    if (f && fscanf(f, "%" SCNd64, &number) != 1)
        number = otherwise;
    if (f)
        fclose(f);
    return number;
}

/* ---- rights -------------------------------------------------------------------------- */

static void report_rights(const struct doctor_of_linux *d)
{
    static const char *const states[] = {
        [SITUATION_ALL] = "ok",       [SITUATION_PERF] = "perf", [SITUATION_BPF] = "BPF",
        [SITUATION_SOFTWARE] = "few", [SITUATION_OWN] = "own",   [SITUATION_NOTHING] = "none",
    };
    const struct privilege *const p = &d->privilege;
    struct diagnostic f = diagnostic("privileges", states[p->situation]);
    diagnostic_because(&f, "%s%s%s", p->works, p->why[0] ? "; " : "", p->why);
    diagnostic_advise(&f, "%s", p->fix);
    f.is_bad = !p->is_complete;
    snprintf(f.loses, sizeof f.loses, "%s", p->why);
    report(d, &f);
}

static void report_capabilities(const struct doctor_of_linux *d)
{
    char names[OS_RIGHTS_LIST];
    const uint64_t needed = privilege_needed(), had = d->rights.capabilities & needed;
    struct diagnostic f = diagnostic("capabilities", had == needed ? "all" : had ? "some" : "none");
    os_rights_list(had, names, sizeof names);
    diagnostic_because(&f, "%s%s%s", geteuid() == 0 ? "root" : "not root", had ? ", with " : "",
                       names);
    report(d, &f);
}

/* Capabilities of the file: not in effect from the start, and for a group alone, since whoever may
 * run the program sees what all users do. */
static void report_installation(const struct doctor_of_linux *d)
{
    struct vfs_ns_cap_data c = {0};
    struct stat s;
    const char *const path = d->rights.program;
    if (getxattr(path, "security.capability", &c, sizeof c) < (ssize_t)XATTR_CAPS_SZ_1 ||
        stat(path, &s) != 0)
        return;
    const bool is_effective = c.magic_etc & VFS_CAP_FLAGS_EFFECTIVE;
    const bool is_for_all = s.st_mode & S_IXOTH;
    const bool is_writable = s.st_uid != 0 || s.st_mode & (S_IWGRP | S_IWOTH);
    const bool is_well = !is_effective && !is_for_all && !is_writable;
    struct diagnostic f = diagnostic("installation", is_well ? "ok" : "open");
    diagnostic_because(&f, "%s",
                       is_for_all     ? "all users may run the program and see all activity"
                       : is_writable  ? "users other than root may write the program"
                       : is_effective ? "the capabilities are in effect from the start (=ep)"
                                      : "only root and the group of the file may run the program");
    if (!is_well) {
        char list[OS_RIGHTS_LIST];
        os_rights_list(privilege_needed(), list, sizeof list);
        diagnostic_advise(&f,
                          "f=%s; sudo groupadd -f -r tracetop; sudo chown root:tracetop $f; "
                          "sudo chmod 0750 $f; sudo setcap %s=p $f",
                          path, list);
    }
    report(d, &f);
}

/* ---- what the kernel offers ---------------------------------------------------------- */

static void report_kernel(const struct doctor_of_linux *d)
{
    struct utsname u;
    struct diagnostic f = diagnostic("kernel", "ok");
    if (uname(&u) == 0)
        diagnostic_because(&f, "Linux %s, %s", u.release, u.machine);
    report(d, &f);
}

static void report_tracefs(const struct doctor_of_linux *d)
{
    static const char *const states[] = {
        [TRACEFS_MISSING] = "missing", [TRACEFS_REFUSED] = "refused", [TRACEFS_READABLE] = "ok"};
    struct diagnostic f = diagnostic("tracefs", states[d->rights.tracefs]);
    struct tracefs fs;
    struct err err;
    const bool is_found = tracefs_find(&fs, NULL, &err);
    if (is_found && tracefs_own() && strcmp(fs.path, tracefs_own()) == 0)
        diagnostic_because(&f, "not mounted by the system: tracetop has mounted it for itself, "
                               "read-only and seen by no other process");
    else if (is_found)
        diagnostic_because(&f, "%.200s", fs.path);
    else
        diagnostic_because(&f, "%.250s", err.text);
    snprintf(f.loses, sizeof f.loses,
             "tracefs is not mounted: events without a BPF program are missing");
    if (d->rights.tracefs == TRACEFS_MISSING) {
        diagnostic_advise(&f, "sudo " TRACEFS_MOUNT);
        f.is_bad = !d->rights.can_trace;
    }
    report(d, &f);
}

static void report_types(const struct doctor_of_linux *d)
{
    struct diagnostic f = diagnostic("kernel types (BTF)", d->rights.has_types ? "ok" : "missing");
    diagnostic_because(
        &f,
        d->rights.has_types
            ? "/sys/kernel/btf/vmlinux"
            : "no BPF: /sys/kernel/btf/vmlinux is missing (kernel option CONFIG_DEBUG_INFO_BTF)");
    report(d, &f);
}

static void report_bpf(const struct doctor_of_linux *d, const struct linux_live *l)
{
    struct diagnostic f = diagnostic("BPF programs", l->bpf ? "ok" : "off");
    if (l->bpf)
        diagnostic_because(
            &f,
            "with -p, -n and -c, the kernel filters calls, paths, socket bytes, faults, samples");
    else
        diagnostic_because(&f, "%.250s", l->no_bpf.text);
    report(d, &f);
}

static void report_paranoid(const struct doctor_of_linux *d)
{
    char state[16];
    const int level = d->rights.paranoid;
    snprintf(state, sizeof state, "%d", level);
    struct diagnostic f =
        diagnostic("perf_event_paranoid", level == PARANOID_UNKNOWN ? "?" : state);
    diagnostic_because(&f, "%s",
                       d->rights.can_kernel ? "no restriction for this process"
                       : level > 2          ? "without CAP_PERFMON, no events"
                                   : "without CAP_PERFMON, only events of your own processes");
    report(d, &f);
}

/* Addresses are there or all zero, whatever the switches say. */
static bool shows_addresses(void)
{
    FILE *const f = os_rights_kernel_names();
    uint64_t address = 0;
    const bool is_shown = f && fscanf(f, "%" SCNx64, &address) == 1;
    char line[512];
    for (int i = 0; is_shown && !address && i < 1000 && fgets(line, sizeof line, f); i++)
        sscanf(line, "%" SCNx64, &address);
    if (f)
        fclose(f);
    return address != 0;
}

static void report_symbols(const struct doctor_of_linux *d)
{
    const bool is_shown = shows_addresses();
    struct diagnostic f = diagnostic("kernel symbols", is_shown ? "ok" : "hidden");
    const int64_t level = read_number("/proc/sys/kernel/kptr_restrict", 0);
    diagnostic_because(&f, "kptr_restrict is %" PRId64 "%s", level,
                       is_shown ? "" : ": kernel functions have no names");
    if (!is_shown)
        diagnostic_advise(&f, level > 1 ? "sudo sysctl kernel.kptr_restrict=1"
                                        : "give the program CAP_SYSLOG");
    f.is_bad = !is_shown;
    snprintf(f.loses, sizeof f.loses, "names of kernel functions are missing");
    report(d, &f);
}

/* Names of files, sockets and images of processes that are not ours are read from /proc. */
static void report_others(const struct doctor_of_linux *d)
{
    DIR *const proc = opendir("/proc");
    unsigned all = 0, closed = 0;
    for (const struct dirent *e; proc && (e = readdir(proc));) {
        char path[64], target[4];
        if (e->d_name[0] < '1' || e->d_name[0] > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/exe", e->d_name);
        const uint64_t before = os_rights_raise(OS_MAY_LOOK_IN);
        errno = 0;
        const bool is_read = readlink(path, target, sizeof target) >= 0;
        os_rights_return(before);
        all += is_read || errno == EACCES || errno == EPERM;
        closed += !is_read && (errno == EACCES || errno == EPERM);
    }
    if (proc)
        closedir(proc);
    struct diagnostic f = diagnostic("other processes", closed * 2 > all ? "closed"
                                                        : closed         ? "partly"
                                                                         : "ok");
    if (closed)
        diagnostic_because(&f,
                           "/proc of %u of %u processes cannot be read: their earlier files, "
                           "sockets and images stay unnamed",
                           closed, all);
    else
        diagnostic_because(&f, "/proc of every process can be read");
    f.is_bad = closed * 2 > all;
    if (f.is_bad)
        diagnostic_advise(&f, "give the program CAP_SYS_PTRACE");
    report(d, &f);
}

/* In a container with a namespace of its own we know processes by other numbers than events do. */
static void report_ids(const struct doctor_of_linux *d)
{
    if (machine_ids() != MACHINE_IDS_OWN)
        return;
    struct diagnostic f = diagnostic("process ids", "own");
    diagnostic_because(
        &f, "this container has its own process ids, and kernel events carry those of the "
            "host: process names will not match the events");
    diagnostic_advise(&f, "start the container with --pid=host (docker, podman; hostPID: true)");
    f.is_bad = d->rights.can_trace || d->rights.can_bpf;
    report(d, &f);
}

/* ---- limits -------------------------------------------------------------------------- */

/* Rings beyond kernel.perf_event_mlock_kb count as locked memory, unless CAP_IPC_LOCK. */
static void report_memory(const struct doctor_of_linux *d)
{
    enum { WANTED_KIB = 4096 };
    struct rlimit locked = {0};
    getrlimit(RLIMIT_MEMLOCK, &locked);
    const uint64_t processors = os_processors();
    const uint64_t free_kib =
        processors * (uint64_t)read_number("/proc/sys/kernel/perf_event_mlock_kb", 516);
    const bool is_free = d->rights.capabilities >> CAP_IPC_LOCK & 1;
    const bool is_enough = is_free || locked.rlim_cur == RLIM_INFINITY ||
                           free_kib + locked.rlim_cur / 1024 >= processors * (WANTED_KIB + 4);
    struct diagnostic f = diagnostic("locked memory", is_enough ? "ok" : "little");
    if (is_free)
        diagnostic_because(&f, "CAP_IPC_LOCK: no limit");
    else
        diagnostic_because(
            &f,
            "%" PRIu64 " KiB for everybody, %" PRIu64 " KiB by ulimit -l; rings of 4 MiB "
            "on each processor need %" PRIu64 " KiB%s",
            free_kib, (uint64_t)locked.rlim_cur / 1024, processors * (WANTED_KIB + 4),
            is_enough ? "" : ": smaller ones lose events sooner");
    if (!is_enough)
        diagnostic_advise(&f, "ulimit -l unlimited, or CAP_IPC_LOCK for the program");
    report(d, &f);
}

static void report_descriptors(const struct doctor_of_linux *d, const struct linux_live *l)
{
    struct rlimit files = {0};
    getrlimit(RLIMIT_NOFILE, &files);
    const uint64_t needed = (uint64_t)l->row_count * l->cpu_count + 64;
    const bool is_enough = files.rlim_max >= needed;
    struct diagnostic f = diagnostic("file descriptors", is_enough ? "ok" : "few");
    diagnostic_because(&f,
                       is_enough ? "the limit allows %" PRIu64 "; tracetop needs up to %" PRIu64
                                 : "the limit allows %" PRIu64 ", but tracetop needs up to %" PRIu64
                                   ": some events cannot be opened",
                       (uint64_t)files.rlim_max, needed);
    if (!is_enough)
        diagnostic_advise(&f, "ulimit -n %" PRIu64, needed);
    report(d, &f);
}

/* By what right we go ahead once the others are given up: the limit, where it is or can be set. */
static const char *boost_by(const struct doctor_of_linux *d)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_RTPRIO, &limit);
    const bool can_raise = d->rights.capabilities >> CAP_SYS_RESOURCE & 1;
    return limit.rlim_max || can_raise
               ? "permitted by the limit on real-time priorities, without a capability"
               : "permitted by CAP_SYS_NICE, not by a limit (ulimit -r is 0)";
}

/* Where the machine is busy: see src/os/priority_boost.h. */
static void report_priority_boost(const struct doctor_of_linux *d)
{
    const bool is_permitted = os_may_boost();
    struct diagnostic f = diagnostic("priority", is_permitted ? "ok" : "no");
    if (is_permitted)
        diagnostic_because(&f,
                           "on a busy machine, collecting may take %d %% of one processor before "
                           "other programs, and analyzing %d %%; %s",
                           (int)BOOST_COLLECTOR, (int)BOOST_ENGINE, boost_by(d));
    else
        diagnostic_because(&f, "real-time priority is not permitted (CAP_SYS_NICE, or ulimit -r "
                               "1): a busy machine may lose events; they are counted");
    report(d, &f);
}

/* How far stacks of programs without frame pointers lead, and what that costs. */
static void report_unwinding(const struct doctor_of_linux *d)
{
    struct diagnostic f = diagnostic("unwinding", unwinder_is_possible() ? "ok" : "no");
    if (unwinder_is_possible())
        diagnostic_because(
            &f,
            "programs without frame pointers have stacks, too; this takes at most %d %% of a "
            "processor",
            (int)UNWIND_SHARE);
    else
        diagnostic_because(&f,
                           "not x86-64, or built without elfutils: without frame pointers, stacks "
                           "show only the innermost functions");
    report(d, &f);
}

/* ---- events -------------------------------------------------------------------------- */

static void name_event(const struct linux_event *e, char *out, size_t room)
{
    static const char *const software[] = {
        [PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
        [PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
        [PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
    };
    if (e->group)
        snprintf(out, room, "%s:%s", e->group, e->name);
    else if (e->needs_bpf)
        snprintf(out, room, "%s", e->program);
    else if (e->perf_type == PERF_TYPE_SOFTWARE &&
             e->perf_config < sizeof software / sizeof *software && software[e->perf_config])
        snprintf(out, room, "%s", software[e->perf_config]);
    else
        snprintf(out, room, "perf %" PRIu32 "/%" PRIu64, e->perf_type, e->perf_config);
}

/* Events that are open until the end: closed one by one, each would be waited for. */
struct tried {
    int fds[PERF_LET_GO];
    size_t count;
};

static void let_go(struct tried *t)
{
    perf_let_go(t->fds, t->count);
    t->count = 0;
}

static void keep(struct tried *t, int fd)
{
    if (t->count == PERF_LET_GO)
        let_go(t);
    t->fds[t->count++] = fd;
}

/* Opens it on one processor, as the collector would, and for BPF attaches the program. */
static bool try_row(struct linux_live *l, const struct row *r, struct tried *tried, struct err *err)
{
    const struct perf_request request = {
        .type = r->type,
        .config = r->config,
        .period = 1,
        .frequency = r->event->period,
        .has_raw = r->event->group || r->bpf,
    };
    int error;
    const int fd = perf_open(&l->perf, &request, 0, &error, err);
    if (fd >= 0)
        keep(tried, fd);
    if (fd < 0 || !r->bpf)
        return fd >= 0;
    const bool is_attached = bpf_switch(r->bpf, true, err);
    bpf_switch(r->bpf, false, NULL);
    return is_attached;
}

static void report_row(const struct doctor_of_linux *d, struct linux_live *l, uint32_t index,
                       struct tried *tried)
{
    struct row *const r = &l->rows[index];
    struct err why = r->why;
    bool is_there = !r->is_missing && try_row(l, r, tried, &why);
    if (!is_there && r->bpf && row_use_perf(l, index))
        is_there = try_row(l, r, tried, &why);
    char name[64];
    name_event(r->event, name, sizeof name);
    struct diagnostic f = diagnostic(name, r->is_no_call ? "none"
                                           : !is_there   ? "missing"
                                           : r->bpf      ? "BPF"
                                                         : "perf");
    const char *const serves = r->event->serves ? r->event->serves : "";
    if (r->is_no_call)
        diagnostic_because(&f, "this kernel has no such system call");
    else if (!is_there)
        diagnostic_because(&f, "%.150s; missing: %.90s", why.text[0] ? why.text : "refused",
                           serves[0] ? serves : "such event");
    else if (!r->bpf && r->event->prefers_bpf)
        diagnostic_because(&f, "%.100s (no BPF: %.120s; some are lost on idle processors)", serves,
                           why.text[0] ? why.text : l->no_bpf.text);
    else if (r->bpf && bpf_stands_in(r->bpf))
        diagnostic_because(&f,
                           "%.100s (no such event before Linux 6.3: counted at the end of system "
                           "calls, without io_uring and kernel threads)",
                           serves);
    else
        diagnostic_because(&f, "%.200s", serves);
    report(d, &f);
}

void live_examine(void (*report_to)(void *to, const struct diagnostic *f), void *to)
{
    struct doctor_of_linux *const d = mem_new(1, sizeof *d);
    *d = (struct doctor_of_linux){.report = report_to, .to = to};
    rights_find(&d->rights);
    privilege_assess(&d->rights, &d->privilege);
    struct linux_live *const l = mem_new(1, sizeof *l);
    l->cpu_count = os_processors();
    tracefs_find(&l->tracefs, NULL, &l->no_tracefs);
    rows_init(l);
    report_kernel(d);
    report_rights(d);
    report_capabilities(d);
    report_installation(d);
    report_tracefs(d);
    report_types(d);
    report_bpf(d, l);
    report_paranoid(d);
    report_symbols(d);
    report_others(d);
    report_ids(d);
    report_memory(d);
    report_descriptors(d, l);
    report_priority_boost(d);
    report_unwinding(d);
    struct tried tried = {.count = 0};
    for (uint32_t i = 0; i < l->row_count; i++)
        report_row(d, l, i, &tried);
    let_go(&tried);
    rows_fini(l);
    free(l);
    free(d);
}

bool live_is_permitted(void)
{
    struct rights *const r = mem_new(1, sizeof *r);
    rights_find(r);
    const bool is_permitted = (r->can_system && r->can_kernel) || r->can_own;
    free(r);
    return is_permitted;
}
