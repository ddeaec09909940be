/* The same happening as kernels of different years write it: fields have moved, come and gone, and
 * every one of them must become the same records.
 *
 * Each kernel has the fields of an event as its format file lists them; samples are laid out by
 * that list, the collector reads the file's text. */
#include "tests/made_sample.h"

#include "collectors/linux/kernel/tracefs.h"
#include "collectors/linux/translate/tracepoint.h"

#include <netinet/in.h>

#define N(v) ((uint64_t)(v))

enum { FIELDS = 16, RAW = 256 };

struct field {
    const char *declaration; /* "char rwbs[8]"; the name is its last word */
    uint16_t offset, size;
};

struct kernel {
    const char *since;
    struct field fields[FIELDS];
};

struct value {
    const char *name;
    uint64_t number;
    const void *bytes; /* instead; as many as the field has, or up to a text's end */
    size_t count;
};

/* ---- one sample ----------------------------------------------------------------------------- */

static bool is_data_loc(const struct field *f)
{
    return strncmp(f->declaration, "__data_loc ", 11) == 0;
}

static bool is_called(const struct field *f, const char *name)
{
    const char *const last = strrchr(f->declaration, ' ') + 1;
    const size_t length = strcspn(last, "[");
    return strlen(name) == length && memcmp(last, name, length) == 0;
}

static char *format_of(const struct kernel *k, const char *event)
{
    char *const text = calloc(1, 4096);
    int at = snprintf(text, 4096,
                      "name: %s\nID: 300\nformat:\n"
                      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                      "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
                      "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
                      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
                      event);
    for (const struct field *f = k->fields; f->declaration; f++)
        at += snprintf(
            text + at, 4096 - (size_t)at, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
            f->declaration, f->offset, f->size,
            strncmp(f->declaration, "int ", 4) == 0 || strncmp(f->declaration, "pid_t ", 6) == 0 ||
                strncmp(f->declaration, "long ", 5) == 0);
    snprintf(text + at, 4096 - (size_t)at,
             "\nprint fmt: \"%%s field:int pid; offset:99; size:4;\"\n");
    return text;
}

/* What a kernel has no field for it does not say. Returns the bytes used so far. */
static size_t lay(uint8_t *raw, size_t used, const struct kernel *k, const struct value *v)
{
    for (const struct field *f = k->fields; f->declaration; f++) {
        if (!is_called(f, v->name))
            continue;
        if (is_data_loc(f)) {
            store_u32(raw + f->offset, (uint32_t)(used | v->count << 16));
            memcpy(raw + used, v->bytes, v->count);
            return used + v->count;
        }
        if (v->bytes)
            memcpy(raw + f->offset, v->bytes, v->count < f->size ? v->count : f->size);
        else
            memcpy(raw + f->offset, &v->number, f->size); /* little endian, as the machine is */
    }
    return used;
}

static void say(struct sample_maker *m, const char *name, const struct kernel *k,
                const struct value *values)
{
    const struct linux_event *const event = made_event(m, name);
    char *const text = format_of(k, name);
    struct sample_layout layout;
    struct err err;
    if (!format_layout(text, event, &layout, &err))
        fail_msg("%s: %s", k->since, err.text);
    free(text);
    uint8_t raw[RAW] = {0};
    size_t used = 8;
    for (const struct field *f = k->fields; f->declaration; f++)
        used = used > (size_t)f->offset + f->size ? used : (size_t)f->offset + f->size;
    for (const struct value *v = values; v->name; v++)
        used = lay(raw, used, k, v);
    uint8_t *const exact = malloc(used); /* so that a sanitizer sees one byte too far */
    memcpy(exact, raw, used);
    m->time += 100;
    const struct sample s = {.type = 9,
                             .pid = m->pid,
                             .tid = m->tid,
                             .time = m->time,
                             .event = event,
                             .layout = &layout,
                             .raw = exact,
                             .raw_bytes = (uint32_t)used};
    m->translator.time = m->time;
    event->translate(&m->translator, &s);
    free(exact);
}

/* ---- all kernels alike ----------------------------------------------------------------------- */

struct story {
    enum linux_domain_id domain;
    unsigned kernels, records;
    void (*play)(struct sample_maker *m, unsigned kernel);
};

static void check(const struct story *s)
{
    struct came first[8];
    for (unsigned k = 0; k < s->kernels; k++) {
        struct sample_maker *const m = made_new(s->domain);
        m->pid = m->tid = 700;
        m->time = 1000;
        s->play(m, k);
        for (unsigned i = 0; i < s->records; i++) {
            struct came c;
            if (!made_take(m, &c))
                fail_msg("kernel %u: only %u records", k, i);
            if (k == 0)
                first[i] = c;
            const struct came *const f = &first[i];
            const bool is_same = c.hook == f->hook && c.bytes == f->bytes && c.time == f->time &&
                                 c.pid == f->pid && c.tid == f->tid &&
                                 memcmp(c.payload, f->payload, c.bytes) == 0;
            if (!is_same)
                fail_msg("kernel %u: record %u (hook %#x) is another", k, i, c.hook);
        }
        made_nothing(m);
        made_free(m);
    }
}

/* ---- the scheduler --------------------------------------------------------------------------- */

static const struct kernel switches[] = {
    {"5.4",
     {{"char prev_comm[16]", 8, 16},
      {"pid_t prev_pid", 24, 4},
      {"int prev_prio", 28, 4},
      {"long prev_state", 32, 8},
      {"char next_comm[16]", 40, 16},
      {"pid_t next_pid", 56, 4},
      {"int next_prio", 60, 4}}},
    {"names by place",
     {{"__data_loc char[] prev_comm", 8, 4},
      {"pid_t prev_pid", 12, 4},
      {"int prev_prio", 16, 4},
      {"long prev_state", 24, 8},
      {"__data_loc char[] next_comm", 32, 4},
      {"pid_t next_pid", 36, 4},
      {"int next_prio", 40, 4}}},
};

static const struct kernel wakings[] = {
    {"5.4",
     {{"char comm[16]", 8, 16},
      {"pid_t pid", 24, 4},
      {"int prio", 28, 4},
      {"int success", 32, 4},
      {"int target_cpu", 36, 4}}},
    {"6.1",
     {{"char comm[16]", 8, 16},
      {"pid_t pid", 24, 4},
      {"int prio", 28, 4},
      {"int target_cpu", 32, 4}}},
};

static void play_switch(struct sample_maker *m, unsigned kernel)
{
    say(m, "sched_waking", &wakings[kernel],
        (const struct value[]){{"comm", 0, "late", 5},
                               {.name = "pid", .number = 701},
                               {.name = "prio", .number = 120},
                               {.name = "success", .number = 1},
                               {.name = "target_cpu", .number = 3},
                               {.name = NULL}});
    say(m, "sched_switch", &switches[kernel],
        (const struct value[]){{"prev_comm", 0, "early", 6},
                               {.name = "prev_pid", .number = 700},
                               {.name = "prev_prio", .number = 139},
                               {.name = "prev_state", .number = 2},
                               {"next_comm", 0, "late", 5},
                               {.name = "next_pid", .number = 701},
                               {.name = "next_prio", .number = 120},
                               {.name = NULL}});
}

static void switches_are_alike(void **state)
{
    (void)state;
    check(&(struct story){DOMAIN_SWITCH, 2, 2, play_switch});
}

/* ---- disks ----------------------------------------------------------------------------------- */

#define REQUEST                                                                                    \
    {"dev_t dev", 8, 4}, {"sector_t sector", 16, 8},                                               \
    {                                                                                              \
        "unsigned int nr_sector", 24, 4                                                            \
    }

static const struct kernel questions[] = {
    {"5.4", {REQUEST, {"char rwbs[8]", 28, 8}, {"char comm[16]", 36, 16}}},
    {"6.12", {REQUEST, {"char rwbs[8]", 28, 8}, {"char comm[16]", 36, 16}}},
    {"6.18", {REQUEST, {"char rwbs[10]", 28, 10}, {"char comm[16]", 38, 16}}},
};

static const struct kernel issues[] = {
    {"5.4",
     {REQUEST,
      {"unsigned int bytes", 28, 4},
      {"char rwbs[8]", 32, 8},
      {"char comm[16]", 40, 16},
      {"__data_loc char[] cmd", 56, 4}}},
    {"6.12",
     {REQUEST,
      {"unsigned int bytes", 28, 4},
      {"unsigned short ioprio", 32, 2},
      {"char rwbs[8]", 34, 8},
      {"char comm[16]", 42, 16},
      {"__data_loc char[] cmd", 60, 4}}},
    {"6.18",
     {REQUEST,
      {"unsigned int bytes", 28, 4},
      {"unsigned short ioprio", 32, 2},
      {"char rwbs[10]", 34, 10},
      {"char comm[16]", 44, 16},
      {"__data_loc char[] cmd", 60, 4}}},
};

static const struct kernel completions[] = {
    {"5.4",
     {REQUEST, {"int error", 28, 4}, {"char rwbs[8]", 32, 8}, {"__data_loc char[] cmd", 40, 4}}},
    {"6.12",
     {REQUEST,
      {"int error", 28, 4},
      {"unsigned short ioprio", 32, 2},
      {"char rwbs[8]", 34, 8},
      {"__data_loc char[] cmd", 44, 4}}},
    {"6.18",
     {REQUEST,
      {"int error", 28, 4},
      {"unsigned short ioprio", 32, 2},
      {"char rwbs[10]", 34, 10},
      {"__data_loc char[] cmd", 44, 4}}},
};

static void play_read(struct sample_maker *m, unsigned kernel)
{
    const struct value request[] = {{.name = "dev", .number = 254 << 20},
                                    {.name = "sector", .number = 0x100000040},
                                    {.name = "nr_sector", .number = 8},
                                    {.name = "bytes", .number = 4096},
                                    {"rwbs", 0, "RSM", 4},
                                    {"comm", 0, "reader", 7},
                                    {"cmd", 0, "", 1},
                                    {.name = NULL}};
    say(m, "block_bio_queue", &questions[kernel], request);
    say(m, "block_rq_issue", &issues[kernel], request);
    m->tid = 0; /* whoever is interrupted */
    say(m, "block_rq_complete", &completions[kernel], request);
}

static void reads_are_alike(void **state)
{
    (void)state;
    check(&(struct story){DOMAIN_DISK, 3, 2, play_read});
}

/* ---- connections ----------------------------------------------------------------------------- */

#define STATES                                                                                     \
    {"const void * skaddr", 8, 8}, {"int oldstate", 16, 4}, {"int newstate", 20, 4},               \
        {"__u16 sport", 24, 2}, {"__u16 dport", 26, 2},                                            \
    {                                                                                              \
        "__u16 family", 28, 2                                                                      \
    }

static const struct kernel states[] = {
    {"5.4",
     {STATES,
      {"__u8 protocol", 30, 1},
      {"__u8 saddr[4]", 31, 4},
      {"__u8 daddr[4]", 35, 4},
      {"__u8 saddr_v6[16]", 39, 16},
      {"__u8 daddr_v6[16]", 55, 16}}},
    {"5.10",
     {STATES,
      {"__u16 protocol", 30, 2},
      {"__u8 saddr[4]", 32, 4},
      {"__u8 daddr[4]", 36, 4},
      {"__u8 saddr_v6[16]", 40, 16},
      {"__u8 daddr_v6[16]", 56, 16}}},
};

/* The family came with 5.13: before, addresses of IPv4 are only known by their mapped form. */
static const struct kernel retransmits[] = {
    {"5.4",
     {{"const void * skbaddr", 8, 8},
      {"const void * skaddr", 16, 8},
      {"int state", 24, 4},
      {"__u16 sport", 28, 2},
      {"__u16 dport", 30, 2},
      {"__u8 saddr[4]", 32, 4},
      {"__u8 daddr[4]", 36, 4},
      {"__u8 saddr_v6[16]", 40, 16},
      {"__u8 daddr_v6[16]", 56, 16}}},
    {"5.13",
     {{"const void * skbaddr", 8, 8},
      {"const void * skaddr", 16, 8},
      {"int state", 24, 4},
      {"__u16 sport", 28, 2},
      {"__u16 dport", 30, 2},
      {"__u16 family", 32, 2},
      {"__u8 saddr[4]", 34, 4},
      {"__u8 daddr[4]", 38, 4},
      {"__u8 saddr_v6[16]", 42, 16},
      {"__u8 daddr_v6[16]", 58, 16}}},
};

enum { SYN_SENT = 2, ESTABLISHED = 1, CLOSED = 7 };

static void play_connection(struct sample_maker *m, unsigned kernel, bool is_v6)
{
    uint8_t local[16] = {0xfe, 0x80, [15] = 1}, remote[16] = {0xfe, 0x80, [15] = 2};
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    static const uint8_t here[4] = {10, 0, 0, 1}, there[4] = {10, 0, 0, 2};
    if (!is_v6) {
        memcpy(local, mapped, 12);
        memcpy(remote, mapped, 12);
        memcpy(local + 12, here, 4);
        memcpy(remote + 12, there, 4);
    }
    struct value v[] = {{.name = "skaddr", .number = 0xffff888000001000},
                        {.name = "oldstate", .number = CLOSED},
                        {.name = "newstate", .number = SYN_SENT},
                        {.name = "sport", .number = 0},
                        {.name = "dport", .number = 443},
                        {.name = "family", .number = is_v6 ? 10 : 2},
                        {.name = "protocol", .number = IPPROTO_TCP},
                        {"saddr", 0, is_v6 ? (const uint8_t[4]){0} : here, 4},
                        {"daddr", 0, is_v6 ? (const uint8_t[4]){0} : there, 4},
                        {"saddr_v6", 0, local, 16},
                        {"daddr_v6", 0, remote, 16},
                        {.name = NULL}};
    say(m, "inet_sock_set_state", &states[kernel], v);
    v[1].number = SYN_SENT;
    v[2].number = ESTABLISHED;
    v[3].number = 40000;
    say(m, "inet_sock_set_state", &states[kernel], v);
    say(m, "tcp_retransmit_skb", &retransmits[kernel], v);
}

static void play_v4(struct sample_maker *m, unsigned kernel)
{
    play_connection(m, kernel, false);
}

static void play_v6(struct sample_maker *m, unsigned kernel)
{
    play_connection(m, kernel, true);
}

static void connections_are_alike(void **state)
{
    (void)state;
    check(&(struct story){DOMAIN_NETWORK, 2, 3, play_v4});
    check(&(struct story){DOMAIN_NETWORK, 2, 3, play_v6});
}

/* ---- what is not there ----------------------------------------------------------------------- */

/* A field that an event cannot do without: the sentence names it. */
static void what_is_missing_is_named(void **state)
{
    (void)state;
    static const struct kernel odd = {"?", {{"char comm[16]", 8, 16}, {"pid_t pid", 24, 4}}};
    struct sample_maker *const m = made_new(DOMAIN_SWITCH);
    char *const text = format_of(&odd, "sched_switch");
    struct sample_layout layout;
    struct err err;
    assert_false(format_layout(text, made_event(m, "sched_switch"), &layout, &err));
    assert_string_equal(err.text, "sched:sched_switch of this kernel has no field prev_pid");
    free(text);
    made_free(m);
}

/* All fields of a format text, and how events that describe themselves have them. */
static void all_fields_are_listed(void **state)
{
    static const char text[] =
        "name: made\nID: 7\nformat:\n"
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
        "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
        "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
        "\tfield:const char * name;\toffset:32;\tsize:8;\tsigned:0;\n"
        "\tfield:unsigned long args[6];\toffset:40;\tsize:48;\tsigned:0;\n"
        "\tfield:__u8 saddr[28];\toffset:88;\tsize:28;\tsigned:0;\n"
        "\tfield:__data_loc char[] path;\toffset:116;\tsize:4;\tsigned:0;\n"
        "\tfield:__data_loc u8[] blob;\toffset:120;\tsize:4;\tsigned:0;\n"
        "\tfield:__rel_loc char[] late;\toffset:124;\tsize:4;\tsigned:0;\n"
        "\tfield:bool is;\toffset:128;\tsize:1;\tsigned:0;\n"
        "\tfield:struct odd thing;\toffset:129;\tsize:12;\tsigned:0;\n"
        "\tfield:;\toffset:1;\tsize:1;\tsigned:0;\n"
        "\tfield:int far;\toffset:99999;\tsize:4;\tsigned:1;\n"
        "\tfield:int cut"
        "\n\nprint fmt: \"field:int no;\toffset:1;\tsize:4;\tsigned:1;\", REC->pid\n";
    static const struct {
        const char *name, *type, *travels;
        uint32_t offset;
    } expected[] = {
        {"comm", "char", "text", 8},
        {"pid", "pid_t", "i32", 24},
        {"name", "const char *", "hex64", 32},
        {"args", "unsigned long", "u64[6]", 40},
        {"saddr", "__u8", "bytes", 88},
        {"path", "char", "text", 116},
        {"blob", "u8", "bytes", 120},
        {"late", "char", "text", 124},
        {"is", "bool", "u8", 128},
        {"thing", "struct odd", "bytes", 129},
    };
    const char *at = text;
    struct format_item f;
    char type[32];
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(format_next(&at, &f));
        tracepoint_type(&f, type, sizeof type);
        assert_string_equal(f.name, expected[i].name);
        assert_string_equal(f.type, expected[i].type);
        assert_string_equal(type, expected[i].travels);
        assert_int_equal(f.offset, expected[i].offset);
    }
    assert_false(format_next(&at, &f));
    const struct guid one = tracepoint_provider("sched"), other = tracepoint_provider("signal");
    assert_false(guid_equal(&one, &other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_are_alike),    cmocka_unit_test(reads_are_alike),
        cmocka_unit_test(connections_are_alike), cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(all_fields_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
