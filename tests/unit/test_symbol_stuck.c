/* A file that never answers does not hold up the end of the program. The table of backends is this
 * test's own. */
#include "tests/test.h"

#include "src/symbol/backend.h"

static struct os_wakeup *entered;

static bool claims(const struct symbol_image *i)
{
    (void)i;
    return true;
}

static void *open_stuck(const struct symbol_search *s, const struct symbol_image *i, char *from,
                        size_t *bytes, struct err *why)
{
    (void)s, (void)i, (void)from, (void)bytes, (void)why;
    os_wakeup_signal(entered);
    while (entered)
        os_sleep(INT64_C(1000000000));
    return NULL;
}

static const struct symbol_backend stuck = {.id = "stuck", .claims = claims, .open = open_stuck};
const struct symbol_backend *const symbol_backends[] = {&stuck, NULL};

static struct symbols *volatile left_behind; /* by its worker, which still holds it: no leak */

static void quitting_does_not_wait(void **state)
{
    (void)state;
    entered = os_wakeup_new();
    struct symbols *const s = left_behind = symbols_new(&(struct symbol_options){0});
    const uint32_t i = symbols_image(s, &(struct symbol_image){.system = SYMBOL_OF_ELF,
                                                               .path = "/stuck"});
    symbols_at(s, i, 8);
    symbols_take(s);
    os_wakeup_wait(entered, -1);
    symbols_free(s); /* the test is that this returns */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quitting_does_not_wait)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
