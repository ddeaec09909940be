#include "src/base/regex.h"

#include "src/base/mem.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

struct regex {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
    uint64_t given_up;
};

/* A name is searched in microseconds; one that takes a thousand times that is the work of an
 * expression that explodes. */
enum { STEPS = 20000, DEPTH = 500, HEAP_KIB = 1024, NESTED = 32 };

static pcre2_code *compile(const char *pattern, size_t bytes, bool ignores_case, size_t *at,
                           struct err *err)
{
    const uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_NO_AUTO_CAPTURE
                             | PCRE2_NEVER_BACKSLASH_C | (ignores_case ? PCRE2_CASELESS : 0);
    pcre2_compile_context *const c = pcre2_compile_context_create(NULL);
    if (!c)
        mem_give_up(1, sizeof(void *));
    pcre2_set_max_pattern_length(c, REGEX_BYTES);
    pcre2_set_parens_nest_limit(c, NESTED);
    int code;
    PCRE2_SIZE where = 0;
    pcre2_code *const made =
        pcre2_compile((PCRE2_SPTR)pattern, bytes, options, &code, &where, c);
    pcre2_compile_context_free(c);
    if (made)
        return made;
    PCRE2_UCHAR why[128] = "";
    pcre2_get_error_message(code, why, sizeof why);
    *at = where < bytes ? where : bytes;
    fail(err, "invalid regular expression: %s", (const char *)why);
    return NULL;
}

struct regex *regex_new(const char *pattern, size_t bytes, bool ignores_case, size_t *at,
                        struct err *err)
{
    pcre2_code *const code = compile(pattern, bytes, ignores_case, at, err);
    if (!code)
        return NULL;
    struct regex *const r = mem_new(1, sizeof *r);
    *r = (struct regex){
        .code = code,
        .data = pcre2_match_data_create(1, NULL),
        .limits = pcre2_match_context_create(NULL),
    };
    if (!r->data || !r->limits)
        mem_give_up(1, sizeof(void *));
    pcre2_set_match_limit(r->limits, STEPS);
    pcre2_set_depth_limit(r->limits, DEPTH);
    pcre2_set_heap_limit(r->limits, HEAP_KIB);
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* without it, it is only slower */
    return r;
}

void regex_free(struct regex *r)
{
    if (!r)
        return;
    pcre2_match_context_free(r->limits);
    pcre2_match_data_free(r->data);
    pcre2_code_free(r->code);
    free(r);
}

bool regex_in(struct regex *r, const char *text, size_t bytes)
{
    const int found = pcre2_match(r->code, (PCRE2_SPTR)text, bytes, 0, 0, r->data, r->limits);
    if (found < PCRE2_ERROR_NOMATCH && found != PCRE2_ERROR_PARTIAL)
        r->given_up++;
    return found >= 0;
}

uint64_t regex_given_up(const struct regex *r)
{
    return r->given_up;
}
