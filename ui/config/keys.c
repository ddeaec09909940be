#include "ui/config/keys.h"

#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/base/suggest.h"

#include <stdlib.h>
#include <string.h>

/* More keys than a hand can find are a mistake. */
enum { KEYS_MOST = 16, KEYS_ROOM = KEYS_MOST * KEY_NAME };

/* What keys_first() answers for a row in the context that it was asked for last: of other keys, and
 * of function keys. */
struct first_keys {
    unsigned context; /* 0: it was not asked */
    bool has[2];
    struct key first[2];
};

struct keys {
    char **own; /* of each row of the table: its keys, or NULL */
    struct first_keys *first;
};

struct keys *keys_new(void)
{
    struct keys *const k = mem_new(1, sizeof *k);
    k->own = mem_new(keymap_count + 1, sizeof *k->own);
    k->first = mem_new(keymap_count + 1, sizeof *k->first);
    return k;
}

void keys_free(struct keys *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < keymap_count; i++)
        free(k->own[i]);
    free(k->own);
    free(k->first);
    free(k);
}

bool keys_are_own(const struct keys *k, const struct binding *b)
{
    return k && k->own[b - keymap];
}

const char *keys_of(const struct keys *k, const struct binding *b)
{
    return keys_are_own(k, b) ? k->own[b - keymap] : b->keys;
}

const struct binding *keys_command(const char *name)
{
    for (size_t i = 0; i < keymap_count; i++)
        if (strcmp(keymap[i].name, name) == 0)
            return &keymap[i];
    return NULL;
}

/* Configurations may still have the ids that charts had once: picture-left is chart-left, picture
 * is chart. */
static const struct binding *command_of_user(const char *name)
{
    static const char FORMER[] = "picture";
    char now[64];
    const struct binding *const found = keys_command(name);
    if (found || strncmp(name, FORMER, sizeof FORMER - 1) != 0)
        return found;
    const int length = snprintf(now, sizeof now, "chart%s", name + sizeof FORMER - 1);
    return length > 0 && (size_t)length < sizeof now ? keys_command(now) : NULL;
}

/* ---- finding ------------------------------------------------------------------------------- */

static bool is_among(const char *names, const struct key *k)
{
    char name[KEY_NAME];
    struct key bound;
    for (const char *at = names; keymap_next_key(&at, name);)
        if (key_parse(name, &bound) && key_equal(&bound, k))
            return true;
    return false;
}

/* Is the name among these? All are written as key_text() writes them. */
static bool is_named(const char *names, const char *name, size_t length)
{
    for (const char *at = names; at;) {
        if (*at == *name && strncmp(at, name, length) == 0 && (at[length] == ' ' || !at[length]))
            return true;
        const char *const blank = strchr(at, ' ');
        at = blank ? blank + 1 : NULL;
    }
    return false;
}

/* Text that can be typed: there it stays text. */
static bool is_text(const struct key *k)
{
    return k->kind == KEY_CHARACTER && k->modifiers == 0;
}

/* First what was given anew, then the table in its order. */
const struct binding *keys_find(const struct keys *k, unsigned context, const struct key *key)
{
    const bool is_typing = (context & (CONTEXT_PROMPT | CONTEXT_CHOOSER)) != 0;
    char name[KEY_NAME];
    key_text(key, name);
    const size_t length = strlen(name);
    for (size_t i = 0; k && i < keymap_count; i++)
        if (k->own[i] && (keymap[i].contexts & context) && is_named(k->own[i], name, length) &&
            !is_named(keymap[i].keys, name, length) && !(is_typing && is_text(key)))
            return &keymap[i];
    for (size_t i = 0; i < keymap_count; i++)
        if ((keymap[i].contexts & context) && is_named(keymap[i].keys, name, length) &&
            is_named(keys_of(k, &keymap[i]), name, length))
            return &keymap[i];
    return NULL;
}

static void find_first(const struct keys *k, unsigned context, const struct binding *b,
                       struct first_keys *out)
{
    char name[KEY_NAME];
    struct key key;
    *out = (struct first_keys){.context = context};
    for (const char *at = keys_of(k, b); keymap_next_key(&at, name);) {
        if (!key_parse(name, &key) || out->has[key.kind == KEY_FUNCTION] ||
            keys_find(k, context, &key) != b)
            continue;
        out->has[key.kind == KEY_FUNCTION] = true;
        out->first[key.kind == KEY_FUNCTION] = key;
    }
}

/* The key bar asks for each row in each frame. */
bool keys_first(const struct keys *k, unsigned context, const struct binding *b, bool is_function,
                struct key *out)
{
    struct first_keys unkept = {.context = 0};
    struct first_keys *const known = k ? &k->first[b - keymap] : &unkept;
    if (known->context != context)
        find_first(k, context, b, known);
    *out = known->first[is_function];
    return known->has[is_function];
}

/* ---- giving -------------------------------------------------------------------------------- */

static bool unknown_command(const char *command, struct err *err)
{
    struct suggestion best = {NULL, 0};
    for (size_t i = 0; i < keymap_count; i++)
        suggest(&best, command, keymap[i].name);
    if (best.name)
        return fail(err, "there is no command \"%.60s\"; did you mean \"%s\"?", command, best.name);
    return fail(err, "there is no command \"%.60s\"; tracetop keys lists them", command);
}

static bool parse_own(const char *name, struct key *out)
{
    if (strcmp(name, "Comma") == 0)
        return key_parse(",", out);
    if (strcmp(name, "Hash") == 0)
        return key_parse("#", out);
    return key_parse(name, out);
}

/* The keys by their usual names, each once, separated by blanks. */
static bool read_names(const char *names, char out[KEYS_ROOM], struct err *err)
{
    unsigned count = 0;
    size_t used = 0;
    out[0] = '\0';
    for (const char *at = names;;) {
        char name[KEY_NAME], usual[KEY_NAME];
        struct key key;
        at += strspn(at, " \t,");
        const size_t length = strcspn(at, " \t,");
        if (length == 0)
            break;
        snprintf(name, sizeof name, "%.*s", (int)(length < KEY_NAME ? length : KEY_NAME - 1), at);
        if (length >= KEY_NAME || !parse_own(name, &key))
            return fail(
                err, "unknown key \"%s\"; expected a key such as Z, C-s, F5, Space or Comma", name);
        at += length;
        if (is_among(out, &key))
            continue;
        if (count++ == KEYS_MOST)
            return fail(err, "expected at most %d keys for one command", KEYS_MOST);
        key_text(&key, usual);
        used += (size_t)snprintf(out + used, KEYS_ROOM - used, "%s%s", used ? " " : "", usual);
    }
    return count || fail(err, "expected keys or none, found nothing");
}

bool keys_set(struct keys *k, const char *command, const char *names, struct err *err)
{
    char read[KEYS_ROOM] = "";
    const struct binding *const wanted = command_of_user(command);
    if (!wanted)
        return unknown_command(command, err);
    if (strcmp(names, "none") != 0 && !read_names(names, read, err))
        return false;
    for (size_t i = 0; i < keymap_count; i++) {
        if (strcmp(keymap[i].name, wanted->name) != 0)
            continue;
        free(k->own[i]);
        k->own[i] = mem_string(read);
    }
    memset(k->first, 0, keymap_count * sizeof *k->first);
    return true;
}

/* ---- conflicts and printing ------------------------------------------------------------------ */

static const struct {
    unsigned context;
    const char *name;
} places[] = {{CONTEXT_TABLE, "table"},     {CONTEXT_CHART, "chart"}, {CONTEXT_TREE, "tree"},
              {CONTEXT_STACKS, "stacks"},   {CONTEXT_FLAME, "flame"},     {CONTEXT_EVENTS, "events"},
              {CONTEXT_DETAIL, "detail"},   {CONTEXT_TEXT, "text"},   {CONTEXT_SPLIT, "split"},
              {CONTEXT_CHOOSER, "chooser"}, {CONTEXT_PROMPT, "prompt"}};
enum { PLACES = sizeof places / sizeof *places };

/* The row that has the key in a place where b counts, too; NULL: b has it wherever it counts. */
static const struct binding *rival(const struct keys *k, const struct binding *b,
                                   const struct key *key)
{
    for (size_t i = 0; i < PLACES; i++) {
        if (!(b->contexts & places[i].context))
            continue;
        const struct binding *const found = keys_find(k, places[i].context, key);
        if (found && found != b && strcmp(found->name, b->name) != 0)
            return found;
    }
    return NULL;
}

unsigned keys_conflicts(const struct keys *k, const struct binding *b, char *out, size_t room)
{
    unsigned count = 0;
    size_t used = 0;
    char name[KEY_NAME];
    struct key key;
    out[0] = '\0';
    for (const char *at = keys_of(k, b); keymap_next_key(&at, name) && key_parse(name, &key);) {
        const struct binding *const other = rival(k, b, &key);
        if (!other)
            continue;
        if (used < room)
            used += (size_t)snprintf(out + used, room - used, "%s%s: %s", count ? ", " : "", name,
                                     other->name);
        count++;
    }
    return count;
}

void keys_print(const struct keys *k, FILE *out)
{
    fputs("command\tkeys\twhere\thelp\tconflicts\n", out);
    for (size_t i = 0; i < keymap_count; i++) {
        const char *const keys = keys_of(k, &keymap[i]);
        char conflicts[512];
        show(out, "%s\t%s\t", keymap[i].name, *keys ? keys : "none");
        const char *comma = "";
        for (size_t c = 0; c < PLACES; c++) {
            if (!(keymap[i].contexts & places[c].context))
                continue;
            show(out, "%s%s", comma, places[c].name);
            comma = ",";
        }
        keys_conflicts(k, &keymap[i], conflicts, sizeof conflicts);
        show(out, "\t%s\t%s\n", keymap[i].help, conflicts);
    }
}
