/* TCP connections that are open when we begin, with their processes, ends and ages, which no later
 * event has: reported as events of tracetop's provider (src/event/tracetop_provider.h, Connection),
 * as in rundowns. UDP needs none: a socket has one end, and every datagram's event has both and the
 * process. */
#include "collectors/windows/state.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The system's tables of TCP with owners and times of creation, as documented (iphlpapi.h):
 * a count of 32 bits, rows from offset 8. */
enum {
    OF_V4 = 2, /* AF_INET */
    OF_V6 = 23,
    TABLE_ALL_WITH_MODULES = 8, /* TCP_TABLE_OWNER_MODULE_ALL: the ones that have times */
    ROWS_AT = 8,
    TABLE_TRIES = 6,
    TABLE_MOST = 64 << 20, /* some 300 000 rows; larger tables are not reported */
};

/* MIB_TCPROW_OWNER_MODULE and MIB_TCP6ROW_OWNER_MODULE: where things lie in a row. */
struct row_form {
    unsigned family, bytes, state, local, local_port, remote, remote_port, pid, created;
};
static const struct row_form forms[] = {
    {OF_V4, 160, 0, 4, 8, 12, 16, 20, 24},
    {OF_V6, 192, 48, 0, 20, 24, 44, 52, 56},
};

enum tcp_state { STATE_LISTEN = 2, STATE_ESTABLISHED = 5, STATE_CLOSE_WAIT = 8 };

typedef DWORD(WINAPI *table_call)(void *table, DWORD *bytes, BOOL is_sorted, ULONG family,
                                  int class, ULONG reserved);

/* The table is another one each time it is asked for: room for some more. NULL: none. */
static uint8_t *read_table(table_call call, unsigned family, DWORD *bytes)
{
    uint8_t *table = NULL;
    *bytes = 64 * 1024;
    for (int i = 0; i < TABLE_TRIES && *bytes <= TABLE_MOST; i++) {
        const DWORD room = *bytes;
        free(table);
        table = mem_new(room, 1);
        const DWORD error = call(table, bytes, FALSE, family, TABLE_ALL_WITH_MODULES, 0);
        if (error == NO_ERROR) {
            *bytes = room;
            return table;
        }
        if (error != ERROR_INSUFFICIENT_BUFFER)
            break;
        *bytes = *bytes < room ? 2 * room : *bytes + *bytes / 8;
    }
    free(table);
    return NULL;
}

static unsigned port_at(const uint8_t *row, unsigned at)
{
    return (unsigned)row[at] << 8 | row[at + 1];
}

/* Whoever listens on its port has accepted it; else it went out. */
static bool was_accepted(const uint8_t *rows, size_t count, const struct row_form *f,
                         const uint8_t *row)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *const other = rows + i * f->bytes;
        if (load_u32(other + f->state) == STATE_LISTEN &&
            memcmp(other + f->local_port, row + f->local_port, 2) == 0)
            return true;
    }
    return false;
}

static uint64_t address(const uint8_t *at, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number = number << 8 | at[i];
    return number;
}

static void put_end(struct payload_writer *p, const struct row_form *f, const uint8_t *row,
                    unsigned at, unsigned port)
{
    const bool is_v6 = f->family == OF_V6;
    put_u64(p, is_v6 ? address(row + at, 8) : 0);
    put_u64(p, is_v6 ? address(row + at + 8, 8) : address(row + at, 4));
    put_u16(p, port_at(row, port));
}

/* Its age in ns; 0 where that is unknown. */
static uint64_t age_of(const struct row_form *f, const uint8_t *row, uint64_t now)
{
    const uint64_t created = load_u64(row + f->created);
    return created && created < now ? 100 * (now - created) : 0;
}

static bool report(struct state *s, const struct row_form *f, const uint8_t *row, bool is_accepted,
                   uint64_t now)
{
    static const char fields[] = "pid:u32,ipv6:u8,local_high:hex64,local:hex64,local_port:u16,"
                                 "remote_high:hex64,remote:hex64,remote_port:u16,opened:text,"
                                 "since:u64,handshake:u64,mss:u16";
    const uint32_t pid = load_u32(row + f->pid);
    const uint64_t age = age_of(f, row, now);
    const char *const opened = !age ? "" : is_accepted ? "in" : "out";
    struct payload_writer *const p = writer_begin_tracetop(&s->writer, "Connection", fields, pid);
    put_u32(p, pid);
    put_u8(p, f->family == OF_V6);
    put_end(p, f, row, f->local, f->local_port);
    put_end(p, f, row, f->remote, f->remote_port);
    put_bytes(p, opened, strlen(opened) + 1);
    put_u64(p, age);
    put_u64(p, 0); /* how long the opening took, and its largest segment: unknown */
    put_u16(p, 0);
    return writer_end(&s->writer);
}

bool state_socket_table(struct state *s, bool is_v6, const uint8_t *table, size_t bytes)
{
    const struct row_form *const f = &forms[is_v6];
    FILETIME now;
    if (bytes < ROWS_AT)
        return true;
    GetSystemTimeAsFileTime(&now);
    const uint64_t wall = (uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime;
    const size_t reported = load_u32(table), room = (bytes - ROWS_AT) / f->bytes;
    const size_t count = reported < room ? reported : room;
    const uint8_t *const rows = table + ROWS_AT;
    bool is_on = true;
    for (size_t i = 0; is_on && i < count; i++) {
        const uint8_t *const row = rows + i * f->bytes;
        const uint32_t state = load_u32(row + f->state);
        if ((state == STATE_ESTABLISHED || state == STATE_CLOSE_WAIT) && load_u32(row + f->pid))
            is_on = report(s, f, row, was_accepted(rows, count, f, row), wall);
    }
    return is_on;
}

void state_sockets(struct state *s)
{
    const HMODULE library = LoadLibraryExW(L"iphlpapi.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    table_call call = NULL;
    if (library)
        call = (table_call)(void (*)(void))GetProcAddress(library, "GetExtendedTcpTable");
    bool is_on = call != NULL;
    for (size_t i = 0; is_on && i < sizeof forms / sizeof *forms; i++) {
        DWORD bytes;
        uint8_t *const table = read_table(call, forms[i].family, &bytes);
        is_on = !table || state_socket_table(s, i == 1, table, bytes);
        free(table);
    }
    if (library)
        FreeLibrary(library);
}
