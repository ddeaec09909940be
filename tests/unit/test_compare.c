/* Comparing: a difference is B less A, exactly; what changed has the values that the panes
 * themselves show; grouped rows add up to the header and to their members. */
#include "tests/play.h"

#include "src/pane/panes.h"
#include "src/table/difference.h"

#include <math.h>
#include <stdio.h>

enum { PLACES = 1 << 16 };

static const int64_t SECOND = 1000000000;

/* The n-th second of what was played, as a range. */
static void set_second(struct request *r, int64_t n)
{
    r->from_ns = PLAY_START_NS + n * SECOND - 1;
    r->to_ns = r->from_ns + SECOND;
}

static const struct frame_row *row_of(const struct frame *f, struct row_key key)
{
    for (unsigned i = 0; i < f->row_count; i++)
        if (row_key_equal(f->rows[i].key, key))
            return &f->rows[i];
    return NULL;
}

/* What a row would show had nothing happened. */
static struct value or_nothing(const struct frame_row *r, size_t column, struct value like, bool is_sum)
{
    if (r)
        return r->cells[column];
    if (like.type == VALUE_TIME && !is_sum)
        return value_absent();
    return (struct value){.type = like.type};
}

static bool is_same(struct value a, struct value b)
{
    return a.type == b.type && (a.type == VALUE_ABSENT || a.count == b.count);
}

static void expect_difference(const struct frame *d, const struct frame *a, const struct frame *b)
{
    const struct pane *const p = d->pane;
    unsigned compared = 0;
    for (unsigned i = 0; i < d->row_count; i++) {
        const struct frame_row *const was = row_of(a, d->rows[i].key), *const is = row_of(b, d->rows[i].key);
        assert_true(was || is);
        for (size_t c = 0; c < p->column_count; c++) {
            if (!column_has_difference(&p->columns[c]) || !p->columns[c].measure)
                continue;
            const struct value like = was ? was->cells[c] : is->cells[c];
            const bool is_sum = p->columns[c].flags & COLUMN_SUMS;
            const struct value wanted =
                value_difference(or_nothing(is, c, like, is_sum), or_nothing(was, c, like, is_sum));
            /* A ratio of nothing is absent where the row is new: then so is its difference. */
            if (!is_same(wanted, d->rows[i].cells[c]) && (was && is))
                fail_msg("%s: %s: wanted %g, shown %g", p->id, p->columns[c].id, value_signed(wanted),
                         value_signed(d->rows[i].cells[c]));
            if (p->columns[c].flags & COLUMN_SUMS)
                assert_true(is_same(wanted, d->rows[i].cells[c]));
            compared += value_signed(wanted) != 0;
        }
    }
    assert_true(compared > 0 || d->row_count == 0);
    for (size_t c = 0; c < p->column_count; c++)
        if (p->columns[c].flags & COLUMN_SUMS)
            assert_true(is_same(value_difference(b->totals[c], a->totals[c]), d->totals[c]));
}

static unsigned rows_of_either(const struct frame *a, const struct frame *b)
{
    unsigned count = b->row_count;
    for (unsigned i = 0; i < a->row_count; i++)
        count += !row_of(b, a->rows[i].key);
    return count;
}

static void differences_are_exact(void **state)
{
    (void)state;
    struct play p = play_new(51, SECOND);
    unsigned panes_seen = 0;
    play_all(&p);
    for (unsigned n = 0; panes[n]; n++) {
        if (panes[n]->view != PANE_TABLE || panes[n]->has_images)
            continue;
        struct request r = {.pane = panes[n]};
        set_second(&r, 1);
        struct frame *const a = play_ask(&p, &r);
        r.base_from_ns = r.from_ns;
        r.base_to_ns = r.to_ns;
        set_second(&r, 4);
        struct frame *const d = play_ask(&p, &r);
        r.base_from_ns = r.base_to_ns = 0;
        struct frame *const b = play_ask(&p, &r);
        assert_int_equal(d->base_to - d->base_from, SECOND);
        assert_int_equal(b->base_to, 0);
        assert_int_equal(d->row_count, rows_of_either(a, b));
        expect_difference(d, a, b);
        panes_seen += d->row_count > 0;
        frame_free(a);
        frame_free(b);
        frame_free(d);
    }
    assert_true(panes_seen > 8);
    play_free(&p);
}

/* Sorted by size, whichever the sign. */
static void differences_sort_by_size(void **state)
{
    (void)state;
    struct play p = play_new(52, SECOND);
    play_all(&p);
    struct request r = {.pane = pane_find("processes")};
    r.sort = (unsigned)(pane_column(r.pane, "csw") - r.pane->columns);
    set_second(&r, 2);
    r.base_from_ns = r.from_ns;
    r.base_to_ns = r.to_ns;
    set_second(&r, 5);
    struct frame *const f = play_ask(&p, &r);
    bool has_less = false, has_more = false;
    for (unsigned i = 0; i < f->row_count; i++) {
        const double now = f->rows[i].cells[r.sort].number;
        has_less |= now < 0;
        has_more |= now > 0;
        assert_true(i == 0 || fabs(now) <= fabs(f->rows[i - 1].cells[r.sort].number));
    }
    assert_true(has_less && has_more);
    frame_free(f);
    play_free(&p);
}

/* ---- what changed -------------------------------------------------------------------------- */

static void movers_are_what_panes_show(void **state)
{
    (void)state;
    struct play p = play_new(53, SECOND);
    play_all(&p);
    struct request r = {.pane = pane_find("changes")};
    set_second(&r, 6);
    r.base_from_ns = PLAY_START_NS - 1;
    r.base_to_ns = r.from_ns;
    struct frame *const f = play_ask(&p, &r);
    assert_true(f->row_count > 20);
    assert_int_equal(f->now_to, r.to_ns);
    assert_int_equal(f->base_from, r.base_from_ns);
    unsigned compared = 0;
    double last = 101;
    for (unsigned i = 0; i < f->row_count && compared < 40; i++) {
        const double score = cell(f, i, "score").number;
        assert_true(score <= last && score > 0 && score <= 100);
        last = score;
        struct request of = {.pane = f->rows[i].of_pane};
        assert_non_null(of.pane);
        for (unsigned side = 0; side < 2; side++) {
            of.from_ns = side ? r.from_ns : r.base_from_ns;
            of.to_ns = side ? r.to_ns : r.base_to_ns;
            struct frame *const whole = play_ask(&p, &of);
            const struct frame_row *const row = row_of(whole, f->rows[i].of);
            const struct value shown = cell(f, i, side ? "now" : "before"), column = cell(f, i, "column");
            for (size_t c = 0; row && c < of.pane->column_count; c++) {
                const char *const title = of.pane->columns[c].title;
                if (strlen(title) != column.text.bytes
                    || strncmp(title, f->arena + column.text.offset, column.text.bytes) != 0)
                    continue;
                assert_true(row->cells[c].type == VALUE_ABSENT
                            || fabs(value_signed(row->cells[c]) - value_signed(shown))
                                   <= 1e-3 * fabs(value_signed(shown)));
                compared++;
            }
            assert_true(row || value_signed(shown) == 0);
            frame_free(whole);
        }
    }
    assert_true(compared >= 40);
    frame_free(f);
    play_free(&p);
}

/* ---- groups -------------------------------------------------------------------------------------- */

static double number_of(struct value v)
{
    return v.type == VALUE_ABSENT ? 0 : value_signed(v);
}

static void groups_add_up(void **state)
{
    (void)state;
    struct play p = play_new(54, SECOND);
    unsigned smaller = 0;
    play_all(&p);
    for (unsigned n = 0; panes[n]; n++) {
        if (panes[n]->view != PANE_TABLE || !panes[n]->process_part)
            continue;
        struct request r = {.pane = panes[n], .accumulate = true};
        struct frame *const alone = play_ask(&p, &r);
        for (r.group = GROUPED_NOT + 1; r.group < GROUPINGS; r.group++) {
            struct frame *const f = play_ask(&p, &r);
            assert_true(f->row_count <= alone->row_count);
            smaller += f->row_count < alone->row_count;
            for (size_t c = 0; c < panes[n]->column_count; c++) {
                if (!(panes[n]->columns[c].flags & COLUMN_SUMS))
                    continue;
                double sum = 0;
                for (unsigned i = 0; i < f->row_count; i++)
                    sum += number_of(f->rows[i].cells[c]);
                const double all = number_of(f->totals[c]);
                if (fabs(sum - all) > 1e-9 * fabs(all) + 1e-9)
                    fail_msg("%s: %s: groups have %.12g, the header %.12g", panes[n]->id,
                             panes[n]->columns[c].id, sum, all);
                assert_true(is_same(f->totals[c], alone->totals[c]));
            }
            frame_free(f);
        }
        frame_free(alone);
    }
    assert_true(smaller > 10);
    play_free(&p);
}

static bool is_named(const struct frame *f, unsigned row, const char *name)
{
    const struct value v = cell(f, row, "name");
    const char *const text = f->arena + v.text.offset;
    const size_t bytes = strlen(name);
    return v.text.bytes >= bytes && memcmp(text, name, bytes) == 0
           && (v.text.bytes == bytes || text[bytes] == ' ');
}

/* Connections to one host share a row, whatever their ports and processes; behind it there are
 * their events alone. */
static void connections_group_by_host(void **state)
{
    (void)state;
    struct play p = play_new(57, SECOND);
    play_all(&p);
    struct request r = {.pane = pane_find("network"), .accumulate = true};
    struct frame *const alone = play_ask(&p, &r);
    r.group = GROUPED_BY_HOST;
    struct frame *const f = play_ask(&p, &r);
    assert_true(f->row_count > 1 && f->row_count < alone->row_count);
    unsigned compared = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        const struct value v = cell(f, i, "raddr");
        char host[80], ends[128];
        snprintf(host, sizeof host, "%.*s", (int)v.text.bytes, f->arena + v.text.offset);
        if (f->rows[i].crumb != CRUMB_GROUP || !strchr(host, '('))
            continue; /* of one connection, or the rest */
        *strchr(host, ' ') = '\0';
        double packets = 0;
        unsigned members = 0;
        for (unsigned k = 0; k < alone->row_count; k++) {
            const struct value end = cell(alone, k, "raddr");
            snprintf(ends, sizeof ends, "%.*s", (int)end.text.bytes,
                     alone->arena + end.text.offset);
            const bool is_v6 = ends[0] == '[';
            const size_t bytes = strlen(host);
            if (strncmp(ends + is_v6, host, bytes) != 0 ||
                ends[is_v6 + bytes] != (is_v6 ? ']' : ':'))
                continue;
            members++;
            packets += number_of(cell(alone, k, "packets"));
        }
        compared++;
        assert_true(members > 1);
        assert_true(fabs(packets - number_of(cell(f, i, "packets"))) < 1e-6 * packets);
    }
    assert_true(compared > 1);
    struct request inside = {.pane = pane_find("network"), .accumulate = true, .crumb_count = 1};
    inside.crumbs[0] = (struct crumb){.kind = CRUMB_GROUP, .key = f->rows[0].key};
    struct frame *const behind = play_ask(&p, &inside);
    assert_true(behind->row_count >= 1 && behind->row_count < alone->row_count);
    assert_true(fabs(number_of(total(behind, "packets")) - number_of(cell(f, 0, "packets"))) <
                1e-6);
    frame_free(alone);
    frame_free(f);
    frame_free(behind);
    play_free(&p);
}

/* Behind a group there is what belongs to its processes, and its crumb says its name. */
static void groups_open(void **state)
{
    (void)state;
    struct play p = play_new(55, SECOND);
    play_all(&p);
    struct request r = {.pane = pane_find("processes"), .accumulate = true, .group = GROUPED_BY_NAME};
    struct frame *const f = play_ask(&p, &r);
    unsigned at = 0;
    while (at < f->row_count && !is_named(f, at, "firefox.exe"))
        at++;
    assert_true(at < f->row_count);
    assert_int_equal(f->rows[at].crumb, CRUMB_GROUP);
    struct request inside = {.pane = pane_find("processes"), .accumulate = true, .crumb_count = 1};
    inside.crumbs[0] = (struct crumb){.kind = CRUMB_GROUP, .key = f->rows[at].key};
    struct frame *const g = play_ask(&p, &inside);
    assert_true(g->row_count > 1);
    for (unsigned i = 0; i < g->row_count; i++)
        assert_true(is_named(g, i, "firefox.exe"));
    assert_int_equal(g->crumbs[0].name.text.bytes, strlen("firefox.exe"));
    const double whole = cell(f, at, "csw").number, sum = total(g, "csw").number;
    assert_true(fabs(whole - sum) <= 1e-6 * whole);
    frame_free(f);
    frame_free(g);
    play_free(&p);
}

/* ---- the system's own ------------------------------------------------------------------------- */

static void system_is_left_out(void **state)
{
    (void)state;
    struct play p = play_new(56, SECOND);
    play_all(&p);
    struct request r = {.pane = pane_find("processes"), .accumulate = true};
    struct frame *const all = play_ask(&p, &r);
    r.hides = HIDE_SYSTEM;
    struct frame *const f = play_ask(&p, &r);
    assert_true(f->hidden >= 2 && f->row_count + f->hidden == all->row_count);
    for (unsigned i = 0; i < f->row_count; i++)
        assert_true(cell(f, i, "pid").type == VALUE_ABSENT
                    || (cell(f, i, "pid").count != 0 && cell(f, i, "pid").count != 4));
    double sum = 0;
    for (unsigned i = 0; i < f->row_count; i++)
        sum += number_of(cell(f, i, "csw"));
    assert_true(fabs(sum - number_of(total(f, "csw"))) < 1e-6 * sum);
    assert_true(number_of(total(f, "csw")) < number_of(total(all, "csw")));
    frame_free(all);
    frame_free(f);
    play_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_exact),      cmocka_unit_test(differences_sort_by_size),
        cmocka_unit_test(movers_are_what_panes_show), cmocka_unit_test(groups_add_up),
        cmocka_unit_test(connections_group_by_host),  cmocka_unit_test(groups_open),
        cmocka_unit_test(system_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
