/* Processes, threads and images of the side band, as made records: through the translator
 * into a ring, and from there into the model. */
#include "tests/test.h"
#include "tests/watcher.h"

#include "collectors/linux/kernel/side_band.h"
#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/task.h"
#include "collectors/linux/translate/task_record.h"
#include "src/base/bytes.h"
#include "src/base/mem.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPU = 1, SELF = 999, SELF_UID = 1234 };

struct stage {
    struct collector collector;
    struct feed feed;
    struct translator t;
    struct watcher *w;
    int64_t now;
};

static const struct linux_domain *const *const domains = linux_domains;
static const enum linux_domain_id played[] = {DOMAIN_TASK, DOMAIN_IMAGE};

/* `tells_last`: it is known from the beginning that ends of threads come with whether the process
 * ends. */
static struct stage *open_stage_of(bool tells_last)
{
    struct stage *const s = mem_new(1, sizeof *s);
    s->t.tells_last = tells_last;
    s->collector.hot = ring_new(4 << 20, RING_SEGMENT);
    s->feed = (struct feed){.collector = &s->collector};
    s->t.feed = &s->feed;
    s->t.self = SELF;
    strcpy(s->t.self_name, "tracetop");
    s->t.self_uid = SELF_UID;
    s->t.self_command = "tracetop record -- make";
    s->now = 1000000000;
    for (unsigned i = 0; i < 2; i++)
        domains[played[i]]->start(&s->t);
    s->w = watcher_new();
    return s;
}

static struct stage *open_stage(void)
{
    return open_stage_of(false);
}

static void close_stage(struct stage *s)
{
    for (unsigned i = 0; i < 2; i++)
        domains[played[i]]->stop(&s->t);
    watcher_free(s->w);
    ring_free(s->collector.hot);
    free(s);
}

/* Everything that was put goes into the model. */
static void settle(struct stage *s)
{
    uint64_t position;
    for (const struct record_head *head; (head = ring_peek(s->collector.hot, &position));) {
        watcher_take(s->w, head);
        ring_release(s->collector.hot);
    }
}

static void play(struct stage *s, struct sample sample)
{
    sample.cpu = CPU;
    sample.time = ++s->now;
    for (unsigned i = 0; i < 2; i++)
        domains[played[i]]->side_band(&s->t, &sample);
    settle(s);
}

static void play_body(struct stage *s, uint32_t type, uint16_t misc, const void *body, size_t bytes)
{
    play(s,
         (struct sample){.type = type, .misc = misc, .body = body, .body_bytes = (uint32_t)bytes});
}

static void fork_of(struct stage *s, uint32_t ppid, uint32_t ptid, uint32_t pid, uint32_t tid)
{
    const uint32_t body[6] = {pid, ppid, tid, ptid};
    play_body(s, PERF_RECORD_FORK, 0, body, sizeof body);
}

static void exit_at_once(struct stage *s, uint32_t pid, uint32_t tid)
{
    const uint32_t body[6] = {pid, 1, tid, 1};
    play_body(s, PERF_RECORD_EXIT, 0, body, sizeof body);
}

static void exit_of(struct stage *s, uint32_t pid, uint32_t tid)
{
    enum { MS = 1000000 };
    s->now += MS;
    exit_at_once(s, pid, tid);
}

static void comm_of(struct stage *s, uint32_t pid, uint32_t tid, const char *name, bool is_exec)
{
    uint8_t body[24] = {0};
    memcpy(body, &pid, 4);
    memcpy(body + 4, &tid, 4);
    memcpy(body + 8, name, strlen(name));
    play_body(s, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0, body, sizeof body);
}

static void map_of(struct stage *s, uint32_t pid, uint64_t base, uint64_t size, const char *name,
                   bool has_build_id)
{
    enum { EXECUTABLE = 5 };
    uint8_t body[64 + 64] = {0};
    const uint64_t offset = 0x1000, inode = 77;
    const uint32_t major = 8, minor = 1, protection = EXECUTABLE;
    memcpy(body, &pid, 4);
    memcpy(body + 4, &pid, 4);
    memcpy(body + 8, &base, 8);
    memcpy(body + 16, &size, 8);
    memcpy(body + 24, &offset, 8);
    if (has_build_id) {
        body[32] = 20;
        for (unsigned i = 0; i < 20; i++)
            body[36 + i] = (uint8_t)(0xa0 + i);
    } else {
        memcpy(body + 32, &major, 4);
        memcpy(body + 36, &minor, 4);
        memcpy(body + 40, &inode, 8);
    }
    memcpy(body + 56, &protection, 4);
    memcpy(body + 64, name, strlen(name));
    play_body(s, PERF_RECORD_MMAP2, has_build_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0, body,
              64 + (strlen(name) / 8 + 1) * 8);
}

/* A tracepoint of the domain, by its place in the domain's table: two numbers of four bytes,
 * then a text of 32. `fields` says which field lies in which of the three. */
static void trace_of(struct stage *s, unsigned row, const uint8_t fields[3], uint32_t first,
                     uint32_t second, const char *text, uint32_t pid, uint32_t tid)
{
    uint8_t raw[40] = {0};
    struct sample_layout layout = {.bytes = sizeof raw};
    memcpy(raw, &first, 4);
    memcpy(raw + 4, &second, 4);
    memcpy(raw + 8, text, strlen(text));
    for (unsigned i = 0; i < 3; i++) {
        static const struct field_place places[] = {{0, 0, false, false},
                                                    {0, 4, false, false},
                                                    {4, 4, false, false},
                                                    {8, 32, false, false}};
        layout.fields[i] = places[fields[i]];
    }
    const struct linux_event *const event = &domains[DOMAIN_TASK]->events[row];
    const struct sample sample = {.cpu = CPU,
                                  .time = ++s->now,
                                  .pid = pid,
                                  .tid = tid,
                                  .event = event,
                                  .layout = &layout,
                                  .raw = raw,
                                  .raw_bytes = sizeof raw};
    event->translate(&s->t, &sample);
    settle(s);
}

enum { NEWTASK, EXEC, EXIT };

static void born(struct stage *s, uint32_t pid, uint32_t tid, uint32_t new_tid, const char *comm)
{
    static const uint8_t fields[3] = {1, 3, 0};
    trace_of(s, NEWTASK, fields, new_tid, 0, comm, pid, tid);
}

static void exec_of(struct stage *s, uint32_t pid, uint32_t old_tid, const char *path)
{
    static const uint8_t fields[3] = {3, 1, 2};
    trace_of(s, EXEC, fields, pid, old_tid, path, pid, pid);
}

static void leaves(struct stage *s, uint32_t pid, uint32_t tid, const char *comm, bool is_last)
{
    static const uint8_t fields[3] = {1, 3, 2};
    trace_of(s, EXIT, fields, tid, is_last, comm, pid, tid);
}

static struct watched_process process(const struct stage *s, uint32_t pid)
{
    return watched_process(s->w, pid);
}

static bool thread_ended(const struct stage *s, uint32_t tid)
{
    uint32_t process_number;
    return watched_thread_ended(s->w, tid, &process_number);
}

/* What the walk found, as the helper would reply. */
static void meet(struct stage *s, uint32_t pid, uint32_t tid, const char *comm, int64_t time)
{
    struct reply m = {.domain = DOMAIN_TASK,
                     .kind = HELP_RUNDOWN,
                     .is_found = true,
                     .pid = pid,
                     .fd = (int32_t)tid,
                     .key = 7,
                     .time = time};
    strcpy(m.path, comm);
    domains[DOMAIN_TASK]->reply(&s->t, &m);
}

/* A switch away from a thread that lives on. */
static void switched(struct stage *s, uint32_t pid, uint32_t tid)
{
    const struct sample sample = {.cpu = CPU, .time = ++s->now, .pid = pid, .tid = tid};
    task_met(&s->t, &sample);
    settle(s);
}

/* ---- processes ------------------------------------------------------------------------ */

static void a_lifetime_is_reported(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    meet(s, 100, 100, "bash", 1);
    fork_of(s, 100, 100, 200, 200);
    assert_string_equal(process(s, 200).name, "bash");
    assert_int_equal(process(s, 200).parent, 100);
    assert_true(process(s, 200).has_session);
    assert_int_equal(process(s, 200).session, 7);
    assert_int_equal(process(s, 200).threads, 1);
    const uint32_t number = process(s, 200).number;
    const int64_t started = s->now;
    comm_of(s, 200, 200, "cc1", true);
    exec_of(s, 200, 200, "/usr/lib/cc1");
    assert_string_equal(process(s, 200).name, "cc1");
    assert_int_equal(process(s, 200).number, number); /* no end, no start */
    assert_int_equal(process(s, 200).start_ns, started);
    exit_of(s, 200, 200);
    assert_true(process(s, 200).has_ended);
    assert_int_equal(process(s, 200).end_ns, s->now);
    assert_int_equal(process(s, 200).threads, 0);
    assert_string_equal(process(s, 200).name, "cc1");
    assert_int_equal(watched_hooks(s->w, HOOK_PROCESS_START), 1);
    assert_int_equal(watched_hooks(s->w, HOOK_PROCESS_END), 1);
    assert_int_equal(watched_hooks(s->w, HOOK_THREAD_START), 1);
    assert_int_equal(watched_hooks(s->w, HOOK_THREAD_END), 1);
    /* From the second exec on its path is known when it is reported. */
    fork_of(s, 100, 100, 201, 201);
    comm_of(s, 201, 201, "as", true);
    exec_of(s, 201, 201, "/usr/bin/as");
    assert_string_equal(process(s, 201).command, "/usr/bin/as");
    close_stage(s);
}

/* As the BPF program sends them: offsets of the path and the arguments, and the bytes of these. */
static void exec_with(struct stage *s, uint32_t pid, const char *arguments, uint32_t bytes,
                      uint32_t all)
{
    enum { PATH_AT = 24, PATH = 5, AT = PATH_AT + PATH };
    uint8_t raw[256] = {0};
    struct sample_layout layout = {.is_bpf = true, .bytes = PATH_AT};
    static const struct field_place places[] = {{8, 4, false, true},
                                                {4, 4, false, false},
                                                {4, 4, false, false},
                                                {12, 4, false, true},
                                                {16, 4, false, false}};
    memcpy(layout.fields, places, sizeof places);
    store_u32(raw + 4, pid);
    store_u32(raw + 8, PATH_AT | PATH << 16);
    store_u32(raw + 12, AT | bytes << 16);
    store_u32(raw + 16, all);
    memcpy(raw + PATH_AT, "/b/x", PATH);
    memcpy(raw + AT, arguments, bytes);
    const struct linux_event *const event = &domains[DOMAIN_TASK]->events[EXEC];
    const struct sample sample = {.cpu = CPU,
                                  .time = ++s->now,
                                  .pid = pid,
                                  .tid = pid,
                                  .event = event,
                                  .layout = &layout,
                                  .raw = raw,
                                  .raw_bytes = AT + bytes};
    event->translate(&s->t, &sample);
    settle(s);
}

static void arguments_come_with_exec(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    static const struct {
        const char *arguments;
        uint32_t bytes, all;
        const char *command;
    } rows[] = {
        {"x\0-v\0", 5, 5, "x -v"},
        {"x\0\0a b\0\0", 8, 8, "x  a b"}, /* an empty one; blanks are blanks */
        {"x\0abc", 5, 5000, "x abc…"},
        {"x\0\0", 3, 5000, "x…"},
        {"", 0, 0, "/b/x"},   /* there are none */
        {"", 0, 100, "/b/x"}, /* they could not be read */
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        fork_of(s, 100, 100, 300 + i, 300 + i);
        comm_of(s, 300 + i, 300 + i, "x", true);
        exec_with(s, 300 + i, rows[i].arguments, rows[i].bytes, rows[i].all);
        if (i) /* the first was reported with its name alone: no more was known then */
            assert_string_equal(process(s, 300 + i).command, rows[i].command);
    }
    close_stage(s);
}

/* The kernel reports an exit in the middle of exec where it takes away the counters of that
 * task. */
/* A command that a recording starts is there before anybody has walked over the system. */
static void what_we_start_is_born_with_our_name(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    fork_of(s, SELF, SELF, 200, 200);
    assert_string_equal(process(s, 200).name, "tracetop");
    comm_of(s, 200, 200, "make", true);
    assert_string_equal(process(s, 200).name, "make");
    close_stage(s);
}

/* What a process runs and whose it is, as the helper would reply. */
static void meet_program(struct stage *s, uint32_t pid, uint32_t uid, const char *command,
                         int64_t time)
{
    struct reply m = {.domain = DOMAIN_TASK,
                     .kind = HELP_PROCESS,
                     .is_found = true,
                     .pid = pid,
                     .key = uid,
                     .time = time};
    strcpy(m.path, command);
    domains[DOMAIN_TASK]->reply(&s->t, &m);
}

static void a_child_is_its_parents_users(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    const struct record_from from = {100, 100, CPU, s->now};
    meet(s, 100, 100, "nginx", 1);
    put_owner(&s->t, &from, 100, 0, "root");
    settle(s);
    assert_string_equal(process(s, 100).user, "S-1-22-1-0");
    meet_program(s, 100, 0, "nginx", 1); /* its number is in the record of a start, its name is not */
    fork_of(s, 100, 100, 200, 200);
    assert_string_equal(process(s, 200).account, "root");
    meet_program(s, 200, 33, "nginx", s->now + 1);
    put_owner(&s->t, &from, 200, 33, ""); /* turned to one that the system has no name for */
    settle(s);
    assert_string_equal(process(s, 200).user, "S-1-22-1-33");
    assert_null(process(s, 200).account);
    assert_string_equal(process(s, 100).account, "root");
    fork_of(s, 200, 200, 300, 300);
    assert_string_equal(process(s, 300).user, "S-1-22-1-33");
    assert_null(process(s, 300).account);
    close_stage(s);
}

/* A process that is forked before the walk comes to its parent is in no list of the walk: its start
 * has its user's number, and what that user is called comes with another process, or came before.
 */
static void users_of_one_number_have_one_name(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    const struct record_from from = {100, 100, CPU, s->now};
    meet_program(s, SELF, SELF_UID, "tracetop", 1);
    fork_of(s, SELF, SELF, 200, 200);
    assert_string_equal(process(s, 200).user, "S-1-22-1-1234");
    assert_null(process(s, 200).account);
    put_owner(&s->t, &from, 100, SELF_UID, "ada");
    put_owner(&s->t, &from, 101, 33, "www-data");
    settle(s);
    assert_string_equal(process(s, 200).account, "ada");
    fork_of(s, SELF, SELF, 300, 300); /* of SELF no record with a name was put */
    assert_string_equal(process(s, 300).account, "ada");
    put_owner(&s->t, &from, 102, 34, "");
    settle(s);
    assert_null(process(s, 102).account);
    put_owner(&s->t, &from, 103, 34, "backup"); /* it has a name since */
    settle(s);
    assert_string_equal(process(s, 102).account, "backup");
    close_stage(s);
}

struct reported {
    uint32_t uid;
    char command[2048];
    unsigned starts;
};

/* The last Start of a process that was put, by its layout: version 4, where the user stands as
 * TOKEN_USER (16 bytes) and S-1-22-1-UID, or four zero bytes. */
static struct reported next_start(struct stage *s)
{
    enum { USER = 36, TOKEN_USER = 16, SID = 16, NONE = 4 };
    static const uint8_t unix_user[12] = {1, 2, 0, 0, 0, 0, 0, 22, 1};
    struct reported reported = {.uid = EVENT_NO_ID};
    uint64_t position;
    for (const struct record_head *head; (head = ring_peek(s->collector.hot, &position));) {
        struct event e;
        assert_int_equal(event_of_record(head, &e), EVENT_OK);
        if (e.id == HOOK_PROCESS_START) {
            const uint8_t *at = e.payload + USER;
            const bool has_user = load_u32(at) != 0;
            assert_int_equal(e.version, 4);
            reported.starts++;
            if (has_user) {
                assert_memory_equal(at + TOKEN_USER, unix_user, sizeof unix_user);
                reported.uid = load_u32(at + TOKEN_USER + sizeof unix_user);
            }
            at += has_user ? TOKEN_USER + SID : NONE;
            at += strlen((const char *)at) + 1; /* the name */
            for (size_t i = 0; i < sizeof reported.command - 1 && load_u16(at); i++, at += 2)
                reported.command[i] = (char)load_u16(at);
        }
        ring_release(s->collector.hot);
    }
    return reported;
}

static void send_fork(struct stage *s, uint32_t parent, uint32_t pid)
{
    const uint32_t body[6] = {pid, parent, pid, parent};
    const struct sample sample = {.type = PERF_RECORD_FORK,
                                  .cpu = CPU,
                                  .time = s->now += 1000,
                                  .body = (const uint8_t *)body,
                                  .body_bytes = sizeof body};
    for (unsigned i = 0; i < 2; i++)
        domains[played[i]]->side_band(&s->t, &sample);
}

/* The record of a start says whose the process is and what it runs: its creator's, and what that
 * runs. */
static void a_start_has_user_and_command(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    meet(s, 100, 100, "bash", 1);
    meet_program(s, 100, 1000, "bash -c ./build", 1);
    settle(s);
    send_fork(s, 100, 200);
    struct reported reported = next_start(s);
    assert_int_equal(reported.starts, 1);
    assert_int_equal(reported.uid, 1000);
    assert_string_equal(reported.command, "bash -c ./build");
    meet_program(s, 200, 33, "nginx: worker", s->now + 1);
    send_fork(s, 200, 300);
    reported = next_start(s);
    assert_int_equal(reported.uid, 33);
    assert_string_equal(reported.command, "nginx: worker");
    meet_program(s, 200, 0, "stale", 2); /* read before it was started */
    send_fork(s, 200, 301);
    reported = next_start(s);
    assert_int_equal(reported.uid, 33);
    assert_string_equal(reported.command, "nginx: worker");
    send_fork(s, 900, 901); /* of a process without any event */
    reported = next_start(s);
    assert_int_equal(reported.starts, 1);
    assert_int_equal(reported.uid, EVENT_NO_ID);
    assert_string_equal(reported.command, "");
    close_stage(s);
}

/* What a recording starts comes before any walk; so do the children of that. */
static void our_children_are_our_users(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    send_fork(s, SELF, 200);
    struct reported reported = next_start(s);
    assert_int_equal(reported.uid, SELF_UID);
    assert_string_equal(reported.command, "tracetop record -- make");
    send_fork(s, 200, 300);
    reported = next_start(s);
    assert_int_equal(reported.uid, SELF_UID);
    assert_string_equal(reported.command, "tracetop record -- make");
    close_stage(s);
}

static void fill(char *out, size_t bytes, uint32_t number)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (char)('a' + (i + number) % 26);
    out[bytes] = '\0';
}

/* A command line that is long, as that of `sh -c` mostly is, or longer than the table keeps. */
static void a_start_has_a_long_command(void **state)
{
    (void)state;
    enum { LONG = 437, TOO_LONG = 3000, MANY = 2000, MARK = 1 }; /* of UTF-16 */
    struct stage *const s = open_stage();
    char command[TOO_LONG + 1];
    meet(s, 100, 100, "sh", 1);
    fill(command, LONG, 0);
    meet_program(s, 100, 0, command, 1);
    settle(s);
    for (uint32_t pid = 200; pid < 203; pid++) {
        send_fork(s, pid == 200 ? 100 : pid - 1, pid);
        assert_string_equal(next_start(s).command, command);
    }
    for (size_t bytes = 240; bytes < 260; bytes++) {
        fill(command, bytes, 1);
        meet_program(s, 100, 0, command, s->now + 1);
        send_fork(s, 100, 300);
        assert_string_equal(next_start(s).command, command);
    }
    fill(command, 200, 0); /* with arguments that the kernel cut off */
    exec_with(s, 100, command, 200, 5000);
    send_fork(s, 100, 300);
    assert_int_equal(strlen(next_start(s).command), 200 + MARK);
    fill(command, TOO_LONG, 3);
    char kept[TASK_COMMAND_BYTES + 1];
    const size_t bytes =
        task_cut_text(kept, TASK_COMMAND_BYTES, (struct some_text){command, TOO_LONG});
    kept[bytes] = '\0';
    meet_program(s, 100, 0, kept, s->now + 1);
    send_fork(s, 100, 301);
    struct reported reported = next_start(s);
    assert_int_equal(strlen(reported.command), bytes - 2); /* "…" is 3 bytes, and 1 here */
    assert_memory_equal(reported.command, command, bytes - 3);
    /* So many others that its text makes room: its beginning stays. */
    for (uint32_t i = 0; i < MANY; i++) {
        fill(kept, LONG, i);
        meet_program(s, 101, 0, kept, s->now + 1);
        fork_of(s, 100, 100, 101, 101);
        meet_program(s, 101, 0, kept, s->now + 1);
    }
    send_fork(s, 100, 302);
    reported = next_start(s);
    assert_in_range(strlen(reported.command), 200, 256);
    assert_memory_equal(reported.command, command, 200);
    assert_int_equal(reported.command[strlen(reported.command) - 1], '&'); /* U+2026, halved */
    close_stage(s);
}

/* The start of a process may have the beginning of its command line alone; its creator's is known.
 */
static void a_cut_command_is_completed(void **state)
{
    (void)state;
    enum { LONG = 1500 };
    struct stage *const s = open_stage();
    char command[LONG + 1], kept[TASK_COMMAND_BYTES + 1];
    fill(command, LONG, 0);
    kept[task_cut_text(kept, TASK_COMMAND_BYTES, (struct some_text){command, LONG})] = '\0';
    const struct record_from from = {100, 100, CPU, s->now};
    const struct process_record r = {.pid = 100, .name = {"java", 4}, .command = {command, LONG}};
    meet(s, 100, 100, "java", 1);
    put_command(&s->t, &from, &r, (struct some_text){"", 0});
    meet_program(s, 100, 0, kept, 1);
    settle(s);
    fork_of(s, 100, 100, 200, 200);
    assert_string_equal(process(s, 200).command, command);
    meet_program(s, 100, 0, "another", s->now + 1);
    fork_of(s, 100, 100, 201, 201);
    assert_string_equal(process(s, 201).command, "another");
    close_stage(s);
}

static void texts_are_cut_behind_whole_characters(void **state)
{
    static const struct {
        const char *text;
        size_t room;
        const char *cut;
    } rows[] = {{"", 4, ""},        {"abcd", 4, "abcd"},   {"abcde", 4, "a…"},
                {"aäbcd", 5, "a…"}, {"aäbcd", 6, "aäbcd"}, {"\x80\x80\x80\x80\x80", 4, "…"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[8] = "";
        const struct some_text text = {rows[i].text, strlen(rows[i].text)};
        assert_int_equal(task_cut_text(out, rows[i].room, text), strlen(rows[i].cut));
        assert_string_equal(out, rows[i].cut);
    }
}

static void exec_is_no_end(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    meet(s, 100, 100, "bash", 1);
    fork_of(s, 100, 100, 200, 200);
    comm_of(s, 200, 200, "true", true);
    exit_at_once(s, 200, 200);
    assert_int_equal(watched_hooks(s->w, HOOK_THREAD_END), 0);
    assert_int_equal(watched_hooks(s->w, HOOK_PROCESS_END), 0);
    /* A program that only the side band reports ends some time later. */
    fork_of(s, 100, 100, 201, 201);
    comm_of(s, 201, 201, "true", true);
    exit_of(s, 201, 201);
    assert_true(process(s, 201).has_ended);
    /* With the tracepoints, that of the end counts. */
    exec_of(s, 200, 200, "/bin/true");
    leaves(s, 200, 200, "true", true);
    exit_at_once(s, 200, 200);
    assert_true(process(s, 200).has_ended);
    assert_int_equal(watched_hooks(s->w, HOOK_THREAD_END), 2);
    assert_int_equal(watched_hooks(s->w, HOOK_PROCESS_END), 2);
    fork_of(s, 100, 100, 202, 202);
    comm_of(s, 202, 202, "true", true);
    exit_of(s, 202, 202); /* the thread had to wait in between */
    assert_false(process(s, 202).has_ended);
    /* One that is killed there ends. */
    fork_of(s, 100, 100, 203, 203);
    comm_of(s, 203, 203, "true", true);
    leaves(s, 203, 203, "true", true);
    exit_at_once(s, 203, 203);
    assert_true(process(s, 203).has_ended);
    close_stage(s);
}

static void names_of_the_born_are_learned(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    fork_of(s, 100, 100, 200, 200); /* 100 had no event */
    assert_null(process(s, 200).name);
    born(s, 100, 100, 200, "cron");
    assert_string_equal(process(s, 200).name, "cron");
    comm_of(s, 200, 200, "cron: mail", false); /* by prctl */
    assert_string_equal(process(s, 200).name, "cron: mail");
    const unsigned own = watched_own(s->w, "Rename");
    fork_of(s, 200, 200, 300, 300);
    born(s, 200, 200, 300, "cron: mail"); /* known already: nothing more to report */
    assert_string_equal(process(s, 300).name, "cron: mail");
    assert_int_equal(watched_own(s->w, "Rename"), own);
    close_stage(s);
}

static void a_process_ends_with_its_last_thread(void **state)
{
    (void)state;
    enum { COUNTED, REPORTED, REPORTED_LATE, WAYS }; /* late: behind the EXIT, before Linux 6.16 */
    for (unsigned way = 0; way < WAYS; way++) {
        struct stage *const s = open_stage_of(way == REPORTED_LATE);
        meet(s, 100, 100, "sh", 1);
        fork_of(s, 100, 100, 200, 200);
        fork_of(s, 200, 200, 200, 201);
        fork_of(s, 200, 201, 200, 202);
        assert_int_equal(process(s, 200).threads, 3);
        const uint32_t order[] = {200, 202, 201};
        for (unsigned i = 0; i < 3; i++) {
            assert_false(process(s, 200).has_ended);
            if (way == REPORTED)
                leaves(s, 200, order[i], "sh", i == 2);
            exit_of(s, 200, order[i]);
            assert_true(thread_ended(s, order[i]));
            if (way == REPORTED_LATE) {
                assert_false(process(s, 200).has_ended);
                leaves(s, 200, order[i], "sh", i == 2);
            }
        }
        assert_true(process(s, 200).has_ended);
        assert_int_equal(watched_hooks(s->w, HOOK_PROCESS_END), 1);
        /* the last switch away from it comes after its end: its row is still there */
        uint32_t owner;
        watched_thread_ended(s->w, 201, &owner);
        assert_int_equal(owner, process(s, 200).number);
        close_stage(s);
    }
}

static void threads_met_by_the_walk_are_counted_once(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    meet(s, 200, 200, "java", 1);
    meet(s, 200, 201, "GC", 1);
    fork_of(s, 200, 201, 200, 202);
    meet(s, 200, 202, "GC", s->now + 5); /* the walk saw it, too */
    exit_of(s, 200, 200);
    exit_of(s, 200, 201);
    assert_int_equal(watched_hooks(s->w, HOOK_PROCESS_END), 0);
    exit_of(s, 200, 202);
    assert_int_equal(watched_hooks(s->w, HOOK_PROCESS_END), 1);
    close_stage(s);
}

static void exec_in_another_thread_takes_the_first_ones_id(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    meet(s, 100, 100, "sh", 1);
    fork_of(s, 100, 100, 200, 200);
    fork_of(s, 200, 200, 200, 201);
    exit_of(s, 200, 200); /* killed by the exec of 201 */
    comm_of(s, 200, 200, "true", true);
    exec_of(s, 200, 201, "/bin/true");
    assert_string_equal(process(s, 200).name, "true");
    assert_false(process(s, 200).has_ended);
    assert_int_equal(process(s, 200).threads, 1);
    assert_true(thread_ended(s, 201));
    assert_false(thread_ended(s, 200));
    exit_of(s, 200, 200);
    assert_true(process(s, 200).has_ended);
    assert_int_equal(watched_hooks(s->w, HOOK_PROCESS_END), 1);
    close_stage(s);
}

/* 5,000 lifetimes with names of their own, ids used again, some of them at the same time. */
static void thousands_are_named_right(void **state)
{
    (void)state;
    enum { LIFETIMES = 5000, AT_ONCE = 37, IDS = 500 };
    struct stage *const s = open_stage();
    uint32_t numbers[LIFETIMES], pids[LIFETIMES];
    meet(s, 2, 2, "make", 1);
    for (unsigned i = 0; i < LIFETIMES + AT_ONCE; i++) {
        char name[16];
        if (i >= AT_ONCE)
            exit_of(s, pids[i - AT_ONCE], pids[i - AT_ONCE]);
        if (i >= LIFETIMES)
            continue;
        pids[i] = 1000 + i % IDS;
        fork_of(s, 2, 2, pids[i], pids[i]);
        snprintf(name, sizeof name, "job %u", i);
        comm_of(s, pids[i], pids[i], name, i % 2);
        numbers[i] = process(s, pids[i]).number;
    }
    for (unsigned i = 0; i < LIFETIMES; i++) {
        char name[16];
        const struct watched_process p = watched_number(s->w, numbers[i]);
        snprintf(name, sizeof name, "job %u", i);
        assert_string_equal(p.name, name);
        assert_int_equal(p.pid, pids[i]);
        assert_int_equal(p.parent, 2);
        assert_true(p.has_started && p.has_ended);
        assert_true(p.start_ns && p.end_ns > p.start_ns);
    }
    assert_int_equal(watched_hooks(s->w, HOOK_PROCESS_START), LIFETIMES);
    assert_int_equal(watched_hooks(s->w, HOOK_PROCESS_END), LIFETIMES);
    assert_int_equal(s->t.unpaired, 0);
    close_stage(s);
}

static void any_bytes_are_names(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    static const char *const names[] = {"\x1b]0;x\x07", "\xff\xfe\x80", "a\nb\tc",
                                        "\xe2\x80\xaezyx", "fifteen bytes !"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        fork_of(s, 1, 1, 200 + i, 200 + i);
        comm_of(s, 200 + i, 200 + i, names[i], true);
        if (i != 1)
            assert_string_equal(process(s, 200 + i).name, names[i]);
        else
            assert_non_null(process(s, 200 + i).name);
    }
    close_stage(s);
}

/* Events since the walk looked are right where the two disagree. */
static void events_win_over_the_walk(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    assert_true(task_trusts(&s->t, 200, 200, 5));
    fork_of(s, 100, 100, 200, 200);
    assert_false(task_trusts(&s->t, 200, 200, s->now - 10)); /* that was another 200 */
    assert_true(task_trusts(&s->t, 200, 200, s->now + 10));
    comm_of(s, 200, 200, "new", true);
    meet(s, 200, 200, "old", s->now - 1);
    fork_of(s, 200, 200, 201, 201);
    assert_string_equal(process(s, 201).name, "new");
    exit_of(s, 200, 200);
    assert_false(task_trusts(&s->t, 200, 200, s->now - 1));
    meet(s, 200, 200, "new", s->now - 1);
    fork_of(s, 100, 100, 200, 200); /* the id again: nothing is left of the one before */
    assert_false(process(s, 200).has_ended);
    close_stage(s);
}

/* The record of a new name was lost: the walk after the loss knows better than the table. */
static void a_name_that_was_lost_comes_with_the_walk(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    meet(s, 100, 100, "parent", 1);
    fork_of(s, 100, 100, 200, 200);
    meet(s, 200, 200, "itself", s->now + 5);
    s->now += 10;
    fork_of(s, 200, 200, 300, 300);
    assert_string_equal(process(s, 300).name, "itself");
    close_stage(s);
}

/* ---- images ----------------------------------------------------------------------------- */

static const char *module_at(const struct stage *s, uint32_t pid, uint64_t address)
{
    return watched_module(s->w, pid, address, s->now);
}

static void images_come_and_go(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    meet(s, 100, 100, "sh", 1);
    fork_of(s, 100, 100, 200, 200);
    map_of(s, 200, 0x1000, 0x2000, "/bin/sh", false);
    map_of(s, 200, 0x8000, 0x1000, "[vdso]", false);
    map_of(s, 200, 0x9000, 0x1000, "//anon", true);
    assert_string_equal(module_at(s, 200, 0x1800), "sh");
    assert_string_equal(module_at(s, 200, 0x8fff), "[vdso]");
    assert_string_equal(module_at(s, 200, 0x3000), "");
    map_of(s, 200, 0x2000, 0x1000, "/lib/x.so (deleted)", false);
    assert_int_equal(watched_hooks(s->w, HOOK_IMAGE_UNLOAD), 1); /* of what lay there */
    assert_string_equal(module_at(s, 200, 0x2800), "x.so (deleted)");
    /* A fork has them all without a word, until it calls exec. */
    const unsigned loads = watched_hooks(s->w, HOOK_IMAGE_LOAD);
    fork_of(s, 200, 200, 300, 300);
    assert_string_equal(module_at(s, 300, 0x8000), "[vdso]");
    assert_int_equal(watched_hooks(s->w, HOOK_IMAGE_LOAD), loads);
    map_of(s, 300, 0x20000, 0x1000, "/lib/late.so", false);
    assert_string_equal(module_at(s, 200, 0x20000), "");
    comm_of(s, 300, 300, "ls", true);
    assert_string_equal(module_at(s, 300, 0x8000), "");
    assert_string_equal(module_at(s, 300, 0x20000), "");
    assert_string_equal(module_at(s, 200, 0x8000), "[vdso]");
    assert_int_equal(watched_hooks(s->w, HOOK_IMAGE_UNLOAD), 2);
    map_of(s, 300, 0x1000, 0x1000, "/bin/ls", false);
    exit_of(s, 300, 300);
    assert_int_equal(watched_hooks(s->w, HOOK_IMAGE_UNLOAD), 3);
    /* What the walk found goes, too. */
    image_met(&s->t, 100, 0x1000, 0x1000);
    image_met(&s->t, 100, 0x1000, 0x1000);
    comm_of(s, 100, 100, "bash", true);
    assert_int_equal(watched_hooks(s->w, HOOK_IMAGE_UNLOAD), 4);
    close_stage(s);
}

/* ---- damage -------------------------------------------------------------------------------- */

/* Bodies cut at every length, from copies of just that size. */
static void cut_bodies_do_no_harm(void **state)
{
    (void)state;
    static const uint32_t types[] = {PERF_RECORD_FORK,  PERF_RECORD_EXIT, PERF_RECORD_COMM,
                                     PERF_RECORD_MMAP2, PERF_RECORD_LOST, 99};
    struct stage *const s = open_stage();
    for (unsigned type = 0; type < sizeof types / sizeof *types; type++)
        for (size_t bytes = 0; bytes < 100; bytes++) {
            uint8_t *const body = malloc(bytes + !bytes);
            memset(body, 0x41 + (int)type, bytes);
            play_body(s, types[type], (uint16_t)(bytes % 2 ? 0xffff : 0), body, bytes);
            free(body);
        }
    close_stage(s);
}

/* Process ids come in turn, and ended processes make room: only living ones take memory. */
static void ended_threads_make_room(void **state)
{
    (void)state;
    enum { LIVING = 1000, COMING = 60000, FIRST = 10000, SMALL = 6 << 20 };
    struct stage *const s = open_stage();
    for (uint32_t pid = FIRST; pid < FIRST + LIVING; pid++)
        fork_of(s, 1, 1, pid, pid);
    for (uint32_t pid = FIRST + LIVING; pid < FIRST + LIVING + COMING; pid++) {
        fork_of(s, 1, 1, pid, pid);
        exit_of(s, pid, pid);
    }
    for (uint32_t pid = FIRST; pid < FIRST + LIVING; pid++)
        assert_int_equal(task_process(&s->t, pid), pid);
    assert_int_equal(s->t.unpaired, 0);
    assert_in_range(domains[DOMAIN_TASK]->bytes(&s->t), 1, SMALL);
    close_stage(s);
}

/* A walk misses threads of a process whose others end meanwhile. */
static void a_thread_that_the_walk_missed_is_met(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    meet(s, 200, 200, "cc1", 1);
    switched(s, 200, 200);
    switched(s, 200, 201);
    switched(s, 200, 201);
    switched(s, 0, 0);
    switched(s, UINT32_MAX, UINT32_MAX);
    assert_int_equal(watched_hooks(s->w, HOOK_THREAD_RUNDOWN), 1);
    assert_int_equal(process(s, 200).threads, 1);
    assert_int_equal(task_process(&s->t, 201), 200);
    assert_false(thread_ended(s, 201));
    meet(s, 200, 201, "worker", s->now + 1); /* a later walk gives it its name, and no other */
    leaves(s, 200, 201, "worker", false);
    exit_of(s, 200, 201);
    assert_true(thread_ended(s, 201));
    assert_false(process(s, 200).has_ended);
    leaves(s, 200, 200, "cc1", true);
    exit_of(s, 200, 200);
    assert_true(process(s, 200).has_ended);
    close_stage(s);
}

/* It was there before us, and ends before the walk comes to it. */
static void a_thread_that_leaves_unknown_has_its_name(void **state)
{
    (void)state;
    struct stage *const s = open_stage();
    leaves(s, 300, 301, "worker", false);
    assert_int_equal(task_process(&s->t, 301), 300);
    exit_of(s, 300, 301);
    assert_true(thread_ended(s, 301));
    assert_string_equal(watched_thread_name(s->w, 301), "worker");
    assert_false(process(s, 300).has_ended);
    close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_the_walk_missed_is_met),
        cmocka_unit_test(a_thread_that_leaves_unknown_has_its_name),
        cmocka_unit_test(ended_threads_make_room),
        cmocka_unit_test(a_lifetime_is_reported),
        cmocka_unit_test(what_we_start_is_born_with_our_name),
        cmocka_unit_test(arguments_come_with_exec),
        cmocka_unit_test(a_child_is_its_parents_users),
        cmocka_unit_test(users_of_one_number_have_one_name),
        cmocka_unit_test(a_start_has_user_and_command),
        cmocka_unit_test(our_children_are_our_users),
        cmocka_unit_test(a_start_has_a_long_command),
        cmocka_unit_test(a_cut_command_is_completed),
        cmocka_unit_test(texts_are_cut_behind_whole_characters),
        cmocka_unit_test(exec_is_no_end),
        cmocka_unit_test(names_of_the_born_are_learned),
        cmocka_unit_test(a_process_ends_with_its_last_thread),
        cmocka_unit_test(threads_met_by_the_walk_are_counted_once),
        cmocka_unit_test(exec_in_another_thread_takes_the_first_ones_id),
        cmocka_unit_test(thousands_are_named_right),
        cmocka_unit_test(any_bytes_are_names),
        cmocka_unit_test(events_win_over_the_walk),
        cmocka_unit_test(a_name_that_was_lost_comes_with_the_walk),
        cmocka_unit_test(images_come_and_go),
        cmocka_unit_test(cut_bodies_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
