#include "src/collect/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>

struct finding finding(const char *subject, const char *state)
{
    struct finding f = {.is_bad = false};
    snprintf(f.subject, sizeof f.subject, "%s", subject);
    snprintf(f.state, sizeof f.state, "%s", state);
    return f;
}

void finding_because(struct finding *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->why, sizeof f->why, format, args);
    va_end(args);
}

void finding_advise(struct finding *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->fix, sizeof f->fix, format, args);
    va_end(args);
}
