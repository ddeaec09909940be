/* The programs lie in one object that the Makefile embeds. A program is named after its event
 * and the number of arguments that its tracepoint has there, NAME__3; the kernel's type information
 * has their number here, which decides the variant. One at another tracepoint, NAME__2 at sys_exit,
 * stands in where none at the event's own fits. If the verifier rejects a program, the object is
 * loaded again without it. */
#include "collectors/linux/bpf/bpf.h"

#include "collectors/linux/bpf/bpf_inside.h"
#include "collectors/linux/bpf/calls.h"
#include "collectors/linux/bpf/object.h"
#include "collectors/linux/kernel/machine.h"
#include "src/base/mem.h"
#include "src/os/rights.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- what the kernel has ----------------------------------------------------------- */

/* Arguments of a tracepoint, or -1 where the kernel has none of that name: btf_trace_NAME is a
 * pointer to a function whose first argument is not the tracepoint's own. */
static int arguments_of(const struct btf *kernel, const char *tracepoint)
{
    char name[96];
    snprintf(name, sizeof name, "btf_trace_%s", tracepoint);
    const int id = btf__find_by_name_kind(kernel, name, BTF_KIND_TYPEDEF);
    const struct btf_type *t = id > 0 ? btf__type_by_id(kernel, (uint32_t)id) : NULL;
    if (t)
        t = btf__type_by_id(kernel, t->type);
    if (!t || !btf_is_ptr(t))
        return -1;
    t = btf__type_by_id(kernel, t->type);
    return t && btf_is_func_proto(t) && btf_vlen(t) ? btf_vlen(t) - 1 : -1;
}

static void leave_out(struct bpf_source *s, const char *why)
{
    s->is_left_out = true;
    snprintf(s->why, sizeof s->why, "%s", why);
}

static void choose_variant(struct bpf_source *s, const struct btf *kernel)
{
    const int here = s->tracepoint ? arguments_of(kernel, s->tracepoint) : 0;
    if (here < 0)
        leave_out(s, "this kernel has no such tracepoint");
    else if ((unsigned)here != s->arguments)
        leave_out(s, "no BPF program of tracetop fits this kernel's tracepoint");
}

/* ---- loading ----------------------------------------------------------------------- */

/* "sched_switch__4" of section "tp_btf/sched_switch"; of one that stands behind an event that
 * is no tracepoint the section says only that. */
static bool name_source(struct bpf_source *s, struct bpf_program *p)
{
    const char *const name = bpf_program__name(p), *const section = bpf_program__section_name(p);
    const char *const arguments = strstr(name, "__"), *const slash = strchr(section, '/');
    if (!arguments || (size_t)(arguments - name) >= sizeof s->name)
        return false;
    memcpy(s->name, name, (size_t)(arguments - name));
    s->name[arguments - name] = '\0';
    s->tracepoint = slash ? slash + 1 : NULL;
    s->arguments = (unsigned)(arguments[2] - '0');
    s->program = p;
    return true;
}

static void name_sources(struct bpf *b)
{
    struct bpf_program *p;
    b->count = 0;
    bpf_object__for_each_program(p, b->object)
    {
        struct bpf_source *const s = &b->sources[b->count];
        if (b->count == SOURCES_MAX || !name_source(s, p))
            continue;
        s->owner = b;
        b->count++;
    }
}

static bool is_at_own(const struct bpf_source *s)
{
    return s->tracepoint && strcmp(s->tracepoint, s->name) == 0;
}

/* Does another program of that name need no stand-in? */
static bool is_stood_for(const struct bpf *b, const struct bpf_source *spare)
{
    if (is_at_own(spare))
        return false;
    for (const struct bpf_source *s = b->sources; s < b->sources + b->count; s++)
        if (!s->is_left_out && is_at_own(s) && strcmp(s->name, spare->name) == 0)
            return true;
    return false;
}

/* A fresh object with what is not left out; the names of `sources` are those of the last one. */
static bool open_object(struct bpf *b, struct err *err)
{
    /* Types are looked up in the kernel alone: what it lacks, the library would look for in its
     * modules, and fail for want of CAP_SYS_ADMIN. */
    const struct bpf_object_open_opts o = {
        .sz = sizeof o, .object_name = "tracetop", .btf_custom_path = "/sys/kernel/btf/vmlinux"};
    b->object = bpf_object__open_mem(bpf_object_bytes, bpf_object_size, &o);
    if (!b->object)
        return fail(err, "the BPF programs in this program cannot be read: %s", strerror(errno));
    name_sources(b);
    struct bpf_map *const scope = bpf_object__find_map_by_name(b->object, "scope_processes");
    if (b->preallocates && scope)
        bpf_map__set_map_flags(scope, 0);
    bpf_functions_size(b);
    for (struct bpf_source *s = b->sources; s < b->sources + b->count; s++) {
        if (!bpf_functions_prepare(b, s) && !s->is_left_out)
            choose_variant(s, b->kernel);
        s->log[0] = '\0';
        bpf_program__set_log_buf(s->program, s->log, LOG_BYTES);
    }
    for (struct bpf_source *s = b->sources; s < b->sources + b->count; s++) {
        s->is_spare = is_stood_for(b, s);
        bpf_program__set_autoload(s->program, !s->is_left_out && !s->is_spare);
    }
    return true;
}

/* The last line but the statistics says what was wrong. */
static void leave_out_refused(struct bpf_source *s)
{
    char *line = s->log, *last = NULL;
    for (char *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (strncmp(line, "verification time", 17) == 0 || strncmp(line, "processed ", 10) == 0)
            break;
        last = line;
    }
    s->is_left_out = true;
    snprintf(s->why, sizeof s->why, "the kernel refuses the program: %s", last ? last : "");
}

/* Until 6.1 programs behind counters might use no map that grows. */
static bool wants_preallocation(const struct bpf *b, const struct bpf_source *s)
{
    return !b->preallocates && strstr(s->log, "preallocated");
}

/* Whose log has something was refused; the others were not asked or passed. */
static bool learn_refusal(struct bpf *b)
{
    bool is_any = false;
    for (struct bpf_source *s = b->sources; s < b->sources + b->count; s++) {
        if (s->is_left_out || s->is_spare || !s->log[0])
            continue;
        if (wants_preallocation(b, s))
            b->preallocates = true;
        else
            leave_out_refused(s);
        is_any = true;
    }
    return is_any;
}

static bool is_any_left(const struct bpf *b)
{
    for (const struct bpf_source *s = b->sources; s < b->sources + b->count; s++)
        if (!s->is_left_out)
            return true;
    return false;
}

static bool load_error(int error, struct err *err)
{
    if (error == EPERM || error == EACCES)
        return fail(err, "loading BPF programs is not permitted");
    if (error == ENOMEM)
        return fail(err, "the kernel has no memory for BPF programs (limit of locked memory)");
    return fail(err, "BPF programs cannot be loaded: %s", strerror(error));
}

/* Each round that fails leaves out one program or is the last. */
static bool load(struct bpf *b, struct err *err)
{
    for (;;) {
        if (!open_object(b, err))
            return false;
        if (!is_any_left(b))
            return fail(err, "this kernel accepts no BPF program of tracetop: %s",
                        b->sources[0].why);
        const int status = bpf_object__load(b->object);
        if (status == 0)
            return true;
        bpf_object__close(b->object);
        b->object = NULL;
        if (status == -EPERM || !learn_refusal(b))
            return load_error(-status, err);
    }
}

static struct bpf_map *map_of(const struct bpf *b, const char *name, const char *what)
{
    char full[96];
    snprintf(full, sizeof full, "%s_%s", name, what);
    return bpf_object__find_map_by_name(b->object, full);
}

struct bpf_source *bpf_find_loaded(struct bpf *b, const char *name)
{
    for (struct bpf_source *s = b->sources; s < b->sources + b->count; s++)
        if (!s->is_left_out && !s->is_spare && strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

static void connect_parts(struct bpf *b)
{
    for (struct bpf_source *s = b->sources; s < b->sources + b->count; s++) {
        char companion[64];
        snprintf(companion, sizeof companion, "%s_packet", s->name);
        s->companion = bpf_find_loaded(b, companion);
        s->out = map_of(b, s->name, "out");
        s->fired = map_of(b, s->name, "fired");
    }
}

/* Records of a program that take another way, with the user's stack, are a source of their own,
 * whose program is the other's and is not switched with it. */
static void add_deep(struct bpf *b)
{
    const size_t count = b->count;
    for (size_t i = 0; i < count && b->count < SOURCES_MAX; i++) {
        struct bpf_source *const from = &b->sources[i], *const s = &b->sources[b->count];
        char name[64];
        snprintf(name, sizeof name, "%s_deep", from->name);
        struct bpf_map *const on = map_of(b, name, "on");
        if (from->is_left_out || !on || bpf_find_loaded(b, name))
            continue;
        *s = (struct bpf_source){.owner = b, .program = from->program, .deep_on = on};
        snprintf(s->name, sizeof s->name, "%.47s", name);
        s->deep_left = map_of(b, name, "left");
        s->out = map_of(b, name, "out");
        s->fired = map_of(b, name, "fired");
        b->count++;
    }
}

static void report_calls(const struct bpf *b, const char *map, const struct call_form *calls,
                         size_t count)
{
    const struct bpf_map *const m = bpf_object__find_map_by_name(b->object, map);
    for (size_t i = 0; m && i < count; i++) {
        const uint32_t call = calls[i].call;
        bpf_update(m, &call, &calls[i].form);
    }
}

static void report_all_calls(const struct bpf *b)
{
    report_calls(b, "path_arguments", path_calls, sizeof path_calls / sizeof path_calls[0]);
    report_calls(b, "send_calls", send_calls, sizeof send_calls / sizeof send_calls[0]);
    report_calls(b, "receive_calls", receive_calls, sizeof receive_calls / sizeof receive_calls[0]);
}

static void detach(struct bpf_source *s)
{
    bpf_link__destroy(s->link);
    s->link = NULL;
    bpf_functions_detach(s);
}

/* ---- opening ----------------------------------------------------------------------- */

static int be_quiet(enum libbpf_print_level level, const char *format, va_list args)
{
    (void)level, (void)format, (void)args;
    return 0;
}

static void make_logs(struct bpf *b, bool is_wanted)
{
    for (struct bpf_source *s = b->sources; s < b->sources + SOURCES_MAX; s++) {
        free(s->log);
        s->log = is_wanted ? mem_new(LOG_BYTES, 1) : NULL;
    }
}

struct bpf *bpf_open(struct bpf_functions *functions, struct err *err)
{
    libbpf_set_print(be_quiet);
    struct bpf *const b = mem_new(1, sizeof *b);
    b->functions = functions;
    b->kernel = btf__load_vmlinux_btf();
    if (!b->kernel) {
        fail(err, "this kernel has no type information (/sys/kernel/btf/vmlinux)");
        return bpf_close(b), NULL;
    }
    const int cpus = libbpf_num_possible_cpus();
    if (cpus <= 0) {
        fail(err, "the number of processors cannot be read: %s", strerror(-cpus));
        return bpf_close(b), NULL;
    }
    b->cpus = (unsigned)cpus;
    b->counts = mem_new(b->cpus, sizeof *b->counts);
    make_logs(b, true);
    const uint64_t before = os_rights_raise(OS_MAY_TRACE); /* the library also tries what there is */
    const bool is_loaded = load(b, err);
    os_rights_return(before);
    make_logs(b, false);
    btf__free(b->kernel);
    b->kernel = NULL;
    if (!is_loaded)
        return bpf_close(b), NULL;
    connect_parts(b);
    add_deep(b);
    report_all_calls(b);
    bpf_functions_report(b);
    return b;
}

void bpf_close(struct bpf *b)
{
    if (!b)
        return;
    for (struct bpf_source *s = b->sources; s < b->sources + b->count; s++)
        detach(s);
    bpf_object__close(b->object);
    btf__free(b->kernel);
    free(b->counts);
    free(b);
}

/* ---- one source -------------------------------------------------------------------- */

/* Of variants that do not fit only one can say more than that. */
static const struct bpf_source *find_reason(const struct bpf *b, const char *name)
{
    const struct bpf_source *reason = NULL;
    for (const struct bpf_source *s = b->sources; s < b->sources + b->count; s++)
        if (strcmp(s->name, name) == 0 && (!reason || strstr(s->why, "refuses")))
            reason = s;
    return reason;
}

struct bpf_source *bpf_find(struct bpf *b, const char *program, struct err *err)
{
    struct bpf_source *const s = b ? bpf_find_loaded(b, program) : NULL;
    if (s)
        return s;
    const struct bpf_source *const reason = b ? find_reason(b, program) : NULL;
    fail(err, "%s", reason ? reason->why : "there is no such BPF program");
    return NULL;
}

static const struct btf_type *resolve(const struct btf *btf, uint32_t id, bool *is_data_loc)
{
    const struct btf_type *t = btf__type_by_id(btf, id);
    for (; t && (btf_is_typedef(t) || btf_is_mod(t)); t = btf__type_by_id(btf, t->type))
        if (is_data_loc && strcmp(btf__name_by_offset(btf, t->name_off), "data_loc") == 0)
            *is_data_loc = true;
    return t;
}

/* The struct that the pointer layout_NAME points to. */
static const struct btf_type *record_of(const struct btf *btf, const char *name)
{
    char variable[64];
    snprintf(variable, sizeof variable, "layout_%s", name);
    const int id = btf__find_by_name_kind(btf, variable, BTF_KIND_VAR);
    const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
    t = t ? resolve(btf, t->type, NULL) : NULL;
    t = t && btf_is_ptr(t) ? resolve(btf, t->type, NULL) : NULL;
    return t && btf_is_struct(t) ? t : NULL;
}

static bool place_field(const struct btf *btf, const struct btf_type *record, const char *name,
                        struct field_place *out)
{
    const struct btf_member *const members = btf_members(record);
    for (unsigned i = 0; i < btf_vlen(record); i++) {
        if (strcmp(btf__name_by_offset(btf, members[i].name_off), name) != 0)
            continue;
        bool is_data_loc = false;
        const struct btf_type *const t = resolve(btf, members[i].type, &is_data_loc);
        const long long bytes = btf__resolve_size(btf, members[i].type);
        if (!t || bytes <= 0 || bytes > UINT8_MAX)
            return false;
        *out = (struct field_place){
            .offset = (uint16_t)(btf_member_bit_offset(record, i) / 8),
            .size = (uint8_t)bytes,
            .is_signed = btf_is_int(t) && btf_int_encoding(t) & BTF_INT_SIGNED,
            .is_data_loc = is_data_loc,
        };
        return true;
    }
    return false;
}

bool bpf_layout(const struct bpf_source *s, const struct linux_event *e, struct sample_layout *out,
                struct err *err)
{
    const struct btf *const btf = bpf_object__btf(s->owner->object);
    const struct btf_type *const record = record_of(btf, s->name);
    *out = (struct sample_layout){.is_bpf = true};
    if (!record)
        return fail(err, "the BPF program %s has no records", s->name);
    out->bytes = (uint16_t)record->size;
    for (unsigned i = 0; i < LINUX_FIELDS && e->fields[i]; i++) {
        const bool is_optional = e->fields[i][0] == '?';
        const char *const name = e->fields[i] + is_optional;
        if (!place_field(btf, record, name, &out->fields[i]) && !is_optional)
            return fail(err, "the BPF program %s has no field '%s'", s->name, name);
    }
    return true;
}

bool bpf_connect(struct bpf_source *s, unsigned cpu, int fd, struct err *err)
{
    const uint32_t slot = cpu;
    if (s->out && bpf_update(s->out, &slot, &fd))
        return true;
    return fail(err, "the BPF program %s cannot write on processor %u: %s", s->name, cpu,
                strerror(errno));
}

void bpf_disconnect(struct bpf_source *s, unsigned cpu)
{
    const uint32_t slot = cpu;
    const uint64_t before = os_rights_raise(OS_MAY_TRACE);
    if (s->out)
        bpf_map_delete_elem(bpf_map__fd(s->out), &slot);
    os_rights_return(before);
}

bool bpf_attach(struct bpf_source *s, struct err *err)
{
    if (s->link || s->link_count)
        return true;
    if (s->is_at_functions)
        return bpf_functions_attach(s, err);
    const uint64_t before = os_rights_raise(OS_MAY_TRACE);
    s->link = bpf_program__attach(s->program);
    os_rights_return(before);
    return s->link ||
           fail(err, "the BPF program %s cannot be attached: %s", s->name, strerror(errno));
}

/* The companion collects before the program asks it, and longer. */
bool bpf_switch(struct bpf_source *s, bool is_on, struct err *err)
{
    if (s->deep_on) {
        const uint32_t zero = 0, value = is_on ? (uint32_t)getpid() : 0;
        if (s->is_deep_on != is_on && !bpf_update(s->deep_on, &zero, &value))
            return fail(err, "cannot enable user stacks: %s", strerror(errno));
        s->is_deep_on = is_on;
        return true;
    }
    if (is_on)
        return (!s->companion || bpf_attach(s->companion, err)) && bpf_attach(s, err);
    detach(s);
    if (s->companion)
        detach(s->companion);
    return true;
}

bool bpf_stands_in(const struct bpf_source *s)
{
    const struct bpf *const b = s->owner;
    for (const struct bpf_source *own = b->sources; own < b->sources + b->count; own++)
        if (is_at_own(own) && !is_at_own(s) && strcmp(own->name, s->name) == 0)
            return true;
    return false;
}

bool bpf_is_on(const struct bpf_source *s)
{
    return s->link || s->link_count;
}

uint64_t bpf_fired(const struct bpf_source *s, unsigned cpu)
{
    const uint32_t zero = 0;
    const struct bpf *const b = s->owner;
    if (!s->fired || cpu >= b->cpus || !bpf_look_up(s->fired, &zero, b->counts))
        return 0;
    return b->counts[cpu];
}

uint64_t bpf_deep_left(const struct bpf_source *s)
{
    const uint32_t zero = 0;
    const struct bpf *const b = s->owner;
    uint64_t sum = 0;
    if (s->deep_left && bpf_look_up(s->deep_left, &zero, b->counts))
        for (unsigned cpu = 0; cpu < b->cpus; cpu++)
            sum += b->counts[cpu];
    return sum;
}

uint64_t bpf_missed(const struct bpf_source *s)
{
    struct bpf_prog_info info = {0};
    uint32_t bytes = sizeof info;
    if (s->deep_on)
        return 0; /* those of the program are the other source's */
    const uint64_t before = os_rights_raise(OS_MAY_TRACE);
    const int status = bpf_obj_get_info_by_fd(bpf_program__fd(s->program), &info, &bytes);
    os_rights_return(before);
    return status == 0 ? info.recursion_misses : 0;
}
