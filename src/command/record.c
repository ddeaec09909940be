#include "src/command/record.h"

#include "src/base/message.h"
#include "src/base/text.h"
#include "src/collect/watch_request.h"
#include "src/command/asked.h"
#include "src/command/inquiry.h"
#include "src/command/marks.h"
#include "src/command/trigger_watch.h"
#include "src/engine/watch.h"
#include "src/event/mark.h"
#include "src/os/background.h"
#include "src/os/os.h"
#include "src/trace/recorder.h"
#include "src/trace/save.h"

#include <string.h>

static const int64_t LOOK_NS = 50 * 1000000, CATCH_UP_NS = 2000000000;
static const int64_t TEND_NS = 1000000000, RETRY_NS = 5000000000;
static const int64_t RING_LOOK_NS = 250 * 1000000, RING_NAP_NS = 100 * 1000000;

enum etl_log_mode record_mode(const struct options *o)
{
    if (!o->filemode || strcmp(o->filemode, "sequential") == 0)
        return ETL_LOG_SEQUENTIAL;
    return strcmp(o->filemode, "circular") == 0 ? ETL_LOG_CIRCULAR : ETL_LOG_ROTATE;
}

enum { MARKS_KNOWN = 16 };

struct run {
    const struct command_line *line;
    struct session *session;
    const struct session_options *started; /* with these */
    const struct record_ring *ring; /* NULL: into a file, or several */
    struct recorder_options to;
    struct recorder *recorder; /* NULL: of a ring that could not be written */
    int64_t tended, failed;    /* ring: os_now() of the last look after it; since when it is so */
    unsigned files;            /* that there were then */
    struct os_child *child;
    struct os_wakeup *wakeup;
    struct asked asked;
    struct trigger_watch *triggers; /* NULL: none are set */
    struct instance *endpoint; /* NULL: nobody can call */
    bool owes_stop;            /* to `record stop`: what was recorded */
    uint32_t requested;        /* classes that readers asked for last, as the log says */
    char marks[MARKS_KNOWN][MARK_LINE]; /* the latest */
    unsigned mark_count;
    int64_t began;
    FILE *log;
    bool is_interrupted;
    int child_status;
    bool child_ended;
};

/* Made-up events may be limited: then there is nothing more to come. */
static bool has_dried_up(const struct run *r)
{
    return ring_completed(r->session->collector.hot) == INT64_MAX;
}

/* Without a command the recorder does not end by itself when its time is over: what was lost in
 * that time is known when the collector has stopped. */
static bool is_time_over(const struct run *r)
{
    const int64_t most = r->line->options.duration_ns;
    return most && os_now() - r->began >= most;
}

static void command(const struct run *r, enum command_kind kind, const char *text)
{
    struct command c = {.kind = kind};
    snprintf(c.text, sizeof c.text, "%s", text);
    engine_command(r->session->engine, &c);
}

/* A mark that everybody was asked for comes from the screens that are attached here as well: it is
 * the same when it has the same moment and all else. */
static bool is_new_mark(struct run *r, const char *text, const struct new_mark *m)
{
    for (unsigned i = 0; m->asked_ns && i < MARKS_KNOWN; i++)
        if (strcmp(r->marks[i], text) == 0)
            return false;
    snprintf(r->marks[r->mark_count++ % MARKS_KNOWN], MARK_LINE, "%s", text);
    return true;
}

static void answer_mark(struct run *r, const char *text)
{
    struct new_mark m;
    struct err err;
    if (!mark_read(text, &m, &err)) {
        instance_answer(r->endpoint, false, err.text);
        return;
    }
    if (is_new_mark(r, text, &m))
        command(r, COMMAND_MARK, text);
    marks_answer(r->endpoint, m.text);
}

static const char *sentence_of(const struct run *r, char *out, size_t room)
{
    struct recorder_figures f;
    if (!r->recorder)
        return "nothing is recorded now: its file could not be written";
    recorder_poll(r->recorder, &f);
    return recorder_sentence(&f, &r->to, out, room);
}

/* ---- other options for one that runs --------------------------------------------------------- */

/* A filter that the collector was started with chooses processes before there is an event. */
static bool may_capture(const struct run *r, const char *capture)
{
    const char *const before = r->started->capture;
    return !r->started->pushed || strcmp(before ? before : "", capture ? capture : "") == 0;
}

static void change_options(struct run *r, const struct command_line *line,
                           const struct session_options *to)
{
    const struct option_list *const triggers = &line->options.triggers;
    const struct watch_request w = {to->collector.wanted, to->collector.wanted_stacks};
    const struct disk_ring_limits limits = disk_ring_limits_of(&line->options.keep);
    char text[INSTANCE_TEXT];
    command(r, COMMAND_BASE, watch_request_write(&w, text, sizeof text));
    if (may_capture(r, to->capture))
        command(r, COMMAND_CAPTURE, to->capture ? to->capture : "");
    if (!r->triggers && triggers->count)
        r->triggers = trigger_watch_new(r->session->engine, &r->session->collector, NULL, 0,
                                        disk_ring_folder_of(r->ring->disk));
    if (r->triggers)
        trigger_watch_change(r->triggers, triggers->items, triggers->count, r->log);
    disk_ring_limit(r->ring->disk, &limits);
}

/* `tracetop recorder reload`: nothing is changed where something is refused. */
static void answer_reload(struct run *r)
{
    struct session_options to;
    unsigned mistakes = 0;
    struct err err;
    char text[512], words[128], count[TEXT_COUNT], wrong[TEXT_COUNT] = "no mistake";
    const struct command_line *const line = r->ring->read_again(&to, r->log, &mistakes, &err);
    if (!line ||
        !trigger_watch_check(line->options.triggers.items, line->options.triggers.count, &err)) {
        instance_answer(r->endpoint, false, err.text);
        return;
    }
    change_options(r, line, &to);
    watch_words(to.collector.wanted, words, sizeof words);
    text_count(count, line->options.triggers.count, "trigger");
    if (mistakes)
        text_count(wrong, mistakes, "mistake");
    snprintf(text, sizeof text,
             "reloaded with %s in the configuration%s: records %s, watches %s%s; other options "
             "take effect with the next start",
             wrong, mistakes ? " (see recorder.log)" : "", words, count,
             may_capture(r, to.capture) ? "" : "; --capture stays, for it chooses processes");
    message_print(r->log, "%s", text);
    instance_answer(r->endpoint, true, text);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* `tracetop record status` and `stop`. */
static void answer_record(struct run *r, const char *text)
{
    char sentence[512];
    if (strcmp(text, "stop") == 0 && !r->child)
        r->owes_stop = true;
    else if (strcmp(text, "stop") == 0)
        instance_answer(r->endpoint, false, "this recording ends when its command ends");
    else if (r->ring && strcmp(text, "reload") == 0)
        answer_reload(r);
    else if (strcmp(text, "status") == 0)
        instance_answer(r->endpoint, true, sentence_of(r, sentence, sizeof sentence));
    else
        instance_answer(r->endpoint, false, "this recording has its own file and starts no other");
}

/* Why there is more in the files than the recorder was started for. */
static void note_request(struct run *r, uint32_t classes)
{
    const uint32_t active = atomic_load(&r->session->collector.active);
    char words[128];
    watch_words(classes & ~active & ~r->requested, words, sizeof words);
    if (words[0])
        message_print(r->log, "a reader needs more; also recorded as long as it does: %s", words);
    r->requested = classes;
}

/* What a reader needs is recorded as well, as long as it asks again from time to time. */
static void answer_reader(struct run *r, const char *text)
{
    char line[INSTANCE_TEXT];
    struct watch_request w;
    struct err err;
    if (!watch_request_read(text, &w, &err)) {
        instance_answer(r->endpoint, false, err.text);
        return;
    }
    note_request(r, w.classes); /* while they are off */
    command(r, COMMAND_WATCH, text);
    instance_answer(r->endpoint, true,
                    watch_answer_write(&r->session->collector, line, sizeof line));
}

static void serve(struct run *r)
{
    struct instance_call call;
    while (!r->owes_stop && instance_take(r->endpoint, &call)) {
        if (strcmp(call.verb, "mark") == 0)
            answer_mark(r, call.text);
        else if (strcmp(call.verb, WATCH_VERB) == 0)
            answer_reader(r, call.text);
        else
            answer_record(r, call.text);
    }
}

/* The files of a ring, from the next on. */
static void shape_ring(struct run *r)
{
    struct disk_ring *const d = r->ring->disk;
    disk_ring_need(d, save_least_bytes(r->to.collector));
    r->to.path = disk_ring_base(d);
    r->to.mode = ETL_LOG_ROTATE;
    r->to.most_bytes = disk_ring_file_bytes(d);
    r->to.files_most = 0;
    r->to.file_ns = disk_ring_file_ns(d);
    r->to.first_number = disk_ring_next(d);
    r->to.is_compressed = true;
    r->to.is_whole &= !r->failed; /* what came before is in the files before, or lost */
    r->to.nap_ns = RING_NAP_NS;
}

static bool start_recorder(struct run *r, struct err *err)
{
    const struct options *const o = &r->line->options;
    r->to = (struct recorder_options){
        .engine = r->session->engine,
        .collector = &r->session->collector,
        .path = o->output,
        .replace = o->force,
        .mode = record_mode(o),
        .most_bytes = o->most_bytes,
        .files_most = (unsigned)o->files_most,
        .is_compressed = o->compress,
        .duration_ns = o->run ? o->duration_ns : 0, /* else is_time_over() */
        .is_whole = r->session->collector.sources[0].is_synthetic,
        .wakeup = r->wakeup,
    };
    if (r->ring)
        shape_ring(r);
    r->recorder = recorder_start(&r->to, err);
    return r->recorder != NULL;
}

/* ---- a ring on disk -------------------------------------------------------------------------- */

/* Removes what is old, and where the disk is nearly full more than that. */
static void tidy(const struct run *r)
{
    char count[TEXT_COUNT];
    const unsigned removed = disk_ring_tidy(r->ring->disk);
    if (removed)
        message_print(r->log, "the disk is nearly full: removed the oldest %s",
                      text_count(count, removed, "file"));
}

/* Its file could not be written: what is there stays, and it goes on in the next file. */
static void give_up_file(struct run *r)
{
    struct recorder_figures f;
    struct err err;
    if (!recorder_stop(r->recorder, &f, &err))
        message_print(r->log, "%s; recording goes on when there is room", err.text);
    r->recorder = NULL;
    r->failed = os_now();
}

static void tend_ring(struct run *r)
{
    struct recorder_figures f = {.files = r->files};
    struct err err;
    const int64_t now = os_now();
    if (r->recorder && recorder_poll(r->recorder, &f))
        give_up_file(r);
    if (now - r->tended < TEND_NS && f.files == r->files)
        return;
    r->tended = now;
    r->files = f.files;
    tidy(r);
    background_notify("WATCHDOG=1");
    if (!r->recorder && now - r->failed >= RETRY_NS && start_recorder(r, &err))
        message_print(r->log, "recording again");
    else if (!r->recorder && now - r->failed >= RETRY_NS)
        r->failed = now;
}

/* Has a recording into files come to its end by itself? */
static bool has_ended(struct run *r)
{
    struct recorder_figures f;
    return (!r->ring && recorder_poll(r->recorder, &f)) || has_dried_up(r) || is_time_over(r);
}

/* ---- to the end ------------------------------------------------------------------------------ */

/* Waits for whatever ends it. The command gets the terminal's Ctrl-C as well, and the time it
 * wants to end; a second one ends us without it. */
static void wait_for_end(struct run *r)
{
    for (;;) {
        os_wakeup_wait(r->wakeup, r->ring ? RING_LOOK_NS : LOOK_NS);
        serve(r);
        if (r->ring)
            tend_ring(r);
        if (r->triggers)
            trigger_watch_look(r->triggers, r->log);
        if (r->owes_stop)
            return;
        const bool was_interrupted = r->is_interrupted;
        const unsigned signals = os_signals_take();
        if (signals & (OS_INTERRUPTED | OS_TERMINATED)) {
            r->is_interrupted = true;
            if (signals & OS_TERMINATED && r->child)
                os_child_end(r->child);
            if (!r->child || was_interrupted)
                return;
        }
        if (!r->child && has_ended(r))
            return;
        if (r->child && os_child_ended(r->child, &r->child_status)) {
            r->child_ended = true;
            return;
        }
    }
}

/* A command that runs before the recording's first moment would lack its beginning, and marks from
 * before it would be lost. Signals are wait_for_end()'s. */
static void wait_for_begin(const struct run *r)
{
    while (!recorder_has_begun(r->recorder))
        os_wakeup_wait(r->wakeup, LOOK_NS);
}

/* What happened until now is still on its way: a live source hands it over in batches, and a
 * short command is over before the first. The recording ends when it is there, or should be.
 * Made-up events may have times of any day, and nothing of them is on its way. */
static void catch_up(const struct run *r)
{
    const int64_t until = os_wall_now(), patience = os_now() + CATCH_UP_NS;
    const struct collector *const c = &r->session->collector;
    struct recorder_figures f;
    while (r->recorder && !c->sources[0].is_synthetic && !session_has_all(r->session, until) &&
           os_now() < patience && !recorder_poll(r->recorder, &f))
        os_sleep(CATCH_UP_NS / 100);
}

/* Whatever was started is stopped; the status to leave with. */
static int finish(struct run *r)
{
    struct recorder_figures f;
    struct err err;
    char text[512];
    trigger_watch_end(r->triggers, r->log);
    r->triggers = NULL;
    session_stop_collecting(r->session); /* first: the file's header says what was lost */
    const bool is_whole = !r->recorder || recorder_stop(r->recorder, &f, &err);
    if (r->ring)
        disk_ring_tidy(r->ring->disk);
    if (r->recorder)
        recorder_sentence(&f, &r->to, text, sizeof text);
    else
        sentence_of(r, text, sizeof text);
    if (r->owes_stop)
        instance_answer(r->endpoint, is_whole, is_whole ? text : err.text);
    instance_close(r->endpoint); /* before the engine, which its reader asks */
    r->endpoint = NULL;
    session_stop(r->session);
    if (!r->line->options.quiet) {
        message_print(r->log, "%s", text);
        session_summary(r->session, false, r->log);
    }
    if (!is_whole) {
        message_print(r->log, "%s", err.text);
        return EXIT_ERROR;
    }
    const int status = session_status(r->session, r->line->options.fail_on_loss);
    if (status || !r->child)
        return status;
    return r->child_ended ? r->child_status : EXIT_INTERRUPTED;
}

static int run(struct run *r)
{
    struct err err;
    r->began = os_now();
    if (r->ring)
        tidy(r);
    if (!start_recorder(r, &err)) {
        message_print(r->log, "%s", err.text);
        session_stop(r->session);
        return EXIT_ERROR;
    }
    wait_for_begin(r);
    const char *const *const program = r->line->options.run;
    if (program) {
        r->child = os_spawn(program, &err);
        if (!r->child) {
            message_print(r->log, "%s", err.text);
            recorder_cancel(r->recorder); /* there was nothing to record */
            session_stop(r->session);
            return EXIT_ERROR;
        }
    } else if (!r->ring && !r->line->options.quiet) {
        message_print(r->log, "recording %s to %s; Ctrl-C ends it",
                      r->session->collector.kind->title, r->line->options.output);
    }
    r->asked =
        (struct asked){r->session->engine, inquiry_kind(r->session->collector.kind), NULL, 0};
    const struct instance_reader reader = asked_reader(&r->asked);
    r->endpoint =
        instance_open(r->wakeup, r->ring ? INSTANCE_RECORDER : INSTANCE_RECORDING, &reader, &err);
    if (r->ring && !r->endpoint)
        message_print(r->log, "%s", err.text);
    if (r->ring && !r->line->options.quiet)
        session_notices(r->session, r->log);
    if (r->ring)
        r->log = r->ring->begun(r->ring->of);
    const struct options *const o = &r->line->options;
    if (o->triggers.count)
        r->triggers = trigger_watch_new(r->session->engine, &r->session->collector,
                                        o->triggers.items, o->triggers.count,
                                        r->ring ? disk_ring_folder_of(r->ring->disk) : NULL);
    wait_for_end(r);
    catch_up(r);
    return finish(r);
}

static int record(struct run *r, const struct session_options *session)
{
    const struct option_list *const triggers = &r->line->options.triggers;
    struct err err;
    if (!trigger_watch_check(triggers->items, triggers->count, &err)) {
        message_print(r->log, "%s", err.text);
        return EXIT_USAGE;
    }
    r->wakeup = os_wakeup_new();
    os_signals_install(r->wakeup);
    r->started = session;
    r->session = session_start(session, &err);
    int status = EXIT_ERROR;
    if (r->session)
        status = run(r);
    else
        message_print(r->log, "%s", err.text);
    session_free(r->session);
    os_child_free(r->child);
    os_wakeup_free(r->wakeup);
    return status;
}

int record_run(const struct command_line *line, const struct session_options *session, FILE *log)
{
    struct run r = {.line = line, .log = log};
    if (!line->options.output) {
        message_print(log, "'record' needs -o FILE.etl");
        return EXIT_USAGE;
    }
    return record(&r, session);
}

int record_into_ring(const struct command_line *line, const struct session_options *session,
                     const struct record_ring *ring, FILE *log)
{
    struct run r = {.line = line, .log = log, .ring = ring};
    return record(&r, session);
}
