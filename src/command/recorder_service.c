#include "src/command/recorder_service.h"

#include "src/base/message.h"
#include "src/base/show.h"
#include "src/command/batch.h"
#include "src/os/background.h"
#include "src/os/output.h"

#include <stdlib.h>
#include <string.h>

const char *recorder_service_name(const char *name, char out[SERVICE_NAME])
{
    snprintf(out, SERVICE_NAME, "tracetop-recorder-%.64s", name);
    return out;
}

/* ---- a service of Windows -------------------------------------------------------------------- */

/* It begins in a folder of the system. */
static bool is_whole_path(const char *option, const char *path, struct err *err)
{
    char *const full = path ? os_full_path(path) : NULL;
    const bool is_whole = !path || strcmp(full, path) == 0;
    if (!is_whole)
        fail(err, "--%s: a service needs the whole path, such as %.700s", option, full);
    free(full);
    return is_whole;
}

int recorder_install(const char *name, const struct options *o, const char *const *words)
{
    char service[SERVICE_NAME], title[SERVICE_NAME];
    struct err err;
    if (!is_whole_path("folder", o->folder, &err) || !is_whole_path("config", o->config, &err))
        return complain(err.text), EXIT_USAGE;
    snprintf(title, sizeof title, "tracetop recorder %.64s", name);
    const bool is_done = service_install(recorder_service_name(name, service), title, words, &err);
    if (!is_done)
        return complain(err.text), EXIT_ERROR;
    message_print(os_output(), "the service '%s' is installed and runs", service);
    return output_arrived(&err) ? EXIT_DONE : (complain(err.text), EXIT_ERROR);
}

int recorder_remove(const char *name)
{
    char service[SERVICE_NAME];
    struct err err;
    if (!service_remove(recorder_service_name(name, service), &err))
        return complain(err.text), EXIT_ERROR;
    message_print(os_output(), "the service '%s' has ended and is removed; its files stay",
                  service);
    return output_arrived(&err) ? EXIT_DONE : (complain(err.text), EXIT_ERROR);
}

/* ---- a service of systemd -------------------------------------------------------------------- */

/* No PrivateTmp: without a runtime folder of the user, the endpoint's socket lies in /tmp. */
static const char unit[] =
    "# systemd unit of tracetop's recorder; the name behind '@' is the recorder's.\n"
    "#\n"
    "#     tracetop recorder unit > /etc/systemd/system/tracetop-recorder@.service\n"
    "#     systemctl enable --now tracetop-recorder@default\n"
    "[Unit]\n"
    "Description=tracetop recorder %%i\n"
    "Documentation=man:tracetop(1)\n"
    "\n"
    "[Service]\n"
    "Type=notify\n"
    "# What it records and keeps: the section [recorder.default] of this file, for each recorder\n"
    "# that is named otherwise [recorder.NAME]; see man:tracetop-config(5).\n"
    "Environment=TRACETOP_CONFIG=%%E/tracetop/tracetop.conf\n"
    "ExecStart=\"%s\" recorder run %%i\n"
    "ExecReload=\"%s\" recorder reload %%i\n"
    "Restart=on-failure\n"
    "WatchdogSec=60\n"
    "TimeoutStopSec=30\n"
    "StateDirectory=tracetop\n"
    "StateDirectoryMode=0750\n"
    "UMask=0027\n"
    "# Some kernels open events only with CAP_SYS_ADMIN (Debian's, while "
    "kernel.perf_event_paranoid\n"
    "# is above 2). There a process of its own keeps it, which does nothing but open events.\n"
    "CapabilityBoundingSet=CAP_SYS_ADMIN CAP_PERFMON CAP_BPF CAP_DAC_READ_SEARCH CAP_SYS_PTRACE "
    "CAP_SYSLOG \\\n"
    "    CAP_IPC_LOCK CAP_SYS_NICE CAP_SYS_RESOURCE\n"
    "NoNewPrivileges=yes\n"
    "ProtectSystem=strict\n"
    "ProtectHome=read-only\n"
    "ProtectClock=yes\n"
    "ProtectControlGroups=yes\n"
    "ProtectHostname=yes\n"
    "ProtectKernelModules=yes\n"
    "PrivateDevices=yes\n"
    "IPAddressDeny=any\n"
    "RestrictAddressFamilies=AF_UNIX AF_NETLINK\n"
    "RestrictNamespaces=yes\n"
    "RestrictSUIDSGID=yes\n"
    "LockPersonality=yes\n"
    "MemoryDenyWriteExecute=yes\n"
    "SystemCallArchitectures=native\n"
    "SystemCallFilter=@system-service bpf perf_event_open\n"
    "\n"
    "[Install]\n"
    "WantedBy=multi-user.target\n";

int recorder_unit(void)
{
    char program[4096];
    struct err err;
    background_program(program, sizeof program);
    show(os_output(), unit, program, program);
    return output_arrived(&err) ? EXIT_DONE : (complain(err.text), EXIT_ERROR);
}
