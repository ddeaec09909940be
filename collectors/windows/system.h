/* What the system says of itself beside ETW. Any thread. */
#ifndef COLLECTORS_WINDOWS_SYSTEM_H
#define COLLECTORS_WINDOWS_SYSTEM_H

#include <stdint.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

struct system_version {
    uint32_t build;
    uint32_t version; /* as headers of traces have it: major, minor in the low bytes */
};
struct system_version system_version(void); /* zeros: not known */

uint32_t system_mhz(void); /* of the first processor; 0: not known */
int64_t system_boot(void); /* ns since 1970, good to some hundredths of a second */

/* "Windows 10 Pro", "19041.1.amd64fre.vb_release.191206-1406" and so on, from the registry's key of
 * the system; "" where it has none. Returns `out`. */
enum { SYSTEM_TEXT = 256 };
WCHAR *system_text(const WCHAR *value, WCHAR out[SYSTEM_TEXT]);
int64_t system_installed(void); /* FILETIME; 0: not known */

#endif
