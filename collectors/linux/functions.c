/* Functions that the user names: whether they can be watched, which the kernel refused, and those
 * that are called too often to go on. Control's thread, but for the start. */
#include "collectors/linux/live.h"
#include "collectors/linux/translate/function.h"

#include <inttypes.h>
#include <string.h>

/* A call costs its program some microseconds: of one function so many a second at most, which is
 * about half a processor's time. */
enum { CALLS_MOST = 250000 };

bool functions_begin(struct linux_live *l, const char *const *names, size_t count, struct err *err)
{
    l->functions = functions_new(names, count, err);
    l->translator.functions = l->functions;
    return l->functions != NULL;
}

bool functions_are_possible(const struct linux_live *l, struct err *err)
{
    struct err why = l->no_bpf;
    if (!l->functions || (l->bpf && bpf_find(l->bpf, "function_entry", &why)))
        return true;
    return fail(err, "functions cannot be watched: %s", why.text);
}

void functions_report(struct linux_live *l)
{
    const struct functions *const f = l->functions;
    size_t refused = 0, example = 0;
    for (size_t i = 0; f && i < f->bpf.count; i++)
        if (f->bpf.of[i].refusal) {
            example = i;
            refused++;
        }
    if (refused)
        message_write(&l->messages, "the kernel refuses to watch %zu of %zu functions, %s: %s",
                      refused, f->bpf.count, f->of[example].name,
                      strerror(f->bpf.of[example].refusal));
    else if (f && f->bpf.count > 1)
        message_write(&l->messages, "%zu functions are watched", f->bpf.count);
    if (f && f->entries_only)
        message_write(&l->messages,
                      "only the entries of %u functions are watched: their code cannot be read "
                      "with certainty",
                      f->entries_only);
}

static bool is_too_often(const struct functions *f, size_t i, uint64_t calls, double seconds)
{
    return !f->bpf.of[i].is_left_out && (double)(calls - f->calls[i]) > CALLS_MOST * seconds;
}

void functions_look(struct linux_live *l)
{
    struct functions *const f = l->functions;
    const int64_t now = os_now();
    const double seconds = (double)(now - l->functions_looked) / LIVE_SECOND;
    bool is_any = false;
    for (size_t i = 0; f && l->bpf && i < f->bpf.count; i++) {
        const uint64_t calls = bpf_function_calls(l->bpf, (uint32_t)i);
        if (l->functions_looked && is_too_often(f, i, calls, seconds)) {
            f->bpf.of[i].is_left_out = is_any = true;
            message_write(
                &l->messages,
                "%s of %s was called %.0f times a second: it is no longer watched, because "
                "that slows its programs down (limit: %d)",
                f->of[i].name, f->of[i].file, (double)(calls - f->calls[i]) / seconds, CALLS_MOST);
        }
        f->calls[i] = calls;
    }
    if (is_any)
        bpf_functions_again(l->bpf);
    l->functions_looked = now;
}
