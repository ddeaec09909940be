/* Reading /proc and /sys: lines of every form, and a made tree. */
#include "tests/made_tree.h"

#include "collectors/linux/proc/proc.h"
#include "collectors/linux/translate/helper.h"

#include <netinet/in.h>
#include <sys/stat.h>

/* ---- lines ------------------------------------------------------------------------ */

static void stat_lines_are_read_whatever_the_name(void **state)
{
    (void)state;
    static const struct {
        const char *text, *comm;
        uint32_t pid, parent, session, threads;
        bool is_kernel, has_ended;
    } rows[] = {
        {"7 (cat) R 3 4 5 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 2 0 9\n", "cat", 7, 3, 5, 2, 0, 0},
        {"7 (a) S (b) S 3 4 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9\n", "a) S (b", 7, 3, 5, 1, 0, 0},
        {"7 () S 3 4 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9\n", "", 7, 3, 5, 1, 0, 0},
        {"7 (\x1b[2J\n) S 3 4 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9\n", "\x1b[2J\n", 7, 3, 5, 1, 0,
         0},
        {"7 (sh) Z 3 4 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9\n", "sh", 7, 3, 5, 1, 0, 1},
        {"7 (sh) Z 3 4 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 4 0 9\n", "sh", 7, 3, 5, 4, 0, 0},
        {"9 (kworker/0:1-events) I 2 0 0 0 -1 2097152 0 0 0 0 0 0 0 0 20 0 1 0 9\n", "kworker/0:1",
         9, 2, 0, 1, 1, 0},
        {"9 (kworker/R-mm_percpu_wq-mm) I 2 0 0 0 -1 2097152 0 0 0 0 0 0 0 0 20 0 1 0 9\n",
         "kworker/R-mm_pe", 9, 2, 0, 1, 1, 0},
        {"9 (kworker/0:1-mine) S 2 0 0 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9\n", "kworker/0:1-mine", 9,
         2, 0, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct proc_task t;
        if (!proc_parse_stat(rows[i].text, strlen(rows[i].text), &t))
            fail_msg("row %zu: not read", i);
        assert_string_equal(t.comm, rows[i].comm);
        assert_int_equal(t.comm_bytes, strlen(rows[i].comm));
        assert_int_equal(t.pid, rows[i].pid);
        assert_int_equal(t.parent, rows[i].parent);
        assert_int_equal(t.session, rows[i].session);
        assert_int_equal(t.threads, rows[i].threads);
        assert_int_equal(t.is_kernel, rows[i].is_kernel);
        assert_int_equal(t.has_ended, rows[i].has_ended);
    }
}

/* Every prefix from a copy of just its size, so that a sanitizer sees one byte too far. */
static void cut_lines_are_refused(void **state)
{
    (void)state;
    static const char stat[] = "7 (cat) R 3 4 5 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 2";
    static const char map[] = "1000-2000 r-xp 00002000 fe:01 77 /bin/x";
    static const char socket[] = " 0: 0100007F:1F90 0200007F:0050 01 0:0 0:0 0 0 0 12345";
    for (size_t n = 0; n < sizeof stat; n++) {
        char *const copy = malloc(n + 1);
        memcpy(copy, stat, n);
        copy[n] = '\0';
        struct proc_task t;
        assert_int_equal(proc_parse_stat(copy, n, &t), n == sizeof stat - 1);
        free(copy);
    }
    for (size_t n = 0; n < sizeof map; n++) {
        char *const copy = malloc(n + 1);
        memcpy(copy, map, n);
        copy[n] = '\0';
        struct proc_mapping m;
        if (proc_parse_mapping(copy, n, &m) && n < sizeof map - 9)
            assert_in_range(n, 31, 40); /* a shorter inode, or no path yet */
        free(copy);
    }
    for (size_t n = 0; n < sizeof socket; n++) {
        char *const copy = malloc(n + 1);
        memcpy(copy, socket, n);
        copy[n] = '\0';
        struct proc_socket s;
        if (proc_parse_socket(copy, &s))
            assert_in_range(n, 50, sizeof socket);
        free(copy);
    }
}

static void mappings_are_the_executable_ones(void **state)
{
    (void)state;
    static const struct {
        const char *line, *path;
        uint64_t base, size, offset, dev, inode;
    } rows[] = {
        {"55d0c0000000-55d0c0002000 r-xp 00003000 fe:01 247498    /usr/bin/head", "/usr/bin/head",
         0x55d0c0000000, 0x2000, 0x3000, 0xfe00001, 247498},
        {"7fff0-7fff8 r-xp 00000000 00:00 0                          [vdso]", "[vdso]", 0x7fff0, 8,
         0, 0, 0},
        {"1000-2000 rwxp 00000000 00:00 0 ", "//anon", 0x1000, 0x1000, 0, 0, 0},
        {"1000-2000 r-xs 00000000 00:01 5 /memfd:a b (deleted)", "/memfd:a b (deleted)", 0x1000,
         0x1000, 0, 1, 5},
        {"1000-2000 r-xp 00000000 00:01 5 /a\\012b\\n\xff", "/a\nb\\n\xff", 0x1000, 0x1000, 0, 1,
         5},
        {"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]", "[vsyscall]",
         0xffffffffff600000, 0x1000, 0, 0, 0},
        {"1000-2000 rw-p 00000000 00:01 5 /data", NULL, 0, 0, 0, 0, 0},
        {"2000-1000 r-xp 00000000 00:01 5 /backwards", NULL, 0, 0, 0, 0, 0},
        {"nonsense", NULL, 0, 0, 0, 0, 0},
        {"", NULL, 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[256];
        struct proc_mapping m;
        strcpy(line, rows[i].line);
        if (proc_parse_mapping(line, strlen(line), &m) != (rows[i].path != NULL))
            fail_msg("row %zu", i);
        if (!rows[i].path)
            continue;
        assert_string_equal(m.path, rows[i].path);
        assert_int_equal(m.path_bytes, strlen(rows[i].path));
        assert_int_equal(m.base, rows[i].base);
        assert_int_equal(m.size, rows[i].size);
        assert_int_equal(m.offset, rows[i].offset);
        assert_int_equal(m.dev, rows[i].dev);
        assert_int_equal(m.inode, rows[i].inode);
    }
}

static void sockets_have_addresses_in_network_order(void **state)
{
    (void)state;
    static const char v4[] = "   1: 0100007F:1F90 0202A8C0:0050 01 00000000:00000000 00:00000000 "
                             "00000000     0        0 12345 1 0000000000000000 100 0 0 10 0";
    static const char v6[] = "   0: 00000000000000000000000001000000:0016 "
                             "0000000000000000FFFF00000100007F:C001 0A 00000000:00000000 "
                             "00:00000000 00000000     0        0 77 1 0 100 0 0 10 0";
    struct proc_socket s;
    assert_true(proc_parse_socket(v4, &s));
    assert_int_equal(s.family, AF_INET);
    assert_memory_equal(s.local, "\x7f\0\0\x01", 4);
    assert_memory_equal(s.remote, "\xc0\xa8\x02\x02", 4);
    assert_int_equal(s.local_port, 8080);
    assert_int_equal(s.remote_port, 80);
    assert_int_equal(s.inode, 12345);
    assert_true(proc_parse_socket(v6, &s));
    assert_int_equal(s.family, AF_INET6);
    assert_memory_equal(s.local, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01", 16);
    assert_memory_equal(s.remote, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\x01", 16);
    assert_int_equal(s.local_port, 22);
    assert_int_equal(s.inode, 77);
    assert_false(proc_parse_socket("  sl  local_address rem_address   st tx_queue", &s));
    /* in TIME_WAIT nobody holds it */
    assert_false(proc_parse_socket("   1: 0100007F:1F90 0202A8C0:0050 06 0:0 0:0 0 0 0 0 3 0", &s));
}

/* ---- a tree ------------------------------------------------------------------------- */

struct seen {
    unsigned count;
    char text[64][192];
};

static bool see_thread(void *to, const struct proc_task *t)
{
    struct seen *const s = to;
    snprintf(s->text[s->count++], sizeof s->text[0], "%u %s", t->tid, t->comm);
    return true;
}

static bool see_mapping(void *to, const struct proc_mapping *m)
{
    struct seen *const s = to;
    snprintf(s->text[s->count++], sizeof s->text[0], "%llx+%llx %.*s", (unsigned long long)m->base,
             (unsigned long long)m->size, (int)m->path_bytes, m->path);
    return true;
}

static bool see_descriptor(void *to, const struct proc_fd *f)
{
    struct seen *const s = to;
    s->count += 1 + 10 * (unsigned)f->is_file + 100 * (f->socket == 77 && f->inode == 77);
    return true;
}

static bool see_partition(void *to, const struct proc_partition *p)
{
    struct seen *const s = to;
    snprintf(s->text[s->count++], sizeof s->text[0], "%s %u %llu+%llu", p->name, p->number,
             (unsigned long long)p->start, (unsigned long long)p->bytes);
    return true;
}

static void a_tree_is_walked(void **state)
{
    (void)state;
    struct made_tree tree;
    struct proc p;
    struct err err;
    struct seen seen = {0};
    tree_make(&tree);
    tree_process(&tree, 12, "two words", 1, 12, 0, 2);
    tree_text(&tree, "proc/12/task/12/comm", "two words\n");
    tree_text(&tree, "proc/12/task/13/comm", "ln\nfeed\n");
    tree_file(&tree, "proc/12/cmdline", "/bin/x\0--name\0\0", 15);
    tree_text(&tree, "proc/12/maps",
              "1000-3000 r-xp 0 08:01 9 /bin/x\n3000-4000 rw-p 0 0:0 0\n"
              "5000-6000 r-xp 0 0:0 0 [vdso]");
    tree_link(&tree, "proc/12/fd/0", "/dev/null");
    tree_link(&tree, "proc/12/fd/1", "socket:[77]");
    tree_link(&tree, "proc/12/fd/2", "pipe:[78]");
    tree_link(&tree, "proc/12/fd/3", "/nowhere/at/all");
    tree_link(&tree, "proc/12/ns/net", "net:[4026531840]");
    tree_text(&tree, "proc/self_is_no_process/stat", "1");
    assert_true(proc_open(&p, tree.root, &err));

    uint32_t *pids;
    assert_int_equal(proc_pids(&p, &pids), 1);
    assert_int_equal(pids[0], 12);
    free(pids);
    struct proc_task t;
    assert_true(proc_task(&p, 12, &t));
    assert_string_equal(t.comm, "two words");
    assert_true(proc_threads(&p, &t, see_thread, &seen));
    assert_int_equal(seen.count, 1);
    assert_string_equal(seen.text[0], "13 ln\nfeed");
    char command[64];
    assert_int_equal(proc_command(&p, 12, command, sizeof command), 13);
    assert_string_equal(command, "/bin/x --name");
    assert_int_equal(proc_command(&p, 12, command, 12), 11); /* one that is longer is marked */
    assert_string_equal(command, "/bin/x -…");
    seen.count = 0;
    assert_true(proc_mappings(&p, 12, see_mapping, &seen));
    assert_int_equal(seen.count, 2);
    assert_string_equal(seen.text[0], "1000+2000 /bin/x");
    assert_string_equal(seen.text[1], "5000+1000 [vdso]");
    seen.count = 0;
    assert_true(proc_descriptors(&p, 12, see_descriptor, &seen));
    assert_int_equal(seen.count, 3 + 10 + 100); /* the fourth was closed meanwhile */
    assert_true(proc_network(&p, 12) == 4026531840u);
    const uint64_t gone = p.gone;
    assert_false(proc_task(&p, 99, &t));
    assert_int_equal(p.gone, gone + 1);
    tree_process(&tree, 14, "torn", 0, 0, 0, 0); /* between its end and its parent's wait */
    assert_false(proc_task(&p, 14, &t));
    assert_int_equal(p.gone, gone + 2);
    proc_close(&p);
    tree_remove(&tree);
}

/* What the kernel says of a thread that is in no call, in one of 32 bits, or runs, is no call. */
static void calls_that_wait_are_read(void **state)
{
    (void)state;
#define REST  " 0x5 0x1 0x0 0x0 0x0"
#define STACK " 0x7ffd8a6b0e48 0x7f0dd1b2a9ee\n"
    static const struct {
        const char *text;
        int64_t call; /* -1: none */
        unsigned file;
    } rows[] = {
        {"running\n", -1, 0},
        {"-1 0x7ffd8a6b0e48 0x7f0dd1b2a9ee\n", -1, 0},
        {"", -1, 0},
        {"0 0x3" REST, -1, 0},
        {"240 0x3" REST " 0xffd8a6b0 0xf7f0dd1b\n", -1, 0},
        {"0 0x3" REST STACK, 0, S_IFIFO},
        {"0 0x4" REST STACK, 0, S_IFSOCK},
        {"0 0x5" REST STACK, 0, S_IFCHR},
        {"0 0x6" REST STACK, 0, S_IFREG},
        {"0 0x7" REST STACK, 0, 0},
        {"202 0x7f0dd1cd5990" REST STACK, 202, 0},
    };
    static const char *const open[] = {"pipe:[77]", "socket:[78]", "/dev/pts/0", "/var/log/x",
                                       "anon_inode:[eventfd]"};
    struct made_tree tree;
    struct proc p;
    struct err err;
    tree_make(&tree);
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        char path[64];
        snprintf(path, sizeof path, "proc/12/fd/%zu", i + 3);
        tree_link(&tree, path, open[i]);
    }
    assert_true(proc_open(&p, tree.root, &err));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t call = -1;
        unsigned file = 0;
        tree_text(&tree, "proc/12/task/13/syscall", rows[i].text);
        const bool waits = proc_waiting_call(&p, 12, 13, &call, &file);
        if (waits != (rows[i].call >= 0) ||
            (waits && (call != rows[i].call || file != rows[i].file)))
            fail_msg("row %zu: %d, call %d, file %o", i, waits, (int)call, file);
    }
    assert_false(proc_waiting_call(&p, 12, 99, &(int64_t){0}, &(unsigned){0}));
    proc_close(&p);
    tree_remove(&tree);
}

static void users_have_the_systems_names(void **state)
{
    (void)state;
    struct made_tree tree;
    struct proc p;
    struct err err;
    struct proc_users users;
    uint32_t uid;
    tree_make(&tree);
    tree_text(&tree, "proc/12/status", "Name:\tx\nUid:\t1000\t33\t33\t33\nGid:\t1\t2\t3\t4\n");
    tree_text(&tree, "proc/13/status", "Name:\tUid:\nGid:\t1\n");
    assert_true(proc_open(&p, tree.root, &err));
    proc_users_read(&p, &users); /* there is no list */
    assert_string_equal(proc_user_name(&users, 33), "");
    tree_text(&tree, "etc/passwd",
              "root:x:0:0::/root:/bin/sh\nhalf a line\n:x:5:5::/:\nodd:x:five:5::/:\n"
              "www:x:33:33::/:\nsame:x:33:33::/:\n"
              "a-name-that-is-longer-than-any-system-permits:x:44:44::/:\n");
    proc_users_read(&p, &users);
    assert_int_equal(users.count, 4);
    assert_string_equal(proc_user_name(&users, 0), "root");
    assert_string_equal(proc_user_name(&users, 33), "www"); /* the first, as for everybody */
    assert_string_equal(proc_user_name(&users, 44), "a-name-that-is-longer-than-any-s");
    assert_string_equal(proc_user_name(&users, 5), "");
    assert_true(proc_owner(&p, 12, &uid));
    assert_int_equal(uid, 33); /* as whom it acts */
    assert_false(proc_owner(&p, 13, &uid));
    assert_false(proc_owner(&p, 99, &uid));
    proc_close(&p);
    tree_remove(&tree);
}

static void the_kernel_is_found_or_hidden(void **state)
{
    (void)state;
    struct made_tree tree;
    struct proc p;
    struct err err;
    struct seen seen = {0};
    bool hidden;
    tree_make(&tree);
    tree_text(&tree, "proc/kallsyms",
              "ffffffff81000000 T _text\nffffffff81000040 T _stext\n"
              "ffffffff82000000 T _etext\n");
    tree_text(&tree, "proc/modules",
              "xfs 4096 1 crc, Live 0xffffffffc0000000 (E)\n"
              "odd\nnothing 0 0 - Live 0xffffffffc0001000\n");
    assert_true(proc_open(&p, tree.root, &err));
    assert_true(proc_kernel(&p, see_mapping, &seen, &hidden));
    assert_false(hidden);
    assert_int_equal(seen.count, 2);
    assert_string_equal(seen.text[0], "ffffffff81000040+ffffc0 [kernel.kallsyms]");
    assert_string_equal(seen.text[1], "ffffffffc0000000+1000 [xfs]");
    tree_text(&tree, "proc/kallsyms", "0000000000000000 T _stext\n0000000000000000 T _etext\n");
    tree_text(&tree, "proc/modules", "xfs 4096 1 crc, Live 0x0000000000000000 (E)\n");
    seen.count = 0;
    assert_false(proc_kernel(&p, see_mapping, &seen, &hidden));
    assert_true(hidden);
    assert_int_equal(seen.count, 0);
    proc_close(&p);
    tree_remove(&tree);
}

/* Of a path the end is kept, in whole characters. */
static void files_of_loops_fit(void **state)
{
    (void)state;
    struct made_tree tree;
    struct proc p;
    struct err err;
    struct proc_disk *disks;
    char path[400] = "/";
    tree_make(&tree);
    for (unsigned i = 0; i < 50; i++)
        strcat(path, "äöü");
    strcat(path, "\x1b[2J\n");
    tree_text(&tree, "sys/block/loop0/dev", "7:0\n");
    tree_text(&tree, "sys/block/loop0/size", "8\n");
    tree_text(&tree, "sys/block/loop0/loop/backing_file", path);
    assert_true(proc_open(&p, tree.root, &err));
    assert_int_equal(proc_disks(&p, &disks), 1);
    assert_memory_equal(disks[0].model, "/…", 4);
    assert_string_equal(disks[0].model + strlen(disks[0].model) - 4, "\x1b[2J");
    assert_int_equal(strlen(disks[0].model), 4 + 80);
    free(disks);
    proc_close(&p);
    tree_remove(&tree);
}

static void disks_are_listed_by_device(void **state)
{
    (void)state;
    struct made_tree tree;
    struct proc p;
    struct err err;
    struct seen seen = {0};
    tree_make(&tree);
    tree_text(&tree, "sys/block/vda/dev", "254:0\n");
    tree_text(&tree, "sys/block/vda/size", "2048\n");
    tree_text(&tree, "sys/block/vda/queue/logical_block_size", "4096\n");
    tree_text(&tree, "sys/block/vda/queue/write_cache", "write back\n");
    tree_text(&tree, "sys/block/vda/vda1/partition", "1\n");
    tree_text(&tree, "sys/block/vda/vda1/start", "64\n");
    tree_text(&tree, "sys/block/vda/vda1/size", "1024\n");
    tree_text(&tree, "sys/block/sda/dev", "8:16\n");
    tree_text(&tree, "sys/block/sda/size", "10\n");
    tree_text(&tree, "sys/block/sda/device/model", "FAST DISK   \n");
    tree_text(&tree, "sys/block/loop0/dev", "7:0\n");
    tree_text(&tree, "sys/block/loop0/size", "0\n");
    tree_text(&tree, "sys/block/loop1/dev", "7:1\n");
    tree_text(&tree, "sys/block/loop1/size", "8\n");
    tree_text(&tree, "sys/block/loop1/loop/backing_file", "/srv/image\n");
    tree_text(&tree, "sys/block/dm-0/dev", "253:0\n");
    tree_text(&tree, "sys/block/dm-0/size", "8\n");
    tree_text(&tree, "sys/block/dm-0/dm/name", "disks-root\n");
    assert_true(proc_open(&p, tree.root, &err));
    struct proc_disk *all, *disks;
    assert_int_equal(proc_disks(&p, &all), 4);
    assert_string_equal(all[0].name, "loop1");
    assert_string_equal(all[0].model, "/srv/image");
    assert_string_equal(all[2].name, "dm-0");
    assert_string_equal(all[2].model, "/dev/mapper/disks-root");
    all[2] = all[1];
    disks = all + 2;
    assert_string_equal(disks[0].name, "sda");
    assert_string_equal(disks[0].model, "FAST DISK");
    assert_int_equal(disks[0].dev, 8 << 20 | 16);
    assert_int_equal(disks[0].bytes, 5120);
    assert_string_equal(disks[1].name, "vda");
    assert_int_equal(disks[1].sector, 4096);
    assert_int_equal(disks[1].partitions, 1);
    assert_true(disks[1].is_write_cached);
    proc_partitions(&p, &disks[1], see_partition, &seen);
    assert_int_equal(seen.count, 1);
    assert_string_equal(seen.text[0], "vda1 1 32768+524288");
    free(all);
    proc_close(&p);
    tree_remove(&tree);
}

static bool count_line(void *to, char *line, size_t length)
{
    uint64_t *const sums = to;
    sums[0]++;
    sums[1] += length;
    return strlen(line) == length;
}

/* Lines around the size of what is read at once, and one that is longer than any may be. */
static void long_tables_are_read_line_by_line(void **state)
{
    (void)state;
    struct made_tree tree;
    struct proc p;
    struct err err;
    enum { LINES = 3000, LONG = 200000 };
    char *const text = malloc(LINES * 100 + LONG + 16);
    size_t used = 0;
    uint64_t bytes = 0;
    for (unsigned i = 0; i < LINES; i++) {
        const size_t length = i % 97;
        memset(text + used, 'a', length);
        text[used + length] = '\n';
        used += length + 1;
        bytes += length;
        if (i == LINES / 2) {
            memset(text + used, 'b', LONG);
            used += LONG;
            text[used++] = '\n';
        }
    }
    memcpy(text + used, "last", 4);
    tree_make(&tree);
    tree_file(&tree, "table", text, used + 4);
    assert_true(proc_open(&p, tree.root, &err));
    uint64_t sums[2] = {0};
    assert_true(proc_lines(&p, "table", count_line, sums));
    assert_int_equal(sums[0], LINES + 1);
    assert_int_equal(sums[1], bytes + 4);
    proc_close(&p);
    tree_remove(&tree);
    free(text);
}

static void this_process_is_found(void **state)
{
    (void)state;
    struct proc p;
    struct err err;
    struct seen seen = {0};
    struct proc_task t;
    assert_true(proc_open(&p, "/", &err));
    assert_true(proc_task(&p, (uint32_t)getpid(), &t));
    assert_int_equal(t.parent, getppid());
    assert_int_equal(t.session, getsid(0));
    assert_int_equal(t.threads, 1);
    char path[PROC_PATH];
    struct proc_fd f;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    assert_true(proc_descriptor_of(&p, t.pid, pipes[0], &f, path));
    assert_false(f.is_file);
    close(pipes[0]);
    close(pipes[1]);
    assert_false(proc_descriptor_of(&p, t.pid, pipes[0], &f, path));
    assert_true(proc_descriptors(&p, t.pid, see_descriptor, &seen));
    assert_true(seen.count >= 3);
    proc_close(&p);
}

/* An ELF file with nothing in it but the note of its build id. */
static void make_elf(const struct made_tree *tree, const char *path, uint8_t id)
{
    enum { HEAD = 64, PROGRAM = 56, NOTE = 36, PT_NOTE_TYPE = 4, BUILD_ID_TYPE = 3 };
    uint8_t elf[HEAD + PROGRAM + NOTE] = "\177ELF\2\1\1";
    uint8_t *const program = elf + HEAD, *const note = program + PROGRAM;
    elf[32] = HEAD;
    elf[54] = PROGRAM;
    elf[56] = 1;
    program[0] = PT_NOTE_TYPE;
    program[8] = HEAD + PROGRAM;
    program[32] = program[40] = NOTE;
    note[0] = 4;
    note[4] = 20;
    note[8] = BUILD_ID_TYPE;
    memcpy(note + 12, "GNU", 4);
    memset(note + 16, id, 20);
    tree_file(tree, path, elf, sizeof elf);
}

static unsigned build_of(struct proc *p, struct proc_builds *b, uint64_t inode)
{
    const struct proc_mapping m = {
        .base = 0x1000, .size = 0x1000, .dev = 1, .inode = inode, .path = ""};
    struct build_id id;
    proc_build_id(p, b, 7, &m, &id);
    return id.count ? id.bytes[0] : 0;
}

/* More files than are remembered: the newest are, for which the oldest made room. */
static void the_newest_builds_are_known(void **state)
{
    (void)state;
    enum { FIRST = 1, OTHER, FILES = PROC_BUILDS + 100 };
    static const char path[] = "proc/7/map_files/1000-2000";
    struct made_tree tree;
    struct proc p;
    struct proc_builds builds;
    struct err err;
    char all[512];
    tree_make(&tree);
    make_elf(&tree, path, FIRST);
    assert_true(proc_open(&p, tree.root, &err));
    proc_builds_init(&builds);
    for (uint64_t inode = 1; inode <= FILES; inode++)
        assert_int_equal(build_of(&p, &builds, inode), FIRST);
    tree_path(&tree, path, all, sizeof all);
    assert_int_equal(unlink(all), 0);
    make_elf(&tree, path, OTHER);
    assert_int_equal(build_of(&p, &builds, FILES), FIRST);
    assert_int_equal(build_of(&p, &builds, FILES - PROC_BUILDS + 1), FIRST);
    assert_int_equal(build_of(&p, &builds, FILES - PROC_BUILDS), OTHER); /* read again */
    proc_builds_fini(&builds);
    proc_close(&p);
    tree_remove(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stat_lines_are_read_whatever_the_name),
        cmocka_unit_test(cut_lines_are_refused),
        cmocka_unit_test(mappings_are_the_executable_ones),
        cmocka_unit_test(sockets_have_addresses_in_network_order),
        cmocka_unit_test(a_tree_is_walked),
        cmocka_unit_test(calls_that_wait_are_read),
        cmocka_unit_test(users_have_the_systems_names),
        cmocka_unit_test(the_kernel_is_found_or_hidden),
        cmocka_unit_test(files_of_loops_fit),
        cmocka_unit_test(disks_are_listed_by_device),
        cmocka_unit_test(long_tables_are_read_line_by_line),
        cmocka_unit_test(this_process_is_found),
        cmocka_unit_test(the_newest_builds_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
