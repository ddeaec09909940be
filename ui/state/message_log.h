/* The last messages, each in full and with its time: the screen shows one for some seconds, the
 * page of :messages shows all of them. */
#ifndef UI_STATE_MESSAGE_LOG_H
#define UI_STATE_MESSAGE_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum { MESSAGES_KEPT = 100 };

struct message {
    char *text;      /* the log's */
    int64_t wall_ns; /* since 1970; 0: not to be shown */
    bool is_error;
};

struct message_log; /* NULL is empty, and keeps nothing */

struct message_log *message_log_new(void);
void message_log_free(struct message_log *l);
void message_log_add(struct message_log *l, bool is_error, int64_t wall_ns, const char *text);

/* How many are kept, and how many were forgotten. */
unsigned message_log_count(const struct message_log *l);
uint64_t message_log_forgotten(const struct message_log *l);

/* 0 is the newest; NULL behind the oldest one. */
const struct message *message_log_at(const struct message_log *l, unsigned i);

#endif
