/* Functions of programs by name (-e u:FILE:FUNCTION, -e p:PID:MODULE!FUNCTION): every call is an
 * event with its arguments, result and time, and the program does what it does without. */
#include "tests/test.h"

#include "tests/live/place.h"

static int set_up(void **state)
{
    place_set_up(state);
    return place_run(
        "gcc -g -O2 -fno-omit-frame-pointer -o $D/planted tests/live/planted/functions.c && "
        "g++ -g -O2 -o $D/thrown tests/live/planted/exceptions.cc");
}

/* Skips where functions cannot be watched at all: an older kernel, or a build without. */
static void needs_functions(void)
{
    place_needs_rights();
    if (place_run("$T record -q -o $D/can.etl -P proc -e \"u:$D/planted:main\" -t 0.1s 2>$D/can") ==
        0)
        return;
    assert_int_equal(place_run("cat $D/can; grep -qE 'cannot be watched|built without' $D/can"), 0);
    print_message("functions cannot be watched here: skipped\n");
    skip();
}

static void check(const char *script)
{
    print_message("%s\n", script);
    assert_int_equal(place_run(script), 0);
}

/* Of the trace, `by` as the first column, in any order. */
static void calls_are_counted(void **state)
{
    (void)state;
    needs_functions();
    check("$T record -q -o $D/x.etl -P proc -e \"u:$D/planted:*\" -- $D/planted 20000 >$D/out");
    check("$D/planted 20000 | grep -v rest >$D/without; grep -v rest $D/out | cmp - $D/without");
    check("$T top --by 'event | count' $D/x.etl -O tsv provider=planted >$D/counts; cat $D/counts");
    check("while read event count; do grep -q \"^planted/$event\t$count\t\" $D/counts || exit 1; "
          "done <<E\n"
          "add/entry 10\nadd/return 10\nname_of/entry 1\nname_of/return 1\n"
          "deep/entry 21\ndeep/return 21\nrest/entry 3\nrest/return 3\n"
          "passes_on/entry 1\npasses_on/return 1\npasses_on_to/entry 1\npasses_on_to/return 1\n"
          "last/entry 2\nlast/return 2\nleaves/entry 10\nleaves/return 5\n"
          "often/entry 20000\noften/return 20000\nmain/entry 1\nmain/return 1\nE");
    check("$T info $D/x.etl | grep -q '^  lost  *0 events'");
}

static void they_have_arguments_and_results(void **state)
{
    (void)state;
    needs_functions();
    check("$T record -q -o $D/x.etl -P proc -e \"u:$D/planted:*\" -- $D/planted >$D/out");
    check("$T dump $D/x.etl -O text provider=planted >$D/text");
    check("grep -q 'add/entry .* a=-3 b=250 name=\"odd\" m=7 wide=8589934592' $D/text");
    check("grep -c 'add/return .* result=2[45][0-9] duration_ns=' $D/text | grep -qx 10");
    check("grep -q 'name_of/entry .* name=\"xhello\"' $D/text && "
          "grep -q 'name_of/return .* result=\"hello\" ' $D/text");
    /* each level ends later than the one that it called */
    check("sed -n 's/.*deep.return .* result=\\([0-9]*\\) duration_ns=\\([0-9]*\\).*/\\1 \\2/p' "
          "$D/text | "
          "awk '$1 != NR - 1 || $2 <= last { exit 1 } { last = $2 } END { if (NR != 21) exit 1 }'");
    /* its own clock is read before the entry and after the return, the kernel's between them */
    check("sed -n 's/.*rest.return .*duration_ns=\\([0-9]*\\).*/\\1/p' $D/text >$D/inner; "
          "sed -n 's/^rest //p' $D/out | paste $D/inner - | "
          "awk '$1 > $2 || $1 < NR * 10000000 { exit 1 } END { if (NR != 3) exit 1 }'");
    /* a function that another one returns for has no result of its own */
    check("grep 'passes_on/return' $D/text | grep -v result= | grep -q duration_ns= && "
          "grep 'passes_on_to/return' $D/text | grep -v result= | grep -q duration_ns=");
}

/* They are spans, and what can be asked of events can be asked of them. */
static void they_can_be_asked_about(void **state)
{
    (void)state;
    needs_functions();
    check("$T record -q -g other -o $D/x.etl -P proc -e \"u:$D/planted:*\" -- $D/planted >$D/out");
    check("$T top spans $D/x.etl -O tsv | grep -q '^planted/rest/return\tplanted\t'");
    check("$T top --by 'event | count, max lat where class=span lat>=30ms' $D/x.etl -O tsv | "
          "grep -q '^planted/rest/return\t'");
    check("$T top --by 'planted.add.name | count' $D/x.etl -O tsv | grep -q '^odd\t5\t'");
    check("$T dump $D/x.etl -O jsonl event=rest/return | grep -c duration_ns | grep -qx 3");
    check("$T stacks $D/x.etl --metric operations event=last/entry | "
          "grep -q 'planted!work;planted!last 2$'");
    /* Another program's readers find them described. */
    check("$T providers show planted $D/x.etl | grep -q '^add/entry: '");
}

/* Exceptions and jumps go through functions that are watched. */
static void programs_work_as_without(void **state)
{
    (void)state;
    needs_functions();
    check("$T record -q -o $D/x.etl -P proc -e \"u:$D/thrown:*\" -- $D/thrown >$D/out && "
          "grep -qx 'caught 5' $D/out");
    check("$T top --by 'event | count' $D/x.etl -O tsv provider=thrown >$D/counts; cat $D/counts; "
          "grep -q 'planted::thrower(int)/entry\t10\t' $D/counts && "
          "grep -q 'planted::thrower(int)/return\t5\t' $D/counts && "
          "grep -q 'planted::middle(int)/return\t5\t' $D/counts && "
          "grep -q 'thrown/main/return\t1\t' $D/counts");
    check("$T dump $D/x.etl -O text 'event~method' | grep -q 'entry .* this=0x[0-9a-f]* "
          "name=\"name\" n=9'");
    check("$T record -q -o $D/y.etl -P proc -e 'u:libc.so.6:*setjmp*' -e 'u:libc.so.6:*longjmp*' "
          "-- $D/planted | grep -qx 'jumped 5'");
    check("$T record -q -o $D/z.etl -P proc -e 'u:libstdc++.so.6:__cxa_*' -- $D/thrown >$D/out && "
          "grep -qx 'caught 5' $D/out");
}

/* Those that programs were built with, which may do more while somebody watches. */
static void probes_of_programs_are_watched(void **state)
{
    (void)state;
    needs_functions();
    check("$D/planted steps | grep -c 'watched by 0' | grep -qx 5");
    check("$T record -q -o $D/x.etl -P proc -e \"usdt:$D/planted:step*\" -- $D/planted steps "
          ">$D/out; "
          "cat $D/out; grep -c 'watched by 1' $D/out | grep -qx 5");
    check("$T dump $D/x.etl -O text event=step__done >$D/text; cat $D/text; test $(wc -l <$D/text) "
          "= 5 && "
          "grep -q 'planted/step__done .* arg0=-3 arg1=0x[0-9a-f]* arg3=-300 arg4=0x5' $D/text");
    check("$T record -q -o $D/y.etl -P proc -e \"usdt:$D/planted:step__done(n:i32,name:text)\" "
          "-- $D/planted steps >$D/out && "
          "$T dump $D/y.etl -O text event=step__done | grep -c ' n=-[13] name=\"odd\" arg3=-' | "
          "grep -qx 2");
    check("$T record -q -o $D/z.etl -P proc -e 'usdt:libstdc++.so.6:throw' -e "
          "'usdt:libstdc++.so.6:catch' "
          "-- $D/thrown >$D/out && $T top --by 'event | count' $D/z.etl -O tsv provider=libstdcxx "
          ">$D/counts; "
          "cat $D/counts; grep -q 'throw\t5\t' $D/counts && grep -q 'catch\t5\t' $D/counts");
    check("$T providers show \"usdt:$D/planted:*\" | tr -s '\\n ' ' ' | "
          "grep -qx 'step__done i32 arg0 hex64 arg1 i16 arg3 hex64 arg4 '");
}

/* p: is about one process, of which the file may be gone; others that run the same are left out. */
static void one_process_is_chosen(void **state)
{
    (void)state;
    needs_functions();
    check("cd $D; cp planted gone; mkfifo in in2; ./gone until <in >out & exec 5>in; ./gone until "
          "<in2 >out2 & exec 6>in2; "
          "until test -s out -a -s out2; do sleep 0.05; done; rm gone; pid=$(head -n 1 out); "
          "$T record -q -o x.etl -P proc -e \"p:$pid:gone*!often\" -t 2s & "
          "recording=$!; until echo >&5; tail -n 1 out | grep -q changed; do sleep 0.1; done; "
          "for i in 1 2 3 4 5; do echo >&5; echo >&6; done; wait $recording || exit 1; "
          "echo >&5; exec 5>&- 6>&-; wait; tail -n 1 out | grep -qx own || exit 2; "
          "$T top --by 'pid | count' x.etl -O tsv event=often/entry >rows; cat rows; "
          "grep -q \"^$pid\t\" rows && test $(wc -l <rows) = 2");
}

/* Whoever watches is killed, at any moment: nothing stays in the program. ROUNDS says how often. */
static void nothing_is_left_behind(void **state)
{
    (void)state;
    needs_functions();
    check("cd $D; mkfifo in; ./planted until <in >out & exec 5>in; until test -s out; do sleep "
          "0.05; done; "
          "for round in $(seq ${ROUNDS:-4}); do "
          "$T record -q -o $round.etl -P proc -e \"u:$D/planted:*\" -t 60s 2>/dev/null & "
          "watching=$!; tries=0; "
          "if test $((round % 2)) = 1; then sleep 0.$((round * 37 % 900 + 100)); else "
          "until echo >&5; sleep 0.02; tail -n 1 out | grep -q changed; do "
          "tries=$((tries + 1)); test $tries -lt 500 || exit 1; done; fi; "
          "kill -9 $watching || exit 3; wait $watching 2>/dev/null; rm -f $round.etl*; tries=0; "
          "until echo >&5; sleep 0.02; tail -n 1 out | grep -qx own; do "
          "tries=$((tries + 1)); test $tries -lt 500 || exit 2; done; done; exec 5>&-; wait");
}

/* One that is called all the time is given up, with a sentence; the program was never in danger. */
static void what_costs_too_much_is_given_up(void **state)
{
    (void)state;
    needs_functions();
    check("$T record -o $D/x.etl -P proc -e \"u:$D/planted:often:entry\" -- $D/planted for 4 "
          "2>$D/err; "
          "cat $D/err; grep -q 'often of planted was called [0-9]* times a second: it is no longer "
          "watched' $D/err || "
          "{ n=$($T top --by 'event | count' $D/x.etl -O tsv event=often/entry | tail -n 1 | cut "
          "-f 2); "
          "echo \"$n calls in 4 s are fewer than the limit: this machine is slow\"; test $n -lt "
          "1000000; }");
}

/* What is none is refused with a sentence, before anything is recorded. */
static void refusals(void **state)
{
    static const char *const rows[][2] = {
        {"u:/nonexistent:x", "/nonexistent: No such file"},
        {"u:nosuchprogram:x", "nosuchprogram: no such program in the search path"},
        {"u:/etc/passwd:x", "/etc/passwd: expected an ELF file"},
        {"u:/dev/zero:x", "/dev/zero: expected a file"},
        {"u:/tmp:x", "/tmp: expected a file"},
        {"u:libc.so.6", "expected a function, u:FILE:FUNCTION"},
        {"u:libc.so.6:", "expected a function"},
        {"u::x", "expected a function"},
        {"p:x:libc.so.6!open", "expected a function"},
        {"usdt:libc.so.6", "expected a function"},
        {"usdt:/bin/sh:none", "has no probe like 'none'"},
        {"p:1:libc.so.6", "expected a function"},
        {"p:4194305:libc.so.6!open", "the files of process 4194305 cannot be read"},
        {"u:libc.so.6:nosuchfunction", "libc.so.6 has no function like 'nosuchfunction'"},
        {"u:libc.so.6:strlen", "strlen has a variant for each kind of processor"},
        {"u:libc.so.6:*", "functions are like '.': at most 1000 can be watched"},
    };
    (void)state;
    place_needs_rights();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[512];
        snprintf(script, sizeof script,
                 "! $T record -o $D/none.etl -e '%s' -t 1s 2>$D/err && cat $D/err && "
                 "grep -q \"%s\" $D/err && ! test -e $D/none.etl",
                 rows[i][0], rows[i][1]);
        check(script);
    }
}

/* The lines of the manual that stand beside those of dtrace and bpftrace, beside a program that
 * works. */
static void lines_of_the_manual_answer(void **state)
{
    (void)state;
    needs_functions();
    check("$T manual oneliners | sed -n '/^FUNCTIONS OF PROGRAMS/,/^WHAT HAS NO LINE/s/^ *tracetop "
          "\\([a-z].*\\)$/\\1/p' "
          ">$D/lines; cat $D/lines; test $(wc -l <$D/lines) -ge 8");
    check("cp $D/planted $D/server; cd $D; (while :; do cat /etc/passwd; ./server 5; sleep 0.05; "
          "done >/dev/null) & work=$!\n"
          "while read -r line; do\n"
          "case $line in\n"
          "record*) eval \"$T $(echo \"$line\" | sed 's/-t 10s/-t 1s/; s/^record/record -q --force "
          "-P proc/')\" >/dev/null ;;\n"
          "dump*) eval \"timeout -s INT 3 $T $line\" >out 2>/dev/null; test -s out ;;\n"
          "*) eval \"$T $line\" >out 2>err && test $(wc -l <out) -ge 1 ;;\n"
          "esac || { echo \"no answer: $line\"; cat err; kill $work; exit 1; }\n"
          "done <lines; kill $work; wait $work 2>/dev/null; true");
}

static void lists(void **state)
{
    (void)state;
    check("$T providers show \"u:$D/planted:add\" | tr -s '\\n ' ' ' | "
          "grep -qx 'add i32 a u8 b text name i32 m i64 wide i32 result '");
    check("$T providers show \"u:$D/thrown:planted::*\" | grep -qx 'planted::middle(int)'");
    check(
        "$T providers show 'u:libc.so.6:open(path:text,flags:hex32):i32' | grep -q 'text  *path'");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, place_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(calls_are_counted),
        CASE(they_have_arguments_and_results),
        CASE(they_can_be_asked_about),
        CASE(programs_work_as_without),
        CASE(probes_of_programs_are_watched),
        CASE(one_process_is_chosen),
        CASE(nothing_is_left_behind),
        CASE(what_costs_too_much_is_given_up),
        CASE(refusals),
        CASE(lines_of_the_manual_answer),
        CASE(lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
