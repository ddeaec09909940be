/* Cassettes of real traces: each file as Windows would deliver it, through our conversion and our
 * writer, compared with the original byte for byte.
 *
 * usage: cassettes check FOLDER FILE.etl…   in FOLDER cassettes and files are made and removed
 *        cassettes kinds FILE.etl           writes a file with a record of each kind
 *        cassettes make FILE.etl CASSETTE
 *        cassettes replay CASSETTE FILE.etl
 *        cassettes compare ORIGINAL.etl MADE.etl
 *        cassettes prove ORIGINAL.etl MADE.etl     that a changed MADE.etl would be seen
 *        cassettes show CASSETTE            its calls and counts */
#include "tests/cassette/compare.h"
#include "tests/cassette/make.h"

#include "src/base/mem.h"
#include "src/os/blob.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, PRINTED = 5, NAME = 1024, CASSETTE_MOST = 1 << 30 };

/* ---- one file ------------------------------------------------------------------------------------ */

static bool say(const char *name, const struct err *err)
{
    fprintf(stderr, "%s: %s\n", name, err->text);
    return false;
}

static void print_differences(const struct compared *c)
{
    for (unsigned i = 0; difference_name(i); i++)
        if (c->by_difference[i])
            printf("    %8zu  %s\n", c->by_difference[i], difference_name(i));
}

static bool compare(const struct loaded *original, const char *made_name, const char *name,
                    struct compared *out)
{
    struct loaded made;
    struct err err = {""};
    if (!load_file(&made, made_name, &err))
        return say(made_name, &err);
    const bool is_same = compare_files(original, &made, stdout, PRINTED, out);
    load_free(&made);
    if (!is_same)
        printf("%s: differs\n", name);
    return is_same;
}

static const char *base_of(const char *name)
{
    const char *const slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static bool check_file(const char *folder, const char *name, struct compared *out)
{
    struct loaded original;
    struct cassette_writer w;
    struct replayed replayed;
    struct err err = {""};
    char made[NAME];
    size_t undelivered;
    snprintf(made, sizeof made, "%s/%s.made.etl", folder, base_of(name));
    remove(made);
    if (!load_file(&original, name, &err))
        return say(name, &err);
    make_cassette(&original, &w, &undelivered);
    bool is_good = replay_cassette(w.room, w.used, made, &replayed, &err) || say(name, &err);
    is_good = is_good && compare(&original, made, base_of(name), out);
    printf("%-44s %8zu records, %8zu the same, %zu undelivered, cassette %zu KB\n", base_of(name),
           out->records, out->same, undelivered, w.used / 1024);
    print_differences(out);
    free(w.room);
    load_free(&original);
    remove(made);
    return is_good && !undelivered && !replayed.cut && !w.left_out;
}

/* ---- the comparer itself --------------------------------------------------------------------------- */

static bool is_same(const struct loaded *original, const struct loaded *made)
{
    struct compared c;
    FILE *const nowhere = tmpfile();
    const bool same = compare_files(original, made, nowhere, 0, &c);
    fclose(nowhere);
    return same;
}

/* Each byte of a few records, changed alone, and a record taken away must be seen. */
static bool can_fail(const struct loaded *original, struct loaded *made)
{
    enum { RECORDS = 3 };
    struct loaded_buffer *const last = &made->buffers[made->count - 1];
    const uint8_t *record;
    bool sees = is_same(original, made);
    for (uint32_t at = 0, bytes, n = 0; n < RECORDS && (bytes = load_next(last, &at, &record)); n++)
        for (uint32_t i = 0; i < bytes && sees; i++) {
            uint8_t *const byte = made->file + (record - made->file) + i;
            *byte ^= 1;
            sees = !is_same(original, made);
            *byte ^= 1;
        }
    last->bytes -= 8;
    return sees && !is_same(original, made);
}

static int prove(int count, char **arguments)
{
    struct loaded original, made;
    struct err err = {""};
    (void)count;
    if (!load_file(&original, arguments[0], &err) || !load_file(&made, arguments[1], &err))
        return say(arguments[0], &err), EXIT_WRONG;
    const bool sees = can_fail(&original, &made);
    printf(sees ? "the comparer sees a changed byte and a missing record\n"
                : "the comparer does not see every change\n");
    load_free(&original);
    load_free(&made);
    return sees ? EXIT_SUCCESS : EXIT_WRONG;
}

/* ---- commands ------------------------------------------------------------------------------------- */

static void print_table(const struct compared *all, int files)
{
    printf("\n%d files, %zu records, %zu the same to the byte. Permitted differences:\n", files,
           all->records, all->same);
    for (unsigned i = 0; difference_name(i); i++)
        printf("  %8zu  %s\n            %s\n", all->by_difference[i], difference_name(i),
               difference_why(i));
    printf("Buffers are cut elsewhere, and the file has a log header of its own.\n");
}

static int check(int count, char **arguments)
{
    struct compared all = {0};
    int bad = 0;
    for (int i = 1; i < count; i++) {
        struct compared one = {0};
        bad += !check_file(arguments[0], arguments[i], &one);
        all.records += one.records;
        all.same += one.same;
        for (unsigned d = 0; d < DIFFERENCES_MOST; d++)
            all.by_difference[d] += one.by_difference[d];
    }
    print_table(&all, count - 1);
    if (bad)
        printf("%d of %d files differ\n", bad, count - 1);
    return bad ? EXIT_WRONG : EXIT_SUCCESS;
}

static int kinds(int count, char **arguments)
{
    struct err err = {""};
    (void)count;
    return make_kinds(arguments[0], &err) ? EXIT_SUCCESS : (say(arguments[0], &err), EXIT_WRONG);
}

static int make(int count, char **arguments)
{
    struct loaded l;
    struct cassette_writer w;
    struct err err = {""};
    size_t undelivered;
    (void)count;
    if (!load_file(&l, arguments[0], &err))
        return say(arguments[0], &err), EXIT_WRONG;
    make_cassette(&l, &w, &undelivered);
    FILE *const to = fopen(arguments[1], "wb");
    const bool is_written = to && fwrite(w.room, 1, w.used, to) == w.used && fclose(to) == 0;
    printf("%s: %" PRIu64 " events, %zu bytes\n", arguments[1], w.events, w.used);
    free(w.room);
    load_free(&l);
    return is_written && !undelivered ? EXIT_SUCCESS : EXIT_WRONG;
}

static uint8_t *read_file(const char *name, size_t *bytes)
{
    struct blob b;
    struct err err = {""};
    if (!blob_open(&b, name, &err)) {
        say(name, &err);
        exit(EXIT_WRONG);
    }
    *bytes = (size_t)b.bytes;
    uint8_t *const all = blob_copy(&b, b.bytes, 0, CASSETTE_MOST);
    blob_close(&b);
    if (!all)
        exit(EXIT_WRONG);
    return all;
}

static int replay(int count, char **arguments)
{
    struct replayed r;
    struct err err = {""};
    size_t bytes;
    (void)count;
    uint8_t *const all = read_file(arguments[0], &bytes);
    const bool is_good = replay_cassette(all, bytes, arguments[1], &r, &err);
    free(all);
    if (!is_good)
        return say(arguments[0], &err), EXIT_WRONG;
    printf("%s: %" PRIu64 " events\n", arguments[1], r.events);
    return EXIT_SUCCESS;
}

static int compare_both(int count, char **arguments)
{
    struct loaded original;
    struct compared c = {0};
    struct err err = {""};
    (void)count;
    if (!load_file(&original, arguments[0], &err))
        return say(arguments[0], &err), EXIT_WRONG;
    const bool is_same = compare(&original, arguments[1], arguments[0], &c);
    load_free(&original);
    print_table(&c, 1);
    return is_same ? EXIT_SUCCESS : EXIT_WRONG;
}

static void show_frame(const struct cassette *c, const struct cassette_frame *f)
{
    if (f->kind == CASSETTE_CALL)
        printf("session %u: %.*s %.*s: %" PRIu32 ", %" PRId64 " us\n", f->session,
               f->call.name_bytes, f->call.name, f->call.about_bytes, f->call.about,
               f->call.result, (int64_t)((double)f->call.took * 1e6 / (double)c->head.frequency));
    if (f->kind == CASSETTE_END)
        printf("events %" PRIu64 ", left out %" PRIu64 "\n", f->end.events, f->end.left_out);
}

static int show(int count, char **arguments)
{
    struct cassette c;
    struct cassette_frame f;
    struct err err = {""};
    size_t bytes, kinds[CASSETTE_END + 1] = {0};
    (void)count;
    uint8_t *const all = read_file(arguments[0], &bytes);
    enum cassette_answer a = CASSETTE_DAMAGED;
    if (cassette_open(&c, all, bytes, &err))
        while ((a = cassette_next(&c, &f, &err)) == CASSETTE_FRAME) {
            kinds[f.kind]++;
            show_frame(&c, &f);
        }
    printf("build %" PRIu32 ", %u processors; sessions %zu, calls %zu, events %zu, buffers %zu\n",
           c.head.build, c.head.processors, kinds[CASSETTE_SESSION], kinds[CASSETTE_CALL],
           kinds[CASSETTE_EVENT], kinds[CASSETTE_BUFFER]);
    free(all);
    if (a == CASSETTE_DAMAGED)
        return say(arguments[0], &err), EXIT_WRONG;
    return c.has_ended ? EXIT_SUCCESS : EXIT_WRONG;
}

static const struct {
    const char *name;
    int least;
    int (*run)(int count, char **arguments);
} commands[] = {
    {"check", 2, check},          {"make", 2, make}, {"replay", 2, replay},
    {"compare", 2, compare_both}, {"prove", 2, prove}, {"show", 1, show},
    {"kinds", 1, kinds},
};

int main(int count, char **arguments)
{
    for (size_t i = 0; count > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(arguments[1], commands[i].name) == 0 && count - 2 >= commands[i].least)
            return commands[i].run(count - 2, arguments + 2);
    fprintf(stderr, "usage: cassettes check|kinds|make|replay|compare|prove|show FILE…\n");
    return EXIT_USAGE;
}
