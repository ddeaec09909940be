/* Rights on Linux: capabilities, which belong to threads, and the user. By system calls of our
 * own: the library would change every thread. */
#include "src/os/rights_linux.h"

#include "src/base/mem.h"
#include "src/os/environment_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- capabilities -------------------------------------------------------------------- */

#define CAP(name) (1ull << CAP_##name)

/* The kernel counts them in this order on every architecture. Those that watching needs stand
 * first. */
static const struct {
    unsigned right;
    uint64_t capability;
    const char *name;
} table[] = {
    {OS_MAY_TRACE, CAP(PERFMON), "cap_perfmon"},
    {OS_MAY_TRACE, CAP(BPF), "cap_bpf"},
    {OS_MAY_READ, CAP(DAC_READ_SEARCH), "cap_dac_read_search"},
    {OS_MAY_LOOK_IN, CAP(SYS_PTRACE), "cap_sys_ptrace"},
    {OS_MAY_SEE_ADDRESSES, CAP(SYSLOG), "cap_syslog"},
    {OS_MAY_LOCK, CAP(IPC_LOCK), "cap_ipc_lock"},
    {OS_MAY_HURRY, CAP(SYS_NICE), NULL},
    {OS_MAY_RAISE_LIMITS, CAP(SYS_RESOURCE), NULL},
    {OS_MAY_WRITE, CAP(DAC_OVERRIDE), NULL},
    {OS_MAY_MOUNT, CAP(SYS_ADMIN), NULL},
};

enum { ROWS = sizeof table / sizeof table[0] };

/* Before 5.8 one capability stood for the first two. */
static bool is_old(void)
{
    return prctl(PR_CAPBSET_READ, CAP_BPF, 0, 0, 0) < 0;
}

uint64_t os_rights_capabilities(unsigned rights)
{
    uint64_t set = rights & OS_MAY_TRACE && is_old() ? CAP(SYS_ADMIN) : 0;
    for (size_t i = 0; i < ROWS; i++)
        set |= rights & table[i].right ? table[i].capability : 0;
    return set;
}

void os_rights_list(uint64_t set, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < ROWS && table[i].name && used < room; i++)
        if (set & table[i].capability)
            used += (size_t)snprintf(out + used, room - used, "%s%s", used ? "," : "",
                                     table[i].name);
}

uint64_t os_rights_permitted(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0, 0, 0}};
    if (syscall(SYS_capget, &head, data) != 0)
        return 0;
    return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

/* Nothing stays inheritable, and so nothing ambient. */
static bool set_capabilities(uint64_t effective, uint64_t permitted)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct data[2] = {
        {(uint32_t)effective, (uint32_t)permitted, 0},
        {(uint32_t)(effective >> 32), (uint32_t)(permitted >> 32), 0}};
    return syscall(SYS_capset, &head, data) == 0;
}

/* ---- raising ------------------------------------------------------------------------- */

/* `had` is what every thread of ours is permitted; it only ever becomes less. */
static struct {
    bool is_begun;
    _Atomic uint64_t had;
} rights;

static _Thread_local uint64_t raised; /* of this thread: what is effective */

static void put_in_effect(uint64_t set)
{
    const int error = errno;
    if (set != raised && set_capabilities(set, atomic_load_explicit(&rights.had, memory_order_relaxed)))
        raised = set;
    errno = error;
}

uint64_t os_rights_raise(unsigned wanted)
{
    const uint64_t before = raised;
    if (rights.is_begun)
        put_in_effect(before | (os_rights_capabilities(wanted) &
                                atomic_load_explicit(&rights.had, memory_order_relaxed)));
    return before;
}

void os_rights_return(uint64_t before)
{
    if (rights.is_begun)
        put_in_effect(before & atomic_load_explicit(&rights.had, memory_order_relaxed));
}

void os_rights_drop(void)
{
    if (!rights.is_begun)
        return;
    atomic_store(&rights.had, 0);
    set_capabilities(0, 0);
    raised = 0;
}

/* ---- whose program this is ------------------------------------------------------------- */

/* sudo says so; root who calls sudo stays root. */
static bool is_by_sudo(void)
{
    const char *const user = getenv("SUDO_UID");
    return getuid() == 0 && geteuid() == 0 && user && strcmp(user, "0") != 0;
}

void os_rights_start(void)
{
    rights.is_begun = true;
    atomic_store(&rights.had, os_rights_permitted());
    set_capabilities(0, rights.had);
    raised = 0;
    if (getauxval(AT_SECURE) || is_by_sudo())
        environment_cut();
}

static bool read_id(const char *text, uint32_t *out)
{
    char *end = NULL;
    errno = 0;
    const unsigned long value = text && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (!end || *end || errno || value == 0 || value >= UINT32_MAX)
        return false;
    *out = (uint32_t)value;
    return true;
}

struct user {
    uint32_t uid, gid;
};

/* The user whose program this is to be, and the environment that is the user's. */
static bool find_user(struct user *u, struct err *err)
{
    *u = (struct user){getuid(), getgid()};
    const char *const name = environment_had("SUDO_UID"), *const group = environment_had("SUDO_GID");
    if (getuid() != 0 || geteuid() != 0 || !name || strcmp(name, "0") == 0)
        return true;
    if (!read_id(name, &u->uid))
        return fail(err, "cannot give up root: SUDO_UID is '%.60s', expected the number of a user",
                    name);
    const struct passwd *const p = getpwuid(u->uid);
    if (p)
        u->gid = p->pw_gid;
    if (!read_id(group, &u->gid) && !p)
        return fail(err, "cannot give up root: SUDO_GID is '%.60s', expected the number of a group",
                    group ? group : "");
    environment_become(p);
    return true;
}

static bool become(const struct user *u, struct err *err)
{
    if (getuid() == u->uid && geteuid() == u->uid && getegid() == u->gid)
        return true;
    gid_t groups[256];
    int count = (int)(sizeof groups / sizeof groups[0]);
    const struct passwd *const p = getpwuid(u->uid);
    if (!p || getgrouplist(p->pw_name, u->gid, groups, &count) < 0)
        groups[0] = u->gid, count = 1;
    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
    const bool is_root = getuid() == 0; /* else a bit on the file: the groups are the user's */
    const bool is_done = (!is_root || setgroups((size_t)count, groups) == 0) &&
                         setresgid(u->gid, u->gid, u->gid) == 0 &&
                         setresuid(u->uid, u->uid, u->uid) == 0;
    const int error = errno;
    prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
    return is_done ||
           fail(err, "cannot give up root and become user %u: %s", u->uid, strerror(error));
}

/* ---- files that were named ---------------------------------------------------------------- */

static struct {
    const char *path;
    int descriptor;
} *opened;
static size_t opened_count;

/* Regular files only, checked before: opening a device may do something. -1: none. */
static int open_regular(const char *path)
{
    char found_path[64];
    struct stat s;
    const int found = open(path, O_PATH | O_CLOEXEC);
    if (found < 0)
        return -1;
    snprintf(found_path, sizeof found_path, "/proc/self/fd/%d", found);
    const bool is_regular = fstat(found, &s) == 0 && S_ISREG(s.st_mode);
    const int fd = is_regular ? open(found_path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    close(found);
    return fd;
}

/* What cannot be opened is left to who needs it, with the rights that are left. */
static void open_files(const struct os_rights_request *w)
{
    opened = mem_new(w->file_count + 1, sizeof *opened);
    for (size_t i = 0; i < w->file_count; i++) {
        const int fd = open_regular(w->files[i]);
        if (fd < 0)
            continue;
        opened[opened_count].path = w->files[i];
        opened[opened_count++].descriptor = fd;
    }
}

int os_rights_opened(const char *path)
{
    for (size_t i = 0; i < opened_count; i++)
        if (strcmp(opened[i].path, path) == 0)
            return opened[i].descriptor;
    return -1;
}

/* ---- the kernel's names ---------------------------------------------------------------------- */

/* No opened[] has it: a file that the user names is never this descriptor. */
static int kernel_names = -1;

/* The kernel decides here, and not when it is read, whether it shows addresses. */
static int open_kernel_names(void)
{
    const uint64_t before = os_rights_raise(OS_MAY_SEE_ADDRESSES);
    const int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
    os_rights_return(before);
    return fd;
}

FILE *os_rights_kernel_names(void)
{
    const int fd = kernel_names < 0 ? open_kernel_names() : fcntl(kernel_names, F_DUPFD_CLOEXEC, 0);
    FILE *const f = fd >= 0 && lseek(fd, 0, SEEK_SET) == 0 ? fdopen(fd, "r") : NULL;
    if (!f && fd >= 0)
        close(fd);
    return f;
}

/* ---- settling ------------------------------------------------------------------------------ */

/* Root without sudo stays root, who may write everywhere. Where the limit on real-time priorities
 * serves, no capability is kept for them. */
static uint64_t kept_of(const struct os_rights_request *w, bool is_root)
{
    struct rlimit real_time = {0};
    getrlimit(RLIMIT_RTPRIO, &real_time);
    const unsigned kept = (w->kept & (OS_MAY_WATCH | OS_MAY_HURRY)) | (is_root ? OS_MAY_WRITE : 0u);
    return os_rights_capabilities(real_time.rlim_cur ? kept & ~(unsigned)OS_MAY_HURRY : kept);
}

bool os_rights_settle(const struct os_rights_request *w, struct err *err)
{
    struct user user;
    const uint64_t all = atomic_load(&rights.had);
    const bool was_root = getuid() == 0 && geteuid() == 0;
    if (w->reads_kernel_names)
        kernel_names = open_kernel_names();
    if (was_root) {
        set_capabilities(all, all);
        open_files(w);
    }
    if (!find_user(&user, err))
        return false;
    set_capabilities(all, all);
    if (!become(&user, err))
        return false;
    const uint64_t kept = all & kept_of(w, was_root && user.uid == 0);
    if (!set_capabilities(0, kept))
        return fail(err, "cannot give up capabilities: %s", strerror(errno));
    atomic_store(&rights.had, kept);
    if (!w->runs_commands)
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); /* since 3.5 */
    return true;
}
