/* Words that values of fields can be. */
#include "src/field/inside.h"

#include "src/base/text.h"

const struct field_word field_class_words[] = {
    {"process", FACT_PROCESS},
    {"thread", FACT_THREAD},
    {"image", FACT_IMAGE},
    {"switch", FACT_SWITCH},
    {"ready", FACT_READY},
    {"disk", FACT_DISK},
    {"file", FACT_FILE},
    {"network", FACT_NETWORK},
    {"registry", FACT_REGISTRY},
    {"fault", FACT_FAULT},
    {"memory", FACT_MEMORY},
    {"dpc", FACT_DPC},
    {"isr", FACT_ISR},
    {"syscall", FACT_SYSCALL},
    {"sample", FACT_SAMPLE},
    {"stack", FACT_STACK},
    {"name", FACT_NAME},
    {"mark", FACT_MARK},
    {"dotnet", FACT_DOTNET},
    {"pmc", FACT_PMC},
    {"span", FACT_SPAN},
    {"other", FACT_OTHER},
    {NULL, 0},
};

const struct field_word field_op_words[] = {
    {"start", OP_START},     {"end", OP_END},           {"rundown", OP_RUNDOWN},
    {"read", OP_READ},       {"write", OP_WRITE},       {"flush", OP_FLUSH},
    {"open", OP_OPEN},       {"create", OP_CREATE},     {"close", OP_CLOSE},
    {"delete", OP_DELETE},   {"rename", OP_RENAME},     {"query", OP_QUERY},
    {"set", OP_SET},         {"enum", OP_ENUM},         {"send", OP_SEND},
    {"receive", OP_RECEIVE}, {"connect", OP_CONNECT},   {"accept", OP_ACCEPT},
    {"disconnect", OP_DISCONNECT}, {"retransmit", OP_RETRANSMIT}, {"fail", OP_FAIL},
    {"hard", OP_HARD},       {"zero", OP_ZERO},         {"transition", OP_TRANSITION},
    {"copy", OP_COPY},       {"guard", OP_GUARD},       {"soft", OP_SOFT},
    {"violation", OP_VIOLATION}, {"alloc", OP_ALLOC},   {"free", OP_FREE},
    {"gc", OP_GC},           {"suspend", OP_SUSPEND},   {"pause", OP_PAUSE},
    {"heap", OP_HEAP},       {"jit", OP_JIT},           {"throw", OP_THROW},
    {"contend", OP_CONTEND}, {"pool", OP_POOL},         {"load", OP_LOAD},
    {"other", OP_OTHER},     {NULL, 0},
};

const struct field_word field_fault_words[] = {
    {"hard", OP_HARD},   {"zero", OP_ZERO},   {"transition", OP_TRANSITION},
    {"copy", OP_COPY},   {"guard", OP_GUARD}, {"soft", OP_SOFT},
    {"violation", OP_VIOLATION},              {NULL, 0},
};

/* As providers and the event log call them. */
const struct field_word field_level_words[] = {
    {"always", 0}, {"critical", 1}, {"error", 2}, {"warning", 3}, {"info", 4}, {"verbose", 5},
    {NULL, 0},
};

const struct field_word field_priority_words[] = {
    {"verylow", 1}, {"low", 2}, {"normal", 3}, {"high", 4}, {"critical", 5}, {NULL, 0},
};

/* Of the kernel's enumeration of thread states. */
const struct field_word field_state_words[] = {
    {"initialized", 0}, {"ready", 1},      {"running", 2}, {"standby", 3},
    {"terminated", 4},  {"waiting", 5},    {"transition", 6}, {"deferred", 7},
    {NULL, 0},
};

const struct field_word field_protocol_words[] = {
    {"tcp", 0}, {"udp", 1}, {"tcp6", 2}, {"udp6", 3}, {NULL, 0},
};

const struct field_word field_direction_words[] = {{"out", 0}, {"in", 1}, {NULL, 0}};

/* In the order of enum routine_kind. */
const struct field_word field_kind_words[] = {
    {"isr", 0}, {"dpc", 1}, {"timer", 2}, {"threaded", 3}, {"iotimer", 4}, {"call", 5}, {NULL, 0},
};

bool field_word_number(const struct field_word *words, const char *text, uint64_t *out)
{
    for (const struct field_word *w = words; w && w->word; w++) {
        size_t i = 0;
        while (w->word[i] && text_lower(text[i]) == w->word[i])
            i++;
        if (!w->word[i] && !text[i])
            return *out = w->number, true;
    }
    return false;
}
