/* The registry: one row for each field. What it says about facts is in the other files here. */
#include "src/field/inside.h"

#include <string.h>

#define BIT(class_) (1u << (class_))
#define STORAGE (BIT(FACT_DISK) | BIT(FACT_FILE))
#define FILES (STORAGE | BIT(FACT_FAULT)) /* that name a file themselves */
#define ROUTINES (BIT(FACT_DPC) | BIT(FACT_ISR))

/* JOINED: of which rows that show the same are one. */
#define CELL(help_, type_, width_, classes_, of_, text_)                                           \
    JOINED(help_, type_, width_, classes_, of_, text_, .joins = false)
#define JOINED(help_, type_, width_, classes_, of_, text_, ...)                                    \
    &(const struct field_cell)                                                                     \
    {                                                                                              \
        .help = help_, .type = type_, .width = width_, .classes = classes_, .of = of_,             \
        .text = text_, __VA_ARGS__                                                                 \
    }

/* clang-format off */
const struct field_def field_event_path = {
    .id = "event", .by = BY_EVENT_PATH, .group = GROUP_KIND, .get = field_get_event_path,
    .type = TYPE_TEXT, .record = FIELD_CUT | FIELD_CAPTURE};

const struct field_def field_defs[] = {
    {.id = "any", .aliases = "text", .by = BY_TEXT, .group = GROUP_TEXT, .type = TYPE_TEXT,
     .record = FIELD_CUT,
     .help = "Any name: of process, thing or event"},
    {.id = "time", .by = BY_TIME, .group = GROUP_FACT, .number = field_get_time,
     .type = TYPE_INSTANT,
     .record = FIELD_CUT,
     .help = "When: -30s..  10:15:00..10:16"},
    {.id = "dt", .by = BY_DT, .group = GROUP_CALLBACK, .get = field_get_dt, .type = TYPE_TIME,
     .help = "Time since the thread's previous stored event, shown or not"},
    {.id = "cpu", .by = BY_CPU, .group = GROUP_FACT, .number = field_get_cpu, .type = TYPE_NUMBER,
     .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Processor",
     .cell = CELL("processor", VALUE_ID, 4, 0, field_cell_cpu, field_cell_minus_one)},
    {.id = "class", .by = BY_CLASS, .group = GROUP_FACT, .number = field_get_class,
     .type = TYPE_WORD,
     .words = field_class_words, .record = FIELD_CAPTURE,
     .help = "disk, file, network, switch …"},
    {.id = "op", .by = BY_OP, .group = GROUP_FACT, .number = field_get_op, .type = TYPE_WORD,
     .words = field_op_words,
     .record = FIELD_CAPTURE,
     .help = "read, write, open, connect …",
     .cell = CELL("operation: read, open, connect …", VALUE_TEXT, 10, 0,
                  field_cell_op, field_cell_op_text)},
    {.id = "size", .aliases = "bytes", .by = BY_SIZE, .group = GROUP_FACT,
     .number = field_get_size, .type = TYPE_SIZE,
     .classes = STORAGE | BIT(FACT_NETWORK) | BIT(FACT_FAULT) | BIT(FACT_MEMORY),
     .record = FIELD_CAPTURE,
     .help = "Bytes of the operation"},
    {.id = "lat", .aliases = "latency", .by = BY_LATENCY, .group = GROUP_FACT,
     .number = field_get_latency, .type = TYPE_TIME,
     .help = "Latency: time from start to completion"},
    {.id = "status", .by = BY_STATUS, .group = GROUP_FACT, .get = field_get_status,
     .type = TYPE_NUMBER, .has_names = true,
     .classes = BIT(FACT_FILE) | BIT(FACT_REGISTRY) | BIT(FACT_SYSCALL) | BIT(FACT_NETWORK),
     .help = "Result: ENOENT, OBJECT_NAME_NOT_FOUND or a number; 0 is success",
     .cell = CELL("how it ended", VALUE_TEXT, 20, 0, fact_status, field_cell_status_text)},
    {.id = "failed", .by = BY_FAILED, .group = GROUP_FACT, .get = field_get_failed,
     .type = TYPE_FLAG,
     .classes = BIT(FACT_FILE) | BIT(FACT_REGISTRY) | BIT(FACT_SYSCALL) | BIT(FACT_NETWORK) |
                BIT(FACT_SPAN),
     .help = "Ended with an error; a warning is none"},
    {.id = "offset", .by = BY_OFFSET, .group = GROUP_CALLBACK, .get = field_get_offset,
     .type = TYPE_SIZE,
     .classes = STORAGE | BIT(FACT_FAULT),
     .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Offset on the disk or in the file; of hard faults, in the file"},
    {.id = "disk", .by = BY_DISK, .group = GROUP_FACT, .number = field_get_disk, .type = TYPE_NUMBER,
     .classes = BIT(FACT_DISK), .record = FIELD_CAPTURE,
     .help = "Number of the disk",
     .cell = CELL("number of the disk", VALUE_ID, 4, 0, field_cell_disk, field_cell_minus_one)},
    {.id = "prio", .by = BY_PRIORITY, .group = GROUP_FACT, .number = field_get_priority,
     .type = TYPE_WORD,
     .classes = BIT(FACT_DISK), .words = field_priority_words, .record = FIELD_CAPTURE,
     .help = "I/O priority"},
    {.id = "fault", .by = BY_FAULT, .group = GROUP_FACT, .number = field_get_fault,
     .type = TYPE_WORD,
     .classes = BIT(FACT_FAULT), .words = field_fault_words, .record = FIELD_CAPTURE,
     .help = "hard, zero, copy …"},
    {.id = "counter", .by = BY_COUNTER, .group = GROUP_FACT, .get = field_get_counter,
     .type = TYPE_TEXT,
     .classes = BIT(FACT_PMC),
     .help = "Processor counter of a sample",
     .cell = CELL("processor counter of samples", VALUE_TEXT, 20, 0,
                  fact_place, field_cell_counter_text)},
    {.id = "va", .by = BY_VA, .group = GROUP_CALLBACK, .get = field_get_va, .type = TYPE_NUMBER,
     .classes = BIT(FACT_FAULT),
     .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Address that faulted"},
    {.id = "wait", .by = BY_WAIT, .group = GROUP_FACT, .number = field_get_wait, .type = TYPE_TIME,
     .classes = BIT(FACT_READY), .help = "How long a thread had waited when it was readied"},
    {.id = "ready", .by = BY_READY, .group = GROUP_FACT, .number = field_get_latency,
     .type = TYPE_TIME,
     .classes = BIT(FACT_SWITCH), .help = "How long the thread was ready before it ran"},
    {.id = "reason", .by = BY_REASON, .group = GROUP_FACT, .get = field_get_reason,
     .type = TYPE_TEXT,
     .classes = BIT(FACT_SWITCH) | BIT(FACT_READY),
     .record = FIELD_CAPTURE,
     .help = "Why a thread waited: futex, \"pipe read\", UserRequest …",
     .cell = CELL("call in which a thread waited, or the reason", VALUE_TEXT, 14, BIT(FACT_READY),
                  field_cell_reason, field_cell_reason_text)},
    {.id = "state", .by = BY_STATE, .group = GROUP_FACT, .number = field_get_state,
     .type = TYPE_WORD,
     .classes = BIT(FACT_SWITCH), .words = field_state_words,
     .record = FIELD_CAPTURE,
     .help = "Thread state after the switch"},
    {.id = "oldpri", .by = BY_OLD_PRIORITY, .group = GROUP_FACT, .number = field_get_old_priority,
     .type = TYPE_NUMBER,
     .classes = BIT(FACT_SWITCH), .record = FIELD_CAPTURE,
     .help = "Priority of the thread switched out"},
    {.id = "newpri", .by = BY_NEW_PRIORITY, .group = GROUP_CALLBACK,
     .get = field_get_new_priority, .type = TYPE_NUMBER,
     .classes = BIT(FACT_SWITCH), .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Priority of the thread switched in"},
    {.id = "retr", .by = BY_RETRANSMIT, .group = GROUP_FACT, .get = field_get_retransmit,
     .type = TYPE_FLAG,
     .classes = BIT(FACT_NETWORK), .record = FIELD_CAPTURE,
     .help = "Retransmissions"},
    {.id = "pid", .by = BY_PID, .group = GROUP_PROCESS, .get = field_get_pid, .type = TYPE_NUMBER,
     .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Process id",
     .cell = CELL("id of the process", VALUE_ID, 7, 0, fact_process, NULL)},
    {.id = "ppid", .by = BY_PPID, .group = GROUP_PROCESS, .get = field_get_ppid,
     .type = TYPE_NUMBER,
     .help = "Id of the parent process"},
    {.id = "proc", .aliases = "process name", .by = BY_PROC, .group = GROUP_PROCESS,
     .get = field_get_process,
     .type = TYPE_TEXT, .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Name of the process",
     .cell = JOINED("name of the process", VALUE_TEXT, 18, 0, fact_process, field_cell_process_text,
                  .joins = true)},
    {.id = "cmd", .aliases = "command", .by = BY_COMMAND, .group = GROUP_PROCESS,
     .get = field_get_command, .type = TYPE_TEXT,
     .help = "Command line",
     .cell = JOINED("command line of the process", VALUE_TEXT, 40, 0, fact_process, NULL,
                  .joins = true)},
    {.id = "user", .by = BY_USER, .group = GROUP_PROCESS, .get = field_get_user,
     .type = TYPE_TEXT,
     .help = "User of the process",
     .cell = JOINED("user of the process", VALUE_TEXT, 16, 0, fact_process, field_cell_user_text,
                  .joins = true)},
    {.id = "service", .by = BY_SERVICE, .group = GROUP_PROCESS, .get = field_get_service,
     .type = TYPE_TEXT,
     .help = "Windows services that run in the process"},
    {.id = "session", .by = BY_SESSION, .group = GROUP_PROCESS, .get = field_get_session,
     .type = TYPE_NUMBER,
     .help = "Session of the process"},
    {.id = "exited", .by = BY_EXITED, .group = GROUP_PROCESS, .get = field_get_exited,
     .type = TYPE_FLAG,
     .help = "The process has exited"},
    {.id = "age", .by = BY_AGE, .group = GROUP_PROCESS, .get = field_get_age, .type = TYPE_TIME,
     .help = "Time since the process started"},
    {.id = "rss", .by = BY_RSS, .group = GROUP_PROCESS, .get = field_get_rss, .type = TYPE_SIZE,
     .help = "Memory of the process in RAM: resident set, working set"},
    {.id = "mem", .by = BY_MEMORY, .group = GROUP_PROCESS, .get = field_get_memory,
     .type = TYPE_PERCENT,
     .help = "The same in percent of the machine's memory"},
    {.id = "private", .by = BY_PRIVATE, .group = GROUP_PROCESS, .get = field_get_private,
     .type = TYPE_SIZE,
     .help = "Memory of the process alone; on Windows what it committed"},
    {.id = "shared", .by = BY_SHARED, .group = GROUP_PROCESS, .get = field_get_shared,
     .type = TYPE_SIZE,
     .help = "Memory in RAM of files, and shared with other processes"},
    {.id = "swap", .by = BY_SWAP, .group = GROUP_PROCESS, .get = field_get_swap, .type = TYPE_SIZE,
     .help = "Memory of the process that is swapped out"},
    {.id = "fds", .aliases = "handles", .by = BY_FILES, .group = GROUP_PROCESS,
     .get = field_get_files,
     .type = TYPE_NUMBER,
     .help = "Open files of the process; on Windows its handles"},
    {.id = "tid", .by = BY_TID, .group = GROUP_THREAD, .get = field_get_tid, .type = TYPE_NUMBER,
     .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Thread id",
     .cell = CELL("id of the thread", VALUE_ID, 7, 0, fact_thread, NULL)},
    {.id = "thread", .by = BY_THREAD, .group = GROUP_THREAD, .get = field_get_thread,
     .type = TYPE_TEXT,
     .help = "Name of the thread",
     .cell = CELL("process and id of the thread", VALUE_TEXT, 24, 0,
                  fact_thread, field_cell_thread_text)},
    {.id = "waker", .by = BY_WAKER, .group = GROUP_FACT, .get = field_get_waker,
     .type = TYPE_TEXT,
     .classes = BIT(FACT_READY), .help = "Process that readied the thread",
     .cell = CELL("thread that made another ready", VALUE_TEXT, 24, 0,
                  fact_entity, field_cell_thread_text)},
    {.id = "provider", .by = BY_PROVIDER, .group = GROUP_KIND, .get = field_get_provider,
     .type = TYPE_TEXT,
     .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Provider of the event",
     .cell = JOINED("provider", VALUE_TEXT, 28, 0, field_cell_kind, field_cell_provider_text,
                  .joins = true)},
    {.id = "event", .by = BY_EVENT, .group = GROUP_KIND, .get = field_get_event,
     .type = TYPE_TEXT,
     .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Name of the event",
     .cell = JOINED("provider and event", VALUE_TEXT, 28, 0, field_cell_kind, field_cell_event_text,
                  .joins = true)},
    {.id = "id", .by = BY_EVENT_ID, .group = GROUP_KIND, .get = field_get_event_id,
     .type = TYPE_NUMBER,
     .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Event id"},
    {.id = "opcode", .by = BY_OPCODE, .group = GROUP_KIND, .get = field_get_opcode,
     .get_names = field_get_opcode_names, .type = TYPE_NUMBER, .has_names = true,
     .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Opcode of the event: a name or a number"},
    {.id = "version", .by = BY_VERSION, .group = GROUP_KIND, .get = field_get_version,
     .type = TYPE_NUMBER,
     .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Version of the event"},
    {.id = "level", .by = BY_LEVEL, .group = GROUP_CALLBACK, .get = field_get_level,
     .type = TYPE_NUMBER,
     .words = field_level_words,
     .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Severity: 1 critical … 5 verbose; kernel events have none"},
    {.id = "keyword", .by = BY_KEYWORD, .group = GROUP_CALLBACK, .get = field_get_keyword,
     .type = TYPE_NUMBER, .has_names = true,
     .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Keywords of the event: a name, or =0x30 for any of these bits"},
    {.id = "task", .by = BY_TASK, .group = GROUP_CALLBACK, .get = field_get_task,
     .type = TYPE_NUMBER, .has_names = true,
     .record = FIELD_CUT | FIELD_CAPTURE,
     .help = "Task of the event: a name or a number"},
    {.id = "message", .by = BY_MESSAGE, .group = GROUP_CALLBACK, .get = field_get_message,
     .type = TYPE_TEXT, .record = FIELD_CUT,
     .help = "Message of the provider, with the values in it"},
    {.id = "tag", .by = BY_TAG, .group = GROUP_CALLBACK, .get = field_get_tag, .type = TYPE_FLAG,
     .help = "Tagged rows: by Space or by :tag"},
    {.id = "path", .aliases = "file", .by = BY_PATH, .group = GROUP_ENTITY,
     .get = field_get_path, .type = TYPE_TEXT,
     .classes = STORAGE | BIT(FACT_FAULT) | BIT(FACT_IMAGE) | BIT(FACT_NAME), .record = FIELD_CUT,
     .help = "File",
     .cell = CELL("file", VALUE_PATH, 40, FILES, fact_entity, NULL)},
    {.id = "key", .by = BY_KEY, .group = GROUP_ENTITY, .get = field_get_path, .type = TYPE_TEXT,
     .classes = BIT(FACT_REGISTRY), .record = FIELD_CUT,
     .help = "Registry key",
     .cell = CELL("registry key", VALUE_PATH, 40, 0, fact_entity, NULL)},
    {.id = "value", .by = BY_VALUE, .group = GROUP_CALLBACK, .get = field_get_value,
     .type = TYPE_TEXT,
     .classes = BIT(FACT_REGISTRY), .record = FIELD_CUT,
     .help = "Value of the key: queried, set or deleted"},
    {.id = "proto", .by = BY_PROTOCOL, .group = GROUP_CONNECTION, .get = field_get_protocol,
     .type = TYPE_WORD,
     .classes = BIT(FACT_NETWORK), .words = field_protocol_words, .record = FIELD_CAPTURE,
     .help = "tcp, udp, tcp6, udp6"},
    {.id = "laddr", .by = BY_LOCAL, .group = GROUP_CONNECTION, .get = field_get_local,
     .type = TYPE_ADDRESS,
     .classes = BIT(FACT_NETWORK), .record = FIELD_CAPTURE,
     .help = "Own address"},
    {.id = "raddr", .by = BY_REMOTE, .group = GROUP_CONNECTION, .get = field_get_remote,
     .type = TYPE_ADDRESS,
     .classes = BIT(FACT_NETWORK), .record = FIELD_CAPTURE,
     .help = "Address at the other end",
     .cell = CELL("remote address", VALUE_TEXT, 24, 0, fact_place, field_cell_remote_text)},
    {.id = "addr", .aliases = "host", .by = BY_ADDRESS, .group = GROUP_CONNECTION,
     .get = field_get_address,
     .type = TYPE_ADDRESS, .classes = BIT(FACT_NETWORK), .record = FIELD_CAPTURE,
     .help = "Address at either end"},
    {.id = "hostname", .by = BY_HOSTNAME, .group = GROUP_CONNECTION, .get = field_get_hostname,
     .type = TYPE_TEXT, .classes = BIT(FACT_NETWORK),
     .help = "Name of the other end, by DNS queries that found its address"},
    {.id = "url", .by = BY_URL, .group = GROUP_CONNECTION, .get = field_get_url,
     .type = TYPE_TEXT, .classes = BIT(FACT_NETWORK),
     .help = "URL of the newest HTTP request over the connection"},
    {.id = "lport", .by = BY_LOCAL_PORT, .group = GROUP_CONNECTION, .get = field_get_local_port,
     .type = TYPE_NUMBER,
     .classes = BIT(FACT_NETWORK), .record = FIELD_CAPTURE,
     .help = "Own port"},
    {.id = "rport", .by = BY_REMOTE_PORT, .group = GROUP_CONNECTION,
     .get = field_get_remote_port, .type = TYPE_NUMBER,
     .classes = BIT(FACT_NETWORK), .record = FIELD_CAPTURE,
     .help = "Port at the other end"},
    {.id = "port", .by = BY_PORT, .group = GROUP_CONNECTION, .get = field_get_port,
     .type = TYPE_NUMBER,
     .classes = BIT(FACT_NETWORK), .record = FIELD_CAPTURE,
     .help = "Port at either end"},
    {.id = "dir", .by = BY_DIRECTION, .group = GROUP_CONNECTION, .get = field_get_direction,
     .type = TYPE_WORD,
     .classes = BIT(FACT_NETWORK), .words = field_direction_words,
     .help = "in, out: who opened it"},
    {.id = "connid", .by = BY_CONNECTION, .group = GROUP_CONNECTION,
     .get = field_get_connection, .type = TYPE_NUMBER,
     .classes = BIT(FACT_NETWORK), .help = "Number of the connection",
     .cell = CELL("connection by its remote end", VALUE_TEXT, 24, 0,
                  fact_entity, field_cell_end_text)},
    {.id = "routine", .by = BY_ROUTINE, .group = GROUP_ROUTINE, .get = field_get_routine,
     .type = TYPE_TEXT,
     .classes = ROUTINES, .help = "Interrupt or deferred call",
     .cell = CELL("routine of an interrupt or deferred call", VALUE_TEXT, 32, 0,
                  fact_entity, NULL)},
    {.id = "vector", .by = BY_VECTOR, .group = GROUP_ROUTINE, .get = field_get_vector,
     .type = TYPE_NUMBER,
     .classes = ROUTINES, .record = FIELD_CAPTURE,
     .help = "Vector of the interrupt"},
    {.id = "kind", .by = BY_KIND, .group = GROUP_ROUTINE, .get = field_get_kind,
     .type = TYPE_WORD, .classes = ROUTINES,
     .words = field_kind_words, .help = "isr, dpc, timer …"},
    {.id = "call", .by = BY_CALL, .group = GROUP_ROUTINE, .get = field_get_routine,
     .type = TYPE_TEXT,
     .classes = BIT(FACT_SYSCALL), .help = "System call",
     .cell = CELL("system call", VALUE_TEXT, 24, 0, fact_entity, NULL)},
    {.id = "stack", .by = BY_STACK, .group = GROUP_STACK, .get = field_get_frame,
     .type = TYPE_TEXT,
     .help = "Any frame of its stack: its module, or module!function",
     .cell = JOINED("stack, innermost frame first", VALUE_TEXT, 60, 0, fact_stack,
                  field_cell_stack_text, .joins = true, .is_of_stack = true)},
    {.id = "func", .by = BY_FUNCTION, .group = GROUP_STACK, .get = field_get_function,
     .type = TYPE_TEXT,
     .help = "Function of any frame of its stack: module!function"},
    {.id = "module", .by = BY_MODULE, .group = GROUP_STACK, .get = field_get_module,
     .type = TYPE_TEXT,
     .help = "Module of any frame of its stack"},
    {.id = NULL},
};
/* clang-format on */

static bool same_word(const char *id, const char *word, size_t bytes)
{
    return strncmp(id, word, bytes) == 0 && (!id[bytes] || id[bytes] == ' ');
}

const struct field_def field_payload = {
    .id = ".NAME",
    .by = BY_PAYLOAD,
    .group = GROUP_CALLBACK,
    .get = field_get_payload,
    .type = TYPE_ANY,
    .record = FIELD_CUT,
    .help = "Field NAME of the payload: .Depth>=2, DiskIo.TransferSize>64K",
    .cell = CELL("field of the payload", VALUE_TEXT, 16, 0, NULL, NULL)};

static bool has_alias(const char *aliases, const char *word, size_t bytes)
{
    while (aliases && *aliases) {
        if (same_word(aliases, word, bytes))
            return true;
        const char *blank = strchr(aliases, ' ');
        aliases = blank ? blank + 1 : NULL;
    }
    return false;
}

const struct field_def *field_def_find(const char *id, size_t bytes)
{
    for (const struct field_def *f = field_defs; f->id; f++)
        if (same_word(f->id, id, bytes) || has_alias(f->aliases, id, bytes))
            return f;
    return NULL;
}

const struct field_def *field_bind(const char *name, size_t bytes)
{
    const struct field_def *const field = field_def_find(name, bytes);
    return field ? field : field_is_of_payload(name, bytes) ? &field_payload : NULL;
}

const struct field_def *field_def_by(enum field_by by)
{
    const struct field_def *f = field_defs;
    while (f->id && f->by != by)
        f++;
    return f;
}

const struct field_def *field_def_of_view(const char *id)
{
    for (const struct field_def *f = field_defs; f->id; f++)
        if (f->cell && strcmp(f->id, id) == 0)
            return f;
    return NULL;
}
