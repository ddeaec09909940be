/* Where themes come from: the program, the folder themes/ beside the configuration, and files. */
#include "src/os/os.h"
#include "src/base/suggest.h"
#include "ui/config/config.h"
#include "ui/theme/embedded.h"
#include "ui/theme/theme.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A theme is a page of text; anything larger is a mistake or an attack. */
enum { THEME_BYTES_MAX = 64 * 1024, INHERIT_MAX = 4, USER_THEMES = 32 };

const char *theme_embedded(size_t i)
{
    for (size_t at = 0; at <= i; at++)
        if (!embedded_themes[at].name)
            return NULL;
    return embedded_themes[i].name;
}

/* ---- the user's own ------------------------------------------------------------------------- */

/* Names of the files in themes/ beside the configuration, with their ending; how many. */
static size_t user_names(char (*names)[OS_NAME_ROOM], char *folder, size_t room)
{
    config_usual_folder("themes", folder, room);
    return folder[0] ? os_folder_names(folder, ".theme", names, USER_THEMES) : 0;
}

static bool user_theme(const char *name, char *path, size_t room)
{
    char names[USER_THEMES][OS_NAME_ROOM], folder[1100], wanted[OS_NAME_ROOM];
    const size_t count = user_names(names, folder, sizeof folder);
    snprintf(wanted, sizeof wanted, "%s.theme", name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], wanted) == 0)
            return snprintf(path, room, "%s/%s", folder, wanted) < (int)room;
    return false;
}

bool theme_name(size_t i, char out[OS_NAME_ROOM])
{
    size_t own = 0;
    while (embedded_themes[own].name)
        own++;
    if (i < own)
        return snprintf(out, OS_NAME_ROOM, "%s", embedded_themes[i].name) > 0;
    char names[USER_THEMES][OS_NAME_ROOM], folder[1100];
    const size_t count = user_names(names, folder, sizeof folder);
    if (i - own >= count)
        return false;
    names[i - own][strlen(names[i - own]) - strlen(".theme")] = '\0';
    snprintf(out, OS_NAME_ROOM, "%s", names[i - own]);
    return true;
}

/* ---- loading --------------------------------------------------------------------------------- */

struct source_text {
    const char *text;
    size_t bytes;
    char *owned;
};

static bool read_file(const char *path, struct source_text *out, struct err *err)
{
    struct os_file *file = os_open(path, err);
    if (!file)
        return false;
    bool ok = false;
    const int64_t size = os_size(file);
    char *text = size < 0 || size > THEME_BYTES_MAX ? NULL : malloc((size_t)size + 1);
    if (!text) {
        fail(err, "%s: expected a theme of at most %d bytes", path, THEME_BYTES_MAX);
    } else {
        const int64_t got = os_read_at(file, text, (size_t)size, 0, err);
        ok = got >= 0;
        *out = (struct source_text){text, ok ? (size_t)got : 0, text};
    }
    os_close(file);
    if (!ok)
        free(text);
    return ok;
}

static bool is_path(const char *name)
{
    const size_t length = strlen(name);
    return strchr(name, '/') || (length > 6 && strcmp(name + length - 6, ".theme") == 0);
}

static bool find_text(const char *name, struct source_text *out, struct err *err)
{
    if (is_path(name))
        return read_file(name, out, err);
    for (size_t i = 0; embedded_themes[i].name; i++) {
        if (strcmp(embedded_themes[i].name, name) == 0) {
            *out = (struct source_text){embedded_themes[i].text, embedded_themes[i].bytes, NULL};
            return true;
        }
    }
    char path[1400], known[512] = "", one[OS_NAME_ROOM];
    if (user_theme(name, path, sizeof path))
        return read_file(path, out, err);
    for (size_t i = 0; theme_name(i, one); i++)
        suggest_list(known, sizeof known, one);
    return fail(err, "no theme \"%s\"; there are %s, and files named by a path", name, known);
}

static const char *color_named(const struct theme *t, const char *name)
{
    for (unsigned i = 0; i < t->colors; i++)
        if (strcmp(t->palette[i].name, name) == 0)
            return t->palette[i].text;
    return NULL;
}

/* Sixteen colors by their customary names, base00 … base0F, and no word of what they are for. */
static bool is_bare_palette(const struct theme *t)
{
    for (unsigned role = 0; role < ROLES; role++)
        if (t->roles[DEPTH_TRUE][role][0])
            return false;
    return color_named(t, "base00") && color_named(t, "base05");
}

/* What the default theme calls its colors, by what they usually are in such a palette. */
static void name_base_colors(struct theme *t, const struct theme *own)
{
    static const struct {
        const char *ours, *base;
    } pairs[] = {{"accent", "base0D"}, {"warn", "base09"},  {"bad", "base08"}, {"good", "base0B"},
                 {"rose", "base0E"},   {"lemon", "base0A"}, {"loss", "base08"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (unsigned c = 0; c < t->colors; c++)
            if (strcmp(t->palette[c].name, pairs[i].ours) == 0 &&
                !color_named(own, pairs[i].ours) && color_named(own, pairs[i].base))
                snprintf(t->palette[c].text, THEME_NAME, "%s", pairs[i].base);
}

static bool load(struct theme *t, const char *name, unsigned deep, struct err *err)
{
    struct source_text source;
    if (!find_text(name, &source, err))
        return false;
    if (deep == INHERIT_MAX) {
        free(source.owned);
        return fail(err, "theme \"%s\" inherits in a circle or deeper than %d", name, INHERIT_MAX);
    }
    struct theme *look_ahead = calloc(1, sizeof *look_ahead);
    if (!look_ahead) {
        free(source.owned);
        return fail(err, "no memory for theme \"%s\"", name);
    }
    theme_parse(look_ahead, source.text, source.bytes, name);
    const bool has_parent = look_ahead->inherits[0] != '\0';
    const bool is_base = !has_parent && is_bare_palette(look_ahead);
    const bool ok = is_base      ? load(t, "default", deep + 1, err)
                    : has_parent ? load(t, look_ahead->inherits, deep + 1, err)
                                 : true;
    if (ok) {
        t->inherits[0] = '\0';
        if (is_base) /* its colors are others: what was said of the default's says nothing of them
                      */
            t->author[0] = t->safe[0] = '\0';
        theme_parse(t, source.text, source.bytes, name);
        if (is_base)
            name_base_colors(t, look_ahead);
    }
    free(look_ahead);
    free(source.owned);
    return ok;
}

bool theme_load(struct theme *t, const char *name, struct err *err)
{
    *t = (struct theme){0};
    return load(t, name, 0, err);
}
