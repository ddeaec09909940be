#include "ui/config/keymap.h"

#include <string.h>

/* C-a C-b C-q C-\ F11 F12 stay free: multiplexers, terminals and flow control want
 * them. The order is the order of the help and of the key bar. A row is a line, so that it reads as
 * a table. */
/* clang-format off */
const struct binding keymap[] = {
    /* several panes */
    { "next-split", "Tab", "Next", "Go to the next of the panes on screen", CONTEXT_SPLIT, 5, ACT_SPLIT_STEP, 1 },
    { "prev-split", "S-Tab", NULL, "Go to the one before", CONTEXT_SPLIT, 0, ACT_SPLIT_STEP, -1 },

    /* pictures come before what they are of */
    { "picture-left", "Left h", NULL, "Go to the moment before", CONTEXT_PICTURE, 0, ACT_PICTURE_MOVE, -1 },
    { "picture-right", "Right l", NULL, "Go to the next moment", CONTEXT_PICTURE, 0, ACT_PICTURE_MOVE, 1 },
    { "picture-first", "Home g", NULL, "Go to the first moment", CONTEXT_PICTURE, 0, ACT_PICTURE_MOVE, -2 },
    { "picture-last", "End G", NULL, "Go to the last moment", CONTEXT_PICTURE, 0, ACT_PICTURE_MOVE, 2 },
    { "picture-up", "Up k", NULL, "Go to longer latencies, or to the processor above", CONTEXT_PICTURE, 0, ACT_PICTURE_CLIMB, 1 },
    { "picture-down", "Down j", NULL, "Go to shorter latencies, or to the processor below", CONTEXT_PICTURE, 0, ACT_PICTURE_CLIMB, -1 },
    { "picture-go", "Enter", "Go there", "Freeze at the moment under the cursor and show its rows", CONTEXT_PICTURE, 2, ACT_PICTURE_GO, 0 },
    { "picture", "x", "Next picture", "From the histogram to the heat map over time, to processors over time, to the rows", CONTEXT_PICTURE, 1, ACT_PICTURE, 0 },
    { "picture-row", "Space", "Row/All", "Only what the row under the cursor did, or all rows", CONTEXT_PICTURE, 3, ACT_PICTURE_ROW, 0 },
    { "picture-measure-prev", "<", NULL, "The latency before, where the pane has several", CONTEXT_PICTURE, 0, ACT_PICTURE_MEASURE, -1 },
    { "picture-measure", ">", "Latency", "The next latency, where the pane has several", CONTEXT_PICTURE, 4, ACT_PICTURE_MEASURE, 1 },
    { "picture-finer", "+", "Finer", "Less time in a column: the newest part of what is kept", CONTEXT_PICTURE, 5, ACT_PICTURE_SCALE, 1 },
    { "picture-coarser", "-", NULL, "More time in a column, up to all that is kept", CONTEXT_PICTURE, 0, ACT_PICTURE_SCALE, -1 },

    /* trees: what they need comes before what tables do with the same key */
    { "tree-left", "Left h", "Fold", "Fold the row, or go to the one above it in the tree", CONTEXT_TREE | NEEDS_ROWS, 5, ACT_TREE_LEFT, 0 },
    { "tree-right", "Right l", "Unfold", "Unfold the row, or go to the first one below it", CONTEXT_TREE | NEEDS_ROWS, 5, ACT_TREE_RIGHT, 0 },
    { "fold", "Space", NULL, "Fold or unfold the row", CONTEXT_TREE | NEEDS_ROWS, 0, ACT_FOLD, FOLD_TURN },
    { "expand", "+", NULL, "Unfold the row", CONTEXT_TREE | NEEDS_ROWS, 0, ACT_FOLD, FOLD_OPEN },
    { "collapse", "-", NULL, "Fold the row", CONTEXT_TREE | NEEDS_ROWS, 0, ACT_FOLD, FOLD_SHUT },
    { "fold-all", "*", NULL, "Fold all rows, or unfold them all", CONTEXT_TREE, 0, ACT_FOLD_ALL, FOLD_TURN },
    { "expand-all", "E", NULL, "Unfold all rows", CONTEXT_TREE, 0, ACT_FOLD_ALL, FOLD_OPEN },
    { "frame", "i", NULL, "Show the frame's file and line, and where its name comes from or why it has none", CONTEXT_STACKS | NEEDS_ROWS, 0, ACT_FRAME, 0 },
    { "collapse-all", "C", NULL, "Fold all rows", CONTEXT_STACKS, 0, ACT_FOLD_ALL, FOLD_SHUT },

    /* flame graphs and call trees */
    { "flame-left", "Left h", "Left", "Go to the frame on the left", CONTEXT_FLAME | NEEDS_ROWS, 6, ACT_FLAME_MOVE, FLAME_LEFT },
    { "flame-right", "Right l", "Right", "Go to the frame on the right", CONTEXT_FLAME | NEEDS_ROWS, 6, ACT_FLAME_MOVE, FLAME_RIGHT },
    { "flame-up", "Up k", NULL, "Go to the frame above", CONTEXT_FLAME | NEEDS_ROWS, 0, ACT_FLAME_MOVE, FLAME_UP },
    { "flame-down", "Down j", NULL, "Go to the widest frame below", CONTEXT_FLAME | NEEDS_ROWS, 0, ACT_FLAME_MOVE, FLAME_DOWN },
    { "flame-zoom", "Enter", "Zoom", "Give the frame the whole width; Esc goes back", CONTEXT_FLAME | NEEDS_ROWS, 3, ACT_FLAME_ZOOM, 0 },
    { "stack-callers", "<", NULL, "From the innermost frame to who called it", CONTEXT_STACKS, 0, ACT_STACK_DIRECTION, -1 },
    { "stack-callees", ">", NULL, "From the outermost frame to what it calls", CONTEXT_STACKS, 0, ACT_STACK_DIRECTION, 1 },
    { "stack-metric", "w", "Metric", "Choose what stacks are weighed by: samples, waiting, bytes …", CONTEXT_STACKS | NEEDS_ROWS, 5, ACT_CHOOSE, CHOOSE_METRIC },
    { "stack-fold", "M", NULL, "Fold recursion; modules; begin with processes; every frame again", CONTEXT_STACKS, 0, ACT_STACK_FOLD, 0 },
    { "stack-cut-off", "%", NULL, "Frames below so many percent share a row", CONTEXT_TREE | CONTEXT_STACKS, 0, ACT_STACK_CUT_OFF, 0 },
    { "stack-percent", "~", NULL, "Percentages of all that has a stack, or of what is shown", CONTEXT_STACKS, 0, ACT_STACK_PERCENT, 0 },
    { "find-frame", "F3 / C-f", "Find", "Go to frames that match while you type: text, module=, func:, kind=, total>5; n and N go on", CONTEXT_STACKS, 2, ACT_FIND_ROWS, 0 },
    { "stack-light", "#", NULL, "Light the frame wherever it stands; n and N go there", CONTEXT_STACKS | NEEDS_ROWS, 0, ACT_STACK_LIGHT, 0 },
    { "stack-next", "n", NULL, "Go to the next frame that matches, or to the lit frame's next place", CONTEXT_STACKS | NEEDS_ROWS, 0, ACT_STACK_NEXT_LIGHT, 1 },
    { "stack-prev", "N", NULL, "Go to the frame before that matches, or to the lit frame's place before", CONTEXT_STACKS | NEEDS_ROWS, 0, ACT_STACK_NEXT_LIGHT, -1 },
    { "stack-drop", "!", NULL, "Leave out the stacks with this frame", CONTEXT_STACKS | NEEDS_ROWS, 0, ACT_STACK_TERM, -1 },
    { "stack-keep", "=", NULL, "Show only the stacks with this frame", CONTEXT_STACKS | NEEDS_ROWS, 0, ACT_STACK_TERM, 1 },
    { "export", "X", NULL, "Write the tree to a file: folded, speedscope, perfetto or tree", CONTEXT_STACKS | WRITES, 0, ACT_EXPORT, 0 },
    { "stack-flat", "F5 t", "Flat", "Show frames as a flat table, or as a tree again", CONTEXT_STACKS, 7, ACT_STACK_SHAPE, SHAPE_FLAT },
    { "stack-both", "b", "Around", "Show what calls this frame, and what it calls", CONTEXT_STACKS | NEEDS_ROWS, 8, ACT_STACK_AROUND, 0 },

    /* everywhere */
    { "help", "F1 ?", "Help", "Show what every key does here; / narrows the list", CONTEXT_SHOWS, 1, ACT_HELP, 0 },
    { "help", "F1", NULL, "Show what every key does", CONTEXT_CHOOSER | CONTEXT_PROMPT, 0, ACT_HELP, 0 },
    { "setup", "F2 S", "Setup", "Change settings, columns and colours, and keep them", CONTEXT_ROWS, 14, ACT_CHOOSE, CHOOSE_SETUP },
    { "filter", "F4 / \\ &", "Filter", "Show only rows that match, while you type", CONTEXT_ROWS, 2, ACT_FILTER, 0 },
    { "find", "F3 / C-f", "Find", "Narrow this text to the lines that contain what you type", CONTEXT_TEXT, 3, ACT_FIND, 0 },
    { "find", "F3 C-f", NULL, "Go to rows that match while you type, and hide none", CONTEXT_ROWS, 0, ACT_FIND_ROWS, 0 },
    { "find-next", "n", NULL, "Go to the next row that matches", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_FIND_NEXT, 1 },
    { "find-prev", "N", NULL, "Go to the row before that matches", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_FIND_NEXT, -1 },
    { "lock", "L", NULL, "Take this filter along to other panes and levels; again leaves it here", CONTEXT_ROWS, 0, ACT_LOCK, 0 },
    { "users", "u", NULL, "Choose a user or session, whose processes are shown", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_USERS, 0 },
    { "sort", "F6 s", "Sort", "Choose the column to sort by, and the columns shown", CONTEXT_TABLE, 4, ACT_CHOOSE, CHOOSE_SORT },
    { "paths", "w", NULL, "Show whole paths, names only, or paths as the kernel names them", CONTEXT_ROWS, 0, ACT_PATHS, 0 },
    { "of-one-cpu", "%", NULL, "Count processor use in percent of one processor, or of the machine", CONTEXT_TABLE, 0, ACT_OF_ONE_CPU, 0 },
    { "tree", "F5 t", "Tree", "Show rows as a tree: by folder, by key, by parent; or as a table again", CONTEXT_TABLE, 7, ACT_TREE, 0 },
    { "open", "Enter", "Open", "Look inside the row: its part of the pane below", CONTEXT_ROWS | NEEDS_ROWS, 3, ACT_OPEN, 0 },
    { "events", "d", "Events", "Show the events behind this row", CONTEXT_TABLE | NEEDS_ROWS, 6, ACT_EVENTS, 0 },
    { "stacks", "c", "Stacks", "Show the call tree of this row: which code its events came from", CONTEXT_TABLE | NEEDS_ROWS, 6, ACT_STACK_SHAPE, SHAPE_TREE },
    { "flame", "f", NULL, "Show the stacks of this row as a flame graph", CONTEXT_TABLE | NEEDS_ROWS, 6, ACT_STACK_SHAPE, SHAPE_FLAME },
    { "around", "b", NULL, "Show the frames of this row's stacks as a flat table", CONTEXT_TABLE | NEEDS_ROWS, 0, ACT_STACK_AROUND, 0 },
    { "stacks", "c", NULL, "Show the call tree of the events listed", CONTEXT_EVENTS, 0, ACT_STACK_SHAPE, SHAPE_TREE },
    { "flame", "f", NULL, "Show the stacks of the events listed as a flame graph", CONTEXT_EVENTS, 0, ACT_STACK_SHAPE, SHAPE_FLAME },
    { "picture", "x", "Picture", "Show latencies as a histogram; again: over time; again: the rows", CONTEXT_ROWS | CONTEXT_STACKS, 9, ACT_PICTURE, 0 },
    { "threads", "H", NULL, "Switch between threads and processes", CONTEXT_TABLE, 0, ACT_THREADS, 0 },
    { "tail", "F", "Tail", "Stay at the newest event", CONTEXT_EVENTS, 4, ACT_FOLLOW, 0 },
    { "next-pane", "Tab .", "Pane", "Go to the next pane", CONTEXT_ROWS, 5, ACT_PANE_STEP, 1 },
    { "prev-pane", "S-Tab ,", NULL, "Go to the previous pane", CONTEXT_ROWS, 0, ACT_PANE_STEP, -1 },
    { "pane-n", "1 2 3 4 5 6 7 8 9 0", NULL, "Go to the pane with this number", CONTEXT_ROWS, 0, ACT_PANE_DIGIT, 0 },
    { "views", "v", "Views", "Choose a pane from a list with descriptions", CONTEXT_ROWS, 7, ACT_CHOOSE, CHOOSE_PANE },
    { "command", ":", "Command", "Type a command; Tab completes it", CONTEXT_SHOWS, 9, ACT_COMMAND, 0 },
    { "freeze", "Z p", "Freeze", "Hold the picture still; collecting goes on", CONTEXT_ROWS, 8, ACT_FREEZE, 0 },
    { "step-back", "[", NULL, "Show the sample before (freezes first)", CONTEXT_ROWS, 0, ACT_STEP, -1 },
    { "step", "]", NULL, "Show the next sample", CONTEXT_ROWS, 0, ACT_STEP, 1 },
    { "step-back-10", "{", NULL, "Go ten samples back", CONTEXT_ROWS, 0, ACT_STEP, -10 },
    { "step-10", "}", NULL, "Go ten samples forward", CONTEXT_ROWS, 0, ACT_STEP, 10 },
    { "window-start", "C-Home", NULL, "Show the first sample of the kept window", CONTEXT_ROWS, 0, ACT_STEP, STEP_FAR_BACK },
    { "window-end", "C-End", NULL, "Show the last sample of the kept window", CONTEXT_ROWS, 0, ACT_STEP, STEP_FAR_ON },
    { "what-changed", "W", NULL, "What changed: rows of all panes, the last seconds against those before", CONTEXT_ROWS, 0, ACT_WHAT_CHANGED, 0 },
    { "difference", "A", NULL, "Mark this moment; at another one show the difference; then end it", CONTEXT_TABLE, 0, ACT_DIFFERENCE, 0 },
    { "last-view", "C-o", NULL, "Go back to the place before this one; again goes further", CONTEXT_SHOWS, 0, ACT_LAST_VIEW, 0 },
    { "accumulate", "a", "Sums", "Show sums since the start or the reset, beside averages over that time", CONTEXT_TABLE, 10, ACT_ACCUMULATE, 0 },
    { "hide-idle", "i o", NULL, "Hide rows that did nothing in the interval, or show them again", CONTEXT_TABLE, 0, ACT_HIDE_IDLE, 0 },
    { "actions", "F9 M-a", NULL, "Do something with this row: copy parts of it, show its folder, terminate", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_ACTIONS, 0 },
    { "details", "e", NULL, "All that is known of the row's process: command line, modules, files, threads …", CONTEXT_TABLE | NEEDS_ROWS, 0, ACT_DETAILS, 0 },
    { "goto-mark", "'", NULL, "Go to a mark, a gap or a loss: choose from the list", CONTEXT_ROWS, 0, ACT_MARKS, 0 },
    { "slower", "+", NULL, "Longer samples, and so less to draw", CONTEXT_TABLE, 0, ACT_INTERVAL, 1 },
    { "faster", "-", NULL, "Shorter samples", CONTEXT_TABLE, 0, ACT_INTERVAL, -1 },
    { "copy", "y", NULL, "Copy the row, or with a column cursor the cell, to the clipboard", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_COPY, 0 },
    { "copy-table", "Y", NULL, "Copy the rows on screen to the clipboard, as text", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_COPY_TABLE, 0 },
    { "export", "X", NULL, "Write all rows of the table to a file: csv, tsv, jsonl or table", CONTEXT_TABLE | WRITES, 0, ACT_EXPORT, 0 },
    { "hide-system", "K", NULL, "Hide the system's own processes and drivers, or show them again", CONTEXT_TABLE, 0, ACT_HIDE_SYSTEM, 0 },
    { "group", "B", NULL, "Put rows of processes together: by name, user, session, service, not", CONTEXT_TABLE, 0, ACT_GROUP, 0 },
    { "hold-order", "O", NULL, "Keep the order of the rows while their values change, or sort again", CONTEXT_TABLE, 0, ACT_HOLD_ORDER, 0 },
    { "reset", "r", NULL, "Start counting anew (press twice within a second)", CONTEXT_ROWS, 0, ACT_RESET, 0 },
    { "mark", "F7 m", "Mark", "Put a mark among the events, with a text if you like", CONTEXT_ROWS, 12, ACT_MARK, 0 },
    { "snapshot", "F8 C-s", "Snap", "Write what is kept to an .etl file, while everything goes on", CONTEXT_SHOWS | WRITES, 13, ACT_SNAPSHOT, 0 },
    { "record", "R", NULL, "Record to an .etl file from now on; again ends it", CONTEXT_ROWS | WRITES, 0, ACT_RECORD, 0 },
    { "meters", "#", NULL, "Show or hide the machine lines", CONTEXT_ROWS, 0, ACT_METERS, 0 },
    { "split", "_", NULL, "Show another pane below this one, at the same time", CONTEXT_ROWS, 0, ACT_SPLIT, 1 },
    { "split-beside", "|", NULL, "Show another pane beside this one, at the same time", CONTEXT_ROWS, 0, ACT_SPLIT, 0 },
    { "zoom", "z", NULL, "Give the pane the whole screen, and back", CONTEXT_SHOWS, 0, ACT_ZOOM, 0 },
    { "back", "Backspace", "Back", "Go one level up", CONTEXT_SHOWS, 11, ACT_BACK, 0 },
    { "close", "q", NULL, "Close what is open, go one level up, at the top close the pane or quit", CONTEXT_SHOWS, 0, ACT_CLOSE, 0 },
    { "cancel", "Esc", NULL, "Take back one thing: overlay, prompt, filter, level", CONTEXT_ALL, 0, ACT_CANCEL, 0 },
    { "redraw", "C-l", NULL, "Redraw the screen", CONTEXT_ALL, 0, ACT_REDRAW, 0 },
    { "suspend", "C-z", NULL, "Go back to the shell until \"fg\"", CONTEXT_ALL, 0, ACT_SUSPEND, 0 },
    { "quit", "F10 Q C-c", "Quit", "Leave the program", CONTEXT_SHOWS, 2, ACT_QUIT, 0 },
    { "quit", "F10 C-c", NULL, "Leave the program", CONTEXT_CHOOSER | CONTEXT_PROMPT, 0, ACT_QUIT, 0 },

    /* moving */
    { "up", "Up k", NULL, "Go one row up", CONTEXT_SHOWS | NEEDS_ROWS, 0, ACT_MOVE, -1 },
    { "down", "Down j", NULL, "Go one row down", CONTEXT_SHOWS | NEEDS_ROWS, 0, ACT_MOVE, 1 },
    { "page-up", "PgUp", NULL, "Go one page up", CONTEXT_SHOWS | NEEDS_ROWS, 0, ACT_PAGE, -2 },
    { "page-down", "PgDn", NULL, "Go one page down", CONTEXT_SHOWS | NEEDS_ROWS, 0, ACT_PAGE, 2 },
    { "half-up", "C-u", NULL, "Go half a page up", CONTEXT_SHOWS | NEEDS_ROWS, 0, ACT_PAGE, -1 },
    { "half-down", "C-d", NULL, "Go half a page down", CONTEXT_SHOWS | NEEDS_ROWS, 0, ACT_PAGE, 1 },
    { "text-page", "Space", NULL, "Go one page down", CONTEXT_TEXT, 0, ACT_PAGE, 2 },
    { "first", "Home g", NULL, "Go to the first row and stay there", CONTEXT_SHOWS, 0, ACT_HOME, 0 },
    { "last", "End G", NULL, "Go to the last row", CONTEXT_SHOWS | NEEDS_ROWS, 0, ACT_END, 0 },
    { "column-left", "Left h", NULL, "Go one column to the left", CONTEXT_ROWS, 0, ACT_COLUMN, -1 },
    { "column-right", "Right l", NULL, "Go one column to the right", CONTEXT_ROWS, 0, ACT_COLUMN, 1 },
    { "pan-up", "S-Up", NULL, "Scroll up, the cursor stays", CONTEXT_SHOWS, 0, ACT_PAN, -1 },
    { "pan-down", "S-Down", NULL, "Scroll down, the cursor stays", CONTEXT_SHOWS, 0, ACT_PAN, 1 },
    { "wheel-up", "WheelUp", NULL, "Scroll up", CONTEXT_SHOWS | NEEDS_ROWS, 0, ACT_PAN, -3 },
    { "wheel-down", "WheelDown", NULL, "Scroll down", CONTEXT_SHOWS | NEEDS_ROWS, 0, ACT_PAN, 3 },
    { "resize-column", "Drag", NULL, "Make a column wider or narrower: drag the cell behind its title", CONTEXT_ROWS, 0, ACT_DRAG, 0 },
    { "resize-end", "Drop", NULL, "Let go of a column's border", CONTEXT_ALL, 0, ACT_DROP, 0 },
    { "click", "Click", NULL, "Select the row, sort by the header, go back to a crumb, edit the filter, press a key", CONTEXT_SHOWS, 0, ACT_CLICK, 0 },

    /* tables */
    { "sort-prev", "<", NULL, "Sort by the column before", CONTEXT_TABLE, 0, ACT_SORT_STEP, -1 },
    { "sort-next", ">", NULL, "Sort by the next column", CONTEXT_TABLE, 0, ACT_SORT_STEP, 1 },
    { "sort-cpu", "P", NULL, "Sort by processor use", CONTEXT_TABLE, 0, ACT_SORT_BY, SORT_CPU },
    { "sort-memory", "M", NULL, "Sort by memory", CONTEXT_TABLE, 0, ACT_SORT_BY, SORT_MEMORY },
    { "sort-time", "T", NULL, "Sort by time", CONTEXT_TABLE, 0, ACT_SORT_BY, SORT_TIME },
    { "invert", "I", NULL, "Turn the order around", CONTEXT_TABLE, 0, ACT_INVERT, 0 },
    { "tag", "Space", NULL, "Tag the row, or take the tag away, and go down", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_TAG, 0 },
    { "tag-rule", "*", NULL, "Tag all matching rows, now and later", CONTEXT_TABLE | CONTEXT_EVENTS, 0, ACT_TAG_RULE, 0 },
    { "untag-all", "U", NULL, "Take all tags away", CONTEXT_ROWS, 0, ACT_UNTAG, 0 },
    { "clear-filter", "Del C", NULL, "Clear this pane's filter", CONTEXT_ROWS, 0, ACT_CLEAR_FILTER, 0 },
    { "include", "=", NULL, "Show only what is like the cell under the cursor (or of the tagged rows)", CONTEXT_TABLE | CONTEXT_EVENTS | NEEDS_ROWS, 0, ACT_FILTER_CELL, 1 },
    { "exclude", "!", NULL, "Leave out what is like the cell under the cursor", CONTEXT_TABLE | CONTEXT_EVENTS | NEEDS_ROWS, 0, ACT_FILTER_CELL, -1 },
    { "follow", "F", NULL, "Keep the cursor's row on its line of the screen", CONTEXT_TABLE, 0, ACT_FOLLOW, 0 },

    /* prompts */
    { "accept", "Enter", "Keep", "Keep what was typed", CONTEXT_PROMPT, 1, ACT_ACCEPT, 0 },
    { "complete", "Tab", "Complete", "Complete the word", CONTEXT_PROMPT, 3, ACT_COMPLETE, 0 },
    { "to-find", "F3", NULL, "Use what was typed to find, not to hide", CONTEXT_PROMPT, 0, ACT_PROMPT_FIND, 0 },
    { "to-filter", "F4", NULL, "Use what was typed as the filter", CONTEXT_PROMPT, 0, ACT_PROMPT_SWITCH, 0 },
    { "row-up", "C-p", NULL, "Move the row cursor up while typing", CONTEXT_PROMPT, 0, ACT_MOVE, -1 },
    { "row-down", "C-n", NULL, "Move the row cursor down while typing", CONTEXT_PROMPT, 0, ACT_MOVE, 1 },
    { "rows-up", "PgUp", NULL, "Move the row cursor a page up while typing", CONTEXT_PROMPT, 0, ACT_PAGE, -2 },
    { "rows-down", "PgDn", NULL, "Move the row cursor a page down while typing", CONTEXT_PROMPT, 0, ACT_PAGE, 2 },

    /* choosers */
    { "choose", "Enter", "Choose", "Take the marked line", CONTEXT_CHOOSER, 1, ACT_ACCEPT, 0 },
    { "choose-toggle", "Space", "Show/Hide", "Among columns: show the marked one, or hide it", CONTEXT_CHOOSER, 2, ACT_CHOOSE_TOGGLE, 0 },
    { "choose-up", "Up C-p", NULL, "Mark the line above", CONTEXT_CHOOSER, 0, ACT_CHOOSE_MOVE, -1 },
    { "choose-down", "Down C-n Tab", NULL, "Mark the line below", CONTEXT_CHOOSER, 0, ACT_CHOOSE_MOVE, 1 },
    { "choose-page-up", "PgUp", NULL, "Mark the line a page up", CONTEXT_CHOOSER, 0, ACT_CHOOSE_PAGE, -2 },
    { "choose-page-down", "PgDn", NULL, "Mark the line a page down", CONTEXT_CHOOSER, 0, ACT_CHOOSE_PAGE, 2 },
};
/* clang-format on */
const size_t keymap_count = sizeof keymap / sizeof *keymap;

const struct keymap_section keymap_sections[] = {
    {CONTEXT_TABLE, "In tables"},
    {CONTEXT_SPLIT, "Among several panes"},
    {CONTEXT_PICTURE, "In histograms and heat maps"},
    {CONTEXT_TREE, "In trees"},
    {CONTEXT_STACKS, "In call trees and flame graphs"},
    {CONTEXT_FLAME, "In flame graphs"},
    {CONTEXT_EVENTS, "In the event stream"},
    {CONTEXT_TEXT, "In help and event detail"},
    {CONTEXT_PROMPT, "While typing"},
    {CONTEXT_CHOOSER, "While choosing"},
};
const size_t keymap_section_count = sizeof keymap_sections / sizeof *keymap_sections;

bool keymap_next_key(const char **at, char name[KEY_NAME])
{
    while (**at == ' ')
        (*at)++;
    const size_t length = strcspn(*at, " ");
    if (length == 0 || length >= KEY_NAME)
        return false;
    memcpy(name, *at, length);
    name[length] = '\0';
    *at += length;
    return true;
}
