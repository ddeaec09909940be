#include "ui/main/manual.h"

#include "src/base/suggest.h"
#include "ui/main/manual_tables.h"
#include "ui/main/page.h"
#include "ui/theme/embedded.h"

#include <string.h>

/* ---- sections: "tracetop-filter.5" ------------------------------------------------------------------- */

static const char program[] = "tracetop";

/* "tracetop-filter": what is before the number. */
static size_t name_bytes(const char *page)
{
    return (size_t)(strrchr(page, '.') - page);
}

/* What a user types: "filter"; of the program itself its name. */
static const char *short_name(const char *page, char *room, size_t bytes)
{
    const char *const at = page[sizeof program - 1] == '-' ? page + sizeof program : page;
    snprintf(room, bytes, "%.*s", (int)(name_bytes(page) - (size_t)(at - page)), at);
    return room;
}

/* "filter", "tracetop-filter", "tracetop-filter.5", "tracetop-filter(5)" */
static bool is_called(const char *page, const char *section)
{
    char name[64];
    const size_t bytes = name_bytes(page), given = strcspn(section, ".(");
    const char *const number = section + given;
    if (*number && number[1] != page[bytes + 1])
        return false;
    short_name(page, name, sizeof name);
    return (given == strlen(name) && memcmp(section, name, given) == 0) ||
           (given == bytes && memcmp(section, page, given) == 0);
}

static const struct embedded_theme *find_section(const char *section, struct err *err)
{
    enum { SECTIONS_MAX = 16 };
    char names[SECTIONS_MAX][64], all[256] = "";
    struct suggestion best = {NULL, 0};
    for (size_t i = 0; embedded_pages[i].name && i < SECTIONS_MAX; i++) {
        if (is_called(embedded_pages[i].name, section))
            return &embedded_pages[i];
        suggest(&best, section, short_name(embedded_pages[i].name, names[i], sizeof *names));
        suggest_list(all, sizeof all, names[i]);
    }
    if (best.name)
        fail(err, "the manual has no section '%s'; did you mean '%s'? There are: %s", section,
             best.name, all);
    else
        fail(err, "the manual has no section '%s'; there are: %s", section, all);
    return NULL;
}

/* ---- pages: a small part of Markdown ----------------------------------------------------------------- */

static bool starts_with(const char *line, size_t bytes, const char *with)
{
    const size_t wanted = strlen(with);
    return bytes >= wanted && memcmp(line, with, wanted) == 0;
}

static void heading(struct manual_page *p, const char *text, size_t bytes, bool is_sub)
{
    char room[80];
    snprintf(room, sizeof room, "%.*s", (int)bytes, text);
    page_heading(p, room, is_sub);
}

/* "- `term` rest: text"; the marks of the term go. */
static void item(struct manual_page *p, const char *line, size_t bytes)
{
    char term[96];
    size_t n = 0, at = 2;
    for (; at < bytes && !starts_with(line + at, bytes - at, ": "); at++)
        if (line[at] != '`' && n + 1 < sizeof term)
            term[n++] = line[at];
    term[n] = '\0';
    page_item(p, term, NULL);
    if (at + 2 < bytes)
        page_words(p, line + at + 2, bytes - at - 2, true);
}

/* One line of a page; `is_open`: what was begun goes on where the line says nothing else. */
static bool take_line(struct manual_page *p, const char *line, size_t bytes, bool is_open)
{
    if (!bytes)
        return page_gap(p), false;
    if (starts_with(line, bytes, "## "))
        return heading(p, line + 3, bytes - 3, true), false;
    if (starts_with(line, bytes, "# "))
        return heading(p, line + 2, bytes - 2, false), false;
    if (*line == '{' && line[bytes - 1] == '}' && manual_table(p, line + 1, bytes - 2))
        return false;
    if (starts_with(line, bytes, "    "))
        return page_code(p, line + 4, bytes - 4), false;
    if (starts_with(line, bytes, "- "))
        return item(p, line, bytes), true;
    if (!is_open)
        page_paragraph(p);
    page_words(p, line, bytes, true);
    return true;
}

bool manual_print(FILE *to, const char *section, bool is_roff, struct err *err)
{
    const struct embedded_theme *const e = find_section(section ? section : program, err);
    if (!e)
        return false;
    struct manual_page p = {.to = to, .is_roff = is_roff};
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)name_bytes(e->name), e->name);
    page_begin(&p, name, e->name + name_bytes(e->name) + 1);
    bool is_open = false;
    for (const char *line = e->text; *line;) {
        const size_t bytes = strcspn(line, "\n");
        is_open = take_line(&p, line, bytes, is_open);
        line += bytes + (line[bytes] == '\n');
    }
    page_end(&p);
    return true;
}
