#include "collectors/linux/privilege.h"

#include "collectors/linux/perf.h"
#include "collectors/linux/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- capabilities -------------------------------------------------------------------- */

/* What each is for. Those that are kept serve as long as we collect; the kernel counts them in
 * this order on every architecture. */
static const struct {
    uint8_t number;
    const char *name;
} needed[] = {
    {CAP_PERFMON, "cap_perfmon"},                 /* events of all processes, at any time */
    {CAP_BPF, "cap_bpf"},                         /* attaching programs when a pane wants them */
    {CAP_DAC_READ_SEARCH, "cap_dac_read_search"}, /* tracefs, which is root's */
    {CAP_SYS_PTRACE, "cap_sys_ptrace"},           /* others' /proc/PID/fd, exe, maps */
    {CAP_SYSLOG, "cap_syslog"},                   /* addresses in /proc/kallsyms */
    {CAP_IPC_LOCK, "cap_ipc_lock"},               /* rings beyond kernel.perf_event_mlock_kb */
};

enum { NEEDED = sizeof needed / sizeof needed[0] };

/* Before 5.8 one capability stood for the first two. */
static bool is_old(void)
{
    return prctl(PR_CAPBSET_READ, CAP_BPF, 0, 0, 0) < 0;
}

uint64_t privilege_needed(void)
{
    uint64_t set = is_old() ? 1ull << CAP_SYS_ADMIN : 0;
    for (size_t i = 0; i < NEEDED; i++)
        set |= 1ull << needed[i].number;
    return set;
}

uint64_t privilege_kept(void)
{
    struct rlimit precedence = {0};
    getrlimit(RLIMIT_RTPRIO, &precedence);
    return privilege_needed() | (precedence.rlim_cur ? 0 : 1ull << CAP_SYS_NICE);
}

void privilege_list(uint64_t set, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < NEEDED && used < room; i++)
        if (set >> needed[i].number & 1)
            used +=
                (size_t)snprintf(out + used, room - used, "%s%s", used ? "," : "", needed[i].name);
}

struct capabilities {
    uint64_t effective, permitted;
};

static bool capabilities_get(struct capabilities *c)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &head, data) != 0)
        return false;
    c->effective = data[0].effective | (uint64_t)data[1].effective << 32;
    c->permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
    return true;
}

/* Nothing stays inheritable either. */
static bool capabilities_set(uint64_t set)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    const uint32_t low = (uint32_t)set, high = (uint32_t)(set >> 32);
    const struct __user_cap_data_struct data[2] = {{.effective = low, .permitted = low},
                                                   {.effective = high, .permitted = high}};
    return syscall(SYS_capset, &head, data) == 0;
}

/* ---- trying -------------------------------------------------------------------------- */

static bool try_event(struct perf_event_attr a, int pid, int cpu)
{
    a.size = sizeof a;
    a.disabled = 1;
    a.sample_period = 1;
    const int fd = (int)syscall(SYS_perf_event_open, &a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0)
        perf_let_go(&fd, 1);
    return fd >= 0;
}

static bool try_software(bool in_kernel, int pid, int cpu)
{
    const struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                      .config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
                                      .exclude_kernel = !in_kernel,
                                      .exclude_hv = !in_kernel};
    return try_event(a, pid, cpu);
}

static bool try_tracepoint(const struct tracefs *fs, int cpu)
{
    char *const text = tracefs_format(fs, "sched", "sched_switch", NULL);
    const uint64_t id = text ? format_id(text) : 0;
    free(text);
    const struct perf_event_attr a = {
        .type = PERF_TYPE_TRACEPOINT, .config = id, .sample_type = PERF_SAMPLE_RAW};
    return id && try_event(a, -1, cpu);
}

/* The smallest program of the kind: it returns 0 and is never attached. */
static bool try_program(void)
{
    static const struct bpf_insn instructions[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
        {.code = BPF_JMP | BPF_EXIT},
    };
    const union bpf_attr a = {
        .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
        .insns = (uintptr_t)instructions,
        .insn_cnt = 2,
        .license = (uintptr_t) "Dual MIT/GPL",
    };
    const int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof a);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static enum tracefs_state find_tracefs(struct tracefs *fs)
{
    if (tracefs_find(fs, NULL, NULL))
        return TRACEFS_READABLE;
    FILE *const mounts = fopen("/proc/self/mounts", "re");
    char line[8192];
    bool is_mounted = false;
    while (mounts && fgets(line, sizeof line, mounts))
        is_mounted |= strstr(line, " tracefs ") != NULL;
    if (mounts)
        fclose(mounts);
    return is_mounted ? TRACEFS_REFUSED : TRACEFS_MISSING;
}

static int read_number(const char *path, int otherwise)
{
    FILE *const f = fopen(path, "re");
    int number = otherwise;
    if (f && fscanf(f, "%d", &number) != 1)
        number = otherwise;
    if (f)
        fclose(f);
    return number;
}

static void find_program(char *out, size_t room)
{
    const ssize_t bytes = readlink("/proc/self/exe", out, room - 1);
    snprintf(out + (bytes > 0 ? bytes : 0), bytes > 0 ? 1 : room, "%s",
             bytes > 0 ? "" : "tracetop");
}

/* Whose events can be had: nothing here makes the kernel wait. */
static void try_scopes(struct rights *r)
{
    const int cpu = sched_getcpu();
    r->can_system = try_software(false, -1, cpu < 0 ? 0 : cpu);
    r->can_kernel = try_software(true, -1, cpu < 0 ? 0 : cpu);
    r->can_own = try_software(false, 0, -1);
}

bool rights_to_look_in(void)
{
    struct capabilities c = {0};
    return capabilities_get(&c) && c.effective >> CAP_SYS_PTRACE & 1;
}

bool rights_are_for_own(void)
{
    struct rights r;
    try_scopes(&r);
    return !(r.can_system && r.can_kernel) && r.can_own;
}

void rights_find(struct rights *r)
{
    *r = (struct rights){0};
    struct capabilities c = {0};
    struct tracefs fs;
    const int cpu = sched_getcpu();
    capabilities_get(&c);
    r->capabilities = c.effective;
    r->paranoid = read_number("/proc/sys/kernel/perf_event_paranoid", PARANOID_UNKNOWN);
    r->tracefs = (uint8_t)find_tracefs(&fs);
    r->has_types = faccessat(AT_FDCWD, "/sys/kernel/btf/vmlinux", R_OK, AT_EACCESS) == 0;
    try_scopes(r);
    r->can_trace = r->tracefs == TRACEFS_READABLE && try_tracepoint(&fs, cpu < 0 ? 0 : cpu);
    r->can_bpf = r->has_types && try_program();
    r->is_filtered = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2;
    find_program(r->program, sizeof r->program);
}

/* ---- judging ------------------------------------------------------------------------- */

static bool has(const struct rights *r, int capability)
{
    return r->capabilities >> capability & 1;
}

/* The one command for whoever lacks rights. */
static void advise(const struct rights *r, struct privilege *p)
{
    if (r->is_filtered && !r->can_own)
        snprintf(p->fix, sizeof p->fix,
                 "start the container with --cap-add PERFMON --cap-add BPF and a seccomp profile "
                 "that permits perf_event_open and bpf");
    else {
        char list[PRIVILEGE_LIST];
        privilege_list(privilege_needed(), list, sizeof list);
        snprintf(p->fix, sizeof p->fix, "sudo setcap %s=ep %s", list, r->program);
    }
}

static void advise_mount(struct privilege *p)
{
    snprintf(p->fix, sizeof p->fix, "sudo mount -t tracefs nodev /sys/kernel/tracing");
}

static void say(struct privilege *p, enum situation situation, const char *works, const char *why)
{
    p->situation = (uint8_t)situation;
    snprintf(p->works, sizeof p->works, "%s", works);
    snprintf(p->why, sizeof p->why, "%s", why);
}

static void judge_system(const struct rights *r, struct privilege *p)
{
    if (r->can_trace && r->can_bpf) {
        say(p, SITUATION_ALL, "all events", "");
        p->is_complete = true;
    } else if (r->can_trace) {
        say(p, SITUATION_PERF, "all tracepoints",
            r->has_types
                ? "BPF programs may not be loaded: events on idle processors can get lost, "
                  "and exit codes and UDP addresses are unknown"
                : "this kernel has no type information (CONFIG_DEBUG_INFO_BTF), so there is "
                  "no BPF: events on idle processors can get lost");
        p->is_complete = !r->has_types; /* rights change nothing there */
        if (r->has_types)
            advise(r, p);
    } else if (r->can_bpf && r->tracefs == TRACEFS_MISSING) {
        say(p, SITUATION_BPF, "what BPF serves, faults and samples",
            "tracefs is not mounted here: events without a BPF program are missing");
        advise_mount(p);
    } else if (r->can_bpf) {
        say(p, SITUATION_BPF, "what BPF serves, faults and samples",
            "tracefs may not be read: events without a BPF program are missing");
        advise(r, p);
    } else if (r->tracefs == TRACEFS_MISSING && has(r, CAP_PERFMON)) {
        say(p, SITUATION_SOFTWARE, "processes, images, faults and samples of the whole system",
            "tracefs is not mounted here, and BPF programs may not be loaded: no switches, disk, "
            "files or network");
        advise_mount(p);
    } else {
        say(p, SITUATION_SOFTWARE, "processes, images, faults and samples of the whole system",
            "neither tracefs nor BPF is permitted: no switches, disk, files or network");
        advise(r, p);
    }
}

void privilege_judge(const struct rights *r, struct privilege *p)
{
    *p = (struct privilege){0};
    if (r->can_system && r->can_kernel) {
        judge_system(r, p);
    } else if (r->can_own) {
        say(p, SITUATION_OWN, "your own processes: starts and ends, images, faults, samples",
            "the kernel's events may not be read: other users' processes, switches, disk, files "
            "and network are missing");
        advise(r, p);
    } else {
        say(p, SITUATION_NOTHING, "recordings and the demo",
            r->is_filtered    ? "performance events are forbidden here (seccomp: a container?)"
            : r->paranoid > 2 ? "performance events are for the administrator only "
                                "(kernel.perf_event_paranoid is above 2)"
                              : "performance events are not permitted or not in this kernel");
        advise(r, p);
    }
}

/* ---- dropping ------------------------------------------------------------------------ */

static bool read_id(const char *name, uint32_t *out)
{
    const char *const text = getenv(name);
    char *end = NULL;
    errno = 0;
    const unsigned long value = text && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (!end || *end || errno || value == 0 || value >= UINT32_MAX)
        return false;
    *out = (uint32_t)value;
    return true;
}

/* By system calls of our own, as for capabilities: the library would change every thread, and
 * one that has been started is perhaps to keep its rights (a command's output belongs to it). */
static bool become_caller(struct err *err)
{
    uint32_t uid, gid;
    if (geteuid() != 0 || !read_id("SUDO_UID", &uid) || !read_id("SUDO_GID", &gid))
        return true;
    gid_t groups[256];
    int count = (int)(sizeof groups / sizeof groups[0]);
    const struct passwd *const user = getpwuid(uid);
    if (!user || getgrouplist(user->pw_name, gid, groups, &count) < 0)
        groups[0] = gid, count = 1;
    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
    const bool is_done = syscall(SYS_setgroups, count, groups) == 0 &&
                         syscall(SYS_setresgid, gid, gid, gid) == 0 &&
                         syscall(SYS_setresuid, uid, uid, uid) == 0;
    const int error = errno;
    prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
    return is_done || fail(err, "the identity of root cannot be given up: %s", strerror(error));
}

bool privilege_drop(struct err *err)
{
    struct capabilities c;
    if (!capabilities_get(&c))
        return fail(err, "capabilities cannot be read: %s", strerror(errno));
    if (!become_caller(err))
        return false;
    if (!capabilities_set(c.permitted & privilege_kept()))
        return fail(err, "rights cannot be given up: %s", strerror(errno));
    return true;
}
