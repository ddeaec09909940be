#include "ui/draw/loss.h"

/* Read one after the other while they grow. */
static uint64_t of_kernel(const struct frame *f)
{
    return f->loss.kernel > f->loss.undelivered ? f->loss.kernel - f->loss.undelivered : 0;
}
static uint64_t of_undelivered(const struct frame *f) { return f->loss.undelivered; }
static uint64_t of_realtime(const struct frame *f) { return f->loss.realtime; }
static uint64_t of_ring(const struct frame *f) { return f->loss.ring; }
static uint64_t of_decoder(const struct frame *f) { return f->loss.decoder; }
static uint64_t of_late(const struct frame *f) { return f->late; }
static uint64_t of_walks(const struct frame *f) { return f->stacks_unmatched; }
static uint64_t of_short(const struct frame *f) { return f->bounds.stacks_short; }
static uint64_t of_halves(const struct frame *f) { return f->bounds.stacks_halved; }

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
    return f->unmatched > f->stacks_unmatched ? f->unmatched - f->stacks_unmatched : 0;
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
    {"kernel", "Events that the traced system itself had no buffer for",
     "Record with more or larger buffers, or fewer kinds of event", of_kernel, false,
     rate_of_kernel},
    {"undelivered", "Events that the system counted and never handed over",
     "Unavoidable; BPF loses fewest (see tracetop doctor)", of_undelivered, false, rate_of_undelivered},
    {"buffers", "Whole buffers that were overwritten before they were read",
     "Record to a file, or with more buffers; give this program more of a processor", of_realtime,
     false, rate_of_realtime},
    {"ring", "Events that came while our own ring was full",
     "Start with a larger ring (--ring 1G), or fewer kinds of event", of_ring, false, rate_of_ring},
    {"undecoded", "Events, or bytes of a file, that could not be read",
     "The file is damaged there: \"tracetop stats FILE\" says where", of_decoder, false,
     rate_of_decoder},
    {"late", "Events that came after their time: counted, but in a later interval",
     "Nothing is missing; one of several sources is slow", of_late, false, NULL},
    {"walks alone", "Stack walks whose event is not there",
     "The event was lost, or its kind was not recorded: switch it on, or stacks for it off",
     of_walks, false, NULL},
    {"halves alone", "Stacks that came with their event without the user part, which never came",
     "The thread never went back to its program; the kernel's part is shown", of_halves, false,
     NULL},
    {"short stacks", "Stacks of programs that were not unwound: they came too many at once",
     "They go as far as frame pointers lead: watch fewer processes (-p), or fewer kinds of event",
     of_short, false, NULL},
    {"ends alone", "Completions of file operations whose beginning is not there",
     "They began before the recording, or beginnings were not recorded (FILE_IO_INIT)", of_ends,
     false, NULL},
    {"call paths", "Stacks with more new frames than there is room for: shown as (no stack)",
     "Look at a shorter part: cut the file, or replay it with a filter", of_paths, true, NULL},
    {"stacks", "Distinct stacks that made room for newer ones", "Look at a shorter part", of_stacks,
     true, NULL},
    {"modules", "Modules beyond the room for them: frames show addresses",
     "Look at a shorter part, or at fewer processes", of_images, true, NULL},
    {"names", "Names beyond the room for them: what they name is (unknown)",
     "Look at a shorter part, or at fewer files", of_names, true, NULL},
    {"kinds", "Events of more kinds than there is room for: shown as (other)",
     "Record fewer providers at once", of_kinds, true, NULL},
    {"rows", "Rows that were idle longest and became part of (others): sums stay right",
     "Narrow the view: a filter or a crumb counts anew from the kept window", of_rows, true, NULL},
    {"lives", "Processes and threads that ended and made room: rows show (forgotten)",
     "Look at a shorter part", of_exited, true, NULL},
    {"files", "Files and keys that made room for newer ones: rows show (unknown)",
     "Look at a shorter part", of_files, true, NULL},
    {"connections", "Connections that made room for newer ones: rows show (none)",
     "Look at a shorter part", of_connections, true, NULL},
};
const unsigned loss_cause_count = sizeof loss_causes / sizeof *loss_causes;

const char *loss_remedy(const struct loss_cause *c, const struct frame *f)
{
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
