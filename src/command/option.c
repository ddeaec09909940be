#include "src/command/option.h"

#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/base/suggest.h"
#include "src/base/unit.h"
#include "src/command/command.h"
#include "src/engine/watch.h"
#include "src/frame/stack_look.h"

#include <stdlib.h>
#include <string.h>

/* ---- how values are read ------------------------------------------------------ */

typedef bool (*reader)(void *field, const char *text, struct err *err);

static bool read_text(void *field, const char *text, struct err *err)
{
    if (!*text)
        return fail(err, "expected some text, found none");
    *(const char **)field = text;
    return true;
}

static bool read_count(void *field, const char *text, struct err *err)
{
    return unit_count(text, field, err);
}

static bool read_size(void *field, const char *text, struct err *err)
{
    return unit_size(text, field, err);
}

/* SIZE, or N buffers of a size: "64x128K". Also fills its neighbour: the number of buffers. */
static bool read_buffers(void *field, const char *text, struct err *err)
{
    uint64_t *const sizes = field;
    const char *at = strpbrk(text, "x*");
    const char *const cross = strstr(text, "\303\227"); /* the sign for it */
    char count[24] = "";
    at = cross ? cross : at;
    if (at && (size_t)(at - text) < sizeof count)
        memcpy(count, text, (size_t)(at - text));
    if (at && (!unit_count(count, &sizes[1], NULL) || !sizes[1]))
        return fail(err, "expected a size, or a number and a size as 64x128K, found '%s'", text);
    return unit_size(at ? at + (cross ? 2 : 1) : text, field, err);
}

static bool read_list(void *field, const char *text, struct err *err)
{
    struct option_list *const l = field;
    if (!*text)
        return fail(err, "expected some text, found none");
    l->items = mem_grow(l->items, l->count + 1, sizeof *l->items);
    l->items[l->count++] = text;
    return true;
}

static bool read_percent(void *field, const char *text, struct err *err)
{
    return unit_percent(text, field, err);
}

static bool read_instant(void *field, const char *text, struct err *err)
{
    return unit_instant(text, field, err);
}

/* Below 100 ms a screen only flickers; above a day it is a typing error. */
bool option_interval(const char *text, int64_t *ns, struct err *err)
{
    if (!unit_time(text, ns, err))
        return false;
    if (*ns < 100000000 || *ns > 86400000000000)
        return fail(err, "expected a time between 100ms and 24h, found '%s'", text);
    return true;
}

static bool read_kernel_source(void *field, const char *text, struct err *err)
{
    static const char *const names[] = {"auto", "perf", "bpf"};
    for (uint8_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            return *(uint8_t *)field = i, true;
    return fail(err, "expected auto, perf or bpf, found '%s'", text);
}

static bool read_interval(void *field, const char *text, struct err *err)
{
    return option_interval(text, field, err);
}

static bool read_speed(void *field, const char *text, struct err *err)
{
    uint64_t times = 0;
    const bool is_max = strcmp(text, "max") == 0;
    if (!is_max && (!unit_count(text, &times, NULL) || times < 1 || times > 1 << 20))
        return fail(err, "expected 'max' or a whole number from 1 on, found '%s'", text);
    *(int *)field = (int)times;
    return true;
}

static bool read_source(void *field, const char *text, struct err *err)
{
    if (strcmp(text, "live") != 0 && strcmp(text, "demo") != 0)
        return fail(err, "expected live or demo, found '%s'", text);
    *(const char **)field = text;
    return true;
}

/* Also fills its neighbour: classes and stacks. */
static bool read_panes(void *field, const char *text, struct err *err)
{
    uint32_t *const bits = field;
    struct watch_wish wish;
    if (!watch_of_panes(text, &wish, err))
        return false;
    bits[0] = wish.classes;
    bits[1] |= wish.stacks;
    return true;
}

static bool read_stacks(void *field, const char *text, struct err *err)
{
    struct options *const o =
        (struct options *)(void *)((char *)field - offsetof(struct options, stacks));
    return watch_stacks(text, &o->stacks, &o->stacks_named, err);
}

/* Also says to its neighbour that it was there. */
static bool read_metric(void *field, const char *text, struct err *err)
{
    char known[256];
    size_t used = 0;
    const enum stack_metric metric = stack_metric_find(text);
    for (unsigned i = 0; i < STACK_METRICS && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 stack_metrics[i].id);
    if (metric == STACK_METRICS)
        return fail(err, "expected one of %s, found '%s'", known, text);
    struct options *const o = (struct options *)(void *)((char *)field - offsetof(struct options, metric));
    o->metric = (uint8_t)metric;
    o->has_metric = true;
    return true;
}

static bool read_pids(void *field, const char *text, struct err *err)
{
    enum { PIDS_MOST = 1024 };
    struct option_pids *const p = field;
    for (const char *at = text; *at; at += *at == ',') {
        char *end;
        const unsigned long pid = strtoul(at, &end, 10);
        if (end == at || (*end && *end != ',') || pid == 0 || pid > INT32_MAX)
            return fail(err, "expected process ids such as 812,940, found '%s'", text);
        if (p->count == PIDS_MOST)
            return fail(err, "at most %d process ids are possible", PIDS_MOST);
        p->pids = mem_grow(p->pids, p->count + 1, sizeof *p->pids);
        p->pids[p->count++] = (uint32_t)pid;
        at = end;
    }
    return p->count || fail(err, "expected process ids such as 812,940, found none");
}

/* One reader fills two neighbours: width and height. */
static bool read_cells(void *field, const char *text, struct err *err)
{
    int *const cells = field;
    char rest;
    int width, height;
    if (sscanf(text, "%4dx%4d%c", &width, &height, &rest) != 2 || width < 1 || height < 1 ||
        width > 1000 || height > 1000)
        return fail(err, "expected columns and rows such as 120x40, found '%s'", text);
    cells[0] = width;
    cells[1] = height;
    return true;
}

static bool read_span(void *field, const char *text, struct err *err)
{
    return unit_time(text, field, err);
}

/* What Windows takes: from 0.1221 ms on. */
static bool read_sampling(void *field, const char *text, struct err *err)
{
    static const int64_t LEAST = 130000, MOST = 1000000000;
    int64_t *const ns = field;
    if (!unit_time(text, ns, NULL) || *ns < LEAST || *ns > MOST)
        return fail(err, "expected a time from 130us to 1s, found '%s'", text);
    return true;
}

/* 64M is a size, 60s a time; what could be either is a size. */
static bool read_ring(void *field, const char *text, struct err *err)
{
    static const int64_t LEAST = 1000000000, MOST = 86400000000000;
    struct ring_wish *const ring = field;
    *ring = (struct ring_wish){0};
    if (unit_size(text, &ring->bytes, NULL))
        return true;
    if (!unit_time(text, &ring->ns, NULL))
        return fail(err, "expected a size or a time such as 64M or 60s, found '%s'", text);
    return (ring->ns >= LEAST && ring->ns <= MOST) ||
           fail(err, "expected a time between 1s and 24h, found '%s'", text);
}

static bool read_files(void *field, const char *text, struct err *err)
{
    enum { MOST = 100000 };
    uint64_t *const files = field;
    if (!unit_count(text, files, err))
        return false;
    return (*files >= 1 && *files <= MOST) ||
           fail(err, "expected a number of files from 1 to %d, found '%s'", MOST, text);
}

static bool read_filemode(void *field, const char *text, struct err *err)
{
    if (strcmp(text, "sequential") != 0 && strcmp(text, "circular") != 0 &&
        strcmp(text, "rotate") != 0)
        return fail(err, "expected sequential, circular or rotate, found '%s'", text);
    return read_text(field, text, err);
}

/* ---- the table ------------------------------------------------------------------ */

struct option {
    char letter; /* 0 = has none */
    const char *name;
    const char *argument; /* NULL = a switch */
    const char *help;     /* NULL: for tests, not listed */
    uint32_t commands;    /* bit per enum subcommand_id */
    uint32_t offset;      /* in struct options */
    reader read;          /* NULL for switches */
};

enum {
    ON_SCREEN = 1 << SUBCOMMAND_LIVE | 1 << SUBCOMMAND_REPLAY,
    ON_STACKS = 1 << SUBCOMMAND_STACKS,
    ON_MODEL = ON_SCREEN | 1 << SUBCOMMAND_TOP | 1 << SUBCOMMAND_RECORD | ON_STACKS,
    ON_NAMES = ON_SCREEN | 1 << SUBCOMMAND_TOP | ON_STACKS,
    ON_DEMO = 1 << SUBCOMMAND_LIVE | 1 << SUBCOMMAND_TOP | 1 << SUBCOMMAND_RECORD | ON_STACKS,
    ON_EVENTS = 1 << SUBCOMMAND_DUMP | 1 << SUBCOMMAND_CUT,
    ON_TEXT = 1 << SUBCOMMAND_STATS | ON_EVENTS | 1 << SUBCOMMAND_TOP | 1 << SUBCOMMAND_DOCTOR |
              ON_STACKS,
    ON_TOP = 1 << SUBCOMMAND_TOP,
    ON_RECORD = 1 << SUBCOMMAND_RECORD,
    ON_RECORDINGS = ON_RECORD | ON_SCREEN,
    ON_CALLS = 1 << SUBCOMMAND_MARK | 1 << SUBCOMMAND_SNAPSHOT | 1 << SUBCOMMAND_RECORD,
    ON_ALL = (1 << SUBCOMMANDS) - 1,
};

#define AT(member) offsetof(struct options, member)

static const struct option table[] = {
    {'d', "interval", "T", "refresh interval, 100ms or more (default 1s)", ON_MODEL,
     AT(interval_ns), read_interval},
    {'s', "sort", "COL[:asc]", "sort by this column; largest first unless :asc", ON_TOP, AT(sort),
     read_text},
    {'k', "columns", "LIST", "print these columns, separated by commas, or all", ON_TOP,
     AT(columns), read_text},
    {0, "csv-raw", NULL, "csv: leave cells that a spreadsheet would evaluate as they are", ON_TOP,
     AT(csv_raw), NULL},
    {'N', "rows", "N", "print at most N rows; 0 = all (default)", ON_TOP, AT(rows), read_count},
    {'o', "output", "FILE", "write to FILE instead of standard output", ON_TEXT | ON_RECORD,
     AT(output), read_text},
    {'t', "duration", "T", "record for so long (default: until Ctrl-C; stacks: 10s)",
     ON_RECORD | ON_STACKS, AT(duration_ns), read_span},
    {0, "metric", "M", "weigh stacks by samples, running, waiting, bytes, faults and others",
     ON_STACKS, AT(metric), read_metric},
    {0, "max-size", "SIZE",
     "record: bound, 256K per processor or more; circular, rotate: of a file", ON_RECORDINGS,
     AT(most_bytes), read_size},
    {0, "max-files", "N", "rotate: keep the newest N files (default: all stay)", ON_RECORDINGS,
     AT(files_most), read_files},
    {0, "filemode", "MODE", "sequential (default), circular: the newest, rotate: numbered files",
     ON_RECORDINGS, AT(filemode), read_filemode},
    {0, "to", "FILE", "snapshot: write FILE (default: a name made of machine, date and time)",
     1 << SUBCOMMAND_SNAPSHOT, AT(to), read_text},
    {0, "instance", "PID", "talk to this monitor, where several are running", ON_CALLS,
     AT(instance), read_count},
    {'O', "format", "F", "output format, see above", ON_TEXT | ON_SCREEN, AT(format), read_text},
    {'r', "range", "A..B", "only this part: -30s.., 5s..10s, 10:15..10:16 (local; Z: UTC)",
     ON_EVENTS | 1 << SUBCOMMAND_SNAPSHOT, AT(range), read_text},
    {0, "force", NULL, "overwrite FILE where it exists", ON_TEXT | ON_RECORD, AT(force), NULL},
    {0, "compress", NULL, "traces with compressed buffers (dump -O etl, record, snapshots)",
     ON_EVENTS | ON_RECORDINGS, AT(compress), NULL},
    {0, "speed", "N|max", "replay N times as fast as it happened (default max)",
     1 << SUBCOMMAND_REPLAY, AT(speed), read_speed},
    {0, "ring", "SIZE|TIME", "history kept: 64M, about 60s (default 1/16 of memory, up to 80M)",
     ON_MODEL, AT(ring), read_ring},
    {'P', "panes", "LIST", "live: watch what these panes show (default proc,cpu,disk,net,mem)",
     ON_DEMO, AT(classes), read_panes},
    {'g', "stacks", "LIST", "live: classes of events with stacks; none, default or names", ON_DEMO,
     AT(stacks), read_stacks},
    {0, "no-unwind", NULL, "live: stacks only as far as frame pointers lead", ON_DEMO, AT(no_unwind),
     NULL},
    {'p', "pid", "LIST", "live: watch these processes only", ON_DEMO, AT(scope_pids), read_pids},
    {'n', "name", "PATTERN", "live: watch processes of this name only (* and ?)", ON_DEMO,
     AT(scope_name), read_text},
    {'c', "children", NULL, "live: and what they start", ON_DEMO, AT(has_children), NULL},
    {'F', "capture", "FILTER", "store only matching events, plus the records that name things", ON_MODEL | ON_EVENTS,
     AT(capture), read_text},
    {0, "buffers", "[Nx]SIZE", "live: the kernel's buffer of each processor, or N (default by rate)",
     ON_DEMO, AT(buffer_bytes), read_buffers},
    {'e', "enable", "PROVIDER[:KEYWORDS[:LEVEL]]", "Windows: events of this provider, too", ON_DEMO,
     AT(enable), read_list},
    {0, "sample-every", "T", "Windows: sample the processors every 130us to 1s (default: as set)",
     ON_DEMO, AT(sample_ns), read_sampling},
    {0, "pmc", "COUNTER[:N]", "Windows: sample by this counter, too, each N; see doctor", ON_DEMO,
     AT(counters), read_list},
    {0, "session-name", "NAME", "Windows: begin of our sessions' names (default tracetop)", ON_DEMO,
     AT(session_name), read_text},
    {0, "attach", "NAME", "Windows: read this session of somebody else", ON_DEMO, AT(attach),
     read_text},
    {0, "stop-existing", NULL, "Windows: stop a session of our name that runs already", ON_DEMO,
     AT(stops_existing), NULL},
    {0, "orphans", NULL, "sessions stop: sessions left behind by a tracetop that has exited",
     1 << SUBCOMMAND_SESSIONS, AT(orphans), NULL},
    {0, "source", "live|demo", "this machine, or made-up events (default live)", ON_DEMO,
     AT(source), read_source},
    {0, "seed", "N", "demo: seed of the generator", ON_DEMO, AT(seed), read_count},
    {0, "events", "N", "demo: stop after N events", ON_DEMO, AT(events), read_count},
    {0, "rate", "N", "demo: events per second; 0 = as fast as possible (default 20000)", ON_DEMO,
     AT(rate), read_count},
    {0, "start", "INSTANT", "demo: time of its first event, as 2026-05-17T10:20:30Z", ON_DEMO,
     AT(start_ns), read_instant},
    {0, "hostile", "N", "demo: of 1000 names, N are made to hurt a terminal (for tests)", ON_DEMO,
     AT(hostile), read_count},
    {0, "linux-source", "S", NULL, ON_DEMO, AT(kernel_source), read_kernel_source},
    {0, "symbols", "PATH", "look for symbols here, too: folders and srv*FOLDER, separated by ;",
     ON_NAMES, AT(symbols), read_text},
    {0, "no-symbols", NULL, "show stacks as modules and offsets, without names", ON_NAMES,
     AT(no_symbols), NULL},
    {0, "on", "'EXPR for T do ACTION'", "run ACTION when EXPR holds for T; may be repeated (see :on)",
     ON_SCREEN, AT(triggers), read_list},
    {0, "headless", NULL, "run the whole program without a terminal", ON_SCREEN, AT(headless),
     NULL},
    {0, "size", "WxH", "headless: size of the screen (default 120x40)", ON_SCREEN, AT(width),
     read_cells},
    {0, "keys", "FILE", "headless: keys to press, one a line; text:... types, wait waits",
     ON_SCREEN, AT(keys), read_text},
    {0, "dump", NULL, "headless: print the screen after every key, not only at the end", ON_SCREEN,
     AT(dump), NULL},
    {0, "ascii", NULL, "draw with ASCII characters only", ON_SCREEN, AT(ascii), NULL},
    {0, "color", "WHEN", "never, mono, 16, 256, truecolor or always", ON_SCREEN, AT(color),
     read_text},
    {0, "theme", "NAME", "default, light, high-contrast, mono, or a theme file", ON_SCREEN,
     AT(theme), read_text},
    {0, "no-mouse", NULL, "leave the mouse to the terminal", ON_SCREEN, AT(no_mouse), NULL},
    {0, "readonly", NULL, "without what changes the system or writes files",
     ON_SCREEN | 1 << SUBCOMMAND_SESSIONS, AT(readonly), NULL},
    {0, "view", "FILE", "a view file, as in the folder views/ beside the configuration",
     ON_SCREEN | 1 << SUBCOMMAND_TOP | 1 << SUBCOMMAND_FIELDS, AT(views), read_list},
    {0, "config", "FILE", "configuration (default: tracetop.conf in the user's folder)",
     ON_MODEL | 1 << SUBCOMMAND_KEYS, AT(config), read_text},
    {0, "fail-on-loss", "P%", "leave with status 5 when more than P% of the events were lost",
     ON_MODEL, AT(fail_on_loss), read_percent},
    {0, "log", "FILE", "write what the status line says behind what FILE holds", ON_SCREEN, AT(log),
     read_text},
    {'v', "verbose", NULL, "--log: the commands that keys give as well", ON_SCREEN, AT(verbose), NULL},
    {'q', "quiet", NULL, "no summary of losses at the end", ON_MODEL, AT(quiet), NULL},
    {0, "version", NULL, "print the version", ON_ALL, AT(version), NULL},
    {'h', "help", NULL, "print this help; after a command, its own", ON_ALL, AT(help), NULL},
};

enum { ROWS = sizeof table / sizeof table[0] };
_Static_assert(ROWS <= 64, "struct options keeps one bit per row");

/* ---- reading ---------------------------------------------------------------------- */

static const struct option *find_name(const char *name, size_t bytes)
{
    for (const struct option *o = table; o < table + ROWS; o++)
        if (strlen(o->name) == bytes && memcmp(o->name, name, bytes) == 0)
            return o;
    return NULL;
}

static const struct option *find_letter(char letter)
{
    for (const struct option *o = table; o < table + ROWS; o++)
        if (letter && o->letter == letter)
            return o;
    return NULL;
}

static bool unknown(const char *name, struct err *err)
{
    struct suggestion best = {NULL, 0};
    for (const struct option *o = table; o < table + ROWS; o++)
        if (o->help)
            suggest(&best, name, o->name);
    if (best.name)
        return fail(err, "unknown option --%s; did you mean --%s?", name, best.name);
    return fail(err, "unknown option --%s; tracetop --help lists what there is", name);
}

static bool store(struct options *o, const struct option *row, const char *text, struct err *err)
{
    void *const field = (char *)o + row->offset;
    o->given |= 1ull << (row - table);
    if (!row->read) {
        *(bool *)field = true;
        return true;
    }
    struct err inner;
    return row->read(field, text, &inner) || fail(err, "--%s: %s", row->name, inner.text);
}

/* What is left of argv; options may take the next word as their value. */
struct line {
    char *const *at;
    char *const *end;
};

static bool store_next(struct options *o, const struct option *row, struct line *l, struct err *err)
{
    if (!row->argument)
        return store(o, row, NULL, err);
    if (l->at == l->end)
        return fail(err, "--%s needs a value: --%s %s", row->name, row->name, row->argument);
    return store(o, row, *l->at++, err);
}

static bool read_long(struct options *o, const char *word, struct line *l, struct err *err)
{
    const char *const equals = strchr(word, '=');
    const size_t bytes = equals ? (size_t)(equals - word) : strlen(word);
    const struct option *const row = find_name(word, bytes);
    if (!row) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(bytes < sizeof name ? bytes : sizeof name), word);
        return unknown(name, err);
    }
    if (!equals)
        return store_next(o, row, l, err);
    if (!row->argument)
        return fail(err, "--%s takes no value", row->name);
    return store(o, row, equals + 1, err);
}

/* "-q", "-d 2s", "-d2s", "-qd2s". */
static bool read_short(struct options *o, const char *letters, struct line *l, struct err *err)
{
    while (*letters) {
        const struct option *const row = find_letter(*letters);
        if (!row)
            return fail(err, "unknown option -%c; tracetop --help lists what there is", *letters);
        letters++;
        if (row->argument && *letters)
            return store(o, row, letters, err);
        if (!store_next(o, row, l, err))
            return false;
    }
    return true;
}

static bool read_word(struct options *o, const char *word, struct line *l, struct err *err)
{
    if (strcmp(word, "--") == 0) {
        o->run = (const char *const *)l->at; /* argv ends with NULL */
        l->at = l->end;
        return *o->run || fail(err, "behind -- a command is expected");
    }
    if (word[0] == '-' && word[1] == '-')
        return read_long(o, word + 2, l, err);
    if (word[0] == '-' && word[1])
        return read_short(o, word + 1, l, err);
    o->words[o->word_count++] = word;
    return true;
}

bool options_read(struct options *o, int argc, char *const *argv, struct err *err)
{
    *o = (struct options){
        .interval_ns = 1000000000,
        .seed = 1,
        .rate = 20000,
        .fail_on_loss = -1,
        .width = 120,
        .height = 40,
        .words = mem_new((size_t)argc + 1, sizeof *o->words),
    };
    struct line line = {.at = argv + (argc > 0), .end = argv + argc};
    while (line.at < line.end) {
        const char *const word = *line.at++;
        if (!read_word(o, word, &line, err))
            return false;
    }
    return true;
}

void options_fini(struct options *o)
{
    free(o->scope_pids.pids);
    free(o->enable.items);
    free(o->triggers.items);
    free(o->views.items);
    o->enable = (struct option_list){NULL, 0};
    o->scope_pids = (struct option_pids){NULL, 0};
    free(o->words);
    o->words = NULL;
}

bool options_preset(struct options *o, unsigned id, const char *name, const char *text,
                    struct err *err)
{
    const struct option *const row = find_name(name, strlen(name));
    const uint64_t given = o->given;
    if (!row || !row->read || options_given(o, name) || !(row->commands >> id & 1))
        return true;
    const bool is_taken = store(o, row, text, err);
    o->given = given;
    return is_taken;
}

bool options_has(const char *name, unsigned id)
{
    const struct option *const row = find_name(name, strlen(name));
    return row && (row->commands >> id & 1);
}

bool options_take(const char *name, const char *text, struct err *err)
{
    const struct option *const row = find_name(name, strlen(name));
    struct options scratch = {0};
    const bool is_taken = row && row->read && row->read((char *)&scratch + row->offset, text, err);
    options_fini(&scratch);
    return is_taken;
}

bool options_given(const struct options *o, const char *name)
{
    const struct option *const row = find_name(name, strlen(name));
    return row && (o->given >> (row - table) & 1);
}

/* ---- belonging and help ------------------------------------------------------------ */

static void list_commands(char *to, size_t room, uint32_t mask)
{
    size_t used = 0;
    to[0] = '\0';
    for (unsigned i = 0; i < SUBCOMMANDS; i++)
        if (mask >> i & 1 && used < room)
            used += (size_t)snprintf(to + used, room - used, "%s%s", used ? ", " : "",
                                     subcommands[i].name);
}

bool options_belong(const struct options *o, unsigned id, const char *command, struct err *err)
{
    if (o->run && id != SUBCOMMAND_RECORD)
        return fail(err, "a command behind -- is not valid for '%s'; it belongs to: record",
                    command);
    for (unsigned i = 0; i < ROWS; i++) {
        if (!(o->given >> i & 1) || table[i].commands >> id & 1)
            continue;
        char where[128];
        list_commands(where, sizeof where, table[i].commands);
        return fail(err, "--%s is not valid for '%s'; it belongs to: %s", table[i].name, command,
                    where);
    }
    return true;
}

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

bool options_only(const struct options *o, const char *const *names, const char *form,
                  struct err *err)
{
    if (o->run)
        return fail(err, "a command behind -- is not valid for '%s'", form);
    for (unsigned i = 0; i < ROWS; i++)
        if (o->given >> i & 1 && !is_among(table[i].name, names))
            return fail(err, "--%s is not valid for '%s'", table[i].name, form);
    return true;
}

static void print_row(FILE *to, const struct option *o)
{
    char left[48];
    const int used = o->letter ? snprintf(left, sizeof left, "-%c, --%s", o->letter, o->name)
                               : snprintf(left, sizeof left, "    --%s", o->name);
    if (o->argument)
        snprintf(left + used, sizeof left - (size_t)used, " %s", o->argument);
    show(to, "  %-26s %s\n", left, o->help);
}

bool option_row(size_t i, struct option_facts *out)
{
    for (const struct option *o = table; o < table + ROWS; o++) {
        if (!o->help || i-- > 0)
            continue;
        *out = (struct option_facts){o->letter, o->name, o->argument, o->help, o->commands};
        return true;
    }
    return false;
}

void options_print(FILE *to, uint32_t mask)
{
    for (const struct option *o = table; o < table + ROWS; o++)
        if (o->help && o->commands & mask)
            print_row(to, o);
}
