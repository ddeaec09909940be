/* Lists whose members stay in their slots, by which the engine knows them, and are numbered from 1
 * on as they are shown: triggers, highlight rules. */
#ifndef UI_WIDGET_SLOTS_H
#define UI_WIDGET_SLOTS_H

#include <stdbool.h>
#include <stddef.h>

struct slots {
    const void *of;
    size_t bytes;   /* of each */
    unsigned count; /* of slots */
    bool (*is_set)(const void *slot);
};

/* A slot that nothing is in, and the slot of what is shown with this number; `count` where there is
 * none. */
unsigned slots_free(const struct slots *s);
unsigned slots_numbered(const struct slots *s, unsigned number);

/* How many are set. */
unsigned slots_used(const struct slots *s);

/* Goes through the slots of what is taken away by this number, all by 0: *at begins at 0. False
 * behind the last. What is in a slot may be taken out on the way when it is all. */
bool slots_dropped(const struct slots *s, unsigned number, unsigned *at, unsigned *slot);

#endif
