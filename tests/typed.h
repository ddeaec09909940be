/* Columns of built-in panes as the lines that one types for them: each row of the pane is what the
 * query says of the same key. Both are asked of one engine, the pane as events came, the query of
 * the kept ones.
 *
 *     typed_compare(engine, &compared);    how many differ; prints which */
#ifndef TESTS_TYPED_H
#define TESTS_TYPED_H

#include "tests/test.h"

#include "src/engine/engine.h"
#include "src/pane/panes.h"
#include "src/pane/query_pane.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The pane, its columns that name a row, the columns that the query's aggregates are. */
struct typed_line {
    const char *pane, *keys, *columns, *query;
};

#define MOVES "where class=disk,network op=read,write,send,receive"
#define SOFT  "fault=transition,zero,copy,guard,soft"

/* Not here, for they are no sums of a field: service times of disks (disk.sum_time, diskfiles),
 * what of two amounts is more (memory.net), who lives, and figures of .NET. cpu.pmc has no amount.
 */
static const struct typed_line typed_lines[] = {
    {"processes", "pid", "csw ready cpu_time",
     "by pid | rate, rate lat, sum run where class=switch"},
    {"processes", "pid", "sum_time", "by pid | sum run"},
    {"processes", "pid", "disk_read", "by pid | rate size where class=disk op=read"},
    {"processes", "pid", "disk_write", "by pid | rate size where class=disk op=write"},
    {"processes", "pid", "net_recv", "by pid | rate size where class=network op=receive"},
    {"processes", "pid", "net_send", "by pid | rate size where class=network op=send"},
    {"processes", "pid", "registry", "by pid | rate where class=registry"},
    {"processes", "pid", "hard_faults", "by pid | rate where fault=hard"},
    {"processes", "pid", "faults", "by pid | rate where " SOFT},
    {"processes", "pid", "sum_ops sum_bytes", "by pid | count, sum size " MOVES},
    {"processes", "pid", "samples", "by pid | count where class=sample"},
    {"processes", "pid", "file_ops", "by pid | rate where class=file"},
    {"processes", "pid", "calls", "by pid | rate where class=syscall"},
    {"processes", "pid", "alloc", "by pid | rate size where op=alloc class=memory"},
    {"processes", "pid", "events", "by pid, event | rate"},
    {"cpu", "tid", "csw ready sum_ops", "by tid | rate, rate lat, count where class=switch"},
    {"cpu", "tid", "run", "by tid | rate run where class=switch"},
    {"cpu", "tid", "sum_time", "by tid | sum run"},
    {"cpu", "tid", "wait wakes", "by tid | rate lat, rate where class=ready"},
    {"cpu", "tid", "samples", "by tid | count where class=sample"},
    {"disk", "disk pid", "total sum_bytes", "by disk, pid | rate size, sum size"},
    {"disk", "disk pid", "ops", "by disk, pid | count"},
    {"disk", "disk pid", "reads read", "by disk, pid | rate, rate size where op=read"},
    {"disk", "disk pid", "writes write", "by disk, pid | rate, rate size where op=write"},
    {"disk", "disk pid", "flushes", "by disk, pid | rate where op=flush"},
    {"disk", "disk pid", "slow", "by disk, pid | rate where lat>=10ms"},
    {"diskfiles", "path disk", "ops total", "by path, disk | count, rate size where class=disk"},
    {"diskfiles", "path disk", "reads", "by path, disk | rate where class=disk op=read"},
    {"diskfiles", "path disk", "writes", "by path, disk | rate where class=disk op=write"},
    {"files", "path", "ops sum_ops", "by path | rate, count where class=file"},
    {"files", "path", "sum_bytes", "by path | sum size where class=file op=read,write"},
    {"files", "path", "sum_time", "by path | sum lat where class=file"},
    {"files", "path", "opens", "by path | rate where class=file op=open,create"},
    {"files", "path", "read", "by path | rate size where class=file op=read"},
    {"files", "path", "write", "by path | rate size where class=file op=write"},
    {"files", "path", "errors", "by path | rate where class=file failed"},
    {"files", "path", "enums", "by path | rate where class=file op=enum"},
    {"files", "path", "renames", "by path | rate where class=file op=rename"},
    {"files", "path", "deletes", "by path | rate where class=file op=delete"},
    {"fileusers", "pid", "ops sum_ops", "by pid | rate, count where class=file"},
    {"fileusers", "pid", "sum_bytes", "by pid | sum size where class=file op=read,write"},
    {"fileusers", "pid", "errors", "by pid | rate where class=file failed"},
    {"network", "raddr pid", "recv", "by connid, pid | rate size where op=receive"},
    {"network", "raddr pid", "send", "by connid, pid | rate size where op=send"},
    {"network", "raddr pid", "total packets sum_ops bytes",
     "by connid, pid | rate size, rate, count, sum size where op=send,receive"},
    {"network", "raddr pid", "retr", "by connid, pid | rate where retr"},
    {"network", "raddr pid", "connects", "by connid, pid | rate where op=connect,accept"},
    {"network", "raddr pid", "fails", "by connid, pid | rate where op=fail"},
    {"registry", "key pid", "ops sum_ops sum_time", "by key, pid | rate, count, sum lat"},
    {"registry", "key pid", "queries", "by key, pid | rate where op=query"},
    {"registry", "key pid", "sets", "by key, pid | rate where op=set"},
    {"registry", "key pid", "enums", "by key, pid | rate where op=enum"},
    {"registry", "key pid", "opens", "by key, pid | rate where op=open,create"},
    {"registry", "key pid", "deletes", "by key, pid | rate where op=delete"},
    {"memory", "pid", "hard hard_bytes sum_bytes sum_time",
     "by pid | rate, rate size, sum size, sum lat where fault=hard"},
    {"memory", "pid", "zero", "by pid | rate where fault=zero"},
    {"memory", "pid", "transition", "by pid | rate where fault=transition"},
    {"memory", "pid", "copy", "by pid | rate where fault=copy"},
    {"memory", "pid", "guard", "by pid | rate where fault=guard"},
    {"memory", "pid", "soft", "by pid | rate where " SOFT},
    {"memory", "pid", "violation", "by pid | rate where fault=violation"},
    {"memory", "pid", "alloc", "by pid | rate size where op=alloc class=memory"},
    {"memory", "pid", "free", "by pid | rate size where op=free class=memory"},
    {"memory", "pid", "sum_ops", "by pid | count where fault=hard | " SOFT},
    {"faults", "address kind path", "count read",
     "by VirtualAddress, op, path | count, sum size where class=fault"},
    {"memory", "pid", "images", "by pid | rate where class=image op=start"},
    {"interrupts", "routine", "count time sum_ops sum_time",
     "by routine | rate, rate lat, count, sum lat"},
    {"interrupts", "routine", "over", "by routine | rate where lat>100us"},
    {"interrupts", "routine", "far_over", "by routine | rate where lat>500us"},
    {"calls", "call", "calls sum_ops time sum_time", "by call | rate, count, rate lat, sum lat"},
    {"calls", "call", "errors", "by call | rate where failed"},
    {"callers", "pid", "calls sum_ops time sum_time",
     "by pid | rate, count, rate lat, sum lat where class=syscall"},
    {"callers", "pid", "errors", "by pid | rate where class=syscall failed"},
    {"rates", "provider event", "rate count", "by event | rate, count"},
    {"opens", "pid", "opens count", "by pid | rate, count where class=file op=open,create"},
    {"retransmits", "raddr", "retr count sent", "by raddr | rate, count, sum size where retr"},
    {"slow_io", "path disk", "ops moved time",
     "by path, disk | count, sum size, sum lat where class=disk lat>=10ms"},
    {"wakers", "waker", "wakes", "by waker | rate where class=ready"},
    {"allocations", "type", "rate bytes count",
     "by TypeName | rate AllocationAmount64, sum AllocationAmount64, count where op=alloc"},
    {"exceptions", "type message", "rate count",
     "by ExceptionType, ExceptionMessage | rate, count where op=throw"},
};

struct typed_cell {
    char key[600];
    double amount;
};

static int typed_order(const void *a, const void *b)
{
    return strcmp(((const struct typed_cell *)a)->key, ((const struct typed_cell *)b)->key);
}

static double typed_amount(const struct value *v)
{
    switch (v->type) {
    case VALUE_ABSENT:
        return 0;
    case VALUE_TIME:
        return (double)v->ns;
    case VALUE_COUNT:
    case VALUE_BYTES:
        return (double)v->count;
    default:
        return v->number;
    }
}

static void typed_name(const struct frame *f, const struct value *v, char *out, size_t room)
{
    if (v->type == VALUE_ID)
        snprintf(out, room, "%llu", (unsigned long long)v->count);
    else if (v->type == VALUE_ABSENT)
        snprintf(out, room, "(unknown)");
    else
        snprintf(out, room, "%.*s", (int)v->text.bytes, f->arena + v->text.offset);
    if (strncmp(out, "(unknown ", 9) == 0) /* rows tell them apart, queries do not */
        snprintf(out, room, "(unknown)");
}

/* The column's amounts by key, in order; keys that are there twice are added up. */
static struct typed_cell *typed_cells(const struct frame *f, const unsigned *keys, unsigned count,
                                      unsigned column, unsigned *out)
{
    struct typed_cell *const cells = calloc(f->row_count + 1, sizeof *cells);
    unsigned n = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        char *const key = cells[n].key;
        for (unsigned k = 0; k < count; k++) {
            const size_t used = strlen(key);
            snprintf(key + used, sizeof cells[n].key - used, "%s", k ? "/" : ""); /* as events */
            typed_name(f, &f->rows[i].cells[keys[k]], key + used + (k > 0),
                       sizeof cells[n].key - used - (k > 0));
        }
        cells[n].amount = typed_amount(&f->rows[i].cells[column]);
        if (cells[n].amount != 0)
            n++;
        else
            key[0] = '\0';
    }
    qsort(cells, n, sizeof *cells, typed_order);
    unsigned kept = 0;
    for (unsigned i = 0; i < n; i++)
        if (kept && strcmp(cells[kept - 1].key, cells[i].key) == 0)
            cells[kept - 1].amount += cells[i].amount;
        else
            cells[kept++] = cells[i];
    *out = kept;
    return cells;
}

/* Numbers of columns from their names, apart by blanks. */
static unsigned typed_columns(const struct pane *p, const char *names, unsigned *out)
{
    unsigned count = 0;
    char name[32];
    for (const char *at = names; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
        const struct column *const c = pane_column(p, name);
        if (!c)
            fail_msg("pane %s has no column %s", p->id, name);
        out[count++] = (unsigned)(c - p->columns);
    }
    return count;
}

static struct frame *typed_ask(struct engine *e, const struct pane *p)
{
    static uint64_t sequence = 70000;
    struct request r = {.sequence = ++sequence, .pane = p, .rows = 1 << 20, .accumulate = true};
    engine_request(e, &r);
    struct frame *const f = engine_wait_frame(e, r.sequence, true, 240000000000);
    assert_non_null(f);
    return f;
}

static bool typed_is_same(double a, double b)
{
    return fabs(a - b) <= 1e-6 + fabs(a) * 1e-9;
}

/* Prints the first three keys that differ. */
static bool typed_same(const struct typed_line *l, const char *column, const struct typed_cell *a,
                       unsigned a_count, const struct typed_cell *b, unsigned b_count)
{
    unsigned wrong = 0;
    for (unsigned i = 0, k = 0; i < a_count || k < b_count;) {
        const int order = i == a_count ? 1 : k == b_count ? -1 : typed_order(&a[i], &b[k]);
        const double shown = order <= 0 ? a[i].amount : 0, typed = order >= 0 ? b[k].amount : 0;
        if (!typed_is_same(shown, typed) && wrong++ < 3)
            print_message("%s.%s of %s: %.6f shown, %.6f by \"%s\"\n", l->pane, column,
                          order <= 0 ? a[i].key : b[k].key, shown, typed, l->query);
        i += order <= 0;
        k += order >= 0;
    }
    return !wrong;
}

/* One line; adds the rows that were compared, returns how many columns differ. */
static unsigned typed_compare_line(struct engine *e, const struct typed_line *l, uint64_t *compared)
{
    struct query q;
    struct err err = {""};
    const struct pane *const p = pane_find(l->pane);
    const struct pane *const typed =
        query_parse(&q, l->query, &err) ? query_pane_new(&q, &err) : NULL;
    unsigned keys[QUERY_KEYS], columns[QUERY_AGGREGATES], wrong = 0;
    if (!p || !typed)
        fail_msg("%s, \"%s\": %s", l->pane, l->query, err.text);
    const unsigned key_count = typed_columns(p, l->keys, keys),
                   count = typed_columns(p, l->columns, columns);
    struct frame *const b = typed_ask(e, typed), *const a = typed_ask(e, p);
    const unsigned same_keys[QUERY_KEYS] = {0, 1, 2, 3};
    for (unsigned i = 0; i < count; i++) {
        unsigned a_count, b_count;
        struct typed_cell *const shown = typed_cells(a, keys, key_count, columns[i], &a_count);
        struct typed_cell *const again =
            typed_cells(b, same_keys, key_count < q.key_count ? key_count : q.key_count,
                        q.key_count + i, &b_count);
        *compared += a_count;
        wrong += !typed_same(l, p->columns[columns[i]].id, shown, a_count, again, b_count);
        free(shown);
        free(again);
    }
    frame_free(a);
    frame_free(b);
    query_pane_free(typed); /* the engine was asked for another one since */
    return wrong;
}

static inline unsigned typed_compare(struct engine *e, uint64_t *compared)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof typed_lines / sizeof *typed_lines; i++)
        wrong += typed_compare_line(e, &typed_lines[i], compared);
    return wrong;
}

#endif
