/* Any bytes as a theme: it loads, warns in sentences, and every depth gets a look. */
#include "ui/theme/theme.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct theme *t = calloc(1, sizeof *t);
    struct look *look = malloc(sizeof *look);
    theme_parse(t, (const char *)data, bytes, "fuzz.theme");
    if ((t->warnings > 0) != (t->warning.text[0] != '\0'))
        abort(); /* a warning without a sentence, or the other way round */
    for (int depth = 0; depth < DEPTHS; depth++) {
        theme_reduce(t, (enum depth)depth, look);
        if (look->series_count > SERIES_MAX)
            abort();
        for (int role = 0; role < ROLES; role++)
            look_style(look, (enum role)role, ROLE_TEXT, (enum gradient)0, 0);
    }
    struct style style;
    struct err err;
    char spec[THEME_SPEC];
    const size_t length = bytes < sizeof spec - 1 ? bytes : sizeof spec - 1;
    if (length)
        memcpy(spec, data, length);
    spec[length] = '\0';
    theme_style(t, spec, &style, &err);
    free(look);
    free(t);
    return 0;
}
