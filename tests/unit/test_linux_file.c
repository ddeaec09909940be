/* System calls on files, and the FileIo events that they become. */
#include "tests/made_sample.h"

#include "collectors/linux/translate/open_files.h"
#include "collectors/linux/translate/running_calls.h"
#include "src/os/os.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NAME = 0x0400,
    CREATE = 0x0440,
    CLOSE = 0x0442,
    READ,
    WRITE,
    SET_INFO,
    DELETE,
    RENAME,
    DIR_ENUM,
    FLUSH,
    QUERY_INFO,
    END = 0x044c,
};
#define N(v) ((uint64_t)(v))

static void at(struct sample_maker *m, int64_t time, uint32_t pid)
{
    m->time = time;
    m->pid = m->tid = pid;
}

static const struct linux_event *event_of(const struct sample_maker *m, const char *prefix,
                                          const char *call)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", prefix, call);
    return made_event(m, name);
}

static void leave(struct sample_maker *m, const char *call, int64_t ret)
{
    m->time++;
    made_send(m, event_of(m, "sys_exit_", call), "ret", N(ret), NULL);
}

static void on_fd(struct sample_maker *m, const char *call, int fd, uint64_t count)
{
    m->time++;
    const struct linux_event *const e = event_of(m, "sys_enter_", call);
    if (count)
        made_send(m, e, "fd", N(fd), "count", count, NULL);
    else
        made_send(m, e, "fd", N(fd), NULL);
}

static void open_at(struct sample_maker *m, uint64_t flags, int64_t ret)
{
    m->time++;
    made_send(m, event_of(m, "sys_enter_", "openat"), "dfd", N(AT_FDCWD), "flags", flags, NULL);
    leave(m, "openat", ret);
}

/* As our BPF program sends it, just before the call. */
static void send_path(struct sample_maker *m, const char *path)
{
    made_send(m, made_event(m, "sys_enter_path"), "\"path", path, NULL);
}

static struct came expect(struct sample_maker *m, uint16_t hook)
{
    const struct came c = made_next(m, hook);
    assert_int_equal(c.version, hook == NAME ? 2 : 3);
    if (hook != NAME)
        assert_int_equal(c.pid, m->pid);
    return c;
}

/* UTF-16 of ASCII, as a name record or the end of a Create has it. */
static void assert_text(const struct came *c, size_t offset, const char *text)
{
    for (size_t i = 0; i <= strlen(text); i++)
        assert_int_equal(load_u16(c->payload + offset + 2 * i), text[i]);
}

enum { NAME_TEXT = 8, CREATE_PATH = 32 };

static void expect_end(struct sample_maker *m, uint64_t irp, uint64_t extra, uint32_t status)
{
    const struct came c = expect(m, END);
    assert_int_equal(c.bytes, 20);
    assert_int_equal(load_u64(c.payload), irp);
    assert_int_equal(load_u64(c.payload + 8), extra);
    assert_int_equal(load_u32(c.payload + 16), status);
}

/* ---- paths from a BPF program of ours -------------------------------------------------------- */

static void a_file_from_open_to_close(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_FILE);
    at(m, 1000, 700);
    send_path(m, "/tmp/a");
    open_at(m, O_RDWR | O_CREAT | O_TRUNC, 5);
    struct came c = expect(m, NAME);
    const uint64_t key = load_u64(c.payload);
    assert_text(&c, NAME_TEXT, "/tmp/a");
    c = expect(m, CREATE);
    const uint64_t object = load_u64(c.payload + 8);
    assert_int_equal(load_u32(c.payload + 16), 700);
    assert_int_equal(load_u32(c.payload + 20) >> 24, 5); /* OVERWRITE_IF */
    assert_text(&c, CREATE_PATH, "/tmp/a");
    assert_int_equal(c.time, 1001);
    expect_end(m, load_u64(c.payload), 1, 0);
    static const char *const calls[] = {"write", "read"};
    for (unsigned i = 0; i < 4; i++) { /* where it stands, after each */
        on_fd(m, calls[i & 1], 5, 4096);
        leave(m, calls[i & 1], 100);
        c = expect(m, i & 1 ? READ : WRITE);
        assert_int_equal(c.bytes, 44);
        assert_int_equal(load_u64(c.payload), 100 * i);
        assert_int_equal(load_u64(c.payload + 16), object);
        assert_int_equal(load_u64(c.payload + 24), key);
        assert_int_equal(load_u32(c.payload + 36), 4096);
        expect_end(m, load_u64(c.payload + 8), 100, 0);
    }
    on_fd(m, "fsync", 5, 0);
    leave(m, "fsync", -5);
    c = expect(m, FLUSH);
    assert_int_equal(c.bytes, 28);
    expect_end(m, load_u64(c.payload), 0, 0xc000c005);
    on_fd(m, "getdents64", 5, 32768);
    leave(m, "getdents64", 48);
    c = expect(m, DIR_ENUM);
    expect_end(m, load_u64(c.payload), 48, 0);
    on_fd(m, "close", 5, 0);
    leave(m, "close", 0);
    c = expect(m, CLOSE);
    assert_int_equal(load_u64(c.payload + 8), object);
    assert_int_equal(load_u64(c.payload + 16), key);
    expect_end(m, load_u64(c.payload), 0, 0);
    made_nothing(m);
    made_free(m);
}

static void failures_and_paths_without_descriptors(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_FILE);
    at(m, 1000, 700);
    send_path(m, "/no");
    open_at(m, 0, -2);
    struct came c = expect(m, NAME);
    assert_text(&c, NAME_TEXT, "/no");
    c = expect(m, CREATE);
    assert_text(&c, CREATE_PATH, "/no");
    expect_end(m, load_u64(c.payload), 0, 0xc000c002);
    send_path(m, "x/y");
    m->time++;
    made_send(m, made_event(m, "sys_enter_unlink"), NULL);
    leave(m, "unlink", 0);
    c = expect(m, NAME);
    assert_int_equal(load_u16(c.payload + NAME_TEXT),
                     0x2026); /* …/: relative to what is not known */
    assert_text(&c, NAME_TEXT + 2, "/x/y");
    const uint64_t key = load_u64(c.payload);
    c = expect(m, DELETE);
    assert_int_equal(load_u64(c.payload + 16), key);
    expect_end(m, load_u64(c.payload), 0, 0);
    send_path(m, ".//./x/y"); /* the same */
    m->time++;
    made_send(m, made_event(m, "sys_enter_unlink"), NULL);
    leave(m, "unlink", 0);
    c = expect(m, DELETE);
    assert_int_equal(load_u64(c.payload + 16), key);
    expect_end(m, load_u64(c.payload), 0, 0);
    made_nothing(m);
    made_free(m);
}

/* What makes files without opening them is a Create; a link, a new name of an old file; and a
 * file that never had a name is not the directory it is made in. */
static void what_is_made_is_created(void **unused)
{
    (void)unused;
    static const struct {
        const char *call;
        uint32_t options;
    } rows[] = {{"mkdir", 0x02000001}, {"mknodat", 0x02000000}, {"symlink", 0x02000000}};
    struct sample_maker *const m = made_new(DOMAIN_FILE);
    at(m, 1000, 700);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        send_path(m, "/tmp/new");
        m->time++;
        made_send(m, event_of(m, "sys_enter_", rows[i].call), NULL);
        leave(m, rows[i].call, 0);
        struct came c = i ? expect(m, CREATE) : made_next(m, NAME);
        c = i ? c : expect(m, CREATE);
        assert_int_equal(load_u32(c.payload + 20), rows[i].options);
        assert_text(&c, CREATE_PATH, "/tmp/new");
        expect_end(m, load_u64(c.payload), 0, 0);
    }
    send_path(m, "/tmp/new");
    made_send(m, event_of(m, "sys_enter_", "link"), NULL);
    leave(m, "link", 0);
    struct came c = expect(m, SET_INFO);
    assert_int_equal(load_u32(c.payload + 36), 11);
    expect_end(m, load_u64(c.payload), 0, 0);
    send_path(m, "/tmp");
    open_at(m, O_TMPFILE | O_RDWR, 5);
    on_fd(m, "ioctl", 5, 0);
    leave(m, "ioctl", 0);
    c = expect(m, NAME);
    assert_text(&c, NAME_TEXT, "fd 5");
    c = expect(m, CREATE);
    assert_int_equal(load_u32(c.payload + 20), 0x02000000);
    made_free(m);
}

/* ---- without paths -------------------------------------------------------------------------- */

/* Nobody answers: it goes on without a name, in order, and nothing is lost. */
static void what_is_gone_is_a_number(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_FILE);
    at(m, 1000, 700);
    open_at(m, 0, 7);
    on_fd(m, "write", 7, 10);
    leave(m, "write", 10);
    const struct came name = expect(m, NAME);
    assert_text(&name, NAME_TEXT, "fd 7");
    struct came c = expect(m, CREATE);
    assert_text(&c, CREATE_PATH, "fd 7");
    expect_end(m, load_u64(c.payload), 1, 0);
    c = expect(m, WRITE);
    expect_end(m, load_u64(c.payload + 8), 10, 0);
    made_nothing(m);
    made_free(m);
}

static void what_is_no_file_is_left_out(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_FILE);
    at(m, 1000, 700);
    leave(m, "socket", 9);
    on_fd(m, "write", 9, 10);
    leave(m, "write", 10);
    on_fd(m, "close", 9, 0);
    leave(m, "close", 0);
    on_fd(m, "close", 44, 0); /* never met */
    leave(m, "close", 0);
    made_nothing(m);
    m->pid = m->translator.self;
    on_fd(m, "write", 9, 10);
    leave(m, "write", 10);
    made_nothing(m);
    at(m, 5000, 700);
    leave(m, "read", 10); /* its beginning was not seen */
    assert_int_equal(m->translator.unpaired, 1);
    made_nothing(m);
    made_free(m);
}

/* ---- with the helper, on files of this process ----------------------------------------------- */

static void take_answers(struct sample_maker *m)
{
    while (helper_is_busy(m->translator.helper))
        os_sleep(1000000);
    m->time = os_now();
    m->translator.time = m->time;
    helper_take(m->translator.helper, &m->translator);
    m->domain->tick(&m->translator, os_now());
}

static void the_helper_says_what_descriptors_are(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_FILE);
    m->translator.helper = helper_start(&m->translator);
    assert_non_null(m->translator.helper);
    char path[] = "/tmp/tracetop-unit-XXXXXX";
    const int fd = mkstemp(path);
    int ends[2];
    assert_true(fd >= 0);
    assert_int_equal(pipe(ends), 0);
    struct stat s;
    assert_int_equal(fstat(fd, &s), 0);
    at(m, os_now(), (uint32_t)getpid());
    open_at(m, O_RDWR | O_CREAT, fd);
    on_fd(m, "write", ends[1], 3);
    leave(m, "write", 3);
    on_fd(m, "write", fd, 4);
    leave(m, "write", 4);
    made_nothing(m); /* it waits */
    take_answers(m);
    struct came c = made_next(m, NAME);
    const uint64_t key = load_u64(c.payload);
    assert_int_equal(
        key, linux_file_key((uint64_t)(s.st_dev >> 8 & 0xfff) << 20 | (s.st_dev & 0xff), s.st_ino));
    assert_text(&c, NAME_TEXT, path);
    c = expect(m, CREATE);
    assert_text(&c, CREATE_PATH, path);
    expect_end(m, load_u64(c.payload), 1, 0);
    c = expect(m, WRITE); /* of the file; the pipe's is left out */
    assert_int_equal(load_u64(c.payload + 24), key);
    expect_end(m, load_u64(c.payload + 8), 4, 0);
    made_nothing(m);
    /* Closed before the helper looked: what is there now is another. */
    on_fd(m, "read", fd + 50, 1);
    leave(m, "read", 0);
    take_answers(m);
    c = made_next(m, NAME);
    expect(m, READ);
    expect(m, END);
    made_nothing(m);
    /* Nor does it lend its name to the one that was there: reported or not. */
    for (unsigned i = 0; i < 2; i++) {
        char name[32];
        snprintf(name, sizeof name, "fd %d", fd);
        at(m, os_now(), (uint32_t)getpid());
        if (i)
            send_path(m, "../up");
        open_at(m, O_RDWR, fd);
        on_fd(m, "close", fd, 0);
        leave(m, "close", 0);
        take_answers(m);
        c = made_next(m, NAME);
        assert_true(load_u64(c.payload) != key);
        c = expect(m, CREATE);
        if (i)
            assert_text(&c, CREATE_PATH + 2, "/../up"); /* behind "…" */
        else
            assert_text(&c, CREATE_PATH, name);
        expect(m, END);
        expect(m, CLOSE);
        expect(m, END);
        made_nothing(m);
    }
    unlink(path);
    close(fd);
    close(ends[0]);
    close(ends[1]);
    helper_stop(m->translator.helper);
    made_free(m);
}

static void take_all(struct sample_maker *m)
{
    for (struct came c; made_take(m, &c);)
        continue;
}

/* The answer comes so late that others have taken the place of the question. The descriptor stays
 * open: its file gets its name when it is used again. */
static void a_descriptor_whose_answer_is_lost_is_asked_about_again(void **unused)
{
    (void)unused;
    enum { OTHERS = 5000 }; /* more than there are places */
    static const int64_t SECOND = 1000000000;
    struct sample_maker *const m = made_new(DOMAIN_FILE);
    m->translator.helper = helper_start(&m->translator);
    assert_non_null(m->translator.helper);
    char path[] = "/tmp/tracetop-unit-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    at(m, os_now() - 30 * SECOND, (uint32_t)getpid());
    on_fd(m, "write", fd, 4);
    leave(m, "write", 4);
    for (uint32_t i = 0; i < OTHERS; i++) {
        at(m, os_now() - 15 * SECOND, 5000000 + i);
        on_fd(m, "write", 1, 4);
        leave(m, "write", 4);
        take_all(m);
    }
    take_answers(m);
    take_all(m);
    at(m, os_now(), (uint32_t)getpid());
    on_fd(m, "write", fd, 4);
    leave(m, "write", 4);
    take_answers(m);
    struct came c = made_next(m, NAME);
    const uint64_t key = load_u64(c.payload);
    assert_text(&c, NAME_TEXT, path);
    c = expect(m, WRITE);
    assert_int_equal(load_u64(c.payload + 24), key);
    expect_end(m, load_u64(c.payload + 8), 4, 0);
    made_nothing(m);
    close(fd);
    unlink(path);
    helper_stop(m->translator.helper);
    made_free(m);
}

static bool is_name_of(const struct came *c, const char *text)
{
    if (c->hook != NAME)
        return false;
    for (size_t i = 0; i <= strlen(text); i++)
        if (load_u16(c->payload + NAME_TEXT + 2 * i) != text[i])
            return false;
    return true;
}

/* The helper is at something longer, and many processes use descriptors that they were started
 * with: a call whose path is known waits for no answer, and finds a place. */
static void known_paths_need_no_answer(void **unused)
{
    (void)unused;
    enum { OTHERS = 6000 }; /* more than there are places */
    static const int64_t SECOND = 1000000000;
    struct sample_maker *const m = made_new(DOMAIN_FILE);
    m->translator.helper = helper_start(&m->translator);
    assert_non_null(m->translator.helper);
    bool is_named = false;
    m->time = SECOND;
    for (uint32_t i = 0; i < OTHERS; i++) { /* no answer is taken */
        at(m, m->time + 1000, 5000000 + i);
        on_fd(m, "write", 1, 4);
        leave(m, "write", 4);
        take_all(m);
    }
    at(m, m->time + 1000, 700);
    send_path(m, "/tmp/known");
    open_at(m, O_RDONLY, 5);
    m->domain->tick(&m->translator, m->time + 2 * SECOND);
    for (struct came c; made_take(m, &c);)
        is_named |= is_name_of(&c, "/tmp/known");
    assert_true(is_named);
    helper_stop(m->translator.helper);
    made_free(m);
}

/* Whoever reads the records may have forgotten the name of a file that was not used for long: it is
 * said again. A file whose descriptor has gone meanwhile is what it was. */
static void names_are_recorded_again(void **unused)
{
    (void)unused;
    static const int64_t SECOND = 1000000000;
    struct sample_maker *const m = made_new(DOMAIN_FILE);
    m->translator.helper = helper_start(&m->translator);
    assert_non_null(m->translator.helper);
    char path[] = "/tmp/tracetop-unit-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    uint64_t key = 0;
    for (unsigned i = 0; i < 2; i++) { /* the first time it is new */
        at(m, os_now() - (60 - 30 * i) * SECOND, (uint32_t)getpid());
        on_fd(m, "write", fd, 4);
        leave(m, "write", 4);
        take_answers(m);
        struct came c = made_next(m, NAME);
        assert_text(&c, NAME_TEXT, path);
        assert_true(!i || load_u64(c.payload) == key);
        key = load_u64(c.payload);
        at(m, c.time + 1, (uint32_t)getpid());
        c = expect(m, WRITE);
        assert_int_equal(load_u64(c.payload + 24), key);
        expect_end(m, load_u64(c.payload + 8), 4, 0);
        for (unsigned more = 0; more < 15; more++) { /* in use: nobody is asked */
            m->time += SECOND;
            on_fd(m, "write", fd, 4);
            leave(m, "write", 4);
            expect(m, WRITE);
            expect(m, END);
        }
    }
    close(fd);
    unlink(path);
    at(m, os_now(), (uint32_t)getpid());
    on_fd(m, "write", fd, 4);
    leave(m, "write", 4);
    take_answers(m);
    const struct came last = expect(m, WRITE);
    assert_int_equal(load_u64(last.payload + 24), key);
    expect(m, END);
    made_nothing(m);
    helper_stop(m->translator.helper);
    m->translator.helper = NULL; /* nobody can be asked */
    m->time += 30 * SECOND;
    on_fd(m, "write", fd, 4);
    leave(m, "write", 4);
    const struct came unasked = expect(m, WRITE);
    assert_int_equal(load_u64(unasked.payload + 24), key);
    expect(m, END);
    made_nothing(m);
    made_free(m);
}

/* A recording of a moment: the helper has not come to it, and there is no tick behind the end. */
static void what_waits_goes_at_the_end(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_FILE);
    m->translator.helper = helper_start(&m->translator);
    at(m, os_now(), (uint32_t)getpid());
    open_at(m, O_RDWR, 9);
    on_fd(m, "write", 9, 4);
    leave(m, "write", 4);
    made_nothing(m);
    m->domain->finish(&m->translator, m->time);
    made_next(m, NAME);
    expect(m, CREATE);
    expect(m, END);
    expect(m, WRITE);
    expect(m, END);
    made_nothing(m);
    helper_stop(m->translator.helper);
    made_free(m);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static struct open_file *add(struct open_files *o, uint32_t pid, int fd, int64_t time, int cloexec)
{
    struct open_file *const f = open_files_add(o, pid, fd, time);
    f->state = OPEN_FILE;
    f->key = (uint64_t)fd;
    f->cloexec = (uint8_t)cloexec;
    return f;
}

static bool is_known(struct open_files *o, uint32_t pid, int fd)
{
    const struct open_file *const f = open_files_find(o, pid, fd, 45);
    return f && f->key == (uint64_t)fd;
}

static void descriptors_follow_their_processes(void **unused)
{
    (void)unused;
    struct open_files *const o = open_files_new();
    add(o, 1, 3, 10, CLOEXEC_NO);
    add(o, 1, 4, 10, CLOEXEC_YES);
    add(o, 1, 5, 10, CLOEXEC_UNKNOWN);
    open_files_fork(o, 2, 1, 20);
    add(o, 1, 6, 30, CLOEXEC_NO); /* behind the fork: not the child's */
    open_files_fork(o, 3, 2, 40);
    assert_true(is_known(o, 2, 3) && is_known(o, 2, 4) && is_known(o, 2, 5));
    assert_false(is_known(o, 2, 6));
    assert_true(is_known(o, 3, 3)); /* through both */
    open_files_exec(o, 2, 50);
    assert_true(is_known(o, 2, 3));
    assert_false(is_known(o, 2, 4) || is_known(o, 2, 5));
    assert_true(is_known(o, 1, 4));
    open_files_close_from(o, 1, 5, false, 60);
    assert_true(is_known(o, 1, 4));
    assert_false(is_known(o, 1, 5) || is_known(o, 1, 6));
    open_files_remove(o, 1, 3);
    assert_false(is_known(o, 1, 3));
    assert_true(is_known(o, 2, 3)); /* its own by now */
    open_files_fork(o, 1, 9, 70);   /* another process with the same number */
    assert_false(is_known(o, 1, 4));
    open_files_clear(o);
    assert_false(is_known(o, 2, 3));
    open_files_free(o);
}

static void the_table_is_bounded(void **unused)
{
    (void)unused;
    struct open_files *const o = open_files_new();
    for (int fd = 0; fd < 200000; fd++)
        add(o, 1, fd, fd + 1, CLOEXEC_NO);
    assert_in_range(open_files_pushed_out(o), 200000 - (1 << 16), 200000);
    assert_true(is_known(o, 1, 199999));
    open_files_free(o);
}

/* However many processes come and go: their files make room, the table stays small, and who lives
 * keeps his. */
static void ended_processes_make_room(void **unused)
{
    (void)unused;
    enum { LIVING = 500, COMING = 100000, FILES_EACH = 4, SMALL = 1500 << 10 };
    struct open_files *const o = open_files_new();
    open_files_fork(o, 1, 0, 1);
    for (int fd = 0; fd < LIVING; fd++)
        add(o, 1, fd, 2, CLOEXEC_NO);
    for (uint32_t i = 0; i < COMING; i++) {
        const int64_t now = 10 + (int64_t)i * 10;
        open_files_fork(o, 2 + i, 1, now);
        for (int fd = 0; fd < FILES_EACH; fd++)
            add(o, 2 + i, 1000 + fd, now + 1, CLOEXEC_NO);
        open_files_exit(o, 2 + i, now + 2);
    }
    for (int fd = 0; fd < LIVING; fd++)
        assert_true(is_known(o, 1, fd));
    assert_int_equal(open_files_pushed_out(o), 0);
    assert_in_range(open_files_bytes(o), 1, SMALL);
    for (int fd = LIVING; fd < 10000; fd++) /* all in use: it grows */
        add(o, 1, fd, 2, CLOEXEC_NO);
    for (int fd = 0; fd < 10000; fd++)
        assert_true(is_known(o, 1, fd));
    assert_int_equal(open_files_pushed_out(o), 0);
    open_files_free(o);
}

static void copies_and_children(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_FILE);
    at(m, 1000, 700);
    send_path(m, "/tmp/a");
    open_at(m, O_RDWR, 5);
    expect(m, NAME);
    const uint64_t key_at = 24;
    expect(m, CREATE);
    expect(m, END);
    m->time++;
    made_send(m, made_event(m, "sys_enter_dup2"), "oldfd", N(5), "newfd", N(1), NULL);
    leave(m, "dup2", 1);
    on_fd(m, "write", 1, 10);
    struct came c = expect(m, WRITE);
    const uint64_t key = load_u64(c.payload + key_at);
    assert_int_equal(load_u64(c.payload), OFFSET_UNKNOWN);
    leave(m, "write", 10);
    expect(m, END);
    /* A child writes through what it inherited, and copies from there to a socket. */
    uint8_t fork[24] = {0};
    store_u32(fork, 800);
    store_u32(fork + 4, 700);
    const struct sample s = {.type = PERF_RECORD_FORK,
                             .pid = 700,
                             .tid = 700,
                             .time = m->time,
                             .body = fork,
                             .body_bytes = sizeof fork};
    m->domain->side_band(&m->translator, &s);
    at(m, m->time + 1, 800);
    on_fd(m, "write", 5, 10);
    c = expect(m, WRITE);
    assert_int_equal(load_u64(c.payload + key_at), key);
    leave(m, "write", 10);
    expect(m, END);
    leave(m, "socket", 6);
    m->time++;
    made_send(m, made_event(m, "sys_enter_sendfile64"), "in_fd", N(5), "count", N(99), "out_fd",
              N(6), NULL);
    leave(m, "sendfile64", 42);
    c = expect(m, READ);
    assert_int_equal(load_u64(c.payload + key_at), key);
    expect_end(m, load_u64(c.payload + 8), 42, 0);
    made_nothing(m);
    made_free(m);
}

/* A relative path is whole with the names of its folder, which come innermost first. */
static void folders_make_paths_whole(void **unused)
{
    (void)unused;
    static const struct {
        const char *path, *folder;
        size_t folder_bytes;
        const char *whole;
    } rows[] = {
        {"a", "b\0c", 4, "/c/b/a"},
        {"./a", "b\0c", 4, "/c/b/a"},
        {"x/y", "b", 2, "/b/x/y"},
        {"a", "", 1, "/a"}, /* the root */
        {"a", NULL, 0, "…/a"},
        {"a", "b\0c", 3, "…/a"}, /* cut off */
        {"a", "b/c", 4, "…/a"},
        {"a", "b\0\0c", 5, "…/a"},
        {"../a", "b\0c", 4, "…/../a"},
        {"x/..", "b\0c", 4, "…/x/.."},
        {"..a", "b", 2, "/b/..a"},
        {"/a", "b", 2, "/a"},
        {"", "b", 2, ""},
    };
    struct running_calls *const r = running_calls_new();
    const struct sample s = {.tid = 7, .time = 5};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct path_parts parts = {rows[i].path, rows[i].folder, strlen(rows[i].path) + 1,
                                         rows[i].folder_bytes};
        const struct reported_path *const p = path_report(r, &s, &parts);
        assert_string_equal(p->text, rows[i].whole);
        assert_int_equal(p->bytes, strlen(rows[i].whole));
    }
    char deep[4096];
    memset(deep, 'n', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    const struct path_parts parts = {"a", deep, 2, sizeof deep};
    assert_string_equal(path_report(r, &s, &parts)->text, "…/a"); /* no room */
    running_calls_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_from_open_to_close),
        cmocka_unit_test(failures_and_paths_without_descriptors),
        cmocka_unit_test(what_is_made_is_created),
        cmocka_unit_test(what_is_gone_is_a_number),
        cmocka_unit_test(what_is_no_file_is_left_out),
        cmocka_unit_test(the_helper_says_what_descriptors_are),
        cmocka_unit_test(known_paths_need_no_answer),
        cmocka_unit_test(names_are_recorded_again),
        cmocka_unit_test(a_descriptor_whose_answer_is_lost_is_asked_about_again),
        cmocka_unit_test(what_waits_goes_at_the_end),
        cmocka_unit_test(descriptors_follow_their_processes),
        cmocka_unit_test(the_table_is_bounded),
        cmocka_unit_test(ended_processes_make_room),
        cmocka_unit_test(copies_and_children),
        cmocka_unit_test(folders_make_paths_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
