#include "ui/main/page.h"

#include "src/base/show.h"
#include "src/base/text.h"
#include "ui/config/utf8.h"

#include <ctype.h>
#include <string.h>

/* Signs of roff take several bytes: its lines are kept shorter. */
enum { WIDTH = 79, ROFF_WIDTH = 56, TEXT_INDENT = 4, ITEM_INDENT = 20 };

/* One character as roff reads it: hyphens that can be copied, quotes and backslashes as signs. */
static size_t put_roff(FILE *to, const char *s, size_t bytes)
{
    static const struct {
        char sign;
        const char *as;
    } escapes[] = {{'-', "\\-"},   {'\\', "\\e"},  {'\'', "\\(aq"},
                   {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    uint32_t code;
    const size_t used = *s & 0x80 ? utf8_decode(s, &code) : 0;
    if (used && used <= bytes) {
        show(to, "\\[u%04X]", (unsigned)code);
        return used;
    }
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (*s == escapes[i].sign)
            return show(to, "%s", escapes[i].as), 1;
    return show_text(to, s, 1), 1;
}

/* A full stop at the beginning of a line would be a request. */
static void guard(struct manual_page *p, char first)
{
    if (first == '.' || first == '\'')
        fputs("\\&", p->to);
}

static void put(struct manual_page *p, const char *text, size_t bytes)
{
    if (!p->is_roff) {
        show_text(p->to, text, bytes);
        return;
    }
    for (size_t i = 0; i < bytes;)
        i += put_roff(p->to, text + i, bytes - i);
}

static void end_line(struct manual_page *p)
{
    if (p->column)
        fputc('\n', p->to);
    p->column = 0;
}

static void indent_to(struct manual_page *p, int column)
{
    show(p->to, "%*s", column - p->column, "");
    p->column = column;
}

static void switch_bold(struct manual_page *p)
{
    p->is_bold = !p->is_bold;
    if (p->is_roff)
        fputs(p->is_bold ? "\\fB" : "\\fR", p->to);
}

/* Its cells, without the marks. */
static int cells_of(const char *word, size_t bytes, bool is_marked)
{
    int marks = 0;
    for (size_t i = 0; i < bytes && is_marked; i++)
        marks += word[i] == '`';
    return (int)text_width(word, bytes) - marks;
}

static void put_word(struct manual_page *p, const char *word, size_t bytes, bool is_marked)
{
    const int cells = cells_of(word, bytes, is_marked);
    const int indent = p->is_roff ? 0 : p->last == PAGE_ITEM ? ITEM_INDENT : TEXT_INDENT;
    if (p->column > indent && p->column + 1 + cells > (p->is_roff ? ROFF_WIDTH : WIDTH))
        end_line(p);
    if (p->column > indent)
        fputc(' ', p->to), p->column++;
    else if (p->column < indent)
        indent_to(p, indent);
    if (p->is_roff && !p->column)
        guard(p, *word);
    for (size_t i = 0; i < bytes;) {
        const char *const mark = is_marked ? memchr(word + i, '`', bytes - i) : NULL;
        const size_t part = mark ? (size_t)(mark - word) - i : bytes - i;
        put(p, word + i, part);
        i += part;
        if (mark)
            switch_bold(p), i++;
    }
    p->column += cells;
}

void page_words(struct manual_page *p, const char *text, size_t bytes, bool is_marked)
{
    const char *const end = text + bytes;
    while (text < end) {
        const char *const word = text;
        while (text < end && *text != ' ' && *text != '\n')
            text++;
        if (text > word)
            put_word(p, word, (size_t)(text - word), is_marked);
        else
            text++;
    }
}

/* A blank line in text before what is no continuation of a list. */
static void begin(struct manual_page *p, enum page_last what)
{
    end_line(p);
    if (p->last == PAGE_CODE && p->is_roff && what != PAGE_CODE)
        fputs(".fi\n.RE\n", p->to);
    const bool goes_on = p->last == what && (what == PAGE_ITEM || what == PAGE_CODE);
    if (!p->is_roff && !goes_on && p->last != PAGE_HEADING)
        fputc('\n', p->to);
    if (p->is_roff && what == PAGE_PARAGRAPH && p->last != PAGE_HEADING)
        fputs(".PP\n", p->to);
    if (p->is_roff && what == PAGE_CODE && p->last != PAGE_CODE)
        fputs(p->last == PAGE_HEADING ? ".RS 4\n.nf\n" : ".PP\n.RS 4\n.nf\n", p->to);
    if (what == PAGE_CODE && goes_on && p->has_gap)
        fputc('\n', p->to);
    p->has_gap = false;
    p->last = what;
}

void page_begin(struct manual_page *p, const char *name, const char *number)
{
    if (p->is_roff)
        fputs(".TH ", p->to);
    for (const char *c = name; *c; c++)
        put(p, (char[]){(char)toupper((unsigned char)*c)}, 1);
    if (p->is_roff)
        show(p->to, " %s \"\" \"tracetop " TRACETOP_VERSION "\"\n", number);
    else
        show(p->to, "(%s)\n", number);
    p->last = PAGE_NOTHING;
}

void page_end(struct manual_page *p)
{
    begin(p, PAGE_NOTHING);
}

void page_heading(struct manual_page *p, const char *text, bool is_sub)
{
    begin(p, PAGE_HEADING);
    if (p->is_roff)
        fputs(is_sub ? ".SS " : ".SH ", p->to);
    else if (is_sub)
        fputs("  ", p->to);
    put(p, text, strlen(text));
    fputc('\n', p->to);
}

void page_paragraph(struct manual_page *p)
{
    begin(p, PAGE_PARAGRAPH);
}

/* Behind the term of an item, for roff on the same line. Usages of two lines become one. */
static void put_rest(struct manual_page *p, const char *rest)
{
    while (*rest) {
        const size_t bytes = strcspn(rest, " \n");
        const int cells = (int)text_width(rest, bytes);
        if (!p->is_roff && p->column + 1 + cells > WIDTH)
            end_line(p), indent_to(p, 2 * TEXT_INDENT - 1);
        fputc(' ', p->to);
        put(p, rest, bytes);
        p->column += 1 + cells;
        if (rest[bytes] == '\n')
            fputc(';', p->to), p->column++;
        rest += bytes;
        rest += strspn(rest, " \n");
    }
}

void page_item(struct manual_page *p, const char *term, const char *rest)
{
    begin(p, PAGE_ITEM);
    if (p->is_roff)
        fputs(".TP 16\n\\fB", p->to);
    else
        indent_to(p, TEXT_INDENT);
    put(p, term, strlen(term));
    p->column += (int)text_width(term, strlen(term));
    if (p->is_roff)
        fputs("\\fR", p->to);
    if (rest)
        put_rest(p, rest);
    if (p->is_roff || p->column > ITEM_INDENT - 2)
        end_line(p);
}

void page_gap(struct manual_page *p)
{
    p->has_gap = true;
}

void page_code(struct manual_page *p, const char *line, size_t bytes)
{
    begin(p, PAGE_CODE);
    if (p->is_roff)
        guard(p, bytes ? *line : 0);
    else
        show(p->to, "%*s", 2 * TEXT_INDENT, "");
    put(p, line, bytes);
    fputc('\n', p->to);
}
