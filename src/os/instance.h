/* The endpoint of a running tracetop: `tracetop mark`, `snapshot` and `record` send it their
 * calls, `tracetop ask --from` its queries. One call is a line of text, its answer is another; a
 * reader's answer is the number of its bytes on a line, and then those.
 *
 * Linux: a socket <runtime folder>/tracetop/<pid>.sock in a folder of mode 0700, itself 0600.
 * Whoever calls must be the user whom the monitor runs as, or root; whoever is called must be the
 * caller's user, or root: the kernel says who it is. Under sudo the program runs as the user who
 * called it (src/os/rights.h); one that is still root then gets no endpoint.
 * Windows: a named pipe with an access list (instance_windows.c). */
#ifndef SRC_OS_INSTANCE_H
#define SRC_OS_INSTANCE_H

#include "src/base/err.h"
#include "src/base/json_out.h"
#include "src/os/os.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    INSTANCE_TEXT = 4096,
    INSTANCE_MOST = 4 << 20, /* bytes of a reader's answer */
    INSTANCES = 64           /* that are found */
};

/* What somebody asks: "mark" "text", "snapshot" "path or nothing" … as it came; the text is
 * the user's and may hold any bytes but NUL and line ends. */
struct instance_call {
    char verb[16];
    char text[INSTANCE_TEXT];
};

struct instance;

/* Calls with one verb that its owner never sees: answered on the endpoint's thread, one after the
 * other. `answer` writes what is to be sent, INSTANCE_MOST bytes at most, or fails with a sentence;
 * it gives up where instance_is_given_up() says so. */
struct instance_reader {
    const char *verb;
    bool (*answer)(void *of, struct instance *i, const char *text, struct json_out *to,
                   struct err *err);
    void *of;
};

/* What runs, and so which calls its owner sees: of a monitor "mark", "snapshot" and "record", of a
 * recording "mark" and "record", of a recorder in the background "classes" as well, of a dump
 * "mark". Others are refused with a sentence. */
enum instance_kind {
    INSTANCE_MONITOR,
    INSTANCE_RECORDING,
    INSTANCE_RECORDER,
    INSTANCE_DUMP,
    INSTANCE_KINDS,
};

/* Opens the endpoint; `wakeup` wakes its owner for every call but those of the reader (NULL: there
 * is none). NULL with a sentence where none can be opened: the program works without. */
struct instance *instance_open(struct os_wakeup *wakeup, enum instance_kind kind,
                               const struct instance_reader *reader, struct err *err);

/* For readers: the caller has left, or the program ends. */
bool instance_is_given_up(const struct instance *i);

/* Refuses whoever still waits, closes, removes the socket; NULL is fine. */
void instance_close(struct instance *i);

/* The call that waits for an answer, if there is one. It must be answered before the next one
 * is taken; a caller who left meanwhile does not mind. One thread. */
bool instance_take(struct instance *i, struct instance_call *call);
void instance_answer(struct instance *i, bool is_done, const char *sentence);

/* From another process: the instances of this user that run, in no order; how many. 0 with a
 * sentence where there are none. */
unsigned instance_list(uint32_t pids[INSTANCES], struct err *err);

/* From another process: calls the instance with this pid, or with 0 the only one there is that
 * takes the verb (else the sentence lists them). False: nobody there, no answer within
 * `timeout_ns`, or it said no; err says which, and on success `answer` what it said. */
bool instance_ask(uint32_t pid, const char *verb, const char *text, int64_t timeout_ns,
                  char *answer, size_t room, struct err *err);

/* The same for a reader's answer, which the caller frees. */
char *instance_ask_reader(uint32_t pid, const char *verb, const char *text, int64_t timeout_ns,
                          size_t *bytes, struct err *err);

#endif
