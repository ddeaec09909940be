/* Clusters, what cells they take, and cutting between them; names compared. */
#include "src/base/text.h"

#include "src/base/text_characters.h"

#include <inttypes.h>
#include <stdio.h>
#include <assert.h>
#include <string.h>

#include <unictype.h>
#include <unigbrk.h>
#include <uniwidth.h>

enum {
    ZERO_WIDTH_JOINER = 0x200d,
    CELLS_MAX = 2, /* of one cluster; terminals know no wider character */
    MARKS_MAX = 4, /* with its base what one cell of ncurses holds */
};

/* ---- ASCII, the fast path -------------------------------------------------------- */

static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7f;
}

/* Printable ASCII throughout? Eight bytes at a time: a byte fails when its high bit is
 * set, or it is below 0x20 (the subtraction borrows), or 0x7f (the addition carries). */
static bool all_plain(const char *text, size_t bytes)
{
    const uint64_t ones = 0x0101010101010101u, highs = ones * 0x80;
    size_t at = 0;
    for (; bytes - at >= 8; at += 8) {
        const uint64_t w = load_u64(u8(text + at));
        if (w & highs)
            return false;
        if (((w - ones * 0x20) | (w + ones)) & highs)
            return false;
    }
    for (; at < bytes; at++)
        if (!is_plain(text[at]))
            return false;
    return true;
}

/* ---- characters ------------------------------------------------------------------ */

/* What one could not see, or must not: controls, formats (joiners, bidi, tags, BOM),
 * line and paragraph separators, surrogates, private and unassigned code points,
 * and letters that are blank by definition (Hangul fillers). */
static bool is_hidden(ucs4_t c)
{
    return uc_is_general_category_withtable(c, UC_CATEGORY_MASK_C | UC_CATEGORY_MASK_Zl |
                                                   UC_CATEGORY_MASK_Zp) ||
           uc_is_property_default_ignorable_code_point(c);
}

bool text_is_hidden(uint32_t code_point)
{
    return is_hidden(code_point);
}

/* Cells of a character that is not hidden. Marks that the terminal draws over their
 * base count nothing, whatever their script. */
static int cells_of(ucs4_t c)
{
    if (uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Mn | UC_CATEGORY_MASK_Me))
        return 0;
    const int width = uc_width(c, "UTF-8");
    return width < 0 ? 0 : width;
}

/* The visible mark for a character that cannot be shown as itself. */
static ucs4_t mark_for(ucs4_t c)
{
    if (c < 0x20)
        return 0x2400 + c;
    return c == 0x7f ? 0x2421 : REPLACEMENT;
}

/* ---- clusters -------------------------------------------------------------------- */

struct cluster {
    size_t bytes;                        /* of the text, consumed */
    int cells;                           /* 1 or 2 */
    ucs4_t parts[CELLS_MAX + MARKS_MAX]; /* what is shown */
    unsigned part_count;
};

static struct cluster one_part(ucs4_t c, size_t bytes, int cells)
{
    return (struct cluster){.bytes = bytes, .cells = cells, .parts = {c}, .part_count = 1};
}

static bool is_regional_indicator(ucs4_t c)
{
    return c >= 0x1f1e6 && c <= 0x1f1ff;
}

/* Is there a pictograph at `at` that a joiner before it ties to this base? */
static bool joins_emoji(ucs4_t base, const uint8_t *at, const uint8_t *end)
{
    return at < end && uc_is_property_extended_pictographic(base) &&
           uc_is_property_extended_pictographic(character(&at, end));
}

/* A mark, wide or not, that belongs to what stands before it. */
static bool is_dependent(ucs4_t c)
{
    const int kind = uc_graphemeclusterbreak_property(c);
    return kind == GBP_EXTEND || kind == GBP_SPACINGMARK;
}

/* The library knows borders between two characters; flags (pairs of regional
 * indicators) and joined emoji need to know what stood before. A prefix stands alone
 * here: with a wide letter it would need three cells. */
static bool is_border(ucs4_t base, bool is_second, ucs4_t before, ucs4_t c)
{
    if (uc_graphemeclusterbreak_property(before) == GBP_PREPEND)
        return true;
    if (is_regional_indicator(base) && is_regional_indicator(c))
        return !is_second;
    if (before == ZERO_WIDTH_JOINER && uc_is_property_extended_pictographic(c))
        return !uc_is_property_extended_pictographic(base);
    return uc_is_grapheme_break(before, c);
}

/* A part of a cluster that is left out: how to draw what stands before it, or what is
 * joined to an emoji, of which terminals show one or all. `next` is behind it. */
static bool is_silent(ucs4_t base, ucs4_t c, const uint8_t *next, const uint8_t *end)
{
    if (uc_is_property_variation_selector(c))
        return true;
    if (c == ZERO_WIDTH_JOINER)
        return joins_emoji(base, next, end);
    return uc_is_property_extended_pictographic(base) &&
           (uc_is_property_emoji_modifier(c) || uc_is_property_extended_pictographic(c));
}

/* Adds to a cluster's base what belongs to it in [at, end). Ends early where a hidden
 * character begins, or one for which there is no cell: those are shown on their own. */
static void take_parts(struct cluster *k, const uint8_t *start, const uint8_t *at,
                       const uint8_t *end)
{
    const ucs4_t base = k->parts[0];
    ucs4_t before = base;
    unsigned marks = 0;
    for (bool is_second = true; at < end; is_second = false) {
        const uint8_t *next = at;
        const ucs4_t c = character(&next, end);
        if (is_border(base, is_second, before, c))
            break;
        if (!is_silent(base, c, next, end)) {
            const int cells = cells_of(c);
            if (is_hidden(c) || k->cells + cells > CELLS_MAX)
                break;
            if (cells || marks++ < MARKS_MAX)
                k->parts[k->part_count++] = c;
            k->cells += cells;
        }
        before = c;
        at = next;
    }
    k->bytes = (size_t)(at - start);
}

/* Signs that our own tables and curves are full of, and what little is known of them: lines and
 * blocks (U+2500 to U+259F), dots (U+2800 to U+28FF), and Latin's own from U+00A1 to U+00BF but the
 * soft hyphen are shown as themselves, in one cell. 0: none of them. Else how many bytes. */
static size_t sign_bytes(const uint8_t *at, size_t bytes)
{
    enum { SOFT_HYPHEN = 0xad };
    if (bytes >= 2 && at[0] == 0xc2 && at[1] > 0xa0 && at[1] < 0xc0)
        return at[1] == SOFT_HYPHEN ? 0 : 2;
    if (bytes < 3 || at[0] != 0xe2 || at[2] < 0x80 || at[2] > 0xbf)
        return 0;
    const bool is_line = at[1] == 0x94 || at[1] == 0x95 || (at[1] == 0x96 && at[2] < 0xa0);
    return is_line || (at[1] >= 0xa0 && at[1] <= 0xa3) ? 3 : 0;
}

static struct cluster cluster_of(const char *text, size_t bytes)
{
    assert(bytes > 0);
    /* Nothing below U+0300 combines with what stands before it. */
    if (is_plain(*text) && (bytes == 1 || (unsigned char)text[1] < 0xcc))
        return one_part((unsigned char)*text, 1, 1);
    const size_t sign = sign_bytes(u8(text), bytes);
    if (sign && (bytes == sign || (unsigned char)text[sign] < 0xcc)) {
        const uint8_t *behind = u8(text);
        return one_part(character(&behind, behind + sign), sign, 1);
    }

    const uint8_t *const start = u8(text), *const end = start + bytes, *at = start;
    const ucs4_t base = character(&at, end);
    const int cells = is_hidden(base) || is_dependent(base) ? 0 : cells_of(base);
    if (cells == 0)
        return one_part(mark_for(is_hidden(base) ? base : REPLACEMENT), (size_t)(at - start), 1);

    struct cluster k = one_part(base, (size_t)(at - start), cells);
    take_parts(&k, start, at, end);
    return k;
}

size_t text_cluster(const char *text, size_t bytes, char *out, size_t room, int *cells)
{
    assert(room >= TEXT_CLUSTER_ROOM);
    const struct cluster k = cluster_of(text, bytes);
    size_t used = 0;
    for (unsigned i = 0; i < k.part_count; i++) {
        const int put =
            u8_uctomb((uint8_t *)out + used, k.parts[i], (ptrdiff_t)(TEXT_CLUSTER_ROOM - 1 - used));
        if (put <= 0)
            break; /* only marks are left: two characters with width take eight bytes */
        used += (size_t)put;
    }
    out[used] = '\0';
    *cells = k.cells;
    return k.bytes;
}

size_t text_cluster_bytes(const char *text, size_t bytes)
{
    return bytes ? cluster_of(text, bytes).bytes : 0;
}

/* Signs that our own titles, units and sentences use, and what is alike in ASCII. */
static char ascii_of(const char *cluster)
{
    static const struct {
        const char *sign;
        char alike;
    } signs[] = {{"\u0394", 'd'}, {"\u00b5", 'u'}, {"→", '>'}, {"←", '<'}, {"│", '|'}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strcmp(cluster, signs[i].sign) == 0)
            return signs[i].alike;
    return '\0';
}

void text_cluster_to_ascii(char *cluster, int cells)
{
    const char alike = is_plain(*cluster) ? *cluster : ascii_of(cluster);
    if (alike && cells == 1) {
        cluster[0] = alike;
        cluster[1] = '\0';
        return;
    }
    memset(cluster, '?', (size_t)cells);
    cluster[cells] = '\0';
}

size_t text_width(const char *text, size_t bytes)
{
    if (all_plain(text, bytes))
        return bytes;
    size_t cells = 0;
    for (size_t at = 0; at < bytes;) {
        const struct cluster k = cluster_of(text + at, bytes - at);
        at += k.bytes;
        cells += (size_t)k.cells;
    }
    return cells;
}

/* ---- clipping -------------------------------------------------------------------- */

struct clipped {
    char *out;
    size_t used, room; /* room without the NUL */
    int cells, limit;
    bool is_ascii, is_full;
};

static void add(struct clipped *o, const char *safe, int cells)
{
    const size_t bytes = strlen(safe);
    if (o->is_full || o->cells + cells > o->limit || bytes > o->room - o->used) {
        o->is_full = true;
        return;
    }
    memcpy(o->out + o->used, safe, bytes);
    o->used += bytes;
    o->cells += cells;
}

static void add_ellipsis(struct clipped *o)
{
    o->is_full = false;
    o->limit++;
    add(o, o->is_ascii ? "~" : "\u2026", 1);
}

/* Adds clusters until the limit; true when all of the text fits. */
static bool add_text(struct clipped *o, const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes && !o->is_full;) {
        char safe[TEXT_CLUSTER_ROOM];
        int cells;
        at += text_cluster(text + at, bytes - at, safe, sizeof safe, &cells);
        if (o->is_ascii)
            text_cluster_to_ascii(safe, cells);
        add(o, safe, cells);
    }
    return !o->is_full;
}

/* Where the last `cells` cells of the text begin; *fits when all of it is within. */
static size_t tail_start(const char *text, size_t bytes, size_t cells, bool *fits)
{
    size_t over = text_width(text, bytes);
    *fits = over <= cells;
    if (*fits)
        return 0;
    over -= cells - 1; /* the ellipsis takes one */
    size_t at = 0;
    for (size_t gone = 0; gone < over;) {
        const struct cluster k = cluster_of(text + at, bytes - at);
        at += k.bytes;
        gone += (size_t)k.cells;
    }
    return at;
}

static void clip_tail(struct clipped *o, const char *text, size_t bytes)
{
    bool fits;
    const size_t start = tail_start(text, bytes, (size_t)o->limit, &fits);
    if (!fits) {
        o->limit--;
        add_ellipsis(o);
    }
    add_text(o, text + start, bytes - start);
}

static void clip_head(struct clipped *o, const char *text, size_t bytes)
{
    const struct clipped before = *o;
    if (add_text(o, text, bytes))
        return;
    *o = before;
    o->limit--;
    o->room -= o->room > 3 ? 3 : o->room; /* for the ellipsis */
    add_text(o, text, bytes);
    o->room = before.room;
    add_ellipsis(o);
}

/* The fast path for ASCII: true when it was taken. It needs one plain character more than there are
 * cells, at the end that is kept: then the cut is certain, and no combining mark belongs to the
 * first or last kept character. */
static bool clip_plain(char *out, size_t room, const char *text, size_t bytes, size_t cells,
                       unsigned how)
{
    const bool fits = bytes <= cells;
    const size_t looked_at = fits ? bytes : cells + 1;
    const char *const from = how & TEXT_TAIL ? text + bytes - looked_at : text;
    const char *const ellipsis = how & TEXT_ASCII ? "~" : "\u2026";
    const size_t more = fits ? 0 : strlen(ellipsis), kept = fits ? bytes : cells - 1;
    if (kept + more >= room || !all_plain(from, looked_at))
        return false;
    char *const kept_at = how & TEXT_TAIL ? out + more : out;
    if (kept)
        memcpy(kept_at, how & TEXT_TAIL ? text + bytes - kept : text, kept);
    memcpy(how & TEXT_TAIL ? out : out + kept, ellipsis, more);
    out[kept + more] = '\0';
    return true;
}

int text_clip(char *out, size_t room, const char *text, size_t bytes, int cells, unsigned how)
{
    assert(room > 0);
    out[0] = '\0';
    if (cells <= 0)
        return 0;
    if (clip_plain(out, room, text, bytes, (size_t)cells, how))
        return bytes < (size_t)cells ? (int)bytes : cells;
    struct clipped o = {.out = out, .room = room - 1, .limit = cells, .is_ascii = how & TEXT_ASCII};
    if (how & TEXT_TAIL)
        clip_tail(&o, text, bytes);
    else
        clip_head(&o, text, bytes);
    out[o.used] = '\0';
    return o.cells;
}

/* ---- counts and names ------------------------------------------------------------- */

const char *text_count(char out[TEXT_COUNT], uint64_t count, const char *one)
{
    snprintf(out, TEXT_COUNT, "%" PRIu64 " %s%s", count, one, count == 1 ? "" : "s");
    return out;
}

int text_compare(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    const size_t shorter = a_bytes < b_bytes ? a_bytes : b_bytes;
    for (size_t i = 0; i < shorter; i++) {
        const unsigned char p = (unsigned char)text_lower(a[i]);
        const unsigned char q = (unsigned char)text_lower(b[i]);
        if (p != q)
            return p < q ? -1 : 1;
    }
    return (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

/* A star that fails takes one character more and tries again. */
bool text_is_like(const char *pattern, const char *name, bool is_folded)
{
    const char *star = NULL, *retry = NULL;
    while (*name) {
        const bool is_same =
            is_folded ? text_lower(*pattern) == text_lower(*name) : *pattern == *name;
        if (*pattern == '*') {
            star = ++pattern;
            retry = name;
        } else if (*pattern == '?' || is_same) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++retry;
        } else {
            return false;
        }
    }
    return !pattern[strspn(pattern, "*")];
}
