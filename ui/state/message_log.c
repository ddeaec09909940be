#include "ui/state/message_log.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct message_log {
    struct message kept[MESSAGES_KEPT]; /* by their number, around */
    uint64_t count;                     /* since the start */
};

struct message_log *message_log_new(void)
{
    return mem_new(1, sizeof(struct message_log));
}

void message_log_free(struct message_log *l)
{
    for (unsigned i = 0; l && i < MESSAGES_KEPT; i++)
        free(l->kept[i].text);
    free(l);
}

void message_log_add(struct message_log *l, bool is_error, int64_t wall_ns, const char *text)
{
    if (!l)
        return;
    struct message *const m = &l->kept[l->count++ % MESSAGES_KEPT];
    free(m->text);
    *m = (struct message){.text = mem_string(text), .wall_ns = wall_ns, .is_error = is_error};
}

unsigned message_log_count(const struct message_log *l)
{
    const uint64_t count = l ? l->count : 0;
    return count < MESSAGES_KEPT ? (unsigned)count : MESSAGES_KEPT;
}

uint64_t message_log_forgotten(const struct message_log *l)
{
    return l ? l->count - message_log_count(l) : 0;
}

const struct message *message_log_at(const struct message_log *l, unsigned i)
{
    return i < message_log_count(l) ? &l->kept[(l->count - 1 - i) % MESSAGES_KEPT] : NULL;
}
