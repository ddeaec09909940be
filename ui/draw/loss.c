#include "ui/draw/loss.h"

static uint64_t of_kernel(const struct frame *f)
{
    return frame_loss_kernel(&f->loss);
}
static uint64_t of_undelivered(const struct frame *f) { return f->loss.undelivered; }
static uint64_t of_realtime(const struct frame *f) { return f->loss.realtime; }
static uint64_t of_ring(const struct frame *f) { return f->loss.ring; }
static uint64_t of_decoder(const struct frame *f) { return f->loss.decoder; }
static uint64_t of_late(const struct frame *f) { return f->late; }
static uint64_t of_late_stacks(const struct frame *f) { return f->bounds.stacks_late; }

uint64_t loss_orphan_stacks(const struct frame *f)
{
    return f->stacks_unmatched > of_late_stacks(f) ? f->stacks_unmatched - of_late_stacks(f) : 0;
}

static uint64_t of_short(const struct frame *f) { return f->bounds.stacks_short; }
static uint64_t of_incomplete_stacks(const struct frame *f)
{
    return f->bounds.stacks_incomplete;
}

static double rate_of_kernel(const struct frame *f)
{
    const struct frame_loss *const l = &f->loss;
    return l->kernel_rate > l->undelivered_rate ? l->kernel_rate - l->undelivered_rate : 0;
}
static double rate_of_undelivered(const struct frame *f) { return f->loss.undelivered_rate; }
static double rate_of_realtime(const struct frame *f) { return f->loss.realtime_rate; }
static double rate_of_ring(const struct frame *f) { return f->loss.ring_rate; }
static double rate_of_decoder(const struct frame *f) { return f->loss.decoder_rate; }

static uint64_t of_ends(const struct frame *f)
{
    return f->unmatched > loss_orphan_stacks(f) ? f->unmatched - loss_orphan_stacks(f) : 0;
}

static uint64_t of_paths(const struct frame *f) { return f->bounds.stacks_dropped; }
static uint64_t of_stacks(const struct frame *f) { return f->bounds.evicted_stacks; }
static uint64_t of_images(const struct frame *f)
{
    return f->bounds.images_dropped + f->bounds.evicted_images;
}
static uint64_t of_names(const struct frame *f) { return f->bounds.names_dropped; }
static uint64_t of_kinds(const struct frame *f) { return f->bounds.kinds_dropped; }
static uint64_t of_rows(const struct frame *f) { return f->bounds.rows_folded; }
static uint64_t of_exited(const struct frame *f)
{
    return f->bounds.evicted_processes + f->bounds.evicted_threads;
}
static uint64_t of_files(const struct frame *f) { return f->bounds.evicted_files; }
static uint64_t of_connections(const struct frame *f) { return f->bounds.evicted_connections; }

const struct loss_cause loss_causes[] = {
    {"kernel", "Events lost because the kernel's buffers were full",
     "Use larger buffers (--buffers), or collect fewer kinds of event", of_kernel, false,
     rate_of_kernel, false},
    {"undelivered", "Events that the kernel counted but never delivered",
     "Unavoidable; BPF loses fewest (see tracetop doctor)", of_undelivered, false,
     rate_of_undelivered, false},
    {"buffers", "Whole buffers overwritten before tracetop read them",
     "Record to a file, use more buffers (--buffers), or free a processor", of_realtime, false,
     rate_of_realtime, false},
    {"ring", "Events that arrived while tracetop's ring was full",
     "Start with a larger ring (--ring 1G), or collect fewer kinds of event", of_ring, false,
     rate_of_ring, false},
    {"undecoded", "Events, or bytes of a file, that could not be decoded",
     "The file is damaged; \"tracetop stats FILE\" shows where", of_decoder, false, rate_of_decoder,
     false},
    {"late", "Events too late for their interval; counted in a later one",
     "One of several sources is slow", of_late, false, NULL, true},
    {"orphan stacks", "Stacks without their event",
     "The event was lost or not recorded: collect its class, or no stacks for it",
     loss_orphan_stacks, false, NULL, false},
    {"late stacks", "Stacks that came after their event had left the history",
     "The machine was busy: use a larger ring (--ring), or watch fewer processes (-p)",
     of_late_stacks, false, NULL, false},
    {"incomplete stacks", "Stacks whose user part never came",
     "The thread never returned to user code; the kernel's part is shown", of_incomplete_stacks,
     false, NULL, false},
    {"short stacks", "Stacks not unwound because too many came at once",
     "They end where frame pointers end: watch fewer processes (-p) or kinds of event", of_short,
     false, NULL, false},
    {"unmatched completions", "Ends of file operations and system calls without their start",
     "They started before the trace, or starts were not recorded", of_ends, false, NULL, false},
    {"call paths", "Stacks with too many new frames to keep: shown as (no stack)",
     "Cut the file to a shorter part, or replay it with a filter", of_paths, true, NULL, false},
    {"stacks", "Stacks dropped to make room for newer ones", "Look at a shorter time range",
     of_stacks, true, NULL, false},
    {"modules", "Modules dropped for lack of memory: frames show addresses",
     "Look at a shorter time range, or at fewer processes", of_images, true, NULL, false},
    {"names", "Names dropped for lack of memory: shown as (unknown)",
     "Look at a shorter time range, or at fewer files", of_names, true, NULL, false},
    {"kinds", "Events of too many kinds to list: shown as (other)",
     "Record fewer providers at once", of_kinds, true, NULL, false},
    {"rows", "Rows idle longest, merged into (others); sums stay right",
     "Narrow the view by a filter: it recounts the history", of_rows, true, NULL, true},
    {"exited processes", "Exited processes and threads dropped to make room: shown as (forgotten)",
     "Look at a shorter time range", of_exited, true, NULL, false},
    {"files", "Files and keys dropped to make room for newer ones: shown as (unknown)",
     "Look at a shorter time range", of_files, true, NULL, false},
    {"connections", "Connections dropped to make room for newer ones: shown as (none)",
     "Look at a shorter time range", of_connections, true, NULL, false},
};
const unsigned loss_cause_count = sizeof loss_causes / sizeof *loss_causes;

static bool is_of_file(const struct frame *f)
{
    return f && f->state != STATE_LIVE && !f->is_synthetic;
}

const char *loss_what(const struct loss_cause *c, const struct frame *f)
{
    return c->count == of_realtime && is_of_file(f)
               ? "Whole buffers lost while the file was recorded, or missing in it"
               : c->what;
}

const char *loss_remedy(const struct loss_cause *c, const struct frame *f)
{
    if (c->count == of_realtime && is_of_file(f))
        return "Copy the file again if it was cut; record with more buffers next time";
    if (c->count == of_decoder && f->state == STATE_LIVE)
        return "The system wrote records that this version cannot read: please report them, with "
               "the output of \"tracetop doctor\"";
    return c->remedy;
}

uint64_t loss_left_out(const struct frame *f)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < loss_cause_count; i++)
        sum += loss_causes[i].is_left_out ? loss_causes[i].count(f) : 0;
    return sum;
}

static struct loss_sum sum_up(const struct frame *f, bool is_rate)
{
    struct loss_sum sum = {.is_rate = is_rate};
    double most = 0;
    for (unsigned i = 0; i < loss_cause_count; i++) {
        const struct loss_cause *const c = &loss_causes[i];
        const double part = !c->rate ? 0 : is_rate ? c->rate(f) : (double)c->count(f);
        sum.count += part;
        if (part > most) {
            most = part;
            sum.cause = c->name;
        }
    }
    return sum;
}

struct loss_sum loss_sum(const struct frame *f)
{
    const struct loss_sum now = sum_up(f, true);
    return now.cause ? now : sum_up(f, false);
}
