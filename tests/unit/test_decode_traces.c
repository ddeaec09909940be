/* The layout tables against whole traces of real machines. */
#include "tests/test.h"

#include "src/etl/etl.h"
#include "src/event/decode.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const folder = "../shared/etl";

struct tally {
    unsigned decoded, kernel, kernel_unknown;
};

/* Real payloads end where their layout does, to the byte; those of sawbuck-*_64_* and
 * sawbuck-vista-500989fd are 64-bit ones behind 32-bit headers. */
static void check_event(struct tally *t, struct event e, const char *file)
{
    t->kernel += header_is_kernel(e.kind);
    const struct payload_layout *l = decode_layout(&e);
    if (!l) {
        t->kernel_unknown += header_is_kernel(e.kind);
        return;
    }
    struct decoded fields[DECODE_FIELDS];
    const unsigned count = decode_fields(l, &e, fields, DECODE_FIELDS);
    size_t end = 0;
    for (unsigned i = 0; i < count; i++)
        end = fields[i].end > end ? fields[i].end : end;
    if (end != e.payload_bytes) {
        const char *class, *name;
        decode_name(&e, &class, &name);
        fail_msg("%s: %s %s version %u: %zu of %u bytes consumed", file, class, name, e.version,
                 end, e.payload_bytes);
    }
    t->decoded++;
}

static void check_file(struct tally *t, const char *name)
{
    struct err err;
    struct event e;
    struct etl_file *f = etl_open(name, &err);
    if (!f)
        fail_msg("%s: %s", name, err.text);
    while (etl_next(f, &e, &err) == ETL_EVENT)
        check_event(t, e, name);
    etl_close(f);
}

static bool is_trace(const char *name)
{
    const size_t n = strlen(name);
    return (n > 4 && strcmp(name + n - 4, ".etl") == 0) ||
           (n > 8 && strcmp(name + n - 8, ".etl.zst") == 0);
}

static void payloads_are_consumed(void **state)
{
    (void)state;
    DIR *d = opendir(folder);
    if (!d && getenv("TRACETOP_REQUIRE_SHARED"))
        fail_msg("%s: cannot be opened, and TRACETOP_REQUIRE_SHARED is set", folder);
    if (!d) {
        print_message("%s is not there: skipped\n", folder);
        skip();
    }
    struct tally t = {0, 0, 0};
    for (struct dirent *entry; (entry = readdir(d));) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        if (is_trace(name))
            check_file(&t, name);
    }
    closedir(d);
    print_message("%u payloads consumed exactly; %u of %u kernel events without a layout\n",
                  t.decoded, t.kernel_unknown, t.kernel);
    assert_int_equal(t.kernel_unknown, 0);
    assert_true(t.kernel > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(payloads_are_consumed),
    };
    return cmocka_run_group_tests_name("decode_traces", tests, NULL, NULL);
}
