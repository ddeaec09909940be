/* `tracetop record -- COMMAND` on this machine: however short the command is, its own beginning and
 * end and those of what it starts are in the file, and its exit status is ours. Filters show of
 * it what they show of any recording: the same, typed later or on from the start. */
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/etl/etl.h"
#include "src/os/os.h"
#include "tests/compatible.h"
#include "tests/live/place.h"
#include "tests/retro.h"
#include "tests/strict.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESS_START = 0x0301, PROCESS_END = 0x0302, ID_AT = 8, PARENT_AT = 12 };

static int run(const char *folder, const char *line)
{
    char program[4200], command[8192];
    assert_true(live_program(program, sizeof program));
    snprintf(command, sizeof command, "cd %s && %s %s", folder, program, line);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static uint32_t read_pid(const char *folder)
{
    char path[128];
    unsigned pid = 0;
    snprintf(path, sizeof path, "%s/pid", folder);
    FILE *const f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%u", &pid), 1);
    fclose(f);
    return pid;
}

struct lifetimes {
    unsigned began, ended, children_began, children_ended;
};

static struct lifetimes look(const char *folder, uint32_t pid)
{
    char path[128];
    struct err err = {""};
    struct event e;
    struct lifetimes l = {0};
    snprintf(path, sizeof path, "%s/x.etl", folder);
    const char *const name = path;
    struct etl_reader *const r = etl_reader_open(&name, 1, &err);
    assert_non_null(r);
    while (etl_reader_next(r, &e, &err) == ETL_EVENT) {
        const bool is_start = e.id == PROCESS_START, is_end = e.id == PROCESS_END;
        if (!header_is_kernel((enum header_kind)e.kind) || !(is_start || is_end) ||
            e.payload_bytes < PARENT_AT + 4)
            continue;
        const bool is_it = load_u32(e.payload + ID_AT) == pid;
        const bool is_child = load_u32(e.payload + PARENT_AT) == pid;
        l.began += is_start && is_it;
        l.ended += is_end && is_it;
        l.children_began += is_start && is_child;
        l.children_ended += is_end && is_child;
    }
    etl_reader_close(r);
    return l;
}

static void a_short_command_is_there_from_end_to_end(void **state)
{
    (void)state;
    place_needs_rights();
    char folder[] = "/tmp/tracetop-record-XXXXXX", line[128];
    assert_non_null(mkdtemp(folder));
    const int status =
        run(folder, "record -q -o x.etl -- sh -c 'echo $$ >pid; /bin/true; /bin/true; exit 3'");
    const struct lifetimes l = look(folder, read_pid(folder));
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
    assert_int_equal(status, 3);
    assert_int_equal(l.began, 1);
    assert_int_equal(l.ended, 1);
    assert_int_equal(l.children_began, 2);
    assert_int_equal(l.children_ended, 2);
}

/* The program goes ahead of what it watches; the command, which is watched, does not. */
static void the_command_is_as_nice_as_who_started_it(void **state)
{
    (void)state;
    place_needs_rights();
    char folder[] = "/tmp/tracetop-record-XXXXXX", line[128], path[64];
    assert_non_null(mkdtemp(folder));
    const int status = run(folder, "record -q -o x.etl -- sh -c 'nice >nice'");
    snprintf(path, sizeof path, "%s/nice", folder);
    FILE *const f = fopen(path, "r");
    int nice = -99;
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &nice), 1);
    fclose(f);
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
    assert_int_equal(status, 0);
    assert_int_equal(nice, getpriority(PRIO_PROCESS, 0));
}

/* The header: of what machine, in which zone, from when to when. */
static void the_header_says_where_and_when(void **state)
{
    (void)state;
    place_needs_rights();
    char folder[] = "/tmp/tracetop-record-XXXXXX", line[128], path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.etl", folder);
    unsigned major = 0, minor = 0;
    struct utsname u;
    assert_int_equal(uname(&u), 0);
    assert_int_equal(sscanf(u.release, "%u.%u", &major, &minor), 2);
    setenv("TZ", "EAST-5:30", 1);
    const int64_t before = os_wall_now();
    const int status = run(folder, "record -q -o x.etl -- sleep 0.2");
    const int64_t after = os_wall_now();
    unsetenv("TZ");
    assert_int_equal(status, 0);
    const struct strict s = strict_read_ours(path);
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
    const int64_t start = (s.start - FILETIME_UNIX_EPOCH) * 100;
    const int64_t end = (s.end - FILETIME_UNIX_EPOCH) * 100;
    assert_int_equal(s.build >> 8, major << 8 | minor);
    assert_int_equal(s.bias, -330);
    assert_true(before <= start && start + 200000000 <= end && end <= after);
    assert_int_equal(s.headers, 1);
}

/* The list in collectors/windows/README.md: of it, what there is on Linux. */
static void other_readers_find_what_they_ask_for(void **state)
{
    (void)state;
    place_needs_rights();
    char folder[] = "/tmp/tracetop-record-XXXXXX", line[128], path[64], build[COMPATIBLE_TEXT];
    struct utsname u;
    assert_int_equal(uname(&u), 0);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.etl", folder);
    const int status = run(folder, "record -q -o x.etl -t 2s");
    const struct strict s = strict_read_ours(path);
    const struct compatible c = compatible_read(path);
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
    assert_int_equal(status, 0);
    assert_true(s.boot > FILETIME_UNIX_EPOCH);
    assert_int_equal(s.frequency, 1000000000);
    assert_int_equal(s.clock_type, 1);
    assert_true(c.mhz > 0);
    assert_int_equal(c.builds, 1);
    snprintf(build, sizeof build, "%s %s", u.release, u.version);
    assert_string_equal(c.lab, build);
    assert_true(c.product[0]);
    assert_true(c.machines > 0 && c.processes > 0 && c.threads > 0 && c.images > 0);
    assert_int_equal(c.infos + c.pdbs + c.none,
                     0); /* ELF files have no PDB: Mapping has their id */
}

enum { STORMERS = 4 };

/* Processes that only give way to each other, a switch per call. */
static void storm_begin(pid_t *stormers)
{
    for (unsigned i = 0; i < STORMERS; i++) {
        stormers[i] = fork();
        if (stormers[i] == 0) {
            live_pin(i % live_processors());
            for (;;)
                sched_yield();
        }
    }
}

static void storm_end(const pid_t *stormers)
{
    for (unsigned i = 0; i < STORMERS; i++) {
        kill(stormers[i], SIGKILL);
        waitpid(stormers[i], NULL, 0);
    }
}

/* The number before these words in what the recording says at its end; 0: they are not there. */
static uint64_t said(const char *folder, const char *words)
{
    char path[128], text[4096];
    snprintf(path, sizeof path, "%s/said", folder);
    FILE *const f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    const char *at = strstr(text, words);
    while (at && (at == text || at[-1] < '0' || at[-1] > '9'))
        at = strstr(at + 1, words);
    while (at && at > text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at ? strtoull(at, NULL, 10) : 0;
}

/* Records until a second has passed in which nothing of ours runs. */
static int record_stopped_for_a_second(const char *folder)
{
    char program[4200], command[8192];
    assert_true(live_program(program, sizeof program));
    snprintf(command, sizeof command,
             "cd %s || exit; %s record -P cpu --buffers 32K -o x.etl 2>said & "
             "until [ \"$(stat -c %%s x.etl.partial 2>/dev/null || echo 0)\" -gt 200000 ]; do "
             "kill -0 $! || exit 9; sleep 0.05; done; "
             "kill -STOP $!; sleep 1; kill -CONT $!; sleep 0.5; kill -TERM $!; wait $!",
             folder, program);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Kernel buffers far too small for a storm, and nobody who empties them for a second: the file's
 * header counts what was lost while it was recorded, to the event, and so does `stats`. */
static void the_header_says_what_was_lost(void **state)
{
    (void)state;
    place_needs_rights();
    char folder[] = "/tmp/tracetop-record-XXXXXX", line[256], path[64];
    pid_t stormers[STORMERS];
    assert_non_null(mkdtemp(folder));
    storm_begin(stormers);
    const int status = record_stopped_for_a_second(folder);
    storm_end(stormers);
    const uint64_t all = said(folder, " kernel") + said(folder, " undelivered"),
                   before = said(folder, " lost before collection"), ring = said(folder, " ring"),
                   slow = said(folder, " lost: writing was too slow");
    snprintf(path, sizeof path, "%s/x.etl", folder);
    const struct strict s = strict_read_ours(path);
    snprintf(line, sizeof line, "stats -O json x.etl 2>/dev/null | grep -q '\"events_lost\":%u,'",
             (unsigned)s.events_lost);
    const int stats = run(folder, line);
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
    print_message("%llu lost by the system, %llu of them here, %llu by the ring\n",
                  (unsigned long long)all, (unsigned long long)before, (unsigned long long)ring);
    assert_int_equal(status, 0);
    assert_true(before > 0 && before <= all);
    assert_int_equal(s.events_lost, before + ring + slow);
    assert_true(s.flagged > 0);
    assert_int_equal(stats, 0);
}

enum { FILE_WRITE = 0x0444, IO_SIZE_AT = 36, WRITES = 64, BYTES = 777, ROUNDS = 5 };

/* Writes of just that many bytes by the process. */
static unsigned writes_of(const char *folder, uint32_t pid)
{
    char path[128];
    struct err err = {""};
    struct event e;
    unsigned count = 0;
    snprintf(path, sizeof path, "%s/x.etl", folder);
    const char *const name = path;
    struct etl_reader *const r = etl_reader_open(&name, 1, &err);
    assert_non_null(r);
    while (etl_reader_next(r, &e, &err) == ETL_EVENT)
        count += header_is_kernel((enum header_kind)e.kind) && e.id == FILE_WRITE && e.pid == pid &&
                 e.payload_bytes >= IO_SIZE_AT + 4 && load_u32(e.payload + IO_SIZE_AT) == BYTES;
    etl_reader_close(r);
    return count;
}

/* What waits for its file's name when the command ends is waited for: at first the helper lists
 * the whole system. */
static void a_short_commands_files_are_there(void **state)
{
    (void)state;
    place_needs_rights();
    char folder[] = "/tmp/tracetop-record-XXXXXX", line[128];
    assert_non_null(mkdtemp(folder));
    for (unsigned i = 0; i < ROUNDS; i++) {
        const int status =
            run(folder, "record -q --force -P files --buffers 16M -o x.etl -- sh -c '"
                        "echo $$ >pid; exec dd if=/dev/zero of=../$(basename $PWD)/y "
                        "bs=777 count=64 2>/dev/null'");
        const unsigned seen = writes_of(folder, read_pid(folder));
        print_message("%d writes, %u recorded\n", WRITES, seen);
        assert_int_equal(status, 0);
        assert_int_equal(seen, WRITES);
    }
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
}

static void filters_are_retroactive(void **state)
{
    (void)state;
    static const struct retro_question asked[] = {
        {.pane = "processes", .filter = "proc=dd"},
        {.pane = "cpu", .filter = "proc=dd ready>1us"},
        {.pane = "disk", .filter = "op=write"},
        {.pane = "files", .filter = "op=read size>=4K"},
        {.pane = "events", .filter = "proc=dd"},
        {.pane = "memory", .filter = "proc=dd"},
    };
    place_needs_rights();
    char folder[] = "/tmp/tracetop-record-XXXXXX", line[128], path[64];
    assert_non_null(mkdtemp(folder));
    const int status = run(folder, "record -q -o x.etl -- sh -c '"
                                   "dd if=/dev/zero of=y bs=64k count=200 conv=fsync 2>/dev/null;"
                                   "dd if=y of=/dev/null bs=64k 2>/dev/null'");
    snprintf(path, sizeof path, "%s/x.etl", folder);
    const unsigned rows = retro_compare(path, asked, sizeof asked / sizeof *asked);
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
    assert_int_equal(status, 0);
    print_message("%u rows\n", rows);
    assert_true(rows > 100);
}

/* Frames of the kernel in lines of `stacks -O folded`: with the name of a function, and without. */
static void count_kernel_frames(const char *path, unsigned *named, unsigned *unnamed)
{
    static const char module[] = "[kernel.kallsyms]!";
    static char line[65536];
    FILE *const f = fopen(path, "r");
    assert_non_null(f);
    *named = *unnamed = 0;
    while (fgets(line, sizeof line, f))
        for (const char *at = line; (at = strstr(at, module)) != NULL;) {
            at += sizeof module - 1;
            ++*(*at == '+' ? unnamed : named);
        }
    fclose(f);
}

/* For a file no right is kept, and this machine's kernel shows its addresses to few. */
static void a_recording_has_names_of_kernel_functions(void **state)
{
    (void)state;
    place_needs_rights();
    if (access("/sys/kernel/notes", R_OK) != 0)
        skip_for("the build id of the kernel that runs here (/sys/kernel/notes)");
    static const char *const readers[] = {"", "SUDO_UID=65534 SUDO_GID=65534 "};
    char folder[] = "/tmp/tracetop-record-XXXXXX", line[128], path[64], program[4200],
         command[8192];
    unsigned named[2] = {0}, unnamed[2] = {0};
    assert_non_null(mkdtemp(folder));
    const int status = run(folder, "record -q -P cpu -g sample -o x.etl -- "
                                   "dd if=/dev/zero of=/dev/null bs=1 count=1000000 status=none");
    assert_true(live_program(program, sizeof program));
    snprintf(path, sizeof path, "%s/folded", folder);
    for (unsigned i = 0; status == 0 && i < 2; i++) {
        snprintf(command, sizeof command, "cd %s && %s%s stacks x.etl -O folded >folded", folder,
                 readers[i], program);
        if (system(command) == 0)
            count_kernel_frames(path, &named[i], &unnamed[i]);
    }
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
    assert_int_equal(status, 0);
    for (unsigned i = 0; i < 2; i++) {
        print_message("%sframes of the kernel: %u with a name, %u without\n", readers[i], named[i],
                      unnamed[i]);
        assert_true(named[i] > unnamed[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_command_is_there_from_end_to_end),
        cmocka_unit_test(the_command_is_as_nice_as_who_started_it),
        cmocka_unit_test(the_header_says_where_and_when),
        cmocka_unit_test(other_readers_find_what_they_ask_for),
        cmocka_unit_test(the_header_says_what_was_lost),
        cmocka_unit_test(a_short_commands_files_are_there),
        cmocka_unit_test(filters_are_retroactive),
        cmocka_unit_test(a_recording_has_names_of_kernel_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
