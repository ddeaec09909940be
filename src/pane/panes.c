#include "src/pane/panes.h"

#include "src/pane/user_view.h"

#include <string.h>

/* The panes that are built in, in the order of the key bar and of help: X(NAME) for pane_NAME of
 * src/pane/NAME.c. */
#define PANES(X)                                                                                   \
    X(processes)                                                                                   \
    X(cpu) X(disk) X(files) X(network) X(registry) X(memory) X(interrupts) X(calls) X(dotnet) X(callers)     \
        X(diskfiles) X(images) X(events) X(rates) X(stacks) X(threads) X(fileusers) X(changes)

#define DECLARE(name) extern const struct pane pane_##name;
#define POINTER(name) &pane_##name,
#define ONE(name)     +1

PANES(DECLARE)

/* What is not built in comes behind, see src/pane/user_view.h; NULL is the end. */
enum { BUILT_IN = 0 PANES(ONE) };

const struct pane *panes[BUILT_IN + USER_VIEW_MAX + 1] = {PANES(POINTER)};

bool panes_add(const struct pane *p)
{
    size_t count = 0;
    while (panes[count])
        count++;
    if (count == BUILT_IN + USER_VIEW_MAX)
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
