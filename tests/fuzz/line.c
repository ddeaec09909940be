/* Any words as a command line (one per line of input): it is understood, or the sentence
 * says what is wrong, and the status agrees. */
#include "src/command/command.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { WORDS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *text = malloc(bytes + 1);
    if (bytes)
        memcpy(text, data, bytes);
    text[bytes] = '\0';

    char *words[WORDS + 2] = {(char[]){"tracetop"}};
    int count = 1;
    for (char *at = text; at && count <= WORDS; count++) {
        words[count] = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = '\0';
    }

    struct command_line line;
    struct err err = {""};
    const enum exit_status status = command_line_read(&line, count, words, &err);
    if ((status == EXIT_DONE) == (err.text[0] != '\0'))
        abort();
    if (status == EXIT_DONE && (!line.filter || line.id >= SUBCOMMANDS))
        abort();
    command_line_fini(&line);
    free(text);
    return 0;
}
