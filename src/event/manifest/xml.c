/* The XML of instrumentation manifests, as Microsoft's eventman.xsd has it. Elements are known by
 * their place: an element that does not belong there is skipped with all that is in it. */
#include "src/base/mem.h"
#include "src/base/xml.h"
#include "src/event/manifest/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum place {
    OUTSIDE, /* of all that is known */
    PROVIDER,
    TASKS,
    TASK,
    OPCODES,
    OPCODE,
    KEYWORDS,
    KEYWORD,
    LEVELS,
    LEVEL,
    CHANNELS,
    CHANNEL,
    MAPS,
    MAP,
    MAP_ENTRY,
    TEMPLATES,
    TEMPLATE,
    STRUCTURE,
    DATA,
    EVENTS,
    EVENT,
    RESOURCES,
    STRINGS,
    STRING,
};

struct reader {
    struct manifest *m;
    enum place places[XML_DEPTH + 1]; /* of the elements that are open; [0] is OUTSIDE */
    unsigned depth;
    bool is_bad[XML_DEPTH + 1]; /* what is in the element is left out */
    int32_t task;               /* value of the task that is open */
    bool takes_strings;         /* of the resources that are open */
    bool has_english, has_strings;
    uint32_t channels; /* of the provider so far */
};

struct element {
    struct reader *r;
    const char *const *attributes;
    uint32_t line;
};

/* ---- attributes ------------------------------------------------------------------------------- */

static const char *attribute(const struct element *x, const char *name)
{
    const char *const value = xml_attribute(x->attributes, name);
    return value ? value : "";
}

static const char *copy(const struct element *x, const char *name)
{
    return manifest_text(x->r->m, xml_attribute(x->attributes, name));
}

static bool is_number(const char *text, uint64_t most, uint64_t *out)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return !errno && !*end && *out <= most;
}

/* False with a sentence when it is there and wrong, or is not there and must be. */
static bool number(const struct element *x, const char *what, const char *name, bool is_needed,
                   uint64_t most, uint64_t *out)
{
    const char *const text = xml_attribute(x->attributes, name);
    *out = 0;
    if ((!text && !is_needed) || (text && is_number(text, most, out)))
        return true;
    manifest_wrong(x->r->m, x->line, "%s: expected a number up to %llu as %s, found '%.60s'", what,
                   (unsigned long long)most, name, text ? text : "");
    return false;
}

static bool is_named(const struct element *x, const char *what, const char *name)
{
    if (*attribute(x, name))
        return true;
    manifest_wrong(x->r->m, x->line, "%s: attribute %s is missing", what, name);
    return false;
}

static const char *without_prefix(const char *type)
{
    const char *const colon = strchr(type, ':');
    return colon ? colon + 1 : type;
}

/* ---- providers and names ------------------------------------------------------------------------ */

static bool begin_provider(const struct element *x)
{
    struct manifest *const m = x->r->m;
    struct guid guid;
    if (!guid_parse(attribute(x, "guid"), &guid)) {
        manifest_wrong(m, x->line, "provider '%.60s': expected a GUID, found '%.60s'",
                       attribute(x, "name"), attribute(x, "guid"));
        return false;
    }
    struct manifest_provider *const p = manifest_add(m, &m->providers);
    *p = (struct manifest_provider){.guid = guid,
                                    .name = copy(x, "name"),
                                    .map_first = m->maps.count,
                                    .template_first = m->templates.count};
    for (unsigned kind = 0; kind < MANIFEST_KINDS; kind++)
        p->name_first[kind] = p->name_end[kind] = m->names[kind].count;
    x->r->channels = 0;
    return true;
}

static struct manifest_provider *provider_of(const struct element *x)
{
    return &x->r->m->providers.at[x->r->m->providers.count - 1];
}

static struct manifest_name *add_name(const struct element *x, enum manifest_kind kind,
                                      uint64_t value)
{
    struct manifest *const m = x->r->m;
    struct manifest_name *const n = manifest_add(m, &m->names[kind]);
    const char *const name = copy(x, "name");
    *n = (struct manifest_name){
        .key = {name, m->names[kind].count}, .shown = name, .value = value, .task = MANIFEST_NONE};
    provider_of(x)->name_end[kind] = m->names[kind].count;
    return n;
}

static bool begin_task(const struct element *x)
{
    uint64_t value;
    if (!number(x, "task", "value", true, UINT16_MAX, &value) || !is_named(x, "task", "name"))
        return false;
    add_name(x, MANIFEST_TASK, value);
    x->r->task = (int32_t)value;
    return true;
}

static bool begin_opcode(const struct element *x)
{
    const struct reader *const r = x->r;
    const bool is_of_task = r->depth >= 3 && r->places[r->depth - 2] == TASK;
    uint64_t value;
    if (!number(x, "opcode", "value", true, UINT8_MAX, &value) || !is_named(x, "opcode", "name"))
        return false;
    add_name(x, MANIFEST_OPCODE, value)->task = is_of_task ? r->task : MANIFEST_NONE;
    return true;
}

static bool begin_keyword(const struct element *x)
{
    uint64_t mask;
    if (!number(x, "keyword", "mask", true, UINT64_MAX, &mask) || !is_named(x, "keyword", "name"))
        return false;
    add_name(x, MANIFEST_KEYWORD, mask);
    return true;
}

static bool begin_level(const struct element *x)
{
    uint64_t value;
    if (!number(x, "level", "value", true, UINT8_MAX, &value) || !is_named(x, "level", "name"))
        return false;
    add_name(x, MANIFEST_LEVEL, value);
    return true;
}

/* Events refer to the chid where there is one. Without a value they are counted from 16 on. */
static bool begin_channel(const struct element *x)
{
    enum { FIRST = 16 };
    uint64_t value;
    if (!number(x, "channel", "value", false, UINT8_MAX, &value) || !is_named(x, "channel", "name"))
        return false;
    const uint32_t index = x->r->channels++;
    struct manifest_name *const n =
        add_name(x, MANIFEST_CHANNEL, *attribute(x, "value") ? value : FIRST + index);
    if (*attribute(x, "chid"))
        n->key.name = copy(x, "chid");
    return true;
}

/* ---- maps --------------------------------------------------------------------------------------- */

static bool begin_map(const struct element *x, bool is_bits)
{
    struct manifest *const m = x->r->m;
    if (!is_named(x, "map", "name"))
        return false;
    struct manifest_value_map *const map = manifest_add(m, &m->maps);
    *map = (struct manifest_value_map){
        .key = {copy(x, "name"), m->maps.count}, .first = m->entries.count, .is_bits = is_bits};
    provider_of(x)->map_end = m->maps.count;
    return true;
}

static bool begin_value_map(const struct element *x)
{
    return begin_map(x, false);
}

static bool begin_bit_map(const struct element *x)
{
    return begin_map(x, true);
}

static bool begin_map_entry(const struct element *x)
{
    struct manifest *const m = x->r->m;
    uint64_t value;
    if (!number(x, "map", "value", true, UINT32_MAX, &value))
        return false;
    struct manifest_map_entry *const e = manifest_add(m, &m->entries);
    *e = (struct manifest_map_entry){
        .text = copy(x, "message"), .symbol = copy(x, "symbol"), .value = (uint32_t)value};
    m->maps.at[m->maps.count - 1].count++;
    return true;
}

/* ---- templates ------------------------------------------------------------------------------------ */

static const char *const in_types[] = {
    "Null",
    "UnicodeString",
    "AnsiString",
    "Int8",
    "UInt8",
    "Int16",
    "UInt16",
    "Int32",
    "UInt32",
    "Int64",
    "UInt64",
    "Float",
    "Double",
    "Boolean",
    "Binary",
    "GUID",
    "Pointer",
    "FILETIME",
    "SYSTEMTIME",
    "SID",
    "HexInt32",
    "HexInt64",
    "CountedUnicodeString",
    "CountedAnsiString",
    "",
    "CountedBinary",
};
enum { IN_BINARY = 14 };

static const char *const out_types[] = {
    "",
    "string",
    "dateTime",
    "byte",
    "unsignedByte",
    "short",
    "unsignedShort",
    "int",
    "unsignedInt",
    "long",
    "unsignedLong",
    "float",
    "double",
    "boolean",
    "GUID",
    "hexBinary",
    "HexInt8",
    "HexInt16",
    "HexInt32",
    "HexInt64",
    "PID",
    "TID",
    "Port",
    "IPv4",
    "IPv6",
    "SocketAddress",
    "CIMDateTime",
    "ETWTIME",
    "Xml",
    "ErrorCode",
    "Win32Error",
    "NTSTATUS",
    "HResult",
    "DateTimeCultureInsensitive",
    "Json",
    "Utf8",
    "Pkcs7WithTypeInfo",
    "CodePointer",
    "DateTimeUtc",
};
enum { OUT_IPV6 = 24 };

static uint16_t type_of(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; *name && i < count; i++)
        if (strcmp(names[i], name) == 0)
            return (uint16_t)i;
    return MANIFEST_BAD_TYPE;
}

static bool begin_template(const struct element *x)
{
    struct manifest *const m = x->r->m;
    if (!is_named(x, "template", "tid"))
        return false;
    struct manifest_template *const t = manifest_add(m, &m->templates);
    *t = (struct manifest_template){.key = {copy(x, "tid"), m->templates.count},
                                    .first = m->items.count};
    provider_of(x)->template_end = m->templates.count;
    return true;
}

/* A count or length: a number, or the name of another item. False with a sentence. */
static bool read_size(const struct element *x, const char *which, uint16_t *value,
                      const char **name)
{
    const char *const text = attribute(x, which);
    uint64_t read = 0;
    *name = "";
    if (*text < '0' || *text > '9')
        *name = copy(x, which);
    else if (!number(x, attribute(x, "name"), which, false, UINT16_MAX, &read))
        return false;
    *value = (uint16_t)read;
    return true;
}

/* NULL: there are too many. */
static struct manifest_item *add_item(const struct element *x)
{
    struct manifest *const m = x->r->m;
    struct manifest_template *const t = &m->templates.at[m->templates.count - 1];
    if (t->count == MANIFEST_ITEMS) {
        manifest_wrong(m, x->line, "template '%.60s': more than %d fields; the rest is left out",
                       t->key.name, MANIFEST_ITEMS);
        return NULL;
    }
    struct manifest_item *const item = manifest_add(m, &m->items);
    t->count++;
    *item = (struct manifest_item){
        .name = copy(x, "name"), .map_name = "", .length_name = "", .line = x->line};
    if (!read_size(x, "count", &item->count, &item->count_name))
        item->in = MANIFEST_BAD_TYPE;
    return item;
}

static bool begin_structure(const struct element *x)
{
    struct manifest_item *const item = add_item(x);
    if (item)
        item->is_structure = true;
    return item != NULL;
}

static bool begin_data(const struct element *x)
{
    struct manifest *const m = x->r->m;
    const struct reader *const r = x->r;
    const char *const in = without_prefix(attribute(x, "inType")), *const out = without_prefix(
                                                                       attribute(x, "outType"));
    struct manifest_item *const item = add_item(x);
    if (!item)
        return false;
    const bool is_sized =
        item->in != MANIFEST_BAD_TYPE && read_size(x, "length", &item->length, &item->length_name);
    item->map_name = copy(x, "map");
    item->in =
        is_sized ? type_of(in_types, sizeof in_types / sizeof *in_types, in) : MANIFEST_BAD_TYPE;
    item->out = *out ? type_of(out_types, sizeof out_types / sizeof *out_types, out) : 0;
    item->is_member = r->places[r->depth - 1] == STRUCTURE;
    if (is_sized && item->in == MANIFEST_BAD_TYPE)
        manifest_wrong(m, x->line, "data '%.60s': inType '%.60s' is unknown", item->name,
                       attribute(x, "inType"));
    if (item->in == IN_BINARY && !item->length && !*item->length_name && item->out != OUT_IPV6) {
        manifest_wrong(m, x->line, "data '%.60s': win:Binary without a length", item->name);
        item->in = MANIFEST_BAD_TYPE;
    }
    if (!item->is_member)
        return true;
    struct manifest_item *owner = item;
    while (!owner->is_structure)
        owner--;
    owner->members++;
    return true;
}

/* ---- events and strings -------------------------------------------------------------------------- */

static bool begin_event(const struct element *x)
{
    struct manifest *const m = x->r->m;
    uint64_t id, version;
    if (!number(x, "event", "value", true, UINT16_MAX, &id) ||
        !number(x, "event", "version", false, UINT8_MAX, &version))
        return false;
    struct manifest_event *const e = manifest_add(m, &m->events);
    *e = (struct manifest_event){.provider = provider_of(x)->guid,
                                 .id = (uint16_t)id,
                                 .version = (uint8_t)version,
                                 .name = copy(x, *attribute(x, "name") ? "name" : "symbol"),
                                 .names = {copy(x, "task"), copy(x, "opcode"), copy(x, "keywords"),
                                           copy(x, "level"), copy(x, "channel")},
                                 .message = copy(x, "message"),
                                 .template_name = copy(x, "template"),
                                 .owner = m->providers.count - 1,
                                 .line = x->line};
    return true;
}

/* The strings of the first language count, but English ones go before all others: what is shown
 * beside them is English as well. */
static bool begin_resources(const struct element *x)
{
    struct reader *const r = x->r;
    const bool is_english = strncmp(attribute(x, "culture"), "en", 2) == 0;
    r->takes_strings = !r->has_strings || (is_english && !r->has_english);
    if (r->takes_strings)
        r->m->strings.count = 0;
    r->has_strings = true;
    r->has_english = r->has_english || is_english;
    return r->takes_strings;
}

static bool begin_string(const struct element *x)
{
    struct manifest *const m = x->r->m;
    struct manifest_string *const s = manifest_add(m, &m->strings);
    *s = (struct manifest_string){.key = {copy(x, "id"), m->strings.count},
                                  .text = copy(x, "value")};
    return true;
}

/* ---- elements ------------------------------------------------------------------------------------- */

/* Rows with OUTSIDE as their parent belong there, however deep. */
static const struct rule {
    enum place parent, place;
    const char *name;
    bool (*begin)(const struct element *x); /* false: it is left out, with all that is in it */
} rules[] = {
    {OUTSIDE, PROVIDER, "provider", begin_provider},
    {PROVIDER, TASKS, "tasks", NULL},
    {TASKS, TASK, "task", begin_task},
    {TASK, OPCODES, "opcodes", NULL},
    {PROVIDER, OPCODES, "opcodes", NULL},
    {OPCODES, OPCODE, "opcode", begin_opcode},
    {PROVIDER, KEYWORDS, "keywords", NULL},
    {KEYWORDS, KEYWORD, "keyword", begin_keyword},
    {PROVIDER, LEVELS, "levels", NULL},
    {LEVELS, LEVEL, "level", begin_level},
    {PROVIDER, CHANNELS, "channels", NULL},
    {CHANNELS, CHANNEL, "channel", begin_channel},
    {CHANNELS, CHANNEL, "importChannel", begin_channel},
    {PROVIDER, MAPS, "maps", NULL},
    {MAPS, MAP, "valueMap", begin_value_map},
    {MAPS, MAP, "bitMap", begin_bit_map},
    {MAP, MAP_ENTRY, "map", begin_map_entry},
    {PROVIDER, TEMPLATES, "templates", NULL},
    {TEMPLATES, TEMPLATE, "template", begin_template},
    {TEMPLATE, STRUCTURE, "struct", begin_structure},
    {TEMPLATE, DATA, "data", begin_data},
    {STRUCTURE, DATA, "data", begin_data},
    {PROVIDER, EVENTS, "events", NULL},
    {EVENTS, EVENT, "event", begin_event},
    {OUTSIDE, RESOURCES, "resources", begin_resources},
    {RESOURCES, STRINGS, "stringTable", NULL},
    {STRINGS, STRING, "string", begin_string},
};

static const struct rule *rule_of(enum place parent, const char *name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].parent == parent && strcmp(rules[i].name, name) == 0)
            return &rules[i];
    return NULL;
}

static void begin(void *of, const char *name, const char *const *attributes, unsigned line)
{
    struct reader *const r = of;
    const enum place parent = r->places[r->depth];
    const bool is_out = r->is_bad[r->depth];
    const struct rule *const rule = is_out ? NULL : rule_of(parent, name);
    r->depth++;
    r->places[r->depth] = rule ? rule->place : OUTSIDE;
    /* What is unknown within something known holds nothing that is known. */
    r->is_bad[r->depth] = is_out || (!rule && parent != OUTSIDE);
    const struct element x = {r, attributes, line};
    if (rule && rule->begin && !rule->begin(&x))
        r->is_bad[r->depth] = true;
}

static void end(void *of, const char *name)
{
    struct reader *const r = of;
    (void)name;
    r->depth--;
}

bool manifest_is_xml(const uint8_t *bytes, size_t size)
{
    static const uint8_t marks[] = {0xef, 0xbb, 0xbf, 0xff, 0xfe, 0xfe, 0xff, 0};
    size_t at = 0;
    while (at < size && at < 4 && memchr(marks, bytes[at], sizeof marks))
        at++;
    while (at < size && memchr(" \t\r\n", bytes[at], 4))
        at++;
    return at < size && bytes[at] == '<';
}

bool manifest_read_xml(struct manifest *m, const void *bytes, size_t size, struct err *err)
{
    struct reader r = {.m = m};
    const struct xml_reader callbacks = {.of = &r, .begin = begin, .end = end};
    return xml_read(bytes, size, &callbacks, err);
}
