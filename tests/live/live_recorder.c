/* A recorder in the background on this machine, and a fault that nobody watched: what crashed and
 * what waited for its disk are found afterwards, on the screen, although the recorder was killed as
 * well. */
#include "tests/test.h"

#include "tests/live/place.h"
#include "tests/terminal.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whatever the test left running ends. */
static int tear_down(void **state)
{
    place_run("$T recorder stop r >/dev/null 2>&1; $T recorder stop >/dev/null 2>&1");
    return place_tear_down(state);
}

static struct terminal *open_ring(void)
{
    char state[96];
    snprintf(state, sizeof state, "XDG_STATE_HOME=%s", getenv("D"));
    const char *const argv[] = {getenv("T"), "--from", "r", "--no-symbols", NULL};
    const char *const env[] = {state, "TRACETOP_CONFIG=/nonexistent/tracetop.conf", NULL};
    return terminal_start(argv, env, 160, 40);
}

/* Until the screen shows it; a minute is for the one that hangs. */
static void wait_for(struct terminal *t, const char *text)
{
    for (int i = 0; i < 600 && !terminal_shows(t, text); i++)
        terminal_pump(t, 100);
    if (terminal_shows(t, text))
        return;
    char *const screen = terminal_text(t);
    for (const char *line = screen; *line; line += strcspn(line, "\n"), line += *line == '\n')
        print_error("%.*s\n", (int)strcspn(line, "\n"), line);
    free(screen);
    fail_msg("the screen never shows '%s'", text);
}

static void filter(struct terminal *t, const char *text)
{
    terminal_press(t, "/");
    wait_for(t, "filter:");
    terminal_send(t, text, strlen(text));
    terminal_press(t, "Enter");
}

static void quit(struct terminal *t)
{
    int status = -1;
    terminal_press(t, "F10");
    for (int i = 0; i < 600 && !terminal_ended(t, &status); i++)
        terminal_pump(t, 100);
    assert_int_equal(status, 0);
    terminal_free(t);
}

/* The planted faults, and the end of who recorded them; the kernel counts the time in fsync. */
static const char plant[] =
    "cd $D && $T recorder start r -P proc,cpu,files >/dev/null && cp /bin/sh planted-crash && cp "
    "/bin/dd "
    "planted-write &&\n"
    /* on a busy machine names of files take a while to begin */
    "echo >planted-first && until cat planted-first >/dev/null; $T top files --from r proc=cat -O "
    "tsv "
    "-k path 2>/dev/null | grep -q planted-first; do sleep 0.2; done\n"
    "{ ./planted-crash -c 'kill -SEGV $$'; } 2>/dev/null\n"
    "./planted-write if=/dev/zero of=planted-file bs=1M count=16 conv=fsync 2>/dev/null || exit 2\n"
    "pid=$($T recorder status r -O json | sed 's/.*\"pid\":\\([0-9]*\\).*/\\1/')\n"
    /* all that happened is written when a later mark is */
    "$T mark --instance $pid behind it >/dev/null || exit 3\n"
    "until $T dump --from r class=mark 2>/dev/null | grep -q 'behind it'; do sleep 0.2; done\n"
    "$T recorder status r >status\n"
    "kill -9 $pid";

/* On a machine that has no time for it the kernel loses events, and with them names. */
static void skip_where_lost(void)
{
    if (place_run("grep -o '[0-9]* lost.*' $D/status") != 0)
        return;
    print_message("skipped: events were lost meanwhile\n");
    skip();
}

static void a_fault_that_nobody_watched_is_found(void **state)
{
    (void)state;
    place_needs_rights();
    assert_int_equal(place_run(plant), 0);
    skip_where_lost();
    struct terminal *const t = open_ring();
    wait_for(t, "FINISHED");
    filter(t, "name=planted-crash");
    wait_for(t, "shown");
    terminal_press(t, "d");
    wait_for(t, "Events");
    filter(t, "class=process");
    wait_for(t, "killed by SIGSEGV");
    quit(t);
    /* what waited, and for what */
    assert_int_equal(
        place_run("$T top waits --from r proc=planted-write -O tsv -k reason,name 2>/dev/null | "
                  "grep -q '^fsync'"),
        0);
    assert_int_equal(
        place_run("$T top files --from r -O tsv -k path,write >$D/files 2>&1; grep -q planted-file "
                  "$D/files || { cat $D/files; $T stats --from r | tail -20; $T dump --from r -O "
                  "text proc=planted-write class=file | tail -40; exit 1; } >&2"),
        0);
}

/* The next start goes on behind what was left, and both are one timeline. */
static void the_next_start_goes_on(void **state)
{
    (void)state;
    place_needs_rights();
    assert_int_equal(
        place_run(
            "$T recorder start r -P proc >/dev/null && sleep 0.3 && $T recorder stop r >/dev/null"),
        0);
    assert_int_equal(
        place_run("$T recorder start r -P proc >/dev/null && { cd $D; cp /bin/true planted-true; "
                  "./planted-true; $T recorder stop r >/dev/null; }"),
        0);
    assert_int_equal(
        place_run("$T dump --from r -O text proc=planted-true 2>/dev/null | grep -q Process/End"),
        0);
    assert_int_equal(place_run("test $(ls $D/tracetop/r/ring-*.etl | wc -l) -ge 2"), 0);
}

/* ---- a script's words among the kernel's events ----------------------------------------------- */

/* Asks a server of our own and gets an answer, over TCP. */
static void fetch(void)
{
    static const char question[] = "GET / HTTP/1.0\r\n\r\n", answer[] = "HTTP/1.0 200 OK\r\n\r\n";
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    char got[64];
    const int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(server, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(server, 1), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&at, &bytes), 0);
    assert_int_equal(connect(client, (struct sockaddr *)&at, sizeof at), 0);
    const int peer = accept(server, NULL, NULL);
    assert_int_equal(send(client, question, sizeof question - 1, 0), sizeof question - 1);
    assert_int_equal(recv(peer, got, sizeof got, 0), sizeof question - 1);
    assert_int_equal(send(peer, answer, sizeof answer - 1, 0), sizeof answer - 1);
    assert_int_equal(recv(client, got, sizeof got, 0), sizeof answer - 1);
    close(client);
    close(peer);
    close(server);
}

/* Lines of a script and what the network did for it stand in one table in the order in which they
 * happened, as in the example of TWAPI's wiki. */
static void words_stand_among_network_events(void **state)
{
    (void)state;
    place_needs_rights();
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv("SELF", pid, 1);
    assert_int_equal(
        place_run("$T recorder start r -P proc,net >/dev/null && $T recorder status r -O json | "
                  "sed 's/.*\"pid\":\\([0-9]*\\).*/\\1/' >$D/pid"),
        0);
    assert_int_equal(
        place_run("echo enter | $T log --field step=1 --instance $(cat $D/pid) >/dev/null"), 0);
    fetch();
    assert_int_equal(
        place_run("echo leave | $T log --field step=2 --instance $(cat $D/pid) >/dev/null"), 0);
    assert_int_equal(
        place_run("until $T dump --from r step=2 2>/dev/null | grep -q leave; do sleep "
                  "0.2; done; $T recorder stop r >/dev/null"),
        0);
    assert_int_equal(place_run("$T dump --from r -O csv -k event,pid class=network,mark 2>$D/err | "
                               "tr -d '\\r' | awk -F, '$1 == "
                               "\"Mark\" || $2 == ENVIRON[\"SELF\"] { print $1 }' >$D/table"),
                     0);
    assert_int_equal(place_run("sed -n '1p;$p' $D/table | grep -c '^Mark$' | grep -qx 2"), 0);
    assert_int_equal(place_run("for e in Connect Accept Send Recv Disconnect; do grep -q \"^$e\" "
                               "$D/table || { cat $D/table; exit 1; }; done"),
                     0);
    assert_int_equal(place_run("test $(grep -c '^Mark$' $D/table) = 2"), 0);
}

/* ---- attached -------------------------------------------------------------------------------- */

static struct terminal *attach(void)
{
    char state[96], endpoints[96];
    snprintf(state, sizeof state, "XDG_STATE_HOME=%s", getenv("D"));
    snprintf(endpoints, sizeof endpoints, "XDG_RUNTIME_DIR=%s", getenv("D"));
    const char *const argv[] = {getenv("T"), "--no-symbols", NULL};
    const char *const env[] = {state, endpoints, "TRACETOP_CONFIG=/nonexistent/tracetop.conf",
                               NULL};
    struct terminal *const t = terminal_start(argv, env, 120, 40);
    wait_for(t, "attached to the recorder 'default'");
    return t;
}

/* Two screens beside each other on a recorder that was started for processes alone: it records what
 * their panes need, takes their marks, and stays. */
static void who_attaches_gets_what_panes_need(void **state)
{
    (void)state;
    place_needs_rights();
    assert_int_equal(place_run("$T recorder start -P proc >/dev/null"), 0);
    assert_int_equal(place_run("$T dump --from default class=syscall 2>/dev/null | grep -q ."), 1);
    struct terminal *const one = attach(), *const other = attach();
    wait_for(other, "LIVE");
    terminal_press(one, "9");
    wait_for(one, "not collected yet");
    terminal_press(one, "Enter");
    wait_for(one, "clock_nanosleep");
    terminal_press(one, "m");
    wait_for(one, "mark:");
    terminal_send(one, "between both", 12);
    terminal_press(one, "Enter");
    wait_for(one, "marked: between both");
    terminal_press(other, ":");
    terminal_send(other, "events", 6);
    terminal_press(other, "Enter");
    wait_for(other, "DETAIL");
    filter(other, "class=mark");
    wait_for(other, "between both");
    /* for everybody: the recorder, and both screens, which pass it on; they answer while somebody
     * reads what they draw */
    assert_int_equal(place_run("{ $T mark --field step=3 for all; echo $?; } >$D/marked 2>&1 &"),
                     0);
    for (int i = 0; i < 600 && place_run("grep -q '^[0-9]*$' $D/marked") != 0; i++) {
        terminal_pump(one, 50);
        terminal_pump(other, 50);
    }
    assert_int_equal(place_run("grep -qx 0 $D/marked || { cat $D/marked >&2; exit 1; }"), 0);
    assert_int_equal(
        place_run("until $T dump --from default step=3 2>/dev/null | grep -q 'for all'; do "
                  "sleep 0.2; done; sleep 1"),
        0);
    quit(one);
    quit(other);
    assert_int_equal(
        place_run("test $($T dump --from default step=3 2>/dev/null | grep -c 'for all') = 1"), 0);
    assert_int_equal(
        place_run("grep -q 'reader needs more.*calls' $D/tracetop/default/recorder.log"), 0);
    assert_int_equal(place_run("$T recorder status >/dev/null"), 0);
    assert_int_equal(place_run("$T dump --from default class=syscall 2>/dev/null | grep -q ."), 0);
    assert_int_equal(
        place_run(
            "test $($T dump --from default class=mark 2>/dev/null | grep -c 'between both') = 1"),
        0);
}

/* Other classes and another filter, without a gap: what was watched before goes on. */
static void other_options_are_read_while_it_records(void **state)
{
    (void)state;
    place_needs_rights();
    assert_int_equal(
        place_run(
            "cd $D && printf '[recorder.r]\npanes = proc\n' >conf && $T recorder start r "
            "--config conf >/dev/null && cp /bin/true planted-one && ./planted-one &&\n"
            "printf '[recorder.r]\npanes = proc,calls\ncapture = name=planted-*\n' >conf && "
            "$T recorder reload r >said && grep -q 'records proc calls' said || exit 2\n"
            "cp /bin/true planted-two; cp /bin/true other\n"
            "until $T dump --from r class=syscall proc=planted-two 2>/dev/null | grep -q .; do "
            "./planted-two; ./other; sleep 0.2; done\n"
            "$T recorder stop r >/dev/null"),
        0);
    assert_int_equal(place_run("test $(ls $D/tracetop/r/ring-*.etl | wc -l) = 1"), 0);
    assert_int_equal(
        place_run("$T dump --from r -O text proc=planted-one 2>/dev/null | grep -q Process/End"),
        0);
    assert_int_equal(place_run("$T dump --from r class=syscall proc=other 2>/dev/null | grep -q ."),
                     1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_fault_that_nobody_watched_is_found, place_set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_next_start_goes_on, place_set_up, tear_down),
        cmocka_unit_test_setup_teardown(words_stand_among_network_events, place_set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_options_are_read_while_it_records, place_set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(who_attaches_gets_what_panes_need, place_set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
