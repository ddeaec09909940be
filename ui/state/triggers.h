/* Triggers as the user has them: set by :on, the command line or the configuration, and passed to
 * the engine. When it reports a hit, the trigger's action runs. Main thread. */
#ifndef UI_STATE_TRIGGERS_H
#define UI_STATE_TRIGGERS_H

#include "src/engine/trigger.h"
#include "src/frame/frame.h"
#include "src/os/os.h"

struct app;
struct config;

/* Who says it: commands are run for the command line alone. */
enum trigger_origin { FROM_PROMPT, FROM_COMMAND_LINE, FROM_CONFIGURATION };

struct triggers {
    struct held_trigger {
        struct trigger what;
        char text[TRIGGER_TEXT];
        bool is_set;
        uint64_t seen;            /* hits that were acted on */
        int64_t around_ns;        /* a snapshot around this instant waits for its end; 0 = none */
        struct os_child *child;   /* TRIGGER_RUN: of the last hit, or NULL */
    } of[TRIGGERS_MAX];
    uint32_t settings[TRIGGERS_MAX]; /* as struct trigger_state counts them */
};

/* Those of the command line, which the engine was started with. */
void triggers_begin(struct app *a, const char *const *texts, size_t count);

/* Those of the configuration; a wrong one is a warning. The config may be NULL. */
void triggers_configure(struct app *a, struct config *c);

/* Sets one; false with a sentence. `slot` (may be NULL) is where. */
bool triggers_add(struct app *a, const char *text, enum trigger_origin origin, unsigned *slot,
                  struct err *err);

/* Would triggers_add() take it? */
bool triggers_check(const char *text, enum trigger_origin origin, struct err *err);

/* Takes away the one with this number as the list shows it (1 …), or all by 0; false: there is
 * no such. */
bool triggers_drop(struct app *a, unsigned number);

/* How many are set. */
unsigned triggers_count(const struct app *a);

/* The i-th of those set, as the list shows it: "2", and its text with what became of it. False
 * behind the last. */
bool triggers_line(const struct app *a, unsigned i, char *name, size_t name_room, char *text,
                   size_t room);

void triggers_fini(struct app *a);

#endif
