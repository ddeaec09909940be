/* Recordings of the Windows program, made under Wine over the stand-in for ETW: what readers of
 * other makers ask of them (the list in collectors/windows/README.md), field by field. */
#include "tests/compatible.h"

#include <sys/wait.h>
#include <unistd.h>

#define FOLDER    "build/windows/recordings"
#define RECORDING FOLDER "/x.etl"
#define SAID      FOLDER "/said"
#define UNNAMED   "left without a PDB"

enum { SKIPPED = 77 };

static int record(const char *play, const char *options)
{
    char command[600];
    snprintf(command, sizeof command,
             "TZ=Asia/Kolkata TRACETOP_TEST_ETW=build/windows/etwfake.dll "
             "TRACETOP_TEST_ETW_PLAY='%s' tests/windows/wine.sh wine "
             "build/windows/tracetop-test.exe record --force -o " RECORDING " %s >" SAID
             " 2>&1 </dev/null",
             play, options);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool has_said(const char *part)
{
    char text[4096];
    FILE *const f = fopen(SAID, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return strstr(text, part) != NULL;
}

/* As ETW says of the machine when a session is opened: see tests/etw/consume.c. */
static void the_header_is_the_machines(void **state)
{
    (void)state;
    const int64_t booted = 132223104000000000;
    const int status = record("machine=no", "-t 1s");
    if (status == SKIPPED)
        skip_for("wine is not installed");
    assert_int_equal(status, 0);
    const struct strict s = strict_read_ours(RECORDING);
    const struct compatible c = compatible_read(RECORDING);
    assert_int_equal(c.mhz, 3600);
    assert_int_equal(c.timer, 156001);
    assert_int_equal(s.boot, booted);
    assert_int_equal(s.bias, -330);
    assert_int_equal(s.clock_type, 1);
    assert_int_equal(s.frequency, 10000000);
    assert_true(s.build >= 7600);
    assert_int_equal(s.headers, 1);
}

static void the_machine_is_described(void **state)
{
    (void)state;
    const int status = record("", "-t 1s");
    if (status == SKIPPED)
        skip_for("wine is not installed");
    assert_int_equal(status, 0);
    const struct compatible c = compatible_read(RECORDING);
    assert_int_equal(c.builds, 1);
    assert_true(c.installed > 0);
    assert_true(strncmp(c.product, "Microsoft Windows", 17) == 0 ||
                strncmp(c.product, "Windows", 7) == 0);
    assert_int_equal(c.paths, 1);
    assert_string_equal(c.system, "C:\\windows\\system32");
    assert_string_equal(c.windows, "C:\\windows\\");
    assert_int_equal(c.prefixes, 2);
    assert_true(c.volumes > 0);
    assert_true(c.machines > 0 && c.processes > 0 && c.threads > 0 && c.images > 0);
}

/* The kernel lists nothing here, so images are those of Wine's processes, files that are there. The
 * stand-in's own was linked with a PDB. */
static void images_have_their_pdb(void **state)
{
    (void)state;
    const int status = record("machine=no", "-t 8s");
    if (status == SKIPPED)
        skip_for("wine is not installed");
    assert_int_equal(status, 0);
    const struct compatible c = compatible_read(RECORDING);
    assert_true(c.images > 0);
    assert_int_equal(c.infos, c.pdbs + c.none);
    if (has_said(UNNAMED))
        return; /* it has said so */
    assert_true(c.infos >= c.images);
    assert_true(c.pdbs > 0);
    assert_string_equal(c.pdb, "etwfake.pdb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_is_the_machines),
        cmocka_unit_test(the_machine_is_described),
        cmocka_unit_test(images_have_their_pdb),
    };
    if (system("mkdir -p " FOLDER) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
