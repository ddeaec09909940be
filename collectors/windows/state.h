/* The listing of what exists, in its parts; see state.c. One thread. */
#ifndef COLLECTORS_WINDOWS_STATE_H
#define COLLECTORS_WINDOWS_STATE_H

#include "collectors/windows/live.h"
#include "collectors/windows/writer.h"

typedef LONG(WINAPI *state_query)(HANDLE, int, PVOID, ULONG, PULONG);

struct state {
    struct windows_live *live;
    struct writer writer;
    void *command;      /* room for one command line */
    state_query query;  /* NtQueryInformationProcess, or NULL */
    struct state_gauges *gauges; /* NULL: not asked yet */
};

void state_system(struct state *s);   /* which Windows it is, and its folders */
/* A process as the kernel calls it: the system's list has another name for the first. */
const WCHAR *state_process_name(uint32_t pid, const WCHAR *listed);
void state_volumes(struct state *s);  /* which drive or share is which device */
void state_services(struct state *s); /* which service runs in which process */
void state_sockets(struct state *s);  /* TCP connections that are open, and whose */
/* Of one table of the system's, for tests: false when the collector is to stop. */
bool state_socket_table(struct state *s, bool is_v6, const uint8_t *table, size_t bytes);
struct state_gauges;
void state_gauge(
    struct state *s); /* memory, load of processors: once a second, when asked more often */
void state_gauges_free(struct state_gauges *g); /* NULL is fine */
void state_names(struct state *s);    /* of files and keys, where names.c has had none */
void state_images(struct state *s);   /* what is loaded where, the kernel's included */

#endif
