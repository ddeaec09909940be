/* Any line as what a reader needs of a recorder, and as the recorder's answer: what is read is the
 * same when it is written and read again, and never more than the classes that there are. */
#include "src/collect/collector.h"
#include "src/collect/watch_request.h"
#include "src/model/fact.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { LINE = 4096, ALL = (1u << FACT_CLASSES) - 1 };

static void check_request(const char *line)
{
    struct watch_request w, again;
    struct err err = {""};
    char written[LINE];
    if (!watch_request_read(line, &w, &err)) {
        if (!err.text[0])
            abort();
        return;
    }
    if ((w.classes | w.stacks) & ~ALL)
        abort();
    if (!watch_request_read(watch_request_write(&w, written, sizeof written), &again, &err) ||
        again.classes != w.classes || again.stacks != w.stacks)
        abort();
}

static void check_answer(const char *line)
{
    struct collector *const c = calloc(1, sizeof *c), *const again = calloc(1, sizeof *again);
    char written[LINE];
    watch_answer_read(line, c);
    if ((c->active | c->active_stacks | c->refused) & ~ALL)
        abort();
    watch_answer_read(watch_answer_write(c, written, sizeof written), again);
    if (again->active != c->active || again->active_stacks != c->active_stacks ||
        again->refused != c->refused)
        abort();
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        if (c->switched_ns[class] < 0 ||
            (c->active >> class & 1 && again->switched_ns[class] != c->switched_ns[class]))
            abort();
    free(c);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *const line = malloc(bytes + 1);
    memcpy(line, data, bytes);
    line[bytes] = '\0';
    check_request(line);
    check_answer(line);
    free(line);
    return 0;
}
