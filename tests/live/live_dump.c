/* `tracetop dump` of this machine: a script's own events in one stream with what the kernel does
 * for it on the network, and the same lines as the recording of the same time has. */
#include "tests/test.h"

#include "tests/live/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first line that has both texts, from a line on; 0: none. */
static unsigned line_with(const char *name, unsigned from, const char *one, const char *other)
{
    char path[128], line[1 << 14];
    snprintf(path, sizeof path, "%s/%s", getenv("D"), name);
    FILE *const f = fopen(path, "r");
    assert_non_null(f);
    unsigned number = 0, found = 0;
    while (!found && fgets(line, sizeof line, f))
        if (++number >= from && strstr(line, one) && strstr(line, other))
            found = number;
    fclose(f);
    return found;
}

/* Events come: what is done again and again is in the output, a line of this form. */
#define UNTIL(line, output, what)                                                                  \
    "until grep -q '" line "' " output "; do kill -0 $pid || exit 9; " what "; sleep 0.05; done; "

/* A server and a client of one connection with a mark before and behind. */
#define CONNECT                                                                                    \
    "python3 -c 'import socket\n"                                                                  \
    "s = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen(1)\n"                               \
    "socket.create_connection(s.getsockname())'"
static const char fetch[] = "$T dump -q -P net,proc -O text >$D/stream & pid=$!; " UNTIL(
    "TcpIp/Connect.*python3", "$D/stream",
    CONNECT) "printf 'HTTP/1.0 200 OK\\r\\n\\r\\nhello' >$D/page; "
             "python3 -c 'import socket, subprocess, os\n"
             "s = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen(1)\n"
             "if os.fork() == 0:\n"
             "    c, _ = s.accept(); c.recv(1000); c.sendall(open(os.environ[\"D\"] + \"/page\", "
             "\"rb\")"
             ".read()); c.close(); os._exit(0)\n"
             "mark = lambda text: subprocess.run([os.environ[\"T\"], \"mark\", text], "
             "check=True, "
             "stdout=subprocess.DEVNULL)\n"
             "mark(\"enter geturl\")\n"
             "k = socket.create_connection(s.getsockname()); k.sendall(b\"GET / "
             "HTTP/1.0\\r\\n\\r\\n\")\n"
             "while k.recv(1000): pass\n"
             "k.close(); os.wait()\n"
             "mark(\"leave geturl\")\n' && kill -INT $pid && wait $pid";

static void a_scripts_events_stand_among_those_of_the_network(void **state)
{
    (void)state;
    place_needs_rights();
    if (place_run("command -v python3 >/dev/null") != 0)
        skip_for("python3");
    assert_int_equal(place_run(fetch), 0);
    const unsigned enter = line_with("stream", 1, "PerfInfo/Mark", "enter geturl");
    const unsigned connect = line_with("stream", enter, "TcpIp/Connect", "python3");
    const unsigned send = line_with("stream", connect, "TcpIp/Send", "python3");
    const unsigned receive = line_with("stream", send, "TcpIp/Recv", "python3");
    const unsigned close = line_with("stream", receive, "TcpIp/Disconnect", "python3");
    const unsigned leave = line_with("stream", 1, "PerfInfo/Mark", "leave geturl");
    assert_true(enter && connect && send && receive && close);
    assert_in_range(leave, close + 1, UINT32_MAX);
}

/* Of lines event,pid,proc,ImageFileName,ParentId: starts and ends of the process $root and of those
 * that descend from it. What others on this machine do is not known as well to both. */
#define OF_ROOT                                                                                    \
    "awk -F, -v root=$root '"                                                                      \
    "BEGIN { is_his[root] = 1; } { sub(/\\r$/, \"\"); } $1 == \"Start\" && $5 in is_his { "        \
    "is_his[$2] = 1; } "                                                                           \
    "/^(Start|End),/ && $2 in is_his'"

/* A recording of the same seconds, from another collector: the lines about the same process are the
 * same, but for the raw time of a file's clock and numbers of sessions. */
static void the_recording_of_the_same_time_says_the_same(void **state)
{
    (void)state;
    place_needs_rights();
    assert_int_equal(
        place_run("cd $D && { $T dump -q -P proc -O csv -k event,pid,proc,ImageFileName,ParentId "
                  ">live & pid=$!; " UNTIL(
                      "^Exec,.*,sleep", "live",
                      ":") "$T record -q -P proc -o x.etl -- sh -c 'echo $$ >root; sleep 0.3; for "
                           "i in 1 2 3 4 5; do bash -c "
                           "\"exec -a tracetop-$i sleep 0.01\"; sleep 0.01; done; "
                           "bash -c \"exec true\"; sleep "
                           "0.5' && kill -INT $pid && wait $pid; }"),
        0);
    assert_int_equal(
        place_run("cd $D && $T dump x.etl -O csv -k event,pid,proc,ImageFileName,ParentId >file && "
                  "root=$(cat root) && for f in live file; do " OF_ROOT
                  " $f | sort >$f.of; done && "
                  "test $(grep -c '^End,.*,sleep,' file.of) -ge 6 && "
                  "test -z \"$(comm -13 live.of file.of)\""),
        0);
}

/* A question switches on what it counts: samples, their stacks, and interrupts are off otherwise. A
 * busy machine needs some of the time to switch them on. */
static void a_query_collects_what_it_counts(void **state)
{
    (void)state;
    place_needs_rights();
    assert_int_equal(
        place_run("cd $D && { sh -c 'while :; do :; done' & busy=$!; "
                  "$T ask 'by cpu | count where class=sample' -t 5s -q >samples & one=$!; "
                  "$T ask 'by module(stack) | count where class=sample' -t 5s -q >stacks & two=$!; "
                  "$T ask 'by proc | count where class=registry' -t 5s -q >none & three=$!; "
                  "wait $one && wait $two && wait $three; status=$?; kill $busy; exit $status; }"),
        0);
    assert_int_equal(
        place_run("cd $D && grep -q '\"recorded_s\":{\"sample\":.*\"rows\":\\[\\[' samples"), 0);
    assert_int_equal(place_run("cd $D && grep -q '\"rows\":\\[\\[\"[^\"]' stacks"), 0);
    assert_int_equal(place_run("cd $D && grep -q '\"complete\":false.*\"rows\":\\[\\]' none"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_query_collects_what_it_counts, place_set_up,
                                        place_tear_down),
        cmocka_unit_test_setup_teardown(a_scripts_events_stand_among_those_of_the_network,
                                        place_set_up, place_tear_down),
        cmocka_unit_test_setup_teardown(the_recording_of_the_same_time_says_the_same, place_set_up,
                                        place_tear_down),
    };
    return cmocka_run_group_tests_name("live_dump", tests, NULL, NULL);
}
