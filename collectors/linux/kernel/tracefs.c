/* A format text, as tracefs gives it:
 *
 *   name: sched_switch
 *   ID: 372
 *   format:
 *           field:unsigned short common_type;  offset:0;  size:2;  signed:0;
 *           field:char prev_comm[16];  offset:8;  size:16;  signed:0;
 *           field:__data_loc char[] filename;  offset:8;  size:4;  signed:0;
 *   (empty line)
 *   print fmt: "…", REC->prev_comm, …
 */
#include "collectors/linux/kernel/tracefs.h"

#include "collectors/linux/kernel/tracefs_own.h"
#include "src/base/mem.h"
#include "src/os/rights.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- finding ------------------------------------------------------------------------- */

/* By the rights that count when it is opened: a program with capabilities has more than its user,
 * which is whom access() asks about. */
static bool has_access(const char *path, int mode)
{
    const uint64_t before = os_rights_raise(OS_MAY_READ);
    const bool has = faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0;
    os_rights_return(before);
    return has;
}

static bool is_there(const char *path)
{
    char events[4096 + 16];
    snprintf(events, sizeof events, "%s/events", path);
    return has_access(events, R_OK | X_OK);
}

bool tracefs_find(struct tracefs *fs, const char *path, struct err *err)
{
    const char *const usual[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing", tracefs_own()};
    bool is_refused = false;
    for (size_t i = 0; i < (path ? 1 : sizeof usual / sizeof *usual); i++) {
        const char *const where = path ? path : usual[i];
        if (!where)
            continue;
        snprintf(fs->path, sizeof fs->path, "%s", where);
        if (is_there(where))
            return true;
        is_refused |= errno == EACCES || errno == EPERM;
    }
    fs->path[0] = '\0';
    if (is_refused)
        return fail(err,
                    "cannot read /sys/kernel/tracing: run as root or with CAP_DAC_READ_SEARCH");
    return fail(err, "tracefs is not mounted");
}

/* ---- reading -------------------------------------------------------------------------- */

static char *read_text(const char *path, struct err *err)
{
    const uint64_t before = os_rights_raise(OS_MAY_READ);
    FILE *const f = fopen(path, "re");
    os_rights_return(before);
    if (!f) {
        fail(err, "%s: %s", path, strerror(errno));
        return NULL;
    }
    char *const text = mem_new(FORMAT_MAX + 1, 1);
    const size_t bytes = fread(text, 1, FORMAT_MAX, f);
    text[bytes] = '\0';
    fclose(f);
    return text;
}

static void path_of(const struct tracefs *fs, const char *group, const char *name, char *out,
                    size_t room)
{
    snprintf(out, room, "%s/events/%s/%s/format", fs->path, group, name);
}

bool tracefs_has(const struct tracefs *fs, const char *group, const char *name)
{
    char path[4096 + 256];
    path_of(fs, group, name, path, sizeof path);
    errno = 0;
    return has_access(path, F_OK) || errno != ENOENT;
}

char *tracefs_format(const struct tracefs *fs, const char *group, const char *name, struct err *err)
{
    char path[4096 + 256];
    path_of(fs, group, name, path, sizeof path);
    if (!tracefs_has(fs, group, name)) {
        fail(err, "this kernel has no event %s:%s", group, name);
        return NULL;
    }
    return read_text(path, err);
}

/* ---- formats --------------------------------------------------------------------------- */

uint64_t format_id(const char *text)
{
    const char *const at = strstr(text, "\nID:");
    return at ? strtoull(at + 4, NULL, 10) : 0;
}

/* "\toffset:8;" between the field's text and the end of its line. */
static bool number_of(const char *line, size_t bytes, const char *key, unsigned long *value)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i + length < bytes; i++) {
        if (memcmp(line + i, key, length) != 0)
            continue;
        char *end;
        *value = strtoul(line + i + length, &end, 10);
        return end > line + i + length && *end == ';';
    }
    return false;
}

/* "const char * name", "u8 cmd[32]", "__data_loc char[] name" to the name and the type. */
static bool read_declaration(const char *at, size_t bytes, struct format_item *out)
{
    static const char data_loc[] = "__data_loc ", rel_loc[] = "__rel_loc ";
    const char *end = at + bytes;
    out->is_data_loc = strncmp(at, data_loc, sizeof data_loc - 1) == 0;
    out->is_rel_loc = strncmp(at, rel_loc, sizeof rel_loc - 1) == 0;
    at += out->is_data_loc ? sizeof data_loc - 1 : out->is_rel_loc ? sizeof rel_loc - 1 : 0;
    const bool is_loc = out->is_data_loc || out->is_rel_loc;
    const char *const bracket = memchr(at, '[', (size_t)(end - at));
    out->is_array = bracket && !is_loc;
    if (out->is_array)
        end = bracket;
    const char *name = end;
    while (name > at && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
        name--;
    const char *type_end = is_loc && bracket ? bracket : name;
    while (type_end > at && type_end[-1] == ' ')
        type_end--;
    const size_t length = (size_t)(end - name);
    if (!length || length >= sizeof out->name)
        return false;
    snprintf(out->name, sizeof out->name, "%.*s", (int)length, name);
    snprintf(out->type, sizeof out->type, "%.*s", (int)(type_end - at), at);
    return true;
}

static bool read_item(const char *line, size_t bytes, struct format_item *out)
{
    static const char mark[] = "field:";
    const char *const at = memmem(line, bytes, mark, sizeof mark - 1);
    if (!at)
        return false;
    const char *const declaration = at + sizeof mark - 1;
    const size_t left = bytes - (size_t)(declaration - line);
    const char *const end = memchr(declaration, ';', left);
    unsigned long offset, size, is_signed = 0;
    if (!end)
        return false;
    const size_t rest = left - (size_t)(end - declaration);
    if (!read_declaration(declaration, (size_t)(end - declaration), out) ||
        !number_of(end, rest, "offset:", &offset) || !number_of(end, rest, "size:", &size) ||
        offset > UINT16_MAX || size > UINT32_MAX)
        return false;
    number_of(end, rest, "signed:", &is_signed);
    out->offset = (uint32_t)offset;
    out->size = (uint32_t)size;
    out->is_signed = is_signed != 0;
    return true;
}

/* The next field of any kind. */
static bool next_item(const char **at, struct format_item *out)
{
    while (**at) {
        const char *const line = *at;
        const size_t bytes = strcspn(line, "\n");
        *at += bytes + (line[bytes] != '\0');
        if (bytes >= 10 && memcmp(line, "print fmt:", 10) == 0)
            return false;
        if (read_item(line, bytes, out))
            return true;
    }
    return false;
}

bool format_field(const char *text, const char *name, struct field_place *out)
{
    struct format_item f;
    *out = (struct field_place){0};
    for (const char *at = text; next_item(&at, &f);) {
        if (strcmp(f.name, name) != 0 || !f.size || f.is_rel_loc)
            continue;
        /* Records are smaller than 64 KiB; of longer arrays the beginning is enough for us. */
        *out = (struct field_place){
            .offset = (uint16_t)f.offset,
            .size = (uint8_t)(f.size < UINT8_MAX ? f.size : UINT8_MAX),
            .is_signed = f.is_signed,
            .is_data_loc = f.is_data_loc && f.size == 4,
        };
        return true;
    }
    return false;
}

bool format_next(const char **at, struct format_item *out)
{
    static const char common[] = "common_";
    while (next_item(at, out))
        if (strncmp(out->name, common, sizeof common - 1) != 0 && out->size <= UINT16_MAX)
            return true;
    return false;
}

bool format_layout(const char *text, const struct linux_event *event, struct sample_layout *out,
                   struct err *err)
{
    *out = (struct sample_layout){0};
    for (unsigned i = 0; i < LINUX_FIELDS && event->fields[i]; i++) {
        const char *const field = event->fields[i];
        const bool is_optional = field[0] == '?';
        struct field_place *const p = &out->fields[i];
        if (!format_field(text, field + is_optional, p) && !is_optional)
            return fail(err, "%s:%s of this kernel has no field %s", event->group, event->name,
                        field);
        if (p->size && p->offset + p->size > out->bytes)
            out->bytes = (uint16_t)(p->offset + p->size);
    }
    return true;
}

bool format_flag(const char *text, unsigned index, uint64_t *value, char *name, size_t room)
{
    const char *const print = strstr(text, "print fmt:");
    const char *at = print ? strstr(print, "__print_") : NULL;
    for (unsigned i = 0; at; i++) {
        at = strchr(at, '{');
        if (!at)
            return false;
        char *end;
        const uint64_t v = strtoull(at + 1, &end, 0);
        const char *const open = strchr(end, '"'), *const close = strchr(end, '}');
        if (!open || !close || open > close)
            return false;
        const char *const shut = strchr(open + 1, '"');
        if (!shut)
            return false;
        if (i == index) {
            *value = v;
            snprintf(name, room, "%.*s", (int)(shut - open - 1), open + 1);
            return true;
        }
        at = close + 1;
        if (at[strspn(at, " ")] != ',') /* the end of the list */
            return false;
    }
    return false;
}
