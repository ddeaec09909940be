/* Any bytes as a query: refused with a sentence, or its canonical text is the same query again; and
 * it can be bound, or a sentence says what there is not. */
#include "src/base/err.h"
#include "src/pane/query_pane.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define must(claim) ((claim) ? (void)0 : broken(__LINE__, #claim))

static void broken(int line, const char *claim)
{
    fprintf(stderr, "tests/fuzz/query.c:%d: does not hold: %s\n", line, claim);
    abort();
}

static void print_again(const struct query *q)
{
    char text[QUERY_TEXT], again[QUERY_TEXT];
    struct query second;
    struct err err = {""};
    query_print(q, text);
    must(query_parse(&second, text, &err));
    must(memcmp(q, &second, sizeof second) == 0);
    query_print(&second, again);
    must(strcmp(text, again) == 0);
}

static void bind(const struct query *q)
{
    struct err err = {""};
    const struct pane *const p = query_pane_new(q, &err);
    must(p || err.text[0]);
    must(!p || pane_column(p, p->sort));
    must(!p || p->column_count > q->key_count);
    query_pane_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char text[70000];
    if (bytes >= sizeof text)
        return 0;
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    struct query q;
    struct err err = {""};
    const bool ok = query_parse(&q, text, &err);
    must(ok || err.text[0]);
    must(!ok || query_is_one(text));
    if (ok) {
        print_again(&q);
        bind(&q);
    }
    return 0;
}
