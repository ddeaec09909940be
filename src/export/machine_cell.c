/* Numbers as the page about the machine shows them. */
#include "src/base/clock.h"
#include "src/base/scale.h"
#include "src/event/decode.h"
#include "src/export/machine.h"
#include "src/export/machine_cell.h"

#include <inttypes.h>

void machine_put_size(uint64_t number, char *out, size_t room)
{
    scale_bytes((double)number, out, room);
}

void machine_put_known_size(uint64_t number, char *out, size_t room)
{
    out[0] = '\0';
    if (number)
        machine_put_size(number, out, room);
}

void machine_put_megabytes(uint64_t number, char *out, size_t room)
{
    scale_bytes((double)number * (1 << 20), out, room);
}

void machine_put_yes(uint64_t number, char *out, size_t room)
{
    snprintf(out, room, "%s", number ? "yes" : "no");
}

void machine_put_some(uint64_t number, char *out, size_t room)
{
    out[0] = '\0';
    if (number)
        snprintf(out, room, "%" PRIu64, number);
}

void machine_put_hex(uint64_t number, char *out, size_t room)
{
    out[0] = '\0';
    if (number) /* none: nobody says */
        snprintf(out, room, "0x%" PRIx64, number);
}

void machine_put_hardware_address(uint64_t number, char *out, size_t room)
{
    size_t used = 0;
    for (unsigned i = 0; i < 6 && number && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%02x", i ? ":" : "",
                                 (unsigned)(number >> 8 * i & 0xff));
}

void machine_put_time(uint64_t number, char *out, size_t room)
{
    char text[32];
    out[0] = '\0';
    if (number && number < INT64_MAX)
        snprintf(out, room, "%s", clock_format_iso((int64_t)number, text));
}

void machine_put_filetime(uint64_t number, char *out, size_t room)
{
    char text[CLOCK_TEXT];
    out[0] = '\0';
    const int64_t ns = clock_of_filetime(number);
    if (ns)
        snprintf(out, room, "%s", clock_format_iso(ns, text));
}

void machine_put_version(uint64_t number, char *out, size_t room)
{
    snprintf(out, room, "%u.%u", (unsigned)(number & 0xff), (unsigned)(number >> 8 & 0xff));
}

void machine_put_service_state(uint64_t number, char *out, size_t room)
{
    static const char *const names[] = {"",        "stopped",   "starting", "stopping",
                                        "running", "continues", "pauses",   "paused"};
    if (number && number < sizeof names / sizeof *names)
        snprintf(out, room, "%s", names[number]);
    else
        snprintf(out, room, "%" PRIu64, number);
}
