#include "src/engine/trigger.h"

#include "src/base/unit.h"
#include "src/filter/filter.h"
#include "src/pane/panes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* Behind a quoted stretch or one character. */
static const char *step(const char *at)
{
    if (*at != '"')
        return at + 1;
    const char *const end = strchr(at + 1, '"');
    return end ? end + 1 : at + strlen(at);
}

/* The word `name` that stands alone and outside quotes; NULL = there is none. */
static const char *find_word(const char *text, const char *name)
{
    const size_t bytes = strlen(name);
    bool begins = true;
    for (const char *at = text; *at; at = step(at)) {
        if (begins && strncmp(at, name, bytes) == 0 && (!at[bytes] || is_blank(at[bytes])))
            return at;
        begins = is_blank(*at);
    }
    return NULL;
}

/* The text without blanks around it; false when there is no room. */
static bool keep(const char *from, const char *to, char out[TRIGGER_TEXT])
{
    from = skip_blanks(from);
    while (to > from && is_blank(to[-1]))
        to--;
    if (to < from)
        to = from;
    if (to - from >= TRIGGER_TEXT)
        return false;
    memcpy(out, from, (size_t)(to - from));
    out[to - from] = '\0';
    return true;
}

/* Takes the last word off; NULL = there is none. */
static char *take_last(char *text)
{
    size_t end = strlen(text);
    while (end && is_blank(text[end - 1]))
        text[--end] = '\0';
    size_t begin = end;
    while (begin && !is_blank(text[begin - 1]))
        begin--;
    return begin == end ? NULL : text + begin;
}

static void cut_at(char *text, char *at)
{
    *at = '\0';
    for (size_t end = strlen(text); end && is_blank(text[end - 1]);)
        text[--end] = '\0';
}

/* Takes "WORD TIME" off the end. False with an error where TIME is not a time; *found: they were
 * there. */
static bool take_time(char *text, const char *word, int64_t *ns, bool *found, struct err *err)
{
    char copy[TRIGGER_TEXT];
    struct err why;
    *found = false;
    memcpy(copy, text, sizeof copy);
    char *const time = take_last(copy);
    if (!time)
        return true;
    char value[TRIGGER_TEXT];
    memcpy(value, time, strlen(time) + 1);
    cut_at(copy, time);
    char *const name = take_last(copy);
    if (!name || strcmp(name, word) != 0)
        return true;
    if (!unit_time(value, ns, &why) || *ns <= 0)
        return fail(err, "expected a time after \"%s\", such as 3s, found '%.40s'", word, value);
    *found = true;
    cut_at(copy, name);
    memcpy(text, copy, sizeof copy);
    return true;
}

/* ---- the condition ---- */

static size_t name_bytes(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789-");
}

/* Names of payload fields have capital letters and points, too. */
static size_t field_bytes(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-.");
}

/* "pane.field" with a sign behind it: how long the pane's part is, its dot included; else 0. What
 * looks like a payload field has a pane before it only if that is the pane's whole name. */
static size_t pane_bytes(const char *at, char name[32])
{
    const size_t pane = name_bytes(at), field = at[pane] == '.' ? field_bytes(at + pane + 1) : 0;
    if (!pane || !field || pane >= 32 || !strchr("=<>:~!", at[pane + 1 + field]) ||
        !at[pane + 1 + field])
        return 0;
    memcpy(name, at, pane);
    name[pane] = '\0';
    const bool is_payload = field > name_bytes(at + pane + 1);
    const struct pane *const p = is_payload ? pane_find(name) : NULL;
    return is_payload && (!p || strcmp(p->id, name) != 0) ? 0 : pane + 1;
}

/* Takes the panes' names off the fields: they must be one. */
static bool read_pane(const char *text, struct trigger *t, struct err *err)
{
    char name[32];
    size_t used = 0;
    bool begins = true;
    t->pane = NULL;
    for (const char *at = text; *at;) {
        const size_t skipped = begins ? pane_bytes(at, name) : 0;
        if (skipped) {
            const struct pane *const p = pane_find(name);
            if (!p)
                return fail(err,
                            "expected the name of a pane before the dot, found '%s'; a payload "
                            "field follows \"events.\"",
                            name);
            if (t->pane && p != t->pane)
                return fail(err, "expected fields of one pane, found %s and %s", t->pane->id,
                            p->id);
            t->pane = p;
            at += skipped;
        }
        const char *const next = step(at);
        begins = is_blank(*at) || strchr("(|!&", *at);
        memcpy(t->filter + used, at, (size_t)(next - at)); /* never longer than the text */
        used += (size_t)(next - at);
        at = next;
    }
    t->filter[used] = '\0';
    if (!t->pane)
        t->pane = pane_find("events");
    return true;
}

static bool read_condition(char *text, struct trigger *t, struct err *err)
{
    bool found;
    if (!take_time(text, "for", &t->for_ns, &found, err) || !read_pane(text, t, err))
        return false;
    if (!t->filter[skip_blanks(t->filter) - t->filter])
        return fail(err, "expected a condition before \"do\", such as disk.p99>200ms");
    if (t->pane->view == PANE_TREE)
        return fail(err, "expected a pane with rows or events, found %s: it has call trees",
                    t->pane->id);
    return filter_check(t->filter, t->pane, err);
}

/* ---- the action ---- */

static const char *const actions[] = {
    [TRIGGER_SNAPSHOT] = "snapshot", [TRIGGER_MARK] = "mark",     [TRIGGER_BELL] = "bell",
    [TRIGGER_FREEZE] = "freeze",     [TRIGGER_RECORD] = "record", [TRIGGER_RUN] = "run",
};

/* "-30s..10s": from so long before to so long behind. */
static bool read_around(const char *text, struct trigger *t, struct err *err)
{
    char before[64] = "", after[64] = "";
    const char *const dots = strstr(text, "..");
    struct err why;
    bool ok = dots && dots > text && *text == '-' && dots - text < 64 && strlen(dots + 2) < 64;
    if (ok) {
        memcpy(before, text + 1, (size_t)(dots - text - 1));
        memcpy(after, dots + 2, strlen(dots + 2));
        ok = unit_time(before, &t->before_ns, &why) &&
             (!after[0] || unit_time(after, &t->after_ns, &why));
    }
    return ok ||
           fail(err, "expected a range such as -30s..10s after \"around\", found '%.40s'", text);
}

static bool read_snapshot(const char *text, struct trigger *t, struct err *err)
{
    static const char around[] = "around";
    if (!*text)
        return true;
    if (strncmp(text, around, sizeof around - 1) != 0 || !is_blank(text[sizeof around - 1]))
        return fail(err, "expected \"around\" and a range after \"snapshot\", found '%.40s'", text);
    return read_around(skip_blanks(text + sizeof around - 1), t, err);
}

static bool read_argument(const char *text, struct trigger *t, struct err *err)
{
    if (t->action == TRIGGER_SNAPSHOT)
        return read_snapshot(text, t, err);
    if (t->action == TRIGGER_RUN && !*text)
        return fail(err, "expected a command after \"run\"");
    if (t->action == TRIGGER_RUN || t->action == TRIGGER_MARK)
        return keep(text, text + strlen(text), t->argument);
    return !*text ||
           fail(err, "expected nothing after \"%s\", found '%.40s'", actions[t->action], text);
}

/* Takes "once" and "every TIME" off the end, in any order. */
static bool take_manners(char *text, struct trigger *t, struct err *err)
{
    for (;;) {
        bool has_time;
        if (!take_time(text, "every", &t->every_ns, &has_time, err))
            return false;
        char *const last = take_last(text);
        const bool is_once = last && strcmp(last, "once") == 0;
        if (is_once)
            cut_at(text, last);
        t->once |= is_once;
        if (!has_time && !is_once)
            return true;
    }
}

static bool read_action(char *text, struct trigger *t, struct err *err)
{
    if (!take_manners(text, t, err))
        return false;
    const char *const name = skip_blanks(text);
    const size_t bytes = strcspn(name, " \t");
    for (unsigned i = 0; i < TRIGGER_ACTIONS; i++) {
        t->action = (enum trigger_action)i;
        if (strlen(actions[i]) == bytes && memcmp(actions[i], name, bytes) == 0)
            return read_argument(skip_blanks(name + bytes), t, err);
    }
    return fail(err,
                "expected snapshot, mark, bell, freeze, record or run after \"do\", found '%.40s'",
                name);
}

bool trigger_parse(const char *text, struct trigger *out, struct err *err)
{
    static const int64_t MINUTE = 60000000000;
    char condition[TRIGGER_TEXT], action[TRIGGER_TEXT];
    *out = (struct trigger){.every_ns = MINUTE};
    const char *const at = find_word(text, "do");
    if (!at)
        return fail(err, "expected \"EXPR do ACTION\", found no \"do\"");
    if (strlen(text) >= TRIGGER_TEXT || !keep(text, at, condition) ||
        !keep(at + 2, at + strlen(at), action))
        return fail(err, "expected at most %d bytes, found %zu", TRIGGER_TEXT - 1, strlen(text));
    return read_condition(condition, out, err) && read_action(action, out, err);
}

bool trigger_runs_command(const char *text)
{
    const char *const at = find_word(text, "do");
    const char *const name = at ? skip_blanks(at + 2) : "";
    const size_t bytes = strcspn(name, " \t");
    return strlen(actions[TRIGGER_RUN]) == bytes && memcmp(actions[TRIGGER_RUN], name, bytes) == 0;
}
