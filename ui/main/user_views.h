/* View files (ui/README.md), in the line format of ui/config/item.h: those that are part of the
 * program, those in the folder views/ beside the configuration, and those that the command line
 * names. Each becomes a pane (src/pane/user_view.h). Main thread, before any other begins. */
#ifndef UI_MAIN_USER_VIEWS_H
#define UI_MAIN_USER_VIEWS_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { USER_VIEW_BYTES_MAX = 64 * 1024 };

struct config;

/* Reads a view's text; `file` names it in sentences, and its base name is the pane's id. False with
 * a sentence about the first line that says nothing sensible: then there is no such view. */
bool user_views_parse(const char *text, size_t bytes, const char *file, struct err *err);

/* The program's own. */
void user_views_builtin(void);

/* The files that the line names, which must be right. */
bool user_views_files(const char *const *files, size_t count, struct err *err);

/* Reads the files of the folder; mistakes in them are reported like those in the configuration. */
void user_views_folder(struct config *config);

#endif
