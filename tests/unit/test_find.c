/* Finding and tagging: what is found is what a filter would show, in the order of the rows, and
 * nothing is hidden; a rule tags the same rows. In tables, trees, groups and events. */
#include "tests/play.h"
#include "tests/sanitizer.h"

#include "src/pane/panes.h"

#include <stdio.h>

enum { ROWS = 100000, STEPS = IS_SANITIZED ? 2 : 12 };

struct looked {
    const char *pane, *text;
    bool is_tree;
};

static const struct looked cases[] = {
    {"processes", "svchost", false}, {"processes", "proc=firefox.exe", false},
    {"cpu", "csw>5", false},         {"files", "log", false},
    {"disk", "!sql", false},         {"files", "log", true},
    {"events", "thread", false},     {"events", "proc=firefox.exe size>100", false},
};

static struct frame *ask(const struct play *p, const struct request *wanted)
{
    struct request *const r = stage_request(p->stage, wanted->pane->id);
    const uint64_t sequence = r->sequence;
    const unsigned sort = r->sort;
    *r = *wanted;
    r->sequence = sequence;
    r->sort = sort;
    r->rows = ROWS;
    r->accumulate = true;
    return stage_ask(p->stage);
}

static unsigned count_flag(const struct frame *f, unsigned flag)
{
    unsigned count = 0;
    for (unsigned i = 0; i < f->row_count; i++)
        count += (f->rows[i].flags & flag) != 0;
    return count;
}

/* What was found are the rows that the other frame has, in its order. */
static void expect_found(const struct frame *f, const struct frame *shown)
{
    unsigned at = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        if (!(f->rows[i].flags & ROW_FOUND))
            continue;
        assert_true(at < shown->row_count && row_key_equal(f->rows[i].key, shown->rows[at].key));
        at++;
    }
    assert_int_equal(at, shown->row_count);
}

static struct request request_of(const struct looked *c)
{
    return (struct request){.pane = pane_find(c->pane), .tree = c->is_tree};
}

static void found_is_what_filters_show(void **state)
{
    (void)state;
    struct play p = play_new(61, 1000000000);
    play_all(&p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct request r = request_of(&cases[i]);
        snprintf(r.filter, sizeof r.filter, "%s", cases[i].text);
        struct frame *const shown = ask(&p, &r);
        r = request_of(&cases[i]);
        struct frame *const all = ask(&p, &r);
        snprintf(r.find, sizeof r.find, "%s", cases[i].text);
        snprintf(r.tag, sizeof r.tag, "%s", cases[i].text);
        struct frame *const f = ask(&p, &r);
        assert_int_equal(f->shown, all->shown);
        assert_int_equal(f->hidden, all->hidden);
        assert_int_equal(count_flag(f, ROW_FOUND), count_flag(f, ROW_TAGGED));
        assert_true(count_flag(f, ROW_FOUND) > 0);
        if (!cases[i].is_tree) /* a tree's filter shows folders, too, and finds their names */
            expect_found(f, shown);
        frame_free(shown);
        frame_free(all);
        frame_free(f);
    }
    play_free(&p);
}

/* From one to the next, forwards and back, each once, and around the end. */
static void seeking_meets_each_once(void **state)
{
    (void)state;
    struct play p = play_new(62, 1000000000);
    play_all(&p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct request r = request_of(&cases[i]);
        snprintf(r.find, sizeof r.find, "%s", cases[i].text);
        struct frame *f = ask(&p, &r);
        struct row_key order[400];
        unsigned count = 0;
        for (unsigned n = 0; n < f->row_count && count < 400; n++)
            if (f->rows[n].flags & ROW_FOUND)
                order[count++] = f->rows[n].key;
        const unsigned all = count_flag(f, ROW_FOUND), steps = count < STEPS ? count : STEPS;
        r.seek = SEEK_HERE;
        for (unsigned n = 0; n < steps; n++) {
            frame_free(f);
            f = ask(&p, &r);
            assert_true(f->is_sought && f->has_found);
            assert_int_equal(f->found_count, all);
            assert_true(row_key_equal(f->found, order[n]));
            assert_true(f->anchor_row >= 0 && row_key_equal(f->rows[f->anchor_row].key, f->found));
            r.has_anchor = true;
            r.anchor = f->found;
            r.seek = SEEK_NEXT;
        }
        r.seek = SEEK_PREVIOUS;
        r.anchor = order[0];
        frame_free(f);
        f = ask(&p, &r);
        if (count < 400) /* around the beginning */
            assert_true(row_key_equal(f->found, order[count - 1]));
        frame_free(f);
        snprintf(r.find, sizeof r.find, "nobody-is-called-that");
        f = ask(&p, &r);
        assert_true(f->is_sought && !f->has_found && !f->found_count);
        frame_free(f);
    }
    play_free(&p);
}

static void groups_are_found_by_name(void **state)
{
    (void)state;
    struct play p = play_new(63, 1000000000);
    play_all(&p);
    struct request r = {
        .pane = pane_find("processes"), .group = GROUPED_BY_NAME, .seek = SEEK_HERE};
    snprintf(r.find, sizeof r.find, "firefox");
    struct frame *const f = ask(&p, &r);
    assert_int_equal(count_flag(f, ROW_FOUND), 1);
    assert_int_equal(f->found_count, 1);
    frame_free(f);
    play_free(&p);
}

/* Accounts and sessions with their processes: each process once in either. */
static void users_are_all_reported(void **state)
{
    (void)state;
    struct play p = play_new(64, 1000000000);
    play_all(&p);
    struct request r = {.pane = pane_find("processes"), .about = ABOUT_USERS};
    struct frame *const f = ask(&p, &r);
    const struct column *const c = pane_column(r.pane, "user");
    unsigned reported = 0, counted = 0, sessions = 0;
    for (unsigned i = 0; i < f->field_count; i++) {
        const unsigned n = (unsigned)atoi(f->arena + f->fields[i].text.text.offset);
        const bool is_session =
            strncmp(f->arena + f->fields[i].name.text.offset, "session ", 8) == 0;
        *(is_session ? &sessions : &reported) += n;
    }
    for (unsigned i = 0; i < f->row_count; i++)
        counted += f->rows[i].cells[c - r.pane->columns].type != VALUE_ABSENT;
    assert_int_equal(f->about, ABOUT_USERS);
    assert_true(reported >= counted && counted > 20 && sessions > 20);
    frame_free(f);
    play_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_is_what_filters_show),
        cmocka_unit_test(seeking_meets_each_once),
        cmocka_unit_test(groups_are_found_by_name),
        cmocka_unit_test(users_are_all_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
