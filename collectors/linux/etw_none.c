/* What is about ETW and has no counterpart on Linux: said, and not silently nothing. */
#include "collectors/collectors.h"

#include "src/command/batch.h"
#include "src/command/command.h"

int sessions_run(const struct command_verb *c, FILE *to)
{
    (void)c, (void)to;
    complain("there are no ETW sessions on Linux");
    return EXIT_ERROR;
}

const struct schema_system *system_schemas(void)
{
    return NULL;
}
