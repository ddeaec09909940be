#include "ui/state/recent_texts.h"

#include "src/base/mem.h"
#include "ui/config/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char FILE_NAME[] = "recent";
static const char HEAD[] = "# Texts typed in tracetop, newest last; ui.recent = no keeps none.\n";

static const struct {
    enum prompting prompt;
    const char *word;
} kinds[] = {{PROMPT_FILTER, "filter "}, {PROMPT_COMMAND, "command "}, {PROMPT_FIND, "find "}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Moves the text to the end; the oldest makes room. */
static void take(struct history *h, const char *text)
{
    struct prompt line = {.history = h};
    for (unsigned i = 0; i < h->count; i++) {
        if (strcmp(h->lines[i], text) != 0)
            continue;
        free(h->lines[i]);
        memmove(h->lines + i, h->lines + i + 1, (--h->count - i) * sizeof *h->lines);
        break;
    }
    prompt_set(&line, text);
    prompt_keep(&line);
}

/* Text for a prompt and nothing else: the file may be anybody's. */
static bool is_plain(const char *text)
{
    size_t bytes;
    if (strlen(text) >= FILTER_MAX)
        return false;
    for (uint32_t code; *text; text += bytes)
        if (!(bytes = utf8_decode(text, &code)) || code < ' ' || (code >= 0x7f && code < 0xa0))
            return false;
    return true;
}

static void read_lines(char *text, struct history lists[KINDS])
{
    for (char *line = text, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        for (unsigned i = 0; i < KINDS; i++) {
            const size_t word = strlen(kinds[i].word);
            if (strncmp(line, kinds[i].word, word) == 0 && is_plain(line + word))
                take(&lists[i], line + word);
        }
    }
}

void recent_texts_read(struct app *a)
{
    struct history lists[KINDS] = {{.count = 0}};
    struct err err;
    if (!a->config || !a->settings.keeps_recent)
        return;
    char *const text = config_read_beside(a->config, FILE_NAME, &err);
    if (text)
        read_lines(text, lists);
    free(text);
    for (unsigned i = 0; i < KINDS; i++) {
        history_fini(&a->histories[kinds[i].prompt]);
        a->histories[kinds[i].prompt] = lists[i];
    }
}

static char *text_of(const struct history lists[KINDS])
{
    size_t bytes = sizeof HEAD;
    for (unsigned i = 0; i < KINDS; i++)
        for (unsigned n = 0; n < lists[i].count; n++)
            bytes += strlen(kinds[i].word) + strlen(lists[i].lines[n]) + 1;
    char *const text = mem_new(bytes, 1);
    size_t used = (size_t)snprintf(text, bytes, "%s", HEAD);
    for (unsigned i = 0; i < KINDS; i++)
        for (unsigned n = 0; n < lists[i].count; n++)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s\n", kinds[i].word,
                                     lists[i].lines[n]);
    return text;
}

static bool has_texts(const struct app *a)
{
    for (unsigned i = 0; i < KINDS; i++)
        if (a->histories[kinds[i].prompt].count)
            return true;
    return false;
}

bool recent_texts_keep(const struct app *a, struct err *err)
{
    struct history lists[KINDS] = {{.count = 0}};
    if (!a->config || !a->settings.keeps_recent || a->settings.is_readonly || !has_texts(a))
        return true;
    char *const before = config_read_beside(a->config, FILE_NAME, err);
    if (!before)
        return false;
    char *const lines = mem_string(before);
    read_lines(lines, lists);
    for (unsigned i = 0; i < KINDS; i++) {
        const struct history *const h = &a->histories[kinds[i].prompt];
        for (unsigned n = 0; n < h->count; n++)
            if (is_plain(h->lines[n]))
                take(&lists[i], h->lines[n]);
    }
    char *const now = text_of(lists);
    const bool is_well =
        strcmp(now, before) == 0 || config_write_beside(a->config, FILE_NAME, now, err);
    for (unsigned i = 0; i < KINDS; i++)
        history_fini(&lists[i]);
    free(now);
    free(lines);
    free(before);
    return is_well;
}
