/* Text nobody vouches for, made fit for eyes: Unicode in all its forms, measured
 * in cells, cut between grapheme clusters, safe for a terminal. Only text*.c
 * call libunistring. Texts are UTF-8 with a length and need no NUL; any bytes are safe.
 *
 * What a terminal could act on or hide never gets through: C0 controls become
 * control pictures (␛), and DEL ␡; everything else that is ill-formed, invisible,
 * direction-changing, private or unassigned becomes U+FFFD, one cell each. */
#ifndef SRC_BASE_TEXT_H
#define SRC_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_CLUSTER_ROOM = 16 }; /* bytes a safe cluster takes at most, with its NUL */

/* ---- clusters and cells ---------------------------------------------------------- */

/* Takes the first grapheme cluster (bytes > 0): writes its safe form, NUL-terminated,
 * into `out` (TEXT_CLUSTER_ROOM bytes or more), sets *cells to 1 or 2 and returns the
 * bytes consumed, at least 1. The safe form may hold two characters of one cell each
 * (flags, Indic vowels); its zero-width marks are four at most. Of joined emoji the
 * first is left: terminals do not agree on how wide the rest is. */
size_t text_cluster(const char *text, size_t bytes, char *out, size_t room, int *cells);

/* Bytes of the first cluster, for a text cursor; 0 when there are no bytes. */
size_t text_cluster_bytes(const char *text, size_t bytes);

/* Turns a safe cluster into ASCII of the same width: 'e' for e with an accent, '?'
 * for the rest. */
void text_cluster_to_ascii(char *cluster, int cells);

/* Cells that the safe form of the whole text takes. */
size_t text_width(const char *text, size_t bytes);

enum text_clip {
    TEXT_HEAD = 0,  /* names: keep the head, '…' at the end */
    TEXT_TAIL = 1,  /* paths: keep the tail, '…' in front */
    TEXT_ASCII = 2, /* or'ed: '?' for what is not ASCII, '~' for '…' */
};

/* Writes the safe form of the text, cut to at most `cells` cells and `room` bytes with
 * its NUL (cells * TEXT_CLUSTER_ROOM always do). Returns the cells used; less than
 * `cells` when the text is short or a wide character did not fit. */
int text_clip(char *out, size_t room, const char *text, size_t bytes, int cells, unsigned how);

/* Whether a character cannot be seen, or acts: controls, formats (joiners, directions, tags, BOM),
 * separators of lines, private and unassigned code points, letters that are blank. */
bool text_is_hidden(uint32_t code_point);

/* ---- encodings ------------------------------------------------------------------- */

bool text_is_valid(const char *text, size_t bytes);

/* Copies with U+FFFD for whatever is ill-formed; whole characters only, as many as fit
 * (3 bytes of room per byte of text always do). No NUL is added. Returns bytes written. */
size_t text_repair(char *out, size_t room, const char *text, size_t bytes);

/* UTF-16LE, any alignment, to UTF-8 in the same manner; unpaired surrogates and an odd
 * last byte become U+FFFD (3 bytes of room per 2 bytes, rounded up, always do). */
size_t text_from_utf16(char *out, size_t room, const void *utf16, size_t bytes);

/* And back: UTF-16LE at any alignment, whole characters, as many as fit (2 bytes of room per
 * byte of text always do). No NUL is added. Returns bytes written. */
size_t text_to_utf16(void *out, size_t room, const char *text, size_t bytes);

/* "1 event", "2 events": for nouns that add an s. */
enum { TEXT_COUNT = 48 };
const char *text_count(char out[TEXT_COUNT], uint64_t count, const char *one);

/* ---- ordering --------------------------------------------------------------------- */

/* Names that systems compare without case are ASCII where case counts. */
static inline char text_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Whether a name is of a pattern in which '*' is any bytes and '?' one; folded: case does not
 * count, as in text_lower(). */
bool text_is_like(const char *pattern, const char *name, bool is_folded);

/* By bytes, without the case of ASCII letters: below, at or above 0. */
int text_compare(const char *a, size_t a_bytes, const char *b, size_t b_bytes);

/* ---- searching ------------------------------------------------------------------- */

/* What is looked for, prepared once. Compatible forms are equal (NFKC); case is ignored
 * unless the needle has a capital letter. An empty needle is found everywhere. */
struct text_needle;
struct text_needle *text_needle_new(const char *needle, size_t bytes);
void text_needle_free(struct text_needle *n);
bool text_needle_in(const struct text_needle *n, const char *text, size_t bytes);

/* Where the needle has to stand. WILD is the whole text with * for any characters and ? for
 * one in the needle. */
enum text_where { TEXT_ANYWHERE, TEXT_WHOLE, TEXT_START, TEXT_END, TEXT_WILD };
bool text_needle_at(const struct text_needle *n, enum text_where where, const char *text,
                    size_t bytes);

#endif
