/* The command line: units, options, subcommands, and the sentences they answer with. */
#include "tests/test.h"

#include "src/base/suggest.h"
#include "src/base/unit.h"
#include "src/command/command.h"
#include "src/command/option_table.h"

#include <stdlib.h>
#include <string.h>

/* ---- units --------------------------------------------------------------------- */

struct time_case {
    const char *text;
    int64_t ns; /* negative = refused */
};

static void times_read(void **state)
{
    (void)state;
    static const struct time_case cases[] = {
        {"500ms", 500000000},
        {"1.5s", 1500000000},
        {"2", 2000000000},
        {"3us", 3000},
        {"7ns", 7},
        {"2m", 120000000000},
        {"1h", 3600000000000},
        {"0s", 0},
        {".5s", 500000000},
        {"", -1},
        {"s", -1},
        {"-1s", -1},
        {"1e3s", -1},
        {"nan", -1},
        {"inf", -1},
        {"1 s", -1},
        {"1.2.3s", -1},
        {"999999999999h", -1},
        {"1sec", -1},
        {".", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t ns = -1;
        struct err err = {""};
        const bool read = unit_time(cases[i].text, &ns, &err);
        if (read != (cases[i].ns >= 0) || ns != cases[i].ns)
            fail_msg("time '%s': %d, %lld", cases[i].text, read, (long long)ns);
        assert_true(read || strstr(err.text, "expected a time"));
    }
}

struct size_case {
    const char *text;
    bool is_good;
    uint64_t bytes;
};

static void sizes_read(void **state)
{
    (void)state;
    static const struct size_case cases[] = {
        {"4096", true, 4096},
        {"64M", true, 64 << 20},
        {"64m", true, 64 << 20},
        {"1.5GiB", true, 1610612736},
        {"10KB", true, 10000},
        {"10KiB", true, 10240},
        {"1T", true, 1ull << 40},
        {"7B", true, 7},
        {"", false, 0},
        {"M", false, 0},
        {"64X", false, 0},
        {"64MM", false, 0},
        {"99999999999T", false, 0},
        {"-1M", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t bytes = 0;
        if (unit_size(cases[i].text, &bytes, NULL) != cases[i].is_good || bytes != cases[i].bytes)
            fail_msg("size '%s': %llu", cases[i].text, (unsigned long long)bytes);
    }
}

struct instant_case {
    const char *text;
    int64_t ns; /* negative = refused */
};

static void instants_read(void **state)
{
    (void)state;
    static const struct instant_case cases[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2000-02-29T12:00:00Z", 951825600000000000},
        {"2026-05-17T10:20:30Z", 1779013230000000000},
        {"2026-05-17T10:20:30.25Z", 1779013230250000000},
        {"2026-05-17T10:20:30.123456789123Z", 1779013230123456789},
        {"2026-05-17 10:20:30", -1},
        {"2026-13-17T10:20:30Z", -1},
        {"2026-05-17T24:20:30Z", -1},
        {"2026-05-17T10:20:30", -1},
        {"2026-05-17T10:20:30Zx", -1},
        {"", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t ns = -1;
        unit_instant(cases[i].text, &ns, NULL);
        if (ns != cases[i].ns)
            fail_msg("instant '%s': %lld", cases[i].text, (long long)ns);
    }
}

static void counts_and_percents_read(void **state)
{
    (void)state;
    uint64_t n;
    double p;
    assert_true(unit_count("0x2A", &n, NULL) && n == 42);
    assert_true(unit_count("18446744073709551615", &n, NULL) && n == UINT64_MAX);
    assert_false(unit_count("18446744073709551616", &n, NULL));
    assert_false(unit_count("-1", &n, NULL));
    assert_false(unit_count(" 1", &n, NULL));
    assert_false(unit_count("", &n, NULL));
    assert_true(unit_percent("5%", &p, NULL) && p == 5);
    assert_true(unit_percent("0.1", &p, NULL) && p > 0.099 && p < 0.101);
    assert_false(unit_percent("101%", &p, NULL));
}

/* Where a word could be a file or a filter, the part before the first separator decides. */
static void words_are_files_or_filters(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        bool is_file;
    } cases[] = {
        {"chrome", false},           {"x.etl", true},           {"x.etl.zst", true},
        {"C:\\x.etl", true},         {"a=b.etl", true},         {"there/is/none", true},
        {"./chrome", true},          {"C:/there/is/none", true}, {"/no/such", true},
        {"raddr=10.0.0.0/8", false}, {"path:a/b", false},       {"path~/\\.dll$/", false},
        {"!/x", false},              {"size>1/2", false},       {"cc:/x", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char word[64], program[] = "tracetop", top[] = "top", disk[] = "disk";
        snprintf(word, sizeof word, "%s", cases[i].word);
        char *words[] = {program, top, disk, word};
        struct command_line line;
        struct err err;
        /* A file that is not there is an error at once. */
        const bool is_file = command_line_read(&line, 4, words, &err) || line.file_count == 1;
        if (is_file != cases[i].is_file)
            fail_msg("%s is taken for a %s", cases[i].word, is_file ? "file" : "filter");
        command_line_fini(&line);
    }
}

static void suggestions_are_close(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"stast", "stats"}, {"statz", "stats"}, {"toop", "top"},
        {"color", NULL},    {"x", NULL},        {"filterword", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct suggestion best = {NULL, 0};
        for (unsigned s = 0; s < SUBCOMMANDS; s++)
            suggest(&best, cases[i][0], subcommands[s].name);
        if (!best.name != !cases[i][1] || (best.name && strcmp(best.name, cases[i][1]) != 0))
            fail_msg("'%s': %s", cases[i][0], best.name ? best.name : "nothing");
    }
}

/* ---- whole lines ---------------------------------------------------------------- */

enum { WORDS = 8 };

/* A line split at blanks; "_" stands for a blank inside a word. */
static int split(char *line, char **argv)
{
    int argc = 0;
    for (char *word = strtok(line, " "); word && argc < WORDS; word = strtok(NULL, " ")) {
        for (char *c = word; *c; c++)
            if (*c == '_')
                *c = ' ';
        argv[argc++] = word;
    }
    return argc;
}

struct line_case {
    const char *line;
    int status;
    const char *expected; /* status 0: "command files filter format", else part of the sentence */
};

/* Files that exist wherever the tests run. */
#define HERE "tests/test.h"

static const struct line_case lines[] = {
    {"tracetop", 0, "live 0 [] text"},
    {"tracetop live", 0, "live 0 [] text"},
    {"tracetop chrome path", 0, "live 0 [chrome path] text"},
    {"tracetop " HERE, 0, "replay 1 [] text"},
    {"tracetop Makefile", 0, "replay 1 [] text"},
    {"tracetop " HERE " svchost -O svg", 0, "replay 1 [svchost] svg"},
    {"tracetop svchost " HERE, 0, "replay 1 [svchost] text"},
    {"tracetop replay " HERE " " HERE, 0, "replay 2 [] text"},
    {"tracetop stats " HERE, 0, "stats 1 [] tsv"},
    {"tracetop --format=json stats " HERE, 0, "stats 1 [] json"},
    {"tracetop top disk " HERE " -O csv", 0, "top 1 [] csv"},
    {"tracetop top disk 2 5", 0, "top 0 [] table"},
    {"tracetop top disk word 2", 0, "top 0 [word] table"},
    {"tracetop top disk " HERE " 443", 0, "top 1 [443] table"},
    {"tracetop fields", 0, "fields 0 [] -"},
    {"tracetop fields disk", 0, "fields 0 [] -"},
    {"tracetop live stats", 0, "live 0 [stats] text"},
    {"tracetop --help", 0, "live 0 [] -"},
    {"tracetop stats -h", 0, "stats 0 [] -"},

    {"tracetop nosuch.etl", 1, "cannot open 'nosuch.etl': no such file"},
    {"tracetop nosuch.etl.zst", 1, "cannot open 'nosuch.etl.zst': no such file"},
    {"tracetop nosuch/thing", 1, "cannot open 'nosuch/thing': no such file"},
    {"tracetop stats nosuch", 1, "cannot open 'nosuch': no such file"},
    {"tracetop top disk nosuch.etl", 1, "no such file"},

    {"tracetop stats", 2, "'stats' needs a FILE"},
    {"tracetop replay word", 2, "'replay' needs a FILE"},
    {"tracetop live " HERE, 2, "'live' takes no files"},
    {"tracetop top", 2, "'top' needs a PANE"},
    {"tracetop keys more", 2, "'keys' takes no further arguments"},
    {"tracetop statz", 2, "did you mean 'stats'?"},
    {"tracetop record", 0, "record 0 [] -"},
    {"tracetop --nonsense", 2, "unknown option --nonsense; tracetop --help"},
    {"tracetop --heedless", 2, "did you mean --headless?"},
    {"tracetop --heedless=3", 2, "did you mean --headless?"},
    {"tracetop -x", 2, "unknown option -x"},
    {"tracetop -qx", 2, "unknown option -x"},
    {"tracetop --interval", 2, "--interval needs a value: --interval T"},
    {"tracetop -d", 2, "--interval needs a value"},
    {"tracetop -d 10ms", 2, "--interval: expected a time between 100ms and 24h, found '10ms'"},
    {"tracetop -d abc", 2, "expected a time such as"},
    {"tracetop --ascii=yes", 2, "--ascii takes no value"},
    {"tracetop --size 80", 2, "--size: expected columns and rows"},
    {"tracetop --size 80x0", 2, "--size: expected columns and rows"},
    {"tracetop --size 80x24x", 2, "--size: expected columns and rows"},
    {"tracetop --theme=", 2, "--theme: expected some text"},
    {"tracetop replay --speed 0 " HERE, 2, "--speed: expected 'max'"},
    {"tracetop stats --headless " HERE, 2,
     "--headless is not valid for 'stats'; it belongs to: live, replay"},
    {"tracetop stats -O csv " HERE, 2, "'stats' has no format 'csv'; it has: tsv json"},
    {"tracetop -- true", 2, "after --"},
    {"tracetop -P proc,net -g default -p 12,13", 0, "live 0 [] text"},
    {"tracetop -n ssh* -c --buffers 1M", 0, "live 0 [] text"},
    {"tracetop --source live", 0, "live 0 [] text"},
    {"tracetop --source tape", 2, "--source: expected live or demo, found 'tape'"},
    {"tracetop -P proc,nosuch", 2,
     "--panes: expected all, or panes such as proc,cpu,disk, found 'nosuch'"},
    {"tracetop -g switch,nosuch", 2, "found 'nosuch'"},
    {"tracetop -p 12,0", 2, "--pid: expected process ids such as 812,940, found '12,0'"},
    {"tracetop -p 12x", 2, "--pid: expected process ids"},
};

static void check_line(const struct line_case *t)
{
    char line[128], *argv[WORDS], found[1200];
    snprintf(line, sizeof line, "%s", t->line);
    const int argc = split(line, argv);
    struct command_line c;
    struct err err = {""};
    const int status = (int)command_line_read(&c, argc, argv, &err);
    if (status)
        snprintf(found, sizeof found, "%s", err.text);
    else
        snprintf(found, sizeof found, "%s %zu [%s] %s", c.command->name, c.file_count, c.filter,
                 c.format ? c.format : "-");
    if (status != t->status || !strstr(found, t->expected))
        fail_msg("%s: status %d, %s", t->line, status, found);
    command_line_fini(&c);
}

static void lines_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        check_line(&lines[i]);
}

/* INTERVAL and COUNT stand before the filter or behind it. */
static void times_stand_at_either_end(void **state)
{
    (void)state;
    static const struct {
        const char *line, *filter;
        int64_t seconds;
        uint64_t count;
    } cases[] = {
        {"tracetop top processes", "", 1, 0},
        {"tracetop top processes 2 1", "", 2, 1},
        {"tracetop top processes 2", "", 2, 0},
        {"tracetop top processes 2 1 proc=bash", "proc=bash", 2, 1},
        {"tracetop top processes 2s proc=bash", "proc=bash", 2, 0},
        {"tracetop top processes proc=bash 2 1", "proc=bash", 2, 1},
        {"tracetop top processes proc=bash 2s", "proc=bash", 2, 0},
        {"tracetop top network 5 3 rport=80 443", "rport=80 443", 5, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[128], *argv[WORDS];
        snprintf(line, sizeof line, "%s", cases[i].line);
        const int argc = split(line, argv);
        struct command_line c;
        struct err err = {""};
        assert_int_equal(command_line_read(&c, argc, argv, &err), EXIT_DONE);
        assert_string_equal(c.filter, cases[i].filter);
        assert_int_equal(c.options.interval_ns, cases[i].seconds * 1000000000);
        assert_int_equal(c.count, cases[i].count);
        command_line_fini(&c);
    }
}

static void values_arrive(void **state)
{
    (void)state;
    char line[] = "tracetop -d2s --size=80x24 --headless --ring 64M --seed=9 -q "
                  "--fail-on-loss 5%";
    char *argv[16];
    int argc = 0;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    struct command_line c;
    struct err err = {""};
    assert_int_equal(command_line_read(&c, argc, argv, &err), EXIT_DONE);
    assert_int_equal(c.options.interval_ns, 2000000000);
    assert_int_equal(c.options.width, 80);
    assert_int_equal(c.options.height, 24);
    assert_true(c.options.headless);
    assert_false(c.options.dump);
    assert_int_equal(c.options.ring.bytes, 64 << 20);
    assert_int_equal(c.options.seed, 9);
    assert_true(c.options.quiet);
    assert_true(c.options.fail_on_loss == 5);
    assert_true(options_given(&c.options, "ring"));
    assert_false(options_given(&c.options, "theme"));
    command_line_fini(&c);
}

/* --ring takes a size or a time. */
static void rings_are_of_a_size_or_a_time(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
        int64_t ns;
        bool is_bad;
    } cases[] = {
        {"64M", 64 << 20, 0, false},
        {"1GiB", 1 << 30, 0, false},
        {"60s", 0, 60000000000, false},
        {"2m", 0, 120000000000, false},
        {"1h", 0, 3600000000000, false},
        {"10ms", 0, 0, true},
        {"2M", 2 << 20, 0, false},
        {"0.5m", 0, 30000000000, false},
        {"48h", 0, 0, true},
        {"manys", 0, 0, true},
        {"", 0, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *argv[] = {(char *)"tracetop", (char *)"--ring", (char *)cases[i].text, NULL};
        struct command_line c;
        struct err err = {""};
        const enum exit_status s = command_line_read(&c, 3, argv, &err);
        assert_int_equal(s, cases[i].is_bad ? EXIT_USAGE : EXIT_DONE);
        if (!cases[i].is_bad) {
            assert_int_equal(c.options.ring.bytes, cases[i].bytes);
            assert_int_equal(c.options.ring.ns, cases[i].ns);
        }
        command_line_fini(&c);
    }
}

static void help_shows_every_option_once(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    FILE *const to = open_memstream(&text, &bytes);
    const struct command_line c = {.is_implicit = true};
    command_help(to, &c);
    fclose(to);
    for (unsigned i = 0; i < SUBCOMMANDS; i++)
        assert_non_null(strstr(text, subcommands[i].name));
    static const char *const some[] = {"-d, --interval T", "--speed N|max", "-h, --help"};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        const char *const first = strstr(text, some[i]);
        assert_non_null(first);
        assert_null(strstr(first + 1, some[i]));
    }
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        if (length > 100)
            fail_msg("help line is too long: %.*s", (int)length, line);
        line += length + 1;
    }
    free(text);
}

static void tables_belong_to_commands(void **state)
{
    (void)state;
    for (const struct option_group *g = option_groups; g->options; g++)
        if (!g->commands || g->commands >> SUBCOMMANDS)
            fail_msg("no command has the table of --%s", g->options->name);
}

/* Without a member a value is checked at once, and read when its command asks. */
static void values_without_a_member_are_read_later(void **state)
{
    (void)state;
    char *argv[] = {(char *)"tracetop", (char *)"snapshot", (char *)"--to", (char *)"x.etl", NULL};
    struct options o;
    struct err err;
    const char *to = NULL;
    assert_true(options_read(&o, 4, argv, &err));
    assert_true(options_value(&o, "to", &to));
    assert_string_equal(to, "x.etl");
    bool has_orphans = false;
    assert_false(options_value(&o, "orphans", &has_orphans));
    assert_false(has_orphans);
    options_fini(&o);
    argv[3] = (char *)"";
    assert_false(options_read(&o, 4, argv, &err));
    assert_string_equal(err.text, "--to: expected some text, found none");
    options_fini(&o);
    assert_true(options_take("metric", "waiting", &err));
    assert_false(options_take("metric", "nothing", &err));
}

static void names_and_letters_are_unique(void **state)
{
    (void)state;
    const struct option *a, *b;
    for (size_t i = 0; (a = option_row(i)); i++)
        for (size_t k = 0; k < i && (b = option_row(k)); k++)
            if (strcmp(a->name, b->name) == 0 || (a->letter && a->letter == b->letter))
                fail_msg("--%s and --%s have the same name or letter", a->name, b->name);
}

/* Options are distinguished, even if there are more of them than an integer has bits. */
static void all_options_are_noted(void **state)
{
    (void)state;
    const struct option *o;
    size_t count = 0;
    for (size_t i = 0; (o = option_row(i)); i++, count++) {
        char word[64];
        snprintf(word, sizeof word, "--%s", o->name);
        char *argv[] = {(char *)"tracetop", word, (char *)"1", NULL};
        struct options read;
        struct err err;
        const bool is_read = options_read(&read, 3, argv, &err);
        const struct option *other;
        for (size_t k = 0; (other = option_row(k)); k++)
            assert_int_equal(options_given(&read, other->name), other == o);
        assert_true(is_read || o->read);
        options_fini(&read);
    }
    assert_true(count > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_read),
        cmocka_unit_test(sizes_read),
        cmocka_unit_test(instants_read),
        cmocka_unit_test(counts_and_percents_read),
        cmocka_unit_test(words_are_files_or_filters),
        cmocka_unit_test(suggestions_are_close),
        cmocka_unit_test(lines_are_read),
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(times_stand_at_either_end),
        cmocka_unit_test(rings_are_of_a_size_or_a_time),
        cmocka_unit_test(help_shows_every_option_once),
        cmocka_unit_test(tables_belong_to_commands),
        cmocka_unit_test(values_without_a_member_are_read_later),
        cmocka_unit_test(names_and_letters_are_unique),
        cmocka_unit_test(all_options_are_noted),
    };
    return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
