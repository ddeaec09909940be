/* Unwinding without frame pointers: rules out of tables, steps out of rules, and this program's
 * own stack against the addresses that its functions return to. */
#include "tests/test.h"

#include "collectors/linux/unwind/maps.h"
#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/symbol/elf_file.h"
#include "src/symbol/unwind.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <ucontext.h>
#include <unistd.h>

enum { CODE = 0x1000, SECTION = 0x8000, STACK = 0x7000 };

/* ---- a table by hand ------------------------------------------------------------------------- */

/* push %rbp at 1, sub $0x20 at 5, restored at 0x30; pointers are plain, of 8 bytes. */
static const uint8_t plain[] = {
    0x14, 0,    0,    0,    0,    0, 0, 0,    1,    'z',  'R',  0, 1, 0x78, 16, 1, 0x00, /* CIE: -8,
                                                                                            pc in 16
                                                                                          */
    0x0c, 7,    8,    0x90, 1,    0, 0, /* cfa = sp + 8, pc at -8 */
    0x27, 0,    0,    0,    0x1c, 0, 0, 0,    0x00, 0x10, 0,    0, 0, 0,    0,  0, 0x40, 0,
    0,    0,    0,    0,    0,    0, 0, 0x41, 0x0e, 16,   0x86, 2, /* 1: cfa = sp + 16, bp at -16 */
    0x44, 0x0e, 48,                                                /* 5: cfa = sp + 48 */
    0x0a, 0x6b, 0x0e, 8,             /* 0x30: put aside, cfa = sp + 8 */
    0xc6, 0x41, 0x0b, 0,    0,    0, /* bp is the caller's; 0x31: as put aside */
    0,
};

static struct unwind_table *table_of(const uint8_t *bytes, size_t count)
{
    return unwind_table_new(mem_copy(bytes, count), count, SECTION);
}

static enum unwind_found find(void *table, uint64_t address, struct unwind_rule *out)
{
    if (address < CODE || address >= CODE + 0x100)
        return UNWIND_NOWHERE;
    return unwind_table_find(table, address, out) ? UNWIND_RULE : UNWIND_BARE;
}

static void rules_change_with_the_code(void **state)
{
    (void)state;
    static const struct {
        uint64_t at;
        int64_t frame;
        unsigned bp;
    } cases[] = {
        {0, 8, UNWIND_SAME},      {1, 16, UNWIND_SAVED},    {4, 16, UNWIND_SAVED},
        {5, 48, UNWIND_SAVED},    {0x2f, 48, UNWIND_SAVED}, {0x30, 8, UNWIND_SAME},
        {0x31, 48, UNWIND_SAVED}, {0x3f, 48, UNWIND_SAVED},
    };
    struct unwind_table *const t = table_of(plain, sizeof plain);
    struct unwind_rule r;
    assert_non_null(t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(unwind_table_find(t, CODE + cases[i].at, &r));
        assert_int_equal(r.frame.how, UNWIND_REGISTER);
        assert_int_equal(r.frame.reg, UNWIND_SP);
        assert_int_equal(r.frame.offset, cases[i].frame);
        assert_int_equal(r.of[UNWIND_BP].how, cases[i].bp);
        assert_int_equal(r.of[UNWIND_PC].how, UNWIND_SAVED);
        assert_int_equal(r.of[UNWIND_PC].offset, -8);
    }
    assert_false(unwind_table_find(t, CODE - 1, &r));
    assert_false(unwind_table_find(t, CODE + 0x40, &r));
    unwind_table_free(t);
}

static struct unwind_state state_at(uint64_t pc, const uint64_t *stack, size_t words)
{
    struct unwind_state s = {.stack = (const uint8_t *)stack,
                             .stack_bytes = 8 * words,
                             .stack_at = STACK,
                             .known = (1u << UNWIND_REGISTERS) - 1};
    s.registers[UNWIND_PC] = pc;
    s.registers[UNWIND_SP] = STACK;
    return s;
}

static void steps_end_where_they_must(void **state)
{
    (void)state;
    struct unwind_table *const t = table_of(plain, sizeof plain);
    uint64_t out[UNWIND_FRAMES], stack[4096] = {0};
    enum unwind_end end;
    /* From behind the prologue: 48 bytes, then from the first instruction: 8. */
    stack[4] = 0xb9;
    stack[5] = CODE + 1;
    stack[6] = 1; /* bp of the caller's caller */
    stack[7] = 0; /* which nobody called */
    struct unwind_state s = state_at(CODE + 0x10, stack, 4096);
    assert_int_equal(unwind(&s, find, t, out, 16, &end), 2);
    assert_int_equal(end, UNWIND_STUCK); /* CODE + 0 (one before the return): cfa = sp + 8 */
    assert_int_equal(out[0], CODE + 0x10);
    assert_int_equal(out[1], CODE + 1);
    /* … and the caller, at the top of its code, is called from 0. */
    stack[6] = 0;
    s = state_at(CODE + 0x10, stack, 4096);
    assert_int_equal(unwind(&s, find, t, out, 16, &end), 2);
    assert_int_equal(end, UNWIND_AT_ROOT);
    /* The copy ends before the address that is needed. */
    s = state_at(CODE + 0x10, stack, 5);
    assert_int_equal(unwind(&s, find, t, out, 16, &end), 1);
    assert_int_equal(end, UNWIND_CUT);
    /* A function that calls itself for ever: as many as there is room for. */
    for (size_t i = 0; i < 4096; i++)
        stack[i] = CODE + 1;
    s = state_at(CODE + 1, stack, 4096);
    s.registers[UNWIND_PC] = CODE; /* cfa = sp + 8 each time */
    assert_int_equal(unwind(&s, find, t, out, UNWIND_FRAMES, &end), UNWIND_FRAMES);
    assert_int_equal(end, UNWIND_FULL);
    unwind_table_free(t);
}

/* A frame that is not outside the one before: the walk would go on for ever. */
static void circles_are_left(void **state)
{
    (void)state;
    uint8_t bytes[sizeof plain];
    uint64_t out[UNWIND_FRAMES], stack[64];
    enum unwind_end end;
    memcpy(bytes, plain, sizeof bytes);
    bytes[19] = 0; /* cfa = sp + 0 */
    struct unwind_table *const t = table_of(bytes, sizeof bytes);
    assert_non_null(t);
    for (size_t i = 0; i < 64; i++)
        stack[i] = CODE;
    struct unwind_state s = state_at(CODE, stack, 64);
    assert_int_equal(unwind(&s, find, t, out, UNWIND_FRAMES, &end), 1);
    assert_true(end == UNWIND_STUCK || end == UNWIND_CUT);
    unwind_table_free(t);
}

/* Where there is no table, frame pointers lead on. */
static void frame_pointers_lead_through_bare_code(void **state)
{
    (void)state;
    struct unwind_table *const t = table_of(plain, sizeof plain);
    uint64_t out[8], stack[16] = {0};
    enum unwind_end end;
    stack[2] = 0;
    stack[3] = CODE + 1;
    struct unwind_state s = state_at(CODE + 0x80, stack, 16);
    s.registers[UNWIND_BP] = STACK + 16;
    assert_int_equal(unwind(&s, find, t, out, 8, &end), 2);
    assert_int_equal(out[1], CODE + 1);
    assert_int_equal(end, UNWIND_AT_ROOT);
    unwind_table_free(t);
}

static void every_prefix_is_safe(void **state)
{
    (void)state;
    struct unwind_rule r;
    for (size_t count = 1; count <= sizeof plain; count++) {
        struct unwind_table *const t = table_of(plain, count);
        for (uint64_t at = 0; t && at < 0x50; at++)
            unwind_table_find(t, CODE + at, &r);
        unwind_table_free(t);
    }
}

/* ---- our own stack --------------------------------------------------------------------------- */

struct own {
    struct elf_file *file;
    struct unwind_table *table;
    uint64_t base, offset, end;
};

static enum unwind_found find_own(void *own, uint64_t address, struct unwind_rule *out)
{
    const struct own *const o = own;
    uint64_t in_file;
    if (address < o->base || address >= o->end)
        return UNWIND_NOWHERE;
    if (!elf_file_address(o->file, address - o->base + o->offset, &in_file))
        return UNWIND_BARE;
    return unwind_table_find(o->table, in_file, out) ? UNWIND_RULE : UNWIND_BARE;
}

/* The executable part of this program. */
static bool open_own(struct own *o)
{
    char line[512], path[256];
    FILE *const f = fopen("/proc/self/maps", "re");
    size_t bytes;
    uint64_t address;
    const uint64_t here = (uint64_t)(uintptr_t)&open_own;
    bool is_found = false;
    while (f && !is_found && fgets(line, sizeof line, f))
        is_found = sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &o->base, &o->end, &o->offset,
                          path) == 4 &&
                   here >= o->base && here < o->end;
    if (f)
        fclose(f);
    const int fd = is_found ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : -1;
    o->file = fd < 0 ? NULL : elf_file_open(fd, "this program", NULL);
    uint8_t *const frames = o->file ? elf_file_unwind(o->file, &bytes, &address) : NULL;
    o->table = frames ? unwind_table_new(frames, bytes, address) : NULL;
    return o->table != NULL;
}

struct seen {
    struct own own;
    uint64_t returns[4]; /* of each function, innermost first */
    uint64_t frames[64];
    unsigned count;
};

#define APART __attribute__((noinline, no_sanitize("address")))

/* The registers as getcontext() leaves them are those of this function. */
APART static void innermost(struct seen *s)
{
    static const uint8_t places[UNWIND_REGISTERS] = {
        REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
        REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    ucontext_t c;
    enum unwind_end end;
    static uint8_t copy[3000]; /* there is as much above: cmocka's */
    s->returns[0] = (uint64_t)(uintptr_t)__builtin_return_address(0);
    getcontext(&c);
    struct unwind_state u = {.known = (1u << UNWIND_REGISTERS) - 1, .stack = copy};
    for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
        u.registers[i] = (uint64_t)c.uc_mcontext.gregs[places[i]];
    u.stack_at = u.registers[UNWIND_SP];
    u.stack_bytes = sizeof copy;
    const uint8_t *const from = (const uint8_t *)(uintptr_t)u.stack_at;
    for (size_t i = 0; i < sizeof copy; i++)
        copy[i] = ((const volatile uint8_t *)from)[i];
    s->count = unwind(&u, find_own, &s->own, s->frames, 64, &end);
}

APART static void middle(struct seen *s, volatile char *room)
{
    char large[1000];
    s->returns[1] = (uint64_t)(uintptr_t)__builtin_return_address(0);
    memset(large, *room, sizeof large);
    innermost(s);
    *room = large[*room & 7];
}

APART static void outer(struct seen *s, unsigned n)
{
    volatile char *const room =
        __builtin_alloca(64 + n); /* its size is not known: there must be a frame pointer */
    s->returns[2] = (uint64_t)(uintptr_t)__builtin_return_address(0);
    room[0] = 0;
    middle(s, room);
    room[n] = 1;
}

static void our_own_stack_is_unwound(void **state)
{
    (void)state;
    struct utsname u;
    static struct seen s;
    if (!elf_file_is_built_in() || uname(&u) != 0 || strcmp(u.machine, "x86_64") != 0)
        skip_for("built without elfutils, or not for x86_64");
    assert_true(open_own(&s.own));
    outer(&s, 8 + (unsigned)getpid() % 8);
    assert_true(s.count >= 4);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(s.frames[i + 1], s.returns[i]);
    unwind_table_free(s.own.table);
    elf_file_close(s.own.file);
}

/* All that a compiler has written can be read, at each address. */
static void all_of_our_rules_can_be_had(void **state)
{
    (void)state;
    static struct own o;
    struct unwind_rule r;
    unsigned found = 0, all = 0;
    if (!elf_file_is_built_in() || !open_own(&o))
        skip_for("built without elfutils (package libdw-dev), or no eh_frame of our own");
    uint64_t first;
    assert_true(elf_file_address(o.file, o.offset, &first));
    for (uint64_t at = 0; at < o.end - o.base; at += 16, all++)
        found += unwind_table_find(o.table, first + at, &r) && r.of[UNWIND_PC].how == UNWIND_SAVED;
    assert_true(found > all / 4 * 3);
    unwind_table_free(o.table);
    elf_file_close(o.file);
}

/* ---- modules that come and go ---------------------------------------------------------------- */

/* A module that no other process has, at the given place of those in its memory. */
static void map_own_module(struct unwind_maps *m, uint32_t pid, uint32_t number, unsigned place)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/module-%u", number);
    unwind_maps_add(m, &(struct unwind_mapping){.pid = pid,
                                                .base = 0x400000 + place * UINT64_C(0x10000),
                                                .size = 0x1000,
                                                .dev = 1,
                                                .inode = number,
                                                .path = path,
                                                .path_bytes = strlen(path)});
}

static size_t after_processes(struct unwind_maps *m, uint32_t *number, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const uint32_t pid = 1000 + *number % 50;
        unwind_maps_exec(m, pid);
        map_own_module(m, pid, (*number)++, 0);
        unwind_maps_exit(m, pid);
    }
    return unwind_maps_bytes(m);
}

static void modules_of_ended_processes_make_room(void **state)
{
    (void)state;
    enum { LIVING = 3000, PID = 100 };
    struct unwind_maps *const m = unwind_maps_new(4 << 20);
    uint32_t number = 0;
    assert_non_null(m);
    const size_t few = after_processes(m, &number, 2000);
    assert_int_equal(after_processes(m, &number, 50000), few);
    unwind_maps_exec(m, PID);
    for (unsigned i = 0; i < LIVING; i++)
        map_own_module(m, PID, number++, i);
    const size_t many = after_processes(m, &number, 20000);
    assert_true(many > few); /* the living have places of their own */
    assert_int_equal(after_processes(m, &number, 50000), many);
    unwind_maps_free(m);
}

/* ---- bytes of tables ------------------------------------------------------------------------- */

enum { CODE_MOST = 64 };

/* Where each executable mapping of this process begins. */
static unsigned find_code(uint64_t out[CODE_MOST])
{
    FILE *const f = fopen("/proc/self/maps", "re");
    char line[4352], rights[5];
    unsigned long long begin, end;
    unsigned count = 0;
    assert_non_null(f);
    while (count < CODE_MOST && fgets(line, sizeof line, f))
        if (sscanf(line, "%llx-%llx %4s", &begin, &end, rights) == 3 && rights[2] == 'x' &&
            end <= INT64_MAX)
            out[count++] = begin + (end - begin) / 2;
    fclose(f);
    return count;
}

struct read_tables {
    size_t most; /* bytes of tables that were there at once */
    unsigned rules;
};

/* Looks twice for a rule at each place, `step` apart, with so many bytes for tables. */
static struct read_tables read_tables(const uint64_t *code, unsigned count, size_t bytes,
                                      int64_t step)
{
    struct read_tables r = {0, 0};
    struct unwind_maps *const m = unwind_maps_new(bytes);
    assert_non_null(m);
    assert_true(unwind_maps_choose(m, (uint32_t)getpid(), 0));
    const size_t without = unwind_maps_bytes(m);
    for (unsigned i = 0; i < 2 * count; i++) {
        struct unwind_rule rule;
        assert_true(unwind_maps_choose(m, (uint32_t)getpid(), 1 + i * step));
        r.rules += unwind_maps_find(m, code[i % count], &rule) == UNWIND_RULE;
        const size_t now = unwind_maps_bytes(m) - without;
        r.most = now > r.most ? now : r.most;
    }
    unwind_maps_free(m);
    return r;
}

static void tables_stay_within_their_bytes(void **state)
{
    (void)state;
    uint64_t code[CODE_MOST];
    struct utsname u;
    if (!elf_file_is_built_in() || uname(&u) != 0 || strcmp(u.machine, "x86_64") != 0)
        skip_for("built without elfutils (package libdw-dev), or not for x86_64");
    const unsigned count = find_code(code);
    const struct read_tables all = read_tables(code, count, SIZE_MAX, 1);
    assert_true(all.rules >= 4); /* this program and a library, twice */
    /* One that rests must go, and is read again when it is needed. */
    const struct read_tables fewer = read_tables(code, count, all.most - 1, 3000000000);
    assert_in_range(fewer.most, 1, all.most - 1);
    assert_int_equal(fewer.rules, all.rules);
    /* None rests: the last one is not kept. */
    const struct read_tables busy = read_tables(code, count, all.most - 1, 1);
    assert_in_range(busy.most, 1, all.most - 1);
    assert_in_range(busy.rules, 2, all.rules - 2);
    /* What is larger than all room is not kept. */
    const struct read_tables none = read_tables(code, count, 1, 3000000000);
    assert_int_equal(none.most, 0);
    assert_int_equal(none.rules, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_change_with_the_code),
        cmocka_unit_test(steps_end_where_they_must),
        cmocka_unit_test(circles_are_left),
        cmocka_unit_test(frame_pointers_lead_through_bare_code),
        cmocka_unit_test(every_prefix_is_safe),
        cmocka_unit_test(our_own_stack_is_unwound),
        cmocka_unit_test(all_of_our_rules_can_be_had),
        cmocka_unit_test(modules_of_ended_processes_make_room),
        cmocka_unit_test(tables_stay_within_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
