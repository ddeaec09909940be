#include "ui/config/keymap.h"

#include "src/export/formats.h"

#include <string.h>

/* C-a C-b C-q C-\ F11 F12 stay free: multiplexers, terminals and flow control want
 * them. The order is the order of the help and of the key bar. A row is a line, so that it reads as
 * a table. */
/* clang-format off */
const struct binding keymap[] = {
    /* the time strip */
    { "strip-left", "Left h", "Earlier", "Show the column before (freezes first)", CONTEXT_STRIP, 1, ACT_STRIP_MOVE, -1 },
    { "strip-right", "Right l", NULL, "Show the next column", CONTEXT_STRIP, 0, ACT_STRIP_MOVE, 1 },
    { "strip-left-10", "{", NULL, "Go ten columns back", CONTEXT_STRIP, 0, ACT_STRIP_MOVE, -10 },
    { "strip-right-10", "}", NULL, "Go ten columns forward", CONTEXT_STRIP, 0, ACT_STRIP_MOVE, 10 },
    { "strip-first", "Home g", NULL, "Go to the first moment", CONTEXT_STRIP, 0, ACT_STRIP_MOVE, STEP_FAR_BACK },
    { "strip-last", "End G", NULL, "Go to the last moment", CONTEXT_STRIP, 0, ACT_STRIP_MOVE, STEP_FAR_ON },
    { "strip-end", "Space", "Set end", "Set one end of a range, then the other", CONTEXT_STRIP, 1, ACT_STRIP_END, 0 },
    { "strip-go", "Enter", "Go there", "Show the range, or this moment, and leave the strip", CONTEXT_STRIP, 1, ACT_STRIP_GO, 0 },
    { "strip-metric", "Tab", "Metric", "Show the next figure: CPU, disk, network, events", CONTEXT_STRIP, 2, ACT_STRIP_METRIC, 1 },
    { "strip-metric-prev", "S-Tab", NULL, "Show the previous figure", CONTEXT_STRIP, 0, ACT_STRIP_METRIC, -1 },
    { "strip-finer", "+", "Zoom", "Zoom in: half the time", CONTEXT_STRIP, 3, ACT_STRIP_SCALE, 1 },
    { "strip-coarser", "-", NULL, "Zoom out: twice the time", CONTEXT_STRIP, 0, ACT_STRIP_SCALE, -1 },

    /* several panes */
    { "next-split", "Tab", "Next", "Go to the next pane on screen", CONTEXT_SPLIT, 5, ACT_SPLIT_STEP, 1 },
    { "prev-split", "S-Tab", NULL, "Go to the previous pane on screen", CONTEXT_SPLIT, 0, ACT_SPLIT_STEP, -1 },

    /* charts come before their tables */
    { "chart-left", "Left h", NULL, "Go to the previous moment", CONTEXT_CHART, 0, ACT_CHART_MOVE, -1 },
    { "chart-right", "Right l", NULL, "Go to the next moment", CONTEXT_CHART, 0, ACT_CHART_MOVE, 1 },
    { "chart-first", "Home g", NULL, "Go to the first moment", CONTEXT_CHART, 0, ACT_CHART_MOVE, -2 },
    { "chart-last", "End G", NULL, "Go to the last moment", CONTEXT_CHART, 0, ACT_CHART_MOVE, 2 },
    { "chart-up", "Up k", NULL, "Go to longer latencies, or one processor or row up", CONTEXT_CHART, 0, ACT_CHART_CLIMB, 1 },
    { "chart-down", "Down j", NULL, "Go to shorter latencies, or one processor or row down", CONTEXT_CHART, 0, ACT_CHART_CLIMB, -1 },
    { "chart-go", "Enter", "Go there", "Freeze at this moment and show its rows", CONTEXT_CHART, 2, ACT_CHART_GO, 0 },
    { "chart", "x", "Next chart", "Next chart: histogram, heat map, by row, processors", CONTEXT_CHART, 1, ACT_CHART, 0 },
    { "chart-row", "Space", "Row/All", "Show only the row under the cursor, or all rows", CONTEXT_CHART, 3, ACT_CHART_ROW, 0 },
    { "chart-measure-prev", "<", NULL, "Show the previous latency or size of the pane", CONTEXT_CHART, 0, ACT_CHART_MEASURE, -1 },
    { "chart-measure", ">", "Measure", "Show the next latency or size of the pane", CONTEXT_CHART, 4, ACT_CHART_MEASURE, 1 },
    { "chart-finer", "+", "Finer", "Zoom in: less time per column, up to the newest event", CONTEXT_CHART, 5, ACT_CHART_SCALE, 1 },
    { "chart-coarser", "-", NULL, "Zoom out: more time per column, up to all history", CONTEXT_CHART, 0, ACT_CHART_SCALE, -1 },

    /* details of an event: arguments are enum neighbor, negative for the one before */
    { "next-event", "n Right l", "Next", "Show the next event of the list", CONTEXT_DETAIL | NEEDS_ROWS, 2, ACT_NEIGHBOR, NEIGHBOR_ANY },
    { "prev-event", "N Left h", NULL, "Show the previous event of the list", CONTEXT_DETAIL | NEEDS_ROWS, 0, ACT_NEIGHBOR, -NEIGHBOR_ANY },
    { "next-of-thread", "]", "Thread", "Show the next event of the same thread", CONTEXT_DETAIL | NEEDS_ROWS, 3, ACT_NEIGHBOR, NEIGHBOR_THREAD },
    { "prev-of-thread", "[", NULL, "Show the previous event of the same thread", CONTEXT_DETAIL | NEEDS_ROWS, 0, ACT_NEIGHBOR, -NEIGHBOR_THREAD },
    { "next-of-kind", "}", "Kind", "Show the next event of the same provider and name", CONTEXT_DETAIL | NEEDS_ROWS, 4, ACT_NEIGHBOR, NEIGHBOR_KIND },
    { "prev-of-kind", "{", NULL, "Show the previous event of the same provider and name", CONTEXT_DETAIL | NEEDS_ROWS, 0, ACT_NEIGHBOR, -NEIGHBOR_KIND },
    { "end-details", "e i Enter", NULL, "Close the details", CONTEXT_TEXT, 0, ACT_END_DETAILS, 0 },
    { "copy-event", "y", "Copy", "Copy the event as JSON, as tracetop dump prints it", CONTEXT_DETAIL | NEEDS_ROWS, 5, ACT_COPY_EVENT, 0 },

    /* trees: what they need comes before what tables do with the same key */
    { "tree-left", "Left h", "Fold", "Fold the row, or go to its parent", CONTEXT_TREE | NEEDS_ROWS, 5, ACT_TREE_LEFT, 0 },
    { "tree-right", "Right l", "Unfold", "Unfold the row, or go to its first child", CONTEXT_TREE | NEEDS_ROWS, 5, ACT_TREE_RIGHT, 0 },
    { "fold", "Space", NULL, "Fold or unfold the row", CONTEXT_TREE | NEEDS_ROWS, 0, ACT_FOLD, FOLD_TURN },
    { "expand", "+", NULL, "Unfold the row", CONTEXT_TREE | NEEDS_ROWS, 0, ACT_FOLD, FOLD_OPEN },
    { "collapse", "-", NULL, "Fold the row", CONTEXT_TREE | NEEDS_ROWS, 0, ACT_FOLD, FOLD_SHUT },
    { "fold-all", "*", NULL, "Fold or unfold all rows", CONTEXT_TREE, 0, ACT_FOLD_ALL, FOLD_TURN },
    { "expand-all", "E", NULL, "Unfold all rows", CONTEXT_TREE, 0, ACT_FOLD_ALL, FOLD_OPEN },
    { "frame", "i", NULL, "Show file and line of the frame, and its symbol file", CONTEXT_STACKS | NEEDS_ROWS, 0, ACT_FRAME, 0 },
    { "collapse-all", "C", NULL, "Fold all rows", CONTEXT_STACKS, 0, ACT_FOLD_ALL, FOLD_SHUT },

    /* flame graphs and call trees */
    { "flame-left", "Left h", "Left", "Go to the frame on the left", CONTEXT_FLAME | NEEDS_ROWS, 6, ACT_FLAME_MOVE, FLAME_LEFT },
    { "flame-right", "Right l", "Right", "Go to the frame on the right", CONTEXT_FLAME | NEEDS_ROWS, 6, ACT_FLAME_MOVE, FLAME_RIGHT },
    { "flame-up", "Up k", NULL, "Go to the frame above", CONTEXT_FLAME | NEEDS_ROWS, 0, ACT_FLAME_MOVE, FLAME_UP },
    { "flame-down", "Down j", NULL, "Go to the widest frame below", CONTEXT_FLAME | NEEDS_ROWS, 0, ACT_FLAME_MOVE, FLAME_DOWN },
    { "flame-zoom", "Enter", "Zoom", "Give the frame the whole width; Esc goes back", CONTEXT_FLAME | NEEDS_ROWS, 3, ACT_FLAME_ZOOM, 0 },
    { "stack-callers", "<", NULL, "Call tree from the innermost frame to its callers", CONTEXT_STACKS, 0, ACT_STACK_DIRECTION, -1 },
    { "stack-callees", ">", NULL, "Call tree from the outermost frame to its callees", CONTEXT_STACKS, 0, ACT_STACK_DIRECTION, 1 },
    { "stack-metric", "w", "Metric", "Choose what trees add up: samples, waiting, bytes", CONTEXT_STACKS | NEEDS_ROWS, 5, ACT_CHOOSE, CHOOSE_METRIC },
    { "stack-fold", "M", NULL, "Next: fold recursion, modules, by process, all frames", CONTEXT_STACKS, 0, ACT_STACK_FOLD, 0 },
    { "stack-cut-off", "%", NULL, "Set the percentage below which frames share a row", CONTEXT_TREE | CONTEXT_STACKS, 0, ACT_STACK_CUT_OFF, 0 },
    { "stack-percent", "~", NULL, "Percentages of all stacks, or of the shown part", CONTEXT_STACKS, 0, ACT_STACK_PERCENT, 0 },
    { "find-frame", "F3 / C-f", "Find", "Find frames: text, module=, func:, kind=, total>5", CONTEXT_STACKS, 2, ACT_FIND_ROWS, 0 },
    { "stack-light", "#", NULL, "Highlight this frame everywhere; n and N go there", CONTEXT_STACKS | NEEDS_ROWS, 0, ACT_STACK_HIGHLIGHT, 0 },
    { "stack-next", "n", NULL, "Go to the next matching or highlighted frame", CONTEXT_STACKS | NEEDS_ROWS, 0, ACT_STACK_NEXT_HIGHLIGHT, 1 },
    { "stack-prev", "N", NULL, "Go to the previous matching or highlighted frame", CONTEXT_STACKS | NEEDS_ROWS, 0, ACT_STACK_NEXT_HIGHLIGHT, -1 },
    { "stack-drop", "!", NULL, "Hide stacks with this frame", CONTEXT_STACKS | NEEDS_ROWS, 0, ACT_STACK_TERM, -1 },
    { "stack-keep", "=", NULL, "Show only stacks with this frame", CONTEXT_STACKS | NEEDS_ROWS, 0, ACT_STACK_TERM, 1 },
    { "export", "X", NULL, "Export: folded, speedscope, perfetto or tree", CONTEXT_STACKS | WRITES, 0, ACT_EXPORT, 0 },
    { "stack-flat", "F5 t", "Flat", "Show frames as a flat table or as a tree", CONTEXT_STACKS, 7, ACT_STACK_SHAPE, SHAPE_FLAT },
    { "stack-both", "b", "Around", "Show callers and callees of this frame", CONTEXT_STACKS | NEEDS_ROWS, 8, ACT_STACK_AROUND, 0 },

    /* everywhere */
    { "help", "F1 ?", "Help", "Show signs and keys; / searches the list", CONTEXT_SHOWS, 1, ACT_HELP, 0 },
    { "help", "F1", NULL, "Show signs and keys", CONTEXT_CHOOSER | CONTEXT_PROMPT, 0, ACT_HELP, 0 },
    { "setup", "F2 S", "Setup", "Change and save settings, columns and colors", CONTEXT_ROWS, 14, ACT_CHOOSE, CHOOSE_SETUP },
    { "filter", "F4 / \\ &", "Filter", "Show only rows that match the filter", CONTEXT_ROWS, 2, ACT_FILTER, 0 },
    { "find", "F3 / C-f", "Find", "Show only lines that contain a text", CONTEXT_TEXT, 3, ACT_FIND, 0 },
    { "find", "F3 C-f", NULL, "Find rows that match; hide none", CONTEXT_ROWS, 0, ACT_FIND_ROWS, 0 },
    { "find-next", "n", NULL, "Go to the next matching row", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_FIND_NEXT, 1 },
    { "find-prev", "N", NULL, "Go to the previous matching row", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_FIND_NEXT, -1 },
    { "lock", "L", NULL, "Lock the filter for other panes and levels, or unlock", CONTEXT_ROWS, 0, ACT_LOCK, 0 },
    { "users", "u", NULL, "Show only processes of one user or session", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_USERS, 0 },
    { "sort", "F6 s", "Sort", "Choose the sort column and the visible columns", CONTEXT_TABLE, 4, ACT_CHOOSE, CHOOSE_SORT },
    { "columns", "F6 s", "Columns", "Choose the visible columns, also fields of payloads", CONTEXT_EVENTS, 15, ACT_CHOOSE, CHOOSE_COLUMNS },
    { "paths", "w", NULL, "Next: full paths, file names, kernel paths", CONTEXT_ROWS, 0, ACT_PATHS, 0 },
    { "of-one-cpu", "%", NULL, "CPU% of one processor, or of the machine", CONTEXT_TABLE, 0, ACT_OF_ONE_CPU, 0 },
    { "tree", "F5 t", "Tree", "Show rows as a tree (folder, key, parent) or table", CONTEXT_TABLE, 7, ACT_TREE, 0 },
    { "open", "Enter", "Open", "Open the row: the next pane shows its part", CONTEXT_ROWS | NEEDS_ROWS, 3, ACT_OPEN, 0 },
    { "events", "d", "Events", "Show the events of this row", CONTEXT_TABLE | NEEDS_ROWS, 6, ACT_EVENTS, 0 },
    { "events", "d", NULL, "Go back to the row whose events these are", CONTEXT_EVENTS, 0, ACT_EVENTS, 0 },
    { "stacks", "c", "Stacks", "Show the call tree of this row's events", CONTEXT_TABLE | NEEDS_ROWS, 6, ACT_STACK_SHAPE, SHAPE_TREE },
    { "flame", "f", NULL, "Show the flame graph of this row's events", CONTEXT_TABLE | NEEDS_ROWS, 6, ACT_STACK_SHAPE, SHAPE_FLAME },
    { "around", "b", NULL, "Show frames of this row's stacks as a flat table", CONTEXT_TABLE | NEEDS_ROWS, 0, ACT_STACK_AROUND, 0 },
    { "stacks", "c", NULL, "Show the call tree of these events", CONTEXT_EVENTS, 0, ACT_STACK_SHAPE, SHAPE_TREE },
    { "flame", "f", NULL, "Show the flame graph of these events", CONTEXT_EVENTS, 0, ACT_STACK_SHAPE, SHAPE_FLAME },
    { "chart", "x", "Chart", "Next chart: histogram, heat map, by row, processors", CONTEXT_ROWS | CONTEXT_STACKS, 9, ACT_CHART, 0 },
    { "threads", "H", NULL, "Switch between threads and processes", CONTEXT_TABLE, 0, ACT_THREADS, 0 },
    { "tail", "F", "Tail", "Follow the newest event", CONTEXT_EVENTS, 4, ACT_FOLLOW, 0 },
    { "next-pane", "Tab .", "Pane", "Go to the next pane", CONTEXT_ROWS, 5, ACT_PANE_STEP, 1 },
    { "prev-pane", "S-Tab ,", NULL, "Go to the previous pane", CONTEXT_ROWS, 0, ACT_PANE_STEP, -1 },
    { "pane-n", "1 2 3 4 5 6 7 8 9 0", NULL, "Go to the pane with this number", CONTEXT_ROWS, 0, ACT_PANE_DIGIT, 0 },
    { "views", "v", "Views", "Choose a pane or saved view from a list", CONTEXT_ROWS, 7, ACT_CHOOSE, CHOOSE_PANE },
    { "command", ":", "Command", "Type a command: a list shows those that match", CONTEXT_SHOWS, 9, ACT_COMMAND, 0 },
    { "freeze", "Z p", "Freeze", "Freeze the screen; collecting goes on", CONTEXT_ROWS | CONTEXT_DETAIL, 8, ACT_FREEZE, 0 },
    { "step-back", "[", NULL, "Show the previous interval (freezes first)", CONTEXT_ROWS, 0, ACT_STEP, -1 },
    { "step", "]", NULL, "Show the next interval", CONTEXT_ROWS, 0, ACT_STEP, 1 },
    { "step-back-10", "{", NULL, "Go ten intervals back", CONTEXT_ROWS, 0, ACT_STEP, -10 },
    { "step-10", "}", NULL, "Go ten intervals forward", CONTEXT_ROWS, 0, ACT_STEP, 10 },
    { "window-start", "C-Home", NULL, "Show the first interval of the history", CONTEXT_ROWS, 0, ACT_STEP, STEP_FAR_BACK },
    { "window-end", "C-End", NULL, "Show the last interval of the history", CONTEXT_ROWS, 0, ACT_STEP, STEP_FAR_ON },
    { "what-changed", "W", NULL, "Show rows of all panes that changed most recently", CONTEXT_ROWS, 0, ACT_WHAT_CHANGED, 0 },
    { "difference", "A", NULL, "Compare: mark A, show the difference to A, end", CONTEXT_TABLE, 0, ACT_DIFFERENCE, 0 },
    { "last-view", "C-o", NULL, "Go back to the previous location; again: further back", CONTEXT_SHOWS, 0, ACT_LAST_VIEW, 0 },
    { "accumulate", "a", "Sums", "Show sums since start or reset, or rates", CONTEXT_TABLE, 10, ACT_ACCUMULATE, 0 },
    { "hide-idle", "i o", NULL, "Hide or show idle rows", CONTEXT_TABLE, 0, ACT_HIDE_IDLE, 0 },
    { "actions", "F9 M-a", NULL, "Actions on this row: copy, show folder, terminate", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_ACTIONS, 0 },
    { "details", "e", NULL, "Details of the process: command line, modules, files", CONTEXT_TABLE | NEEDS_ROWS, 0, ACT_DETAILS, 0 },
    { "goto-mark", "'", NULL, "Choose a mark, gap or loss, and go there", CONTEXT_ROWS, 0, ACT_MARKS, 0 },
    { "slower", "+", NULL, "Lengthen the refresh interval", CONTEXT_TABLE, 0, ACT_INTERVAL, 1 },
    { "faster", "-", NULL, "Shorten the refresh interval", CONTEXT_TABLE, 0, ACT_INTERVAL, -1 },
    { "copy", "y", NULL, "Copy the row, or the cell at the column cursor", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_COPY, 0 },
    { "copy-table", "Y", NULL, "Copy the visible rows as text", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_COPY_TABLE, 0 },
    { "export", "X", NULL, "Export all rows: " TABLE_FORMAT_LIST, CONTEXT_TABLE | WRITES, 0, ACT_EXPORT, 0 },
    { "hide-system", "K", NULL, "Hide or show system processes and drivers", CONTEXT_TABLE, 0, ACT_HIDE_SYSTEM, 0 },
    { "group", "B", NULL, "Group rows: host, name, user, session, service, none", CONTEXT_TABLE, 0, ACT_GROUP, 0 },
    { "hold-order", "O", NULL, "Lock the row order, or sort again", CONTEXT_TABLE, 0, ACT_LOCK_ORDER, 0 },
    { "reset", "r", NULL, "Reset the counters (press twice within a second)", CONTEXT_ROWS, 0, ACT_RESET, 0 },
    { "mark", "F7 m", "Mark", "Add a mark to the events, with an optional text", CONTEXT_ROWS, 12, ACT_MARK, 0 },
    { "snapshot", "F8 C-s", "Snap", "Write the history to an .etl file", CONTEXT_SHOWS | WRITES, 13, ACT_SNAPSHOT, 0 },
    { "record", "R", NULL, "Start or stop recording to an .etl file", CONTEXT_ROWS | WRITES, 0, ACT_RECORD, 0 },
    { "meters", "#", NULL, "Meters of the machine: one line, two, full, off", CONTEXT_ROWS, 0, ACT_METERS, 0 },
    { "strip", "@", NULL, "Go to the time strip, or hide it", CONTEXT_SHOWS, 0, ACT_STRIP, 0 },
    { "split", "_", NULL, "Split: show another pane below this one", CONTEXT_ROWS, 0, ACT_SPLIT, 1 },
    { "split-beside", "|", NULL, "Split: show another pane beside this one", CONTEXT_ROWS, 0, ACT_SPLIT, 0 },
    { "zoom", "z", NULL, "Give the pane the whole screen, or restore", CONTEXT_SHOWS, 0, ACT_ZOOM, 0 },
    { "back", "Backspace", "Back", "Go one level up", CONTEXT_SHOWS, 11, ACT_BACK, 0 },
    { "close", "q", NULL, "Close overlay, level or split; at the top quit", CONTEXT_SHOWS, 0, ACT_CLOSE, 0 },
    { "leave", "C-o", NULL, "Close the list or the prompt", CONTEXT_CHOOSER | CONTEXT_PROMPT, 0, ACT_CANCEL, 0 },
    { "close-list", "F2 F6 F9", NULL, "Close the list", CONTEXT_CHOOSER, 0, ACT_CANCEL, 0 },
    { "cancel", "Esc", NULL, "Cancel one thing: overlay, prompt, filter, level", CONTEXT_ALL, 0, ACT_CANCEL, 0 },
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
    { "first", "Home g", NULL, "Go to the first row, and stay there", CONTEXT_SHOWS, 0, ACT_HOME, 0 },
    { "last", "End G", NULL, "Go to the last row", CONTEXT_SHOWS | NEEDS_ROWS, 0, ACT_END, 0 },
    { "column-left", "Left h", NULL, "Go one column to the left", CONTEXT_ROWS, 0, ACT_COLUMN, -1 },
    { "column-right", "Right l", NULL, "Go one column to the right", CONTEXT_ROWS, 0, ACT_COLUMN, 1 },
    { "pan-up", "S-Up", NULL, "Scroll up without the cursor", CONTEXT_SHOWS, 0, ACT_PAN, -1 },
    { "pan-down", "S-Down", NULL, "Scroll down without the cursor", CONTEXT_SHOWS, 0, ACT_PAN, 1 },
    { "wheel-up", "WheelUp", NULL, "Scroll up", CONTEXT_SHOWS | NEEDS_ROWS, 0, ACT_PAN, -3 },
    { "wheel-down", "WheelDown", NULL, "Scroll down", CONTEXT_SHOWS | NEEDS_ROWS, 0, ACT_PAN, 3 },
    { "resize-column", "Drag", NULL, "Resize a column: drag the cell after its title", CONTEXT_ROWS, 0, ACT_DRAG, 0 },
    { "resize-end", "Drop", NULL, "End resizing a column", CONTEXT_ALL, 0, ACT_DROP, 0 },
    { "click", "Click", NULL, "Select a row, sort, open a crumb, filter, press a key", CONTEXT_SHOWS, 0, ACT_CLICK, 0 },

    /* tables */
    { "sort-prev", "<", NULL, "Sort by the previous column", CONTEXT_TABLE, 0, ACT_SORT_STEP, -1 },
    { "sort-next", ">", NULL, "Sort by the next column", CONTEXT_TABLE, 0, ACT_SORT_STEP, 1 },
    { "sort-cpu", "P", NULL, "Sort by processor use", CONTEXT_TABLE, 0, ACT_SORT_BY, SORT_CPU },
    { "sort-memory", "M", NULL, "Sort by memory, allocations or page faults", CONTEXT_TABLE, 0, ACT_SORT_BY, SORT_MEMORY },
    { "sort-time", "T", NULL, "Sort by time", CONTEXT_TABLE, 0, ACT_SORT_BY, SORT_TIME },
    { "invert", "I", NULL, "Reverse the sort order", CONTEXT_TABLE, 0, ACT_INVERT, 0 },
    { "tag", "Space", NULL, "Tag or untag the row, and go down", CONTEXT_ROWS | NEEDS_ROWS, 0, ACT_TAG, 0 },
    { "tag-rule", "*", NULL, "Tag all rows that match, now and later", CONTEXT_TABLE | CONTEXT_EVENTS, 0, ACT_TAG_RULE, 0 },
    { "untag-all", "U", NULL, "Untag all rows", CONTEXT_ROWS, 0, ACT_UNTAG, 0 },
    { "clear-filter", "Del C", NULL, "Clear this pane's filter", CONTEXT_ROWS, 0, ACT_CLEAR_FILTER, 0 },
    { "include", "=", NULL, "Show only rows with the value under the cursor", CONTEXT_TABLE | CONTEXT_EVENTS | NEEDS_ROWS, 0, ACT_FILTER_CELL, 1 },
    { "exclude", "!", NULL, "Hide rows with the value under the cursor", CONTEXT_TABLE | CONTEXT_EVENTS | NEEDS_ROWS, 0, ACT_FILTER_CELL, -1 },
    { "follow", "F", NULL, "Keep the cursor's row on its line", CONTEXT_TABLE, 0, ACT_FOLLOW, 0 },

    /* prompts */
    { "accept", "Enter", "Keep", "Accept the text", CONTEXT_PROMPT, 1, ACT_ACCEPT, 0 },
    { "complete", "Tab", "Complete", "Complete the word", CONTEXT_PROMPT, 3, ACT_COMPLETE, 0 },
    { "recent", "C-r", "Recent", "Recent texts like what is typed; again: the next one", CONTEXT_PROMPT, 4, ACT_RECENT, 0 },
    { "to-find", "F3", NULL, "Find rows with this text instead of filtering", CONTEXT_PROMPT, 0, ACT_PROMPT_FIND, 0 },
    { "to-filter", "F4", NULL, "Filter by this text", CONTEXT_PROMPT, 0, ACT_PROMPT_SWITCH, 0 },
    { "row-up", "C-p", NULL, "Move the row cursor up while typing", CONTEXT_PROMPT, 0, ACT_MOVE, -1 },
    { "row-down", "C-n", NULL, "Move the row cursor down while typing", CONTEXT_PROMPT, 0, ACT_MOVE, 1 },
    { "rows-up", "PgUp", NULL, "Move the row cursor a page up while typing", CONTEXT_PROMPT, 0, ACT_PAGE, -2 },
    { "rows-down", "PgDn", NULL, "Move the row cursor a page down while typing", CONTEXT_PROMPT, 0, ACT_PAGE, 2 },

    /* choosers */
    { "choose", "Enter", "Choose", "Choose the selected line", CONTEXT_CHOOSER, 1, ACT_ACCEPT, 0 },
    { "choose-toggle", "Space", "Show/Hide", "Show or hide the selected column", CONTEXT_CHOOSER, 2, ACT_CHOOSE_TOGGLE, 0 },
    { "choose-up", "Up C-p", NULL, "Select the previous line", CONTEXT_CHOOSER, 0, ACT_CHOOSE_MOVE, -1 },
    { "choose-down", "Down C-n Tab", NULL, "Select the next line", CONTEXT_CHOOSER, 0, ACT_CHOOSE_MOVE, 1 },
    { "choose-page-up", "PgUp", NULL, "Select the line a page up", CONTEXT_CHOOSER, 0, ACT_CHOOSE_PAGE, -2 },
    { "choose-page-down", "PgDn", NULL, "Select the line a page down", CONTEXT_CHOOSER, 0, ACT_CHOOSE_PAGE, 2 },
};
/* clang-format on */
const size_t keymap_count = sizeof keymap / sizeof *keymap;

const struct keymap_section keymap_sections[] = {
    {CONTEXT_TABLE, "In tables"},
    {CONTEXT_STRIP, "In the time strip"},
    {CONTEXT_SPLIT, "With several panes"},
    {CONTEXT_CHART, "In charts: histogram, heat map, latencies by row, processors"},
    {CONTEXT_TREE, "In trees"},
    {CONTEXT_STACKS, "In call trees and flame graphs"},
    {CONTEXT_FLAME, "In flame graphs"},
    {CONTEXT_EVENTS, "In events"},
    {CONTEXT_DETAIL, "In details of events"},
    {CONTEXT_TEXT, "In help and details"},
    {CONTEXT_PROMPT, "In prompts"},
    {CONTEXT_CHOOSER, "In choosers"},
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
