/* Services of Windows: their processes, from records at the start or the end. */
#include "tests/stage.h"

#include "src/filter/fact.h"
#include "src/model/model.h"
#include "src/pane/panes.h"
#include "src/view/group.h"

#include <stdio.h>
#include <string.h>

static void send_service(struct model *m, int64_t ts, unsigned version, uint32_t pid,
                         uint32_t service_state, const char *name)
{
    struct event e = {.kind = HEADER_SYSTEM, .id = 0x0b0f, .opcode = 0x0f, .pointer = 8};
    struct fact f = {.time = 0};
    struct note n = {.used = 0};
    e.version = (uint8_t)version;
    e.ts = ts;
    e.pid = e.tid = EVENT_NO_ID;
    put_u32(&n, pid);
    put_u32(&n, service_state);
    put_u32(&n, 0);
    put_wide(&n, name);
    put_wide(&n, "What it is called");
    put_wide(&n, "svchost.exe");
    if (version == 3) {
        put_wide(&n, "");
        put_wide(&n, "netsvcs");
    }
    e.payload = n.bytes;
    e.payload_bytes = (uint32_t)n.used;
    model_fact(m, &e, 0, ts * 100, &f);
}

static const char *services_of(struct model *m, uint32_t pid)
{
    const struct process *const p = model_process_at(m, model_process(m, 0, pid, 1000));
    return p && p->services ? p->services : "-";
}

/* Of the process that runs 880's services: does the filter let it pass? */
static bool passes(struct model *m, const char *filter)
{
    struct filter f;
    assert_true(filter_init(&f, filter, pane_find("processes"), NULL, NULL));
    const struct filter_found found =
        filter_look_process(&f, m, model_process(m, 0, 880, 1000), 1000);
    const bool passes = filter_decide(&f, LEVEL_ROW, found);
    filter_fini(&f);
    return passes;
}

static void processes_have_services(void **state)
{
    (void)state;
    struct model m;
    model_init(&m);
    model_sources(&m, 1);
    send_service(&m, 1, 3, 880, 4, "Dhcp");
    send_service(&m, 2, 2, 880, 4, "EventLog");
    send_service(&m, 3, 3, 880, 4, "Event"); /* part of another one's name */
    send_service(&m, 4, 3, 880, 4, "Dhcp");  /* again at the end */
    send_service(&m, 5, 3, 901, 1, "Stopped");
    send_service(&m, 6, 3, 0, 4, "Nowhere");
    send_service(&m, 7, 3, 902, 4, "");
    assert_string_equal(services_of(&m, 880), "Dhcp, EventLog, Event");
    assert_true(passes(&m, "service:dhcp") && passes(&m, "service=*EventLog*"));
    assert_false(passes(&m, "service:spooler"));
    /* Rows are put together by what runs in them; the others are one group. */
    char room[64];
    const struct group_member with = {.process = model_process(&m, 0, 880, 1000)},
                              without = {.process = model_process(&m, 0, 901, 1000)};
    assert_string_equal(group_name(&m, with, GROUPED_BY_SERVICE, room, sizeof room),
                        "Dhcp, EventLog, Event");
    assert_string_equal(group_name(&m, without, GROUPED_BY_SERVICE, room, sizeof room),
                        "(no service)");
    const struct row_key key = group_key(&m, with, GROUPED_BY_SERVICE);
    assert_true(group_has(&m, key, with));
    assert_false(group_has(&m, key, without));
    assert_string_equal(services_of(&m, 901), "-");
    assert_string_equal(services_of(&m, 902), "-");
    model_fini(&m);
}

/* A file may say so many that no list holds them; those that do not fit are left out whole. */
static void lists_are_bounded(void **state)
{
    (void)state;
    struct model m;
    char name[64];
    model_init(&m);
    model_sources(&m, 1);
    for (unsigned i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "Service%03u", i);
        send_service(&m, 1 + i, 3, 880, 4, name);
    }
    const char *const list = services_of(&m, 880);
    assert_true(strlen(list) < 1024);
    assert_true(strlen(list) > 900);
    assert_string_equal(list + strlen(list) - 10, "Service084");
    model_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_have_services),
        cmocka_unit_test(lists_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
