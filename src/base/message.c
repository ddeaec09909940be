#include "src/base/message.h"

#include "src/base/show.h"

#include <stdarg.h>

void message_print(FILE *to, const char *format, ...)
{
    char text[2048]; /* twice a struct err: a name before it */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fflush(stdout); /* what was printed before stands before */
    show(to, "tracetop: %s\n", text);
}
