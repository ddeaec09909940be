/* Typed texts over several runs: what is kept, what two runs add, and files that somebody broke. */
#include "tests/folder.h"
#include "tests/test.h"

#include "ui/config/config.h"
#include "ui/state/recent_texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder with a configuration that is not there, and a run of the program. */
struct run {
    struct config config;
    struct app app;
};

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tracetop-recent-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int remove_folder(void **state)
{
    (void)state;
    return folder_remove(folder);
}

static void begin(struct run *r)
{
    *r = (struct run){.app = {.config = &r->config}};
    snprintf(r->config.path, sizeof r->config.path, "%s", path_of("tracetop.conf"));
    r->app.settings.keeps_recent = true;
    recent_texts_read(&r->app);
}

static void type(struct run *r, enum prompting prompt, const char *text)
{
    struct prompt line;
    prompt_open(&line, &r->app.histories[prompt], text);
    prompt_keep(&line);
}

static void end(struct run *r)
{
    struct err err = {""};
    assert_true(recent_texts_keep(&r->app, &err));
    for (unsigned i = 0; i < PROMPTS; i++)
        history_fini(&r->app.histories[i]);
}

/* "oldest|…|newest" */
static void expect(const struct run *r, enum prompting prompt, const char *texts)
{
    const struct history *const h = &r->app.histories[prompt];
    char all[64 * 1024] = "";
    for (unsigned i = 0; i < h->count; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? "|" : "", h->lines[i]);
    assert_string_equal(all, texts);
}

static void write_file(const char *text, size_t bytes)
{
    FILE *const f = fopen(path_of("recent"), "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, bytes, f), bytes);
    assert_int_equal(fclose(f), 0);
}

static void texts_come_back(void **state)
{
    (void)state;
    struct run r;
    struct stat s;
    begin(&r);
    type(&r, PROMPT_FILTER, "proc=a");
    type(&r, PROMPT_FILTER, "lat>1ms  ");
    type(&r, PROMPT_FILTER, "proc=a");
    type(&r, PROMPT_COMMAND, "at -5s");
    type(&r, PROMPT_MARK, "mine alone");
    end(&r);
    assert_int_equal(stat(path_of("recent"), &s), 0);
    assert_private(s.st_mode);
    begin(&r);
    expect(&r, PROMPT_FILTER, "lat>1ms  |proc=a");
    expect(&r, PROMPT_COMMAND, "at -5s");
    expect(&r, PROMPT_FIND, "");
    expect(&r, PROMPT_MARK, "");
    end(&r);
}

static void two_runs_keep_both(void **state)
{
    (void)state;
    struct run first, second;
    begin(&first);
    begin(&second);
    type(&first, PROMPT_FIND, "one");
    type(&second, PROMPT_FIND, "two");
    end(&first);
    end(&second);
    begin(&first);
    expect(&first, PROMPT_FIND, "one|two");
    end(&first);
}

static void the_newest_stay(void **state)
{
    (void)state;
    struct run r;
    char text[16];
    begin(&r);
    for (unsigned i = 0; i < HISTORY_MAX + 8; i++) {
        snprintf(text, sizeof text, "%u", i);
        type(&r, PROMPT_FIND, text);
    }
    end(&r);
    begin(&r);
    assert_int_equal(r.app.histories[PROMPT_FIND].count, HISTORY_MAX);
    assert_string_equal(r.app.histories[PROMPT_FIND].lines[0], "8");
    end(&r);
}

static void other_lines_are_left_out(void **state)
{
    (void)state;
    static const char lines[] =
        "# a remark\nfilter good\nfilter \x1b[2J\nfilter \xff\xfe\nmark x\nfilterbad\n"
        "filter \n\ncommand \xc2\x9b"
        "31m\ncommand quit\nfind last";
    struct run r;
    write_file(lines, sizeof lines - 1);
    begin(&r);
    expect(&r, PROMPT_FILTER, "good");
    expect(&r, PROMPT_COMMAND, "quit");
    expect(&r, PROMPT_FIND, "last");
    end(&r);
    char *const large = calloc(1, CONFIG_BYTES_MAX + 64);
    assert_non_null(large);
    memset(large, 'x', CONFIG_BYTES_MAX + 63);
    write_file(large, CONFIG_BYTES_MAX + 63);
    free(large);
    begin(&r);
    expect(&r, PROMPT_FILTER, "");
    type(&r, PROMPT_FILTER, "new");
    struct err err = {""};
    assert_false(recent_texts_keep(&r.app, &err)); /* not ours: it stays */
    assert_non_null(strstr(err.text, "recent: expected at most"));
    FILE *const f = fopen(path_of("recent"), "r");
    assert_int_equal(fgetc(f), 'x');
    fclose(f);
    history_fini(&r.app.histories[PROMPT_FILTER]);
}

static void nothing_is_written_unasked(void **state)
{
    (void)state;
    struct run r;
    begin(&r);
    end(&r); /* nothing was typed */
    assert_int_not_equal(access(path_of("recent"), F_OK), 0);
    begin(&r);
    type(&r, PROMPT_FILTER, "proc=a");
    r.app.settings.is_readonly = true;
    end(&r);
    assert_int_not_equal(access(path_of("recent"), F_OK), 0);
    begin(&r);
    type(&r, PROMPT_FILTER, "proc=a");
    r.app.settings.keeps_recent = false;
    end(&r);
    assert_int_not_equal(access(path_of("recent"), F_OK), 0);
    begin(&r);
    type(&r, PROMPT_FILTER, "proc=a");
    snprintf(r.config.path, sizeof r.config.path, "%s/none/tracetop.conf", folder);
    end(&r);
    assert_int_not_equal(access(path_of("none"), F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_come_back, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(two_runs_keep_both, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(the_newest_stay, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(other_lines_are_left_out, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(nothing_is_written_unasked, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
