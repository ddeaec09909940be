#include "src/command/batch.h"

#include "src/base/message.h"
#include "src/os/os.h"
#include "src/os/output.h"

#include <stdlib.h>
#include <string.h>

/* Time for a command to end by itself after Ctrl-C: its output may be a pipe that nobody reads. A file
 * takes what comes, on a busy machine later; a second Ctrl-C waits for nothing. */
#define GRACE_NS      2000000000
#define FILE_GRACE_NS 30000000000

/* And for one that is just ending: ETW may take 8 s to end a session. */
#define ENDING_NS 10000000000

struct job {
    struct batch batch;
    batch_command command;
    struct os_wakeup *wakeup;
    _Atomic bool is_done;
    int status;
};

void complain(const char *sentence)
{
    message_print(stderr, "%s", sentence);
}

int batch_ended(enum exit_status status, const struct err *err)
{
    if (err->text[0])
        complain(err->text);
    return (int)status;
}

static void run_job(void *arg)
{
    struct job *const j = arg;
    j->status = j->command(&j->batch);
    atomic_store(&j->is_done, true); /* after the status: pairs with the load in wait_job */
    os_wakeup_signal(j->wakeup);
}

static bool may_leave(struct job *j)
{
    bool (*const leave)(struct batch *) = atomic_load(&j->batch.leave);
    return !leave || leave(&j->batch);
}

/* True when the command has ended; false when it was interrupted and does not. */
static bool wait_job(struct job *j)
{
    int64_t end = INT64_MAX;
    bool again = false; /* it was asked twice, or waited for twice */
    while (!atomic_load(&j->is_done)) {
        const int64_t now = os_now();
        if (now >= end && (may_leave(j) || again))
            return false;
        if (now >= end) {
            again = true;
            end = now + ENDING_NS;
        }
        os_wakeup_wait(j->wakeup, end == INT64_MAX ? -1 : end - now);
        if (os_signals_take() & (OS_INTERRUPTED | OS_TERMINATED)) {
            again = atomic_exchange(&j->batch.stop, true);
            end = again ? 0
                        : os_now() + (j->batch.line->options.output ? FILE_GRACE_NS : GRACE_NS);
        }
    }
    return true;
}

/* Ctrl-C leaves no file behind; better said than wondered about. */
static void report_interrupted(const struct command_line *line)
{
    if (line->options.output)
        message_print(stderr, "interrupted: %s was not written", line->options.output);
}

/* With --force, too: a table in place of the trace that it was made of would be a loss. */
static bool spares_inputs(const struct command_line *line, struct err *err)
{
    const char *const output = line->options.output;
    char *const to = output ? os_full_path(output) : NULL;
    bool is_good = true;
    for (size_t i = 0; to && i < line->file_count && is_good; i++) {
        char *const from = os_full_path(line->files[i]);
        is_good = strcmp(from, to) != 0 ||
                  fail(err, "%s is read by this command; give -o another name", output);
        free(from);
    }
    free(to);
    return is_good;
}

int batch_run(const struct command_line *line, const struct sources *sources, batch_command command)
{
    struct err err;
    struct output output;
    if (!spares_inputs(line, &err) ||
        !output_open(&output, line->options.output, line->options.force, &err)) {
        complain(err.text);
        return EXIT_ERROR;
    }
    struct job job = {.batch = {.line = line,
                                .sources = sources,
                                .to = output.file,
                                .file = output.atomic_file.file},
                      .command = command};
    job.wakeup = os_wakeup_new();
    os_signals_install(job.wakeup);
    os_signals_quiet_pipe();
    struct os_thread *const thread = os_thread_start("command", run_job, &job);
    if (!wait_job(&job)) {
        output_abandon(&output);
        report_interrupted(line);
        _Exit(EXIT_INTERRUPTED);
    }
    os_thread_join(thread);
    os_wakeup_free(job.wakeup);
    const bool interrupted = atomic_load(&job.batch.stop) && !job.batch.ends_by_stop;
    const bool keep =
        job.status == EXIT_DONE || job.status == EXIT_SKIPPED || job.status == EXIT_LOSS ||
        (job.status == EXIT_PRIVILEGE && line->id == SUBCOMMAND_DOCTOR);
    if (!output_close(&output, keep && !interrupted, &err)) {
        if (job.status != EXIT_ERROR) /* else the command has said why */
            complain(err.text);
        return EXIT_ERROR;
    }
    if (interrupted)
        report_interrupted(line);
    return interrupted ? EXIT_INTERRUPTED : job.status;
}
