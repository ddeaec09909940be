/* Stands in for the terminal database that libtermkey asks: it never knows the terminal, so that
 * every key goes through libtermkey's own decoder for xterm's sequences, which are the ones that
 * the console's records are turned into. Only for compiling libtermkey. */
#ifndef SRC_WINDOWS_UNIBILIUM_H
#define SRC_WINDOWS_UNIBILIUM_H

#include <errno.h>
#include <stddef.h>

typedef struct unibi_term unibi_term;

enum unibi_string {
    unibi_string_begin_,
    unibi_keypad_xmit,
    unibi_keypad_local,
    unibi_string_end_,
};

static inline unibi_term *unibi_from_term(const char *name)
{
    (void)name;
    errno = ENOENT;
    return NULL;
}

static inline const char *unibi_name_str(enum unibi_string s)
{
    (void)s;
    return "";
}

static inline const char *unibi_get_str(const unibi_term *t, enum unibi_string s)
{
    (void)t;
    (void)s;
    return NULL;
}

static inline void unibi_destroy(unibi_term *t)
{
    (void)t;
}

#endif
