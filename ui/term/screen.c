#include "ui/term/screen.h"

#include "src/base/mem.h"
#include "src/os/os.h"
#include "ui/config/utf8.h"
#include "ui/term/painter.h"
#include "ui/term/terminal.h"

#undef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <wchar.h>

/* ---- colors ------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static struct color_choice by_environment(const struct color_hints *h)
{
    const char *term = h->term ? h->term : "";
    const char *colorterm = h->colorterm ? h->colorterm : "";
    if (h->no_color && h->no_color[0])
        return (struct color_choice){DEPTH_MONO, false};
    if (strcmp(term, "dumb") == 0)
        return (struct color_choice){DEPTH_MONO, true};
    if (strcmp(colorterm, "truecolor") == 0 || strcmp(colorterm, "24bit") == 0 ||
        ends_with(term, "-direct"))
        return (struct color_choice){DEPTH_TRUE, false};
    if (strstr(term, "256color") || h->colors >= 256)
        return (struct color_choice){DEPTH_256, false};
    if (h->colors >= 0 && h->colors < 8)
        return (struct color_choice){DEPTH_MONO, false};
    return (struct color_choice){DEPTH_16, false};
}

bool screen_choose_colors(const struct color_hints *h, struct color_choice *out, struct err *err)
{
    static const struct {
        const char *name;
        struct color_choice choice;
    } options[] = {
        {"never", {DEPTH_MONO, true}},      {"mono", {DEPTH_MONO, false}},
        {"16", {DEPTH_16, false}},          {"256", {DEPTH_256, false}},
        {"truecolor", {DEPTH_TRUE, false}},
    };
    *out = by_environment(h);
    if (!h->option || strcmp(h->option, "auto") == 0)
        return true;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(h->option, options[i].name) == 0) {
            *out = options[i].choice;
            return true;
        }
    }
    if (strcmp(h->option, "always") != 0)
        return fail(err,
                    "--color takes never, mono, 16, 256, truecolor, always or auto; found \"%s\"",
                    h->option);
    if (out->depth == DEPTH_MONO)
        *out = (struct color_choice){h->colors >= 256 ? DEPTH_256 : DEPTH_16, false};
    return true;
}

bool screen_is_utf8(void)
{
    return terminal_is_utf8();
}

/* Whether the terminal's description can be found, and how many colors it names. One of our
 * own has all. */
static bool is_known(int *colors)
{
    int status = 0;
    if (*terminal_types())
        return true;
    if (setupterm(NULL, 1, &status) != OK)
        return false;
    *colors = tigetnum("colors");
    return true;
}

void screen_examine(struct screen_facts *out)
{
    static const char *const depths[] = {[DEPTH_MONO] = "no colors",
                                         [DEPTH_16] = "16 colors",
                                         [DEPTH_256] = "256 colors",
                                         [DEPTH_TRUE] = "true color"};
    struct color_hints hints = terminal_hints();
    struct color_choice choice;
    *out = (struct screen_facts){.term = hints.term ? hints.term : "",
                                 .is_utf8 = screen_is_utf8()};
    out->is_known = is_known(&hints.colors);
    screen_choose_colors(&hints, &choice, NULL);
    out->depth = depths[choice.depth];
    for (int fd = 2; fd >= 0; fd--)
        if (os_terminal_size(fd, &out->width, &out->height))
            break;
}

#define PASTE_ON  "\033[?2004h"
#define PASTE_OFF "\033[?2004l"

/* ---- opening ------------------------------------------------------------------------------- */

struct screen {
    SCREEN *terminal;
    struct look look;
    bool is_plain, is_direct, is_painted, has_mouse;
    bool is_described; /* painted as its description says, not as it said itself */
    bool is_ansi; /* it takes sequences that begin with CSI, which curses does not send for us */
    struct painter painter;
    struct grid shown; /* what the terminal holds; width 0 = unknown */
};

static void send(const char *text)
{
    terminal_send(text, strlen(text));
}

static void take_over(struct screen *s)
{
    raw();
    noecho();
    nonl();
    keypad(stdscr, FALSE); /* libtermkey reads the keys */
    leaveok(stdscr, FALSE);
    scrollok(stdscr, FALSE);
    curs_set(0);
    refresh();
    if (!s->is_ansi)
        return;
    send(PASTE_ON);
    if (s->has_mouse)
        send(terminal_mouse(true));
}

/* Whether the description names colors by number as ISO 6429 has it. */
static bool has_numbered_colors(void)
{
    static const char foreground[] = "\033[38;5;200m", background[] = "\033[48;5;200m";
    enum { ONE = 200 };
    if (!set_a_foreground || !set_a_background)
        return false;
    const char *const fg = tiparm(set_a_foreground, ONE);
    if (!fg || strcmp(fg, foreground) != 0)
        return false;
    const char *const bg = tiparm(set_a_background, ONE);
    return bg && strcmp(bg, background) == 0;
}

/* Colors as this terminal takes them. Few descriptions say how to name any color ("RGB",
 * as in xterm-direct); where the terminal itself says it can (COLORTERM), frames are
 * painted without curses. So they are where 256 colors are named as everywhere: curses would
 * send a frame in some sixty pieces, and each wakes the terminal. */
static enum depth usable_depth(struct screen *s, enum depth wanted)
{
    if (wanted == DEPTH_MONO || !has_colors())
        return DEPTH_MONO;
    start_color();
    use_default_colors();
    s->is_direct = COLORS >= 1 << 24;
    if (s->is_direct)
        return DEPTH_TRUE;
    s->is_painted = wanted == DEPTH_TRUE;
    if (s->is_painted)
        return DEPTH_TRUE;
    if (wanted >= DEPTH_256 && COLORS >= 256) {
        s->is_painted = s->is_described = s->is_ansi && has_numbered_colors();
        return DEPTH_256;
    }
    return COLORS >= 8 ? DEPTH_16 : DEPTH_MONO;
}

/* Attributes that a terminal does not have can be other ones there: GNU screen shows italics in
 * reverse. Curses leaves out by itself what its description does not name. */
static uint8_t described_attributes(void)
{
    uint8_t all = ATTRIBUTE_BOLD | ATTRIBUTE_REVERSE;
    const struct {
        const char *sequence, *usual;
        uint8_t bit;
    } others[] = {
        {enter_dim_mode, "\033[2m", ATTRIBUTE_DIM},
        {enter_italics_mode, "\033[3m", ATTRIBUTE_ITALIC},
        {enter_underline_mode, "\033[4m", ATTRIBUTE_UNDERLINE},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].sequence && strcmp(others[i].sequence, others[i].usual) == 0)
            all |= others[i].bit;
    return all;
}

static void reduce(struct screen *s, const struct theme *theme, enum depth depth)
{
    theme_reduce(theme, depth, &s->look);
    const uint8_t attributes = s->is_described ? described_attributes() : UINT8_MAX;
    for (unsigned i = 0; i < ROLES; i++)
        s->look.styles[i].attributes &= attributes;
}

static void add_text(char *to, size_t room, const char *text)
{
    const size_t used = strlen(to);
    if (text && text != (char *)-1 && strlen(text) < room - used)
        memcpy(to + used, text, strlen(text) + 1);
}

/* What gives the screen back where curses cannot. */
static void arm_rescue(const struct screen *s)
{
    char text[256] = "";
    if (s->is_ansi)
        add_text(text, sizeof text, PASTE_OFF MOUSE_OFF); /* the mouse's reports */
    add_text(text, sizeof text, exit_attribute_mode);
    add_text(text, sizeof text, cursor_normal);
    add_text(text, sizeof text, exit_ca_mode);
    add_text(text, sizeof text, cursor_normal); /* see leave() */
    add_text(text, sizeof text, keypad_local);
    terminal_take(text);
}

static SCREEN *new_terminal(void)
{
    const char *const *type = terminal_types();
    if (!*type)
        return newterm(NULL, terminal_output(), terminal_input());
    SCREEN *terminal = NULL;
    while (*type && !terminal)
        terminal = newterm(*type++, terminal_output(), terminal_input());
    return terminal;
}

/* Curses on this terminal; NULL with a sentence. */
static SCREEN *open_terminal(const struct color_hints *hints, struct err *err)
{
    const char *const term = hints->term ? hints->term : "";
    SCREEN *const terminal = new_terminal();
    if (!terminal) {
        fail(err, "TERM=%s: this terminal is not known here; set TERM, or use --headless", term);
        return NULL;
    }
    if (cursor_address)
        return terminal;
    endwin();
    delscreen(terminal);
    fail(err, "TERM=%s: this terminal cannot show a full screen; use \"top\" or --headless", term);
    return NULL;
}

struct screen *screen_open(const struct screen_options *o, struct err *err)
{
    struct color_choice choice;
    struct color_hints hints = terminal_hints();
    hints.option = o->color;
    if (!screen_choose_colors(&hints, &choice, err) || !terminal_open(o->wake, err))
        return NULL;
    SCREEN *const terminal = open_terminal(&hints, err);
    if (!terminal) {
        terminal_give_back();
        return NULL;
    }
    hints.colors = tigetnum("colors");
    screen_choose_colors(&hints, &choice, NULL);
    struct screen *s = mem_new(1, sizeof *s);
    *s = (struct screen){
        .terminal = terminal, .has_mouse = o->has_mouse, .is_plain = choice.is_plain};
    s->is_ansi = strncmp(cursor_address, "\033[", 2) == 0;
    arm_rescue(s);
    reduce(s, o->theme, usable_depth(s, choice.depth));
    take_over(s);
    /* Where curses cannot ask, it believes in 80x24. */
    int width, height;
    if (os_terminal_size(1, &width, &height))
        screen_resize(s, width, height);
    return s;
}

void screen_set_theme(struct screen *s, const struct theme *theme)
{
    reduce(s, theme, s->look.depth);
}

void screen_set_mouse(struct screen *s, bool on)
{
    if (s->has_mouse != on && s->is_ansi)
        send(terminal_mouse(on));
    s->has_mouse = on;
}

static void leave(struct screen *s)
{
    if (s->is_ansi)
        send(PASTE_OFF);
    if (s->is_ansi && s->has_mouse)
        send(terminal_mouse(false));
    endwin();
    /* Terminals that keep the cursor's visibility beside its place (those of editors do) bring it
     * back as it was when a scrolled line had it saved: say once more that it shows. */
    if (cursor_normal)
        send(cursor_normal);
}

void screen_close(struct screen *s)
{
    if (!s)
        return;
    leave(s);
    terminal_give_back();
    delscreen(s->terminal);
    painter_fini(&s->painter);
    free(s->shown.cells);
    free(s);
}

void screen_suspend(struct screen *s)
{
    if (!terminal_can_stop())
        return;
    leave(s);
    terminal_stop();
    take_over(s);
}

void screen_send(struct screen *s, const char *bytes, size_t count)
{
    (void)s; /* there is one terminal */
    terminal_send(bytes, count);
}

void screen_resize(struct screen *s, int width, int height)
{
    resizeterm(height, width);
    /* Lines move within a region, which curses has set for the size it began with. */
    if (change_scroll_region)
        send(tiparm(change_scroll_region, 0, height - 1));
    s->shown.width = 0;
}

/* ---- showing ------------------------------------------------------------------------------ */

static int color_number(const struct screen *s, uint32_t color)
{
    const uint32_t value = color & ~(uint32_t)COLOR_KIND;
    switch (color & COLOR_KIND) {
    case COLOR_INDEX: /* of eight colors the bright ones are shown by their dark twins, and
                       * bright black by white: black on black would be nothing */
        if (s->is_direct)
            return (int)color_rgb(color, 0);
        return COLORS >= 16 ? (int)value : value == 8 ? 7 : (int)value % 8;
    case COLOR_RGB: /* direct terminals keep 0 … 7 for the named colors */
        return value > 0 && value < 8 ? 8 : (int)value;
    default:
        return -1;
    }
}

static attr_t attribute_bits(uint8_t attributes)
{
    static const struct {
        uint8_t bit;
        attr_t curses;
    } bits[] = {
        {ATTRIBUTE_BOLD, A_BOLD},       {ATTRIBUTE_DIM, A_DIM},
        {ATTRIBUTE_ITALIC, A_ITALIC},   {ATTRIBUTE_UNDERLINE, A_UNDERLINE},
        {ATTRIBUTE_REVERSE, A_REVERSE}, /* curses knows no strike: color and sign must do */
    };
    attr_t all = 0;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (attributes & bits[i].bit)
            all |= bits[i].curses;
    return all;
}

/* Colors and attributes of a cell, as curses takes them. */
struct paint {
    attr_t attributes;
    int pair;
};

static struct paint cell_paint(const struct screen *s, const struct cell *c)
{
    const struct style style = look_style(&s->look, (enum role)c->role, (enum role)c->over,
                                          c->gradient, c->level);
    int pair = 0;
    if (s->look.depth != DEPTH_MONO)
        pair = alloc_pair(color_number(s, style.fg), color_number(s, style.bg));
    return (struct paint){s->is_plain ? 0 : attribute_bits(style.attributes), pair < 0 ? 0 : pair};
}

/* A cell's characters as curses takes them; where its characters have 16 bits, U+FFFD stands for
 * those above, and "?" for what is none. */
static void widen(const struct cell *c, wchar_t out[CELL_BYTES + 1])
{
    enum { REPLACEMENT = 0xfffd };
    size_t count = 0;
    const char *at = c->bytes;
    while (*at) {
        uint32_t code = 0;
        const size_t bytes = utf8_decode(at, &code);
        out[count++] = !bytes ? L'?' : code > WCHAR_MAX ? (wchar_t)REPLACEMENT : (wchar_t)code;
        at += bytes ? bytes : 1;
    }
    if (count == 0)
        out[count++] = L'?';
    out[count] = L'\0';
}

static void show_wide(const wchar_t *wide, struct paint paint, int x, int y)
{
    cchar_t out;
    if (setcchar(&out, wide, paint.attributes, (short)(paint.pair & 0x7fff), &paint.pair) == OK)
        mvadd_wch(y, x, &out);
}

/* A cell of curses holds one character with a width. A cluster of two such (flags, some
 * vowels) is shown as two, and what the C library takes for narrow gets a blank beside it,
 * so that nothing old stays there. */
static void show_cell(struct screen *s, const struct cell *c, int x, int y)
{
    wchar_t wide[CELL_BYTES + 1];
    widen(c, wide);
    const struct paint paint = cell_paint(s, c);
    size_t second = 1;
    while (wide[second] && terminal_cells(wide[second]) <= 0)
        second++;
    if (c->width == 2 && terminal_cells(wide[0]) < 2)
        show_wide(wide[second] ? wide + second : L" ", paint, x + 1, y);
    wide[second < CCHARW_MAX ? second : CCHARW_MAX] = L'\0';
    show_wide(wide, paint, x, y);
}

static bool is_shown_already(const struct screen *s, const struct grid *g, int x, int y)
{
    const struct cell *old = grid_look(&s->shown, x, y);
    return old && memcmp(old, grid_look(g, x, y), sizeof *old) == 0;
}

/* The cells change hands: the next frame is drawn where the one before stood. */
static void remember(struct screen *s, struct grid *g)
{
    if (s->shown.width != g->width || s->shown.height != g->height || !s->shown.cells)
        grid_resize(&s->shown, g->width, g->height);
    struct cell *const before = s->shown.cells;
    s->shown.cells = g->cells;
    g->cells = before;
}

void screen_show(struct screen *s, struct grid *g, bool everything)
{
    const bool all = everything || s->shown.width != g->width || s->shown.height != g->height;
    if (s->is_painted) {
        painter_frame(&s->painter, &s->look, all ? NULL : &s->shown, g);
        terminal_send(s->painter.bytes, s->painter.count);
        remember(s, g);
        return;
    }
    if (all)
        clearok(stdscr, TRUE);
    for (int y = 0; y < g->height; y++)
        for (int x = 0; x < g->width; x++)
            if (grid_look(g, x, y)->width > 0 && (all || !is_shown_already(s, g, x, y)))
                show_cell(s, grid_look(g, x, y), x, y);
    remember(s, g);
    curs_set(g->cursor_x >= 0);
    if (g->cursor_x >= 0)
        move(g->cursor_y, g->cursor_x);
    refresh();
}

void screen_bell(void)
{
    terminal_send("\a", 1);
}
