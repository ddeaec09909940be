#include "src/os/instance.h"

#include "src/base/mem.h"
#include "src/os/instance_endpoint.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A verb that its owner never sees: is the text a verb that it takes? */
static const char SERVES[] = "serves";

/* A call goes from the endpoint's thread to the owner and back: EMPTY → ASKED (thread) → TAKEN
 * (owner) → ANSWERED (owner) → EMPTY (thread). Whoever's turn it is may touch the rest. */
enum state { EMPTY, ASKED, TAKEN, ANSWERED };

struct instance {
    struct instance_endpoint *endpoint;
    struct os_wakeup *wakeup; /* the owner's */
    enum instance_kind kind;
    struct instance_reader reader;
    struct os_thread *thread;
    _Atomic int state;
    _Atomic bool stop;
    struct instance_call call;
    bool is_done;
    char sentence[INSTANCE_LINE];
};

/* ---- kinds --------------------------------------------------------------------------- */

static const struct {
    const char *verbs[4]; /* that the owner answers */
    const char *refusal;  /* of others */
} kinds[INSTANCE_KINDS] = {
    [INSTANCE_MONITOR] = {{"mark", "snapshot", "record"}, "expected mark, snapshot, record or ask"},
    [INSTANCE_RECORDING] = {{"mark", "record"},
                            "this is a recording: it takes marks, 'record status' and 'record "
                            "stop'"},
    [INSTANCE_RECORDER] = {{"mark", "record", "classes"},
                           "this is a recorder: it takes marks, 'recorder status', 'recorder stop' "
                           "and readers"},
    [INSTANCE_DUMP] = {{"mark"}, "this is a dump: it takes marks alone"},
};

static bool has_verb(const struct instance *i, const char *verb)
{
    for (const char *const *v = kinds[i->kind].verbs; *v; v++)
        if (strcmp(*v, verb) == 0)
            return true;
    return i->reader.verb && strcmp(i->reader.verb, verb) == 0;
}

/* ---- lines --------------------------------------------------------------------------- */

/* "word text", one line of it and no more than a line's room. */
static const char *make_line(char line[INSTANCE_LINE], const char *word, const char *text)
{
    enum { END = 2 }; /* what an endpoint may append */
    snprintf(line, INSTANCE_LINE - END, "%s %s", word, text);
    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    return line;
}

static bool split_call(char *line, struct instance_call *call)
{
    char *const blank = strchr(line, ' ');
    const char *text = "";
    if (blank) {
        *blank = '\0';
        text = blank + 1;
    }
    if (!line[0] || strlen(line) >= sizeof call->verb || strlen(text) >= sizeof call->text)
        return false;
    strcpy(call->verb, line);
    strcpy(call->text, text);
    return true;
}

/* ---- the endpoint's thread ----------------------------------------------------------- */

static bool is_stopping(struct instance *i)
{
    return atomic_load_explicit(&i->stop, memory_order_acquire);
}

bool instance_is_given_up(const struct instance *i)
{
    return atomic_load_explicit(&i->stop, memory_order_acquire) ||
           instance_endpoint_has_left(i->endpoint);
}

/* The owner's turn; back with an answer, or because the program ends. */
static void let_answer(struct instance *i)
{
    atomic_store_explicit(&i->state, ASKED, memory_order_release);
    os_wakeup_signal(i->wakeup);
    while (atomic_load_explicit(&i->state, memory_order_acquire) != ANSWERED && !is_stopping(i))
        instance_endpoint_wait_wake(i->endpoint);
}

static void answer_line(struct instance *i, const char *word, const char *text)
{
    char line[INSTANCE_LINE];
    instance_endpoint_write(i->endpoint, make_line(line, word, text));
}

static void read_for_caller(struct instance *i)
{
    struct json_out out = {.most = INSTANCE_MOST};
    struct err err = {""};
    char bytes[24];
    if (!i->reader.answer(i->reader.of, i, i->call.text, &out, &err)) {
        answer_line(i, "no", is_stopping(i) ? "the monitor has ended" : err.text);
    } else {
        snprintf(bytes, sizeof bytes, "%zu", out.used);
        answer_line(i, "ok", bytes);
        instance_endpoint_write_bytes(i->endpoint, out.text, out.used);
    }
    json_out_free(&out);
}

static void serve(struct instance *i)
{
    char line[INSTANCE_LINE];
    if (!instance_endpoint_may_call(i->endpoint)) {
        answer_line(i, "no", "this monitor belongs to another user");
        return;
    }
    if (!instance_endpoint_read(i->endpoint, line, INSTANCE_PATIENCE_NS) ||
        !split_call(line, &i->call)) {
        answer_line(i, "no", "expected one line: a verb, a blank and a text");
        return;
    }
    if (i->reader.verb && strcmp(i->call.verb, i->reader.verb) == 0) {
        read_for_caller(i);
        return;
    }
    const bool asks = strcmp(i->call.verb, SERVES) == 0;
    if (asks || !has_verb(i, i->call.verb)) {
        const bool is_yes = asks && has_verb(i, i->call.text);
        answer_line(i, is_yes ? "ok" : "no", is_yes ? "yes" : kinds[i->kind].refusal);
        return;
    }
    let_answer(i);
    if (atomic_load_explicit(&i->state, memory_order_acquire) == ANSWERED)
        answer_line(i, i->is_done ? "ok" : "no", i->sentence); /* the last one, perhaps */
    else
        answer_line(i, "no", "the monitor has ended");
    atomic_store_explicit(&i->state, EMPTY, memory_order_release);
}

static void run(void *arg)
{
    struct instance *const i = arg;
    while (!is_stopping(i))
        if (instance_endpoint_wait(i->endpoint)) {
            if (!is_stopping(i))
                serve(i);
            instance_endpoint_hang_up(i->endpoint);
        }
}

/* ---- the owner ------------------------------------------------------------------------- */

struct instance *instance_open(struct os_wakeup *wakeup, enum instance_kind kind,
                               const struct instance_reader *reader, struct err *err)
{
    struct instance_endpoint *const endpoint = instance_endpoint_open(err);
    if (!endpoint)
        return NULL;
    struct instance *const i = mem_new(1, sizeof *i);
    i->endpoint = endpoint;
    i->wakeup = wakeup;
    i->kind = kind;
    if (reader)
        i->reader = *reader;
    i->thread = os_thread_start("instance", run, i);
    return i;
}

void instance_close(struct instance *i)
{
    if (!i)
        return;
    instance_endpoint_hide(i->endpoint);
    atomic_store_explicit(&i->stop, true, memory_order_release);
    instance_endpoint_wake(i->endpoint);
    os_thread_join(i->thread);
    instance_endpoint_close(i->endpoint);
    free(i);
}

bool instance_take(struct instance *i, struct instance_call *call)
{
    if (!i || atomic_load_explicit(&i->state, memory_order_acquire) != ASKED)
        return false;
    *call = i->call;
    atomic_store_explicit(&i->state, TAKEN, memory_order_release);
    return true;
}

void instance_answer(struct instance *i, bool is_done, const char *sentence)
{
    i->is_done = is_done;
    snprintf(i->sentence, sizeof i->sentence, "%s", sentence);
    atomic_store_explicit(&i->state, ANSWERED, memory_order_release);
    instance_endpoint_wake(i->endpoint);
}

/* ---- the caller -------------------------------------------------------------------------- */

unsigned instance_list(uint32_t pids[INSTANCES], struct err *err)
{
    return instance_endpoint_list(pids, err);
}

/* Calls the instance; when it says yes, what it says stands in `answer`. NULL with a sentence. */
static struct instance_endpoint *call_one(uint32_t pid, const char *verb, const char *text,
                                          int64_t timeout_ns, char answer[INSTANCE_LINE],
                                          struct err *err)
{
    char line[INSTANCE_LINE];
    struct instance_endpoint *const d = instance_endpoint_dial(pid, err);
    if (!d)
        return NULL;
    if (!instance_endpoint_write(d, make_line(line, verb, text)))
        fail(err, "the monitor does not listen");
    else if (!instance_endpoint_read(d, answer, timeout_ns))
        fail(err, "the monitor did not answer");
    else if (strncmp(answer, "ok ", 3) != 0)
        fail(err, "%.900s", strncmp(answer, "no ", 3) == 0 ? answer + 3 : answer);
    else
        return memmove(answer, answer + 3, strlen(answer + 3) + 1), d;
    instance_endpoint_leave(d);
    return NULL;
}

static bool serves(uint32_t pid, const char *verb)
{
    char answer[INSTANCE_LINE];
    struct err err;
    struct instance_endpoint *const d =
        call_one(pid, SERVES, verb, INSTANCE_PATIENCE_NS, answer, &err);
    if (d)
        instance_endpoint_leave(d);
    return d != NULL;
}

/* The only one that runs, or the only one of several that takes the verb; 0 with a sentence. */
static uint32_t only_one(const char *verb, struct err *err)
{
    uint32_t pids[INSTANCES], found = 0;
    const unsigned count = instance_endpoint_list(pids, err);
    char list[256] = "";
    size_t used = 0;
    unsigned serving = 0;
    for (unsigned i = 0; i < count; i++) {
        if (count > 1 && !serves(pids[i], verb))
            continue;
        found = pids[i];
        serving++;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, " %u", (unsigned)found);
    }
    if (count > 1 && !serving)
        fail(err, "%u instances of tracetop run, but none takes '%s'", count, verb);
    else if (serving > 1)
        fail(err, "several monitors are running (%s): choose one by its process id", list + 1);
    return serving == 1 ? found : 0;
}

static struct instance_endpoint *call(uint32_t pid, const char *verb, const char *text,
                                      int64_t timeout_ns, char answer[INSTANCE_LINE],
                                      struct err *err)
{
    if (strlen(text) >= INSTANCE_TEXT || strchr(text, '\n'))
        return fail(err, "the text must be one line of at most %d bytes", INSTANCE_TEXT - 1), NULL;
    pid = pid ? pid : only_one(verb, err);
    return pid ? call_one(pid, verb, text, timeout_ns, answer, err) : NULL;
}

bool instance_ask(uint32_t pid, const char *verb, const char *text, int64_t timeout_ns,
                  char *answer, size_t room, struct err *err)
{
    char back[INSTANCE_LINE];
    struct instance_endpoint *const d = call(pid, verb, text, timeout_ns, back, err);
    if (!d)
        return false;
    snprintf(answer, room, "%s", back);
    instance_endpoint_leave(d);
    return true;
}

static char *read_answer(struct instance_endpoint *d, const char *count, size_t *bytes,
                         int64_t timeout_ns, struct err *err)
{
    char *end;
    const unsigned long long announced = strtoull(count, &end, 10);
    const bool is_number = *count >= '0' && *count <= '9' && !*end;
    if (!is_number || announced > INSTANCE_MOST)
        return fail(err, "expected a number of bytes up to %d from the monitor, found '%.40s'",
                    INSTANCE_MOST, count),
               NULL;
    *bytes = (size_t)announced;
    char *const text = mem_new(*bytes + 1, 1);
    if (instance_endpoint_read_bytes(d, text, *bytes, timeout_ns))
        return text;
    free(text);
    return fail(err, "the monitor's answer is not whole: it has fewer than %zu bytes", *bytes),
           NULL;
}

char *instance_ask_reader(uint32_t pid, const char *verb, const char *text, int64_t timeout_ns,
                          size_t *bytes, struct err *err)
{
    char count[INSTANCE_LINE];
    struct instance_endpoint *const d = call(pid, verb, text, timeout_ns, count, err);
    char *const answer = d ? read_answer(d, count, bytes, timeout_ns, err) : NULL;
    if (d)
        instance_endpoint_leave(d);
    return answer;
}
