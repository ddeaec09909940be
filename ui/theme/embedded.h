/* The shipped themes, views and pages of the manual as part of the program, so that one file is all of it.
 * Generated from themes/, the files .view of src/pane/ and src/manual/ by the Makefile. */
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

/* The manual, tracetop(1) first, by name and number: "tracetop-filter.5". */
extern const struct embedded_theme embedded_pages[];

#endif
