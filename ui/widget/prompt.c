#include "ui/widget/prompt.h"

#include "src/base/mem.h"
#include "src/base/text.h"
#include "ui/config/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void prompt_set(struct prompt *p, const char *text)
{
    snprintf(p->text, sizeof p->text, "%s", text);
    p->at = strlen(p->text);
}

void prompt_open(struct prompt *p, struct history *h, const char *text)
{
    *p = (struct prompt){.history = h};
    prompt_set(p, text);
}

void history_fini(struct history *h)
{
    for (unsigned i = 0; i < h->count; i++)
        free(h->lines[i]);
    h->count = 0;
}

void prompt_keep(struct prompt *p)
{
    struct history *h = p->history;
    if (p->text[0] == '\0' || (h->count && strcmp(h->lines[h->count - 1], p->text) == 0))
        return;
    if (h->count == HISTORY_MAX) {
        free(h->lines[0]);
        memmove(h->lines, h->lines + 1, (HISTORY_MAX - 1) * sizeof *h->lines);
        h->count--;
    }
    h->lines[h->count++] = mem_string(p->text);
}

/* Bytes of the cluster that ends at p->at, and of the one that starts there. */
static size_t before(const struct prompt *p)
{
    size_t last = 0;
    for (size_t at = 0; at < p->at;) {
        last = text_cluster_bytes(p->text + at, strlen(p->text) - at);
        at += last;
    }
    return last;
}

static size_t after(const struct prompt *p)
{
    return p->text[p->at] ? text_cluster_bytes(p->text + p->at, strlen(p->text + p->at)) : 0;
}

static void erase(struct prompt *p, size_t from, size_t to)
{
    memmove(p->text + from, p->text + to, strlen(p->text + to) + 1);
    p->at = from;
}

static void insert(struct prompt *p, const char *text, size_t bytes)
{
    const size_t length = strlen(p->text);
    if (bytes == 0 || length + bytes >= sizeof p->text)
        return;
    memmove(p->text + p->at + bytes, p->text + p->at, length - p->at + 1);
    memcpy(p->text + p->at, text, bytes);
    p->at += bytes;
}

static void recall(struct prompt *p, int by)
{
    const int to = (int)p->recalled + by;
    if (to < 0 || to > (int)p->history->count)
        return;
    if (p->recalled == 0)
        memcpy(p->typed, p->text, sizeof p->typed);
    p->recalled = (unsigned)to;
    prompt_set(p, to == 0 ? p->typed : p->history->lines[p->history->count - p->recalled]);
}

static size_t word_start(const struct prompt *p)
{
    size_t at = p->at;
    while (at > 0 && p->text[at - 1] == ' ')
        at--;
    while (at > 0 && p->text[at - 1] != ' ')
        at--;
    return at;
}

static bool control_key(struct prompt *p, uint32_t letter)
{
    switch (letter) {
    case 'u':
        erase(p, 0, p->at);
        return true;
    case 'w':
        erase(p, word_start(p), p->at);
        return true;
    case 'k':
        p->text[p->at] = '\0';
        return true;
    default:
        return false;
    }
}

bool prompt_key(struct prompt *p, const struct key *k)
{
    char utf8[5];
    if (k->kind == KEY_CHARACTER && k->modifiers == KEY_CONTROL)
        return control_key(p, k->code);
    if (k->modifiers != 0)
        return false;
    switch (k->kind) {
    case KEY_CHARACTER:
        insert(p, utf8, utf8_encode(k->code, utf8));
        return true;
    case KEY_PASTE:
        insert(p, k->text, k->lost ? 0 : k->bytes);
        return true;
    case KEY_BACKSPACE:
        erase(p, p->at - before(p), p->at);
        return true;
    case KEY_DELETE:
        erase(p, p->at, p->at + after(p));
        return true;
    case KEY_LEFT:
        p->at -= before(p);
        return true;
    case KEY_RIGHT:
        p->at += after(p);
        return true;
    case KEY_HOME:
        p->at = 0;
        return true;
    case KEY_END:
        p->at = strlen(p->text);
        return true;
    case KEY_UP:
        recall(p, 1);
        return true;
    case KEY_DOWN:
        recall(p, -1);
        return true;
    default:
        return false;
    }
}
