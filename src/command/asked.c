#include "src/command/asked.h"

#include "src/base/unit.h"
#include "src/command/inquiry.h"

#include <stdio.h>
#include <string.h>

static const char VERB[] = "ask";

/* ---- the monitor's side ---------------------------------------------------------------------- */

struct waiting {
    const struct instance *instance;
    int64_t deadline;
};

static bool is_given_up(void *of)
{
    const struct waiting *const w = of;
    return os_now() > w->deadline || instance_is_given_up(w->instance);
}

static bool answer_query(struct inquiry *a, const char *query, const char *range,
                         struct json_out *to, struct err *err)
{
    const struct pane *const q = inquiry_query(query, err);
    uint64_t left_out;
    if (!q)
        return false;
    struct request r = inquiry_request(q);
    const bool is_done =
        inquiry_choose(a, range, &r.from_ns, &r.to_ns, err) &&
        (inquiry_put(a, &r, to, &left_out) ||
         fail(err, "the answer took longer than %d s; ask for a range", ASKED_SECONDS));
    inquiry_query_free(a, q);
    return is_done;
}

static bool answer(void *of, struct instance *i, const char *text, struct json_out *to,
                   struct err *err)
{
    const struct asked *const m = of;
    struct waiting w = {i, os_now() + ASKED_SECONDS * 1000000000ll};
    struct inquiry a = {.is_given_up = is_given_up,
                        .of = &w,
                        .engine = m->engine,
                        .kind = m->kind,
                        .names = m->names,
                        .name_count = m->name_count,
                        .view = VIEW_ASIDE};
    const char *const tab = strchr(text, '\t');
    char range[128] = "";
    if (!tab || (size_t)(tab - text) >= sizeof range)
        return fail(err, "expected a range of at most %zu bytes, a tab and a query",
                    sizeof range - 1);
    memcpy(range, text, (size_t)(tab - text));
    return answer_query(&a, tab + 1, range[0] ? range : NULL, to, err);
}

struct instance_reader asked_reader(struct asked *of)
{
    return (struct instance_reader){VERB, answer, of};
}

/* ---- the caller's ---------------------------------------------------------------------------- */

bool asked_monitor(const char *text, uint32_t *pid, struct err *err)
{
    static const char prefix[] = "pid:";
    const size_t length = sizeof prefix - 1;
    uint64_t number = 0;
    *pid = 0;
    if (strcmp(text, "monitor") == 0)
        return true;
    if (strncmp(text, prefix, length) != 0 || !unit_count(text + length, &number, NULL) ||
        !number || number > INT32_MAX)
        return fail(err, "expected pid:N or monitor, found '%.200s'", text);
    *pid = (uint32_t)number;
    return true;
}

char *asked_ask(uint32_t pid, const char *query, const char *range, size_t *bytes, struct err *err)
{
    static const int64_t WAIT_NS = 2 * ASKED_SECONDS * 1000000000ll; /* others may ask before */
    char text[INSTANCE_TEXT];
    const int length = snprintf(text, sizeof text, "%s\t%s", range ? range : "", query);
    if (length < 0 || (size_t)length >= sizeof text)
        return fail(err, "a monitor takes queries of at most %zu bytes", sizeof text - 1), NULL;
    for (char *c = text; (c = strpbrk(c, "\r\n"));)
        *c = ' ';
    return instance_ask_reader(pid, VERB, text, WAIT_NS, bytes, err);
}
