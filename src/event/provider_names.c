#include "src/event/provider_names.h"

#include "src/base/hash.h"
#include "src/base/hash_index.h"
#include "src/base/mem.h"
#include "src/base/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *provider_short_name(const char *name)
{
    static const char common[] = "Microsoft-Windows-";
    return strncmp(name, common, sizeof common - 1) == 0 ? name + sizeof common - 1 : name;
}

/* ---- what all providers share ---------------------------------------------------------------- */

/* Those of winmeta.xml. */
static const struct {
    uint8_t kind; /* enum provider_name */
    uint8_t number;
    const char *text;
} standard_names[] = {
    {PROVIDER_LEVEL, 0, "LogAlways"},
    {PROVIDER_LEVEL, 1, "Critical"},
    {PROVIDER_LEVEL, 2, "Error"},
    {PROVIDER_LEVEL, 3, "Warning"},
    {PROVIDER_LEVEL, 4, "Information"},
    {PROVIDER_LEVEL, 5, "Verbose"},
    {PROVIDER_OPCODE, 0, "Info"},
    {PROVIDER_OPCODE, 1, "Start"},
    {PROVIDER_OPCODE, 2, "Stop"},
    {PROVIDER_OPCODE, 3, "DC_Start"},
    {PROVIDER_OPCODE, 4, "DC_Stop"},
    {PROVIDER_OPCODE, 5, "Extension"},
    {PROVIDER_OPCODE, 6, "Reply"},
    {PROVIDER_OPCODE, 7, "Resume"},
    {PROVIDER_OPCODE, 8, "Suspend"},
    {PROVIDER_OPCODE, 9, "Send"},
    {PROVIDER_OPCODE, 240, "Receive"},
    {PROVIDER_CHANNEL, 8, "System"},
    {PROVIDER_CHANNEL, 9, "Application"},
    {PROVIDER_CHANNEL, 10, "Security"},
    {PROVIDER_CHANNEL, 11, "TraceLogging"},
    {PROVIDER_CHANNEL, 12, "ProviderMetadata"},
    {PROVIDER_KEYWORD, 48, "ResponseTime"},
    {PROVIDER_KEYWORD, 49, "WDIContext"},
    {PROVIDER_KEYWORD, 50, "WDIDiagnostic"},
    {PROVIDER_KEYWORD, 51, "SQM"},
    {PROVIDER_KEYWORD, 52, "AuditFailure"},
    {PROVIDER_KEYWORD, 53, "AuditSuccess"},
    {PROVIDER_KEYWORD, 54, "CorrelationHint"},
    {PROVIDER_KEYWORD, 55, "EventlogClassic"},
};

/* Standard opcodes are those of all tasks. */
static const char *standard_name(enum provider_name kind, uint32_t number)
{
    const uint32_t wanted = kind == PROVIDER_OPCODE ? number & UINT8_MAX : number;
    for (size_t i = 0; i < sizeof standard_names / sizeof *standard_names; i++)
        if (standard_names[i].kind == kind && standard_names[i].number == wanted)
            return standard_names[i].text;
    return "";
}

/* ---- one provider's --------------------------------------------------------------------------- */

struct name {
    uint32_t key; /* kind and number */
    char *text;
};

struct provider_names {
    struct name *names; /* [0] is none */
    uint32_t count, room;
    size_t text_bytes;
    struct hash_index index;
    const char *const *keywords; /* that are known without a schema; NULL = none */
};

enum { KIND_SHIFT = 28 };

static uint32_t key_of(enum provider_name kind, uint32_t number)
{
    return (uint32_t)kind << KIND_SHIFT | number;
}

static uint64_t hash_of_name(const void *names, uint32_t number)
{
    return hash_mix(((const struct name *)names)[number].key);
}

struct provider_names *provider_names_new(const char *const *keywords)
{
    enum { ROOM = 8 };
    struct provider_names *const n = mem_new(1, sizeof *n);
    n->names = mem_new(ROOM, sizeof *n->names);
    n->room = ROOM;
    n->count = 1;
    n->keywords = keywords;
    hash_index_init(&n->index, ROOM);
    return n;
}

void provider_names_free(struct provider_names *n)
{
    if (!n)
        return;
    for (uint32_t i = 1; i < n->count; i++)
        free(n->names[i].text);
    free(n->names);
    hash_index_fini(&n->index);
    free(n);
}

size_t provider_names_bytes(const struct provider_names *n)
{
    return sizeof *n + n->room * sizeof *n->names + n->text_bytes + hash_index_bytes(&n->index);
}

uint32_t provider_names_count(const struct provider_names *n)
{
    return n ? n->count - 1 : 0;
}

/* 0: there is none, and a new one belongs `at`. */
static uint32_t find(const struct provider_names *n, uint32_t key, uint32_t *at)
{
    const struct hash_index *const x = &n->index;
    *at = hash_index_first(x, hash_mix(key));
    for (uint32_t number; (number = x->numbers[*at]); *at = hash_index_next(x, *at))
        if (n->names[number].key == key)
            return number;
    return 0;
}

void provider_names_put(struct provider_names *n, enum provider_name kind, uint32_t number,
                        const char *text)
{
    static const char standard[] = "win:";
    uint32_t at;
    const uint32_t key = key_of(kind, number);
    if (!*text || strncmp(text, standard, sizeof standard - 1) == 0 ||
        n->count == PROVIDER_NAMES_MOST || find(n, key, &at))
        return;
    if (n->count == n->room) {
        n->room *= 2;
        n->names = mem_grow(n->names, n->room, sizeof *n->names);
    }
    const uint32_t index = n->count++;
    const size_t bytes = strnlen(text, PROVIDER_NAME_BYTES);
    n->names[index] = (struct name){key, mem_new(bytes + 1, 1)};
    memcpy(n->names[index].text, text, bytes);
    n->text_bytes += bytes + 1;
    hash_index_put(&n->index, at, index, hash_of_name, n->names);
}

/* NULL: the provider has none. */
static const char *given_name(const struct provider_names *n, enum provider_name kind,
                              uint32_t number)
{
    uint32_t at;
    const uint32_t index = n ? find(n, key_of(kind, number), &at) : 0;
    if (!index && n && n->keywords && kind == PROVIDER_KEYWORD && number < PROVIDER_KEYWORD_BITS)
        return n->keywords[number];
    return index ? n->names[index].text : NULL;
}

const char *provider_name(const struct provider_names *n, enum provider_name kind, uint32_t number)
{
    const char *given = given_name(n, kind, number);
    if (!given && kind == PROVIDER_OPCODE)
        given = given_name(n, kind, provider_opcode(PROVIDER_ALL_TASKS, (uint8_t)number));
    return given ? given : standard_name(kind, number);
}

static bool standard_names_have(enum provider_name kind, const struct pattern *p)
{
    for (size_t i = 0; i < sizeof standard_names / sizeof *standard_names; i++)
        if (standard_names[i].kind == kind &&
            pattern_fits(p, standard_names[i].text, strlen(standard_names[i].text)))
            return true;
    return false;
}

bool provider_names_have(const struct provider_names *n, enum provider_name kind,
                         const struct pattern *p)
{
    if (!n)
        return standard_names_have(kind, p);
    for (uint32_t i = 1; i < n->count; i++)
        if (n->names[i].key >> KIND_SHIFT == (uint32_t)kind &&
            pattern_fits(p, n->names[i].text, strlen(n->names[i].text)))
            return true;
    for (unsigned bit = 0; bit < PROVIDER_KEYWORD_BITS && n->keywords; bit++)
        if (kind == PROVIDER_KEYWORD && n->keywords[bit] &&
            pattern_fits(p, n->keywords[bit], strlen(n->keywords[bit])))
            return true;
    return false;
}

/* ---- of an event ------------------------------------------------------------------------------ */

static const char *name_in(const struct provider_names *n, const struct event *e,
                           enum provider_name kind, uint32_t number)
{
    return e->kind == HEADER_MANIFEST ? provider_name(n, kind, number) : "";
}

const char *provider_level_name(const struct provider_names *n, const struct event *e)
{
    return name_in(n, e, PROVIDER_LEVEL, e->level);
}

const char *provider_opcode_name(const struct provider_names *n, const struct event *e)
{
    return name_in(n, e, PROVIDER_OPCODE, provider_opcode(e->task, e->opcode));
}

const char *provider_task_name(const struct provider_names *n, const struct event *e)
{
    return name_in(n, e, PROVIDER_TASK, e->task);
}

const char *provider_channel_name(const struct provider_names *n, const struct event *e)
{
    return name_in(n, e, PROVIDER_CHANNEL, e->channel);
}

/* False where there is no room. */
static bool append(char out[PROVIDER_KEYWORDS], size_t *used, const char *text)
{
    enum { HEX_LEFT = 24 }; /* for what the names leave */
    const char *const before = *used ? ", " : "";
    const size_t bytes = strlen(before) + strlen(text);
    if (*used + bytes + HEX_LEFT >= PROVIDER_KEYWORDS)
        return false;
    *used += (size_t)snprintf(out + *used, PROVIDER_KEYWORDS - *used, "%s%s", before, text);
    return true;
}

uint64_t provider_keywords(const struct provider_names *n, const struct event *e,
                           const char *out[PROVIDER_KEYWORD_BITS])
{
    uint64_t left = e->keyword;
    for (unsigned bit = 0; bit < PROVIDER_KEYWORD_BITS; bit++) {
        out[bit] = e->keyword >> bit & 1 ? name_in(n, e, PROVIDER_KEYWORD, bit) : "";
        if (*out[bit])
            left &= ~(UINT64_C(1) << bit);
    }
    return left;
}

size_t provider_keyword_names(const struct provider_names *n, const struct event *e,
                              char out[PROVIDER_KEYWORDS])
{
    const char *names[PROVIDER_KEYWORD_BITS];
    uint64_t left = provider_keywords(n, e, names);
    size_t used = 0;
    out[0] = '\0';
    for (unsigned bit = 0; bit < PROVIDER_KEYWORD_BITS; bit++)
        if (*names[bit] && !append(out, &used, names[bit]))
            left |= UINT64_C(1) << bit;
    if (left)
        used += (size_t)snprintf(out + used, PROVIDER_KEYWORDS - used, "%s0x%llx", used ? ", " : "",
                                 (unsigned long long)left);
    return used;
}
