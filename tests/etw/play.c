/* What the test wants: TRACETOP_TEST_ETW_PLAY holds "key=value;key=value". Times are "300ms" or
 * "3s", counted from the first session's start. A word nobody knows ends the program: a test
 * that asks for nothing that exists would pass for the wrong reason. */
#include "tests/etw/fake.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAULTS = 32, LAST = 0x7fffffff, WORDS = 8192, STATUS_BAD_PLAY = 98 };

struct fake_play play;

struct fault {
    char name[64], part[24]; /* part "": all calls */
    ULONG code;
    unsigned first, last; /* of the calls that match, counted from 1 */
    unsigned seen;
};

static struct {
    struct fault faults[FAULTS];
    unsigned fault_count;
    int64_t began;
    char text[WORDS];
} requests;

/* Calls and failures by function. */
static struct {
    const char *name;
    volatile LONG calls, failed;
} calls[] = {
#define ROW(type, name, parameters) {#name, 0, 0},
    ETW_FUNCTIONS(ROW)
#undef ROW
};

enum { CALLS = sizeof calls / sizeof *calls };

/* ---- reading ------------------------------------------------------------------------------- */

static void refuse(const char *what, const char *value)
{
    fprintf(stderr, "TRACETOP_TEST_ETW_PLAY: %s: %s\n", what, value);
    fflush(stderr);
    ExitProcess(STATUS_BAD_PLAY);
}

static int64_t milliseconds(const char *value)
{
    char *end;
    const double number = strtod(value, &end);
    if (strcmp(end, "s") == 0)
        return (int64_t)(number * 1000);
    if (end == value || (*end && strcmp(end, "ms") != 0))
        refuse("expected a time such as 300ms or 3s", value);
    return (int64_t)number;
}

static uint64_t number(const char *value)
{
    char *end;
    const uint64_t n = strtoull(value, &end, 0);
    if (end == value || *end)
        refuse("expected a number", value);
    return n;
}

static void read_name(const char *value, WCHAR *to)
{
    if (!MultiByteToWideChar(CP_UTF8, 0, value, -1, to, FAKE_NAME))
        refuse("expected a name", value);
}

/* "StartTraceW:5@1": the first call fails with 5. "@2+": from the second on; "@1-3". A part
 * follows the name with a dot: "ControlTraceW.QUERY:4201@3+". */
static void read_fault(char *value)
{
    if (requests.fault_count == FAULTS)
        refuse("too many faults", value);
    struct fault *const f = &requests.faults[requests.fault_count];
    unsigned code = 0, first = 1, last = 0;
    char tail = 0;
    const int fields = sscanf(value, "%63[^:.]", f->name);
    const char *at = value + strlen(f->name);
    if (fields == 1 && *at == '.')
        sscanf(at + 1, "%23[^:]", f->part), at += 1 + strlen(f->part);
    const int found = sscanf(at, ":%u@%u%c%u", &code, &first, &tail, &last);
    if (fields != 1 || found < 1)
        refuse("expected NAME:CODE@CALL", value);
    unsigned known = 0;
    while (known < CALLS && strcmp(calls[known].name, f->name) != 0)
        known++;
    if (known == CALLS)
        refuse("there is no such function", f->name);
    f->code = code;
    f->first = first;
    f->last = found < 2 || tail == '+' ? LAST : tail == '-' ? last : first;
    requests.fault_count++;
}

static void read_files(char *value)
{
    for (char *at = strtok(value, ","); at; at = strtok(NULL, ",")) {
        if (play.file_count == sizeof play.files / sizeof *play.files)
            refuse("too many files", at);
        play.files[play.file_count++] = _strdup(at);
    }
}

static void read_cassette(char *value)
{
    play.cassette = _strdup(value);
    play.is_empty = true;
}

static void read_machine(char *value)
{
    play.is_empty = strcmp(value, "no") == 0;
}

static void read_stop(char *value)
{
    char *const name = strchr(value, ':');
    if (name) {
        *name = '\0';
        read_name(name + 1, play.stop_name);
    }
    play.stop_at = milliseconds(value);
}

static void read_pair(char *value, int64_t *first, int64_t *second, bool both_are_times)
{
    char *const colon = strchr(value, ':');
    if (!colon)
        refuse("expected two values and a colon", value);
    *colon = '\0';
    *first = milliseconds(value);
    *second = both_are_times ? milliseconds(colon + 1) : (int64_t)number(colon + 1);
}

static void read_jump(char *value)
{
    read_pair(value, &play.jump_at, &play.jump, true);
}

static void read_break(char *value)
{
    int64_t code;
    read_pair(value, &play.break_at, &code, false);
    play.break_code = (ULONG)code;
}

static void read_console(char *value)
{
    int64_t event;
    read_pair(value, &play.console_at, &event, false);
    play.console_event = (DWORD)event;
}

static void read_die(char *value)
{
    play.die_at = milliseconds(value);
}

static void read_records(char *value)
{
    play.records_at = milliseconds(value);
}

static void read_burst(char *value)
{
    char *const colon = strchr(value, ':');
    if (colon) {
        *colon = '\0';
        play.burst_every = milliseconds(colon + 1);
    }
    play.burst = number(value);
}

static void read_rights(char *value)
{
    static const char *const names[] = {"administrator", "performance", "user"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(value, names[i]) == 0) {
            play.rights = (enum fake_rights)i;
            return;
        }
    refuse("expected administrator, performance or user", value);
}

static void read_begin(char *value)
{
    play.begin = milliseconds(value);
}

static void read_held(char *value)
{
    read_name(value, play.held);
}

static void read_filed(char *value)
{
    read_name(value, play.filed);
}

static void read_slow(char *value)
{
    play.slow = milliseconds(value);
}

static void read_unkind(char *value)
{
    const char *unknown = value;
    if (!unkind_select(value, &unknown))
        refuse("there is no such switch", unknown);
}

/* The loader's: it gives the program a function or does not. */
static void read_absent(char *value)
{
    (void)value;
}

static const struct {
    const char *key;
    void (*read)(char *value);
    uint64_t *large; /* or a number goes here … */
    unsigned *small; /* … or here */
} keys[] = {
    {"machine", read_machine, NULL, NULL},
    {"seed", NULL, &play.seed, NULL},
    {"rate", NULL, &play.rate, NULL},
    {"events", NULL, &play.events, NULL},
    {"cpus", NULL, NULL, &play.cpus},
    {"hostile", NULL, NULL, &play.hostile},
    {"lose", NULL, NULL, &play.lose},
    {"files", read_files, NULL, NULL},
    {"cassette", read_cassette, NULL, NULL},
    {"speed", NULL, NULL, &play.speed},
    {"begin", read_begin, NULL, NULL},
    {"disorder", NULL, NULL, &play.disorder},
    {"cut", NULL, NULL, &play.cut},
    {"lie", NULL, NULL, &play.lie},
    {"counters", NULL, NULL, &play.counters},
    {"lost_buffers", NULL, NULL, &play.lost_buffers},
    {"jump", read_jump, NULL, NULL},
    {"stop", read_stop, NULL, NULL},
    {"break", read_break, NULL, NULL},
    {"fail", read_fault, NULL, NULL},
    {"absent", read_absent, NULL, NULL},
    {"rights", read_rights, NULL, NULL},
    {"sessions", NULL, NULL, &play.sessions},
    {"system_sessions", NULL, NULL, &play.system_sessions},
    {"held", read_held, NULL, NULL},
    {"reserved", NULL, NULL, &play.reserved},
    {"build", NULL, NULL, &play.build},
    {"filed", read_filed, NULL, NULL},
    {"slow", read_slow, NULL, NULL},
    {"unkind", read_unkind, NULL, NULL},
    {"same", NULL, NULL, &play.same},
    {"flood", NULL, &play.flood, NULL},
    {"prints", NULL, NULL, &play.prints},
    {"burst", read_burst, NULL, NULL},
    {"console", read_console, NULL, NULL},
    {"records", read_records, NULL, NULL},
    {"die", read_die, NULL, NULL},
};

static void read_request(char *request)
{
    char *const value = strchr(request, '=');
    if (!value)
        refuse("expected key=value", request);
    *value = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].key, request) != 0)
            continue;
        if (keys[i].read)
            keys[i].read(value + 1);
        else if (keys[i].large)
            *keys[i].large = number(value + 1);
        else
            *keys[i].small = (unsigned)number(value + 1);
        return;
    }
    refuse("nobody knows", request);
}

bool play_is_watchdog(void)
{
    return wcsstr(GetCommandLineW(), L" --watchdog ") != NULL;
}

void play_read(void)
{
    enum { LOST_IN = 3 };
    play = (struct fake_play){.seed = 7, .rate = 2000, .speed = 1, .begin = 300, .slow = 600};
    if (!GetEnvironmentVariableA("TRACETOP_TEST_ETW_PLAY", requests.text, WORDS))
        return;
    for (char *at = requests.text; *at;) {
        char *const end = at + strcspn(at, ";");
        const bool is_last = !*end;
        *end = '\0';
        if (*at)
            read_request(at);
        at = is_last ? end : end + 1;
    }
    if (unkind(UNKIND_LOSES_BUFFERS))
        play.lost_buffers = LOST_IN;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static ULONG fault_of(const char *name, const char *part)
{
    ULONG code = 0;
    for (unsigned i = 0; i < requests.fault_count; i++) {
        struct fault *const f = &requests.faults[i];
        if (strcmp(f->name, name) != 0 || (f->part[0] && (!part || strcmp(f->part, part) != 0)))
            continue;
        f->seen++;
        if (f->seen >= f->first && f->seen <= f->last)
            code = f->code;
    }
    return code;
}

ULONG play_call(const char *name, const char *part)
{
    static SRWLOCK lock = SRWLOCK_INIT;
    AcquireSRWLockExclusive(&lock);
    const ULONG code = fault_of(name, part);
    for (unsigned i = 0; i < CALLS; i++)
        if (strcmp(calls[i].name, name) == 0) {
            calls[i].calls++;
            calls[i].failed += code != 0;
        }
    ReleaseSRWLockExclusive(&lock);
    return code;
}

size_t play_report(char *to, size_t room)
{
    size_t used = 0;
    for (unsigned i = 0; i < CALLS && used < room; i++)
        if (calls[i].calls)
            used += (size_t)snprintf(to + used, room - used, "call %s %ld faults %ld\n",
                                     calls[i].name, calls[i].calls, calls[i].failed);
    return used < room ? used : room;
}

/* ---- time ------------------------------------------------------------------------------------ */

void play_begin(void)
{
    if (!requests.began)
        requests.began = (int64_t)GetTickCount64() + 1;
}

int64_t play_time(void)
{
    return requests.began ? (int64_t)GetTickCount64() + 1 - requests.began : 0;
}
