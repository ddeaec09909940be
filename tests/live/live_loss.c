/* Loss: rings far too small for a storm. Whatever is lost is counted, to the event. */
#include "tests/live/harness.h"

#include "collectors/linux/live.h"
#include "src/os/os.h"

#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STORMERS = 6, STORM = 2000000000 /* ns */ };

/* Threads of one processor that only give way to each other: a switch per call. */
static void storm(void)
{
    for (;;)
        sched_yield();
}

static bool become_urgent(void)
{
    return sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1}) == 0;
}

static bool may_become_urgent(void)
{
    return become_urgent() && sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0}) == 0;
}

/* Goes before everything else on its processor, so that it is a storm beside any load. Its own
 * clock ends it: nobody else might get a turn. */
static void urgent_storm(void)
{
    become_urgent();
    for (const int64_t end = os_now() + STORM; os_now() < end;)
        sched_yield();
    _exit(0);
}

/* Returns the most that was reported as undelivered meanwhile. */
static uint64_t run_storm(const struct live_run *r, void (*one)(void))
{
    pid_t stormers[STORMERS];
    uint64_t undelivered = 0;
    for (int i = 0; i < STORMERS; i++) {
        stormers[i] = fork();
        if (stormers[i] == 0) {
            live_pin((unsigned)i % live_processors());
            one();
        }
    }
    for (const int64_t end = os_now() + STORM; os_now() < end;) {
        os_sleep(STORM / 200);
        const uint64_t reported = atomic_load(&r->session->collector.loss.undelivered);
        undelivered = reported > undelivered ? reported : undelivered;
    }
    for (int i = 0; i < STORMERS; i++) {
        kill(stormers[i], SIGKILL);
        waitpid(stormers[i], NULL, 0);
    }
    return undelivered;
}

static bool says_full(const struct collector *c)
{
    char notice[NOTICE_BYTES];
    for (uint64_t i = 0; i < notices_count(&c->notices); i++)
        if (notices_read(&c->notices, i, notice) && strstr(notice, "were full: "))
            return true;
    return false;
}

static void tiny_rings(void **state)
{
    (void)state;
    if (!may_become_urgent())
        skip_for("the right to real-time scheduling");
    struct live_run *const r = live_begin(&(struct live_request){
        .classes = 1u << FACT_SWITCH | 1u << FACT_READY, .kernel_bytes = 8 * 4096});
    const uint64_t reported = run_storm(r, urgent_storm);
    live_end(r);
    const struct collector_loss *const loss = &r->session->collector.loss;
    live_check_accounts(r);
    assert_true(reported <=
                r->session->collector.loss.undelivered); /* what was on its way is no loss */
    assert_true(loss->lost > 0);
    assert_true(loss->kernel >= loss->lost + loss->undelivered);
    const struct collector *const c = &r->session->collector;
    bool is_reported = false;
    char notice[NOTICE_BYTES];
    for (uint64_t i = 0; i < notices_count(&c->notices); i++) {
        if (!notices_read(&c->notices, i, notice))
            continue;
        print_message("said: %s\n", notice);
        is_reported |= strstr(notice, "(32 KiB per processor) were full") != NULL;
    }
    assert_true(is_reported);
    live_free(r);
}

/* With the rings of every day the same storm loses nothing, unless the collector is kept from
 * its processor for longer than they last: then that is said, and they grow. */
static void usual_rings(void **state)
{
    (void)state;
    struct live_run *const r = live_begin(&(struct live_request){
        .classes = 1u << FACT_SWITCH | 1u << FACT_READY, .ring_bytes = 512 << 20});
    const uint64_t reported = run_storm(r, storm);
    live_end(r);
    const struct collector_loss *const loss = &r->session->collector.loss;
    live_check_accounts(r);
    assert_true(reported <=
                r->session->collector.loss.undelivered); /* what was on its way is no loss */
    assert_true(loss->lost == 0 || says_full(&r->session->collector));
    assert_int_equal(ring_figures(r->session->hot).lost, 0);
    print_message("%.0f events a second\n",
                  (double)loss->received / ((double)(r->ended - r->began) / 1e9));
    live_free(r);
}

/* How often the rings grew. The collector may not have had a turn during the storm: it sees behind
 * it that they were full. */
static uint64_t wait_for_growth(const struct linux_live *l)
{
    for (const int64_t until = os_now() + PATIENCE_NS; !l->retuned && os_now() < until;)
        os_sleep(STORM / 200);
    return l->retuned;
}

/* Records with stacks fill the usual rings in less than half a second: larger ones take their
 * place, and what was lost until then is counted and reported. */
static void growing_rings(void **state)
{
    (void)state;
    if (!may_become_urgent())
        skip_for("the right to real-time scheduling");
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = 1u << FACT_SWITCH | 1u << FACT_READY,
                                          .stacks = 1u << FACT_SWITCH | 1u << FACT_READY,
                                          .ring_bytes = 1024 << 20});
    const uint64_t reported = run_storm(r, urgent_storm);
    const struct linux_live *const l = r->session->collector.state;
    const uint64_t retuned = wait_for_growth(l), bytes = l->largest;
    live_end(r);
    live_check_accounts(r);
    assert_true(reported <=
                r->session->collector.loss.undelivered); /* what was on its way is no loss */
    const double rate =
        (double)r->session->collector.loss.received / ((double)(r->ended - r->began) / 1e9);
    print_message("%.0f events a second, rings grew %" PRIu64 " times to %" PRIu64 " KiB\n", rate,
                  retuned, bytes / 1024);
    assert_true(retuned > 0);
    const struct collector_loss *const loss = &r->session->collector.loss;
    assert_true(loss->lost == 0 || says_full(&r->session->collector));
    live_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_rings),
        cmocka_unit_test(usual_rings),
        cmocka_unit_test(growing_rings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
