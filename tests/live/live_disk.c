/* Disks: bytes read by a process that knows how many, what the kernel counted for the disk, and
 * what fio says of itself. */
#include "tests/live/harness.h"

#include "collectors/linux/translate/helper.h"
#include "src/base/bytes.h"
#include "src/base/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READ = 0x010a, WRITE, FLUSH = 0x010e, ALIGNED = 4096 };
enum { FILE_BYTES = 32 << 20 };

static const uint32_t DISK = 1u << FACT_DISK;
static char path[4096]; /* of the file that is read, where we are: on a disk, as a rule */

/* ---- a file whose bytes lie on a disk ------------------------------------------------------ */

static int make_file(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "build/live_disk.%d", (int)getpid());
    const int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    char *const block = mem_new(1 << 20, 1);
    for (unsigned i = 0; fd >= 0 && i < FILE_BYTES >> 20; i++) {
        memset(block, (int)i + 1, 1 << 20);
        if (write(fd, block, 1 << 20) != 1 << 20)
            return -1;
    }
    free(block);
    return fd < 0 || fsync(fd) != 0 || close(fd) != 0 ? -1 : 0;
}

static int drop_file(void **state)
{
    (void)state;
    return unlink(path);
}

static int open_direct(int flags)
{
    const int fd = open(path, flags | O_DIRECT | O_CLOEXEC);
    if (fd < 0) {
        print_message("skipped: no direct access to %s: build/ is not on a disk\n", path);
        skip();
    }
    return fd;
}

/* A child that does `work` with the file; its process id. All it does to a disk is that. */
static uint32_t run_child(int fd, void (*work)(int fd, void *buffer))
{
    void *buffer;
    assert_int_equal(posix_memalign(&buffer, ALIGNED, 1 << 20), 0);
    memset(buffer, 7, 1 << 20);
    const pid_t child = fork();
    if (child == 0) {
        work(fd, buffer);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    free(buffer);
    return (uint32_t)child;
}

/* ---- records of one process ---------------------------------------------------------------- */

struct expected {
    uint16_t hook;
    uint32_t pid; /* 0: of any */
    uint64_t sum;
    unsigned unmeasured;
};

static bool is_operation(const struct event *e, void *arg)
{
    struct expected *const w = arg;
    if (e->id != w->hook || (w->pid && e->pid != w->pid))
        return false;
    if (w->hook == FLUSH)
        return true;
    w->sum += load_u32(e->payload + 8);
    w->unmeasured += load_u64(e->payload + 40) == 0;
    return true;
}

struct of_file {
    uint16_t hook;
    uint64_t key, bytes;
};

static bool is_of_file(const struct event *e, void *arg)
{
    enum { SIZE_AT = 8, FILE_AT = 24 };
    struct of_file *const f = arg;
    if (e->id != f->hook || load_u64(e->payload + FILE_AT) != f->key)
        return false;
    f->bytes += load_u32(e->payload + SIZE_AT);
    return true;
}

static uint64_t key_of(const char *file)
{
    struct stat s;
    assert_int_equal(stat(file, &s), 0);
    return linux_file_key(linux_dev(major(s.st_dev), minor(s.st_dev)), s.st_ino);
}

/* What this process did to the disk, by hook, and the bytes of it that are the file's. A busy
 * system may take pages of its program away, to be read again, and a file may lie in pieces. */
struct done {
    uint64_t count, bytes, of_file;
    unsigned unmeasured;
};

static struct done done_by(const struct live_run *r, uint16_t hook, uint32_t pid)
{
    struct expected w = {.hook = hook, .pid = pid};
    struct of_file f = {.hook = hook, .key = key_of(path)};
    const uint64_t count = live_count(r, is_operation, &w);
    live_count(r, is_of_file, &f);
    print_message("%" PRIu64 " operations, %" PRIu64 " bytes, %" PRIu64
                  " of the file; %u without a time\n",
                  count, w.sum, f.bytes, w.unmeasured);
    return (struct done){count, w.sum, f.bytes, w.unmeasured};
}

/* Bytes of the file, where it is known whose they are. */
static void expect_bytes(const struct done *d, uint64_t bytes)
{
    enum { PROGRAM = 8 << 20 };
    if (d->of_file)
        assert_int_equal(d->of_file, bytes);
    else
        assert_in_range(d->bytes, bytes, bytes + PROGRAM);
}

/* Rates times seconds: whole numbers but for the last bit. */
static int64_t shown(const struct live_run *r, uint32_t pid, const char *column)
{
    return llround(live_number(r, "disk", "pid", pid, column));
}

/* What has no time is counted: its end was not seen. */
static void check_unseen(const struct live_run *r, unsigned unmeasured)
{
    assert_true(atomic_load(&r->session->collector.loss.unpaired) >= unmeasured);
}

static void end(struct live_run *r)
{
    live_end(r);
    live_check_accounts(r);
    print_message("unpaired %" PRIu64 "\n", atomic_load(&r->session->collector.loss.unpaired));
}

/* ---- reads, writes, flushes ------------------------------------------------------------------ */

enum { READS = 400, READ_BYTES = 16384 };

static void read_direct(int fd, void *buffer)
{
    for (int i = 0; i < READS; i++)
        if (pread(fd, buffer, READ_BYTES, (off_t)(i * 37 % 2000) * READ_BYTES) != READ_BYTES)
            _exit(1);
}

static void direct_reads_are_exact(void **state)
{
    (void)state;
    const int fd = open_direct(O_RDONLY);
    struct live_run *const r = live_begin(&(struct live_request){.classes = DISK});
    const uint32_t pid = run_child(fd, read_direct);
    end(r);
    const struct done d = done_by(r, READ, pid);
    expect_bytes(&d, (uint64_t)READS * READ_BYTES);
    assert_in_range(d.count, READS, UINT32_MAX);
    assert_int_equal(shown(r, pid, "read"), d.bytes);
    assert_int_equal(shown(r, pid, "reads"), d.count);
    assert_int_equal(shown(r, pid, "ops"), d.count);
    assert_true(shown(r, pid, "max") > 1000);
    check_unseen(r, d.unmeasured);
    live_free(r);
    close(fd);
}

/* Larger than a request may be: cut by the kernel, and still his. */
enum { LARGE = 4, LARGE_BYTES = 1 << 20 };

static void read_large(int fd, void *buffer)
{
    for (int i = 0; i < LARGE; i++)
        if (pread(fd, buffer, LARGE_BYTES, (off_t)i * LARGE_BYTES) != LARGE_BYTES)
            _exit(1);
}

static void split_reads_are_exact(void **state)
{
    (void)state;
    const int fd = open_direct(O_RDONLY);
    struct live_run *const r = live_begin(&(struct live_request){.classes = DISK});
    const uint32_t pid = run_child(fd, read_large);
    end(r);
    const struct done d = done_by(r, READ, pid);
    expect_bytes(&d, (uint64_t)LARGE * LARGE_BYTES);
    live_free(r);
    close(fd);
}

enum { WRITES = 50, WRITE_BYTES = 20480 }; /* of a size that no journal writes */

static void write_and_flush(int fd, void *buffer)
{
    for (int i = 0; i < WRITES; i++)
        if (pwrite(fd, buffer, WRITE_BYTES, (off_t)i * WRITE_BYTES) != WRITE_BYTES ||
            fdatasync(fd) != 0)
            _exit(1);
}

static void writes_and_flushes_are_exact(void **state)
{
    (void)state;
    const int fd = open_direct(O_RDWR);
    struct live_run *const r = live_begin(&(struct live_request){.classes = DISK});
    const uint32_t pid = run_child(fd, write_and_flush);
    end(r);
    const struct done d = done_by(r, WRITE, pid);
    expect_bytes(&d, (uint64_t)WRITES * WRITE_BYTES);
    struct expected f = {.hook = FLUSH};
    const uint64_t all = live_count(r, is_operation, &f);
    f.pid = pid;
    const uint64_t his = live_count(r, is_operation, &f);
    print_message("%d writes and fdatasync: %" PRIu64 " flushes of his, %" PRIu64 " in all\n",
                  WRITES, his, all);
    assert_in_range(his, 0, WRITES); /* a journal flushes for those who wait for it */
    assert_true(shown(r, pid, "write") >= WRITES * WRITE_BYTES);
    live_free(r);
    close(fd);
}

/* ---- against the kernel's count -------------------------------------------------------------- */

struct statistics {
    uint64_t reads, read_bytes, written_bytes, flushes, under_way;
};

/* The disk that a device is, or is a part of: the folder of /sys/block that has it. */
static bool find_disk(dev_t dev, char *name, size_t room)
{
    char link[64], real[4096];
    snprintf(link, sizeof link, "/sys/dev/block/%u:%u", major(dev), minor(dev));
    if (!realpath(link, real))
        return false;
    char *last = strrchr(real, '/');
    char part[4200];
    snprintf(part, sizeof part, "%s/partition", real);
    if (access(part, F_OK) == 0) {
        *last = '\0';
        last = strrchr(real, '/');
    }
    snprintf(name, room, "%s", last + 1);
    return true;
}

/* Reads, merged, sectors, ms; the same of writes; then under way, ms, ms; the same as of reads
 * of discards; flushes, ms. */
static struct statistics read_statistics(const char *disk)
{
    enum {
        READS_AT = 0,
        READ_AT = 2,
        WRITTEN_AT = 6,
        UNDER_WAY_AT = 8,
        FLUSHES_AT = 15,
        FIGURES = 17
    };
    uint64_t figures[FIGURES] = {0};
    char file[128];
    snprintf(file, sizeof file, "/sys/block/%s/stat", disk);
    FILE *const f = fopen(file, "re");
    assert_non_null(f);
    for (unsigned i = 0; i < FIGURES; i++)
        assert_int_equal(fscanf(f, "%" SCNu64, &figures[i]), 1);
    fclose(f);
    return (struct statistics){.reads = figures[READS_AT],
                               .read_bytes = figures[READ_AT] * 512,
                               .written_bytes = figures[WRITTEN_AT] * 512,
                               .flushes = figures[FLUSHES_AT],
                               .under_way = figures[UNDER_WAY_AT]};
}

/* No request of the disk has more bytes. */
static uint64_t read_request_most(const char *disk)
{
    char file[128];
    uint64_t kb = 0;
    snprintf(file, sizeof file, "/sys/block/%s/queue/max_sectors_kb", disk);
    FILE *const f = fopen(file, "re");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%" SCNu64, &kb), 1);
    fclose(f);
    return kb * 1024;
}

/* Others use the disk, too: what we count lies between what the kernel counted while all events
 * were on and what it counted from before to behind. Requests under way at an end of the inner
 * count may be on one side of it only (their begin was before the events, or a part of them ended):
 * as much as that may be missing. */
static void expect_between(const char *what, uint64_t shown, uint64_t inner, uint64_t may_miss,
                           uint64_t outer)
{
    print_message("%s: %" PRIu64 " within (%" PRIu64 " of them perhaps not), %" PRIu64
                  " shown, %" PRIu64 " around\n",
                  what, inner, may_miss, shown, outer);
    assert_in_range(shown, inner > may_miss ? inner - may_miss : 0, outer);
}

static void the_kernel_counts_the_same(void **state)
{
    (void)state;
    struct stat st;
    char disk[64];
    assert_int_equal(stat(path, &st), 0);
    if (!find_disk(st.st_dev, disk, sizeof disk)) {
        print_message("skipped: %s is on no disk\n", path);
        skip();
    }
    const int fd = open_direct(O_RDWR);
    const struct statistics before = read_statistics(disk);
    struct live_run *const r = live_begin(&(struct live_request){.classes = DISK});
    usleep(100000); /* flushes under way are not among them */
    const struct statistics begun = read_statistics(disk);
    run_child(fd, read_direct);
    run_child(fd, write_and_flush);
    usleep(100000);
    const struct statistics done = read_statistics(disk);
    end(r);
    const uint64_t under_way = begun.under_way + done.under_way,
                   bytes_under_way = under_way * read_request_most(disk);
    const struct statistics after = read_statistics(disk);
    struct expected w = {.hook = READ};
    const uint64_t reads = live_count(r, is_operation, &w);
    expect_between("reads", reads, done.reads - begun.reads, under_way, after.reads - before.reads);
    expect_between("bytes read", w.sum, done.read_bytes - begun.read_bytes, bytes_under_way,
                   after.read_bytes - before.read_bytes);
    w = (struct expected){.hook = WRITE};
    live_count(r, is_operation, &w);
    expect_between("bytes written", w.sum, done.written_bytes - begun.written_bytes,
                   bytes_under_way, after.written_bytes - before.written_bytes);
    /* Empty writes that flush count among the kernel's writes and are none of ours. */
    w = (struct expected){.hook = FLUSH};
    const uint64_t flushes = live_count(r, is_operation, &w);
    expect_between("flushes", flushes, done.flushes - begun.flushes, under_way,
                   after.flushes - before.flushes);
    live_free(r);
    close(fd);
}

/* ---- against fio ------------------------------------------------------------------------------ */

enum { FIO_BYTES = 20480, FIO_OPERATIONS = 1500 };

static uint64_t number_behind(const char *text, const char *key)
{
    const char *const at = text ? strstr(text, key) : NULL;
    return at ? strtoull(at + strcspn(at, "0123456789"), NULL, 10) : 0;
}

/* Its report, of reads: operations and bytes. */
static uint32_t run_fio(uint64_t *operations, uint64_t *bytes)
{
    char file[4200], size[64], count[64], report[4200];
    snprintf(report, sizeof report, "%s.fio", path);
    snprintf(file, sizeof file, "--filename=%s", path);
    snprintf(size, sizeof size, "--bs=%d", FIO_BYTES);
    snprintf(count, sizeof count, "--number_ios=%d", FIO_OPERATIONS);
    const pid_t child = fork();
    if (child == 0) {
        const int out = open(report, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        dup2(out, 1);
        dup2(out, 2);
        execlp("fio", "fio", "--name=t", "--thread", "--rw=randread", "--direct=1",
               "--ioengine=psync", "--loops=1", file, size, count, "--size=30m",
               "--output-format=json", NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WEXITSTATUS(status) == 127) {
        unlink(report);
        print_message("skipped: fio is not installed\n");
        return 0;
    }
    assert_int_equal(status, 0);
    FILE *const f = fopen(report, "re");
    char *const text = mem_new(1 << 20, 1);
    assert_non_null(f);
    text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
    fclose(f);
    unlink(report);
    const char *const read = strstr(text, "\"read\"");
    *operations = number_behind(read, "\"total_ios\"");
    *bytes = number_behind(read, "\"io_bytes\"");
    free(text);
    return (uint32_t)child;
}

static void fio_counts_the_same(void **state)
{
    (void)state;
    uint64_t operations, bytes;
    if (!run_fio(&operations, &bytes)) /* warms the pages of the program, too */
        skip();
    struct live_run *const r = live_begin(&(struct live_request){.classes = DISK});
    const uint32_t pid = run_fio(&operations, &bytes);
    end(r);
    struct expected w = {.hook = READ, .pid = pid};
    const uint64_t count = live_count(r, is_operation, &w);
    print_message("fio: %" PRIu64 " reads, %" PRIu64 " bytes; seen %" PRIu64 ", %" PRIu64
                  ", %u without a time\n",
                  operations, bytes, count, w.sum, w.unmeasured);
    assert_int_equal(operations, FIO_OPERATIONS);
    /* Of its file alone, where that is known: its own program may have to be read again. */
    enum { PROGRAM = 8 << 20 };
    struct of_file f = {.hook = READ, .key = key_of(path)};
    live_count(r, is_of_file, &f);
    if (f.bytes)
        assert_int_equal(f.bytes, bytes);
    else
        assert_in_range(w.sum, bytes, bytes + PROGRAM);
    assert_true(count >= operations); /* where the file lies in two pieces, a read is two */
    check_unseen(r, w.unmeasured);
    live_free(r);
}

/* Two jobs, a file each, past the page cache and through it: the bytes of each, by file and
 * process, as given to fio. */
static uint32_t run_two(const char *const files[2], const char *direct, const char *rw)
{
    char names[2][4200];
    snprintf(names[0], sizeof names[0], "--filename=%s", files[0]);
    snprintf(names[1], sizeof names[1], "--filename=%s", files[1]);
    const pid_t child = fork();
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        execlp("fio", "fio", "--thread", direct, rw, "--ioengine=psync", "--bs=64k", "--size=8m",
               "--end_fsync=1", "--invalidate=1", "--name=one", names[0], "--name=two", names[1],
               "--size=12m", NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WEXITSTATUS(status) == 127) {
        print_message("skipped: fio is not installed\n");
        skip();
    }
    assert_int_equal(status, 0);
    return (uint32_t)child;
}

static void bytes_are_each_files_own(void **state)
{
    (void)state;
    static const struct {
        const char *direct, *rw;
        uint16_t hook;
    } rows[] = {{"--direct=1", "--rw=write", WRITE},
                {"--direct=1", "--rw=randread", READ},
                {"--direct=0", "--rw=write", WRITE},
                {"--direct=0", "--rw=read", READ}};
    if (!live_has_bpf()) {
        print_message("skipped: only BPF programs see whose bytes they are\n");
        skip();
    }
    char files[2][4200];
    for (unsigned i = 0; i < 2; i++)
        snprintf(files[i], sizeof files[i], "%s.%u", path, i);
    const char *const both[2] = {files[0], files[1]};
    run_two(both, rows[0].direct, rows[0].rw);
    for (unsigned n = 0; n < sizeof rows / sizeof *rows; n++) {
        struct live_run *const r = live_begin(&(struct live_request){.classes = DISK});
        run_two(both, rows[n].direct, rows[n].rw);
        end(r);
        for (unsigned i = 0; i < 2; i++) {
            struct of_file f = {.hook = rows[n].hook, .key = key_of(files[i])};
            live_count(r, is_of_file, &f);
            print_message("%s %s: file %u: %" PRIu64 " bytes\n", rows[n].direct, rows[n].rw, i,
                          f.bytes);
            assert_int_equal(f.bytes, (i ? 12 : 8) << 20);
        }
        live_free(r);
    }
    unlink(files[0]);
    unlink(files[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_reads_are_exact),
        cmocka_unit_test(split_reads_are_exact),
        cmocka_unit_test(writes_and_flushes_are_exact),
        cmocka_unit_test(the_kernel_counts_the_same),
        cmocka_unit_test(fio_counts_the_same),
        cmocka_unit_test(bytes_are_each_files_own),
    };
    return cmocka_run_group_tests_name("disks, live", tests, make_file, drop_file);
}
