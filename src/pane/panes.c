#include "src/pane/panes.h"

#include "src/pane/declared.h"

#include <string.h>

extern const struct pane pane_processes, pane_cpu, pane_disk, pane_files, pane_network,
    pane_registry, pane_memory, pane_interrupts, pane_calls, pane_callers, pane_diskfiles,
    pane_images, pane_events, pane_rates, pane_stacks, pane_threads, pane_changes,
    pane_fileusers;

/* What is not built in comes behind, see src/pane/declared.h; NULL is the end. */
enum { BUILT_IN = 18 };

const struct pane *panes[BUILT_IN + DECLARED_MAX + 1] = {
    &pane_processes, &pane_cpu,    &pane_disk,       &pane_files,  &pane_network,
    &pane_registry,  &pane_memory, &pane_interrupts, &pane_calls,  &pane_callers,
    &pane_diskfiles, &pane_images, &pane_events,     &pane_rates,  &pane_stacks,
    &pane_threads,   &pane_fileusers, &pane_changes,
};

bool panes_add(const struct pane *p)
{
    size_t count = 0;
    while (panes[count])
        count++;
    if (count == BUILT_IN + DECLARED_MAX)
        return false;
    panes[count] = p;
    return true;
}

const struct pane *pane_find(const char *id)
{
    const struct pane *found = NULL;
    const size_t length = strlen(id);
    for (const struct pane *const *p = panes; *p; p++) {
        if (strcmp((*p)->id, id) == 0)
            return *p;
        if (length == 1 && (*p)->digit == id[0])
            return *p;
    }
    unsigned matches = 0;
    for (const struct pane *const *p = panes; *p; p++)
        if (length && strncmp((*p)->id, id, length) == 0) {
            found = *p;
            matches++;
        }
    return matches == 1 ? found : NULL;
}
