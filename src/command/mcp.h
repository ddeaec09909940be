/* `tracetop mcp`: a server of the Model Context Protocol over standard input and output, one JSON
 * message a line, for programs that ask a language model what happened. It only reads. Revisions
 * 2024-11-05 to 2025-11-25 (with `initialize`) and 2026-07-28 (without) are served alike.
 *
 * The client is not trusted: a line has at most MCP_LINE bytes, JSON is JSON_DEPTH deep, and an
 * answer has at most MCP_ANSWER bytes, with a cursor for the rest. Names from traces are escaped
 * and cut; the server's instructions say that they are data. */
#ifndef SRC_COMMAND_MCP_H
#define SRC_COMMAND_MCP_H

#include "src/command/inquiry.h"

#include <stdio.h>

enum {
    MCP_LINE = 1 << 16,
    MCP_ANSWER = 8000, /* of a tool's text: 4,000 tokens of two bytes */
    MCP_TEXT = 160,    /* bytes of a name */
    MCP_ID = 128,
    MCP_ID_JSON = 6 * MCP_ID + 3, /* the same as JSON, each byte escaped */
};

struct mcp_options {
    const struct command_line *line;
    const struct session_options *session;
    const _Atomic bool *stop; /* set from another thread: finish soon */
};

enum exit_status mcp_run(const struct mcp_options *o, FILE *to, struct err *err);

/* One message without its line end: its answer, or nothing for notifications. `a` has begun. `id`
 * is the message's as JSON while it is answered, or null. */
void mcp_message(struct inquiry *a, const char *text, size_t bytes, char id[MCP_ID_JSON],
                 struct json_out *out);

/* Is the message a notification that the request with this id (as JSON) is canceled? */
bool mcp_cancels(const char *text, size_t bytes, const char *id);

/* ---- the tools (mcp_tools_linux.c) ----------------------------------------------------------- */

struct json_value;

/* The list of tools with the schemas of their arguments. */
void mcp_put_tools(struct json_out *out);

/* False: there is no such tool. Else its text, of MCP_ANSWER bytes at most, or a sentence. */
bool mcp_call(struct inquiry *a, const char *tool, const struct json_value *arguments,
              struct json_out *text, struct err *err);

#endif
