/* The line format, and the table of settings. */
#include "tests/test.h"

#include "ui/config/item.h"
#include "ui/config/keys.h"
#include "ui/config/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(x) (sizeof(x) / sizeof *(x))

/* ---- lines --------------------------------------------------------------------------------- */

/* What a text says, as "section.key=value;" and "!line;" for what is wrong. */
static void read_text(const char *text, size_t bytes, char *out, size_t room)
{
    char *const copy = malloc(bytes + !bytes); /* exact: a sanitizer sees one byte too far */
    memcpy(copy, text, bytes);
    struct item_reader r = item_reader(copy, bytes);
    size_t used = 0;
    out[0] = '\0';
    for (;;) {
        const enum item_kind kind = item_next(&r);
        if (kind == ITEM_END)
            break;
        assert_true(used < room);
        if (kind == ITEM_PAIR)
            used +=
                (size_t)snprintf(out + used, room - used, "%s.%s=%s;", r.section, r.key, r.value);
        if (kind == ITEM_WRONG)
            used += (size_t)snprintf(out + used, room - used, "!%u;", r.line);
    }
    free(copy);
}

static void lines_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", ""},
        {"\n\n", ""},
        {"# a comment\n[ui]\ntime = utc\n", "ui.time=utc;"},
        {"\xef\xbb\xbf[ui]\r\ntime=utc\r\n", "ui.time=utc;"},
        {"[ui]\n  time  =  utc   # so\n", "ui.time=utc;"},
        {"[p]\ncolor = #fff\n", "p.color=#fff;"},
        {"[k]\nfilter = name=a.exe\n", "k.filter=name=a.exe;"},
        {"[k]\nempty =\n", "k.empty=;"},
        {"[k\nx = 1\n", "!1;.x=1;"},
        {"nothing\n= 1\na = 1", "!1;!2;.a=1;"},
        {"[]\na = 1", ".a=1;"},
        {"]\n[\n", "!1;!2;"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char found[256];
        read_text(cases[i].text, strlen(cases[i].text), found, sizeof found);
        if (strcmp(found, cases[i].said) != 0)
            fail_msg("line %zu: expected %s, found %s", i, cases[i].said, found);
        for (size_t bytes = 0; bytes < strlen(cases[i].text); bytes++)
            read_text(cases[i].text, bytes, found, sizeof found);
    }
    char found[64];
    read_text("a\0b = 1\nc = 2\n", 14, found, sizeof found);
    assert_string_equal(found, "!1;.c=2;");
}

static void lines_too_long_are_wrong(void **state)
{
    (void)state;
    for (size_t length = ITEM_LINE - 2; length <= ITEM_LINE + 1; length++) {
        char text[ITEM_LINE + 8];
        memset(text, 'x', length);
        memcpy(text, "k = ", 4);
        struct item_reader r = item_reader(text, length);
        assert_int_equal(item_next(&r), length < ITEM_LINE ? ITEM_PAIR : ITEM_WRONG);
        assert_int_equal(item_next(&r), ITEM_END);
    }
}

static void items_are_set_and_the_rest_stays(void **state)
{
    (void)state;
    static const struct {
        const char *before, *section, *key, *value, *after;
    } cases[] = {
        {"", "ui", "time", "utc", "[ui]\ntime = utc\n"},
        {"# mine\n[ui]\ntime = local   # why not\n\n[keys]\nopen = Enter\n", "ui", "time", "utc",
         "# mine\n[ui]\ntime = utc   # why not\n\n[keys]\nopen = Enter\n"},
        {"[ui]\ntime=local\n", "ui", "time", "rel", "[ui]\ntime= rel\n"},
        {"[ui]\nodd thing\nunknown = 1\n\n# of keys\n[keys]\n", "ui", "time", "rel",
         "[ui]\nodd thing\nunknown = 1\ntime = rel\n\n# of keys\n[keys]\n"},
        {"[ui]\nmouse = no", "ui", "time", "rel", "[ui]\nmouse = no\ntime = rel\n"},
        {"[ui]\ntime = # none\n", "ui", "time", "rel", "[ui]\ntime = rel # none\n"},
        {"[ui]\ntime =\n", "ui", "time", "rel", "[ui]\ntime = rel\n"},
        {"[ui]\r\ntime = local\r\n", "ui", "time", "rel", "[ui]\r\ntime = rel\r\n"},
        {"[ui]\ntime = local", "ui", "time", "rel", "[ui]\ntime = rel"},
        {"[keys]\ntime = Z\n", "ui", "time", "rel", "[keys]\ntime = Z\n\n[ui]\ntime = rel\n"},
        {"[ui]\ntime = local\nmouse = no\n", "ui", "time", NULL, "[ui]\nmouse = no\n"},
        {"[ui]\ntime = local\ntime = utc\n", "ui", "time", "rel",
         "[ui]\ntime = local\ntime = rel\n"},
        {"[ui]\n", "ui", "time", NULL, "[ui]\n"},
        {"\xef\xbb\xbf[ui]\ntime = utc\n", "ui", "time", "rel", "\xef\xbb\xbf[ui]\ntime = rel\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err;
        char *const after =
            item_set(cases[i].before, cases[i].section, cases[i].key, cases[i].value, &err);
        assert_non_null(after);
        if (strcmp(after, cases[i].after) != 0)
            fail_msg("%zu: expected <%s>, found <%s>", i, cases[i].after, after);
        free(after);
    }
}

static void what_no_line_can_hold_is_refused(void **state)
{
    (void)state;
    static const char *const values[] = {"a\nb", "a # b", "# a", " a", "a\r", "a "};
    for (size_t i = 0; i < COUNT(values); i++) {
        struct err err = {""};
        assert_null(item_set("", "ui", "theme", values[i], &err));
        assert_non_null(strstr(err.text, "one line"));
    }
    assert_null(item_set("", "a]\n[b", "k", "v", NULL));
    assert_null(item_set("", "a", "[k", "v]", NULL));
    assert_null(item_set("", "a", "k=l", "v", NULL));
}

static void sections_are_dropped(void **state)
{
    (void)state;
    char *out =
        item_drop_section("[ui]\na = 1\n[views.x]\npane = cpu\n# y\n[views.y]\nb = 2\n", "views.x");
    assert_string_equal(out, "[ui]\na = 1\n# y\n[views.y]\nb = 2\n");
    free(out);
    out = item_drop_section("[a]\nx = 1\n[b]\ny = 1\n[a]\nz = 1\n", "a");
    assert_string_equal(out, "[b]\ny = 1\n");
    free(out);
    out = item_drop_section("[b]\n", "a");
    assert_string_equal(out, "[b]\n");
    free(out);
}

/* ---- settings ------------------------------------------------------------------------------- */

static void the_table_is_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *const row = &settings_table[i];
        struct settings s;
        struct err err;
        assert_true(row->help && row->help[0] && row->standard && row->section[0]);
        assert_ptr_equal(setting_find(row->section, row->key), row);
        settings_default(&s);
        if (!setting_read(row, &s, row->standard, &err))
            fail_msg("%s: %s", row->key, err.text);
        char out[SETTING_ROOM];
        setting_write(row, &s, out);
        assert_string_equal(out, row->standard); /* defaults stand as they are written */
    }
}

static void values_are_read_and_written_back(void **state)
{
    (void)state;
    static const struct {
        const char *key, *text, *written; /* written NULL: refused */
    } cases[] = {
        {"time", "utc", "utc"},         {"time", "UTC", NULL},
        {"mouse", "off", "no"},         {"mouse", "1", "yes"},
        {"mouse", "maybe", NULL},       {"mouse", "", NULL},
        {"interval", "250ms", "250ms"}, {"interval", "1ms", NULL},
        {"interval", "48h", NULL},      {"interval", "90s", "90s"},
        {"interval", "x", NULL},        {"new-for", "0", "0"},
        {"exited-for", "1h", "1h"},     {"exited-for", "2h", NULL},
        {"cut-off", "2", "2%"},         {"cut-off", "80%", NULL},
        {"cut-off", "-1", NULL},        {"cut-off", "nan", NULL},
        {"theme", "light", "light"},    {"symbols", "braille", "braille"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct setting *const row = setting_find("", cases[i].key);
        struct settings s, before;
        struct err err = {""};
        char out[SETTING_ROOM];
        assert_non_null(row);
        settings_default(&s);
        before = s;
        const bool is_read = setting_read(row, &s, cases[i].text, &err);
        if (is_read != (cases[i].written != NULL))
            fail_msg("%s = %s: %s", cases[i].key, cases[i].text, err.text);
        if (!is_read) {
            assert_memory_equal(&s, &before, sizeof s);
            assert_true(err.text[0]);
            continue;
        }
        setting_write(row, &s, out);
        assert_string_equal(out, cases[i].written);
    }
}

static void texts_too_long_are_refused(void **state)
{
    (void)state;
    char text[SETTING_ROOM + 2];
    struct settings s;
    settings_default(&s);
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_false(setting_read(setting_find("ui", "theme"), &s, text, NULL));
    assert_string_equal(s.theme, "default");
    text[SETTING_ROOM - 1] = '\0';
    assert_true(setting_read(setting_find("ui", "theme"), &s, text, NULL));
}

static void turning_comes_round(void **state)
{
    (void)state;
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *const row = &settings_table[i];
        struct settings s, standard;
        settings_default(&s);
        settings_default(&standard);
        unsigned turns = 0;
        while (setting_turn(row, &s) && turns++ < 16)
            if (setting_equal(row, &s, &standard))
                break;
        if (row->kind == SETTING_YES)
            assert_int_equal(turns, 2);
        else if (row->kind == SETTING_CHOICE)
            assert_true(turns >= 2 && turns < 16);
        else
            assert_int_equal(turns, 0);
    }
}

/* ---- keys ------------------------------------------------------------------------------------ */

static const struct binding *does(const struct keys *k, unsigned context, const char *name)
{
    struct key key;
    assert_true(key_parse(name, &key));
    return keys_find(k, context, &key);
}

static bool is_command(const struct binding *b, const char *name)
{
    return b && strcmp(b->name, name) == 0;
}

static void keys_are_given(void **state)
{
    (void)state;
    struct keys *const k = keys_new();
    struct err err;
    assert_true(keys_set(k, "freeze", "t, C-f Comma", &err));
    assert_string_equal(keys_of(k, keys_command("freeze")), "t C-f ,");
    assert_true(keys_are_own(k, keys_command("freeze")));
    assert_true(is_command(does(k, CONTEXT_TABLE, "t"), "freeze"));
    assert_true(is_command(does(k, CONTEXT_TABLE, ","), "freeze"));
    assert_null(does(k, CONTEXT_TABLE, "Z"));
    assert_true(is_command(does(NULL, CONTEXT_TABLE, "t"), "tree"));
    /* The tree has lost its letter, and says to whom; F5 is left to it. */
    char said[128];
    assert_int_equal(keys_conflicts(k, keys_command("tree"), said, sizeof said), 1);
    assert_string_equal(said, "t: freeze");
    assert_true(is_command(does(k, CONTEXT_TABLE, "F5"), "tree"));
    assert_true(keys_set(k, "tree", "none", &err));
    assert_null(does(k, CONTEXT_TABLE, "F5"));
    assert_int_equal(keys_conflicts(k, keys_command("tree"), said, sizeof said), 0);
    keys_free(k);
}

/* What the key bar asks in each frame, in a place, elsewhere, and after a change. */
static void first_keys_follow_changes(void **state)
{
    (void)state;
    struct keys *const k = keys_new();
    struct err err;
    struct key key;
    char name[KEY_NAME];
    const struct binding *const tree = keys_command("tree");
    for (int twice = 0; twice < 2; twice++) {
        assert_true(keys_first(k, CONTEXT_TABLE, tree, false, &key));
        assert_string_equal(key_text(&key, name), "t");
        assert_true(keys_first(k, CONTEXT_TABLE, tree, true, &key));
        assert_string_equal(key_text(&key, name), "F5");
        assert_false(keys_first(k, CONTEXT_CHOOSER, tree, false, &key));
        assert_true(keys_first(NULL, CONTEXT_TABLE, tree, false, &key));
    }
    assert_true(keys_first(k, CONTEXT_TABLE, tree, false, &key));
    assert_true(keys_set(k, "freeze", "t", &err));
    assert_false(keys_first(k, CONTEXT_TABLE, tree, false, &key));
    assert_true(keys_first(k, CONTEXT_TABLE, keys_command("freeze"), false, &key));
    assert_string_equal(key_text(&key, name), "t");
    keys_free(k);
}

/* The ids that charts had once, which configurations may have. */
static void former_ids_are_accepted(void **state)
{
    (void)state;
    struct keys *const k = keys_new();
    struct err err;
    assert_true(keys_set(k, "picture", "Z", &err));
    assert_string_equal(keys_of(k, keys_command("chart")), "Z");
    assert_true(keys_set(k, "picture-measure-prev", "J", &err));
    assert_string_equal(keys_of(k, keys_command("chart-measure-prev")), "J");
    assert_true(keys_set(k, "chart-go", "none", &err));
    assert_string_equal(keys_of(k, keys_command("chart-go")), "");
    assert_null(keys_command("picture"));
    assert_false(keys_set(k, "picture-nothing", "J", &err));
    assert_non_null(strstr(err.text, "picture-nothing"));
    assert_false(keys_set(k, "pictures", "J", &err));
    keys_free(k);
}

static void typed_text_stays_text(void **state)
{
    (void)state;
    struct keys *const k = keys_new();
    struct err err;
    assert_true(keys_set(k, "quit", "e, C-x", &err));
    assert_true(is_command(does(k, CONTEXT_TABLE, "e"), "quit"));
    assert_null(does(k, CONTEXT_PROMPT, "e"));
    assert_null(does(k, CONTEXT_CHOOSER, "e"));
    assert_true(is_command(does(k, CONTEXT_PROMPT, "C-x"), "quit"));
    keys_free(k);
}

static void wrong_keys_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *command, *names, *said;
    } cases[] = {
        {"frezze", "Z", "did you mean \"freeze\""},
        {"qqqqqqqq", "Z", "tracetop keys lists them"},
        {"", "Z", "there is no command"},
        {"freeze", "", "expected keys or none"},
        {"freeze", ",, ,", "expected keys or none"},
        {"freeze", "Hyper", "unknown key \"Hyper\""},
        {"freeze", "Z C-", "unknown key"},
        {"freeze", "ThisIsNoKeyAndItIsMuchTooLongForOne", "unknown key"},
        {"freeze", "\xff", "unknown key"},
        {"freeze", "a b c d e f g h i j k l m n o p q", "at most 16"},
    };
    struct keys *const k = keys_new();
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {""};
        assert_false(keys_set(k, cases[i].command, cases[i].names, &err));
        if (!strstr(err.text, cases[i].said))
            fail_msg("%zu: expected \"%s\", found \"%s\"", i, cases[i].said, err.text);
        assert_false(keys_are_own(k, keys_command("freeze")));
    }
    keys_free(k);
}

/* Two commands that were given one key: the first has it, the second says so. */
static void one_key_for_two_commands_is_reported(void **state)
{
    (void)state;
    struct keys *const k = keys_new();
    char *text = NULL;
    size_t bytes = 0;
    FILE *const out = open_memstream(&text, &bytes);
    assert_true(keys_set(k, "freeze", "x", NULL));
    assert_true(keys_set(k, "views", "x", NULL));
    keys_print(k, out);
    fclose(out);
    const struct binding *const winner = does(k, CONTEXT_TABLE, "x");
    assert_true(is_command(winner, "views") || is_command(winner, "freeze"));
    assert_true((strstr(text, "\tx: freeze\n") != NULL) != (strstr(text, "\tx: views\n") != NULL));
    free(text);
    keys_free(k);
}

/* What the table itself says conflicts nowhere. */
static void the_table_has_no_conflicts(void **state)
{
    (void)state;
    struct keys *const k = keys_new();
    char said[128];
    for (size_t i = 0; i < keymap_count; i++)
        if (keys_conflicts(k, &keymap[i], said, sizeof said))
            fail_msg("%s: %s", keymap[i].name, said);
    keys_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read),
        cmocka_unit_test(lines_too_long_are_wrong),
        cmocka_unit_test(items_are_set_and_the_rest_stays),
        cmocka_unit_test(what_no_line_can_hold_is_refused),
        cmocka_unit_test(sections_are_dropped),
        cmocka_unit_test(the_table_is_sound),
        cmocka_unit_test(values_are_read_and_written_back),
        cmocka_unit_test(texts_too_long_are_refused),
        cmocka_unit_test(turning_comes_round),
        cmocka_unit_test(keys_are_given),
        cmocka_unit_test(first_keys_follow_changes),
        cmocka_unit_test(former_ids_are_accepted),
        cmocka_unit_test(typed_text_stays_text),
        cmocka_unit_test(wrong_keys_are_refused),
        cmocka_unit_test(one_key_for_two_commands_is_reported),
        cmocka_unit_test(the_table_has_no_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
