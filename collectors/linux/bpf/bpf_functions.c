/* Attaching to functions of programs and libraries: by the kernel's links to many places of a file
 * at once (Linux 6.6), before that by a perf event for each place (Linux 5.15). Both end with the
 * last descriptor of this process, however it ends. */
#include "collectors/linux/bpf/bpf.h"

#include "collectors/linux/bpf/bpf_inside.h"
#include "collectors/linux/bpf/function_form.h"
#include "collectors/linux/kernel/perf_opener.h"
#include "collectors/linux/proc/proc.h"
#include "src/base/mem.h"
#include "src/os/apart_linux.h"
#include "src/os/rights.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of the kernel's interface, which never changes; headers of older kernels lack it. */
enum { ATTACH_TO_EVENT = 41, ATTACH_TO_MANY = 48, LINK_CREATE = 28, COUNTER_SHIFT = 32 };

struct link_to_many {
    uint32_t program, target, attach_type, flags;
    uint64_t path, offsets, counters, cookies;
    uint32_t count, of_many, process;
};

struct link_to_event {
    uint32_t program, event, attach_type, flags;
    uint64_t cookie;
};

/* ---- loading ---------------------------------------------------------------------------------- */

static bool is_of_functions(const struct bpf_source *s)
{
    return strncmp(s->name, "function_", 9) == 0;
}

/* What perf calls events at places of programs; 0: it has none. */
static uint32_t probe_type(void)
{
    uint64_t type = 0;
    struct proc proc;
    if (!proc_open(&proc, "/", NULL))
        return 0;
    const bool is_read = proc_number(&proc, "sys/bus/event_source/devices/uprobe/type", &type);
    proc_close(&proc);
    return is_read ? (uint32_t)type : 0;
}

static bool knows(const struct bpf *b, const char *type)
{
    return btf__find_by_name_kind(b->kernel, type, BTF_KIND_STRUCT) > 0;
}

bool bpf_functions_prepare(struct bpf *b, struct bpf_source *s)
{
    if (!is_of_functions(s))
        return false;
    s->is_at_functions = true;
    b->has_many = knows(b, "bpf_uprobe_multi_link");
    if (b->functions && !b->has_many)
        b->probe_type = probe_type();
    if (b->has_many)
        bpf_program__set_expected_attach_type(s->program, (enum bpf_attach_type)ATTACH_TO_MANY);
    if (!b->functions || (!b->has_many && (!b->probe_type || !knows(b, "bpf_perf_link")))) {
        s->is_left_out = true;
        snprintf(s->why, sizeof s->why, "%s",
                 b->functions ? "functions of programs need Linux 5.15 or newer"
                              : "no function was named");
    }
    return true;
}

static void set_size(struct bpf *b, const char *map, size_t count)
{
    struct bpf_map *const m = bpf_object__find_map_by_name(b->object, map);
    if (m && count)
        bpf_map__set_max_entries(m, (uint32_t)count);
}

void bpf_functions_size(struct bpf *b)
{
    if (!b->functions)
        return;
    set_size(b, "function_forms", b->functions->count);
    set_size(b, "function_calls", b->functions->count);
    set_size(b, "function_exits", b->functions->end_count);
}

static void report_ends(const struct bpf *b)
{
    const struct bpf_map *const m = bpf_object__find_map_by_name(b->object, "function_exits");
    for (uint32_t i = 0; m && i < b->functions->end_count; i++) {
        const struct bpf_function_end *const e = &b->functions->ends[i];
        const struct function_exit_form form = {.function = e->function,
                                                .kind = e->kind,
                                                .condition = e->condition,
                                                .place = e->place,
                                                .before = e->before,
                                                .behind = e->behind};
        bpf_update(m, &i, &form);
    }
}

void bpf_functions_report(const struct bpf *b)
{
    if (!b->functions)
        return;
    const struct bpf_map *const m = bpf_object__find_map_by_name(b->object, "function_forms");
    for (uint32_t i = 0; m && i < b->functions->count; i++) {
        const struct bpf_function *const of = &b->functions->of[i];
        struct function_form form = {.process = of->process,
                                     .result_is_text = of->result_is_text,
                                     .except = (uint32_t)getpid()};
        memcpy(form.texts, of->texts, sizeof form.texts);
        for (unsigned k = 0; k < FUNCTION_ARGUMENTS; k++)
            form.of[k] =
                (struct function_argument_form){of->arguments[k].from, of->arguments[k].place,
                                                of->arguments[k].bytes, of->arguments[k].number};
        bpf_update(m, &i, &form);
    }
    report_ends(b);
}

/* ---- attaching -------------------------------------------------------------------------------- */

/* Places in one file that are to be attached to, with the numbers that the program is called with.
 */
struct batch {
    uint64_t *offsets, *numbers, *counters;
    size_t count;
    int file;
};

static int make_link(void *request)
{
    return (int)syscall(SYS_bpf, LINK_CREATE, request, sizeof(struct link_to_many));
}

/* A link to one place: the event that is behind it lives as long. */
struct place_request {
    struct perf_event_attr event;
    int file;
    struct link_to_event link;
};

static int make_link_to_event(void *to)
{
    struct place_request *const r = to;
    const int event = perf_opener_open(&r->event, -1, 0, r->file);
    if (event < 0)
        return -1;
    r->link.event = (uint32_t)event;
    const int link = (int)syscall(SYS_bpf, LINK_CREATE, &r->link, sizeof r->link);
    const int error = errno;
    close(event);
    errno = error;
    return link;
}

/* Whatever processor the event is of: the program runs on each. */
static int link_place(const struct bpf_source *s, const struct batch *b, size_t at)
{
    struct place_request r = {
        .event = {.type = s->owner->probe_type,
                  .size = sizeof r.event,
                  .config = b->counters[at] << COUNTER_SHIFT,
                  .config2 = b->offsets[at]},
        .file = b->file,
        .link = {.program = (uint32_t)bpf_program__fd(s->program),
                 .attach_type = ATTACH_TO_EVENT,
                 .cookie = b->numbers[at]},
    };
    return os_call_apart(make_link_to_event, &r);
}

/* A descriptor, or -1 with errno. Killed amid this, or amid closing, the kernel would leave places
 * in programs changed for ever ("leaking uprobe"): so it is done apart. */
static int link_batch(const struct bpf_source *s, const struct batch *b, size_t from, size_t count)
{
    if (!s->owner->has_many)
        return link_place(s, b, from);
    char path[48];
    snprintf(path, sizeof path, "/proc/self/fd/%d", b->file);
    struct link_to_many request = {
        .program = (uint32_t)bpf_program__fd(s->program),
        .attach_type = ATTACH_TO_MANY,
        .path = (uint64_t)(uintptr_t)path,
        .offsets = (uint64_t)(uintptr_t)(b->offsets + from),
        .counters = (uint64_t)(uintptr_t)(b->counters + from),
        .cookies = (uint64_t)(uintptr_t)(b->numbers + from),
        .count = (uint32_t)count,
    };
    return os_call_apart(make_link, &request);
}

static void keep_link(struct bpf_source *s, int link)
{
    s->links = mem_grow(s->links, s->link_count + 1, sizeof *s->links);
    s->links[s->link_count++] = link;
}

static bool is_at_ends(const struct bpf_source *s)
{
    return strcmp(s->name, "function_return") == 0;
}

static void note_refusal(const struct bpf_source *s, uint64_t number, int error)
{
    struct bpf_functions *const all = s->owner->functions;
    if (is_at_ends(s))
        all->ends[number].is_refused = true;
    else
        all->of[number].refusal = error;
}

/* All at once where the kernel takes them all; else in halves, so that one that it refuses costs
 * itself only. */
static void attach_batch(struct bpf_source *s, const struct batch *b, size_t from, size_t count)
{
    const bool is_at_once = count == 1 || (count && s->owner->has_many);
    const int link = is_at_once ? link_batch(s, b, from, count) : -1;
    if (link >= 0) {
        keep_link(s, link);
    } else if (count == 1) {
        note_refusal(s, b->numbers[from], errno);
    } else if (count) {
        attach_batch(s, b, from, count / 2);
        attach_batch(s, b, from + count / 2, count - count / 2);
    }
}

/* One more place; those of another file go first. */
static void add_place(struct bpf_source *s, struct batch *b, const struct bpf_function *f,
                      uint64_t offset, uint64_t number)
{
    if (f->is_left_out || f->refusal)
        return;
    if (b->count && f->file != b->file) {
        attach_batch(s, b, 0, b->count);
        b->count = 0;
    }
    b->file = f->file;
    b->offsets[b->count] = offset;
    b->counters[b->count] = is_at_ends(s) ? 0 : f->counter;
    b->numbers[b->count++] = number;
}

bool bpf_functions_attach(struct bpf_source *s, struct err *err)
{
    const struct bpf_functions *const all = s->owner->functions;
    const size_t count = is_at_ends(s) ? all->end_count : all->count;
    struct batch b = {.offsets = mem_new(count + 1, sizeof *b.offsets),
                      .numbers = mem_new(count + 1, sizeof *b.numbers),
                      .counters = mem_new(count + 1, sizeof *b.counters),
                      .file = -1};
    const uint64_t before = os_rights_raise(OS_MAY_TRACE);
    for (size_t i = 0; i < count; i++) {
        const struct bpf_function_end *const e = is_at_ends(s) ? &all->ends[i] : NULL;
        const struct bpf_function *const f = &all->of[e ? e->function : i];
        if (!e || !e->is_refused)
            add_place(s, &b, f, e ? e->offset : f->offset, i);
    }
    attach_batch(s, &b, 0, b.count);
    os_rights_return(before);
    free(b.offsets);
    free(b.numbers);
    free(b.counters);
    return s->link_count || is_at_ends(s) ||
           fail(err, "the kernel refuses to watch these functions: %s", strerror(errno));
}

static int close_links(void *to)
{
    const struct bpf_source *const s = to;
    for (size_t i = 0; i < s->link_count; i++)
        close(s->links[i]);
    return 0;
}

void bpf_functions_detach(struct bpf_source *s)
{
    if (s->link_count)
        os_call_apart(close_links, s);
    free(s->links);
    s->links = NULL;
    s->link_count = 0;
}

void bpf_functions_again(struct bpf *b)
{
    for (struct bpf_source *s = b ? b->sources : NULL; b && s < b->sources + b->count; s++) {
        if (!s->link_count)
            continue;
        bpf_functions_detach(s);
        bpf_functions_attach(s, NULL);
    }
}

uint64_t bpf_function_calls(const struct bpf *b, uint32_t number)
{
    uint64_t calls = 0;
    const struct bpf_map *const m =
        b && b->functions ? bpf_object__find_map_by_name(b->object, "function_calls") : NULL;
    return m && bpf_look_up(m, &number, &calls) ? calls : 0;
}
