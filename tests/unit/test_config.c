/* The configuration file: what is understood, what is said of the rest, and how it is kept. */
#include "tests/folder.h"
#include "tests/test.h"

#include "src/command/command.h"
#include "src/command/option.h"
#include "ui/config/config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(x) (sizeof(x) / sizeof *(x))

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracetop-config-XXXXXX");
    unsetenv("TRACETOP_CONFIG");
    return mkdtemp(folder) ? 0 : -1;
}

/* Without a shell: Windows' knows no rm. */
static void remove_tree(const char *path)
{
    char inside[512];
    DIR *const d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(inside, sizeof inside, "%s/%.200s", path, e->d_name);
        remove_tree(inside);
    }
    if (d)
        closedir(d);
    if (d ? rmdir(path) : unlink(path))
        print_message("%s is still there\n", path);
}

static int remove_folder(void **state)
{
    (void)state;
    remove_tree(folder);
    return access(folder, F_OK) == 0;
}

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void sections_are_understood(void **state)
{
    (void)state;
    static const char text[] = "[ui]\n"
                               "time = utc\n"
                               "interval = 250ms\n"
                               "[keys]\n"
                               "freeze = F, Hash\n"
                               "[rules]\n"
                               "slow = lat > 10ms\n"
                               "[triggers]\n"
                               "full = cpu > 90 for 5s do mark\n"
                               "[views.writers]\n"
                               "pane = disk\n"
                               "sort = write\n"
                               "[columns.cpu]\n"
                               "hide = pid\n";
    struct config c;
    config_parse(&c, text, sizeof text - 1, "x.conf");
    assert_int_equal(c.warnings, 0);
    assert_int_equal(c.settings.interval_ns, 250000000);
    assert_string_equal(keys_of(c.keys, keys_command("freeze")), "F #");
    assert_string_equal(pairs_get(&c.rules, "slow"), "lat > 10ms");
    assert_string_equal(pairs_get(&c.triggers, "full"), "cpu > 90 for 5s do mark");
    const struct pair_group *const view = config_group(c.views, c.view_count, "writers");
    assert_string_equal(pairs_get(&view->pairs, "sort"), "write");
    assert_string_equal(pairs_get(&config_group(c.columns, c.column_count, "cpu")->pairs, "hide"),
                        "pid");
    config_fini(&c);
}

static void what_is_not_understood_is_reported(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"time = utc\n", "x.conf:1: expected a [section] before \"time\""},
        {"[ui]\ntima = utc\n", "x.conf:2: [ui] has no \"tima\"; did you mean \"time\"?"},
        {"[ui]\ntime = noon\n", "x.conf:2: time: expected local, utc, rel or delta"},
        {"[ui]\nonly words\n", "x.conf:2: expected \"key = value\", found \"only words\""},
        {"[uu]\ntime = utc\n", "x.conf:1: there is no section [uu]; there are ui,"},
        {"[keys]\nfreze = Z\n",
         "x.conf:2: there is no command \"freze\"; did you mean \"freeze\"?"},
        {"[keys]\nfreeze = Hyper-Z\n", "x.conf:2: unknown key \"Hyper-Z\""},
        {"[views.]\npane = cpu\n", "x.conf:2: expected a name after [views."},
        {"[panes]\ncollect = teapots\n", "x.conf:2: collect: "},
        {"[record]\nring = heavy\n", "x.conf:2: ring: expected a size or a time"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct config c;
        config_parse(&c, cases[i].text, strlen(cases[i].text), "x.conf");
        assert_int_equal(c.warnings, 1);
        if (strncmp(c.warning.text, cases[i].said, strlen(cases[i].said)) != 0)
            fail_msg("%zu: expected \"%s\", found \"%s\"", i, cases[i].said, c.warning.text);
        config_fini(&c);
    }
}

static void there_are_bounds(void **state)
{
    (void)state;
    char *const text = malloc(400 * 1024);
    size_t used = (size_t)sprintf(text, "[rules]\n");
    for (int i = 0; i < 300; i++)
        used += (size_t)sprintf(text + used, "r%d = x\n", i);
    for (int i = 0; i < 200; i++)
        used += (size_t)sprintf(text + used, "[views.v%d]\npane = cpu\n", i);
    struct config c;
    config_parse(&c, text, used, "x.conf");
    assert_int_equal(c.rules.count, CONFIG_PAIRS_MAX);
    assert_int_equal(c.view_count, CONFIG_GROUPS_MAX);
    assert_int_equal(c.warnings, 300 - CONFIG_PAIRS_MAX + 200 - CONFIG_GROUPS_MAX);
    config_fini(&c);
    free(text);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void files_are_found(void **state)
{
    (void)state;
    struct config c;
    struct err err = {""};
    if (!HERE_IS_POSIX)
        skip_for("the folder of configurations has another name on this system");
    assert_false(config_load(&c, in_folder("none.conf"), &err));
    assert_non_null(strstr(err.text, "none.conf"));
    config_fini(&c);

    file_put(in_folder("one.conf"), "[ui]\ntime = rel\n");
    setenv("TRACETOP_CONFIG", in_folder("one.conf"), 1);
    assert_true(config_load(&c, NULL, &err) && c.is_there);
    assert_int_equal(c.settings.time, 2);
    config_fini(&c);
    setenv("TRACETOP_CONFIG", in_folder("none.conf"), 1);
    assert_true(config_load(&c, NULL, &err) && !c.is_there);
    assert_string_equal(c.path, in_folder("none.conf"));
    config_fini(&c);
    unsetenv("TRACETOP_CONFIG");

    char *const home = getenv("HOME"), *const kept = home ? strdup(home) : NULL;
    unsetenv("SUDO_UID");
    setenv("XDG_CONFIG_HOME", folder, 1);
    assert_true(config_load(&c, NULL, &err));
    assert_string_equal(c.path, in_folder("tracetop/tracetop.conf"));
    config_fini(&c);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    setenv("HOME", folder, 1);
    assert_true(config_load(&c, NULL, &err));
    assert_string_equal(c.path, in_folder(".config/tracetop/tracetop.conf"));
    config_fini(&c);
    unsetenv("XDG_CONFIG_HOME");
    if (kept)
        setenv("HOME", kept, 1);
    free(kept);
}

static void what_is_no_file_of_text_is_refused(void **state)
{
    (void)state;
    struct config c;
    struct err err = {""};
    assert_false(config_load(&c, folder, &err));
    config_fini(&c);
    FILE *const f = fopen(in_folder("large.conf"), "w");
    for (int i = 0; i < CONFIG_BYTES_MAX / 16 + 1; i++)
        fputs("# fifteen bytes\n", f);
    fclose(f);
    assert_false(config_load(&c, in_folder("large.conf"), &err));
    assert_non_null(strstr(err.text, "at most 262144 bytes"));
    config_fini(&c);
}

/* ---- keeping --------------------------------------------------------------------------------- */

static void only_what_changed_is_written(void **state)
{
    (void)state;
    struct config c;
    struct err err = {""};
    const char *const path = in_folder("keep.conf");
    file_put(path, "# mine\n[ui]\ntime = utc # so\nodd line\nfancy = 1\n[keys]\nopen = x\n");
    assert_true(config_load(&c, path, &err));
    struct settings now = c.settings;
    assert_false(config_differs(&c, &now));
    now.time = 2;
    now.has_mouse = false;
    assert_true(config_differs(&c, &now));
    /* somebody writes into it meanwhile */
    file_put(path, "# mine, too\n[ui]\ntime = utc # so\nodd line\nfancy = 1\n[keys]\nopen = x\n");
    if (!config_keep(&c, &now, &err))
        fail_msg("%s", err.text);
    file_holds(path, "# mine, too\n[ui]\ntime = rel # so\nodd line\nfancy = 1\nmouse = no\n"
                "[keys]\nopen = x\n");
    assert_false(config_differs(&c, &now));
    assert_int_equal(access(in_folder("keep.conf.new"), F_OK), -1);
    config_fini(&c);
}

static void folders_are_made(void **state)
{
    (void)state;
    struct config c;
    struct err err = {""};
    char path[128];
    snprintf(path, sizeof path, "%s/a/b/new.conf", folder);
    setenv("TRACETOP_CONFIG", path, 1);
    assert_true(config_load(&c, NULL, &err));
    struct settings now = c.settings;
    now.time = 1;
    if (!config_keep(&c, &now, &err))
        fail_msg("%s", err.text);
    file_holds(path, "[ui]\ntime = utc\n");
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    assert_private(s.st_mode);
    config_fini(&c);
    unsetenv("TRACETOP_CONFIG");
}

static void links_are_followed(void **state)
{
    (void)state;
    struct config c;
    struct err err = {""};
    char path[128], link[128];
    snprintf(path, sizeof path, "%s/real.conf", folder);
    snprintf(link, sizeof link, "%s/link.conf", folder);
    file_put(path, "");
    assert_int_equal(symlink(path, link), 0);
    assert_true(config_load(&c, link, &err));
    struct settings now = c.settings;
    now.time = 2;
    assert_true(config_keep(&c, &now, &err));
    file_holds(path, "[ui]\ntime = rel\n");
    config_fini(&c);
}

static void what_cannot_be_written_stays_as_it_was(void **state)
{
    (void)state;
    struct config c;
    struct err err = {""};
    const char *const path = in_folder("stays.conf");
    file_put(path, "[ui]\ntime = utc\n");
    assert_true(config_load(&c, path, &err));
    struct settings now = c.settings;
    strcpy(now.theme, "two\nlines");
    assert_false(config_keep(&c, &now, &err));
    assert_non_null(strstr(err.text, "one line"));
    file_holds(path, "[ui]\ntime = utc\n");
    config_fini(&c);
    config_parse(&c, "", 0, "");
    assert_false(config_keep(&c, &now, &err));
    assert_non_null(strstr(err.text, "--config FILE"));
    config_fini(&c);
}

static void groups_are_kept(void **state)
{
    (void)state;
    struct config c;
    struct err err = {""};
    const char *const path = in_folder("views.conf");
    file_put(path, "[views.a]\n# why\npane = cpu\nold = 1\n[ui]\ntime = utc\n");
    assert_true(config_load(&c, path, &err));
    struct pairs p = {0};
    pairs_set(&p, "pane", "disk", 0);
    pairs_set(&p, "sort", "read", 0);
    assert_true(config_keep_group(&c, "views", "a", &p, &err));
    file_holds(path, "[views.a]\n# why\npane = disk\nsort = read\n[ui]\ntime = utc\n");
    assert_true(config_keep_group(&c, "views", "b c", &p, &err));
    assert_int_equal(c.view_count, 2);
    pairs_fini(&p);
    assert_true(config_keep_group(&c, "views", "a", &p, &err));
    file_holds(path, "[ui]\ntime = utc\n\n[views.b c]\npane = disk\nsort = read\n");
    assert_int_equal(c.view_count, 1);
    assert_null(config_group(c.views, c.view_count, "a"));
    config_fini(&c);
}

/* ---- with the command line ------------------------------------------------------------------- */

static void the_line_comes_before_the_file(void **state)
{
    (void)state;
    static const char text[] = "[ui]\ntheme = light\ninterval = 2s\nmouse = yes\n"
                               "[record]\nring = 64M\n[symbols]\nnames = no\n";
    static const char *const silent[] = {"tracetop", NULL};
    static const char *const loud[] = {"tracetop",   "--theme=mono", "-d",         "5s",
                                       "--no-mouse", "--ring=32M",   "--readonly", NULL};
    struct config c;
    struct options o;
    struct err err;
    config_parse(&c, text, sizeof text - 1, "x.conf");
    assert_true(options_read(&o, 1, (char *const *)silent, &err));
    config_meet(&c, &o, SUBCOMMAND_LIVE);
    assert_int_equal(o.interval_ns, 2000000000);
    assert_int_equal(o.ring.bytes, 64 << 20);
    assert_true(o.no_symbols && !options_given(&o, "ring"));
    assert_string_equal(c.settings.theme, "light");
    options_fini(&o);
    config_fini(&c);

    config_parse(&c, text, sizeof text - 1, "x.conf");
    assert_true(options_read(&o, 7, (char *const *)loud, &err));
    config_meet(&c, &o, SUBCOMMAND_LIVE);
    assert_int_equal(c.settings.interval_ns, 5000000000);
    assert_int_equal(o.ring.bytes, 32 << 20);
    assert_string_equal(c.settings.theme, "mono");
    assert_true(!c.settings.has_mouse && c.settings.is_readonly);
    /* what the line says is for this run: it is not a change to be kept */
    assert_false(config_differs(&c, &c.settings));
    options_fini(&o);
    config_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_are_understood),
        cmocka_unit_test(what_is_not_understood_is_reported),
        cmocka_unit_test(there_are_bounds),
        cmocka_unit_test(files_are_found),
        cmocka_unit_test(what_is_no_file_of_text_is_refused),
        cmocka_unit_test(only_what_changed_is_written),
        cmocka_unit_test(folders_are_made),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(what_cannot_be_written_stays_as_it_was),
        cmocka_unit_test(groups_are_kept),
        cmocka_unit_test(the_line_comes_before_the_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
