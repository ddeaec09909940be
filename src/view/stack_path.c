#include "src/view/inside.h"
#include "src/view/stack_path.h"

#include <stdio.h>
#include <string.h>

struct row_key path_key(struct row_key parent, const struct site *s)
{
    const uint64_t above = (uint64_t)parent.a << 32 | parent.b;
    const uint64_t path = hash_mix(hash_mix(above ^ site_id(s)) ^ (uint64_t)s->module << 17);
    const uint32_t state = s->mode == SITE_OF_STATE ? (uint32_t)s->at & 3 : 0;
    return (struct row_key){(uint32_t)(path >> 32), (uint32_t)path,
                            (parent.c + 1) | state << PATH_STATE_SHIFT, 0};
}

struct row_key path_at(struct row_key root, const struct path_step *steps, unsigned at)
{
    const bool is_flat = (root.c >> PATH_SHAPE_SHIFT & 3) == STACK_FLAT;
    for (unsigned i = is_flat ? at : 0; i <= at; i++)
        root = path_key(root, &steps[i].site);
    return root;
}

/* ---- folding ------------------------------------------------------------------------------ */

/* A module without the place in it; for code of no module, the mode. */
static struct site module_of(const struct site *s)
{
    struct site whole = *s;
    whole.function = 0;
    whole.at = s->module ? 0 : s->mode;
    return whole;
}

/* Outermost first; how many there are then. */
static unsigned add_step(struct path_step *out, unsigned count, unsigned fold,
                         const struct path_step *step)
{
    struct path_step s = *step;
    if (fold == FOLD_MODULES) {
        s.site = module_of(&s.site);
        if (count && site_is(&out[count - 1].site, &s.site))
            return count;
    }
    for (unsigned i = 0; fold == FOLD_RECURSION && i < count; i++)
        if (site_is(&out[i].site, &s.site))
            return i + 1;
    out[count] = s;
    return count + 1;
}

static void turn_around(struct path_step *steps, unsigned count)
{
    for (unsigned i = 0; i < count / 2; i++) {
        const struct path_step other = steps[i];
        steps[i] = steps[count - 1 - i];
        steps[count - 1 - i] = other;
    }
}

/* `at` is no number of a process, which may stand beside it. */
static struct site state_site(unsigned state)
{
    return (struct site){.mode = SITE_OF_STATE, .state = SYMBOL_NONE, .at = 1ull << 62 | state};
}

unsigned path_steps(struct sites *sites, const struct model *m, uint32_t stack,
                    struct path_look look, struct path_step out[STACK_STEPS])
{
    uint64_t frames[2 * STACK_FRAMES];
    const struct stack *const s = generation_at(&m->stack_store.stacks, stack);
    const unsigned frame_count = s ? model_stack_frames(m, s, frames) : 0;
    unsigned count = 0;
    if (look.fold == FOLD_PROCESSES && frame_count)
        out[count++] = (struct path_step){
            .site = {.mode = SITE_OF_PROCESS, .state = SYMBOL_NONE, .at = s->process},
            .frame = frame_count};
    for (unsigned i = frame_count; i > 0; i--) {
        const struct path_step step = {site_of(sites, m, s, frames, i - 1), i - 1};
        count = add_step(out, count, look.fold, &step);
    }
    if (look.state && count)
        out[count++] = (struct path_step){state_site(look.state), frame_count + 1};
    if (look.shape == STACK_CALLERS)
        turn_around(out, count);
    return count;
}

/* ---- names -------------------------------------------------------------------------------- */

static char *process_text(const struct model *m, const struct site *s, char *out, size_t room)
{
    const struct process *const p = model_process_at(m, (uint32_t)s->at);
    if (p)
        snprintf(out, room, "%s (%u)", p->name && p->name[0] ? p->name : "(unnamed)", p->pid);
    else
        snprintf(out, room, "(unknown)");
    return out;
}

static char *module_text(const struct model *m, const struct site *s, char *out, size_t room)
{
    const struct image like = {.module = s->module};
    const char *const name = model_module_name(m, &like);
    snprintf(out, room, "%s", name ? name : s->mode == SITE_USER ? "(no module)" : "(kernel)");
    return out;
}

char *path_text(const struct sites *sites, const struct model *m, const struct site *s,
                unsigned fold, char *out, size_t room)
{
    if (s->mode == SITE_OF_PROCESS)
        return process_text(m, s, out, room);
    static const char *const states[] = {
        [STATE_RUNNING] = "running", [STATE_READY] = "ready", [STATE_WAITING] = "waiting"};
    if (s->mode == SITE_OF_STATE)
        return snprintf(out, room, "[%s]", states[s->at & 3]), out;
    if (s->mode == SITE_OF_PART)
        return snprintf(out, room, "%s", s->at ? "is called by" : "calls"), out;
    if (fold == FOLD_MODULES)
        return module_text(m, s, out, room);
    return site_text(sites, m, s, out, room);
}
