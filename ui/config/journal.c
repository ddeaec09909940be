#include "ui/config/journal.h"

#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/os/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct journal {
    FILE *out;
    bool is_verbose;
    uint64_t lost;   /* in all, when it was noted last … */
    int64_t lost_ns; /* … and when that was */
};

struct journal *journal_open(const char *path, bool is_verbose, struct err *err)
{
    FILE *const out = os_log(path, err);
    if (!out)
        return NULL;
    struct journal *const j = mem_new(1, sizeof *j);
    j->out = out;
    j->is_verbose = is_verbose;
    return j;
}

bool journal_close(struct journal *j, struct err *err)
{
    if (!j)
        return true;
    const bool is_bad = ferror(j->out) != 0;
    const bool is_whole = fclose(j->out) == 0 && !is_bad;
    free(j);
    return is_whole || fail(err, "--log: not all messages could be written; is the disk full?");
}

static void note(struct journal *j, const char *kind, const char *text)
{
    const int64_t now = os_wall_now();
    const time_t seconds = (time_t)(now / 1000000000);
    char when[32] = "-";
    const struct tm *const t = gmtime(&seconds);
    if (t)
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", t);
    show(j->out, "%s.%03dZ %-8s ", when, (int)(now / 1000000 % 1000), kind);
    show_text(j->out, text, strlen(text));
    fputc('\n', j->out);
    fflush(j->out);
}

void journal_message(struct journal *j, bool is_error, const char *text)
{
    if (j)
        note(j, is_error ? "error" : "message", text);
}

void journal_command(struct journal *j, const char *name)
{
    if (j && j->is_verbose)
        note(j, "command", name);
}

void journal_loss(struct journal *j, const struct frame_loss *loss)
{
    enum { SECOND = 1000000000 };
    const uint64_t lost = loss->kernel + loss->realtime + loss->ring + loss->decoder;
    if (!j || lost <= j->lost || os_now() - j->lost_ns < SECOND)
        return;
    char text[200];
    snprintf(text, sizeof text,
             "%" PRIu64 " kernel, %" PRIu64 " undelivered, %" PRIu64 " buffers, %" PRIu64
             " ring, %" PRIu64 " undecoded",
             frame_loss_kernel(loss), loss->undelivered, loss->realtime, loss->ring, loss->decoder);
    note(j, "loss", text);
    j->lost = lost;
    j->lost_ns = os_now();
}
