/* Any bytes as a filter: it is one, or it is refused at a place that lies in the text; what
 * it decides does not depend on when, and its negation decides the other way. */
#include "src/collect/capture.h"
#include "src/filter/fact.h"
#include "src/pane/panes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define must(claim) ((claim) ? (void)0 : broken(__LINE__, #claim))

static void broken(int line, const char *claim)
{
    fprintf(stderr, "tests/fuzz/filter.c:%d: does not hold: %s\n", line, claim);
    abort();
}

static struct filter_found look(const struct filter *f, uint64_t seed)
{
    static const char *const texts[] = {"", "svchost.exe", "C:\\Windows\\a.dll", "\xff\xfe", "aaaaaaaaaaaaab"};
    struct filter_found found = {0, 0};
    const uint8_t address[16] = {10, 0, 0, (uint8_t)seed};
    for (unsigned i = 0; i < f->term_count; i++) {
        const char *const text = texts[(seed + i) % (sizeof texts / sizeof *texts)];
        filter_look_text(f, 1ull << i & f->texts, text, strlen(text), &found);
        filter_look_number(f, i, seed * i, &found);
        filter_look_real(f, i, (double)seed / (i + 1.0), &found);
        filter_look_address(f, i, address, seed & 1, &found);
    }
    return found;
}

static void compile(const char *text, const struct pane *pane)
{
    static const struct filter_span span = {1000000000000, 2000000000000};
    struct filter f;
    struct filter_error why = {.at = SIZE_MAX};
    const bool ok = filter_init(&f, text, pane, &span, &why);
    must(ok || (why.at <= strlen(text) && why.text[0]));
    must(ok || (!filter_has(&f, LEVEL_ROW) && !filter_has(&f, LEVEL_FACT)));
    struct filter not_f;
    char negated[2100];
    snprintf(negated, sizeof negated, "!(%s)", text);
    const bool is_negated = ok && (filter_has(&f, LEVEL_ROW) != filter_has(&f, LEVEL_FACT))
                            && filter_init(&not_f, negated, pane, &span, NULL);
    for (uint64_t seed = 0; ok && seed < 3; seed++)
        for (unsigned level = 0; level < FILTER_LEVELS; level++) {
            const struct filter_found found = look(&f, seed);
            const bool passes = filter_decide(&f, level, found);
            must(passes == filter_decide(&f, level, look(&f, seed)));
            if (is_negated && filter_has(&f, level) && filter_has(&not_f, level))
                must(passes != filter_decide(&not_f, level, look(&not_f, seed)));
        }
    if (is_negated)
        filter_fini(&not_f);
    filter_fini(&f);
}

/* One that decides before the ring, or a sentence; what is pushed down is no more than the text. */
static void capture(const char *text)
{
    struct err err = {""};
    struct capture_scope scope;
    struct capture *const c = capture_new(text, &err);
    must(c || err.text[0]);
    capture_free(c);
    capture_scope_of(text, &scope);
    must(!scope.name[0] || strstr(text, scope.name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char text[2048];
    if (bytes < 1 || bytes >= sizeof text)
        return 0;
    memcpy(text, data + 1, bytes - 1);
    text[bytes - 1] = '\0';
    const struct field_def *field;
    must(filter_unfinished(text, strlen(text), &field) <= strlen(text));
    unsigned count = 0;
    while (panes[count])
        count++;
    compile(text, data[0] % (count + 1) == count ? NULL : panes[data[0] % (count + 1)]);
    capture(text);
    return 0;
}
