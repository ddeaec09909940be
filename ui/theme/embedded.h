/* The shipped themes and views as part of the program, so that one file is all of it.
 * Generated from themes/ and the files .view of src/pane/ by the Makefile. */
#ifndef UI_THEME_EMBEDDED_H
#define UI_THEME_EMBEDDED_H

#include <stddef.h>

struct embedded_theme {
    const char *name;
    const char *text;
    size_t bytes;
};

extern const struct embedded_theme embedded_themes[]; /* the last one's name is NULL */

/* Likewise the views. */
extern const struct embedded_theme embedded_views[];

#endif
