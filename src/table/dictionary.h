/* Numbers for texts that come from events: rows are made of numbers, and a text that a field of a
 * payload had gets one when it is first met. All views share one dictionary, so that a row of one
 * is a crumb of another. A number always means the same text. What does not fit is "(others)". One
 * thread. */
#ifndef SRC_TABLE_DICTIONARY_H
#define SRC_TABLE_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Traces can have any number of texts of any length. Of longer ones the beginning is kept, and a
 * hash of the whole text distinguishes them. */
enum {
    DICTIONARY_TEXTS = 1 << 17,
    DICTIONARY_BYTES = 32 << 20,
    DICTIONARY_TEXT = 1000,
};

/* The number of all texts that there is no room for. */
#define DICTIONARY_OTHERS 0xfffffffeu

struct dictionary;

struct dictionary *dictionary_new(void);
void dictionary_free(struct dictionary *d); /* NULL is fine */

/* The number of a text, never 0. */
uint32_t dictionary_number(struct dictionary *d, const char *text, size_t bytes);

/* The text with that number, NUL-terminated, or NULL: it was forgotten, or never was one. */
const char *dictionary_text(const struct dictionary *d, uint32_t number);

/* Texts had to do without a number. */
bool dictionary_is_full(const struct dictionary *d);

/* Forgets all texts; their numbers are not given again. */
void dictionary_forget(struct dictionary *d);

size_t dictionary_bytes(const struct dictionary *d);

#endif
