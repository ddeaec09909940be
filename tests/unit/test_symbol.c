/* Symbols: what is asked is answered once, what cannot be proved has no name, and nobody waits. */
#include "tests/test.h"

#include "src/os/os.h"
#include "src/symbol/names.h"
#include "src/symbol/symbol.h"
#include "src/symbol/symbol_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ------------------------------------------------------------------------------ */

static void add(struct symbol_table *t, uint64_t start, uint64_t size, const char *name)
{
    symbol_table_add(t, start, size, name, strlen(name));
}

static const char *at(const struct symbol_table *t, uint64_t address)
{
    static struct symbol_found found;
    return symbol_table_find(t, address, &found) ? found.name : "-";
}

static void tables_find_what_covers(void **state)
{
    (void)state;
    struct symbol_table t = {0};
    assert_string_equal(at(&t, 0), "-");
    add(&t, 0x300, 0x10, "third");
    add(&t, 0x100, 0x100, "first");
    add(&t, 0x140, 0x10, "inside");
    add(&t, 0x300, 0, "alias");
    add(&t, 0x300, 0x10, "another");
    add(&t, 0x400, 0, "open");
    add(&t, 0x500, 0, "last");
    t.end = 0x600;
    symbol_table_finish(&t);
    assert_int_equal(t.count, 5);
    assert_string_equal(at(&t, 0xff), "-");
    assert_string_equal(at(&t, 0x100), "first");
    assert_string_equal(at(&t, 0x14f), "inside");
    assert_string_equal(at(&t, 0x150), "first"); /* what lies within has ended */
    assert_string_equal(at(&t, 0x1ff), "first");
    assert_string_equal(at(&t, 0x200), "-"); /* never the nearest */
    assert_string_equal(at(&t, 0x300), "third");
    assert_string_equal(at(&t, 0x310), "-");
    assert_string_equal(at(&t, 0x4ff), "open");
    assert_string_equal(at(&t, 0x5ff), "last");
    assert_string_equal(at(&t, 0x600), "-");
    symbol_table_fini(&t);
    /* Without an end, what has no size covers nothing. */
    add(&t, 0x10, 0, "a");
    add(&t, 0x20, 0, "b");
    symbol_table_finish(&t);
    assert_string_equal(at(&t, 0x10), "-");
    symbol_table_fini(&t);
}

static void long_names_are_cut(void **state)
{
    (void)state;
    struct symbol_table t = {0};
    char name[3 * SYMBOL_NAME_MAX];
    memset(name, 'x', sizeof name);
    symbol_table_add(&t, 0, 8, name, sizeof name);
    symbol_table_add(&t, 8, 8, name, 0);
    symbol_table_finish(&t);
    assert_int_equal(t.count, 1);
    assert_int_equal(strlen(at(&t, 0)), SYMBOL_NAME_MAX - 1);
    symbol_table_fini(&t);
}

/* ---- questions ----------------------------------------------------------------------------- */

/* Waits until nothing is on its way. */
static void settle(struct symbols *s)
{
    const int64_t until = os_now() + PATIENCE_NS;
    for (;;) {
        symbols_take(s);
        const struct symbol_figures f = symbols_figures(s);
        if (f.asked == f.answered)
            return;
        assert_true(os_now() < until);
        os_sleep(1000000);
    }
}

static void images_are_distinguished(void **state)
{
    (void)state;
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    struct symbol_image i = {.system = SYMBOL_OF_ELF,
                             .path = "/none",
                             .build_bytes = 4,
                             .build = {1, 2, 3, 4},
                             .is_live = true,
                             .pid = 7,
                             .base = 0x1000};
    const uint32_t one = symbols_image(s, &i);
    i.pid = 8; /* the same file for everybody, wherever it lies */
    i.base = 0x2000;
    assert_int_equal(symbols_image(s, &i), one);
    i.build[3] = 5;
    const uint32_t two = symbols_image(s, &i);
    assert_int_not_equal(two, one);
    i.build_bytes = 0; /* nothing says that it is the same for another process */
    const uint32_t three = symbols_image(s, &i);
    i.pid = 9;
    assert_int_not_equal(symbols_image(s, &i), three);
    i.path = "/other";
    assert_int_equal(symbols_image(s, &i), 5);
    symbols_free(s);
}

static void what_is_not_there_is_known_once(void **state)
{
    (void)state;
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    const uint32_t i =
        symbols_image(s, &(struct symbol_image){.system = SYMBOL_OF_KERNEL, .path = "[nowhere]"});
    assert_int_equal(symbols_at(s, i, 8).state, SYMBOL_ASKED);
    assert_int_equal(symbols_at(s, i, 8).state, SYMBOL_ASKED);
    assert_int_equal(symbols_figures(s).asked, 1);
    settle(s);
    assert_int_equal(symbols_at(s, i, 8).state, SYMBOL_NONE);
    assert_int_equal(symbols_at(s, 0, 8).state, SYMBOL_NONE);
    assert_int_equal(symbols_at(s, i + 1, 8).state, SYMBOL_NONE);
    assert_int_equal(symbols_figures(s).asked, 1);
    assert_int_equal(symbols_figures(s).version, 0);
    symbols_free(s);
}

/* More than can wait is put off, not waited for, and answered when it is met again. */
static void a_flood_is_put_off(void **state)
{
    (void)state;
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    const uint32_t i =
        symbols_image(s, &(struct symbol_image){.system = SYMBOL_OF_KERNEL, .path = "[nowhere]"});
    enum { MANY = SYMBOL_WAITING + 1000 };
    for (uint64_t at = 0; at < MANY; at++)
        symbols_at(s, i, at);
    assert_int_equal(symbols_figures(s).asked, SYMBOL_WAITING);
    assert_int_equal(symbols_figures(s).put_off, 1000);
    settle(s);
    for (uint64_t at = 0; at < MANY; at++)
        symbols_at(s, i, at);
    settle(s);
    assert_int_equal(symbols_figures(s).asked, MANY);
    for (uint64_t at = 0; at < MANY; at++)
        assert_int_equal(symbols_at(s, i, at).state, SYMBOL_NONE);
    symbols_free(s);
}

static void ending_with_questions_open_is_clean(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 20; n++) {
        struct symbols *const s = symbols_new(&(struct symbol_options){0});
        const uint32_t i = symbols_image(
            s, &(struct symbol_image){.system = SYMBOL_OF_KERNEL, .path = "[nowhere]"});
        for (uint64_t at = 0; at < 700 * n; at++)
            symbols_at(s, i, at);
        struct symbol_line lines[SYMBOL_INLINED];
        enum symbol_state is;
        assert_int_equal(symbols_lines(s, i, 1, lines, &is), 0);
        symbols_free(s);
    }
}

/* A week of programs and modules that come and go: the table of images is full many times. The
 * number of one that is met again and again stays, each newcomer gets one of its own, is asked and
 * answered, and the number of one that has gone means nothing any more. */
static void images_that_nobody_meets_make_room(void **state)
{
    (void)state;
    enum { MANY = 3 * SYMBOL_IMAGES, BETWEEN = 1000 };
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    struct symbol_image i = {.system = SYMBOL_OF_ELF, .path = "/none", .build_bytes = 8};
    uint32_t last = 0, first = 0;
    const uint32_t met = symbols_image(
        s, &(struct symbol_image){.system = SYMBOL_OF_KERNEL, .path = "[nowhere]"});
    for (uint32_t n = 1; n <= MANY; n++) {
        memcpy(i.build, &n, sizeof n);
        const uint32_t number = symbols_image(s, &i);
        assert_true(number > last); /* never 0, never given before */
        assert_int_equal(symbols_image(s, &i), number);
        last = number;
        first = first ? first : number;
        if (n % BETWEEN)
            continue;
        assert_int_equal(symbols_at(s, number, n).state, SYMBOL_ASKED);
        settle(s);
        assert_int_equal(symbols_at(s, number, n).state, SYMBOL_NONE);
        assert_int_not_equal(symbols_origin(s, number).why[0], '\0');
        assert_true(symbols_has_image(s, met));
        assert_int_equal(symbols_image(s, &(struct symbol_image){.system = SYMBOL_OF_KERNEL,
                                                                 .path = "[nowhere]"}),
                         met);
    }
    assert_false(symbols_has_image(s, first));
    assert_int_equal(symbols_at(s, first, 8).state, SYMBOL_NONE);
    assert_string_equal(symbols_origin(s, first).why, "");
    assert_true(symbols_figures(s).recycled >= MANY - SYMBOL_IMAGES);
    symbols_free(s);
}

/* A pid comes back for another process, whose code is another's. */
static void code_of_processes_is_distinguished(void **state)
{
    (void)state;
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    struct symbol_image i = {.system = SYMBOL_OF_JIT, .is_live = true, .pid = 7, .process = 1};
    const uint32_t one = symbols_image(s, &i);
    assert_int_equal(symbols_image(s, &i), one);
    i.process = 2;
    assert_int_not_equal(symbols_image(s, &i), one);
    symbols_free(s);
}

/* ---- texts --------------------------------------------------------------------------------- */

static void name_texts(char *out, size_t room, unsigned n)
{
    snprintf(out, room, "function_%u", n);
}

/* The room is full many times: whoever was met lately stays under his number, nobody's number is
 * given to another, and the room holds. */
static void texts_that_nobody_meets_make_room(void **state)
{
    (void)state;
    enum { ROOM = 64 << 10, MANY = 200000, MET = 16, BETWEEN = 512 };
    struct symbol_names names;
    char text[64];
    uint32_t met[MET], last = 0;
    symbol_names_init(&names, ROOM);
    for (unsigned n = 0; n < MANY; n++) {
        name_texts(text, sizeof text, n);
        const uint32_t number = symbol_names_add(&names, text);
        assert_true(number > last);
        assert_int_equal(symbol_names_add(&names, text), number);
        assert_string_equal(symbol_names_text(&names, number), text);
        assert_true(names.bytes <= ROOM);
        if (n < MET)
            met[n] = number;
        else if (n % BETWEEN == 0)
            for (unsigned k = 0; k < MET; k++) {
                name_texts(text, sizeof text, k);
                assert_non_null(symbol_names_text(&names, met[k]));
                assert_string_equal(symbol_names_text(&names, met[k]), text);
            }
        if (n > ROOM + MET) /* more names ago than there are bytes of room */
            assert_null(symbol_names_text(&names, number - ROOM));
        last = number;
    }
    assert_true(names.recycled > MANY / 2);
    assert_true(names.number_of.count < ROOM / sizeof "function_");
    assert_null(symbol_names_text(&names, 0));
    assert_null(symbol_names_text(&names, last + 1));
    symbol_names_fini(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_find_what_covers),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(images_are_distinguished),
        cmocka_unit_test(what_is_not_there_is_known_once),
        cmocka_unit_test(images_that_nobody_meets_make_room),
        cmocka_unit_test(code_of_processes_is_distinguished),
        cmocka_unit_test(texts_that_nobody_meets_make_room),
        cmocka_unit_test(a_flood_is_put_off),
        cmocka_unit_test(ending_with_questions_open_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
