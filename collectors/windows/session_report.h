/* What ETW says of a session, as text and as JSON. */
#ifndef COLLECTORS_WINDOWS_SESSION_REPORT_H
#define COLLECTORS_WINDOWS_SESSION_REPORT_H

#include "collectors/windows/etw_session.h"

#include "src/base/json_out.h"

#include <stdio.h>

/* "live", "file", "memory", with "kernel, " before it for sessions of kernel events. */
const char *session_mode(const struct etw_properties *p);

/* "tracetop 812", "tracetop 812, exited", or "-" for all others. */
const char *session_owner(const struct etw_properties *p, char *out, size_t room);

/* All that is known of it, a line each. */
void session_report(const struct etw_properties *p, FILE *to);

/* The same as members of a JSON object: `{"name":…`, without its end. */
void session_report_json(const struct etw_properties *p, struct json_out *to);

/* What is left of a session that was stopped: "12 buffers written, 0 events and 0 buffers lost". */
const char *session_total(const struct etw_properties *p, char *out, size_t room);

#endif
