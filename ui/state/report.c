#include "ui/state/report.h"

#include "src/base/err.h"
#include "src/base/mem.h"
#include "src/os/os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 4 << 20, LINES_MOST = 1 << 16 };

struct report {
    struct report_source source;
    enum report_kind kind;
    struct os_thread *thread;
    FILE *file; /* where the page is written, of no name; the thread's until it is done */
    _Atomic bool stop, is_done;
    bool is_taken;
    char *text;
    size_t *starts; /* of lines, and behind the last one */
    size_t count;
};

static void run(void *arg)
{
    struct report *const r = arg;
    r->source.make(r->source.state, r->kind, r->file, &r->stop);
    atomic_store_explicit(&r->is_done, true, memory_order_release); /* pairs with report_take() */
}

struct report *report_new(const struct report_source *source, enum report_kind kind, bool waits)
{
    struct report *const r = mem_new(1, sizeof *r);
    r->source = *source;
    r->kind = kind;
    r->file = tmpfile();
    if (r->file)
        r->thread = os_thread_start("report", run, r);
    else
        atomic_store(&r->is_done, true);
    if (waits && r->thread) {
        os_thread_join(r->thread);
        r->thread = NULL;
    }
    return r;
}

static void end(struct report *r)
{
    if (r->thread)
        os_thread_join(r->thread);
    r->thread = NULL;
    if (r->file)
        fclose(r->file);
    r->file = NULL;
}

void report_free(struct report *r)
{
    if (!r)
        return;
    atomic_store(&r->stop, true);
    end(r);
    free(r->text);
    free(r->starts);
    free(r);
}

/* The first of it where it is longer than anybody reads. */
static size_t read_text(struct report *r)
{
    static const char without[] = "tracetop: no temporary file can be made for this page\n";
    r->text = mem_new(TEXT_MOST + 1, 1);
    if (!r->file) {
        memcpy(r->text, without, sizeof without);
        return sizeof without - 1;
    }
    rewind(r->file);
    return fread(r->text, 1, TEXT_MOST, r->file);
}

static void find_lines(struct report *r, size_t bytes)
{
    r->starts = mem_new(LINES_MOST + 1, sizeof *r->starts);
    for (size_t at = 0; at < bytes && r->count < LINES_MOST;) {
        const char *const feed = memchr(r->text + at, '\n', bytes - at);
        at = feed ? (size_t)(feed + 1 - r->text) : bytes + 1;
        r->starts[++r->count] = at;
    }
}

bool report_take(struct report *r)
{
    if (!r || r->is_taken || !atomic_load_explicit(&r->is_done, memory_order_acquire))
        return false;
    r->is_taken = true;
    find_lines(r, read_text(r));
    end(r);
    return true;
}

bool report_is_busy(const struct report *r)
{
    return r && !r->is_taken;
}

const char *report_line(const struct report *r, size_t index, size_t *bytes)
{
    if (!r || index >= r->count)
        return NULL;
    *bytes = r->starts[index + 1] - r->starts[index] - 1;
    return r->text + r->starts[index];
}
