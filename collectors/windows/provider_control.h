/* `tracetop providers enable`, `disable` and `state`: a provider in a session that runs, whoever
 * has started it. */
#ifndef COLLECTORS_WINDOWS_PROVIDER_CONTROL_H
#define COLLECTORS_WINDOWS_PROVIDER_CONTROL_H

#include "collectors/windows/etw_api.h"

#include "src/collect/session_settings.h"

#include <stdio.h>

/* `code` is one of EVENT_CONTROL_CODE_… The status to leave with; what was not done has been said.
 */
int provider_control(const char *name, ULONG code, const struct provider_settings *s, FILE *to);

#endif
