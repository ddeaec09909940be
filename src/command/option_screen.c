/* The options of live and replay. */
#include "src/command/option_table.h"

#include "src/base/unit.h"

#include <stdio.h>
#include <string.h>

static bool read_speed(void *field, const char *text, struct err *err)
{
    uint64_t times = 0;
    const bool is_max = strcmp(text, "max") == 0;
    if (!is_max && (!unit_count(text, &times, NULL) || times < 1 || times > 1 << 20))
        return fail(err, "expected 'max' or a whole number from 1 on, found '%s'", text);
    *(int *)field = (int)times;
    return true;
}

/* One reader fills two neighbors: width and height. */
static bool read_cells(void *field, const char *text, struct err *err)
{
    int *const cells = field;
    char rest;
    int width, height;
    if (sscanf(text, "%4dx%4d%c", &width, &height, &rest) != 2 || width < 1 || height < 1 ||
        width > 1000 || height > 1000)
        return fail(err, "expected columns and rows such as 120x40, found '%s'", text);
    cells[0] = width;
    cells[1] = height;
    return true;
}

const struct option options_for_replay[] = {
    {0, "speed", "N|max", "replay at N times the original speed (default max)",
     AT(speed), read_speed},
    {.name = NULL},
};

const struct option options_for_triggers[] = {
    {0, "on", "'EXPR for T do ACTION'", "run ACTION when EXPR has matched for T; may be repeated",
     AT(triggers), option_read_list},
    {.name = NULL},
};

const struct option options_for_screen[] = {
    {0, "headless", NULL, "run the full-screen program without a terminal", AT(headless), NULL},
    {0, "size", "WxH", "headless: size of the screen (default 120x40)", AT(width), read_cells},
    {0, "keys", "FILE", "headless: press the keys in FILE, one a line; text:WORDS types WORDS",
     AT(keys), option_read_text},
    {0, "dump", NULL, "headless: print the screen after each key", AT(dump), NULL},
    {0, "ascii", NULL, "draw with ASCII characters only", AT(ascii), NULL},
    {0, "color", "WHEN",
     "number of colors: auto (default), never, mono, 16, 256, truecolor or always", AT(color),
     option_read_text},
    {0, "theme", "NAME", "color theme: a name from 'tracetop theme list', or a file", AT(theme),
     option_read_text},
    {0, "no-mouse", NULL, "leave the mouse to the terminal", AT(no_mouse), NULL},
    {.name = NULL},
};

const struct option options_for_log[] = {
    {0, "log", "FILE", "append messages of the status line to FILE", AT(log), option_read_text},
    {.name = NULL},
};

const struct option options_for_verbose[] = {
    {'v', "verbose", NULL, "with --log: also write the command of each key", AT(verbose), NULL},
    {.name = NULL},
};
