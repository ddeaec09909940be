#include "src/collect/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>

struct diagnostic diagnostic(const char *subject, const char *state)
{
    struct diagnostic f = {.is_bad = false};
    snprintf(f.subject, sizeof f.subject, "%s", subject);
    snprintf(f.state, sizeof f.state, "%s", state);
    return f;
}

void diagnostic_because(struct diagnostic *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->why, sizeof f->why, format, args);
    va_end(args);
}

void diagnostic_advise(struct diagnostic *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->fix, sizeof f->fix, format, args);
    va_end(args);
}
