#include "collectors/linux/kernel/privilege.h"

#include "collectors/linux/kernel/perf.h"
#include "collectors/linux/kernel/perf_opener.h"
#include "collectors/linux/kernel/tracefs.h"
#include "src/os/rights_linux.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

uint64_t privilege_needed(void)
{
    return os_rights_capabilities(OS_MAY_WATCH);
}

/* ---- trying -------------------------------------------------------------------------- */

static bool try_event(struct perf_event_attr a, int pid, int cpu)
{
    a.size = sizeof a;
    a.disabled = 1;
    a.sample_period = 1;
    const int fd = perf_opener_open(&a, pid, cpu, -1);
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
    const uint64_t before = os_rights_raise(OS_MAY_TRACE);
    const int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof a);
    os_rights_return(before);
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
    return os_rights_permitted() >> CAP_SYS_PTRACE & 1;
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
    struct tracefs fs;
    const int cpu = sched_getcpu();
    r->capabilities = os_rights_permitted();
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
    else if (r->paranoid > 2 && has(r, CAP_PERFMON)) /* then it asks for more than that */
        snprintf(p->fix, sizeof p->fix, "sudo sysctl kernel.perf_event_paranoid=2");
    else {
        char list[OS_RIGHTS_LIST];
        os_rights_list(privilege_needed(), list, sizeof list);
        snprintf(p->fix, sizeof p->fix, "sudo setcap %s=p %s", list, r->program);
    }
}

static void advise_mount(struct privilege *p)
{
    snprintf(p->fix, sizeof p->fix, "sudo " TRACEFS_MOUNT);
}

static void describe_situation(struct privilege *p, enum linux_access situation, const char *works,
                               const char *why)
{
    p->situation = (uint8_t)situation;
    snprintf(p->works, sizeof p->works, "%s", works);
    snprintf(p->why, sizeof p->why, "%s", why);
}

static void assess_system(const struct rights *r, struct privilege *p)
{
    if (r->can_trace && r->can_bpf) {
        describe_situation(p, SITUATION_ALL, "all events", "");
        p->is_complete = true;
    } else if (r->can_trace) {
        describe_situation(
            p, SITUATION_PERF, "all tracepoints",
            r->has_types
                ? "BPF programs may not be loaded: events on idle processors can get lost, "
                  "and exit codes and UDP addresses are unknown"
                : "this kernel has no type information (CONFIG_DEBUG_INFO_BTF), so there is "
                  "no BPF: events on idle processors can get lost");
        p->is_complete = !r->has_types; /* rights change nothing there */
        if (r->has_types)
            advise(r, p);
    } else if (r->can_bpf && r->tracefs == TRACEFS_MISSING) {
        describe_situation(p, SITUATION_BPF, "events read by BPF programs, faults and samples",
                           "tracefs is not mounted here: events without a BPF program are missing");
        advise_mount(p);
    } else if (r->can_bpf) {
        describe_situation(p, SITUATION_BPF, "events read by BPF programs, faults and samples",
                           "tracefs may not be read: events without a BPF program are missing");
        advise(r, p);
    } else if (r->tracefs == TRACEFS_MISSING && has(r, CAP_PERFMON)) {
        describe_situation(
            p, SITUATION_SOFTWARE, "processes, images, faults and samples of the whole system",
            "tracefs is not mounted here, and BPF programs may not be loaded: no switches, disk, "
            "files or network");
        advise_mount(p);
    } else {
        describe_situation(
            p, SITUATION_SOFTWARE, "processes, images, faults and samples of the whole system",
            "neither tracefs nor BPF is permitted: no switches, disk, files or network");
        advise(r, p);
    }
}

void privilege_assess(const struct rights *r, struct privilege *p)
{
    *p = (struct privilege){0};
    if (r->can_system && r->can_kernel) {
        assess_system(r, p);
    } else if (r->can_own) {
        describe_situation(
            p, SITUATION_OWN, "your own processes: starts, exits, images, faults, samples",
            "the kernel's events may not be read: other users' processes, switches, disk, files "
            "and network are missing");
        advise(r, p);
    } else {
        describe_situation(
            p, SITUATION_NOTHING, "trace files and the demo",
            r->is_filtered    ? "performance events are forbidden here (seccomp: a container?)"
            : r->paranoid > 2 ? "performance events are restricted to root "
                                "(kernel.perf_event_paranoid is above 2)"
                              : "performance events are not permitted or not in this kernel");
        advise(r, p);
    }
}
