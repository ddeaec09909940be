/* What the ui saves, without a terminal: one of each at a time, a sentence for what cannot be,
 * nothing half-written left, and nothing that waits for a disk. */
#include "tests/folder.h"
#include "tests/test.h"

#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/etl/etl.h"
#include "src/trace/snapshot.h"
#include "ui/state/saver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t MS = 1000000;

enum { RATE = 100000, PATIENCE = 15000 /* looks of 20 ms: five minutes are for what hangs */ };

struct fixture {
    char folder[64], path[96], said[1536];
    struct session *session;
    struct saver *saver;
    struct saver_shape shape;
    bool is_error;
};

static int set_up(void **state)
{
    struct fixture *const x = calloc(1, sizeof *x);
    struct err err = {""};
    snprintf(x->folder, sizeof x->folder, "/tmp/test_saver.XXXXXX");
    if (!mkdtemp(x->folder))
        return -1;
    snprintf(x->path, sizeof x->path, "%s/x.etl", x->folder);
    const struct session_options o = {.kind = &collector_synthetic,
                                      .collector = {.seed = 3, .rate = RATE},
                                      .ring_bytes = 32 << 20,
                                      .interval_ns = 1000000000};
    x->session = session_start(&o, &err);
    *state = x;
    while (x->session && engine_figures(x->session->engine).events < RATE / 10)
        os_sleep(5 * MS);
    return x->session ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *const x = *state;
    saver_free(x->saver);
    session_stop(x->session);
    session_free(x->session);
    folder_remove(x->folder);
    free(x);
    return 0;
}

static void open_saver(struct fixture *x, struct saver_shape shape)
{
    const struct saver_options o = {.engine = x->session->engine,
                                    .collector = &x->session->collector,
                                    .folder = x->folder,
                                    .shape = shape};
    x->saver = saver_new(&o);
}

/* Looks as the screen does, until something has ended. */
static void wait_for_news(struct fixture *x)
{
    for (int i = 0; i < PATIENCE; i++) {
        if (saver_news(x->saver, x->said, sizeof x->said, &x->is_error))
            return;
        os_sleep(20 * MS);
    }
    fail_msg("nothing ever ends");
}

static void wait_for_file(struct fixture *x, uint64_t events)
{
    char status[64];
    for (int i = 0; i < PATIENCE; i++) {
        struct stat s;
        char partial[128];
        snprintf(partial, sizeof partial, "%s.partial", x->path);
        saver_status(x->saver, status, sizeof status);
        if (stat(partial, &s) == 0 && s.st_size > (off_t)events * 30)
            return;
        os_sleep(20 * MS);
    }
    fail_msg("nothing is ever recorded");
}

/* The monitor has not minded: events come, and questions are answered. */
static void goes_on(struct fixture *x)
{
    const uint64_t then = engine_figures(x->session->engine).events;
    for (int i = 0; i < PATIENCE; i++) {
        if (engine_figures(x->session->engine).events > then + 1000)
            return;
        os_sleep(20 * MS);
    }
    fail_msg("the monitor stands still");
}

static bool is_readable(const char *path)
{
    struct err err;
    struct event e;
    struct etl_file *const f = etl_open(path, &err);
    uint64_t events = 0;
    while (f && etl_next(f, &e, &err) == ETL_EVENT)
        events++;
    const bool is_whole = f && etl_is_whole(etl_tally(f)) && !etl_tally(f)->never_stopped;
    etl_close(f);
    return is_whole && events > 100;
}

static void a_second_snapshot_is_refused(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    open_saver(x, (struct saver_shape){.is_compressed = true});
    const struct saver_request first = {.path = x->path}, second = {.path = ""};
    assert_true(saver_snapshot(x->saver, &first, "[view]\n", &err));
    assert_false(saver_snapshot(x->saver, &second, "[view]\n", &err));
    assert_non_null(strstr(err.text, "is being written already"));
    wait_for_news(x);
    assert_false(x->is_error);
    assert_true(is_readable(x->path));
    assert_false(saver_is_busy(x->saver));
    assert_true(saver_snapshot(x->saver, &second, "[view]\n", &err));
    wait_for_news(x);
    assert_int_equal(folder_clear(x->folder), 4);
}

/* Whatever moment the program has to end in. */
static void leaving_amid_a_snapshot_leaves_nothing_half(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    for (int i = 0; i < 10; i++) {
        char name[160];
        struct stat s;
        const struct saver_request w = {.path = x->path};
        open_saver(x, (struct saver_shape){.is_compressed = i % 2});
        assert_true(saver_snapshot(x->saver, &w, "[view]\n", &err));
        os_sleep(i * i * MS / 4);
        saver_free(x->saver);
        x->saver = NULL;
        snprintf(name, sizeof name, "%s.partial", x->path);
        assert_int_equal(stat(name, &s), -1);
        snprintf(name, sizeof name, "%s.view.partial", x->path);
        assert_int_equal(stat(name, &s), -1);
        assert_true(stat(x->path, &s) != 0 || is_readable(x->path));
        folder_clear(x->folder);
    }
    goes_on(x);
}

static void recordings_begin_and_end(void **state)
{
    struct fixture *const x = *state;
    char status[64];
    open_saver(x, (struct saver_shape){.is_compressed = true});
    assert_string_equal(saver_status(x->saver, status, sizeof status), "");
    assert_true(saver_record(x->saver, x->path, x->said, sizeof x->said));
    assert_string_equal(saver_recording(x->saver), x->path);
    wait_for_file(x, 1000);
    assert_int_equal(strncmp(saver_status(x->saver, status, sizeof status), "REC 00:", 7), 0);
    /* Its end is asked for and not waited for; asking twice does no harm. */
    assert_true(saver_record(x->saver, "", x->said, sizeof x->said));
    assert_non_null(strstr(x->said, "completing"));
    assert_null(saver_recording(x->saver));
    assert_true(saver_record(x->saver, "", x->said, sizeof x->said));
    wait_for_news(x);
    assert_false(x->is_error);
    assert_non_null(strstr(x->said, " events, "));
    assert_true(is_readable(x->path));
    /* What exists stays. */
    assert_false(saver_record(x->saver, x->path, x->said, sizeof x->said));
    assert_non_null(strstr(x->said, "already exists"));
}

static void they_have_the_shape_that_was_asked_for(void **state)
{
    struct fixture *const x = *state;
    char name[128];
    open_saver(x, (struct saver_shape){.mode = ETL_LOG_ROTATE, .most_bytes = 64 << 20});
    assert_true(saver_record(x->saver, x->path, x->said, sizeof x->said));
    saver_free(x->saver); /* leaving ends it well */
    x->saver = NULL;
    snprintf(name, sizeof name, "%s/x-0001.etl", x->folder);
    assert_int_equal(access(name, R_OK), 0);
    assert_int_equal(folder_clear(x->folder), 1);
    open_saver(x, (struct saver_shape){.mode = ETL_LOG_CIRCULAR});
    assert_false(saver_record(x->saver, x->path, x->said, sizeof x->said));
    assert_non_null(strstr(x->said, "--max-size"));
    assert_int_equal(folder_clear(x->folder), 0);
}

/* A recording is not made again: what is written stays, and it is said where. */
static void a_folder_that_vanishes_is_reported(void **state)
{
    struct fixture *const x = *state;
    char here[80], away[80];
    if (!HERE_IS_POSIX) {
        print_message("a folder with an open file in it cannot be moved here: skipped\n");
        skip();
    }
    snprintf(here, sizeof here, "%s/here", x->folder);
    snprintf(away, sizeof away, "%s/away", x->folder);
    snprintf(x->path, sizeof x->path, "%s/x.etl", here);
    assert_int_equal(mkdir(here, 0700), 0);
    open_saver(x, (struct saver_shape){.is_compressed = false});
    assert_true(saver_record(x->saver, x->path, x->said, sizeof x->said));
    wait_for_file(x, 1000);
    assert_int_equal(rename(here, away), 0);
    saver_record(x->saver, "", x->said, sizeof x->said);
    wait_for_news(x);
    assert_true(x->is_error);
    assert_non_null(strstr(x->said, "No such file"));
    assert_non_null(strstr(x->said, "the data is in "));
    assert_true(is_readable(strstr(x->said, "the data is in ") + strlen("it is there as ")));
    goes_on(x);
    assert_int_equal(folder_remove(away), 0);
}

/* A quota that is used up answers as a disk that is full. */
static void a_full_disk_ends_the_recording(void **state)
{
    struct fixture *const x = *state;
    char small[80];
    snprintf(small, sizeof small, "%s/small", x->folder);
    if (mkdir(small, 0700) != 0 || mount("none", small, "tmpfs", 0, "size=6m") != 0) {
        rmdir(small);
        skip_for("no file system can be mounted here");
    }
    snprintf(x->path, sizeof x->path, "%s/x.etl", small);
    open_saver(x, (struct saver_shape){.is_compressed = false});
    const bool has_begun = saver_record(x->saver, x->path, x->said, sizeof x->said);
    wait_for_news(x);
    const bool has_file = is_readable(x->path);
    const unsigned files = folder_clear(small);
    umount(small);
    rmdir(small);
    assert_true(has_begun && x->is_error && has_file);
    assert_int_equal(files, 1);
    assert_non_null(strstr(x->said, "No space left"));
    assert_non_null(strstr(x->said, "earlier data was kept"));
    assert_false(saver_is_busy(x->saver));
    goes_on(x);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_second_snapshot_is_refused),       TEST(leaving_amid_a_snapshot_leaves_nothing_half),
        TEST(recordings_begin_and_end),           TEST(they_have_the_shape_that_was_asked_for),
        TEST(a_folder_that_vanishes_is_reported), TEST(a_full_disk_ends_the_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
