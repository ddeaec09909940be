/* Makes the sessions log what is wanted. */
#include "collectors/windows/live.h"

#include "collectors/windows/classes.h"
#include "collectors/windows/privilege.h"

#include "src/collect/coverage.h"
#include "src/engine/watch.h"
#include "src/model/fact.h"

#include <stdio.h>
#include <string.h>

enum { LEVEL_INFORMATION = 4 };

/* ---- the kernel's classes -------------------------------------------------------------------- */

static ULONG set_information(const struct windows_live *l, ULONG class, void *data, size_t bytes)
{
    if (!etw_api()->TraceSetInformation)
        return ERROR_CALL_NOT_IMPLEMENTED;
    return etw_api()->TraceSetInformation(l->kernel.session.handle, class, data, (ULONG)bytes);
}

/* Samples by counters of the processors, too. */
static bool wants_counters(const struct windows_live *l, uint32_t classes)
{
    return l->sampling.has_counters && classes & 1u << FACT_SAMPLE;
}

/* The whole group mask; where that is not to be had, its first word by the older call. */
static ULONG put_masks(const struct windows_live *l, ULONG *masks)
{
    const ULONG error =
        set_information(l, TraceSystemTraceEnableFlagsInfo, masks, ETW_GROUP_MASKS * sizeof *masks);
    return error == ERROR_SUCCESS || error == ERROR_ACCESS_DENIED ||
                   error == ERROR_WMI_INSTANCE_NOT_FOUND
               ? error
               : session_flags_etw(&l->kernel.session, masks[0]);
}

static ULONG set_flags(struct windows_live *l, uint32_t classes, uint32_t stacks)
{
    ULONG masks[ETW_GROUP_MASKS] = {
        classes_whole_flags(classes_flags(classes, stacks) | l->options.kernel_flags)};
    masks[COUNTER_MASK_WORD] |= wants_counters(l, classes) ? COUNTER_MASK : 0;
    const ULONG error = put_masks(l, masks);
    if (error == ERROR_SUCCESS) {
        memcpy(l->masks, masks, sizeof masks);
        l->kernel.session.flags = masks[0];
    }
    return error;
}

bool switch_clear(struct windows_live *l)
{
    ULONG none[ETW_GROUP_MASKS] = {0};
    if (l->uses_providers)
        return false;
    privilege_profile_begin();
    const bool is_cleared = put_masks(l, none) == ERROR_SUCCESS;
    /* What cannot be set again now is applied anew, or reported, by the next look at the classes.
     */
    if (is_cleared && put_masks(l, l->masks) != ERROR_SUCCESS)
        l->has_applied = false;
    privilege_profile_end();
    if (is_cleared)
        atomic_store(&l->wants_gap, GAP_NAMES);
    return is_cleared;
}

static ULONG set_provider(const struct windows_live *l, unsigned index, uint64_t keywords)
{
    if (!etw_api()->EnableTraceEx2)
        return ERROR_CALL_NOT_IMPLEMENTED;
    return etw_api()->EnableTraceEx2(l->kernel.session.handle, classes_provider(index),
                                     keywords ? EVENT_CONTROL_CODE_ENABLE_PROVIDER
                                              : EVENT_CONTROL_CODE_DISABLE_PROVIDER,
                                     LEVEL_INFORMATION, keywords, 0, 0, NULL);
}

static uint64_t keywords_of(unsigned index, uint32_t classes, uint32_t stacks, bool has_counters)
{
    return classes_keywords(index, classes, stacks) |
           (has_counters ? classes_counter_keywords(index) : 0);
}

static ULONG set_providers(const struct windows_live *l, uint32_t classes, uint32_t stacks)
{
    ULONG worst = ERROR_SUCCESS;
    for (unsigned i = 0; i < SYSTEM_PROVIDERS; i++) {
        const uint64_t wanted = keywords_of(i, classes, stacks, wants_counters(l, classes));
        const uint64_t had = l->has_applied ? keywords_of(i, l->classes, l->stacks, l->counts) : 0;
        const ULONG error = wanted == had ? ERROR_SUCCESS : set_provider(l, i, wanted);
        worst = worst ? worst : error;
    }
    return worst;
}

/* Where flags are not to be had, providers may be taken; rights that are missing are missing for
 * them, too. A system that has none takes them, and nothing comes of it: it must be new enough.
 * What
 * --kernel-flags names is a flag only. */
static bool may_have_providers(const struct windows_live *l, ULONG error)
{
    return etw_api()->build >= ETW_BUILD_PROVIDERS && !l->options.kernel_flags && !l->has_applied &&
           error != ERROR_WMI_INSTANCE_NOT_FOUND && error != ERROR_ACCESS_DENIED &&
           error != ERROR_PRIVILEGE_NOT_HELD;
}

/* Some versions take the keyword of file operations and do nothing. */
static void report_providers(struct windows_live *l, ULONG error)
{
    char reason[256];
    message_write(&l->messages,
                  "the kernel's flags are refused: %s; its events come by System providers, and "
                  "those of files may be missing",
                  etw_reason(error, reason, sizeof reason));
}

static ULONG set_classes(struct windows_live *l, uint32_t classes, uint32_t stacks)
{
    if (l->uses_providers)
        return set_providers(l, classes, stacks);
    const ULONG error = set_flags(l, classes, stacks);
    if (error == ERROR_SUCCESS || !may_have_providers(l, error))
        return error;
    l->uses_providers = set_providers(l, classes, stacks) == ERROR_SUCCESS;
    for (unsigned i = 0; i < SYSTEM_PROVIDERS && !l->uses_providers; i++)
        set_provider(l, i, 0); /* what of them had been taken */
    if (l->uses_providers)
        report_providers(l, error);
    return l->uses_providers ? ERROR_SUCCESS : error;
}

/* Adds class by class what the session takes: one that is refused must not cost the others. */
static uint32_t set_one_by_one(struct windows_live *l, uint32_t wanted, uint32_t stacks,
                               ULONG *error)
{
    uint32_t had = classes_always();
    for (unsigned c = 0; c < FACT_CLASSES; c++) {
        const uint32_t more = had | (wanted & 1u << c);
        if (more == had)
            continue;
        const ULONG answer = set_classes(l, more, stacks);
        if (answer == ERROR_SUCCESS)
            had = more;
        else
            *error = answer;
    }
    set_classes(l, had, stacks);
    return had;
}

static ULONG set_stacks(const struct windows_live *l, uint32_t stacks)
{
    struct etw_classic_id ids[ETW_CLASSIC_IDS];
    const unsigned count = classes_stack_ids(stacks, ids);
    return set_information(l, TraceStackTracingInfo, ids, count * sizeof *ids);
}

/* What --kernel-flags asks for must not cost what panes need. */
static ULONG without_kernel_flags(struct windows_live *l, uint32_t classes, uint32_t stacks,
                                  ULONG error)
{
    char reason[256];
    l->options.kernel_flags = 0;
    const ULONG answer = set_classes(l, classes, stacks);
    if (answer == ERROR_SUCCESS)
        message_write(&l->messages, "the events of --kernel-flags are unavailable: %s",
                      etw_reason(error, reason, sizeof reason));
    return answer;
}

/* ---- telling --------------------------------------------------------------------------------- */

static void report_refused(struct windows_live *l, uint32_t refused, ULONG error)
{
    char words[256], reason[256];
    if (!(refused & ~l->reported_refused))
        return;
    watch_words(refused & ~l->reported_refused, words, sizeof words);
    if (message_write(&l->messages, "the kernel's events for %s are unavailable: %s", words,
                 etw_reason(error, reason, sizeof reason)))
        l->reported_refused |= refused;
}

static void report_no_stacks(struct windows_live *l, ULONG error)
{
    char reason[256];
    if (!l->reported_no_stacks)
        l->reported_no_stacks = message_write(&l->messages, "stacks are unavailable: %s",
                                              etw_reason(error, reason, sizeof reason));
}

static void publish(struct windows_live *l, uint32_t active, uint32_t stacks, uint32_t refused)
{
    struct collector *const c = l->collector;
    coverage_switch(c, active);
    atomic_store_explicit(&c->active_stacks, stacks, memory_order_relaxed);
    atomic_store_explicit(&c->refused, refused, memory_order_relaxed);
}

/* ---- sampling -------------------------------------------------------------------------------- */

static void report_interval(struct windows_live *l)
{
    const ULONG interval = sampling_interval(SAMPLING_TIMER);
    if (interval)
        atomic_store(&l->interval, interval);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void apply(struct windows_live *l, uint32_t wanted, uint32_t stacks)
{
    ULONG error;
    uint32_t active = wanted;
    privilege_profile_begin();
    if (wanted & 1u << FACT_SAMPLE)
        sampling_begin(l);
    error = set_classes(l, wanted, stacks);
    if (l->options.kernel_flags && error != ERROR_SUCCESS && error != ERROR_WMI_INSTANCE_NOT_FOUND)
        error = without_kernel_flags(l, wanted, stacks, error);
    if (error != ERROR_SUCCESS && error != ERROR_WMI_INSTANCE_NOT_FOUND)
        active = set_one_by_one(l, wanted, stacks, &error);
    l->has_applied = true;
    l->classes = wanted;
    l->counts = wants_counters(l, active);
    if (active != wanted)
        report_refused(l, wanted & ~active, error);
    const ULONG no_stacks =
        stacks != l->stacks || stacks ? set_stacks(l, stacks & active) : ERROR_SUCCESS;
    if (no_stacks != ERROR_SUCCESS)
        report_no_stacks(l, no_stacks);
    l->stacks = stacks;
    if (active & 1u << FACT_SAMPLE)
        report_interval(l);
    else
        sampling_end(l);
    privilege_profile_end();
    publish(l, active, no_stacks ? 0 : stacks & active, wanted & ~active);
}

void switch_classes(struct windows_live *l)
{
    const struct collector *const c = l->collector;
    const uint32_t wanted =
        (atomic_load_explicit(&c->wanted, memory_order_relaxed) | classes_always()) &
        classes_known();
    const uint32_t stacks = atomic_load_explicit(&c->wanted_stacks, memory_order_relaxed) & wanted;
    if (l->kernel.is_attached)
        publish(l, classes_known(), 0, 0); /* whatever its owner has switched on */
    else if (!l->kernel.is_wanted)
        publish(l, 0, 0, wanted);
    else if (l->kernel.consumer.thread &&
             (!l->has_applied || wanted != l->classes || stacks != l->stacks))
        apply(l, wanted, stacks);
}

/* ---- other providers ------------------------------------------------------------------------- */

static void switch_provider(struct windows_live *l, const struct live_provider *p)
{
    char reason[256];
    enum { STACKS = 4 /* EVENT_ENABLE_PROPERTY_STACK_TRACE */ };
    const TRACEHANDLE session = l->events.session.handle;
    const uint32_t stacks =
        atomic_load_explicit(&l->collector->wanted_stacks, memory_order_relaxed);
    struct etw_enable_parameters with_stacks = {.version = 2, .enable_property = STACKS};
    ULONG error = ERROR_CALL_NOT_IMPLEMENTED;
    if (etw_api()->EnableTraceEx2)
        error = etw_api()->EnableTraceEx2(session, &p->guid, EVENT_CONTROL_CODE_ENABLE_PROVIDER,
                                          p->level, p->keywords, 0, 0,
                                          stacks >> FACT_OTHER & 1 ? &with_stacks : NULL);
    if (error != ERROR_SUCCESS) {
        message_write(&l->messages, "the provider %s cannot be enabled: %s", p->name,
                 etw_reason(error, reason, sizeof reason));
        return;
    }
    /* What it has to say of its state; few have anything, and none must. */
    etw_api()->EnableTraceEx2(session, &p->guid, EVENT_CONTROL_CODE_CAPTURE_STATE, p->level,
                              p->keywords, 0, 0, NULL);
}

void switch_providers(struct windows_live *l)
{
    for (size_t i = 0; i < l->provider_count; i++)
        switch_provider(l, &l->providers[i]);
}
