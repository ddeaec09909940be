#include "collectors/linux/kernel/machine.h"

#include "src/os/os.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The file of the first namespace has always had this number. */
enum machine_ids machine_ids(void)
{
    const ino_t FIRST = 0xEFFFFFFC; /* PROC_PID_INIT_INO */
    struct stat s;
    if (stat("/proc/self/ns/pid", &s) != 0)
        return MACHINE_IDS_UNKNOWN;
    return s.st_ino == FIRST ? MACHINE_IDS_FIRST : MACHINE_IDS_OWN;
}

static uint16_t architecture_of(const char *machine)
{
    enum { AMD64 = 9, ARM64 = 12, UNKNOWN = 0xffff };
    return strcmp(machine, "x86_64") == 0    ? AMD64
           : strcmp(machine, "aarch64") == 0 ? ARM64
                                             : UNKNOWN;
}

/* "cpu MHz : 2100.000" of the first processor; many architectures do not have it. */
static uint32_t read_mhz(void)
{
    char line[512];
    double mhz = 0;
    FILE *const f = fopen("/proc/cpuinfo", "re");
    while (f && !mhz && fgets(line, sizeof line, f))
        if (sscanf(line, "cpu MHz : %lf", &mhz) != 1)
            mhz = 0;
    if (f)
        fclose(f);
    return mhz > 0 && mhz < 1e6 ? (uint32_t)mhz : 0;
}

static bool has_threads(void)
{
    FILE *const f = fopen("/sys/devices/system/cpu/smt/active", "re");
    const bool is_active = f && fgetc(f) == '1';
    if (f)
        fclose(f);
    return is_active;
}

uint32_t machine_kernel(const char *release)
{
    enum { MOST = 255 };
    unsigned major = 0, minor = 0, patch = 0;
    if (sscanf(release, "%3u.%3u.%3u", &major, &minor, &patch) < 2 || major > MOST || minor > MOST)
        return 0;
    return major << 16 | minor << 8 | (patch < MOST ? patch : MOST);
}

struct machine machine_read(uint32_t cpus)
{
    struct machine m = {.mhz = read_mhz(),
                        .cpus = cpus,
                        .memory_mb = (uint32_t)(os_memory_installed() >> 20),
                        .architecture = architecture_of(""),
                        .has_threads = has_threads()};
    struct utsname u;
    if (uname(&u) == 0) {
        m.architecture = architecture_of(u.machine);
        snprintf(m.name, sizeof m.name, "%.64s", u.nodename);
    }
    return m;
}
