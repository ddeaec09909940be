/* The helper: questions in, records and replies out, over a made /proc. */
#include "tests/made_tree.h"
#include "tests/watcher.h"

#include "collectors/linux/translate/job.h"
#include "collectors/linux/translate/task_record.h"
#include "src/base/mem.h"
#include "src/os/os.h"

#include <linux/perf_event.h>
#include <netinet/in.h>

struct stage {
    struct made_tree tree;
    struct collector collector;
    struct feed feed;
    struct translator t;
    struct watcher *w;
    unsigned records;
};

static void begin_tree(struct stage *s)
{
    tree_make(&s->tree);
    tree_text(&s->tree, "proc/kallsyms", "0000000000000000 T _stext\n");
}

static void begin(struct stage *s)
{
    struct err err;
    s->collector.hot = ring_new(8 << 20, RING_SEGMENT);
    s->feed = (struct feed){.collector = &s->collector};
    s->t.feed = &s->feed;
    s->t.self = 1;
    s->w = watcher_new();
    for (unsigned d = 0; d < DOMAINS; d++)
        if (linux_domains[d] && linux_domains[d]->start)
            linux_domains[d]->start(&s->t);
    s->t.helper = helper_start_at(&s->t, s->tree.root, &err);
    assert_non_null(s->t.helper);
}

static void end(struct stage *s)
{
    helper_stop(s->t.helper);
    for (unsigned d = DOMAINS; d-- > 0;)
        if (linux_domains[d] && linux_domains[d]->stop)
            linux_domains[d]->stop(&s->t);
    watcher_free(s->w);
    ring_free(s->collector.hot);
    tree_remove(&s->tree);
    free(s);
}

static void take(struct stage *s)
{
    uint64_t position;
    helper_take(s->t.helper, &s->t);
    for (const struct record_head *head; (head = ring_peek(s->collector.hot, &position));) {
        if (s->t.time)
            assert_int_equal(head->ts, s->t.time);
        watcher_take(s->w, head);
        s->records++;
        ring_release(s->collector.hot);
    }
}

static bool ask(struct stage *s, enum help_kind kind, uint32_t pid)
{
    const struct help question = {.kind = (uint8_t)kind, .domain = DOMAIN_TASK, .pid = pid};
    return helper_ask(s->t.helper, &question);
}

/* Everything that was asked has been answered and taken. */
static void settle(struct stage *s)
{
    const int64_t deadline = os_now() + PATIENCE_NS;
    for (bool is_done = false; !is_done;) {
        const struct helper_figures f = helper_figures(s->t.helper);
        is_done = f.answered == f.asked;
        take(s);
        assert_true(os_now() < deadline);
        if (!is_done)
            os_sleep(1000000);
    }
    for (unsigned before = s->records + 1; before != s->records;) {
        before = s->records;
        take(s);
    }
}

static void a_rundown_reports_all(void **state)
{
    (void)state;
    struct stage *const s = mem_new(1, sizeof *s);
    begin_tree(s);
    tree_process(&s->tree, 1, "init", 0, 1, 0, 1);
    tree_file(&s->tree, "proc/1/cmdline", "/sbin/init\0splash\0", 18);
    tree_text(&s->tree, "proc/1/maps",
              "1000-3000 r-xp 00000000 08:01 9 /sbin/init\n4000-5000 r--p 0 08:01 9 /sbin/init\n");
    tree_link(&s->tree, "proc/1/fd/0", "/dev/null");
    tree_process(&s->tree, 2, "kthreadd", 0, 0, 0x200000, 1);
    tree_process(&s->tree, 40, "evil\x1b[2J)", 1, 40, 0, 3);
    tree_text(&s->tree, "proc/40/task/40/comm", "evil\x1b[2J)\n");
    tree_text(&s->tree, "proc/40/task/41/comm", "one\n");
    tree_text(&s->tree, "proc/40/task/42/comm", "two\n");
    tree_process(&s->tree, 50, "zombie", 1, 40, 0, 1);
    tree_text(&s->tree, "proc/50/stat",
              "50 (zombie) Z 1 7 40 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 12345 1 2 3\n");
    tree_text(&s->tree, "proc/kallsyms", "ffffffff81000000 T _stext\nffffffff82000000 T _etext\n");
    tree_text(&s->tree, "sys/block/vda/dev", "254:0\n");
    tree_text(&s->tree, "sys/block/vda/size", "2048\n");
    begin(s);
    s->t.time = 5; /* what the rings have reached */
    assert_false(helper_has_kernel(s->t.helper));
    assert_true(ask(s, HELP_RUNDOWN, 0));
    settle(s);
    assert_true(helper_has_kernel(s->t.helper)); /* a session does not end before it has */
    struct watched_process p = watched_process(s->w, 1);
    assert_string_equal(p.name, "init");
    assert_string_equal(p.command, "/sbin/init splash");
    assert_int_equal(p.session, 1);
    assert_false(p.has_started || p.has_ended);
    assert_string_equal(watched_module(s->w, 1, 0x2fff, 5), "init");
    assert_string_equal(watched_module(s->w, 1, 0x4000, 5), "");
    assert_string_equal(watched_module(s->w, 1, 0xffffffff81000004, 5), "[kernel.kallsyms]");
    assert_string_equal(watched_process(s->w, 2).name, "kthreadd");
    p = watched_process(s->w, 40);
    assert_string_equal(p.name, "evil\x1b[2J)");
    assert_int_equal(p.threads, 3);
    assert_int_equal(p.parent, 1);
    uint32_t owner;
    assert_false(watched_thread_ended(s->w, 42, &owner));
    assert_int_equal(owner, p.number);
    assert_int_equal(watched_process(s->w, 50).number, 0); /* it has ended */
    assert_int_equal(watched_hooks(s->w, HOOK_PROCESS_RUNDOWN), 3);
    assert_int_equal(watched_hooks(s->w, HOOK_THREAD_RUNDOWN), 5);
    assert_int_equal(watched_hooks(s->w, HOOK_FILE_RUNDOWN), 1);
    assert_int_equal(watched_hooks(s->w, HOOK_PHYSICAL_DISK), 1);
    const struct help later = {.kind = HELP_DISK, .fd = 254 << 20, .key = 4096},
                      gone = {.kind = HELP_DISK, .fd = 7 << 20, .key = 4097};
    assert_true(helper_ask(s->t.helper, &later));
    assert_true(helper_ask(s->t.helper, &gone));
    settle(s);
    assert_int_equal(watched_hooks(s->w, HOOK_PHYSICAL_DISK), 2);
    assert_int_equal(watched_own(s->w, "Machine"), 1);
    assert_int_equal(watched_own(s->w, "Mapping"), 1);
    assert_int_equal(notices_count(&s->collector.notices), 0);
    end(s);
}

static void hidden_addresses_are_reported(void **state)
{
    (void)state;
    struct stage *const s = mem_new(1, sizeof *s);
    begin_tree(s);
    begin(s);
    assert_true(ask(s, HELP_RUNDOWN, 0));
    settle(s);
    assert_int_equal(notices_count(&s->collector.notices), 1);
    char notice[NOTICE_BYTES];
    assert_true(notices_read(&s->collector.notices, 0, notice));
    assert_non_null(strstr(notice, "kptr_restrict"));
    end(s);
}

static void a_process_is_described_or_gone(void **state)
{
    (void)state;
    struct stage *const s = mem_new(1, sizeof *s);
    begin_tree(s);
    tree_process(&s->tree, 7, "ls", 1, 3, 0, 1);
    tree_file(&s->tree, "proc/7/cmdline", "ls\0-l\0", 6);
    tree_link(&s->tree, "proc/7/exe", "/bin/ls");
    begin(s);
    assert_true(ask(s, HELP_PROCESS, 7));
    assert_true(ask(s, HELP_PROCESS, 8));
    settle(s);
    const struct watched_process p = watched_process(s->w, 7);
    assert_string_equal(p.name, "ls");
    assert_string_equal(p.command, "ls -l");
    assert_int_equal(p.parent, 1);
    assert_int_equal(p.session, 3);
    assert_int_equal(watched_own(s->w, "Command"), 1);
    assert_int_equal(helper_figures(s->t.helper).gone, 1);
    end(s);
}

/* ---- replies --------------------------------------------------------------------------- */

static bool next_letter(struct job *e, struct reply *out)
{
    uint64_t position;
    const struct record_head *const head = ring_peek(e->collector.hot, &position);
    if (!head)
        return false;
    assert_int_equal(head->form, RECORD_REPLY);
    memset(out, 0, sizeof *out);
    memcpy(out, head + 1, head->bytes - sizeof *head);
    ring_release(e->collector.hot);
    return true;
}

static void descriptors_come_as_replies(void **state)
{
    (void)state;
    static const char tcp[] =
        "  sl  local_address rem_address   st\n"
        "   0: 0100007F:1F90 0202A8C0:0050 01 00000000:00000000 00:00000000 00000000  0  0 77 1\n";
    struct made_tree tree;
    struct job *const e = mem_new(1, sizeof *e);
    struct translator *const t = mem_new(1, sizeof *t);
    struct err err;
    char file[128], long_name[1200], path[1400];
    tree_make(&tree);
    tree_text(&tree, "proc/7/net/tcp", tcp);
    tree_text(&tree, "some file", "x");
    snprintf(file, sizeof file, "%s/some file", tree.root);
    tree_link(&tree, "proc/7/fd/3", file);
    tree_link(&tree, "proc/7/fd/4", "socket:[77]");
    tree_link(&tree, "proc/7/fd/5", "socket:[78]");
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    snprintf(path, sizeof path, "pipe:%s.end", long_name);
    tree_link(&tree, "proc/7/fd/6", path);
    assert_true(job_init(e, t, tree.root, &err));
    struct reply m;
    struct stat file_stat;
    assert_int_equal(stat(file, &file_stat), 0);
    struct help q = {.kind = HELP_FD, .domain = DOMAIN_FILE, .pid = 7, .fd = 3, .key = 1234};
    job_fd(e, &q);
    assert_true(next_letter(e, &m));
    assert_true(m.is_found && m.is_file);
    assert_int_equal(m.domain, DOMAIN_FILE);
    assert_int_equal(m.key, 1234);
    assert_string_equal(m.path, file);
    assert_int_equal(m.inode, file_stat.st_ino);
    q.fd = 4;
    job_fd(e, &q);
    assert_true(next_letter(e, &m));
    assert_true(m.is_found && !m.is_file);
    assert_int_equal(m.inode, 77);
    assert_int_equal(m.family, AF_INET);
    assert_int_equal(m.protocol, IPPROTO_TCP);
    assert_int_equal(m.local_port, 8080);
    assert_memory_equal(m.remote, "\xc0\xa8\x02\x02", 4);
    q.fd = 5; /* of another family */
    job_fd(e, &q);
    assert_true(next_letter(e, &m));
    assert_true(m.is_found && !m.is_file);
    assert_int_equal(m.inode, 78);
    assert_int_equal(m.family, 0);
    q.fd = 6;
    job_fd(e, &q);
    assert_true(next_letter(e, &m));
    assert_int_equal(strlen(m.path), sizeof m.path - 1);
    assert_memory_equal(m.path, "\u2026aaa", 6);
    assert_string_equal(m.path + sizeof m.path - 5, ".end");
    q.fd = 9;
    job_fd(e, &q);
    assert_true(next_letter(e, &m));
    assert_false(m.is_found);
    assert_int_equal(m.fd, 9);
    q = (struct help){.kind = HELP_SOCKETS, .domain = DOMAIN_NETWORK, .pid = 7};
    job_sockets(e, &q);
    assert_true(next_letter(e, &m));
    assert_int_equal(m.fd, 4);
    assert_int_equal(m.local_port, 8080);
    assert_true(next_letter(e, &m)); /* which ends the list */
    assert_true(m.is_found);
    assert_int_equal(m.family, 0);
    assert_false(next_letter(e, &m));
    job_fini(e);
    tree_remove(&tree);
    free(t);
    free(e);
}

/* A flood of questions: all are answered or counted as dropped, and nothing waits. */
static void a_full_queue_drops_and_counts(void **state)
{
    (void)state;
    enum { QUESTIONS = 50000 };
    struct stage *const s = mem_new(1, sizeof *s);
    begin_tree(s);
    begin(s);
    unsigned refused = 0;
    for (unsigned i = 0; i < QUESTIONS; i++)
        refused += !ask(s, HELP_PROCESS, 9);
    settle(s);
    const struct helper_figures f = helper_figures(s->t.helper);
    assert_int_equal(f.asked + f.dropped, QUESTIONS);
    assert_int_equal(f.dropped, refused);
    assert_int_equal(f.answered, f.asked);
    assert_int_equal(f.gone, f.asked);
    end(s);
}

/* After a loss the walk is made again, once, however much was lost. */
static void a_loss_is_walked_over(void **state)
{
    (void)state;
    struct stage *const s = mem_new(1, sizeof *s);
    begin_tree(s);
    tree_process(&s->tree, 7, "late", 1, 3, 0, 1);
    begin(s);
    const struct linux_domain *const task = linux_domains[DOMAIN_TASK];
    const struct sample loss = {.type = PERF_RECORD_LOST};
    const int64_t minute = 60 * 1000000000ll;
    task->tick(&s->t, minute);
    assert_int_equal(helper_figures(s->t.helper).asked, 0);
    task->side_band(&s->t, &loss);
    task->side_band(&s->t, &loss);
    task->tick(&s->t, minute);
    task->side_band(&s->t, &loss);
    task->tick(&s->t, minute + 1);
    settle(s);
    assert_int_equal(helper_figures(s->t.helper).asked, 1);
    assert_string_equal(watched_process(s->w, 7).name, "late");
    task->tick(&s->t, 2 * minute);
    assert_int_equal(helper_figures(s->t.helper).asked, 2);
    settle(s);
    end(s);
}

/* More than the mailbox holds, and nobody takes it: stopping must not hang. */
static void stopping_does_not_wait_for_room(void **state)
{
    (void)state;
    struct stage *const s = mem_new(1, sizeof *s);
    enum { COMMAND = 4000, PROCESSES = 1200 };
    char *const text = mem_new(COMMAND, 1);
    memset(text, 'x', COMMAND);
    begin_tree(s);
    for (unsigned i = 0; i < PROCESSES; i++) {
        char path[64];
        tree_process(&s->tree, 100 + i, "big", 1, 1, 0, 1);
        snprintf(path, sizeof path, "proc/%u/cmdline", 100 + i);
        tree_file(&s->tree, path, text, COMMAND);
    }
    begin(s);
    assert_true(ask(s, HELP_RUNDOWN, 0));
    const struct ring *const mailbox = helper_mailbox(s->t.helper);
    while (ring_figures(mailbox).head < ring_capacity(mailbox) / 2) /* no more is ever unread */
        os_sleep(1000000);
    assert_int_equal(helper_figures(s->t.helper).answered, 0); /* it waits for room */
    free(text);
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rundown_reports_all),
        cmocka_unit_test(hidden_addresses_are_reported),
        cmocka_unit_test(a_process_is_described_or_gone),
        cmocka_unit_test(descriptors_come_as_replies),
        cmocka_unit_test(a_full_queue_drops_and_counts),
        cmocka_unit_test(a_loss_is_walked_over),
        cmocka_unit_test(stopping_does_not_wait_for_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
