/* Names of fields of payloads that completion and columns offer: those of real traces, with as many
 * events as a dump has lines with them; and whatever names a trace thinks up. */
#include "tests/sanitizer.h"
#include "tests/shared.h"
#include "tests/test.h"

#include "collectors/collectors.h"
#include "src/base/mem.h"
#include "src/command/session.h"
#include "src/export/dump.h"
#include "src/filter/filter.h"
#include "src/model/model.h"
#include "src/pane/panes.h"
#include "src/view/inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct session *start(const char *file)
{
    struct err err;
    const struct session_options o = {.kind = &collector_etl,
                                      .collector = {.files = &file, .file_count = 1},
                                      .ring_bytes = 64 << 20,
                                      .interval_ns = 1000000000};
    struct session *const s = session_start(&o, &err);
    if (!s)
        fail_msg("%s", err.text);
    return s;
}

static struct frame *seen_in(struct session *s, const char *begin)
{
    static uint64_t sequence;
    struct request r;
    memset(&r, 0, sizeof r);
    r.pane = pane_find("processes");
    r.rows = 1;
    r.sequence = ++sequence;
    r.about = ABOUT_SEEN;
    snprintf(r.seen, sizeof r.seen, "%s", begin);
    engine_request(s->engine, &r);
    struct frame *const f = engine_wait_frame(s->engine, sequence, true, PATIENCE_NS);
    assert_non_null(f);
    assert_int_equal(f->about, ABOUT_SEEN);
    return f;
}

static void copy(const struct frame *f, const struct value *v, char *out, size_t room)
{
    assert_int_equal(v->type, VALUE_TEXT);
    snprintf(out, room, "%.*s", (int)v->text.bytes, f->arena + v->text.offset);
}

/* How many events have it, as the frame says; UINT64_MAX: it is not offered. */
static uint64_t events_with(const struct frame *f, const char *name)
{
    char text[SEEN_MAX], number[32];
    for (unsigned i = 0; i < f->field_count; i++) {
        copy(f, &f->fields[i].name, text, sizeof text);
        copy(f, &f->fields[i].text, number, sizeof number);
        if (strcmp(text, name) == 0)
            return strtoull(number, NULL, 10);
    }
    return UINT64_MAX;
}

/* Lines of the dump that hold all of the texts. */
static uint64_t lines_with(const char *file, const char *a, const char *b)
{
    enum { LINE_MOST = 1 << 20 };
    const struct dump_options o = {.files = &file, .file_count = 1};
    FILE *const out = tmpfile();
    char *const line = mem_new(LINE_MOST, 1);
    uint64_t found = 0;
    assert_non_null(out);
    assert_int_equal(dump_run(&o, out, stderr), 0);
    rewind(out);
    while (fgets(line, LINE_MOST, out))
        found += strstr(line, a) && strstr(line, b);
    free(line);
    fclose(out);
    return found;
}

static const struct offered {
    const char *file, *begin, *name, *line, *line_too;
} offered[] = {
    {"perfview-gcevents.etl", "dep", "Depth", "\"Depth\":", ""},
    {"perfview-gcevents.etl", ".dep", ".Depth", "\"Depth\":", ""},
    {"perfview-gcevents.etl", "dotnetruntime.garbagecollection.",
     "DotNETRuntime.GarbageCollection.Depth", "\"Depth\":", "/GarbageCollection/"},
    {"perfview-net.4.5.2.x64.etl.zst", "HeapN", "HeapNum", "\"HeapNum\":", ""},
    {"perfview-net.4.5.2.x64.etl.zst", "Threa", "Thread.", "", "\"event\":\"Thread/"},
    {"perfview-net.4.5.2.x64.etl.zst", "Thread.dcs", "Thread.DCStart.", "",
     "\"event\":\"Thread/DCStart\""},
    {"tx-Process.etl.zst", "imagen", "ImageName", "\"ImageName\":", ""},
    {"etwanalyzer-TraceLoggingTester.etl.zst", "ModuleIL", "ModuleILPath", "\"ModuleILPath\":", ""},
};

static void seen_names_have_their_events(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof offered / sizeof *offered; i += IS_SANITIZED ? 3 : 1) {
        const struct offered *const o = &offered[i];
        char path[256];
        snprintf(path, sizeof path, "../shared/etl/%s", o->file);
        glob_t found = shared_files(path);
        globfree(&found);
        struct session *const s = start(path);
        struct frame *const f = seen_in(s, o->begin);
        const uint64_t expected = lines_with(path, o->line, o->line_too),
                       seen = events_with(f, o->name);
        print_message("%s: %s: %s: %" PRIu64 ", lines %" PRIu64 "\n", o->file, o->begin, o->name,
                      seen, expected);
        assert_true(expected > 0);
        assert_int_equal(seen, expected);
        frame_free(f);
        session_stop(s);
        session_free(s);
    }
}

/* ---- hostile names ---- */

enum { KINDS = 20000, FIELDS = 100, LONG = 1000 };

static char longest[LONG + 1];
static const char *const odd_names[] = {"",         "two words", "a.b",   "\x1b[2J",  "1st",
                                        "a=b",      "x\ny",      "daddr", "\xff\xfe", longest,
                                        "harmless", "size",      "\xe2\x80\xaex"};

/* Whatever providers and fields are called, and however many there are. */
static void names_are_bounded_and_readable(void **state)
{
    (void)state;
    memset(longest, 'l', LONG);
    char(*const names)[16] = mem_new(FIELDS, sizeof *names);
    struct field *const fields = mem_new(FIELDS, sizeof *fields);
    const struct payload_layout layout = {.fields = fields, .field_count = FIELDS};
    struct model *const m = mem_new(1, sizeof *m);
    m->kinds = mem_new(KINDS, sizeof *m->kinds);
    m->kind_count = KINDS;
    for (unsigned i = 0; i < FIELDS; i++) {
        const unsigned odd = sizeof odd_names / sizeof *odd_names;
        snprintf(names[i], sizeof names[i], "made%u", i);
        fields[i].name = i < odd ? odd_names[i] : names[i];
    }
    for (unsigned i = 0; i < KINDS; i++)
        m->kinds[i] = (struct kind){.class_name = odd_names[i % 13],
                                    .event_name = i % 3 ? odd_names[i % 11] : "Task/Op",
                                    .named_layout = i % 5 ? &layout : NULL,
                                    .events = UINT64_C(1) << 40};
    static const char *const typed[] = {"", "m", ".", "l", "harmless.", "Task.", "harmless.Task.",
                                        "\x1b", "two words", "harmless.two", "..", "daddr.daddr."};
    for (unsigned i = 0; i < sizeof typed / sizeof *typed; i++) {
        struct view *const v = mem_new(1, sizeof *v);
        struct frame_maker maker;
        uint64_t before = UINT64_MAX;
        v->model = m;
        snprintf(v->request.seen, sizeof v->request.seen, "%s", typed[i]);
        maker_init(&maker, 0, 0);
        view_fill_seen(v, &maker);
        struct frame *const f = maker_take(&maker);
        print_message("'%s': %u\n", i == 7 ? "ESC" : typed[i], f->field_count);
        assert_in_range(f->field_count, 0, SEEN_NAMES);
        for (unsigned k = 0; k < f->field_count; k++) {
            char name[2 * SEEN_MAX], number[32], as_field[2 * SEEN_MAX + 2];
            copy(f, &f->fields[k].name, name, sizeof name);
            copy(f, &f->fields[k].text, number, sizeof number);
            const size_t bytes = strlen(name);
            assert_in_range(bytes, 1, SEEN_MAX - 1);
            snprintf(as_field, sizeof as_field, "%s%s", name, name[bytes - 1] == '.' ? "x" : "");
            assert_true(filter_reads_name(as_field));
            strncat(as_field, "=1", 3);
            assert_true(filter_check(as_field, NULL, NULL));
            assert_true(strtoull(number, NULL, 10) <= before);
            before = strtoull(number, NULL, 10);
        }
        const bool has_names = i == 1 || i == 2 || i == 4 || i == 5 || i == 6;
        assert_true(!has_names || f->field_count > 0);
        frame_free(f);
        free(v);
    }
    free(m->kinds);
    free(m);
    free(fields);
    free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(seen_names_have_their_events),
                                       cmocka_unit_test(names_are_bounded_and_readable)};
    return cmocka_run_group_tests_name("seen", tests, NULL, NULL);
}
