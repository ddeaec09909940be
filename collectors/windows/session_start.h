/* Sessions that `tracetop sessions` starts and changes for others: they are not ours, and go on
 * when this process ends. */
#ifndef COLLECTORS_WINDOWS_SESSION_START_H
#define COLLECTORS_WINDOWS_SESSION_START_H

#include "collectors/windows/etw_session.h"

#include "src/base/err.h"
#include "src/collect/session_settings.h"

/* Starts a session; *out is what ETW made of the settings. The Windows error, or ERROR_SUCCESS;
 * where the settings were refused before ETW was asked, err has a sentence, and else none. */
ULONG session_start_for(const WCHAR *name, const struct session_settings *s,
                        struct etw_properties *out, struct err *err);

/* Changes what ETW can change while a session runs, and leaves the rest as it is. */
ULONG session_update_for(const WCHAR *name, const struct session_settings *s,
                         struct etw_properties *out, struct err *err);

#endif
