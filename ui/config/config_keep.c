/* Writing the configuration back: the file is read anew, items are changed in it, and it takes the
 * old one's place as a whole. */
#include "ui/config/config.h"

#include "src/base/mem.h"
#include "src/os/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is there now and where it really is (a name may be a link to it); "" where there is no
 * file yet, NULL with a sentence. */
static char *read_now(const struct config *c, char **place, struct err *err)
{
    *place = NULL;
    if (!c->path[0]) {
        fail(err, "no folder for the configuration; --config FILE names a file");
        return NULL;
    }
    if (os_path_kind(c->path) == OS_NOTHING) {
        *place = mem_string(c->path);
        return mem_string("");
    }
    struct os_file *const f = os_open(c->path, err);
    if (!f)
        return NULL;
    const int64_t size = os_size(f);
    char *text = NULL;
    if (os_path_kind(c->path) != OS_REGULAR || size < 0 || size > CONFIG_BYTES_MAX)
        fail(err, "%.700s: expected a configuration of at most %d bytes", c->path,
             CONFIG_BYTES_MAX);
    else
        text = mem_new((size_t)size + 1, 1);
    if (text && os_read_at(f, text, (size_t)size, 0, err) < size) {
        free(text);
        text = NULL;
    }
    if (text && memchr(text, '\0', (size_t)size)) {
        fail(err, "%.700s: expected text, found a zero byte", c->path);
        free(text);
        text = NULL;
    }
    if (text)
        *place = os_place(f);
    os_close(f);
    return text;
}

static bool make_folder_of(const char *path, struct err *err)
{
    char folder[1100];
    const size_t bytes = strlen(path);
    size_t end = bytes;
    while (end > 0 && path[end - 1] != '/' && path[end - 1] != '\\')
        end--;
    if (end <= 1 || end > sizeof folder)
        return true;
    memcpy(folder, path, end - 1);
    folder[end - 1] = '\0';
    return os_make_folders(folder, err);
}

/* Under a name of its own first: whoever reads meanwhile reads the old one, whole. */
static bool write_file(const char *path, const char *text, struct err *err)
{
    char part[1200];
    if (!make_folder_of(path, err))
        return false;
    snprintf(part, sizeof part, "%s.new", path);
    os_remove(part); /* of somebody who did not come to an end */
    struct os_file *const f = os_create(part, err);
    if (!f)
        return false;
    const bool is_written = os_write_at(f, text, strlen(text), 0, err) && os_sync(f, err);
    os_close(f);
    if (is_written && os_move(part, path, true, err))
        return true;
    os_remove(part);
    return false;
}

bool config_new_file(const struct config *c, const char *folder, const char *name, const char *text,
                     char *path, size_t room, struct err *err)
{
    if (!config_folder(c, folder, path, room))
        return fail(err, "no folder for the configuration; --config FILE names a file");
    const size_t used = strlen(path);
    if ((size_t)snprintf(path + used, room - used, "/%s", name) >= room - used)
        return fail(err, "the name of the folder for %s is too long", name);
    if (os_path_kind(path) != OS_NOTHING)
        return fail(err, "%.700s is there already; choose another name", path);
    return write_file(path, text, err);
}

bool config_write_beside(const struct config *c, const char *name, const char *text,
                         struct err *err)
{
    char path[1200], folder[1100], usual[1100];
    if (!config_folder(c, name, path, sizeof path) || !config_folder(c, "", folder, sizeof folder))
        return true;
    os_config_folder(usual, sizeof usual);
    const size_t bytes = strlen(usual); /* without the separator at the end of the other */
    const bool is_usual =
        bytes && strncmp(folder, usual, bytes) == 0 && strlen(folder) == bytes + 1;
    if (!is_usual && os_path_kind(folder[0] ? folder : ".") != OS_DIRECTORY)
        return true;
    return write_file(path, text, err);
}

/* Takes the text (NULL: nothing is written, the sentence is there). */
static bool finish(char *text, char *place, struct err *err)
{
    const bool is_well = text && strlen(text) <= CONFIG_BYTES_MAX && write_file(place, text, err);
    if (text && strlen(text) > CONFIG_BYTES_MAX)
        fail(err, "%.700s: would be larger than %d bytes", place, CONFIG_BYTES_MAX);
    free(text);
    free(place);
    return is_well;
}

static char *with(char *text, const char *section, const char *key, const char *value,
                  struct err *err)
{
    char *const more = text ? item_set(text, section, key, value, err) : NULL;
    free(text);
    return more;
}

bool config_differs(const struct config *c, const struct settings *now)
{
    for (size_t i = 0; i < settings_count; i++)
        if (!setting_equal(&settings_table[i], &c->settings, now))
            return true;
    return false;
}

bool config_keep(struct config *c, const struct settings *now, struct err *err)
{
    char *place, *text = read_now(c, &place, err);
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *const row = &settings_table[i];
        char value[SETTING_ROOM];
        if (setting_equal(row, &c->settings, now))
            continue;
        setting_write(row, now, value);
        text = with(text, row->section, row->key, value, err);
    }
    if (!finish(text, place, err))
        return false;
    c->settings = c->file = *now;
    c->is_there = true;
    return true;
}

/* The text without the items of the section that are not among these. */
static char *without_others(char *text, const char *section, const struct pairs *pairs,
                            struct err *err)
{
    struct item_reader r = item_reader(text, strlen(text));
    for (enum item_kind kind = item_next(&r); kind != ITEM_END; kind = item_next(&r)) {
        if (kind != ITEM_PAIR || strcmp(r.section, section) != 0 || pairs_get(pairs, r.key))
            continue;
        text = with(text, section, r.key, NULL, err);
        r = item_reader(text, strlen(text));
    }
    return text;
}

bool config_keep_group(struct config *c, const char *kind, const char *name,
                       const struct pairs *pairs, struct err *err)
{
    char section[2 * ITEM_SECTION], *place, *text = read_now(c, &place, err);
    snprintf(section, sizeof section, "%s.%s", kind, name);
    if (text && pairs->count == 0) {
        char *const less = item_drop_section(text, section);
        free(text);
        text = less;
    } else if (text) {
        text = without_others(text, section, pairs, err);
    }
    for (unsigned i = 0; i < pairs->count; i++)
        text = with(text, section, pairs->at[i].key, pairs->at[i].value, err);
    if (!finish(text, place, err))
        return false;
    c->is_there = true;
    config_take_group(c, kind, name, pairs);
    return true;
}
