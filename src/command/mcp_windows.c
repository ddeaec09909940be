#include "src/command/mcp.h"

enum exit_status mcp_run(const struct mcp_options *o, FILE *to, struct err *err)
{
    (void)o, (void)to;
    fail(err, "mcp is not available on Windows; 'tracetop ask' answers queries there");
    return EXIT_ERROR;
}
