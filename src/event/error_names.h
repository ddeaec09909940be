/* Names of errors that fields of manifest and TraceLogging events carry, by their out types:
 * win:Win32Error and win:HResult. The common ones, without their messages. Codes of NTSTATUS are in
 * src/event/status.h. */
#ifndef SRC_EVENT_ERROR_NAMES_H
#define SRC_EVENT_ERROR_NAMES_H

#include "src/event/decode.h"

extern const struct value_map map_win32_error, map_hresult;

#endif
