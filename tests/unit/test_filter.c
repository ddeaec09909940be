/* The filter language: what it means, what it refuses and where, what it finds in facts. */
#include "tests/test.h"

#include "src/base/regex.h"
#include "src/event/schema.h"
#include "src/filter/fact.h"
#include "src/pane/panes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ------------------------------------------------------------------------- */

static bool passes(const char *filter, const char *text)
{
    struct filter f;
    struct filter_error why;
    if (!filter_init(&f, filter, NULL, NULL, &why))
        fail_msg("'%s': %s at %zu", filter, why.text, why.at);
    struct filter_found found = {0, 0};
    filter_look_text(&f, f.texts, text, strlen(text), &found);
    const bool result = filter_decide(&f, LEVEL_FACT, found);
    filter_fini(&f);
    return result;
}

static void texts_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *filter, *text;
        bool passes;
    } cases[] = {
        {"", "anything", true},
        {"  ", "anything", true},
        {"any", "anything", true},
        {"ANY", "anything", false},
        {"any thing", "anything", true},
        {"any and thing", "anything", true},
        {"any && thing", "anything", true},
        {"any && other", "anything", false},
        {"\"any thing\"", "anything", false},
        {"\"y t\"", "any thing", true},
        {"\"say \"\"hi\"\"\"", "say \"hi\" again", true},
        {"!any", "anything", false},
        {"!!any", "anything", true},
        {"! any", "anything", false},
        {"not any", "anything", false},
        {"not not any", "anything", true},
        {"nothing", "anything", false},
        {"\xc3\xa4", "\xc3\x84RGER", true},
        {"one or two", "two", true},
        {"one || two", "three", false},
        {"one | two", "two", true},
        {"one|two", "two", true},
        /* and binds tighter than or, the bar tighter than a blank */
        {"a b or c", "c", true},
        {"a b | c", "a c", true},
        {"a b | c", "c", false},
        {"(a or b) c", "b c", true},
        {"(a or b) c", "a", false},
        {"!(a or b)", "c", true},
        {"!a | b", "c", true},
        {"!(a | b) c", "b c", false},
        {"'any", "anything", false},
        {"'anything", "Anything", true},
        {"^any", "anything", true},
        {"^thing", "anything", false},
        {"thing$", "anything", true},
        {"any$", "anything", false},
        {"$", "costs $5", true},
        {"/^a.*g$/", "anything", true},
        {"/^A/", "anything", false},
        {"/^A/i", "anything", true},
        {"/^a/c", "Anything", false},
        {"/\\S+/", "anything", true}, /* no capital letter: it stands behind a backslash */
        {"/a\\/b/", "a/b", true},
        {"/usr/bin", "/usr/bin/ls", true}, /* no expression: nothing ends it */
        {"C:\\temp", "C:\\temp\\x", true},
        {"C:\\temp", "D:\\temp\\x", false},
        {"std::string", "std::string", true},
        {"\"lat>5\"", "lat>5 is text here", true},
        {"order", "border", true}, /* begins like a word of the language */
        {"android", "an android", true},
        {"nothing | \"not\"", "not", true},
        {"10.0.0.1:443", "10.0.0.1:443", true},
        {"any:thing", "anything", true},
        {"text~/^any/", "anything", true},
        {"any!=other", "anything", true},
        {"any!=anything", "anything", false},
        {"any=any*ng", "anything", true},
        {"any=a?ything", "anything", true},
        {"any=any", "anything", false},
        {"any=x,anything", "anything", true},
        {"any=*", "anything", true},
        {"any!~thing", "anything", false},
        {"any=\xc3\xa4?", "\xc3\x84\xc3\x96", true}, /* one character, not one byte */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (passes(cases[i].filter, cases[i].text) != cases[i].passes)
            fail_msg("'%s' on '%s'", cases[i].filter, cases[i].text);
}

/* ---- what is refused --------------------------------------------------------------------- */

static void errors_name_the_place(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        size_t at;
        const char *expected;
    } cases[] = {
        {"any !", 5, "expected a word or a field"},
        {"a | ", 4, "expected a word or a field"},
        {"a or", 4, "expected a word or a field"},
        {"| a", 0, "expected a word or a field"},
        {"a )", 2, "expected and, or, or nothing more"},
        {"(a", 2, "closing )"},
        {"()", 1, "expected a word or a field"},
        {"\"a", 0, "closing quote"},
        {"proc~/a", 5, "expected a closing /"},
        {"proc~/a/", 5, NULL},
        {"path~/usr", 5, NULL},
        {"pid = 4", 4, "comparison without blanks"},
        {"pid != 4", 5, "comparison without blanks"},
        {"pid =4", 4, "comparison without blanks"},
        {"lat > 4ms", 4, "comparison without blanks"},
        {"cpu&1", 3, "only keyword takes &"},
        {".Flags&0x8", 6, "only keyword takes &"},
        {"keyword & 0x8", 8, "bits without blanks"},
        {"keyword &0x8", 8, "bits without blanks"},
        {"keyword&0x8", 8, NULL},
        {"keyword&loader", 8, NULL},
        {"proc&co", 4, NULL}, /* text: no number */
        {"R&8", 1, NULL},
        {"a&&b", 1, NULL},
        {"pid=4 && keyword&8", 1, NULL},
        {"status=FOO", 7, "there is no status 'FOO'"},
        {"status=enoent", 7, NULL},
        {"status=OBJECT_NAME_NOT_FOUND,ENO*", 7, NULL},
        {"any~/a", 4, NULL}, /* no second slash: a plain expression */
        {"lat>", 4, "expected a value"},
        {"lat>x", 4, "a time such as"},
        {"lat>=1ms,2ms", 8, "one value is enough"},
        {"lat:1ms", 3, "lat takes ="},
        {"lat>1..2", 4, "a range goes with ="},
        {"lat=5ms..1ms", 4, "ends before it begins"},
        {"lat=..", 4, "at least one end"},
        {"size>10ms", 5, "a size such as"},
        {"proc>a", 4, "proc takes ="},
        {"pid=chrome.exe", 4, "for a name write proc=chrome.exe"},
        {"op=reed", 3, "one of start end"},
        {"prc=x", 0, "did you mean proc"},
        {"foo=x", 0, "in quotes"},
        {"raddr=10.0.0", 6, "an address such as"},
        {"raddr=10.0.0.0/33", 6, "an address such as"},
        {"raddr=1::2::3", 6, "an address such as"},
        {"path~/(/", 7, "regular expression"},
        {"time>10:15", 5, "no events yet"},
        {"a ((((((((((((((((((((((((((b", 26, "levels of parentheses"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct filter f;
        struct filter_error why = {0};
        const bool ok = filter_init(&f, cases[i].filter, NULL, NULL, &why);
        if (ok != !cases[i].expected ||
            (!ok && (why.at != cases[i].at || !strstr(why.text, cases[i].expected))))
            fail_msg("'%s': '%s' at %zu", cases[i].filter, ok ? "fine" : why.text, why.at);
        if (!ok && filter_has(&f, LEVEL_FACT))
            fail_msg("'%s' is refused and still decides", cases[i].filter);
        filter_fini(&f);
    }
}

/* More than there is room for is a sentence, too. */
static void bounds_are_reported(void **state)
{
    (void)state;
    static const char *const parts[] = {"a ", "!a ", "pid=1,2,3,4,5 ", "(a|b) "};
    for (unsigned p = 0; p < sizeof parts / sizeof *parts; p++) {
        char text[4096] = "";
        struct filter f;
        struct filter_error why = {0};
        for (unsigned i = 0; i < 200; i++)
            strcat(text, parts[p]);
        assert_false(filter_init(&f, text, NULL, NULL, &why));
        if (!strstr(why.text, "at most"))
            fail_msg("%s: %s", parts[p], why.text);
        filter_fini(&f);
    }
}

static void expressions_give_up(void **state)
{
    (void)state;
    struct err err;
    size_t at;
    static const char hard[] = "^(a+)+$", text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
    struct regex *r = regex_new(hard, sizeof hard - 1, false, &at, &err);
    assert_non_null(r);
    assert_false(regex_in(r, text, sizeof text - 1));
    assert_int_equal(regex_given_up(r), 1);
    assert_true(regex_in(r, "aaa", 3));
    assert_true(regex_in(r, "aaa\xff", 3));
    assert_false(regex_in(r, "\xff\xfe", 2));
    regex_free(r);
    char large[REGEX_BYTES + 2];
    memset(large, 'a', sizeof large);
    assert_null(regex_new(large, sizeof large, false, &at, &err));
    assert_null(regex_new("((((((((((((((((((((((((((((((((((a", 35, false, &at, &err));
}

/* ---- numbers and addresses ---------------------------------------------------------------- */

static void numbers_are_compared(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        uint64_t number;
        bool holds;
    } cases[] = {
        {"lat>10ms", 10000000, false}, {"lat>10ms", 10000001, true},
        {"lat>=10ms", 10000000, true}, {"lat<10ms", 9999999, true},
        {"lat<10ms", 10000000, false}, {"lat<=10ms", 10000000, true},
        {"lat<0s", 0, false},          {"lat=1ms..2ms", 1500000, true},
        {"lat=1ms..2ms", 2000001, false}, {"lat=1ms..", 5000000000, true},
        {"lat=..2ms", 0, true},        {"lat!=1ms..2ms", 1500000, false},
        {"lat=1ms,3ms", 3000000, true}, {"lat!=1ms,3ms", 3000000, false},
        {"lat!=1ms,3ms", 2, true},     {"lat=*", 7, true},
        {"size>=64K", 65536, true},    {"size>=64KB", 64000, true},
        {"size>1M/s", 1048577, true},  {"pid=0x10", 16, true},
        {"pid=4,8", 8, true},          {"pid=4,8", 5, false},
        {"pid>18446744073709551615", 0, false},
        {"op=read", OP_READ, true},    {"op=READ,write", OP_WRITE, true},
        {"op!=read", OP_READ, false},  {"fault=hard", OP_HARD, true},
        {"!lat>10ms", 1, true},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct filter f;
        struct filter_error why;
        if (!filter_init(&f, cases[i].filter, NULL, NULL, &why))
            fail_msg("'%s': %s", cases[i].filter, why.text);
        struct filter_found found = {0, 0};
        filter_look_number(&f, 0, cases[i].number, &found);
        if (filter_decide(&f, LEVEL_FACT, found) != cases[i].holds)
            fail_msg("'%s' of %llu", cases[i].filter, (unsigned long long)cases[i].number);
        filter_fini(&f);
    }
}

/* What there is no value of fits nothing: neither = nor != holds. */
static void absent_fits_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        bool holds;
    } cases[] = {{"lat>1ms", false}, {"lat!=1ms", false}, {"!lat=1ms", true}, {"lat=*", false}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct filter f;
        assert_true(filter_init(&f, cases[i].filter, NULL, NULL, NULL));
        if (filter_decide(&f, LEVEL_FACT, (struct filter_found){0, 0}) != cases[i].holds)
            fail_msg("'%s'", cases[i].filter);
        filter_fini(&f);
    }
}

static void addresses_are_compared(void **state)
{
    (void)state;
    static const uint8_t v4[16] = {10, 1, 2, 200};
    static const uint8_t v6[16] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x25, 0xe3, 0x58, 0x25, 0, 0, 0, 1};
    static const uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff, [12] = 10, [13] = 1, [14] = 2, [15] = 200};
    static const struct {
        const char *filter;
        const uint8_t *address;
        bool is_v6, holds;
    } cases[] = {
        {"raddr=10.1.2.200", v4, false, true},   {"raddr=10.1.2.201", v4, false, false},
        {"raddr=10.0.0.0/8", v4, false, true},   {"raddr=10.1.2.192/26", v4, false, true},
        {"raddr=10.1.2.0/25", v4, false, false}, {"raddr=0.0.0.0/0", v4, false, true},
        {"raddr=10.0.0.0/8", v6, true, false},   {"raddr=fe80::/10", v6, true, true},
        {"raddr=fe80::25e3:5825:0:1", v6, true, true}, {"raddr=fe80::1", v6, true, false},
        {"raddr=::/0", v6, true, true},          {"raddr=::ffff:10.1.2.200", mapped, true, true},
        {"raddr!=10.0.0.0/8", v4, false, false}, {"raddr!=11.0.0.0/8", v4, false, true},
        {"raddr=fe80:0:0:0:25e3:5825:0:1", v6, true, true},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct filter f;
        struct filter_error why;
        if (!filter_init(&f, cases[i].filter, NULL, NULL, &why))
            fail_msg("'%s': %s", cases[i].filter, why.text);
        struct filter_found found = {0, 0};
        filter_look_address(&f, 0, cases[i].address, cases[i].is_v6, &found);
        if (filter_decide(&f, LEVEL_FACT, found) != cases[i].holds)
            fail_msg("'%s'", cases[i].filter);
        filter_fini(&f);
    }
}

/* ---- rows and facts ------------------------------------------------------------------------- */

static void parts_are_decided_in_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *pane, *filter;
        bool on_rows, on_facts;
    } cases[] = {
        {"processes", "chrome", true, false},
        {"processes", "cpu>50", true, false},      /* a column here … */
        {"events", "cpu=1", false, true},          /* … and a processor there */
        {"processes", "pid=4", true, false},
        {"files", "pid=4", false, true},           /* its rows are no processes */
        {"disk", "lat>1ms", false, true},
        {"disk", "chrome lat>1ms", true, true},
        {"disk", "chrome | lat>1ms", false, true},
        {"disk", "read>1M lat>1ms", true, true},
        {"events", "chrome", false, true},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct filter f;
        struct filter_error why;
        if (!filter_init(&f, cases[i].filter, pane_find(cases[i].pane), NULL, &why))
            fail_msg("'%s': %s", cases[i].filter, why.text);
        if (filter_has(&f, LEVEL_ROW) != cases[i].on_rows
            || filter_has(&f, LEVEL_FACT) != cases[i].on_facts)
            fail_msg("%s: '%s'", cases[i].pane, cases[i].filter);
        filter_fini(&f);
    }
    struct filter f;
    struct filter_error why;
    assert_false(filter_init(&f, "read>1M | lat>1ms", pane_find("disk"), NULL, &why));
    assert_non_null(strstr(why.text, "read filters rows, lat filters events"));
    filter_fini(&f);
}

/* What a filter says of each of some facts, and whether their class and operation alone leave it
 * open. */
static void decide(const char *text, const struct fact *facts, unsigned count, bool *passes,
                   bool *may_pass)
{
    struct filter f;
    struct filter_error why;
    struct match_cache *const v = match_cache_new();
    if (!filter_init(&f, text, NULL, NULL, &why))
        fail_msg("'%s': %s", text, why.text);
    for (unsigned i = 0; i < count; i++) {
        passes[i] = filter_passes_fact(&f, v, NULL, NULL, &facts[i], 0);
        may_pass[i] = filter_ops(&f, facts[i].class) >> facts[i].op & 1;
    }
    match_cache_free(v);
    filter_fini(&f);
}

/* Whatever the order of parts, and whatever class and operation alone decide: every two terms
 * together select what each selects alone. */
static void parts_decide_as_one(void **state)
{
    (void)state;
    static const char *const terms[] = {
        "op=read",  "op!=read", "class=disk", "class!=file", "size>=4K", "lat>1ms",
        "lat!=2ms", "cpu=1",    "disk=2",     "status!=0",   "op=read,write",
    };
    static const struct fact facts[] = {
        {.class = FACT_DISK, .op = OP_READ, .value = 4096, .place = 2, .cpu = 1},
        {.class = FACT_DISK, .op = OP_READ, .latency = 2000000, .flags = FACT_HAS_LATENCY},
        {.class = FACT_DISK, .op = OP_WRITE, .value = 1, .latency = 9, .flags = FACT_HAS_LATENCY},
        {.class = FACT_FILE, .op = OP_END, .place = OP_READ, .status = 5},
        {.class = FACT_FILE, .op = OP_END, .place = OP_WRITE},
        {.class = FACT_FILE, .op = OP_READ, .value = 8192},
        {.class = FACT_SWITCH, .op = OP_END, .latency = 5000000, .flags = FACT_HAS_LATENCY},
        {.class = FACT_REGISTRY, .op = OP_QUERY, .status = 3},
        {.class = FACT_OTHER, .cpu = 1},
    };
    enum { TERMS = sizeof terms / sizeof *terms, FACTS = sizeof facts / sizeof *facts };
    static const struct {
        const char *before, *between, *after;
        uint8_t truth; /* bit a + 2b: what it is then */
    } forms[] = {{"", " ", "", 8},     {"", " | ", "", 14}, {"!", " ", "", 4},
                 {"!(", " | ", ")", 1}, {"!(", " ", ")", 7}, {"(", " ", " or cpu=77) lat=*|!lat=*", 8}};
    bool alone[TERMS][FACTS], passes[FACTS], may_pass[FACTS];
    unsigned never = 0, may = 0;
    for (unsigned a = 0; a < TERMS; a++)
        decide(terms[a], facts, FACTS, alone[a], may_pass);
    for (unsigned n = 0; n < sizeof forms / sizeof *forms * TERMS * TERMS; n++) {
        const unsigned a = n % TERMS, b = n / TERMS % TERMS, form = n / TERMS / TERMS;
        char text[128];
        snprintf(text, sizeof text, "%s%s%s%s%s", forms[form].before, terms[a], forms[form].between,
                 terms[b], forms[form].after);
        decide(text, facts, FACTS, passes, may_pass);
        for (unsigned f = 0; f < FACTS; f++) {
            const unsigned row = alone[a][f] + 2u * alone[b][f];
            if (passes[f] != (forms[form].truth >> row & 1) || (passes[f] && !may_pass[f]))
                fail_msg("'%s' of fact %u: %d, may %d", text, f, passes[f], may_pass[f]);
            never += !may_pass[f];
            may += may_pass[f] && !passes[f];
        }
    }
    assert_true(never > 100 && may > 100); /* both ways to say no were taken */
    decide("op=read", &facts[6], 1, passes, may_pass);
    assert_false(passes[0]);
    assert_false(may_pass[0]);
}

static bool is_tagged(void *of, const struct fact *f)
{
    (void)f;
    return *(const bool *)of;
}

/* Terms about what the fact does not hold: tags are no matter of its process, and where nobody
 * knows, nothing fits. */
static void callbacks_are_asked(void **state)
{
    (void)state;
    static const char *const filters[] = {"tag", "tag age<5s", "tag | exited", "!tag",
                                          "dt>1ms | level=4 | offset=*"};
    static const bool unknown[] = {false, false, false, true, false},
                      tagged[] = {true, true, true, false, false};
    struct model m;
    bool is_set = true;
    const struct fact_callbacks none = {.of = NULL}, tags = {.of = &is_set, .is_tagged = is_tagged};
    model_init(&m);
    for (unsigned i = 0; i < sizeof filters / sizeof *filters; i++) {
        struct filter f;
        struct filter_error why;
        struct match_cache *const v = match_cache_new();
        const struct fact fact = {.class = FACT_DISK,
                                  .op = OP_READ,
                                  .time = 1000,
                                  .process = model_process(&m, 0, 8, 1000)};
        if (!filter_init(&f, filters[i], NULL, NULL, &why))
            fail_msg("'%s': %s", filters[i], why.text);
        const bool by_nobody = filter_passes_fact(&f, v, &m, NULL, &fact, fact.process),
                   by_none = filter_passes_fact(&f, v, &m, &none, &fact, fact.process),
                   by_tags = filter_passes_fact(&f, v, &m, &tags, &fact, fact.process);
        if (by_nobody != unknown[i] || by_none != unknown[i] || by_tags != tagged[i])
            fail_msg("'%s': %d %d %d", filters[i], by_nobody, by_none, by_tags);
        match_cache_free(v);
        filter_fini(&f);
    }
    model_fini(&m);
}

/* ---- fields of payloads ---- */

/* size i32 ratio from to path numbers[3] */
static bool made_record(void *of, const struct fact *f, struct event *out)
{
    static const uint8_t payload[] = {0x70, 0x11, 1,   0,   0xfb, 0xff, 0xff, 0xff, 0, 0, 0,
                                      0,    0,    0,   4,   0x40, 10,   1,    2,   3, 0, 0,
                                      0,    0,    0,   0,   0,    0,    0,    0,   0, 0, 0,
                                      0,    0,    1,   'C', ':',  '\\', 'x',  0,   7, 0, 8,
                                      0,    9,    0,   0,   0,    0,    0,    0,   0, 0, 0x80};
    (void)of, (void)f;
    *out = (struct event){.kind = HEADER_MANIFEST,
                          .pointer = 8,
                          .payload = payload,
                          .payload_bytes = sizeof payload};
    return true;
}

static bool made_schema(void *of, const struct fact *f, const struct event *e, struct schema *out)
{
    static const struct field fields[] = {
        {.name = "Size", .type = FIELD_U32, .count = 1, .offset32 = -1, .offset64 = -1},
        {.name = "Delta", .type = FIELD_I32, .count = 1, .offset32 = -1, .offset64 = -1},
        {.name = "Ratio", .type = FIELD_F64, .count = 1, .offset32 = -1, .offset64 = -1},
        {.name = "From", .type = FIELD_IPV4, .count = 1, .offset32 = -1, .offset64 = -1},
        {.name = "To", .type = FIELD_IPV6, .count = 1, .offset32 = -1, .offset64 = -1},
        {.name = "Path", .type = FIELD_ASTR, .count = 1, .offset32 = -1, .offset64 = -1},
        {.name = "Parts", .type = FIELD_U16, .count = 3, .offset32 = -1, .offset64 = -1},
        {.name = "Mask", .type = FIELD_HEX64, .count = 1, .offset32 = -1, .offset64 = -1}};
    static const struct payload_layout layout = {.fields = fields, .field_count = 8};
    (void)of, (void)f, (void)e;
    *out = (struct schema){.origin = SCHEMA_TRACE,
                           .layout = &layout,
                           .provider = "Microsoft-Windows-Made.Up",
                           .event = "Task/Do",
                           .message = ""};
    return true;
}

static void fields_of_payloads_are_compared(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        bool passes;
    } rows[] = {
        {".Size=70000", true},       {".Size>64K", true},          {".size<=70000", true},
        {".Size<70000", false},      {".Size=0x11170", true},      {".Size=1..69999", false},
        {".Size=69999.5..", true},   {".Size!=70000", false},      {".Size=7*", true},
        {".Delta=-5", true},         {".Delta<0", true},           {".Delta>-5", false},
        {".Delta>=-5.5", true},      {".Delta=-10..-4", true},     {".Ratio=2.5", true},
        {".Ratio>2", true},          {".Ratio>2.5", false},        {".From=10.0.0.0/8", true},
        {".From=10.1.2.3", true},    {".From=10.*", true},         {".From!=10.0.0.0/8", false},
        {".From=0", false},          {".To=::1", true},            {".To=::/64", true},
        {".To=fe80::/10", false},    {".Path=c:\\x", true},        {".Path:X", false},
        {".Path~x$", true},          {".Path!~x$", false},         {".Parts:8", true},
        {".Parts=8", false},         {".Mask=0x8000000000000000", true},
        {".Mask>9223372036854775807", true},                       {".Mask<1", false},
        {".Nothing=1", false},       {".Nothing!=1", false},       {".Size=*", true},
        {".Nothing=*", false},       {"!.Nothing=*", true},        {"Do.Size=70000", true},
        {"Task.Size=70000", true},   {"made.up.size=70000", true}, {"Made.Size=70000", false},
        {"Made.Up.Do.Size>1", true}, {"Made.Up.Go.Size>1", false},
        {"Microsoft-Windows-Made.Up.Task.Size>1", true},           {".Size=70000 .Delta>0", false},
        {".Size=1 | .Delta<0", true}, {".Size=70000,1", true},     {".Path=\"70000\"", false},
        {".Size=\"70000\"", true},
    };
    const struct fact_callbacks callbacks = {.record = made_record, .schema = made_schema};
    const struct fact fact = {.class = FACT_OTHER};
    struct model m;
    model_init(&m);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct filter f;
        struct filter_error why;
        struct match_cache *const v = match_cache_new();
        if (!filter_init(&f, rows[i].filter, NULL, NULL, &why))
            fail_msg("'%s': %s", rows[i].filter, why.text);
        if (filter_passes_fact(&f, v, &m, &callbacks, &fact, 0) != rows[i].passes)
            fail_msg("'%s': %d", rows[i].filter, !rows[i].passes);
        match_cache_free(v);
        filter_fini(&f);
    }
    model_fini(&m);
}

/* A name alone is known when a built-in layout has it. */
static void fields_of_payloads_are_recognized(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        enum field_by by; /* FIELD_BYS: it is wrong */
    } rows[] = {
        {"daddr=10.*", BY_PAYLOAD},     {"TransferSize>4K", BY_PAYLOAD},
        {"querystatus=0", BY_PAYLOAD},  {".x=1", BY_PAYLOAD},
        {"a.b=1", BY_PAYLOAD},          {"size=1", BY_SIZE},
        {"DestAdress=1", FIELD_BYS},    {".Size>big", FIELD_BYS},
        {".Size<1,2", FIELD_BYS},       {"main.c:12", BY_TEXT},
        {"ntdll.dll", BY_TEXT},         {".gitignore", BY_TEXT},
        {"10.0.0.1", BY_TEXT},          {"...=1", BY_TEXT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct filter f;
        struct filter_error why;
        const bool is_read = filter_init(&f, rows[i].filter, NULL, NULL, &why);
        if (is_read != (rows[i].by != FIELD_BYS) || (is_read && f.terms[0].by != rows[i].by))
            fail_msg("'%s': %s", rows[i].filter, is_read ? "read" : why.text);
        filter_fini(&f);
    }
    struct filter f;
    struct filter_error why;
    assert_false(filter_init(&f, "DestAdress=1", NULL, NULL, &why));
    assert_non_null(strstr(why.text, ".DestAdress"));
    filter_fini(&f);
}

/* Every field of the table is read with a value of its type, and found by its names. */
static void every_field_is_read(void **state)
{
    (void)state;
    static const char *const values[FIELD_DEF_TYPES] = {
        [TYPE_TEXT] = "=x",     [TYPE_NUMBER] = "=4",   [TYPE_TIME] = ">5ms",
        [TYPE_SIZE] = ">=64K",  [TYPE_PERCENT] = ">5%", [TYPE_RATE] = ">5",
        [TYPE_INSTANT] = "=-30s..", [TYPE_ADDRESS] = "=10.0.0.0/8", [TYPE_WORD] = "=", [TYPE_FLAG] = "",
    };
    static const struct filter_span span = {1000000000000, 2000000000000};
    unsigned seen = 0;
    for (const struct field_def *i = field_defs; i->id; i++, seen++) {
        char text[64];
        struct filter f;
        struct filter_error why;
        snprintf(text, sizeof text, "%s%s%s", i->id, values[i->type],
                 i->type == TYPE_WORD ? i->words->word : "");
        if (!filter_init(&f, text, NULL, &span, &why))
            fail_msg("'%s': %s", text, why.text);
        assert_int_equal(f.terms[0].by, i->by);
        assert_ptr_equal(field_def_by(i->by), i);
        assert_ptr_equal(f.terms[0].field, i);
        assert_true(!i->number != !i->get || i->by == BY_TEXT); /* one getter */
        assert_true(!i->number || i->group == GROUP_FACT);
        assert_true(!i->cell || i->cell->text || i->get ||
                    i->cell->type == VALUE_PATH); /* can be shown */
        filter_fini(&f);
    }
    assert_true(seen > 40);
    assert_ptr_equal(field_def_find("latency", 7), field_def_find("lat", 3));
    assert_ptr_equal(field_def_find("name", 4), field_def_find("proc", 4));
    assert_null(field_def_find("la", 2));
}

static void the_unfinished_part_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t at;
        const char *field;
    } cases[] = {
        {"", 0, NULL}, {"pro", 0, NULL}, {"a pro", 2, NULL}, {"!pro", 1, NULL}, {"(pro", 1, NULL},
        {"proc=", 5, "proc"}, {"a op=re", 5, "op"}, {"op=read,wr", 8, "op"}, {"lat>=1", 5, "lat"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct field_def *field;
        const size_t at = filter_unfinished(cases[i].text, strlen(cases[i].text), &field);
        if (at != cases[i].at || (field == NULL) != (cases[i].field == NULL)
            || (field && strcmp(field->id, cases[i].field) != 0))
            fail_msg("'%s': %zu", cases[i].text, at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_found),
        cmocka_unit_test(errors_name_the_place),
        cmocka_unit_test(bounds_are_reported),
        cmocka_unit_test(expressions_give_up),
        cmocka_unit_test(numbers_are_compared),
        cmocka_unit_test(absent_fits_nothing),
        cmocka_unit_test(addresses_are_compared),
        cmocka_unit_test(parts_are_decided_in_their_place),
        cmocka_unit_test(parts_decide_as_one),
        cmocka_unit_test(callbacks_are_asked),
        cmocka_unit_test(fields_of_payloads_are_compared),
        cmocka_unit_test(fields_of_payloads_are_recognized),
        cmocka_unit_test(every_field_is_read),
        cmocka_unit_test(the_unfinished_part_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
