/* `tracetop providers` of traces: which providers have events there, which kinds, and what fields
 * these have, as far as the trace, manifests and built-in tables tell. */
#ifndef SRC_EXPORT_PROVIDER_REPORT_H
#define SRC_EXPORT_PROVIDER_REPORT_H

#include "src/base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum provider_report_verb {
    PROVIDER_REPORT_LIST,   /* one line a provider */
    PROVIDER_REPORT_SEARCH, /* likewise: those where a name or GUID contains the text */
    PROVIDER_REPORT_SHOW,   /* all kinds of events of one provider */
};

struct provider_report {
    const char *const *files;
    size_t file_count;
    enum provider_report_verb verb;
    const char *text; /* what is searched; the name (also without "Microsoft-Windows-") or GUID */
    FILE *to, *log;   /* the report; sentences about the files */
    const _Atomic bool *stop;
};

/* The status to leave with; a sentence in *err where it is an error. */
int provider_report_run(const struct provider_report *r, struct err *err);

#endif
