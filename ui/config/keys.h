/* Which keys commands have by now: those of the table (ui/config/keymap.h), or what the user's
 * configuration gives them instead. The user's keys come before the table's. A command that loses a
 * key by that is reported as a conflict. */
#ifndef UI_CONFIG_KEYS_H
#define UI_CONFIG_KEYS_H

#include "src/base/err.h"
#include "ui/config/keymap.h"

#include <stdio.h>

struct keys;

struct keys *keys_new(void);
void keys_free(struct keys *k); /* NULL is fine */

/* Gives a command these keys and no others: names separated by commas or blanks ("Comma" and
 * "Hash" are the signs), or "none". The former ids picture… of the commands chart… are accepted.
 * All its rows in the table get them; where text is typed, plain characters stay text. False with a
 * sentence, and nothing changed. */
bool keys_set(struct keys *k, const char *command, const char *names, struct err *err);

/* The keys of a row, separated by blanks; of the table where `k` is NULL or does not say. */
const char *keys_of(const struct keys *k, const struct binding *b);

/* Whether they were given by keys_set(). */
bool keys_are_own(const struct keys *k, const struct binding *b);

/* What a key does in a context (enum context bits); NULL = nothing. `k` may be NULL. */
const struct binding *keys_find(const struct keys *k, unsigned context, const struct key *key);

/* The first function key of the row, or its first other key, that does what the row says in a
 * context; false: it has none there. Answers are kept until the context or the keys change: one
 * thread at a time. `k` may be NULL. */
bool keys_first(const struct keys *k, unsigned context, const struct binding *b, bool is_function,
                struct key *out);

/* The keys of the row that do something else in a place where the row counts: "p: open, Z: …",
 * "" when there is none. How many. */
unsigned keys_conflicts(const struct keys *k, const struct binding *b, char *out, size_t room);

/* The row that a key finds all of the program by: the first of that name. NULL = no such. */
const struct binding *keys_command(const char *name);

/* "tracetop keys": name, keys, contexts, help, conflicts, tab-separated, with a header. */
void keys_print(const struct keys *k, FILE *out);

#endif
