#include "src/event/manifest_table.h"

#include "src/base/text.h"
#include "src/event/error_names.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- lines and columns -------------------------------------------------------------------- */

/* A part of the table's text. */
struct text {
    const char *at;
    size_t length;
};

static const char *line_after(const char *line)
{
    const char *const end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* The column that `*at` stands at, which moves to the next one. False at the end of the line. */
static bool next_column(const char **at, struct text *out)
{
    if (**at == '\n' || !**at)
        return false;
    out->length = strcspn(*at, "\t\n");
    out->at = *at;
    *at += out->length + ((*at)[out->length] == '\t');
    return true;
}

static void copy_text(char room[EVENT_INFO_NAME], struct text t)
{
    const size_t length = t.length < EVENT_INFO_NAME ? t.length : EVENT_INFO_NAME - 1;
    memcpy(room, t.at, length);
    room[length] = '\0';
}

static bool is_equal(struct text t, const char *other)
{
    return strncmp(t.at, other, t.length) == 0 && !other[t.length];
}

/* ---- providers and events ------------------------------------------------------------------- */

enum { HEAD = sizeof "provider\t" - 1, GUID_LENGTH = GUID_TEXT - 1 };

static int by_guid(const void *wanted, const void *block)
{
    return strncmp(wanted, *(const char *const *)block + HEAD, GUID_LENGTH);
}

/* The lines of a provider; NULL: the table lacks it. */
static const char *find_provider(const struct guid *provider)
{
    char wanted[GUID_TEXT];
    const char *const *const block = bsearch(guid_format(provider, wanted), manifest_table,
                                             manifest_table_count, sizeof *manifest_table, by_guid);
    return block ? *block : NULL;
}

/* The version of the event that a line is about, whose id and point are `key`; false: it is about
 * something else. */
static bool is_about(const char *line, struct text key, unsigned *version)
{
    if (strncmp(line, key.at, key.length) != 0)
        return false;
    *version = (unsigned)strtoul(line + key.length, NULL, 10);
    return true;
}

/* The version that an event of `version` is read by; false: there is no such event. */
static bool find_version(const char *block, struct text key, unsigned *version)
{
    unsigned best = 0, is;
    bool is_found = false;
    for (const char *line = block; *line; line = line_after(line)) {
        if (!is_about(line, key, &is) || is > *version)
            continue;
        best = is > best ? is : best;
        is_found = true;
    }
    *version = best;
    return is_found;
}

/* The line of the variant, and the task that it is under. */
static const char *find_event(const char *block, struct text key, unsigned version,
                              unsigned variant, const char **task)
{
    unsigned is;
    *task = NULL;
    for (const char *line = block; *line; line = line_after(line)) {
        if (begins(line, "task\t"))
            *task = line;
        else if (is_about(line, key, &is) && is == version && !variant--)
            return line;
    }
    return NULL;
}

/* The name on a line of a task; NULL: there is none. */
static struct text task_name(const char *line)
{
    struct text name;
    if (line && next_column(&line, &name) && next_column(&line, &name))
        return name;
    return (struct text){"", 0};
}

/* "Task/Opcode", one of them, or nothing. */
static void name_event(struct text task, struct text opcode, char out[2 * EVENT_INFO_NAME])
{
    copy_text(out, task);
    const size_t length = strlen(out);
    if (length && opcode.length)
        out[length] = '/';
    if (opcode.length)
        copy_text(out + length + (length != 0), opcode);
}

/* ---- fields --------------------------------------------------------------------------------- */

/* Types by their words in the table. */
static const struct {
    char word[8];
    uint8_t type, role;
} types[] = {
    {"", FIELD_U32, FIELD_PLAIN},
    {"s", FIELD_WSTR, FIELD_PLAIN},
    {"u64", FIELD_U64, FIELD_PLAIN},
    {"p", FIELD_POINTER, FIELD_PLAIN},
    {"u16", FIELD_U16, FIELD_PLAIN},
    {"u8", FIELD_U8, FIELD_PLAIN},
    {"g", FIELD_GUID, FIELD_PLAIN},
    {"b", FIELD_BOOL32, FIELD_PLAIN},
    {"a", FIELD_ASTR, FIELD_PLAIN},
    {"x32", FIELD_HEX32, FIELD_PLAIN},
    {"bin", FIELD_BYTES, FIELD_PLAIN},
    {"i32", FIELD_I32, FIELD_PLAIN},
    {"i64", FIELD_I64, FIELD_PLAIN},
    {"x64", FIELD_HEX64, FIELD_PLAIN},
    {"sid", FIELD_BARE_SID, FIELD_PLAIN},
    {"t", FIELD_FILETIME, FIELD_PLAIN},
    {"f32", FIELD_F32, FIELD_PLAIN},
    {"sock", FIELD_BYTES, FIELD_IS_SOCKET_ADDRESS},
    {"status", FIELD_HEX32, FIELD_IS_STATUS},
    {"i16", FIELD_I16, FIELD_PLAIN},
    {"ip6", FIELD_IPV6, FIELD_PLAIN},
    {"f64", FIELD_F64, FIELD_PLAIN},
    {"i8", FIELD_I8, FIELD_PLAIN},
    {"ip4", FIELD_IPV4, FIELD_PLAIN},
    {"port", FIELD_PORT, FIELD_PLAIN},
    {"st", FIELD_SYSTEMTIME, FIELD_PLAIN},
    {"x16", FIELD_HEX16, FIELD_PLAIN},
    {"x8", FIELD_HEX8, FIELD_PLAIN},
    {"cs", FIELD_COUNTED_WSTR, FIELD_PLAIN},
    {"ca", FIELD_COUNTED_ASTR, FIELD_PLAIN},
    {"cbin", FIELD_COUNTED_BYTES, FIELD_PLAIN},
};

static const char structure[] = "struct";

/* False for a word that the table should not have. */
static bool set_type(struct field *f, struct text word)
{
    if (*word.at == '?') {
        f->type = FIELD_UNKNOWN;
        f->count = (uint16_t)strtoul(word.at + 1, NULL, 10);
        return true;
    }
    if (begins(word.at, structure)) {
        f->type = FIELD_STRUCT;
        f->members = (uint8_t)strtoul(word.at + sizeof structure - 1, NULL, 10);
        return f->members > 0;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (is_equal(word, types[i].word)) {
            f->type = types[i].type;
            f->role = types[i].role;
            f->count = f->type != FIELD_BYTES; /* of bytes 0 is the rest */
            return true;
        }
    return false;
}

/* 1 + the index of the earlier field of that name: the nearest one that is not within a structure
 * that has ended. 0: there is none. */
static uint8_t reference(const struct event_info *info, struct text name)
{
    const unsigned index = info->field_count - 1;
    unsigned found = 0;
    for (unsigned i = 0; i < index; i++) {
        if (is_equal(name, info->names[i]))
            found = i + 1;
        if (i + info->fields[i].members < index)
            i += info->fields[i].members;
    }
    return (uint8_t)found;
}

/* A number or the name of an earlier field. */
static bool set_count(const struct event_info *info, struct field *f, struct text count)
{
    if (*count.at >= '0' && *count.at <= '9')
        f->count = (uint16_t)strtoul(count.at, NULL, 10);
    else
        f->counted_by = reference(info, count);
    return f->counted_by || f->count;
}

/* Strings, bytes and addresses of a given length. */
static bool set_length(const struct event_info *info, struct field *f, struct text length)
{
    enum { IPV6_BYTES = 16 };
    if (f->type == FIELD_IPV6 && strtoul(length.at, NULL, 10) == IPV6_BYTES)
        return true;
    if (f->type == FIELD_IPV6) {
        f->type = FIELD_BYTES;
        f->role = FIELD_IS_ADDRESS;
    }
    if (f->type == FIELD_WSTR)
        f->type = FIELD_WCHARS;
    if (f->type == FIELD_ASTR)
        f->type = FIELD_ACHARS;
    return set_count(info, f, length);
}

/* The table has no out types of errors: names that say the type stand for them. */
static void set_errors(struct field *f)
{
    static const char hresult[] = "HRESULT", win32[] = "Win32Error";
    const size_t bytes = strlen(f->name);
    const bool is_hex = f->type == FIELD_HEX32;
    if (!is_hex && f->type != FIELD_U32 && f->type != FIELD_I32)
        return;
    if (text_compare(f->name, bytes, hresult, sizeof hresult - 1) == 0) {
        f->type = FIELD_HEX32;
        f->map = &map_hresult;
    } else if (!is_hex && text_compare(f->name, bytes, win32, sizeof win32 - 1) == 0) {
        f->map = &map_win32_error;
    }
}

static struct text part(const char *at, const char *end, const char *before)
{
    size_t length = 0;
    while (at + length < end && !strchr(before, at[length]))
        length++;
    return (struct text){at, length};
}

/* NAME, NAME:TYPE[LENGTH], NAME:TYPE*COUNT, each perhaps with =MAP. False where the table is wrong.
 */
static bool add_field(struct event_info *out, struct text t)
{
    const char *const end = t.at + t.length;
    if (out->field_count == DECODE_FIELDS)
        return false;
    const unsigned index = out->field_count++;
    struct field *const f = &out->fields[index];
    const struct text name = part(t.at, end, ":");
    *f = (struct field){.name = out->names[index], .count = 1, .offset32 = -1, .offset64 = -1};
    copy_text(out->names[index], name);
    out->maps[index][0] = '\0';
    const char *at = name.at + name.length;
    at += at < end;
    const struct text type = part(at, end, "[*=");
    bool is_good = set_type(f, type);
    set_errors(f);
    for (at += type.length; is_good && at < end;) {
        const struct text more = part(at + 1, end, "]*=");
        if (*at == '[')
            is_good = set_length(out, f, more);
        else if (*at == '*')
            is_good = set_count(out, f, more);
        else
            copy_text(out->maps[index], more);
        at = more.at + more.length;
        at += at < end && *at == ']';
    }
    return is_good;
}

static const char *find_shared(const char *block, unsigned long number)
{
    static const char word[] = "fields\t";
    for (const char *line = block; *line; line = line_after(line))
        if (begins(line, word) && strtoul(line + sizeof word - 1, NULL, 10) == number)
            return line;
    return NULL;
}

/* The columns behind the first two, which are "fields NUMBER" or an event's. A list begins only
 * with lists of lower numbers. */
static bool add_fields(const char *block, const char *line, unsigned long before,
                       struct event_info *out)
{
    struct text t;
    next_column(&line, &t);
    next_column(&line, &t);
    while (next_column(&line, &t)) {
        if (*t.at != '@') {
            if (!add_field(out, t))
                return false;
            continue;
        }
        const unsigned long number = strtoul(t.at + 1, NULL, 10);
        const char *const shared = number < before ? find_shared(block, number) : NULL;
        if (!shared || !add_fields(block, shared, number, out))
            return false;
    }
    return true;
}

static bool has_all_members(const struct event_info *info)
{
    for (unsigned i = 0; i < info->field_count; i++)
        if (i + info->fields[i].members >= info->field_count)
            return false;
    return true;
}

/* The names that the table has not. */
static void clear_names(struct event_info *out)
{
    out->level_name[0] = out->channel_name[0] = out->task_name[0] = out->opcode_name[0] = '\0';
    out->keyword_name_count = 0;
    out->message[0] = '\0';
}

/* Of a task that the header counts, and of an opcode that is no standard one. */
static void name_numbers(struct text task, struct text opcode, const struct event *e,
                         struct event_info *out)
{
    enum { STANDARD_OPCODES = 10 };
    out->task = e->task;
    if (out->is_classic)
        return;
    if (e->task)
        copy_text(out->task_name, task);
    if (e->opcode >= STANDARD_OPCODES)
        copy_text(out->opcode_name, opcode);
}

/* ---- asking ----------------------------------------------------------------------------------- */

bool manifest_table_read(const struct event *e, unsigned variant, struct event_info *out)
{
    const char *const block = find_provider(&e->provider), *task, *line;
    char id[8];
    snprintf(id, sizeof id, "%u.", e->kind == HEADER_CLASSIC ? e->opcode : e->id);
    const struct text key = {id, strlen(id)};
    unsigned version = e->version;
    struct text opcode = {"", 0}, t;
    if (!block || !find_version(block, key, &version) ||
        !(line = find_event(block, key, version, variant, &task)))
        return false;
    const char *at = block + HEAD + GUID_LENGTH + 1;
    next_column(&at, &t);
    if (is_equal(t, "classic") != (e->kind == HEADER_CLASSIC))
        return false;
    out->provider_name[0] = '\0';
    if (next_column(&at, &t))
        copy_text(out->provider_name, t);
    out->provider = e->provider;
    out->is_classic = e->kind == HEADER_CLASSIC;
    out->id = e->id;
    out->version = (uint8_t)version;
    out->opcode = e->opcode;
    at = line;
    next_column(&at, &t);
    next_column(&at, &opcode);
    name_event(task_name(task), opcode, out->event_name);
    clear_names(out);
    name_numbers(task_name(task), opcode, e, out);
    out->field_count = 0;
    return add_fields(block, line, ULONG_MAX, out) && has_all_members(out);
}

static int by_name(const void *wanted, const void *place)
{
    const struct text *const name = wanted;
    const struct manifest_field_name *const is = place;
    const char *const at = manifest_table[is->provider] + is->at;
    return text_compare(name->at, name->length, at, strcspn(at, ":\t\n"));
}

bool manifest_table_has_field(const char *name, size_t bytes)
{
    const struct text wanted = {name, bytes};
    return bsearch(&wanted, manifest_names, manifest_name_count, sizeof *manifest_names, by_name);
}

const char *manifest_table_provider(const struct guid *provider, size_t *bytes)
{
    const char *const block = find_provider(provider);
    struct text t;
    *bytes = 0;
    if (!block)
        return "";
    const char *at = block + HEAD + GUID_LENGTH + 1;
    next_column(&at, &t); /* manifest or classic */
    if (!next_column(&at, &t))
        return "";
    *bytes = t.length;
    return t.at;
}

bool manifest_table_map(const struct guid *provider, const char *name, struct manifest_map *out)
{
    char wanted[EVENT_INFO_NAME + 8];
    snprintf(wanted, sizeof wanted, "map\t%s\t", name);
    const char *line = find_provider(provider);
    while (line && *line && !begins(line, wanted))
        line = line_after(line);
    if (!line || !*line)
        return false;
    struct text t;
    const char *at = line + strlen(wanted);
    next_column(&at, &t);
    *out = (struct manifest_map){.is_bits = is_equal(t, "bits"), .at = at};
    while (next_column(&at, &t)) {
        out->count++;
        out->text_bytes += t.length; /* the number and its = take more than a NUL */
    }
    return true;
}

uint32_t manifest_map_entry(struct manifest_map *m, char room[EVENT_INFO_NAME])
{
    struct text t = {"", 0};
    char *end;
    next_column(&m->at, &t);
    const unsigned long number = strtoul(t.at, &end, 10);
    const size_t before = (size_t)(end - t.at) + 1; /* and the = */
    copy_text(room, (struct text){t.at + before, t.length > before ? t.length - before : 0});
    return (uint32_t)number;
}
