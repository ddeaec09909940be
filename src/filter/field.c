/* The fields of the filter language. */
#include "src/filter/filter.h"

#include <string.h>

#define BIT(class_) (1u << (class_))
#define STORAGE (BIT(FACT_DISK) | BIT(FACT_FILE))
#define ROUTINES (BIT(FACT_DPC) | BIT(FACT_ISR))

static const struct filter_word class_words[] = {
    {"process", FACT_PROCESS}, {"thread", FACT_THREAD}, {"image", FACT_IMAGE},
    {"switch", FACT_SWITCH},   {"ready", FACT_READY},   {"disk", FACT_DISK},
    {"file", FACT_FILE},       {"network", FACT_NETWORK}, {"registry", FACT_REGISTRY},
    {"fault", FACT_FAULT},     {"memory", FACT_MEMORY}, {"dpc", FACT_DPC},
    {"isr", FACT_ISR},         {"syscall", FACT_SYSCALL}, {"sample", FACT_SAMPLE},
    {"stack", FACT_STACK},     {"name", FACT_NAME},     {"mark", FACT_MARK},
    {"other", FACT_OTHER},     {NULL, 0},
};

static const struct filter_word op_words[] = {
    {"start", OP_START},     {"end", OP_END},           {"rundown", OP_RUNDOWN},
    {"read", OP_READ},       {"write", OP_WRITE},       {"flush", OP_FLUSH},
    {"open", OP_OPEN},       {"create", OP_CREATE},     {"close", OP_CLOSE},
    {"delete", OP_DELETE},   {"rename", OP_RENAME},     {"query", OP_QUERY},
    {"set", OP_SET},         {"enum", OP_ENUM},         {"send", OP_SEND},
    {"receive", OP_RECEIVE}, {"connect", OP_CONNECT},   {"accept", OP_ACCEPT},
    {"disconnect", OP_DISCONNECT}, {"retransmit", OP_RETRANSMIT}, {"fail", OP_FAIL},
    {"hard", OP_HARD},       {"zero", OP_ZERO},         {"transition", OP_TRANSITION},
    {"copy", OP_COPY},       {"guard", OP_GUARD},       {"violation", OP_VIOLATION},
    {"alloc", OP_ALLOC},     {"free", OP_FREE},         {"other", OP_OTHER},
    {NULL, 0},
};

static const struct filter_word fault_words[] = {
    {"hard", OP_HARD},   {"zero", OP_ZERO},   {"transition", OP_TRANSITION},
    {"copy", OP_COPY},   {"guard", OP_GUARD}, {"violation", OP_VIOLATION},
    {NULL, 0},
};

/* As providers and the event log call them. */
static const struct filter_word level_words[] = {
    {"always", 0}, {"critical", 1}, {"error", 2}, {"warning", 3}, {"info", 4}, {"verbose", 5},
    {NULL, 0},
};

static const struct filter_word priority_words[] = {
    {"verylow", 1}, {"low", 2}, {"normal", 3}, {"high", 4}, {"critical", 5}, {NULL, 0},
};

/* Of the kernel's enumeration of thread states. */
static const struct filter_word state_words[] = {
    {"initialized", 0}, {"ready", 1},      {"running", 2}, {"standby", 3},
    {"terminated", 4},  {"waiting", 5},    {"transition", 6}, {"deferred", 7},
    {NULL, 0},
};

static const struct filter_word protocol_words[] = {
    {"tcp", 0}, {"udp", 1}, {"tcp6", 2}, {"udp6", 3}, {NULL, 0},
};

static const struct filter_word direction_words[] = {{"out", 0}, {"in", 1}, {NULL, 0}};

/* In the order of enum routine_kind. */
static const struct filter_word kind_words[] = {
    {"isr", 0}, {"dpc", 1}, {"timer", 2}, {"threaded", 3}, {"iotimer", 4}, {"call", 5}, {NULL, 0},
};

const struct filter_field filter_fields[] = {
    {"any", "text", BY_TEXT, GROUP_TEXT, TYPE_TEXT, 0, NULL,
     "Any name: of process, thing or event"},
    {"time", NULL, BY_TIME, GROUP_FACT, TYPE_INSTANT, 0, NULL, "When: -30s..  10:15:00..10:16"},
    {"dt", NULL, BY_DT, GROUP_CALLBACK, TYPE_TIME, 0, NULL,
     "Since the kept event before it of the same thread, shown or not"},
    {"cpu", NULL, BY_CPU, GROUP_FACT, TYPE_NUMBER, 0, NULL, "Processor"},
    {"class", NULL, BY_CLASS, GROUP_FACT, TYPE_WORD, 0, class_words,
     "disk, file, network, switch …"},
    {"op", NULL, BY_OP, GROUP_FACT, TYPE_WORD, 0, op_words, "read, write, open, connect …"},
    {"size", "bytes", BY_SIZE, GROUP_FACT, TYPE_SIZE,
     STORAGE | BIT(FACT_NETWORK) | BIT(FACT_FAULT) | BIT(FACT_MEMORY), NULL,
     "Bytes of the operation"},
    {"lat", "latency", BY_LATENCY, GROUP_FACT, TYPE_TIME, 0, NULL, "How long it took"},
    {"status", NULL, BY_STATUS, GROUP_FACT, TYPE_NUMBER,
     BIT(FACT_FILE) | BIT(FACT_REGISTRY) | BIT(FACT_SYSCALL), NULL,
     "How it ended: ENOENT, OBJECT_NAME_NOT_FOUND or a number; 0 is success"},
    {"offset", NULL, BY_OFFSET, GROUP_CALLBACK, TYPE_SIZE, STORAGE | BIT(FACT_FAULT), NULL,
     "Where it began: on the disk, in the file, of a hard fault in the file"},
    {"disk", NULL, BY_DISK, GROUP_FACT, TYPE_NUMBER, BIT(FACT_DISK), NULL, "Number of the disk"},
    {"prio", NULL, BY_PRIORITY, GROUP_FACT, TYPE_WORD, BIT(FACT_DISK), priority_words,
     "I/O priority"},
    {"fault", NULL, BY_FAULT, GROUP_FACT, TYPE_WORD, BIT(FACT_FAULT), fault_words,
     "hard, zero, copy …"},
    {"va", NULL, BY_VA, GROUP_CALLBACK, TYPE_NUMBER, BIT(FACT_FAULT), NULL, "Address that faulted"},
    {"wait", NULL, BY_WAIT, GROUP_FACT, TYPE_TIME, BIT(FACT_READY), NULL,
     "How long a thread had waited when it was readied"},
    {"ready", NULL, BY_READY, GROUP_FACT, TYPE_TIME, BIT(FACT_SWITCH), NULL,
     "How long it was ready before it ran"},
    {"reason", NULL, BY_REASON, GROUP_FACT, TYPE_TEXT, BIT(FACT_SWITCH) | BIT(FACT_READY), NULL,
     "Why a thread waited; Linux's words are known as well"},
    {"state", NULL, BY_STATE, GROUP_FACT, TYPE_WORD, BIT(FACT_SWITCH), state_words,
     "In which state it left the processor"},
    {"oldpri", NULL, BY_OLD_PRIORITY, GROUP_FACT, TYPE_NUMBER, BIT(FACT_SWITCH), NULL,
     "Priority of the thread that left the processor"},
    {"newpri", NULL, BY_NEW_PRIORITY, GROUP_CALLBACK, TYPE_NUMBER, BIT(FACT_SWITCH), NULL,
     "Priority of the thread that came instead"},
    {"retr", NULL, BY_RETRANSMIT, GROUP_FACT, TYPE_FLAG, BIT(FACT_NETWORK), NULL,
     "Retransmissions"},
    {"pid", NULL, BY_PID, GROUP_PROCESS, TYPE_NUMBER, 0, NULL, "Number of the process"},
    {"ppid", NULL, BY_PPID, GROUP_PROCESS, TYPE_NUMBER, 0, NULL,
     "Number of the process that started it"},
    {"proc", "process name", BY_PROC, GROUP_PROCESS, TYPE_TEXT, 0, NULL, "Name of the process"},
    {"cmd", "command", BY_COMMAND, GROUP_PROCESS, TYPE_TEXT, 0, NULL, "Command line"},
    {"user", NULL, BY_USER, GROUP_PROCESS, TYPE_TEXT, 0, NULL, "Whose process it is"},
    {"service", NULL, BY_SERVICE, GROUP_PROCESS, TYPE_TEXT, 0, NULL,
     "Windows' services that run in it"},
    {"session", NULL, BY_SESSION, GROUP_PROCESS, TYPE_NUMBER, 0, NULL, "Its session"},
    {"exited", NULL, BY_EXITED, GROUP_PROCESS, TYPE_FLAG, 0, NULL, "Its process has ended"},
    {"age", NULL, BY_AGE, GROUP_PROCESS, TYPE_TIME, 0, NULL, "Since its process started"},
    {"tid", NULL, BY_TID, GROUP_THREAD, TYPE_NUMBER, 0, NULL, "Number of the thread"},
    {"thread", NULL, BY_THREAD, GROUP_THREAD, TYPE_TEXT, 0, NULL, "Name of the thread"},
    {"waker", NULL, BY_WAKER, GROUP_FACT, TYPE_TEXT, BIT(FACT_READY), NULL,
     "Process that readied the thread"},
    {"provider", NULL, BY_PROVIDER, GROUP_KIND, TYPE_TEXT, 0, NULL, "Provider of the event"},
    {"event", NULL, BY_EVENT, GROUP_KIND, TYPE_TEXT, 0, NULL, "Name of the event"},
    {"id", NULL, BY_EVENT_ID, GROUP_KIND, TYPE_NUMBER, 0, NULL, "Number of the event"},
    {"opcode", NULL, BY_OPCODE, GROUP_KIND, TYPE_NUMBER, 0, NULL, "Its opcode"},
    {"version", NULL, BY_VERSION, GROUP_KIND, TYPE_NUMBER, 0, NULL, "Its version"},
    {"level", NULL, BY_LEVEL, GROUP_CALLBACK, TYPE_NUMBER, 0, level_words,
     "How grave: 1 critical … 5 verbose; kernel events have none"},
    {"keyword", NULL, BY_KEYWORD, GROUP_CALLBACK, TYPE_NUMBER, 0, NULL,
     "Its keywords: =0x30 has any of these bits"},
    {"task", NULL, BY_TASK, GROUP_CALLBACK, TYPE_NUMBER, 0, NULL,
     "Task of its provider that it belongs to"},
    {"tag", NULL, BY_TAG, GROUP_CALLBACK, TYPE_FLAG, 0, NULL, "Tagged rows: by Space or by :tag"},
    {"path", "file", BY_PATH, GROUP_ENTITY, TYPE_TEXT,
     STORAGE | BIT(FACT_FAULT) | BIT(FACT_IMAGE) | BIT(FACT_NAME), NULL, "File"},
    {"key", NULL, BY_KEY, GROUP_ENTITY, TYPE_TEXT, BIT(FACT_REGISTRY), NULL, "Registry key"},
    {"value", NULL, BY_VALUE, GROUP_CALLBACK, TYPE_TEXT, BIT(FACT_REGISTRY), NULL,
     "Value of the key: queried, set or deleted"},
    {"proto", NULL, BY_PROTOCOL, GROUP_CONNECTION, TYPE_WORD, BIT(FACT_NETWORK), protocol_words,
     "tcp, udp, tcp6, udp6"},
    {"laddr", NULL, BY_LOCAL, GROUP_CONNECTION, TYPE_ADDRESS, BIT(FACT_NETWORK), NULL,
     "Own address"},
    {"raddr", NULL, BY_REMOTE, GROUP_CONNECTION, TYPE_ADDRESS, BIT(FACT_NETWORK), NULL,
     "Address at the other end"},
    {"addr", "host", BY_ADDRESS, GROUP_CONNECTION, TYPE_ADDRESS, BIT(FACT_NETWORK), NULL,
     "Address at either end"},
    {"lport", NULL, BY_LOCAL_PORT, GROUP_CONNECTION, TYPE_NUMBER, BIT(FACT_NETWORK), NULL,
     "Own port"},
    {"rport", NULL, BY_REMOTE_PORT, GROUP_CONNECTION, TYPE_NUMBER, BIT(FACT_NETWORK), NULL,
     "Port at the other end"},
    {"port", NULL, BY_PORT, GROUP_CONNECTION, TYPE_NUMBER, BIT(FACT_NETWORK), NULL,
     "Port at either end"},
    {"dir", NULL, BY_DIRECTION, GROUP_CONNECTION, TYPE_WORD, BIT(FACT_NETWORK), direction_words,
     "in, out: who opened it"},
    {"connid", NULL, BY_CONNECTION, GROUP_CONNECTION, TYPE_NUMBER, BIT(FACT_NETWORK), NULL,
     "Number of the connection"},
    {"routine", NULL, BY_ROUTINE, GROUP_ROUTINE, TYPE_TEXT, ROUTINES, NULL,
     "Interrupt or deferred call"},
    {"vector", NULL, BY_VECTOR, GROUP_ROUTINE, TYPE_NUMBER, ROUTINES, NULL, "Its vector"},
    {"kind", NULL, BY_KIND, GROUP_ROUTINE, TYPE_WORD, ROUTINES, kind_words, "isr, dpc, timer …"},
    {"call", NULL, BY_CALL, GROUP_ROUTINE, TYPE_TEXT, BIT(FACT_SYSCALL), NULL, "System call"},
    {"stack", NULL, BY_STACK, GROUP_STACK, TYPE_TEXT, 0, NULL,
     "Any frame of its stack: its module, or module!function"},
    {"func", NULL, BY_FUNCTION, GROUP_STACK, TYPE_TEXT, 0, NULL,
     "Function of any frame of its stack: module!function"},
    {"module", NULL, BY_MODULE, GROUP_STACK, TYPE_TEXT, 0, NULL,
     "Module of any frame of its stack"},
    {NULL, NULL, 0, 0, 0, 0, NULL, NULL},
};

static bool same_word(const char *id, const char *word, size_t bytes)
{
    return strncmp(id, word, bytes) == 0 && (!id[bytes] || id[bytes] == ' ');
}

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

const struct filter_field *filter_field_find(const char *id, size_t bytes)
{
    for (const struct filter_field *f = filter_fields; f->id; f++)
        if (same_word(f->id, id, bytes) || has_alias(f->aliases, id, bytes))
            return f;
    return NULL;
}

const struct filter_field *filter_field_by(enum filter_by by)
{
    const struct filter_field *f = filter_fields;
    while (f->id && f->by != by)
        f++;
    return f;
}
