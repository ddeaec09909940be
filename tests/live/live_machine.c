/* The hardware of this machine: the same from a recording and without one. */
#include "tests/live/program.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char program[512], folder[64];

/* To be freed. */
static char *output_of(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "'%s' %s", program, arguments);
    FILE *const f = popen(command, "r");
    assert_non_null(f);
    char *text;
    size_t bytes;
    FILE *const to = open_memstream(&text, &bytes);
    for (int c; (c = getc(f)) != EOF;)
        putc(c, to);
    fclose(to);
    assert_int_equal(pclose(f), 0);
    return text;
}

/* From one heading to another, which changes while one looks. */
static char *part_of(const char *page, const char *from, const char *to)
{
    const char *const at = strstr(page, from), *const end = at && to ? strstr(at, to) : NULL;
    if (!at || (to && !end))
        fail_msg("no %s to %s in:\n%s", from, to ? to : "the end", page);
    return strndup(at, end ? (size_t)(end - at) : strlen(at));
}

static void a_recording_describes_the_same(void **state)
{
    (void)state;
    static const char *const parts[][2] = {
        {"System\n", "\nVolumes\n"}, /* free room follows */
        {"Network adapters\n", NULL},
    };
    char arguments[256];
    snprintf(arguments, sizeof arguments, "record -o %s/file.etl --force -t 2s 2>/dev/null", folder);
    free(output_of(arguments));
    snprintf(arguments, sizeof arguments, "machine %s/file.etl", folder);
    char *const recorded = output_of(arguments), *const now = output_of("machine");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *const a = part_of(recorded, parts[i][0], parts[i][1]),
                   *const b = part_of(now, parts[i][0], parts[i][1]);
        assert_string_equal(a, b);
        free(a);
        free(b);
    }
    assert_non_null(strstr(now, "\nDisks\n"));
    free(recorded);
    free(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_recording_describes_the_same)};
    strcpy(folder, "/tmp/tracetop-machine-XXXXXX");
    if (!live_program(program, sizeof program) || !mkdtemp(folder))
        return 1;
    const int failed = cmocka_run_group_tests_name("live machine", tests, NULL, NULL);
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) != 0 || failed;
}
