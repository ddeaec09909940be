/* The fixtures of the synthetic machine: who runs, what they are like, which files, keys
 * and peers there are. Names are inventions where they are not parts of Windows. */
#include "collectors/synthetic/machine.h"

#include "src/base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- characters ------------------------------------------------------------------ */

/* clang-format off */
const struct demo_role roles[ROLES] = {
    [ROLE_IDLE] = {
        .thread_name = "Idle Thread", .priority = 0,
        .work_items = { { WORK_SLEEP, 1 } },
    },
    [ROLE_KERNEL] = {
        .thread_name = "LazyWriter", .priority = 12, .reads = FAMILY_CACHE,
        .writes = FAMILY_OBJECT, .cached = 50, .run_us = 60, .pause_us = 30000,
        .read_bytes = 65536, .write_bytes = 65536,
        .work_items = { { WORK_SLEEP, 50 }, { WORK_WRITE, 30 }, { WORK_READ, 10 }, { WORK_REGISTRY, 2 },
                  { WORK_WAIT, 8 } },
    },
    [ROLE_SERVICE] = {
        .thread_name = "", .priority = 8, .reads = FAMILY_SYSTEM, .writes = FAMILY_CACHE,
        .cached = 90, .run_us = 80, .pause_us = 40000, .read_bytes = 4096, .write_bytes = 4096,
        .work_items = { { WORK_SLEEP, 30 }, { WORK_REGISTRY, 34 }, { WORK_WAIT, 10 }, { WORK_LOOKUP, 6 },
                  { WORK_TOUCH, 8 }, { WORK_ATTRIBUTE, 6 }, { WORK_READ, 4 }, { WORK_CALL, 4 } },
    },
    [ROLE_SHELL] = {
        .thread_name = "ShellWorker", .priority = 9, .reads = FAMILY_DOCUMENT,
        .writes = FAMILY_CACHE, .cached = 85, .run_us = 300, .pause_us = 90000,
        .read_bytes = 16384, .write_bytes = 4096,
        .work_items = { { WORK_SLEEP, 35 }, { WORK_LIST, 12 }, { WORK_REGISTRY, 25 }, { WORK_OPEN, 6 },
                  { WORK_CLOSE, 6 }, { WORK_ATTRIBUTE, 10 }, { WORK_WAIT, 8 }, { WORK_REPLACE, 2 } },
    },
    [ROLE_DESKTOP] = {
        .thread_name = "Compositor", .priority = 15, .reads = FAMILY_SYSTEM,
        .writes = FAMILY_NONE, .cached = 100, .run_us = 900, .pause_us = 15000,
        .read_bytes = 4096,
        .work_items = { { WORK_SLEEP, 80 }, { WORK_WAIT, 8 }, { WORK_CALL, 8 }, { WORK_TOUCH, 4 } },
    },
    [ROLE_BROWSER] = {
        .thread_name = "NetworkService", .priority = 8, .reads = FAMILY_CACHE,
        .writes = FAMILY_CACHE, .cached = 80, .run_us = 250, .pause_us = 60000,
        .read_bytes = 8192, .write_bytes = 16384,
        .work_items = { { WORK_REQUEST, 40 }, { WORK_LOOKUP, 5 }, { WORK_WRITE, 14 }, { WORK_READ, 10 },
                  { WORK_SLEEP, 16 }, { WORK_WAIT, 8 }, { WORK_TOUCH, 6 }, { WORK_ALLOCATE, 4 } },
    },
    [ROLE_PAGE] = {
        .thread_name = "Renderer", .priority = 8, .reads = FAMILY_CACHE, .writes = FAMILY_NONE,
        .cached = 92, .run_us = 1800, .pause_us = 45000, .read_bytes = 8192,
        .work_items = { { WORK_SLEEP, 36 }, { WORK_WAIT, 26 }, { WORK_TOUCH, 20 }, { WORK_PAGE_IN, 3 },
                  { WORK_ALLOCATE, 9 }, { WORK_CALL, 6 } },
    },
    [ROLE_SERVER] = {
        .thread_name = "SqlWorker", .priority = 9, .reads = FAMILY_DATABASE,
        .writes = FAMILY_DATABASE, .cached = 78, .run_us = 180, .pause_us = 9000,
        .read_bytes = 8192, .write_bytes = 8192,
        .work_items = { { WORK_LISTEN, 28 }, { WORK_READ, 34 }, { WORK_WRITE, 8 }, { WORK_COMMIT, 16 },
                  { WORK_SLEEP, 8 }, { WORK_TOUCH, 4 }, { WORK_PAGE_IN, 2 } },
    },
    [ROLE_LOGGER] = {
        .thread_name = "LogWriter", .priority = 11, .reads = FAMILY_LOG, .writes = FAMILY_LOG,
        .cached = 100, .run_us = 60, .pause_us = 1000, .read_bytes = 4096, .write_bytes = 32768,
        .work_items = { { WORK_LOG, 1 } },
    },
    [ROLE_BACKUP] = {
        .thread_name = "CopyWorker", .priority = 7, .reads = FAMILY_ARCHIVE,
        .writes = FAMILY_BACKUP, .run_us = 120, .pause_us = 4000, .read_bytes = 1048576,
        .write_bytes = 1048576,
        .work_items = { { WORK_READ, 48 }, { WORK_WRITE, 32 }, { WORK_OPEN, 6 }, { WORK_CLOSE, 6 },
                  { WORK_SLEEP, 6 }, { WORK_FLUSH, 2 } },
    },
    [ROLE_SCANNER] = {
        .thread_name = "ScanWorker", .priority = 8, .reads = FAMILY_DOCUMENT,
        .writes = FAMILY_NONE, .cached = 60, .run_us = 700, .pause_us = 50000,
        .read_bytes = 65536,
        .work_items = { { WORK_SCAN, 44 }, { WORK_REGISTRY, 16 }, { WORK_OPEN, 10 }, { WORK_CLOSE, 10 },
                  { WORK_SLEEP, 16 }, { WORK_TOUCH, 4 } },
    },
    [ROLE_BUILD] = {
        .thread_name = "", .priority = 8, .reads = FAMILY_SOURCE, .writes = FAMILY_OBJECT,
        .cached = 95, .run_us = 150, .pause_us = 20000, .read_bytes = 4096, .write_bytes = 4096,
        .work_items = { { WORK_BUILD, 70 }, { WORK_ATTRIBUTE, 20 }, { WORK_READ, 10 } },
    },
    [ROLE_COMPILER] = {
        .thread_name = "", .priority = 8, .reads = FAMILY_SOURCE, .writes = FAMILY_OBJECT,
        .cached = 88, .lifetime = 60, .run_us = 1500, .pause_us = 500, .read_bytes = 16384,
        .write_bytes = 65536,
        .work_items = { { WORK_OPEN, 22 }, { WORK_READ, 26 }, { WORK_CLOSE, 12 }, { WORK_ATTRIBUTE, 10 },
                  { WORK_TOUCH, 12 }, { WORK_ALLOCATE, 4 }, { WORK_WRITE, 6 }, { WORK_REPLACE, 2 },
                  { WORK_PAGE_IN, 3 }, { WORK_STEP, 3 } },
    },
    [ROLE_LINKER] = {
        .thread_name = "", .priority = 8, .reads = FAMILY_OBJECT, .writes = FAMILY_OBJECT,
        .cached = 80, .lifetime = 90, .run_us = 2200, .pause_us = 500, .read_bytes = 65536,
        .write_bytes = 262144,
        .work_items = { { WORK_READ, 46 }, { WORK_WRITE, 20 }, { WORK_OPEN, 10 }, { WORK_CLOSE, 8 },
                  { WORK_TOUCH, 10 }, { WORK_ALLOCATE, 4 }, { WORK_STEP, 2 } },
    },
};
/* clang-format on */

/* ---- programs ---------------------------------------------------------------------- */

enum { ROW_IDLE, ROW_SYSTEM, ROW_SMSS, ROW_WININIT, ROW_SERVICES, ROW_WINLOGON, ROW_EXPLORER };

#define SVCHOST "C:\\Windows\\system32\\svchost.exe -k group"
#define FIREFOX "\"C:\\Program Files\\Mozilla Firefox\\firefox.exe\""

/* image, command before and after a number, roles (all threads, the first), threads,
 * copies, parent, session, whose. */
const struct program programs[] = {
    [ROW_IDLE] = {"Idle", "", NULL, ROLE_IDLE, ROLE_IDLE, 0, 1, 0, 0xff, false},
    [ROW_SYSTEM] = {"System", "", NULL, ROLE_KERNEL, ROLE_KERNEL, 10, 1, 0, 0xff, false},
    [ROW_SMSS] = {"smss.exe", "\\SystemRoot\\System32\\smss.exe", NULL, ROLE_SERVICE, ROLE_SERVICE,
                  2, 1, ROW_SYSTEM, 0xff, false},
    [ROW_WININIT] = {"wininit.exe", "wininit.exe", NULL, ROLE_SERVICE, ROLE_SERVICE, 2, 1, ROW_SMSS,
                     0, false},
    [ROW_SERVICES] = {"services.exe", "C:\\Windows\\system32\\services.exe", NULL, ROLE_SERVICE,
                      ROLE_SERVICE, 5, 1, ROW_WININIT, 0, false},
    [ROW_WINLOGON] = {"winlogon.exe", "winlogon.exe", NULL, ROLE_SERVICE, ROLE_SERVICE, 2, 1,
                      ROW_SMSS, 1, false},
    [ROW_EXPLORER] = {"explorer.exe", "C:\\Windows\\Explorer.EXE", NULL, ROLE_SHELL, ROLE_SHELL, 8,
                      1, ROW_WINLOGON, 1, true},
    {"csrss.exe", "csrss.exe ObjectDirectory=\\Windows SharedSection=", "", ROLE_SERVICE,
     ROLE_SERVICE, 4, 2, ROW_SMSS, 1, false},
    {"lsass.exe", "C:\\Windows\\system32\\lsass.exe", NULL, ROLE_SERVICE, ROLE_SERVICE, 5, 1,
     ROW_WININIT, 0, false},
    {"svchost.exe", SVCHOST, " -p", ROLE_SERVICE, ROLE_SERVICE, 4, 9, ROW_SERVICES, 0, false},
    {"dwm.exe", "dwm.exe", NULL, ROLE_DESKTOP, ROLE_DESKTOP, 3, 1, ROW_WINLOGON, 1, false},
    {"MsMpEng.exe", "", NULL, ROLE_SCANNER, ROLE_SCANNER, 6, 1, ROW_SERVICES, 0, false},
    {"sqlservr.exe", "D:\\ledger\\sqlservr.exe -sLEDGER", NULL, ROLE_SERVER, ROLE_LOGGER, 17, 1,
     ROW_SERVICES, 0, false},
    {"robocopy.exe", "robocopy D:\\archive E:\\backup /MIR /MT:3", NULL, ROLE_BACKUP, ROLE_BACKUP,
     3, 1, ROW_EXPLORER, 1, true},
    {"firefox.exe", FIREFOX, NULL, ROLE_BROWSER, ROLE_BROWSER, 7, 1, ROW_EXPLORER, 1, true},
    {"firefox.exe", FIREFOX " -contentproc --channel=", " tab", ROLE_PAGE, ROLE_PAGE, 4, 4,
     ROW_EXPLORER, 1, true},
    {"ninja.exe", "ninja -C C:\\src\\product\\out", NULL, ROLE_BUILD, ROLE_BUILD, 1, 1,
     ROW_EXPLORER, 1, true},
};
const unsigned program_count = sizeof programs / sizeof *programs;

static const struct program compiler = {
    .image = "cl.exe",
    .command = "cl /nologo /c /O2 /Iinclude ..\\source\\unit",
    .command_tail = ".cpp",
    .role = ROLE_COMPILER,
    .first_role = ROLE_COMPILER,
    .threads = 1,
    .session = 1,
    .is_user = true,
};

static const struct program linker = {
    .image = "link.exe",
    .command = "link /nologo @objects.rsp /OUT:product",
    .command_tail = ".exe",
    .role = ROLE_LINKER,
    .first_role = ROLE_LINKER,
    .threads = 1,
    .session = 1,
    .is_user = true,
};

const struct program *program_of(unsigned row)
{
    return row == PROGRAM_COMPILER ? &compiler : row == PROGRAM_LINKER ? &linker : &programs[row];
}

/* ---- names that hurt ---------------------------------------------------------------- */

#define WIDE(...)                                                                                  \
    (const uint16_t[])                                                                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define UNITS(...) (unsigned)(sizeof((uint16_t[]){__VA_ARGS__}) / 2)
#define HOSTILE(narrow, ...)                                                                       \
    {                                                                                              \
        WIDE(__VA_ARGS__), UNITS(__VA_ARGS__), narrow                                              \
    }

/* Sixteen units, to be repeated: longer than any window is wide. */
#define L16   'l', 'o', 'n', 'g', '-', 'n', 'a', 'm', 'e', '-', 'a', 'n', 'd', ' ', 'o', 'n'
#define L64   L16, L16, L16, L16
#define L256  L64, L64, L64, L64
#define L1024 L256, L256, L256, L256

const struct hostile hostiles[] = {
    /* ESC [ 2 J: clears a terminal that gets it raw; ESC ] 0 ; … BEL: changes its title. */
    HOSTILE("\x1b[2J\x1b]0;owned\x07", 0x1b, '[', '2', 'J', 0x1b, ']', '0', ';', 'o', 'w', 'n', 'e',
            'd', 7),
    /* C1 controls: CSI in one character. */
    HOSTILE("\x9b"
            "31m",
            0x9b, '3', '1', 'm', 0x85, 0x90),
    /* Right-to-left override, isolates never closed: "gpj.exe" looks like "exe.jpg". */
    HOSTILE("\xe2\x80\xaegpj.exe", 0x202e, 'g', 'p', 'j', '.', 'e', 'x', 'e', 0x2066, 0x2067),
    /* Lone surrogates of either kind, and a pair the wrong way round. */
    HOSTILE("\xed\xa0\x80\xff\xfe", 0xd800, 'a', 0xdc00, 0xdfff, 0xd83d),
    /* Line ends and tabs that would break rows and columns of an export. */
    HOSTILE("\r\n\tname,\"quoted\"", '\r', '\n', '\t', 'n', 'a', 'm', 'e', ',', '"', 'q', '"'),
    /* Combining marks without end, zero-width joiners, a byte order mark, a filler. */
    HOSTILE("e\xcc\x81\xcc\x81\xcc\x81", 'e', 0x301, 0x301, 0x301, 0x301, 0x301, 0x301, 0x301,
            0x200d, 0x200b, 0xfeff, 0x3164),
    /* Wide: CJK and emoji with a skin tone, half of which must not be cut in two. */
    HOSTILE("\xe8\xaf\xad\xe8\xa8\x80", 0x8bed, 0x8a00, 0xd55c, 0xad6d, 0xd83d, 0xdc4d, 0xd83c,
            0xdffd),
    /* Private use, noncharacters. */
    HOSTILE("\xef\xbf\xbf", 0xe000, 0xffff, 0xfffe, 0xfdd0),
    {WIDE(L1024, L1024, L1024, L1024), UNITS(L1024, L1024, L1024, L1024), ""},
};
const unsigned hostile_count = sizeof hostiles / sizeof *hostiles;

static uint8_t roll_hostile(struct synthetic *s)
{
    if (!s->o.hostile || !prng_chance(&s->prng, s->o.hostile))
        return HOSTILE_NONE;
    return (uint8_t)prng_below(&s->prng, hostile_count);
}

/* ---- images, keys -------------------------------------------------------------------- */

const struct demo_image kernel_images[] = {
    {"\\SystemRoot\\system32\\ntoskrnl.exe", 0xfffff80341000000u, 0x1046000, 0x8a1f35c2},
    {"\\SystemRoot\\system32\\hal.dll", 0xfffff80340fa0000u, 0x6000, 0x5d2f1a11},
    {"\\SystemRoot\\System32\\drivers\\ACPI.sys", 0xfffff80343200000u, 0xcc000, 0x6c1d2b90},
    {"\\SystemRoot\\System32\\drivers\\storport.sys", 0xfffff80343400000u, 0xb4000, 0x2bb7d4e1},
    {"\\SystemRoot\\System32\\drivers\\stornvme.sys", 0xfffff803434c0000u, 0x37000, 0x9f01c7d3},
    {"\\SystemRoot\\System32\\drivers\\storahci.sys", 0xfffff80343500000u, 0x31000, 0x11c0a7f3},
    {"\\SystemRoot\\System32\\drivers\\Ntfs.sys", 0xfffff80343700000u, 0x2f2000, 0x77a21f05},
    {"\\SystemRoot\\System32\\drivers\\ndis.sys", 0xfffff80343a00000u, 0x18a000, 0x3d11e02b},
    {"\\SystemRoot\\System32\\drivers\\tcpip.sys", 0xfffff80343c00000u, 0x309000, 0x51b9ac41},
    {"\\SystemRoot\\System32\\drivers\\WdFilter.sys", 0xfffff80344000000u, 0x84000, 0x1f2e3d4c},
    {"\\SystemRoot\\System32\\drivers\\dxgkrnl.sys", 0xfffff80344200000u, 0x42c000, 0x63b1a2f0},
    {"\\SystemRoot\\System32\\win32kfull.sys", 0xfffff80344800000u, 0x3c2000, 0x4411aa32},
};
const unsigned kernel_image_count = sizeof kernel_images / sizeof *kernel_images;

const struct demo_image user_images[] = {
    {"\\Device\\HarddiskVolume3\\Windows\\System32\\ntdll.dll", 0x00007ffc12a00000, 0x217000,
     0xb5ced1c6},
    {"\\Device\\HarddiskVolume3\\Windows\\System32\\kernel32.dll", 0x00007ffc11e00000, 0xc4000,
     0x1b4cc213},
    {"\\Device\\HarddiskVolume3\\Windows\\System32\\KernelBase.dll", 0x00007ffc10200000, 0x3a7000,
     0x9e1ad2f7},
    {"\\Device\\HarddiskVolume3\\Windows\\System32\\ucrtbase.dll", 0x00007ffc0fe00000, 0x111000,
     0xcd3a1f20},
    {"\\Device\\HarddiskVolume3\\Windows\\System32\\ws2_32.dll", 0x00007ffc12300000, 0x71000,
     0x45a2b1ce},
    {"\\Device\\HarddiskVolume3\\Windows\\System32\\combase.dll", 0x00007ffc11800000, 0x388000,
     0x5f2c1b0a},
    {"\\Device\\HarddiskVolume3\\Windows\\System32\\user32.dll", 0x00007ffc12500000, 0x1ae000,
     0x39c1a0be},
};
const unsigned user_image_count = sizeof user_images / sizeof *user_images;
_Static_assert(sizeof user_images / sizeof *user_images < IMAGES_EACH, "and the program's own");

const struct registry_key registry_keys[] = {
    {"\\REGISTRY\\MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion", "ProductName"},
    {"\\REGISTRY\\MACHINE\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Run", "Updater"},
    {"\\REGISTRY\\MACHINE\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall",
     "DisplayVersion"},
    {"\\REGISTRY\\MACHINE\\SYSTEM\\ControlSet001\\Services\\Tcpip\\Parameters", "Hostname"},
    {"\\REGISTRY\\MACHINE\\SYSTEM\\ControlSet001\\Services\\WinDefend", "ImagePath"},
    {"\\REGISTRY\\MACHINE\\SYSTEM\\ControlSet001\\Control\\Session Manager", "GlobalFlag"},
    {"\\REGISTRY\\MACHINE\\SOFTWARE\\Classes\\.obj", ""},
    {"\\REGISTRY\\MACHINE\\SOFTWARE\\Policies\\Microsoft\\Windows\\Explorer", "NoDriveTypeAutoRun"},
    {"\\REGISTRY\\USER\\S-1-5-21-12345678-753675414-103939432-1001\\Software\\Product\\Recent",
     "File1"},
    {"\\REGISTRY\\USER\\S-1-5-21-12345678-753675414-103939432-1001\\Control Panel\\Desktop",
     "Wallpaper"},
    {"\\REGISTRY\\USER\\S-1-5-21-12345678-753675414-103939432-1001\\Environment", "Path"},
    {"\\REGISTRY\\MACHINE\\SOFTWARE\\Microsoft\\Windows Defender\\Exclusions\\Paths", "D:\\ledger"},
};
const unsigned registry_key_count = sizeof registry_keys / sizeof *registry_keys;

/* ---- disks and files ------------------------------------------------------------------ */

/* Times in ticks (100 ns). */
static const struct disk fixture_disks[SYNTHETIC_DISKS] = {
    {.maker = "NVMe SYNTHETIC 1TB",
     .median_read = 900,
     .median_write = 350,
     .per_mib = 3500,
     .spread = 10,
     .channels = 8},
    {.maker = "ATA SYNTHETIC 4TB 5400",
     .median_read = 58000,
     .median_write = 30000,
     .per_mib = 80000,
     .spread = 12,
     .channels = 1},
    {.maker = "USB SYNTHETIC BACKUP",
     .median_read = 70000,
     .median_write = 25000,
     .per_mib = 250000,
     .spread = 9,
     .channels = 1,
     .is_removable = true},
};

struct family_row {
    const char *before, *after; /* a path is before, number, after */
    uint8_t width;              /* digits of the number at least */
    uint8_t disk;
    uint16_t count;
    uint32_t bytes; /* median size */
    bool is_there;  /* from the start */
};

#define SYSTEM_VOLUME "\\Device\\HarddiskVolume3\\"
#define DATA_VOLUME   "\\Device\\HarddiskVolume4\\"

static const struct family_row families[FAMILIES] = {
    [FAMILY_SYSTEM] = {SYSTEM_VOLUME "Windows\\System32\\lib", ".dll", 1, 0, 40, 400000, true},
    [FAMILY_SOURCE] = {SYSTEM_VOLUME "src\\product\\include\\part", ".hpp", 1, 0, 160, 24000, true},
    [FAMILY_OBJECT] = {SYSTEM_VOLUME "src\\product\\out\\obj\\unit", ".obj", 1, 0, 96, 300000,
                       false},
    [FAMILY_DATABASE] = {SYSTEM_VOLUME "ledger\\data\\ledger", ".mdf", 1, 0, 4, 2000000000, true},
    [FAMILY_LOG] = {DATA_VOLUME "ledger\\log\\ledger", ".ldf", 1, 1, 1, 1000000000, true},
    [FAMILY_CACHE] = {SYSTEM_VOLUME "Users\\ada\\AppData\\Local\\Mozilla\\cache2\\", "", 8, 0, 64,
                      60000, true},
    [FAMILY_DOCUMENT] = {DATA_VOLUME "documents\\report ", ".docx", 1, 1, 80, 700000, true},
    [FAMILY_ARCHIVE] = {DATA_VOLUME "archive\\photo", ".raw", 5, 1, 96, 30000000, true},
    [FAMILY_BACKUP] = {"\\Device\\HarddiskVolume7\\backup\\photo", ".raw", 5, 2, 96, 30000000,
                       false},
};

unsigned file_path(const struct demo_file *f, char *out, size_t room)
{
    const struct family_row *row = &families[f->family];
    return (unsigned)snprintf(out, room, "%s%0*u%s", row->before, row->width, f->number,
                              row->after);
}

uint16_t file_pick(struct synthetic *s, unsigned family)
{
    return (uint16_t)(s->family_first[family] + prng_below(&s->prng, s->family_count[family]));
}

static void enter_files(struct synthetic *s)
{
    unsigned at = 0;
    for (unsigned family = FAMILY_NONE + 1; family < FAMILIES; family++) {
        const struct family_row *row = &families[family];
        s->family_first[family] = (uint16_t)at;
        s->family_count[family] = row->count;
        for (unsigned i = 0; i < row->count; i++, at++)
            s->files[at] = (struct demo_file){
                .key = 0xffffc00d10000140u + (uint64_t)prng_below(&s->prng, 1 << 20) * 0x2000 + at,
                .at = (uint64_t)(at + 1) << 31,
                .number = i + 1,
                .family = (uint8_t)family,
                .disk = row->disk,
                .hostile = roll_hostile(s),
                .is_there = row->is_there,
                .bytes = (uint32_t)prng_spread(&s->prng, row->bytes, row->count > 8 ? 8 : 1),
            };
    }
    assert(at <= FILE_SLOTS);
}

/* ---- processes and threads -------------------------------------------------------------- */

/* Process and thread ids come from one table of handles, in fours; an id that was
 * given back is soon used again. */
static uint32_t id_new(struct synthetic *s)
{
    if (s->id_count > 24 || (s->id_count && prng_chance(&s->prng, 300)))
        return s->ids[--s->id_count];
    s->id_next += 4 * prng_between(&s->prng, 1, 5);
    return s->id_next;
}

static void id_free(struct synthetic *s, uint32_t id)
{
    assert(s->id_count < PROCESS_SLOTS + THREAD_SLOTS);
    s->ids[s->id_count++] = id;
}

static uint32_t total_new(struct synthetic *s, const struct demo_process *p)
{
    const struct synthetic_process total = {.pid = p->pid, .key = p->key};
    if (s->total_free_count) {
        const uint32_t row = s->total_free[--s->total_free_count];
        s->totals.processes[row] = total;
        return row;
    }
    struct synthetic_totals *t = &s->totals;
    if (t->process_count % 256 == 0)
        t->processes = mem_grow(t->processes, t->process_count + 256, sizeof *t->processes);
    t->processes[t->process_count] = total;
    return (uint32_t)t->process_count++;
}

uint16_t process_new(struct synthetic *s, unsigned row, uint32_t parent_pid)
{
    const uint16_t index = s->free_process;
    if (index == NOBODY)
        return NOBODY;
    s->free_process = s->process_next[index];
    const bool is_first = row == ROW_IDLE || row == ROW_SYSTEM;
    struct demo_process *p = &s->processes[index];
    *p = (struct demo_process){
        .pid = row == ROW_IDLE     ? 0
               : row == ROW_SYSTEM ? 4
                                   : id_new(s),
        .parent = parent_pid,
        .is_used = true,
        .number = ++s->number,
        .key = 0xffff9b8f00000080u + (uint64_t)prng_below(&s->prng, 1 << 18) * 0x1000,
        .table_base = (uint64_t)prng_below(&s->prng, 1 << 20) * 0x1000,
        .waker = NOBODY,
        .waiters = NOBODY,
        .program = (uint8_t)row,
        .hostile = row >= PROGRAM_COMPILER ? roll_hostile(s) : HOSTILE_NONE,
        .images = is_first ? 0 : (uint8_t)prng_between(&s->prng, 4, IMAGES_EACH),
        .steps = roles[program_of(row)->role].lifetime,
        .base = is_first ? kernel_images[0].base
                         : 0x00007ff600000000u + (uint64_t)prng_below(&s->prng, 1 << 16) * 0x10000,
    };
    p->steps = p->steps ? (uint32_t)prng_spread(&s->prng, p->steps, 8) + 4 : 0;
    p->total = total_new(s, p);
    return index;
}

void process_free(struct synthetic *s, uint16_t index)
{
    struct demo_process *p = &s->processes[index];
    p->is_used = false;
    id_free(s, p->pid);
    if (!s->o.keep_totals)
        s->total_free[s->total_free_count++] = p->total;
    s->process_next[index] = s->free_process;
    s->free_process = index;
}

static uint32_t thread_total(struct synthetic *s, uint32_t tid, uint32_t pid)
{
    struct synthetic_totals *all = &s->totals;
    if (!s->o.keep_totals)
        return 0;
    all->threads = mem_grow(all->threads, all->thread_count + 1, sizeof *all->threads);
    all->threads[all->thread_count] = (struct synthetic_thread){.tid = tid, .pid = pid};
    return (uint32_t)all->thread_count++;
}

uint16_t thread_new(struct synthetic *s, uint16_t process, unsigned role)
{
    const uint16_t index = s->free_thread;
    if (index == NOBODY)
        return NOBODY;
    s->free_thread = s->threads[index].next;
    s->threads[index] = (struct demo_thread){
        .tid = role == ROLE_IDLE ? 0 : id_new(s),
        .process = process,
        .next = NOBODY,
        .link = NOBODY,
        .file = NOBODY,
        .cpu = (uint16_t)prng_below(&s->prng, s->cpu_count),
        .state = THREAD_WAITING,
        .role = (uint8_t)role,
        .priority = roles[role].priority,
        .is_named = *roles[role].thread_name != '\0',
        .stack = 0xffffd20000000000u + (uint64_t)(index + 1) * 0x10000,
        .waiting_since = s->now,
    };
    s->threads[index].total =
        thread_total(s, s->threads[index].tid, s->processes[process].pid);
    s->processes[process].threads++;
    return index;
}

void thread_free(struct synthetic *s, uint16_t index)
{
    struct demo_thread *t = &s->threads[index];
    id_free(s, t->tid);
    s->processes[t->process].threads--;
    t->state = THREAD_FREE;
    t->next = s->free_thread;
    s->free_thread = index;
}

unsigned process_image(const struct demo_process *p, char *out, size_t room)
{
    return (unsigned)snprintf(out, room, "%s", program_of(p->program)->image);
}

unsigned process_command(const struct demo_process *p, char *out, size_t room)
{
    const struct program *c = program_of(p->program);
    if (!c->command_tail)
        return (unsigned)snprintf(out, room, "%s", c->command);
    return (unsigned)snprintf(out, room, "%s%u%s", c->command, p->number, c->command_tail);
}

/* The first instance of an earlier row is the parent. */
static void enter_program(struct synthetic *s, unsigned row, uint32_t pids[])
{
    const struct program *c = &programs[row];
    for (unsigned copy = 0; copy < c->copies; copy++) {
        const uint16_t process = process_new(s, row, pids[c->parent]);
        if (copy == 0)
            pids[row] = s->processes[process].pid;
        for (unsigned i = 0; i < c->threads; i++) {
            const uint16_t thread = thread_new(s, process, i == 0 ? c->first_role : c->role);
            if (s->threads[thread].role == ROLE_LOGGER)
                s->logger = thread;
        }
    }
}

static void enter_lists(struct synthetic *s)
{
    for (unsigned i = 0; i < PROCESS_SLOTS; i++)
        s->process_next[i] = i + 1 < PROCESS_SLOTS ? (uint16_t)(i + 1) : NOBODY;
    for (unsigned i = 0; i < THREAD_SLOTS; i++)
        s->threads[i].next = i + 1 < THREAD_SLOTS ? (uint16_t)(i + 1) : NOBODY;
    for (unsigned i = 0; i < IO_SLOTS; i++)
        s->io_next[i] = i + 1 < IO_SLOTS ? (uint16_t)(i + 1) : NOBODY;
    for (unsigned i = 0; i < PRIORITIES; i++)
        s->ready_first[i] = s->ready_last[i] = NOBODY;
    s->logger = s->commits = s->committing = NOBODY;
}

void fixtures_create(struct synthetic *s)
{
    enter_lists(s);
    s->id_next = s->o.ids_above ? s->o.ids_above : 400;
    memcpy(s->disks, fixture_disks, sizeof s->disks);
    enter_files(s);
    uint32_t pids[sizeof programs / sizeof *programs] = {0};
    for (unsigned row = 0; row < program_count; row++)
        enter_program(s, row, pids);
    for (unsigned cpu = 0; cpu < s->cpu_count; cpu++) {
        const uint16_t idle = thread_new(s, 0, ROLE_IDLE);
        s->threads[idle].state = THREAD_RUNNING;
        s->threads[idle].cpu = (uint16_t)cpu;
        s->cpus[cpu].thread = s->cpus[cpu].idle = idle;
        s->idle_mask |= (uint64_t)1 << cpu;
    }
}
