/* A snapshot of this very machine, opened again, shows what the screen showed: the last whole
 * intervals of every pane, cell by cell, with names and stacks. Once of one busy process, once of
 * a part of that window, and once of the whole machine, whatever else it does: what the
 * live screen says that it is not complete about (events that came when their interval was over)
 * is then held against what one sees who steps back. */
#include "tests/live/harness.h"

#include "tests/shots.h"

#include "collectors/collectors.h"
#include "src/os/os.h"
#include "src/trace/snapshot.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHOTS = 3, FACTS = 8 << 20 /* of a minute's storm */ };

static const int64_t TIMEOUT = 240000000000; /* only what hangs takes as long */

/* ---- something to see ---------------------------------------------------------------- */

static void write_and_read(const char *path)
{
    char block[4096] = "tracetop";
    const int f = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; f >= 0 && i < 16; i++)
        if (write(f, block, sizeof block) != sizeof block)
            break;
    if (f >= 0 && fsync(f) == 0 && lseek(f, 0, SEEK_SET) == 0 && read(f, block, sizeof block) > 0)
        unlink(path);
    close(f);
}

static void talk_over_loopback(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    char text[512] = "tracetop";
    const int listener = socket(AF_INET, SOCK_STREAM, 0), out = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1) == 0 &&
        getsockname(listener, (struct sockaddr *)&at, &length) == 0 &&
        connect(out, (struct sockaddr *)&at, sizeof at) == 0) {
        const int in = accept(listener, NULL, NULL);
        if (send(out, text, sizeof text, 0) > 0)
            (void)!recv(in, text, sizeof text, 0);
        close(in);
    }
    close(out);
    close(listener);
}

static void come_and_go(void)
{
    const pid_t child = fork();
    if (child == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
}

/* A process that is always busy with a bit of everything. */
static pid_t begin_work(const char *folder)
{
    const pid_t child = fork();
    if (child != 0)
        return child;
    char path[160];
    snprintf(path, sizeof path, "%s/work", folder);
    for (;;) {
        write_and_read(path);
        talk_over_loopback();
        come_and_go();
        for (volatile int i = 0; i < 300000; i++)
            ;
        usleep(20000);
    }
}

/* ---- the same again ---------------------------------------------------------------------- */

static struct session *reopen(const char *path, int64_t origin)
{
    struct err err = {""};
    const char *const files[] = {path};
    const struct session_options o = {.kind = &collector_etl,
                                      .facts = FACTS,
                                      .collector = {.files = files, .file_count = 1},
                                      .ring_bytes = 512 << 20,
                                      .interval_ns = 1000000000,
                                      .origin_ns = origin};
    struct session *const s = session_start(&o, &err);
    if (!s)
        print_error("%s\n", err.text);
    assert_non_null(s);
    return s;
}

static void shows_what_was_shown(bool is_whole, int64_t before)
{
    static const char *const shown[] = {"processes", "cpu",        "disk",   "files",   "network",
                                        "memory",    "interrupts", "calls",  "callers", "diskfiles",
                                        "images",    "rates",      "stacks", "threads", NULL};
    static const uint32_t CLASSES = 1u << FACT_SWITCH | 1u << FACT_READY | 1u << FACT_SAMPLE |
                                    1u << FACT_DISK | 1u << FACT_FILE | 1u << FACT_NETWORK |
                                    1u << FACT_FAULT | 1u << FACT_DPC | 1u << FACT_ISR |
                                    1u << FACT_SYSCALL;
    /* Arguments and user of a process are read from /proc some time after its start. Several files
     * may have one inode in turn; a disk operation gets the one that is known by then. The snapshot
     * is taken in between. */
#define BETWEEN                                                                                    \
    "processes.cmd", "processes.user", "processes.session", "threads.cmd", "threads.user", "files.disk_share", "files.first", "files.last"
    static const char *const between[] = {BETWEEN, NULL};
    /* What began before the part is known to have begun, but not when: a wait, on a busy machine
     * one for a processor, too; a thread's last turn, an image's life. */
    static const char *const lost[] = {BETWEEN,         "processes.ready", "processes.share",
                                       "threads.ready", "threads.share",   "cpu.ready",
                                       "cpu.ready_avg", "cpu.ready_p50",   "cpu.ready_p99",
                                       "cpu.ready_max", "cpu.wait",        "cpu.wait_avg",
                                       "cpu.wait_p50",  "cpu.wait_p90",    "cpu.wait_p99",
                                       "cpu.wait_max",  "cpu.reason",      "cpu.share",
                                       "cpu.mig",       "images.loaded",   NULL};
    char folder[] = "/tmp/live_snapshot.XXXXXX", said[1400];
    assert_non_null(mkdtemp(folder));
    const pid_t worker = begin_work(folder);
    const uint32_t watched = (uint32_t)worker;
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = CLASSES,
                                          .stacks = 1u << FACT_SAMPLE,
                                          .has_no_symbols = true,
                                          .ring_bytes = 512 << 20,
                                          .facts = FACTS,
                                          .scope = {&watched, is_whole ? 0 : 1, NULL, true}});
    /* Waits until existing processes are reported: intervals that began earlier are left out
     * (shots_watch()). */
    while (atomic_load(&r->session->collector.is_naming))
        os_sleep(1000000);
    struct shots *const shots = shots_new(shown, is_whole ? 1 : SHOTS);
    shots_watch(shots, r->session->engine);
    shots_wait_behind(shots, r->session->engine);
    /* A busy machine fills any window while this test waits for a processor: nothing more comes. */
    if (is_whole)
        r->session->collector.kind->stop(&r->session->collector);
    const char *const *const excused = before ? lost : between;
    struct snapshot_result result = {.path = ""};
    const int64_t until = os_now() + TIMEOUT;
    /* Repeat while late events change the intervals that were compared. */
    do {
        assert_true(os_now() < until);
        unlink(result.path);
        shots_step_back(shots, r->session->engine);
        const struct snapshot_options o = {.engine = r->session->engine,
                                           .collector = &r->session->collector,
                                           .folder = folder,
                                           .from_ns = before ? shots_begin(shots) - before : 0,
                                           .to_ns = before ? INT64_MAX : 0};
        snapshot_finish(snapshot_start(&o), &result);
    } while (!shots_stay(shots, r->session->engine, excused));
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    live_free(r);
    print_message("%s\n", snapshot_sentence(&result, said, sizeof said));
    assert_true(result.is_done);
    struct session *const again = reopen(result.path, shots_origin(shots));
    const unsigned compared = shots_compare(shots, again->engine, result.first_ns, result.last_ns,
                                            true, excused);
    print_message("%u of %u shots compared\n", compared, shots_count(shots));
    assert_int_equal(compared, shots_count(shots));
    session_stop(again);
    session_free(again);
    shots_free(shots);
    unlink(result.path);
    snprintf(said, sizeof said, "%s/work", folder);
    unlink(said);
    rmdir(folder);
}

static void a_whole_window(void **state)
{
    (void)state;
    shows_what_was_shown(false, 0);
}

/* Living processes were reported before the part began. The interval before shows which threads ran
 * when the first one began. */
static void a_part_of_it(void **state)
{
    (void)state;
    shows_what_was_shown(false, 1000000000);
}

static void the_whole_machine(void **state)
{
    (void)state;
    shows_what_was_shown(true, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_window),
        cmocka_unit_test(a_part_of_it),
        cmocka_unit_test(the_whole_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
