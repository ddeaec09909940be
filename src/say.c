#include "src/say.h"

#include "src/json.h"

#include <stdarg.h>
#include <string.h>

void say(FILE *to, const char *format, ...)
{
    enum { ROOM = 2048 }; /* twice a struct err: a name before it */
    char text[ROOM], safe[JSON_ROOM(ROOM)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fputs("tracetop: ", to);
    fwrite(safe, 1, json_show(safe, text, strlen(text)), to);
    fputc('\n', to);
}
