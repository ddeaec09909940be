#include "tests/frame_check.h"

#include "tests/test.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = SCREEN_SIDE, WORD = 96 };

/* ---- a frame as cells ------------------------------------------------------------------------ */

static uint32_t next_character(const char **at)
{
    const unsigned char *const s = (const unsigned char *)*at;
    const int more = s[0] < 0x80 ? 0 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : 3;
    uint32_t c = more ? s[0] & (0x3fu >> more) : s[0];
    for (int i = 1; i <= more; i++)
        c = c << 6 | (s[i] & 0x3f);
    *at += more + 1;
    return c;
}

void frame_take(struct screen *s, struct size size, const char **text)
{
    s->columns = size.columns;
    s->rows = size.rows;
    for (int y = 0; y < size.rows; y++) {
        int x = 0;
        if (!**text)
            fail_msg("%dx%d: the frame ends after %d lines", size.columns, size.rows, y);
        while (**text && **text != '\n') {
            const uint32_t c = next_character(text);
            if (x >= size.columns)
                fail_msg("%dx%d: line %d is wider than the screen", size.columns, size.rows, y);
            s->cells[y][x++] = c;
        }
        while (x < SIDE)
            s->cells[y][x++] = ' ';
        *text += **text == '\n';
    }
}

/* A line without its blanks at the end; ASCII only, other characters as '?'. */
static void line_of(const struct screen *s, int y, char out[SIDE + 1])
{
    int end = 0;
    for (int x = 0; x < s->columns; x++) {
        out[x] = s->cells[y][x] < 0x80 ? (char)s->cells[y][x] : '?';
        if (out[x] != ' ')
            end = x + 1;
    }
    out[end] = '\0';
}

/* ---- header and cells ------------------------------------------------------------------------ */

struct head {
    const struct listed_column *column;
    int x, width; /* of the title with the sign of the order */
    int signs;    /* cells of '~' and '?' behind it, with a blank before them or without */
};

static bool is_sign(uint32_t c)
{
    return c == 0x25bc || c == 0x25b2 || c == '~' || c == '?' || c == 'v' || c == '^';
}

/* Call trees of the demo have samples: the title of what they count follows the metric. */
static const char *title_of(const struct listed_column *c)
{
    const bool is_metric = strcmp(c->pane, "stacks") == 0 && strcmp(c->id, "samples") == 0;
    return is_metric ? "SAMPLES" : c->title;
}

/* The longest title of the pane that stands there. */
static const struct listed_column *title_at(const struct column_list *columns, const char *pane,
                                     const struct screen *s, int y, int x, int *end)
{
    const struct listed_column *best = NULL;
    for (unsigned i = 0; i < columns->count; i++) {
        const struct listed_column *const c = &columns->at[i];
        const char *at = title_of(c);
        int to = x;
        if (strcmp(c->pane, pane) != 0)
            continue;
        while (*at) {
            const uint32_t wanted = next_character(&at);
            /* Without Unicode a few characters stand for others. */
            if (s->cells[y][to] != wanted && !(wanted == 0x394 && s->cells[y][to] == 'd'))
                break;
            to++;
        }
        uint32_t behind = s->cells[y][to];
        if (*at == '\0' && (behind == ' ' || is_sign(behind)) && (!best || to > *end) &&
            s->cells[y][to - 1] != ' ') {
            best = c;
            *end = to;
        }
    }
    return best;
}

/* Reads the header; fails where something in it is no whole title. */
static unsigned read_header(const struct column_list *columns, const char *pane,
                            const struct screen *s, int y, struct head *out)
{
    unsigned count = 0;
    for (int x = 0; x < s->columns;) {
        if (s->cells[y][x] == ' ') {
            x++;
            continue;
        }
        int end = x;
        const struct listed_column *const c = title_at(columns, pane, s, y, x, &end);
        if (!c) {
            char line[SIDE + 1];
            line_of(s, y, line);
            fail_msg("%s %dx%d: no whole title at cell %d of the header: %s", pane, s->columns,
                     s->rows, x, line);
        }
        /* The sign of the order takes room of the title; '~' and '?' have a place of their own in
         * the column, or else hang in the gap behind it. */
        while (end < s->columns && is_sign(s->cells[y][end]) && s->cells[y][end] != '~' &&
               s->cells[y][end] != '?')
            end++;
        int behind = end;
        if (behind + 1 < s->columns && s->cells[y][behind] == ' ' &&
            is_sign(s->cells[y][behind + 1]))
            behind++;
        while (behind < s->columns && is_sign(s->cells[y][behind]))
            behind++;
        out[count++] = (struct head){c, x, end - x, behind - end};
        x = behind;
    }
    return count;
}

static bool is_number(const struct listed_column *c)
{
    return strcmp(c->type, "text") != 0 && strcmp(c->type, "path") != 0 &&
           !(strcmp(c->type, "instant") == 0 && strcmp(c->pane, "events") == 0);
}

/* The unit is in the title, or stands with every value (times, sizes). */
static void check_unit(const struct listed_column *c)
{
    static const struct {
        const char *unit, *sign;
    } signs[] = {{"bytes_per_s", "B/s"},
                 {"per_s", "/S"},
                 {"ns_per_s", "ms/s"},
                 {"percent", "%"},
                 {"percent_of_machine", "%"}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strcmp(c->unit, signs[i].unit) == 0 && !strstr(c->title, signs[i].sign) &&
            strcmp(c->id, "share") != 0)
            fail_msg("%s.%s: \"%s\" does not say its unit, %s", c->pane, c->id, c->title,
                     signs[i].sign);
}

static bool has_time_unit(const char *word)
{
    static const char *const units[] = {"ns", "us", "_s", "ms", "s", "m", "h", "d"};
    while (isdigit((unsigned char)*word) || *word == '.' || *word == '<')
        word++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(word, units[i]) == 0)
            return true;
    return false;
}

/* The word of a cell that ends right before `end`; '$' is an ellipsis. */
static void word_before(const struct screen *s, int y, int end, char out[WORD])
{
    int from = end;
    while (from > 0 && s->cells[y][from - 1] != ' ' && end - from < WORD - 1)
        from--;
    for (int x = from; x < end; x++)
        out[x - from] = s->cells[y][x] < 0x80      ? (char)s->cells[y][x]
                        : s->cells[y][x] == 0x2026 ? '$'
                                                   : '_';
    out[end - from] = '\0';
}

/* Numbers end under their titles, texts begin under them, and what is beside is free. */
static void check_cells(const char *pane, const struct screen *s, int y, const struct head *heads,
                        unsigned count, bool is_tree)
{
    for (unsigned i = 0; i < count; i++) {
        const struct head *const h = &heads[i];
        int end = h->x + h->width;
        if (s->cells[y][end] != ' ')
            end += h->signs;
        const int beside = is_number(h->column) ? end : h->x - 1;
        char line[SIDE + 1], word[WORD];
        /* The last cell is the scroll bar's; the first two are the row's sign. */
        const bool is_free = beside >= s->columns - 1 || s->cells[y][beside] == ' ' || beside < 2;
        line_of(s, y, line);
        if (!is_free)
            fail_msg("%s %dx%d: something runs into or out of %s: %s", pane, s->columns, s->rows,
                     h->column->title, line);
        if (!is_number(h->column) || is_tree || strcmp(h->column->id, "share") == 0 ||
            strcmp(h->column->id, "trend") == 0)
            continue; /* (a share has a bar beside it, a trend is a curve) */
        word_before(s, y, end, word);
        if (strchr(word, '$') || strstr(word, ".."))
            fail_msg("%s %dx%d: %s is cut: \"%s\" in %s", pane, s->columns, s->rows,
                     h->column->title, word, line);
        if (strcmp(h->column->type, "time") == 0 && strcmp(h->column->unit, "ns") == 0 && word[0] &&
            strcmp(word, "-") != 0 && strcmp(word, "?") != 0 && strcmp(word, ".") != 0 &&
            strcmp(word, "_") != 0 && !has_time_unit(word))
            fail_msg("%s %dx%d: %s without unit: \"%s\" in %s", pane, s->columns, s->rows,
                     h->column->title, word, line);
    }
}

/* The line of crumbs says how many rows there are. */
static bool is_crumbs(const struct screen *s, int y)
{
    char line[SIDE + 1];
    line_of(s, y, line);
    return strstr(line, " row");
}

/* The first line below meters and crumbs that begins with a title of the pane. */
static int find_header(const struct column_list *columns, const char *pane, const struct screen *s)
{
    enum { LAST = 14 };
    for (int y = 2; y < s->rows && y < LAST; y++) {
        int x = 0, end = 0;
        if (is_crumbs(s, y))
            continue;
        while (x < s->columns && s->cells[y][x] == ' ')
            x++;
        if (x < s->columns && title_at(columns, pane, s, y, x, &end))
            return y;
    }
    fail_msg("%s %dx%d: no header", pane, s->columns, s->rows);
    return -1;
}

void frame_check(const struct column_list *columns, const char *pane, const struct screen *s,
                 const char *what)
{
    struct head heads[SIDE];
    char line[SIDE + 1];
    const int top = find_header(columns, pane, s);
    const unsigned count = read_header(columns, pane, s, top, heads);
    unsigned cursors = 0;
    line_of(s, top - 1, line);
    const bool is_empty = strstr(line, " 0 rows"); /* the demo has nothing of the kind */
    const bool is_tree = strcmp(pane, "stacks") == 0;
    if (!count)
        fail_msg("%s: a header without columns", what);
    for (unsigned i = 0; i < count; i++)
        check_unit(heads[i].column);
    enum { STRIP_FROM = 30 }; /* lines: the time strip takes two above the status line */
    const int bottom = s->rows - 2 - (s->rows >= STRIP_FROM ? 2 : 0);
    for (int y = top + 1; y < bottom; y++) {
        cursors += s->cells[y][0] == 0x25b8 || s->cells[y][1] == 0x25b8 || s->cells[y][0] == '>' ||
                   s->cells[y][1] == '>';
        line_of(s, y, line);
        const bool is_lack = strncmp(line, " not in this trace: ", 20) == 0; /* below the rows */
        if (line[0] && !is_empty && !is_lack)
            check_cells(pane, s, y, heads, count, is_tree);
    }
    if (cursors != (is_empty ? 0 : 1))
        fail_msg("%s, %s %dx%d: %u rows are marked as the cursor's", what, pane, s->columns,
                 s->rows, cursors);
    line_of(s, s->rows - 1, line);
    if (!strstr(line, "Help") || !strstr(line, "Quit") || strchr(line, '?') != strrchr(line, '?'))
        fail_msg("%s, %s %dx%d: the key bar is cut: %s", what, pane, s->columns, s->rows, line);
}
