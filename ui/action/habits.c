#include "ui/action/habits.h"

#include <string.h>

struct habit_key {
    const char *key; /* as key_text() names it */
    const char *says;
};

static const struct habit_key habit_keys[] = {
    {"C-b", "PgUp goes a page up, C-u half a page"},
    {"C-g", "Esc cancels"},
    {"C-r", "C-l redraws; figures refresh by themselves"},
    {"C-x", "F10 quits, :save keeps settings"},
    {"C-w", "Tab goes to the next pane, _ and | split, q closes one"},
    {"C-e", "S-Down scrolls down without the cursor"},
    {"C-y", "S-Up scrolls up without the cursor"},
    {"C-k", "F9 lists the actions on this row, terminate among them"},
    {"^", "g goes to the first row; Left and Right move the column cursor"},
    {"$", "G goes to the last row; Left and Right move the column cursor"},
    {"E", "t shows a tree, E unfolds all of it"},
    {"D", "d shows the events of this row; F9 lists actions on it"},
    {"J", "Down goes one row down; S-Down scrolls"},
    {"V", "Space tags rows; Y copies the visible ones"},
    {"Ins", "Space tags the row"},
    {"F11", "F1 lists the keys"},
    {"F12", "F1 lists the keys"},
};

static const struct habit_command habit_commands[] = {
    {"q!", "quit", NULL},
    {"qa", "quit", NULL},
    {"qa!", "quit", NULL},
    {"exit", "quit", NULL},
    {"h", "help", NULL},
    {"?", "help", NULL},
    {"w", NULL, "F8 writes the history, X exports this table, :save keeps settings"},
    {"write", NULL, "F8 writes the history, X exports this table, :save keeps settings"},
    {"wq", NULL, "F8 writes the history, then q quits"},
    {"x", NULL, "F8 writes the history, then q quits"},
    {"e", NULL, "open another trace from the shell: tracetop FILE.etl"},
    {"edit", NULL, "open another trace from the shell: tracetop FILE.etl"},
    {"k", NULL, "F9 terminates the process of this row"},
    {"kill", NULL, "F9 terminates the process of this row"},
    {"ls", NULL, "v lists the panes and saved views"},
    {"s", NULL, "/ filters, F3 finds; :sort COLUMN sorts"},
    {"noh", NULL, "Esc ends find and its highlight"},
    {"nohl", NULL, "Esc ends find and its highlight"},
};

static bool is_of_mouse(const struct key *k)
{
    return k->kind == KEY_CLICK || k->kind == KEY_DRAG || k->kind == KEY_DROP ||
           k->kind == KEY_WHEEL_UP || k->kind == KEY_WHEEL_DOWN;
}

unsigned habits_answer(struct app *a, const struct key *k)
{
    char name[KEY_NAME];
    if (is_of_mouse(k) || k->kind == KEY_NOTHING || k->kind == KEY_SIZE)
        return REACT_NONE;
    if (k->kind == KEY_PASTE) {
        app_message(a, false, "paste works only in a prompt: press / or : first");
        return REACT_DRAW;
    }
    key_text(k, name);
    const bool is_below = app_context(a) & CONTEXT_ROWS;
    for (size_t i = 0; is_below && i < sizeof habit_keys / sizeof *habit_keys; i++)
        if (strcmp(habit_keys[i].key, name) == 0) {
            app_message(a, false, "%s has no command: %s", name, habit_keys[i].says);
            return REACT_DRAW;
        }
    app_message(a, false, "%s has no command here; F1 lists the keys", name);
    return REACT_DRAW;
}

const struct habit_command *habits_command(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof habit_commands / sizeof *habit_commands; i++)
        if (strlen(habit_commands[i].typed) == length &&
            strncmp(habit_commands[i].typed, name, length) == 0)
            return &habit_commands[i];
    return NULL;
}
