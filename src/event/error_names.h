/* Names of errors that fields of manifest and TraceLogging events carry, by their out types:
 * win:Win32Error and win:HResult. The common ones, without their messages. And those of NTSTATUS
 * (src/event/status.h), for fields that are numbers everywhere else: in general, and with which a
 * process ended. */
#ifndef SRC_EVENT_ERROR_NAMES_H
#define SRC_EVENT_ERROR_NAMES_H

#include "src/event/decode.h"

extern const struct value_map map_win32_error, map_hresult, map_status, map_exit_status;

#endif
