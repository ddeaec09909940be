/* What tracetop's own events say in one line, by their names (src/event/tracetop_provider.h). */
#include "src/event/sentence.h"
#include "src/event/tracetop_provider.h"

#include <string.h>

static const struct {
    const char *event, *template;
} rows[] = {
    {"Command", "process {.pid} runs {.path|.name}[: {.arguments}]"},
    {"Connection",
     "TCP connection of process {.pid}, ports {.local_port} and {.remote_port}[, open "
     "for {.since:took}]"},
    {"DiskCommand",
     "{.command} {.bytes:bytes}[ at {.offset:at}] of disk {.disk}[, {.response:ns}]"},
    {"Exec", "process {.pid} runs {.path|.name}[: {.arguments}]"},
    {"Gauges", "[{.memory_used:bytes} of {.memory_total:bytes} in use][, load {.load1}]"},
    {"Lifetime", "process {.pid} began {.since:ns} ago"},
    {"Machine", "{.system} {.release}[, {.machine}][, {.distribution}]"},
    {"Mapping", "{.size:bytes} at {.base} of process {.pid}[: {module}]"},
    {"Mark", "mark {.text}"},
    {"Mount", "{.device} is mounted at {.path}[, {.type}]"},
    {"Owner", "process {.pid} belongs to {.name|.uid}"},
    {"ProcessMemory",
     "process {.pid} has {.rss:bytes} of memory[, {.private:bytes} of it its own]"},
    {"Processor", "processor {.number}[: {.user} % in programs, {.system} % in the kernel]"},
    {"Recorded", "events of class {.class} are recorded"},
    {"Rename", "process {.pid} is now named {.name}"},
    {"TcpOpened", "TCP connection {.connid} opened[, handshake {.handshake:took}]"},
    {"Topology", "{.processors} processors, {.cores} cores[, {.caches}]"},
    {"Watched", "[process {.pid}][{.name}] is watched"},
    {"Wait", "thread {.tid} of process {.pid} waits: {.call}[, for {.since:took}]"},
};

const char *sentence_of_tracetop(const struct event *e)
{
    const char *const name = tracetop_event_name(e);
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].event, name) == 0)
            return rows[i].template;
    return NULL;
}
