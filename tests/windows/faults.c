/* What goes wrong, one row each: the program runs under Wine with the stand-in for ETW, which
 * fails, stops, loses or lies as the row requests. Expected are the exit status, a sentence, and
 * always that nothing is left behind: no session, no handle, no registration, no thread in
 * ProcessTrace.
 *
 * usage: faults [PART OF A ROW'S REQUESTS | schemas] (from the root, after `make windows`) */
#include "tests/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ABREAST = 4, ARGUMENTS = 16, TEXT = 65536, SKIPPED = 77 };

#define FOLDER "build/windows/faults"
#define SHORT  "top proc -N 1 300ms 1"
#define LONGER "top proc -N 1 2s 1" /* events come in it on a slow machine, too */
#define FEW    "top proc -N 1 300ms 2"
#define SOME   "top proc -N 1 300ms 6"
#define LONG   "top proc -N 1 300ms 12"
/* Long enough for names to be asked for in every way. */
#define FILES "top files -N 1 300ms 20"
#define KEYS  "top registry -N 1 300ms 20"
/* Sampling otherwise than the machine is set. */
#define SAMPLED "stacks -t 600ms --sample-every 500us"
#define COUNTED "stacks -t 600ms --pmc CacheMisses:8192"
#define PRINTED "top events provider=DbgPrint -N 3 300ms 3"
/* The stand-in's own provider, by GUID and by name. */
#define OWN      " -e 5a7d1ee0-7e57-4e7a-9b01-5a17deadbeef"
#define NAMED    " -e Tracetop-Stand-In"
#define ELEVATED "need an elevated console"

static const struct row {
    const char *play, *line;
    int status;
    const char *sentence; /* parts of what it complains, any; NULL: it has nothing to complain of */
    bool keeps_handle;    /* CloseTrace failed: nothing else gives it back */
} rows[] = {
    /* Nothing goes wrong: the yardstick. */
    {"", SOME, 0, NULL, false},

    /* Starting a session. */
    {"fail=StartTraceW:2@1", SHORT, 1, "file not found (2)", false},
    {"fail=StartTraceW:3@1", SHORT, 1, "path not found (3)", false},
    {"fail=StartTraceW:5@1", SHORT, 3, ELEVATED, false},
    {"fail=StartTraceW:24@1", SHORT, 1, "(24)", false},
    {"fail=StartTraceW:87@1", SHORT, 0, NULL, false},     /* another kind of session is tried */
    {"fail=StartTraceW:87@1-2", SHORT, 1, "(87)", false}, /* no third: that is not ours */
    {"build=7601", SHORT, 0, NULL, false},
    {"fail=StartTraceW:87@1+", SHORT, 1, "(87)", false},
    {"fail=StartTraceW:112@1", SHORT, 1, "disk is full (112)", false},
    {"fail=StartTraceW:161@1", SHORT, 1, "(161)", false},
    {"fail=StartTraceW:183@1", SHORT, 4, "runs already", false},
    {"fail=StartTraceW:1314@1", SHORT, 3, "SeSystemProfilePrivilege", false},
    {"fail=StartTraceW:1450@1", SHORT, 4, "are taken", false},
    {"system_sessions=8", SHORT, 4, "Other Kernel 8", false},
    {"unkind=six-slots;system_sessions=6", SHORT, 4, "private kernel sessions (6) are taken",
     false},
    {"sessions=64", SHORT, 4, "all places for sessions are taken", false},
    {"sessions=64", SHORT, 4, "held by: Other 1, Other 2", false},
    {"rights=user", SHORT, 3, ELEVATED, false},
    {"rights=performance", SHORT, 3, ELEVATED, false},

    /* Controlling it: asking, flushing, stopping. */
    {"fail=ControlTraceW.QUERY:5@2+", LONG, 0, "are unknown: ", false},
    {"fail=ControlTraceW.QUERY:24@2+", LONG, 0, "are unknown: ", false},
    {"fail=ControlTraceW.QUERY:87@2+", LONG, 0, "are unknown: ", false},
    {"fail=ControlTraceW.QUERY:234@2+", LONG, 0, NULL, false},
    {"fail=ControlTraceW.QUERY:4201@2", LONG, 0, NULL, false},
    {"fail=ControlTraceW.FLUSH:5@2+", LONG, 0, NULL, false},
    {"fail=ControlTraceW.FLUSH:24@2+", SOME, 0, NULL, false},
    {"fail=ControlTraceW.FLUSH:87@2+", SOME, 0, NULL, false},
    {"fail=ControlTraceW.FLUSH:234@2+", SOME, 0, NULL, false},
    {"fail=ControlTraceW.FLUSH:4201@2+", SOME, 0, NULL, false},
    {"fail=ControlTraceW.UPDATE:87@1+", SOME, 0, NULL, false},
    {"fail=ControlTraceW.STOP:5@1", SHORT, 0, NULL, false},
    {"fail=ControlTraceW.STOP:24@1", SHORT, 0, NULL, false},
    {"fail=ControlTraceW.STOP:87@1", SHORT, 0, NULL, false},
    {"fail=ControlTraceW.STOP:234@1", SHORT, 0, NULL, false},
    {"fail=ControlTraceW.STOP:4201@1", SHORT, 0, NULL, false},
    {"fail=QueryAllTracesW:5@1+", SHORT, 0, NULL, false},
    {"fail=QueryAllTracesW:87@1+", SHORT, 0, NULL, false},
    {"fail=QueryAllTracesW:234@1+", SHORT, 0, NULL, false},

    /* Switching what it records. */
    {"fail=TraceSetInformation.FLAGS:5@1+", SHORT, 0, "are unavailable: ", false},
    {"fail=TraceSetInformation.FLAGS:24@1+", SHORT, 0, NULL, false}, /* by UPDATE instead */
    {"fail=TraceSetInformation.FLAGS:50@1+", SHORT, 0, NULL, false},
    {"fail=TraceSetInformation.FLAGS:87@1+", SHORT, 0, NULL, false},
    {"fail=TraceSetInformation.FLAGS:1314@1+", SHORT, 0, NULL, false},
    {"fail=TraceSetInformation.FLAGS:50@1+;fail=ControlTraceW.UPDATE:87@1+", SHORT, 0,
     "are unavailable: ", false},
    {"fail=TraceSetInformation.STACKS:5@1+", SHORT " -g default", 0, "stacks are unavailable",
     false},
    {"fail=TraceSetInformation.STACKS:24@1+", SHORT " -g default", 0, "stacks are unavailable",
     false},
    {"fail=TraceSetInformation.STACKS:50@1+", SHORT " -g default", 0, "stacks are unavailable",
     false},
    {"fail=TraceSetInformation.STACKS:87@1+", SHORT " -g default", 0, "stacks are unavailable",
     false},
    {"fail=TraceSetInformation.STACKS:1314@1+", SHORT " -g default", 0, "stacks are unavailable",
     false},
    {"fail=TraceQueryInformation:50@1+", "doctor", 0, NULL, false},
    {"fail=TraceQueryInformation:87@1+", "doctor", 0, NULL, false},
    {"fail=StartTraceW:5@1+", "doctor", 3, NULL, false},

    /* Names of what was open before: a sentence says when there are none. */
    {"unkind=no-names-on-stop,no-names-provider", FILES, 0, NULL, false},
    {"unkind=no-names-on-stop,no-names-on-clear", FILES, 0, NULL, false},
    {"unkind=no-names-on-clear,no-names-provider,disk-first", FILES, 0, NULL, false},
    {"unkind=no-start-lists,no-names-on-stop", KEYS, 0, NULL, false},
    {"unkind=no-start-lists,no-names-on-clear", KEYS, 0, NULL, false},

    /* Sampling: what is changed of the machine, and put back (is_left() looks). */
    {"", SAMPLED, 0, "samples:", false},
    {"fail=TraceSetInformation.INTERVAL:5@1+", SAMPLED, 0, "every 0.5 ms", false},
    {"fail=TraceSetInformation.INTERVAL:24@1+", SAMPLED, 0, "every 0.5 ms", false},
    {"fail=TraceSetInformation.INTERVAL:50@1+", SAMPLED, 0, "every 0.5 ms", false},
    {"fail=TraceSetInformation.INTERVAL:87@1+", SAMPLED, 0, "it stays 1 ms", false},
    {"fail=TraceSetInformation.INTERVAL:1314@1+", SAMPLED, 0, "every 0.5 ms", false},
    {"fail=TraceQueryInformation:50@1+", SAMPLED, 0, "every 0.5 ms", false},
    {"absent=TraceQueryInformation", SAMPLED, 0, "every 0.5 ms", false},
    {"stop=300ms", "stacks -t 3s --sample-every 500us", 0, "runs again", false},
    {"console=700ms:2", "stacks -t 9s --sample-every 500us", 130, "", false},
    {"counters=1", COUNTED, 0, "samples:", false},
    {"", COUNTED, 1, "reports no processor counters", false},
    {"counters=1", "stacks -t 600ms --pmc Cache", 1, "expected one of TotalIssues, Branch", false},
    {"counters=1", "stacks -t 600ms --pmc CacheMisses:1", 1, "a number from 4096 to", false},
    {"counters=1;fail=TraceSetInformation.CONFIG:5@1+", COUNTED, 0, "counters are unavailable",
     false},
    {"counters=1;fail=TraceSetInformation.CONFIG:50@1+", COUNTED, 0, "counters are unavailable",
     false},
    {"counters=1;fail=TraceSetInformation.CONFIG:87@1+", COUNTED, 0, "counters are unavailable",
     false},
    {"counters=1;fail=TraceSetInformation.CONFIG:1314@1+", COUNTED, 0, "counters are unavailable",
     false},
    {"counters=1;fail=TraceSetInformation.INTERVAL:87@1", COUNTED, 0, "counters are unavailable",
     false},

    /* Reading it, at the start and midway. */
    {"fail=OpenTraceW:2@1", SHORT, 1, "cannot be read: file not found (2)", false},
    {"fail=OpenTraceW:5@1", SHORT, 3, "cannot be read", false},
    {"fail=OpenTraceW:87@1", SHORT, 1, "cannot be read", false},
    {"fail=OpenTraceW:161@1", SHORT, 1, "cannot be read", false},
    {"fail=OpenTraceW:4201@1", SHORT, 1, "there is no such session", false},
    {"fail=ProcessTrace:6@1", FEW, 0, "is not open any more (6)|runs again", false},
    {"fail=ProcessTrace:24@1", FEW, 0, "(24); again in|runs again", false},
    {"fail=ProcessTrace:87@1", FEW, 0, "(87); again in|runs again", false},
    {"fail=ProcessTrace:998@1", FEW, 0, "(998); again in|runs again", false},
    {"fail=ProcessTrace:1223@1", FEW, 0, "(1223); again in|runs again", false},
    {"fail=ProcessTrace:1901@1", FEW, 0, "(1901); again in|runs again", false},
    {"fail=ProcessTrace:4201@1", FEW, 0, "(4201); again in|runs again", false},
    {"fail=ProcessTrace:4206@1", FEW, 0, "(4206); again in|runs again", false},
    {"break=300ms:6", FEW, 0, "(6); again in|runs again", false},
    {"break=300ms:998", FEW, 0, "(998); again in|runs again", false},
    {"break=300ms:1223", FEW, 0, "(1223); again in|runs again", false},
    {"break=300ms:4201", FEW, 0, "(4201); again in|runs again", false},
    {"fail=CloseTrace:6@1", SHORT, 0, NULL, true},
    {"fail=CloseTrace:170@1", SHORT, 0, NULL, true},

    /* The session goes while we read it. */
    {"stop=800ms", LONG, 0, "runs again: the events of", false},
    {"stop=800ms;fail=StartTraceW:5@2+", LONG, 0, "was stopped by another program", false},
    {"stop=800ms;fail=StartTraceW:1450@2+", LONG, 0, "was stopped by another program", false},
    {"stop=800ms;fail=OpenTraceW:5@2+", LONG, 0, "was stopped by another program", false},

    /* Providers beside the kernel, and a session of somebody else. */
    {"fail=EnableTraceEx2.ENABLE:1@1+", FEW OWN, 0, "cannot be enabled", false},
    {"fail=EnableTraceEx2.ENABLE:5@1+", FEW OWN, 0, "cannot be enabled", false},
    {"fail=EnableTraceEx2.ENABLE:87@1+", FEW OWN, 0, "cannot be enabled", false},
    {"fail=EnableTraceEx2.ENABLE:1450@1+", FEW OWN, 0, "cannot be enabled", false},
    {"fail=EnableTraceEx2.ENABLE:1460@1+", FEW OWN, 0, "(1460)", false},
    {"absent=EnableTraceEx2", FEW OWN, 0, "cannot be enabled", false},
    {"fail=TdhEnumerateProviders:5@1+", SHORT NAMED, 1, "cannot be listed", false},
    {"fail=TdhEnumerateProviders:87@1+", SHORT NAMED, 1, "cannot be listed", false},
    {"fail=TdhEnumerateProviders:122@1+", SHORT NAMED, 1, "cannot be listed", false},
    {"absent=TdhEnumerateProviders", SHORT NAMED, 1, "cannot be listed", false},
    {"flood=1000;fail=TdhGetEventInformation:1168@1+", SOME OWN, 0, NULL, false},
    {"flood=1000;fail=TdhGetEventMapInformation:1168@1+", SOME OWN, 0, NULL, false},
    {"flood=1000;absent=TdhGetEventInformation", SOME OWN, 0, NULL, false},
    {"fail=StartTraceW:1450@2", SHORT OWN, 4, "are taken", false},
    {"rights=performance", FEW OWN, 0, "only the events of the providers", false},
    {"flood=1000", SOME NAMED, 0, NULL, false},
    {"flood=200000", SOME OWN, 0, "", false},
    {"held=Held", FEW " --attach Held", 0, NULL, false},
    {"held=Held;stop=100s", FEW " --attach Nobody", 1, "there is no such session", false},
    {"unkind=open-takes-any", FEW " --attach Nobody", 1, "'tracetop sessions' lists", false},
    {"unkind=open-takes-any;filed=Filed", FEW " --attach Filed", 1, "it writes to a file", false},
    {"unkind=open-takes-any;fail=ControlTraceW.QUERY:5@1+", FEW " --attach Nobody", 0,
     "there is no such session, or it delivers nothing live (4201); again in", false},
    {"held=Held;unkind=calls-after-close", FEW " --attach Held", 0, NULL, false},

    /* Leaving: what comes after STOP is waited for, and all sessions are stopped at once. */
    {"unkind=stop-is-slow;slow=8s", SHORT, 0, "waiting for the last events of the session", false},
    {"unkind=stop-is-slow;slow=60s", SHORT, 0, "did not deliver its last events in time", false},

    /* Functions that a system does not have. */
    {"absent=StartTraceW", SHORT, 1, "no event tracing", false},
    {"absent=ControlTraceW", SHORT, 1, "lacks ControlTraceW", false},
    {"absent=OpenTraceW", SHORT, 1, "cannot be read", false},
    {"absent=ProcessTrace", SHORT, 1, "cannot be read", false},
    {"absent=CloseTrace", SHORT, 1, "cannot be read", false},
    {"absent=QueryAllTracesW", SHORT, 0, NULL, false},
    {"absent=TraceSetInformation", SHORT, 0, NULL, false},
    {"absent=TraceQueryInformation", "doctor", 0, NULL, false},

    /* What comes is not as it should be. */
    {"jump=600ms:3600s", SOME, 0, "clock of the sessions jumped ahead by 3", false},
    {"jump=600ms:-3600s", SOME, 0, "clock of the sessions jumped back by 3", false},
    {"lie=3;rate=20000", SOME, 0, "", false}, /* false figures: they are shown as they are */
    {"cut=3;lie=3;rate=20000", SOME, 0, " undecoded", false},
    {"cut=1;lie=1;hostile=1000;rate=20000", SOME, 0, " undecoded", false},
    {"disorder=500;rate=20000", SOME, 0, NULL, false},
    {"lose=50;rate=20000", SOME, 0, " kernel", false},
    {"lost_buffers=2", SOME, 0, " buffers", false},
    {"rate=300000;cpus=8", SOME, 0, "", false},
    {"machine=no;begin=0ms;speed=50;files=../shared/etl/sawbuck-process_data_32_v3.etl,"
     "../shared/etl/sawbuck-image_data_32_v0.etl",
     SOME, 0, NULL, false}, /* 32 bits */
    {"machine=no;begin=0ms;speed=50;files=../shared/etl/airbus-AMSITrace.etl", SOME, 0, NULL,
     false},
    {"machine=no", SHORT, 0, NULL, false},

    /* The console's end, in each of its ways. */
    {"console=700ms:0", LONG, 130, NULL, false},
    {"console=700ms:1", LONG, 130, NULL, false},
    {"console=700ms:2", LONG, 130, NULL, false},
    {"console=700ms:5", LONG, 130, NULL, false},
    {"console=700ms:6", LONG, 130, NULL, false},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* ---- what it does where nothing goes wrong ------------------------------------------------ */

/* Commands about sessions of others, and what is taken over from them: status, what is printed,
 * what it complains of, what the stand-in reports. Parts; NULL: any. */
static const struct deed {
    const char *play, *line;
    int status;
    const char *out, *err, *report;
} deeds[] = {
    {"held=Held", "sessions", 0, "kernel, live ", NULL, "sessions left 0"},
    {"held=Held", "sessions show Held", 0, "kernel, live (0x02000100)", NULL, NULL},
    {"held=Held", "sessions show Held", 0, "5a7d1ee0-7e57-4e7a-9b01-5a17deadbeef} level 4", NULL,
     NULL},
    {"held=Held", "sessions show Nobody", 1, NULL, "there is no such session", NULL},
    {"held=Held", "sessions flush Held", 0, "flushed: Held", "", "call ControlTraceW 2"},
    {"held=Held;fail=ControlTraceW.FLUSH:5@1", "sessions flush Held", 3, NULL, "elevated", NULL},
    {"held=Held", "sessions state Held", 0, "requested the state of the providers of Held", "",
     "call EnableTraceEx2 1"},
    {"held=Held;fail=EnumerateTraceGuidsEx:5@1", "sessions state Held", 1, NULL, "", NULL},
    {"held=Held", "sessions stop Held", 0, "stopped: Held", "", "others left 0"},
    {"held=Held", "sessions stop Nobody", 1, NULL, "there is no such session", "others left 1"},
    {"held=Held;fail=ControlTraceW.STOP:5@1+", "sessions stop Held", 3, NULL, "elevated", NULL},
    {"held=Held", "top proc -N 0 300ms 6 --attach Held", 0, "(idle)", "", "others left 1"},
    {"held=Held", "top proc -N 0 300ms 6 --attach Held", 0, "cl.exe", "", "others left 1"},
    {"fail=StartTraceW:183@1", SHORT " --stop-existing", 4, NULL, "runs already", NULL},
    {"same=1", SHORT, 4, NULL, "runs already: --stop-existing", "others left 1"},
    {"same=1", LONGER " --stop-existing", 0, "(idle)", "", "others left 0"},
    {"same=1;fail=ControlTraceW.STOP:5@1", SHORT " --stop-existing", 4, NULL, "runs already",
     "others left 1"},
    /* Before Windows 8 the kernel's one session is whoever's has it. */
    {"build=7601;held=NT Kernel Logger;reserved=1", SHORT " --stop-existing", 4, NULL,
     "sessions stop \"NT Kernel Logger\"", "others left 2"},
    /* Windows' own two have their places; those of others are named. */
    {"unkind=six-slots;reserved=1;system_sessions=6", SHORT, 4, NULL, "held by: Other Kernel 1,",
     "others left 8"},
    {"unkind=six-slots;reserved=1;system_sessions=5", LONGER, 0, "(idle)", "", "others left 7"},
    {"unkind=six-slots;reserved=1;system_sessions=6", "doctor", 0, "6 of 6 private ones", NULL,
     NULL},

    /* What the kernel logs: by flags, by providers where those are refused; 1088 is FileIo Create,
     * 1060 FileRundown, 2329 KCBRundownEnd, 2826 the machine's processors. */
    {"build=22621;unkind=no-file-keyword", FILES, 0, NULL, "", "hook 1088 "},
    {"build=22621;fail=TraceSetInformation.FLAGS:50@1+;fail=ControlTraceW.UPDATE:50@1+", FILES, 0,
     NULL, NULL, "hook 1088 "},
    {"build=22621;unkind=no-file-keyword;fail=TraceSetInformation.FLAGS:50@1+;"
     "fail=ControlTraceW.UPDATE:50@1+",
     FILES, 0, NULL, "those of files may be missing", NULL},
    /* The mask is cleared by the second call, and not set again by the third. */
    {"fail=TraceSetInformation.FLAGS:50@3;fail=ControlTraceW.UPDATE:50@1", FILES, 0, NULL, NULL,
     "hook 1088 "},
    {"unkind=forgets-flags;lose=5", FILES, 0, NULL, "it may use", "ended deaf 0"},
    {"machine=no;flood=500;unkind=zero-keywords", "top events -N 1 300ms 3" OWN, 0, "Number=bit",
     NULL, NULL},
    {"machine=no;flood=500;unkind=zero-keywords", "top events -N 1 300ms 3" OWN ":0", 0,
     "Number=bit", NULL, NULL},

    /* Names of what was open before, by each way that there is. */
    {"unkind=no-names-on-stop,no-names-provider", FILES, 0, NULL, NULL, "hook 1060 "},
    {"unkind=no-names-on-stop,no-names-on-clear", FILES, 0, NULL, NULL, "hook 1060 "},
    {"unkind=no-names-on-clear,no-names-provider,no-names-on-stop", FILES, 0, NULL,
     "files that were open before have no names: Windows listed none", "hook 1088 "},
    {"unkind=no-start-lists,no-names-on-stop", KEYS, 0, NULL, NULL, "hook 2329 "},
    {"unkind=no-start-lists,no-names-on-clear,no-names-on-stop", KEYS, 0, NULL,
     "keys that were open before have no names: Windows listed none", NULL},
    {"", FILES, 0, NULL, "", "hook 2826 "},

    {"", "providers search stand-in", 0, "manifest Tracetop-Stand-In", NULL, NULL},
    {"", "providers search nothing-like-it", 0, "", "", NULL},
    {"fail=TdhEnumerateProviders:5@1+", "providers search stand", 1, NULL, "cannot be listed",
     NULL},
    /* Live, with TDH's names and fields; it is asked once. */
    {"machine=no;flood=500", "top events -N 1 300ms 3" OWN, 0, "Number=bit", NULL,
     "call TdhGetEventInformation 1 faults 0"},
    {"machine=no;flood=500;fail=TdhGetEventInformation:1168@1+", "top events -N 1 300ms 3" OWN, 0,
     "5a7d1ee0-7e57-4e7a-9b01-5a17deadbeef", NULL, "call TdhGetEventInformation 1 faults 1"},
    /* 2592 is 0x0a20. */
    {"machine=no;prints=3", PRINTED " --kernel-flags dbgprint,alpc", 0,
     "debug print: hello from a driver", "", "hook 2592 "},
    {"machine=no;fail=TraceSetInformation.FLAGS:87@1;fail=ControlTraceW.UPDATE:87@1",
     "top events -N 1 300ms 3 --kernel-flags driver", 0, NULL, "--kernel-flags are unavailable",
     NULL},
    {"", SAMPLED, 0, NULL, NULL, "sampling as before after 2 changes"},
    {"counters=1", COUNTED, 0, NULL, NULL, "sampling as before after 2 changes"},
    {"counters=1", COUNTED, 0, NULL, NULL, "hook 3887 "}, /* PmcCounterProf */
    /* 772 is 0x0304, the list of processes at a session's end. */
    {"unkind=stop-is-slow;slow=8s", SHORT, 0, NULL, NULL, "hook 772 "},
    {"unkind=stop-together", FEW OWN, 0, NULL, "", "stops alone 0"},
    {"unkind=stop-together;console=700ms:2", LONG OWN, 130, NULL, "", "stops alone 0"},
    {"unkind=scrambles;fail=ControlTraceW.STOP:87@1", SHORT, 0, NULL, "", "sessions left 0"},
    {"unkind=scrambles;lose=50;rate=20000", SOME, 0, NULL, "it may use", "sessions left 0"},
    {"unkind=scrambles;fail=TraceSetInformation.FLAGS:50@1+", SHORT, 0, NULL, "", NULL},
};

enum { DEEDS = sizeof deeds / sizeof *deeds };

/* ---- running -------------------------------------------------------------------------------- */

/* Rows come first, then deeds. */
enum { ALL = ROWS + DEEDS };

static pid_t running[ALL];

static const char *play_of(size_t i)
{
    return i < ROWS ? rows[i].play : deeds[i - ROWS].play;
}

static const char *line_of(size_t i)
{
    return i < ROWS ? rows[i].line : deeds[i - ROWS].line;
}

static void name_file(char *out, size_t room, size_t row, const char *what)
{
    snprintf(out, room, FOLDER "/%zu.%s", row, what);
}

static void redirect(size_t row, const char *what, int fd)
{
    char path[128];
    name_file(path, sizeof path, row, what);
    if (!freopen(path, "w", fd == STDOUT_FILENO ? stdout : stderr))
        _exit(SKIPPED + 1);
}

static void run_child(size_t row)
{
    char report[128], line[512];
    const char *argv[ARGUMENTS + 4] = {"tests/windows/wine.sh", "wine",
                                       "build/windows/tracetop-test.exe"};
    unsigned argc = 3;
    name_file(report, sizeof report, row, "report");
    unlink(report);
    setenv("TRACETOP_TEST_ETW", "build/windows/etwfake.dll", 1);
    setenv("TRACETOP_TEST_ETW_PLAY", play_of(row), 1);
    setenv("TRACETOP_TEST_ETW_REPORT", report, 1);
    snprintf(line, sizeof line, "%s", line_of(row));
    for (char *word = strtok(line, " "); word && argc < ARGUMENTS + 3; word = strtok(NULL, " "))
        argv[argc++] = word;
    redirect(row, "out", STDOUT_FILENO);
    redirect(row, "err", STDERR_FILENO);
    execv(argv[0], (char *const *)argv);
    _exit(SKIPPED + 1);
}

/* A few run abreast: most of their time is waiting. */
static int end_of(size_t row)
{
    int status = 0;
    for (size_t i = row; i < ALL && i < row + ABREAST; i++) {
        if (running[i])
            continue;
        fflush(NULL);
        running[i] = fork();
        assert_true(running[i] >= 0);
        if (running[i] == 0)
            run_child(i);
    }
    assert_true(waitpid(running[row], &status, 0) == running[row]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* ---- judging --------------------------------------------------------------------------------- */

static char *read_file(const char *path)
{
    char *const text = calloc(1, TEXT + 1);
    FILE *const f = fopen(path, "r");
    if (f) {
        text[fread(text, 1, TEXT, f)] = '\0';
        fclose(f);
    }
    return text;
}

static char *text_of(size_t row, const char *what)
{
    char path[128];
    name_file(path, sizeof path, row, what);
    return read_file(path);
}

static bool is_left(const struct row *r, const char *report)
{
    static const char *const nothing[] = {"sessions left 0\n", "registrations left 0\n",
                                          "consumers left 0\n", "sampling as before",
                                          "handles left 0\n"};
    const unsigned count = r->keeps_handle ? 4 : 5;
    for (unsigned i = 0; i < count; i++)
        if (!strstr(report, nothing[i]))
            return true;
    return false;
}

/* One of the sentences between bars: which of them is the last depends on who is quicker. */
static bool says(const char *complaint, const char *sentences)
{
    char *const copy = strdup(sentences);
    bool found = !*copy;
    for (char *one = strtok(copy, "|"); one && !found; one = strtok(NULL, "|"))
        found = strstr(complaint, one) != NULL;
    free(copy);
    return found;
}

static void fault(void **state)
{
    const struct row *const r = *state;
    const size_t row = (size_t)(r - rows);
    const int status = end_of(row);
    if (status == SKIPPED)
        skip_for("wine is not installed");
    char *const complaint = text_of(row, "err"), *const report = text_of(row, "report");
    const char *wrong = NULL;
    if (status != r->status)
        wrong = "another exit status than expected";
    else if (r->sentence ? !says(complaint, r->sentence) : complaint[0] != '\0')
        wrong = "it says something else than expected";
    else if (strncmp(r->play, "absent=StartTraceW", 18) != 0 && is_left(r, report))
        wrong = "something is left behind";
    if (wrong)
        print_error("%s: %s: status %d (expected %d), says:\n%sexpected: %s\nreport: %.400s …\n",
                    r->play, wrong, status, r->status, complaint,
                    r->sentence ? r->sentence : "nothing", report);
    free(complaint);
    free(report);
    if (wrong)
        _fail(__FILE__, __LINE__);
}

static void deed(void **state)
{
    const struct deed *const d = *state;
    const size_t row = ROWS + (size_t)(d - deeds);
    const int status = end_of(row);
    if (status == SKIPPED)
        skip_for("wine is not installed");
    static const char *const files[] = {"out", "err", "report"};
    const char *const wanted[] = {d->out, d->err, d->report};
    const char *wrong = status == d->status ? NULL : "status";
    for (unsigned i = 0; i < 3; i++) {
        char *const text = text_of(row, files[i]);
        if (wanted[i] && !strstr(text, wanted[i])) {
            print_error("%s: expected '%s', found:\n%.3000s\n", files[i], wanted[i], text);
            wrong = files[i];
        }
        free(text);
    }
    if (wrong)
        fail_msg("%s [%s]: status %d (expected %d), %s", d->line, d->play, status, d->status,
                 wrong);
}

/* What the stand-in keeps in its store (struct row, struct sampled in etw/fake.h): no session runs,
 * and the machine is sampled as it was: by the timer, at intervals that are not changed (0) or that
 * are those of etw/inform.c. */
static bool is_store_clean(void)
{
    enum { ROW_BYTES = 544, STORE_ROWS = 64, INTERVALS = 4 };
    static const uint32_t before[INTERVALS] = {10000, 65536, 65536, 4096};
    char *const store = read_file(FOLDER "/store");
    uint32_t state, sampled[INTERVALS + 1];
    bool is_clean = true;
    for (size_t i = 0; i < STORE_ROWS; i++) {
        memcpy(&state, store + i * ROW_BYTES, sizeof state);
        is_clean = is_clean && state == 0;
    }
    memcpy(sampled, store + (size_t)STORE_ROWS * ROW_BYTES, sizeof sampled);
    for (unsigned i = 0; i < INTERVALS; i++)
        is_clean = is_clean && (sampled[i] == 0 || sampled[i] == before[i]);
    free(store);
    return is_clean && sampled[INTERVALS] == 0;
}

#define STORE  "TRACETOP_TEST_ETW_STORE=" FOLDER "/store "
#define ORPHAN FOLDER "/orphan"

/* Runs the program over sessions that outlive it; its status, what it says in ORPHAN. */
static int run_stored(const char *play, const char *line)
{
    char command[600];
    snprintf(command, sizeof command,
             STORE "TRACETOP_TEST_ETW=build/windows/etwfake.dll TRACETOP_TEST_ETW_PLAY=%s "
                   "tests/windows/wine.sh wine build/windows/tracetop-test.exe %s "
                   ">/dev/null 2>" ORPHAN " </dev/null",
             play, line);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A program that is killed together with its watchdog leaves its sessions to the system; the next
 * one takes them away. */
static void orphans_are_taken_away(void **unused)
{
    (void)unused;
    static const char *const said[] = {"left behind by an earlier tracetop was stopped", NULL};
    unlink(FOLDER "/store");
    const int killed = run_stored("'die=700ms;unkind=watchdog-dies'", LONG);
    if (killed == SKIPPED)
        skip_for("wine is not installed");
    assert_int_equal(killed, 9);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(run_stored("", SHORT), 0);
        char *const text = read_file(ORPHAN);
        if (said[i] ? !strstr(text, said[i]) : text[0] != '\0')
            fail_msg("start %u after the kill says: %s", i + 1, text);
        free(text);
    }
}

/* One that is killed alone leaves nothing: its watchdog stops the session and puts sampling back,
 * soon, at its own time. */
static void the_watchdog_cleans_up(void **unused)
{
    enum { TRIES = 300, KILLED = 9 };
    (void)unused;
    unlink(FOLDER "/store");
    const int killed = run_stored("'die=1500ms;counters=1'",
                                  "stacks -t 9s --sample-every 500us --pmc CacheMisses:8192");
    if (killed == SKIPPED)
        skip_for("wine is not installed");
    assert_int_equal(killed, KILLED);
    for (int i = 0; i < TRIES && !is_store_clean(); i++)
        usleep(100000);
    assert_true(is_store_clean());
    assert_int_equal(run_stored("", SHORT), 0);
    char *const text = read_file(ORPHAN);
    assert_string_equal(text, "");
    free(text);
}

/* ---- schemas of the system ------------------------------------------------------------------- */

#define TRACE FOLDER "/flood.etl"
#define SHOWN FOLDER "/flood.txt"

/* Runs a command line; what it prints is in SHOWN. */
static int print(const char *line)
{
    char command[900];
    snprintf(command, sizeof command, "%s >" SHOWN " </dev/null", line);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int print_under_wine(const char *play, const char *line)
{
    char command[700];
    snprintf(command, sizeof command,
             "TRACETOP_TEST_ETW=build/windows/etwfake.dll TRACETOP_TEST_ETW_PLAY='%s' "
             "tests/windows/wine.sh wine build/windows/tracetop-test.exe %s",
             play, line);
    return print(command);
}

static void check_shown(const char *part, bool is_expected)
{
    char *const all = read_file(SHOWN);
    if ((strstr(all, part) != NULL) != is_expected)
        fail_msg("'%s' is %s:\n%.1500s", part, is_expected ? "not in" : "in", all);
    free(all);
}

#define RECORD "record -t 1s --force -o " TRACE OWN
#define DUMP   "dump " TRACE " -O text -N 3 id=1 provider=Tracetop-Stand-In"
#define BY_ID  "dump " TRACE " -O text -N 3 id=1 provider:5a7d1ee0"
#define HERE   "${TRACETOP_HERE:-build/release-gcc/tracetop} "
#define FIELDS "v0  Number=bit"

/* What only TDH describes is recorded with its description: this machine has no TDH. */
static void recordings_show_events_anywhere(void **unused)
{
    (void)unused;
    if (print_under_wine("machine=no;flood=500", RECORD) == SKIPPED)
        skip_for("wine is not installed");
    assert_int_equal(print(HERE DUMP), 0);
    check_shown(FIELDS, true);
    assert_int_equal(print(HERE "stats " TRACE), 0);
    check_shown("\t32\t0\t1\t", true); /* one EventInfo record … */
    check_shown("\t33\t0\t1\t", true); /* … and one of a map */
}

/* A file without them: bytes here, and fields where the provider is installed. */
static void files_are_shown_by_the_systems_schemas(void **unused)
{
    (void)unused;
    if (print_under_wine("machine=no;flood=500;absent=TdhGetEventInformation", RECORD) == SKIPPED)
        skip_for("wine is not installed");
    assert_int_equal(print(HERE BY_ID), 0);
    check_shown(FIELDS, false);
    assert_int_equal(print_under_wine("", DUMP), 0);
    check_shown(FIELDS, true);
    assert_int_equal(print_under_wine("fail=TdhGetEventMapInformation:1168@1+", DUMP), 0);
    check_shown("v0  Number=", true);
    check_shown(FIELDS, false); /* numbers */
    assert_int_equal(print_under_wine("fail=TdhGetEventInformation:122@1", DUMP), 0);
    check_shown(FIELDS, true);
    assert_int_equal(print_under_wine("fail=TdhGetEventInformation:122@1+", BY_ID), 0);
    check_shown(FIELDS, false);
}

/* Without its flag an event of the kernel does not come. */
static void other_kernel_flags_bring_no_prints(void **unused)
{
    (void)unused;
    if (print_under_wine("machine=no;prints=3", PRINTED " --kernel-flags alpc") == SKIPPED)
        skip_for("wine is not installed");
    check_shown("PROVIDER", true);
    check_shown("hello from a driver", false);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[ROWS + DEEDS + 5];
    size_t count = 0;
    if (system("mkdir -p " FOLDER) != 0)
        return 1;
    for (size_t i = 0; i < ROWS; i++) {
        if (argc > 1 && !strstr(rows[i].play, argv[1]))
            continue;
        tests[count++] = (struct CMUnitTest){.name = rows[i].play[0] ? rows[i].play : "no fault",
                                             .test_func = fault,
                                             .initial_state = (void *)&rows[i]};
    }
    for (size_t i = 0; i < DEEDS; i++)
        if (argc == 1 || strstr(deeds[i].line, argv[1]) || strstr(deeds[i].play, argv[1]))
            tests[count++] = (struct CMUnitTest){
                .name = deeds[i].line, .test_func = deed, .initial_state = (void *)&deeds[i]};
    if (argc == 1 || strstr("die=", argv[1]))
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(orphans_are_taken_away);
    if (argc == 1 || strstr("watchdog", argv[1]))
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(the_watchdog_cleans_up);
    if (argc == 1 || strstr("schemas", argv[1])) {
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(recordings_show_events_anywhere);
        tests[count++] =
            (struct CMUnitTest)cmocka_unit_test(files_are_shown_by_the_systems_schemas);
    }
    if (argc == 1 || strstr("kernel-flags", argv[1]))
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(other_kernel_flags_bring_no_prints);
    const int failed = _cmocka_run_group_tests("faults", tests, count, NULL, NULL);
    while (wait(NULL) > 0) /* those that ran ahead of a part of the rows */
        ;
    return failed != 0;
}
