#include "collectors/linux/kernel/tracefs_own.h"

#include "src/os/rights.h"

#include <linux/mount.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static char own[32]; /* written before there are threads */

/* The file system as a mount without a place; -1 where the kernel or a filter refuses. */
static int mount_detached(void)
{
    enum {
        ATTRIBUTES = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC
    };
    const int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
    if (context < 0)
        return -1;
    const bool is_made = syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0;
    const int fd = is_made ? (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, ATTRIBUTES) : -1;
    close(context);
    return fd;
}

bool tracefs_own_mount(void)
{
    const uint64_t before = os_rights_raise(OS_MAY_MOUNT);
    const int fd = mount_detached();
    os_rights_return(before);
    if (fd >= 0)
        snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    return fd >= 0;
}

const char *tracefs_own(void)
{
    return own[0] ? own : NULL;
}
