/* A pattern for names: text that must stand somewhere in them, or a regular expression.
 * Case is ignored unless the pattern has a capital letter, as everywhere. */
#ifndef SRC_BASE_PATTERN_H
#define SRC_BASE_PATTERN_H

#include "src/base/err.h"
#include "src/base/text.h"

struct pattern;

struct pattern *pattern_text(const char *text, size_t bytes, enum text_where where);

enum pattern_case { CASE_SMART, CASE_COUNTS, CASE_IGNORED };

/* NULL with a sentence and the byte where the expression is wrong. */
struct pattern *pattern_regex(const char *text, size_t bytes, enum pattern_case how, size_t *at,
                              struct err *err);

void pattern_free(struct pattern *p); /* NULL is fine */

/* As it was typed. */
const char *pattern_typed(const struct pattern *p);

/* How many texts so far took an expression too long: they count as no match. */
uint64_t pattern_given_up(const struct pattern *p);

/* One thread at a time. */
bool pattern_fits(const struct pattern *p, const char *text, size_t bytes);

#endif
