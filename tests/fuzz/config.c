/* Any bytes as a view file: there is a view, or a sentence. As a configuration: it is read, complains in sentences, keys can be printed and found
 * by it; and an item that is set in it is what is read back, with every other line as it was. */
#include "ui/action/saved.h"
#include "ui/config/config.h"
#include "ui/config/item.h"
#include "ui/main/user_views.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_struct(struct config *c)
{
    if ((c->warnings > 0) != (c->warning.text[0] != '\0'))
        abort(); /* a warning without a sentence, or the other way round */
    if (c->view_count > CONFIG_GROUPS_MAX || c->rules.count > CONFIG_PAIRS_MAX)
        abort();
    for (size_t i = 0; i < settings_count; i++) {
        char text[SETTING_ROOM];
        struct settings back = c->file;
        setting_write(&settings_table[i], &c->file, text);
        if (!setting_read(&settings_table[i], &back, text, NULL) ||
            !setting_equal(&settings_table[i], &back, &c->file))
            abort(); /* what is written is not what is read */
    }
    for (size_t i = 0; i < keymap_count; i++) {
        char said[256], name[KEY_NAME];
        struct key key;
        if (!keys_are_own(c->keys, &keymap[i]))
            continue; /* the table's are no matter of the text's */
        keys_conflicts(c->keys, &keymap[i], said, sizeof said);
        for (const char *at = keys_of(c->keys, &keymap[i]); keymap_next_key(&at, name);)
            if (!key_parse(name, &key))
                abort(); /* a key that is none */
    }
    saved_check(c);
}

/* Pairs that a text says, but for one. */
static unsigned long sum_of_others(const char *text, const char *section, const char *key)
{
    struct item_reader r = item_reader(text, strlen(text));
    unsigned long sum = 5381;
    for (enum item_kind kind = item_next(&r); kind != ITEM_END; kind = item_next(&r)) {
        if (kind != ITEM_PAIR || (strcmp(r.section, section) == 0 && strcmp(r.key, key) == 0))
            continue;
        for (const char *parts[] = {r.section, r.key, r.value, NULL}, **p = parts; *p; p++)
            for (const char *at = *p; *at; at++)
                sum = sum * 33 + (unsigned char)*at;
    }
    return sum;
}

static void check_setting(const char *text, const char *section, const char *key, const char *value)
{
    char *const set = item_set(text, section, key, value, NULL);
    if (!set)
        abort(); /* these fit any line */
    struct config c;
    config_parse(&c, set, strlen(set), "set.conf");
    char found[SETTING_ROOM];
    setting_write(setting_find(section, key), &c.file, found);
    if (strcmp(found, value) != 0 ||
        sum_of_others(set, section, key) != sum_of_others(text, section, key))
        abort(); /* not read back, or another item suffered */
    char *const less = item_drop_section(set, section);
    struct item_reader r = item_reader(less, strlen(less));
    for (enum item_kind kind = item_next(&r); kind != ITEM_END; kind = item_next(&r))
        if (kind == ITEM_HEAD && strcmp(r.section, section) == 0)
            abort(); /* the section is still there */
    free(less);
    config_fini(&c);
    free(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct config c;
    struct err err = {""};
    if (!user_views_parse((const char *)data, bytes, "fuzz.view", &err) && !err.text[0])
        abort(); /* no view and no sentence */
    config_parse(&c, (const char *)data, bytes, "fuzz.conf");
    check_struct(&c);
    config_fini(&c);
    char *const text = malloc(bytes + 1);
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    if (strlen(text) == bytes) {
        check_setting(text, "ui", "time", "delta");
        check_setting(text, "record", "folder", "/tmp/a b");
    }
    free(text);
    return 0;
}
