#include "src/command/recorder_command.h"

#include "src/base/json_out.h"
#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/base/show.h"
#include "src/collect/watch_request.h"
#include "src/command/batch.h"
#include "src/command/option_table.h"
#include "src/command/record.h"
#include "src/command/recorder_service.h"
#include "src/os/background.h"
#include "src/os/instance.h"
#include "src/os/output.h"
#include "src/os/service.h"
#include "src/trace/disk_ring.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char DEFAULT_NAME[] = "default", READY[] = "ready";
static const uint64_t RING_BYTES = 16 << 20;
static const int64_t MINUTE_NS = 60 * 1000000000ll, PATIENCE_NS = MINUTE_NS;
static const int64_t END_NS = 20 * 1000000000ll; /* for one that ends: as long as ETW may take */

static bool read_keep(void *field, const char *text, struct err *err)
{
    struct disk_ring_limits *const limits = field;
    uint64_t bytes;
    int64_t ns;
    if (!option_size_or_time(text, &bytes, &ns, err))
        return false;
    if (bytes && bytes < DISK_RING_LEAST)
        return fail(err, "expected a size of 32M or more, found '%s'", text);
    if (ns && ns < MINUTE_NS)
        return fail(err, "expected a time of 1m or more, found '%s'", text);
    limits->bytes = bytes ? bytes : limits->bytes;
    limits->ns = ns ? ns : limits->ns;
    return true;
}

const struct option options_for_recorder[] = {
    {0, "keep", "SIZE|TIME", "how much to keep on disk, such as 4G or 12h, or both (default 1G)",
     AT(keep), read_keep},
    {0, "folder", "FOLDER", "folder of the recorder's files (default: by its name)", AT(folder),
     option_read_text},
    {0, "background", NULL, NULL, AT(background), NULL},
    {0, "service", NULL, NULL, AT(service), NULL},
    {.name = NULL},
};

/* ---- words ----------------------------------------------------------------------------------- */

static const char *verb_of(const struct command_line *c)
{
    return c->subject ? c->subject : "";
}

const char *recorder_name(const struct command_line *c)
{
    return c->filter[0] ? c->filter : DEFAULT_NAME;
}

bool recorder_is_run(const struct command_line *c)
{
    return c->id == SUBCOMMAND_RECORDER && strcmp(verb_of(c), "run") == 0;
}

/* `folder`: as the line says; NULL: by the name. */
static bool folder_of(const char *name, const char *folder, char *out, size_t room, struct err *err)
{
    char unused[DISK_RING_NAME + 4096];
    if (!disk_ring_folder(name, folder ? unused : out, folder ? sizeof unused : room, err))
        return false;
    if (folder) {
        char *const full = os_full_path(folder);
        snprintf(out, room, "%s", full);
        free(full);
    }
    return true;
}

/* ---- run ------------------------------------------------------------------------------------- */

struct running {
    const struct command_line *line;
    struct disk_ring *disk;
    FILE *log; /* standard error, but where there is none */
    char folder[4096];
};

/* Standard error where there can be none. */
static FILE *open_log(const struct running *r)
{
    char path[sizeof r->folder + sizeof "/recorder.log"];
    struct err err;
    snprintf(path, sizeof path, "%s/recorder.log", r->folder);
    FILE *const log = os_log(path, &err);
    if (!log)
        message_print(stderr, "%s", err.text);
    else
        setvbuf(log, NULL, _IOLBF, BUFSIZ);
    return log;
}

/* A log of its own takes the place of standard error, which was our starter's. */
static FILE *begin_in_background(const struct running *r)
{
    FILE *const log = open_log(r);
    show(stderr, "%s\n", READY);
    background_detach();
    return log ? log : stderr;
}

static FILE *has_begun(void *of)
{
    struct running *const r = of;
    if (!r->line->options.quiet)
        message_print(r->log, "recorder '%s' (process %u) records to %s", recorder_name(r->line),
                      os_process_id(), r->folder);
    background_notify("READY=1");
    service_running();
    return r->line->options.background ? begin_in_background(r) : r->log;
}

/* A group that may read root's files has to come to them. */
static void share_system_folder(const struct command_line *c)
{
    char own[4096], system[4096];
    background_folder(own, sizeof own);
    background_system_folder(system, sizeof system);
    if (!c->options.folder && strcmp(own, system) == 0)
        background_share(own);
}

static int record_here(const struct command_line *c, const struct session_options *session,
                       recorder_read_again *read_again, struct running *r)
{
    struct err err;
    const struct disk_ring_limits limits = disk_ring_limits_of(&c->options.keep);
    r->disk = disk_ring_open(r->folder, &limits, &err);
    if (!r->disk)
        return message_print(r->log, "%s", err.text), EXIT_ERROR;
    share_system_folder(c);
    /* The history is on disk: the ring in memory is for those who write it. */
    struct session_options to = *session;
    if (!to.ring_bytes && !to.ring_ns)
        to.ring_bytes = RING_BYTES;
    const struct record_ring ring = {
        .disk = r->disk, .begun = has_begun, .read_again = read_again, .of = r};
    const int status = record_into_ring(c, &to, &ring, r->log);
    background_notify("STOPPING=1");
    disk_ring_close(r->disk);
    return status;
}

/* Under the service manager of Windows, with a log from the beginning. */
static int serve(const struct command_line *c, const struct session_options *session,
                 recorder_read_again *read_again, struct running *r)
{
    char name[SERVICE_NAME];
    struct err err;
    if (!service_begin(recorder_service_name(recorder_name(c), name), &err))
        return complain(err.text), EXIT_ERROR;
    FILE *const log = os_make_folders(r->folder, &err) ? open_log(r) : NULL;
    r->log = log ? log : stderr;
    const int status = record_here(c, session, read_again, r);
    if (log)
        fclose(log);
    service_end(status);
    return status;
}

static int run_here(const struct command_line *c, const struct session_options *session,
                    recorder_read_again *read_again)
{
    struct running r = {.line = c, .log = stderr};
    struct err err;
    if (!folder_of(recorder_name(c), c->options.folder, r.folder, sizeof r.folder, &err))
        return complain(err.text), EXIT_USAGE;
    return c->options.service ? serve(c, session, read_again, &r)
                              : record_here(c, session, read_again, &r);
}

/* ---- start ----------------------------------------------------------------------------------- */

static struct {
    struct os_child *child;
    FILE *messages;
    const char **words; /* install: of the service */
} started;

bool recorder_is_start(const struct command_line *c)
{
    return c->id == SUBCOMMAND_RECORDER && strcmp(verb_of(c), "start") == 0;
}

/* The line's words for the process that records: "run" in the verb's place, and `last` behind them.
 * The caller's. */
static const char **words_to_run(const struct command_line *c, int argc, char *const *argv,
                                 const char *last)
{
    const char **const words = mem_new((size_t)argc + 1, sizeof *words);
    for (int i = 1; i < argc; i++)
        words[i - 1] = argv[i] == c->subject ? "run" : argv[i];
    words[argc - 1] = last;
    return words;
}

bool recorder_prepare(const struct command_line *c, int argc, char *const *argv, struct err *err)
{
    if (c->id != SUBCOMMAND_RECORDER || c->options.help || c->options.version)
        return true;
    if (strcmp(verb_of(c), "install") == 0)
        started.words = words_to_run(c, argc, argv, "--service");
    if (!recorder_is_start(c))
        return true;
    const char **const words = words_to_run(c, argc, argv, "--background");
    started.child = background_start(words, &started.messages, err);
    free(words);
    return started.child != NULL;
}

/* Its sentences are ours: those of one that records are an answer, else they say why not. True when
 * it records. */
static bool pass_on(FILE *messages)
{
    enum { LINES = 64 };
    char lines[LINES][1024];
    unsigned count = 0;
    bool is_ready = false;
    while (count < LINES && fgets(lines[count], sizeof lines[count], messages)) {
        lines[count][strcspn(lines[count], "\r\n")] = '\0';
        is_ready |= strcmp(lines[count], READY) == 0;
        count += !is_ready;
    }
    for (unsigned i = 0; i < count; i++)
        show(is_ready ? os_output() : stderr, "%s\n", lines[i]);
    fflush(os_output());
    return is_ready;
}

/* Until it records, or ends with the reason. */
static int wait_until_it_records(void)
{
    int status = EXIT_ERROR;
    const bool is_ready = started.messages && pass_on(started.messages);
    if (started.messages)
        fclose(started.messages);
    while (!is_ready && !os_child_ended(started.child, &status))
        os_sleep(10 * 1000000);
    os_child_free(started.child);
    return is_ready ? EXIT_DONE : status;
}

/* ---- stop, status ---------------------------------------------------------------------------- */

struct state {
    const char *name;
    char folder[4096], files[256], says[INSTANCE_TEXT];
    uint32_t writer;
    size_t count;
    uint64_t bytes;
    int64_t first_ns, last_ns; /* of its files, when they were written */
};

static bool look(const char *name, const char *folder, struct state *s, struct err *err)
{
    struct disk_ring_file *files;
    *s = (struct state){.name = name};
    if (!folder_of(name, folder, s->folder, sizeof s->folder, err))
        return false;
    s->writer = disk_ring_writer(s->folder);
    s->count = disk_ring_list(s->folder, &files);
    for (size_t i = 0; i < s->count; i++)
        s->bytes += files[i].bytes;
    if (s->count) {
        s->first_ns = files[0].written_ns;
        s->last_ns = files[s->count - 1].written_ns;
    }
    free(files);
    return true;
}

static bool ask(struct state *s, const char *text, struct err *err)
{
    return instance_ask(s->writer, "record", text, PATIENCE_NS, s->says, sizeof s->says, err);
}

/* It answers while it ends: when this is over, another one can begin. */
static void wait_for_end(const char *folder)
{
    const int64_t deadline = os_now() + END_NS;
    while (disk_ring_writer(folder) && os_now() < deadline)
        os_sleep(END_NS / 1000);
}

static int complain_of_none(const char *name)
{
    struct err err;
    fail(&err, "no recorder '%.100s' runs", name);
    return complain(err.text), EXIT_ERROR;
}

int recorder_command_stop(const char *name, const char *folder)
{
    struct state s;
    struct err err;
    if (!look(name, folder, &s, &err))
        return complain(err.text), EXIT_USAGE;
    if (!s.writer)
        return complain_of_none(name);
    if (!ask(&s, "stop", &err))
        return complain(err.text), EXIT_ERROR;
    wait_for_end(s.folder);
    message_print(os_output(), "%s", s.says);
    return output_arrived(&err) ? EXIT_DONE : (complain(err.text), EXIT_ERROR);
}

static void print_json(const struct state *s, FILE *to)
{
    struct json_out out = {.most = SIZE_MAX};
    json_out_put(&out, "{\"running\":%s", s->writer ? "true" : "false");
    json_out_member(&out, "name", s->name);
    json_out_member(&out, "folder", s->folder);
    if (s->writer)
        json_out_put(&out, ",\"pid\":%u", s->writer);
    if (s->says[0])
        json_out_member(&out, "recording", s->says);
    json_out_put(&out, ",\"files\":%zu,\"bytes\":%" PRIu64, s->count, s->bytes);
    if (s->count)
        json_out_put(&out, ",\"first_written_ns\":%" PRId64 ",\"last_written_ns\":%" PRId64,
                     s->first_ns, s->last_ns);
    json_out_put(&out, "}");
    show(to, "%s\n", out.text);
    json_out_free(&out);
}

int recorder_command_show(const char *name, const char *folder, bool is_json)
{
    struct state s;
    struct err err;
    FILE *const to = os_output();
    if (!look(name, folder, &s, &err))
        return complain(err.text), EXIT_USAGE;
    const bool has_answered = !s.writer || ask(&s, "status", &err);
    if (is_json) {
        print_json(&s, to);
    } else {
        disk_ring_sentence(s.folder, s.files, sizeof s.files);
        if (s.writer)
            message_print(to, "recorder '%s' (process %u) keeps %s in %s", name, s.writer, s.files,
                          s.folder);
        else
            message_print(to, "recorder '%s' does not run; %s in %s", name, s.files, s.folder);
        if (s.says[0])
            message_print(to, "%s", s.says);
    }
    if (!has_answered)
        return complain(err.text), EXIT_ERROR;
    if (!output_arrived(&err))
        return complain(err.text), EXIT_ERROR;
    return s.writer ? EXIT_DONE : EXIT_ERROR;
}

/* Of one that runs: its options are read again. */
static int reload(const char *name, const char *folder)
{
    struct state s;
    struct err err;
    if (!look(name, folder, &s, &err))
        return complain(err.text), EXIT_USAGE;
    if (!s.writer)
        return complain_of_none(name);
    if (!ask(&s, "reload", &err))
        return complain(err.text), EXIT_ERROR;
    message_print(os_output(), "%s", s.says);
    return output_arrived(&err) ? EXIT_DONE : (complain(err.text), EXIT_ERROR);
}

/* ---- the line -------------------------------------------------------------------------------- */

static int run_stop(const struct command_line *c)
{
    return recorder_command_stop(recorder_name(c), c->options.folder);
}

static int run_status(const struct command_line *c)
{
    return recorder_command_show(recorder_name(c), c->options.folder,
                                 strcmp(c->format, "json") == 0);
}

static int run_reload(const struct command_line *c)
{
    return reload(recorder_name(c), c->options.folder);
}

static int run_remove(const struct command_line *c)
{
    return recorder_remove(recorder_name(c));
}

static int run_unit(const struct command_line *c)
{
    (void)c;
    return recorder_unit();
}

/* The verbs that start no recording. */
static const struct verb {
    const char *name;
    int (*run)(const struct command_line *c);
} verbs[] = {
    {"remove", run_remove}, {"stop", run_stop}, {"status", run_status},
    {"reload", run_reload}, {"unit", run_unit}, {NULL, NULL},
};

int recorder_command(const struct command_line *c, const struct session_options *session,
                     recorder_read_again *read_again)
{
    const char *const verb = verb_of(c);
    struct err err;
    if (strcmp(verb, "run") == 0)
        return run_here(c, session, read_again);
    if (strcmp(verb, "start") == 0)
        return wait_until_it_records();
    if (strcmp(verb, "install") == 0)
        return recorder_install(recorder_name(c), &c->options, started.words);
    static const char *const known[] = {"folder", "format", NULL};
    const struct verb *v = verbs;
    while (v->name && strcmp(v->name, verb) != 0)
        v++;
    if (!v->name) {
        fail(&err,
             "expected recorder start, stop, status, reload, run, unit, install or remove, found "
             "'recorder %s'",
             verb);
        return complain(err.text), EXIT_USAGE;
    }
    if (!options_only(&c->options, known, "recorder stop, status, reload, unit and remove", &err))
        return complain(err.text), EXIT_USAGE;
    return v->run(c);
}

bool recorder_is_running(const char *name)
{
    char folder[4096];
    return disk_ring_find(name, folder, sizeof folder, NULL) && disk_ring_writer(folder);
}

bool recorder_can_be_asked(const char *name)
{
    static const int64_t PATIENT_NS = 1000000000;
    char folder[4096], answer[INSTANCE_TEXT];
    struct disk_ring_file *files = NULL;
    struct err err;
    if (!disk_ring_find(name, folder, sizeof folder, NULL))
        return false;
    const uint32_t writer = disk_ring_writer(folder);
    const bool has_files = writer && disk_ring_list(folder, &files);
    free(files);
    return has_files &&
           instance_ask(writer, WATCH_VERB, "", PATIENT_NS, answer, sizeof answer, &err);
}

char *recorder_folder(const char *name, struct err *err)
{
    char folder[4096];
    if (!disk_ring_find(name, folder, sizeof folder, err))
        return NULL;
    if (!disk_ring_writer(folder)) {
        fail(err, "no recorder '%s' records now: 'tracetop recorder start' starts one", name);
        return NULL;
    }
    return mem_string(folder);
}

const char **recorder_files(const char *name, const char *range, size_t *count, struct err *err)
{
    enum { MOST = 60 }; /* that are read as one timeline */
    char folder[4096];
    struct disk_ring_file *files;
    if (!disk_ring_find(name, folder, sizeof folder, err))
        return NULL;
    const size_t found = disk_ring_list(folder, &files);
    if (!found) {
        free(files);
        fail(err, "a recorder '%s' has no files in %.700s; 'tracetop recorder start' makes some",
             name, folder);
        return NULL;
    }
    size_t first = disk_ring_first_of(files, found, range);
    if (found - first > MOST) {
        message_print(stderr,
                      "the oldest %zu files of the recorder are left out; a range (-r) "
                      "chooses others",
                      found - first - MOST);
        first = found - MOST;
    }
    const char **const paths = mem_new(found - first + 1, sizeof *paths);
    for (size_t i = first; i < found; i++)
        paths[i - first] = disk_ring_path(folder, &files[i]);
    *count = found - first;
    free(files);
    return paths;
}
