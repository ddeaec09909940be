#include "src/collect/session_settings.h"

#include <stdio.h>
#include <string.h>

/* EVENT_TRACE_FLAG_… of evntrace.h. The names are TWAPI's, which has no name for the last two. */
static const struct {
    const char *name;
    uint32_t flag;
} flags_by_name[] = {
    {"process", 0x1},        {"thread", 0x2},          {"imageload", 0x4},
    {"processcounter", 0x8}, {"contextswitch", 0x10},  {"dpc", 0x20},
    {"interrupt", 0x40},     {"systemcall", 0x80},     {"diskio", 0x100},
    {"diskfileio", 0x200},   {"dispatcher", 0x800},    {"pagefault", 0x1000},
    {"hardfault", 0x2000},   {"virtualalloc", 0x4000}, {"vamap", 0x8000},
    {"tcpip", 0x10000},      {"registry", 0x20000},    {"dbgprint", 0x40000},
    {"alpc", 0x100000},      {"splitio", 0x200000},    {"driver", 0x800000},
    {"profile", 0x1000000},  {"diskioinit", 0x400},    {"fileio", 0x2000000},
};

enum { NAMES = sizeof flags_by_name / sizeof *flags_by_name };

static bool is_name(size_t i, const char *text, size_t length)
{
    return strlen(flags_by_name[i].name) == length &&
           strncmp(flags_by_name[i].name, text, length) == 0;
}

/* "alpc, dbgprint and driver" */
static void list_names(uint32_t allowed, char *out, size_t room)
{
    size_t last = NAMES, used = 0;
    for (size_t i = 0; i < NAMES; i++)
        last = flags_by_name[i].flag & allowed ? i : last;
    out[0] = '\0';
    for (size_t i = 0; i < NAMES && used < room; i++)
        if (flags_by_name[i].flag & allowed)
            used += (size_t)snprintf(out + used, room - used, "%s%s",
                                     !used       ? ""
                                     : i == last ? " and "
                                                 : ", ",
                                     flags_by_name[i].name);
}

static bool fail_with_names(const char *found, size_t length, uint32_t allowed, struct err *err)
{
    enum { SHOWN = 100 };
    char names[400];
    list_names(allowed, names, sizeof names);
    return fail(err, "expected some of %s, found '%.*s'", names,
                (int)(length < SHOWN ? length : SHOWN), found);
}

bool session_flags_read(const char *text, uint32_t allowed, uint32_t *flags, struct err *err)
{
    *flags = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        size_t i = 0;
        while (i < NAMES && !(flags_by_name[i].flag & allowed && is_name(i, at, length)))
            i++;
        if (i == NAMES)
            return fail_with_names(at, length, allowed, err);
        *flags |= flags_by_name[i].flag;
        at += length;
        if (!*at)
            return true;
    }
}

const char *session_flags_print(uint32_t flags, char *out, size_t room)
{
    out[0] = '\0';
    for (size_t i = 0; i < NAMES; i++) {
        if (!(flags & flags_by_name[i].flag))
            continue;
        snprintf(out + strlen(out), room - strlen(out), "%s%s", out[0] ? "," : "",
                 flags_by_name[i].name);
        flags &= ~flags_by_name[i].flag;
    }
    if (flags)
        snprintf(out + strlen(out), room - strlen(out), "%s0x%x", out[0] ? "," : "", flags);
    return out;
}

/* ---- what goes together ---------------------------------------------------------------------- */

static bool is_private(const struct session_settings *s)
{
    return s->is_private || s->is_private_in_process;
}

static bool check_file(const struct session_settings *s, struct err *err)
{
    if (!s->log && (s->filemode || s->file_bytes || s->is_preallocated))
        return fail(err, "--filemode, --max-size and --preallocate need a file: --log FILE");
    if (!s->log && !s->is_live)
        return fail(err, "a session needs a file (--log FILE), or readers (--realtime)");
    if (s->filemode == SESSION_FILE_ROTATE && !strstr(s->log, "%d"))
        return fail(
            err, "--filemode rotate numbers its files: put %%d into the name, such as x-%%d.etl");
    if (s->filemode == SESSION_FILE_APPEND && s->clock && s->clock != 2)
        return fail(err, "--filemode append needs --clock system");
    if (s->filemode == SESSION_FILE_APPEND && (s->is_live || is_private(s)))
        return fail(err, "--filemode append does not go with --realtime or a private session");
    if (s->is_preallocated && !s->file_bytes)
        return fail(err, "--preallocate needs --max-size");
    return true;
}

static bool check_kernel(const struct session_settings *s, struct err *err)
{
    if (!s->has_kernel_flags)
        return true;
    if (s->is_paged || s->filemode == SESSION_FILE_ROTATE || is_private(s))
        return fail(err,
                    "kernel events do not go with --paged, --filemode rotate or a private session");
    return true;
}

static bool check_start(const struct session_settings *s, struct err *err)
{
    if (s->is_not_live)
        return fail(err, "'--no-realtime' belongs to 'sessions update'");
    if (s->is_live && is_private(s))
        return fail(err, "--realtime does not go with a private session");
    if (is_private(s) && !s->guid)
        return fail(err, "a private session needs the GUID of its provider: --guid");
    if (s->min_buffers && s->max_buffers && s->min_buffers > s->max_buffers)
        return fail(err, "--min-buffers is larger than --max-buffers");
    return check_file(s, err) && check_kernel(s, err);
}

/* EVENT_TRACE_CONTROL_UPDATE changes these and no others. */
static bool check_update(const struct session_settings *s, struct err *err)
{
    const bool is_more = s->filemode || s->file_bytes || s->buffer_bytes || s->min_buffers ||
                         s->clock || s->sequence || s->guid || s->is_paged || s->is_preallocated ||
                         is_private(s) || s->is_secure;
    if (is_more)
        return fail(err, "a session that runs takes --log, --flush, --max-buffers, --kernel, "
                         "--realtime and --no-realtime");
    if (s->is_live && s->is_not_live)
        return fail(err, "--realtime and --no-realtime exclude each other");
    return s->log || s->flush_ns || s->max_buffers || s->has_kernel_flags || s->is_live ||
           s->is_not_live ||
           fail(err, "nothing to update: give --log, --flush, --max-buffers, --kernel, --realtime "
                     "or --no-realtime");
}

bool session_settings_check(const struct session_settings *s, bool is_update, struct err *err)
{
    return is_update ? check_update(s, err) : check_start(s, err);
}
