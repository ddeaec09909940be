/* The name of an address, waited for. */
#ifndef TESTS_SYMBOL_ASK_H
#define TESTS_SYMBOL_ASK_H

#include "tests/test.h"

#include "src/os/os.h"
#include "src/symbol/symbol.h"

/* "-" where it has none. The text is the symbols'. */
static inline const char *ask(struct symbols *s, const struct symbol_image *i, uint64_t offset)
{
    const uint32_t number = symbols_image(s, i);
    const int64_t until = os_now() + PATIENCE_NS;
    struct symbol is;
    while (is = symbols_at(s, number, offset), is.state == SYMBOL_ASKED) {
        assert_true(os_now() < until);
        symbols_take(s);
        os_sleep(1000000);
    }
    return is.state == SYMBOL_FOUND ? symbols_name(s, is.name) : "-";
}

#endif
