/* Text nobody vouches for: hostile strings, widths, cuts, encodings, searching. */
#include "tests/test.h"

#include "src/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A string literal with its length: NULs inside count. */
#define S(x) x, sizeof(x) - 1

#define BAD "\xef\xbf\xbd" /* U+FFFD */

/* ---- clusters and cells ---------------------------------------------------------- */

static const struct {
    const char *name;
    const char *text;
    size_t bytes;
    const char *safe; /* clusters separated by '|' */
    int cells;        /* of all */
} cluster_rows[] = {
    {"plain", S("ab"), "a|b", 2},
    {"escape sequence", S("\x1b[31m"), "\u241b|[|3|1|m", 5},
    {"all of C0", S("\0\a\b\t\n\r\x1f"), "\u2400|\u2407|\u2408|\u2409|\u240a|\u240d|\u241f", 7},
    {"CR LF is two marks", S("\r\n"), "\u240d|\u240a", 2},
    {"DEL", S("\x7f"), "\u2421", 1},
    {"C1 control CSI",
     S("\xc2\x9b"
       "31m"),
     BAD "|3|1|m", 4},
    {"C1 control as a raw byte",
     S("\x9b"
       "31m"),
     BAD "|3|1|m", 4},
    {"NEL", S("\xc2\x85"), BAD, 1},
    {"bidi override",
     S("a\u202e"
       "cod.exe"),
     "a|" BAD "|c|o|d|.|e|x|e", 9},
    {"bidi isolates", S("\u2066\u2067\u2068\u2069"), BAD "|" BAD "|" BAD "|" BAD, 4},
    {"bidi embeddings", S("\u202a\u202b\u202c\u202d"), BAD "|" BAD "|" BAD "|" BAD, 4},
    {"bidi marks", S("\u200e\u200f\u061c"), BAD "|" BAD "|" BAD, 3},
    {"line and paragraph separator", S("\u2028\u2029"), BAD "|" BAD, 2},
    {"byte order mark",
     S("\ufeff"
       "a"),
     BAD "|a", 2},
    {"zero-width space, non-joiner, word joiner", S("a\u200b\u200c\u2060"),
     "a|" BAD "|" BAD "|" BAD, 4},
    {"soft hyphen", S("a\u00adb"), "a|" BAD "|b", 3},
    {"tag characters", S("\U000e0041\U000e0042"), BAD "|" BAD, 2},
    {"annotation and object marks", S("\ufff9\ufffb"), BAD "|" BAD, 2},
    {"private use", S("\ue000\U000f0000"), BAD "|" BAD, 2},
    {"noncharacters", S("\xef\xb7\x90\xef\xbf\xbe\xef\xbf\xbf"), BAD "|" BAD "|" BAD, 3},
    {"unassigned", S("\u0378\U0003ffff"), BAD "|" BAD, 2},
    {"Hangul fillers are blank letters", S("\u115f\u3164\uffa0"), BAD "|" BAD "|" BAD, 3},
    {"combining accent", S("e\u0301x"), "e\u0301|x", 2},
    {"accent without a base", S("\u0301x"), BAD "|x", 2},
    {"accent on a control", S("\n\u0301"), "\u240a|" BAD, 2},
    {"no more than four marks", S("a\u0300\u0301\u0302\u0303\u0304\u0305"),
     "a\u0300\u0301\u0302\u0303", 1},
    {"keycap", S("1\ufe0f\u20e3"), "1\u20e3", 1},
    {"variation selector is silent", S("\u2764\ufe0f"), "\u2764", 1},
    {"variation selector alone", S("\ufe0f"), BAD, 1},
    {"CJK", S("\u65e5\u672c"), "\u65e5|\u672c", 4},
    {"halfwidth kana", S("\uff76"), "\uff76", 1},
    {"ideographic space", S("\u3000"), "\u3000", 2},
    {"no-break space", S("\u00a0"), "\u00a0", 1},
    {"Hangul syllable in letters", S("\u1112\u1161\u11ab"), "\u1112\u1161\u11ab", 2},
    {"vowel sign with a width of its own", S("\u0915\u0940"), "\u0915\u0940", 2},
    {"emoji", S("\U0001f600"), "\U0001f600", 2},
    {"joined emoji are one, two cells wide", S("\U0001f469\u200d\U0001f4bbx"), "\U0001f469|x", 3},
    {"family", S("\U0001f468\u200d\U0001f469\u200d\U0001f467"), "\U0001f468", 2},
    {"joiner between letters shows", S("a\u200db"), "a|" BAD "|b", 3},
    {"joiner at the end shows", S("\U0001f469\u200d"), "\U0001f469|" BAD, 3},
    {"skin tone", S("\U0001f44d\U0001f3fd"), "\U0001f44d", 2},
    {"skin tone after nothing it could tint", S("\n\U0001f3fd"), "\u240a|" BAD, 2},
    {"vowel sign after a hidden character", S("\u200b\u0940"), BAD "|" BAD, 2},
    {"prefix of a letter stands alone", S("\u0d4e\u0d15"), "\u0d4e|\u0d15", 2},
    {"skin tone on a flag", S("\U0001f1e9\U0001f3fd"), "\U0001f1e9|" BAD, 2},
    {"no cell for a third vowel sign", S("\u0915\u0940\u0940"), "\u0915\u0940|" BAD, 3},
    {"flags pair up", S("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7"),
     "\U0001f1e9\U0001f1ea|\U0001f1eb\U0001f1f7", 4},
    {"lone start byte",
     S("\xc3"
       "a"),
     BAD "|a", 2},
    {"lone continuation", S("\x80\xbf"), BAD "|" BAD, 2},
    {"overlong slash", S("\xc0\xaf"), BAD "|" BAD, 2},
    {"overlong escape", S("\xe0\x80\x9b[A"), BAD "|[|A", 3},
    {"byte that never occurs", S("\xff"), BAD, 1},
    {"replacement character itself", S(BAD), BAD, 1},
};

static void clusters_are_safe(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cluster_rows / sizeof *cluster_rows; i++) {
        const char *text = cluster_rows[i].text;
        const size_t bytes = cluster_rows[i].bytes;
        char joined[256] = "";
        int total = 0;
        for (size_t at = 0; at < bytes;) {
            char safe[TEXT_CLUSTER_ROOM];
            int cells = -1;
            const size_t took = text_cluster(text + at, bytes - at, safe, sizeof safe, &cells);
            assert_true(took > 0 && took <= bytes - at);
            assert_int_equal(took, text_cluster_bytes(text + at, bytes - at));
            strcat(strcat(joined, *joined ? "|" : ""), safe);
            total += cells;
            at += took;
        }
        if (strcmp(joined, cluster_rows[i].safe) != 0 || total != cluster_rows[i].cells)
            fail_msg("%s: expected %s (%d cells), found %s (%d cells)", cluster_rows[i].name,
                     cluster_rows[i].safe, cluster_rows[i].cells, joined, total);
        assert_int_equal(text_width(text, bytes), total);
    }
    assert_int_equal(text_cluster_bytes("", 0), 0);
    assert_int_equal(text_width("", 0), 0);
    assert_int_equal(text_width(S("0123456789abcdef~ ")), 18);
    assert_int_equal(text_width(S("01234567\x7f"
                                  "9abcdef")),
                     16);
}

static bool is_safe(const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f)
            return false;
        if (c == 0xc2 && (unsigned char)text[1] < 0xa0) /* C1 */
            return false;
    }
    return true;
}

/* Every text, every shorter length from an exact-size copy, every width and manner:
 * valid, free of controls, never wider than asked. */
static void every_prefix_clips_safely(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cluster_rows / sizeof *cluster_rows; i++) {
        for (size_t bytes = 1; bytes <= cluster_rows[i].bytes; bytes++) {
            char *copy = malloc(bytes);
            memcpy(copy, cluster_rows[i].text, bytes);
            for (int cells = 0; cells < 12; cells++) {
                for (unsigned how = 0; how < 4; how++) {
                    char out[12 * TEXT_CLUSTER_ROOM];
                    const int used = text_clip(out, sizeof out, copy, bytes, cells, how);
                    assert_in_range(used, 0, cells);
                    assert_int_equal(text_width(out, strlen(out)), used);
                    assert_true(text_is_valid(out, strlen(out)));
                    assert_true(is_safe(out));
                    if (how & TEXT_ASCII)
                        assert_int_equal(strlen(out), used);
                }
            }
            free(copy);
        }
    }
}

/* ---- clipping -------------------------------------------------------------------- */

static const struct {
    const char *text;
    int cells;
    unsigned how;
    const char *out;
} clip_rows[] = {
    {"svchost.exe", 20, TEXT_HEAD, "svchost.exe"},
    {"svchost.exe", 11, TEXT_HEAD, "svchost.exe"},
    {"svchost.exe", 10, TEXT_HEAD, "svchost.e\u2026"},
    {"svchost.exe", 10, TEXT_TAIL, "\u2026chost.exe"},
    {"svchost.exe", 10, TEXT_HEAD | TEXT_ASCII, "svchost.e~"},
    {"svchost.exe", 10, TEXT_TAIL | TEXT_ASCII, "~chost.exe"},
    {"svchost.exe", 1, TEXT_HEAD, "\u2026"},
    {"svchost.exe", 1, TEXT_TAIL, "\u2026"},
    {"svchost.exe", 0, TEXT_HEAD, ""},
    {"svchost.exe", -3, TEXT_TAIL, ""},
    {"", 5, TEXT_HEAD, ""},
    {"a\nb", 3, TEXT_HEAD, "a\u240ab"},
    {"a\nb", 3, TEXT_ASCII, "a?b"},
    {"\u65e5\u672c\u8a9e", 6, TEXT_HEAD, "\u65e5\u672c\u8a9e"},
    {"\u65e5\u672c\u8a9e", 5, TEXT_HEAD, "\u65e5\u672c\u2026"},
    {"\u65e5\u672c\u8a9e", 4, TEXT_HEAD, "\u65e5\u2026"},
    {"\u65e5\u672c\u8a9e", 5, TEXT_TAIL, "\u2026\u672c\u8a9e"},
    {"\u65e5\u672c\u8a9e", 4, TEXT_TAIL, "\u2026\u8a9e"},
    {"\u65e5\u672c\u8a9e", 4, TEXT_ASCII, "??~"},
    {"\u65e5\u672c\u8a9e", 6, TEXT_ASCII, "??????"},
    {"e\u0301e\u0301e\u0301", 2, TEXT_HEAD, "e\u0301\u2026"},
    {"e\u0301e\u0301e\u0301", 2, TEXT_TAIL, "\u2026e\u0301"},
    {"e\u0301e\u0301e\u0301", 3, TEXT_ASCII, "eee"},
    {"caf\u00e9.exe", 8, TEXT_ASCII, "caf?.exe"},
    {"\\Device\\HarddiskVolume2\\Windows\\x.sys", 15, TEXT_TAIL, "\u2026\\Windows\\x.sys"},
};

static void cuts_keep_head_or_tail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof clip_rows / sizeof *clip_rows; i++) {
        char out[64 * TEXT_CLUSTER_ROOM];
        const int used = text_clip(out, sizeof out, clip_rows[i].text, strlen(clip_rows[i].text),
                                   clip_rows[i].cells, clip_rows[i].how);
        if (strcmp(out, clip_rows[i].out) != 0)
            fail_msg("'%s' in %d cells: expected '%s', found '%s'", clip_rows[i].text,
                     clip_rows[i].cells, clip_rows[i].out, out);
        assert_int_equal(used, text_width(out, strlen(out)));
    }
}

/* Whatever room there is, the text ends with a NUL inside it and at a cluster. */
static void little_room_is_respected(void **state)
{
    (void)state;
    static const char text[] = "a\u65e5e\u0301\U0001f600 and more";
    for (size_t room = 1; room < 40; room++) {
        for (unsigned how = 0; how < 4; how++) {
            char *out = malloc(room);
            const int used = text_clip(out, room, text, sizeof text - 1, 100, how);
            assert_true(strlen(out) < room);
            assert_true(text_is_valid(out, strlen(out)));
            assert_int_equal(text_width(out, strlen(out)), used);
            free(out);
        }
    }
}

/* Lines, blocks, dots and Latin's signs take a short way: alone, and before what cannot combine with
 * them, they are what they are with a mark on them, which takes the long one. */
static void signs_are_one_cell(void **state)
{
    (void)state;
    static const struct {
        unsigned first, last;
    } ranges[] = {{0xa0, 0xbf}, {0x24f0, 0x25c0}, {0x27f0, 0x2910}};
    static const char mark[] = "\u0301";
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        for (unsigned c = ranges[r].first; c <= ranges[r].last; c++) {
            char text[8], alone[TEXT_CLUSTER_ROOM], marked[TEXT_CLUSTER_ROOM];
            int cells, cells_marked;
            const size_t bytes =
                (size_t)(c < 0x800 ? sprintf(text, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 63))
                                   : sprintf(text, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 63),
                                             0x80 | (c & 63)));
            strcat(text, "a");
            assert_int_equal(text_cluster(text, bytes + 1, alone, sizeof alone, &cells), bytes);
            memcpy(text + bytes, mark, sizeof mark);
            text_cluster(text, bytes + 2, marked, sizeof marked, &cells_marked);
            if (cells != cells_marked || memcmp(alone, marked, strlen(alone)) != 0)
                fail_msg("U+%04X: %d cells '%s', with a mark %d '%s'", c, cells, alone,
                         cells_marked, marked);
        }
    }
}

static void a_long_cluster_ends(void **state)
{
    (void)state;
    enum { MARKS = 20000 };
    char *text = malloc(1 + MARKS * 2);
    text[0] = 'a';
    for (int i = 0; i < MARKS; i++)
        memcpy(text + 1 + i * 2, "\u0301", 2);
    assert_int_equal(text_cluster_bytes(text, 1 + MARKS * 2), 1 + MARKS * 2);
    assert_int_equal(text_width(text, 1 + MARKS * 2), 1);
    char out[64];
    assert_int_equal(text_clip(out, sizeof out, text, 1 + MARKS * 2, 5, TEXT_TAIL), 1);
    assert_string_equal(out, "a\u0301\u0301\u0301\u0301");
    free(text);
}

/* ---- encodings ------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *in;
    size_t bytes;
    const char *out;
    size_t out_bytes;
} utf16_rows[] = {
    {"empty", S(""), S("")},
    {"plain", S("a\0b\0"), S("ab")},
    {"embedded NUL", S("a\0\0\0b\0"), S("a\0b")},
    {"umlaut and euro", S("\xe4\x00\xac\x20"), S("\u00e4\u20ac")},
    {"pair", S("\x3d\xd8\x00\xde"), S("\U0001f600")},
    {"highest pair", S("\xff\xdb\xff\xdf"), S("\xf4\x8f\xbf\xbf")},
    {"high surrogate alone",
     S("\x3d\xd8"
       "a\0"),
     S(BAD "a")},
    {"high surrogate at the end", S("\x3d\xd8"), S(BAD)},
    {"low surrogate alone",
     S("\x00\xde"
       "a\0"),
     S(BAD "a")},
    {"pair the wrong way round", S("\x00\xde\x3d\xd8"), S(BAD BAD)},
    {"two highs, one low", S("\x3d\xd8\x3d\xd8\x00\xde"), S(BAD "\U0001f600")},
    {"odd last byte", S("a\0b"), S("a" BAD)},
    {"high and half", S("\x3d\xd8\x00"), S(BAD BAD)},
    {"one byte", S("a"), S(BAD)},
};

static void utf16_becomes_utf8(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof utf16_rows / sizeof *utf16_rows; i++) {
        char *in = malloc(utf16_rows[i].bytes + 1); /* odd address, exact end */
        memcpy(in + 1, utf16_rows[i].in, utf16_rows[i].bytes);
        const size_t want = utf16_rows[i].out_bytes;
        for (size_t room = 0; room <= want; room++) {
            char *out = malloc(room + 1);
            const size_t used = text_from_utf16(out, room, in + 1, utf16_rows[i].bytes);
            assert_true(used <= room);
            assert_true(text_is_valid(out, used));
            assert_memory_equal(out, utf16_rows[i].out, used);
            if (room == want && used != want)
                fail_msg("%s: expected %zu bytes, found %zu", utf16_rows[i].name, want, used);
            free(out);
        }
        free(in);
    }
}

static const struct {
    const char *in;
    size_t bytes;
    const char *out;
    bool is_valid;
} repair_rows[] = {
    {S(""), "", true},
    {S("plain text of more than eight bytes"), "plain text of more than eight bytes", true},
    {S("\u00e4\u20ac\U0001f600"), "\u00e4\u20ac\U0001f600", true},
    {S("a\xff"
       "b"),
     "a" BAD "b", false},
    {S("12345678\x80"), "12345678" BAD, false},
    {S("\xed\xa0\xbd"), BAD, false},     /* a surrogate, encoded */
    {S("\xf4\x90\x80\x80"), BAD, false}, /* beyond the last */
    {S("\xc3"), BAD, false},
    {S("\xe2\x82"), BAD, false},
    {S("\xe2\x82"
       "a"),
     BAD "a", false},
};

static void ill_formed_text_is_repaired(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof repair_rows / sizeof *repair_rows; i++) {
        const size_t room = repair_rows[i].bytes * 3;
        char *out = malloc(room + 1);
        const size_t used = text_repair(out, room, repair_rows[i].in, repair_rows[i].bytes);
        out[used] = '\0';
        assert_string_equal(out, repair_rows[i].out);
        assert_int_equal(text_is_valid(repair_rows[i].in, repair_rows[i].bytes),
                         repair_rows[i].is_valid);
        free(out);
    }
    char two[2];
    assert_int_equal(text_repair(two, 2, S("a\u20ac")), 1); /* whole characters only */
}

/* ---- searching ------------------------------------------------------------------- */

static const struct {
    const char *needle, *text;
    bool found;
} needle_rows[] = {
    {"", "", true},
    {"", "anything", true},
    {"a", "", false},
    {"chrome", "chrome.exe", true},
    {"chrome", "Google CHROME.EXE", true},
    {"Chrome", "chrome.exe", false}, /* a capital: case counts */
    {"Chrome", "Google Chrome", true},
    {"exe", "chrome.ex", false},
    {"aab", "aaab", true},
    {"Aab", "aAaAab", true},
    {"\\windows\\", "C:\\Windows\\x", true},
    {"stra\u00dfe", "STRASSE", true},
    {"strasse", "Stra\u00dfe", true},
    {"\u00e4rger", "\u00c4RGER", true},
    {"\u00c4rger", "\u00e4rger", false},
    {"\u00c4rger", "A\u0308rger", true}, /* composed or not */
    {"\u03c3", "\u03a3\u03c2", true},    /* sigmas */
    {"file", "\ufb01le", true},          /* ligature */
    {"File", "\uff26ile", true},         /* full width */
    {"k", "\u212a", true},               /* Kelvin sign */
    {"\u0131", "i", false},
    {"\u65e5", "\u65e5\u672c", true},
    {"\u65e5", "plain", false},
    {"x", "\xff\xfe x", true}, /* ill-formed around it */
    {"x", "\xff", false},
};

static void needles_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof needle_rows / sizeof *needle_rows; i++) {
        const char *text = needle_rows[i].text;
        struct text_needle *n =
            text_needle_new(needle_rows[i].needle, strlen(needle_rows[i].needle));
        const size_t bytes = strlen(text);
        char *copy = malloc(bytes + 1);
        memcpy(copy, text, bytes);
        if (text_needle_in(n, copy, bytes) != needle_rows[i].found)
            fail_msg("'%s' in '%s': expected %d", needle_rows[i].needle, text,
                     needle_rows[i].found);
        text_needle_free(n);
        free(copy);
    }
    text_needle_free(NULL);
}

static void long_texts_are_searched_whole(void **state)
{
    (void)state;
    char text[4096];
    memset(text, 'a', sizeof text);
    memcpy(text + 10, "\u00c4", 2);
    memcpy(text + sizeof text - 3, "End", 3);
    struct text_needle *n = text_needle_new(S("aend"));
    assert_true(text_needle_in(n, text, sizeof text));
    assert_false(text_needle_in(n, text, sizeof text - 1));
    text_needle_free(n);

    memset(text, 'b', sizeof text); /* a needle longer than any buffer of ours */
    memcpy(text, "\u00e4", 2);
    n = text_needle_new(text, sizeof text - 1);
    assert_true(text_needle_in(n, text, sizeof text));
    assert_false(text_needle_in(n, text, sizeof text - 2));
    text_needle_free(n);
}

static void patterns_match_names(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *name;
        bool matches, is_folded;
    } rows[] = {
        {"sshd", "sshd", true, false},
        {"sshd", "sshd2", false, false},
        {"ssh*", "ssh", true, false},
        {"ssh*", "sshd", true, false},
        {"*d", "sshd", true, false},
        {"s?hd", "sshd", true, false},
        {"s?hd", "shd", false, false},
        {"*a*b*", "xaxxb", true, false},
        {"*a*b", "ab_ab_a", false, false},
        {"", "", true, false},
        {"", "a", false, false},
        {"*", "", true, false},
        {"a*a*a*a*b", "aaaaaaaaaaaaaaa", false, false},
        {"SSH?", "sshd", false, false},
        {"SSH?", "sshd", true, true},
        {"*.EXE", "Cmd.exe", true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (text_is_like(rows[i].pattern, rows[i].name, rows[i].is_folded) != rows[i].matches)
            fail_msg("%s, %s", rows[i].pattern, rows[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_safe),
        cmocka_unit_test(every_prefix_clips_safely),
        cmocka_unit_test(cuts_keep_head_or_tail),
        cmocka_unit_test(little_room_is_respected),
        cmocka_unit_test(signs_are_one_cell),
        cmocka_unit_test(a_long_cluster_ends),
        cmocka_unit_test(utf16_becomes_utf8),
        cmocka_unit_test(ill_formed_text_is_repaired),
        cmocka_unit_test(needles_are_found),
        cmocka_unit_test(long_texts_are_searched_whole),
        cmocka_unit_test(patterns_match_names),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
