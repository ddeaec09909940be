/* Managed methods: which code a runtime said to be where, and when. */
#include "tests/stage.h"

#include "src/model/model.h"

static void put16(uint8_t **to, const char *text)
{
    for (; *text; text++, *to += 2)
        (*to)[0] = (uint8_t)*text, (*to)[1] = 0;
    (*to)[0] = (*to)[1] = 0;
    *to += 2;
}

enum { RUNTIME, RUNDOWN };
enum { LOAD = 143, UNLOAD = 144 };

static uint32_t told_pid = 5;

/* A method event: size 0 = what `bytes` cuts off is not there. */
static void log_method(struct model *m, int from, uint16_t id, uint64_t start, uint32_t size,
                       const char *class, const char *name, int64_t time, size_t cut)
{
    static const struct guid providers[] = {
        {{0x23, 0x0d, 0x3c, 0xe1, 0xbc, 0xcc, 0x12, 0x4e, 0x93, 0x1b, 0xd9, 0xcc, 0x2e, 0xee, 0x27,
          0xe4}},
        {{0x1c, 0x02, 0x69, 0xa6, 0x50, 0xc4, 0x09, 0x46, 0xa0, 0x35, 0x5a, 0xf5, 0x9a, 0xf4, 0xdf,
          0x18}},
    };
    uint8_t payload[512] = {0}, *at = payload + 36;
    const uint64_t module = 77;
    memcpy(payload + 8, &module, 8);
    memcpy(payload + 16, &start, 8);
    memcpy(payload + 24, &size, 4);
    put16(&at, class);
    put16(&at, name);
    put16(&at, "void ()");
    const size_t bytes = (size_t)(at - payload);
    uint8_t *const exact = malloc(bytes - cut + 1);
    memcpy(exact, payload, bytes - cut);
    const struct event e = {.kind = HEADER_MANIFEST,
                            .provider = providers[from],
                            .id = id,
                            .pid = told_pid,
                            .tid = 6,
                            .pointer = 8,
                            .payload = exact,
                            .payload_bytes = (uint32_t)(bytes - cut)};
    struct fact f = {0};
    model_fact(m, &e, 0, time, &f);
    free(exact);
}

static const char *at(struct model *m, uint64_t address, int64_t time)
{
    const uint32_t process = model_process(m, 0, told_pid, time);
    const struct model_method found = model_method_at(m, process, address, time);
    return found.name ? model_method_name(m, found.name) : "-";
}

/* More runtimes than there is room for: those of ended processes go first, and of the one that
 * lives everything stays known. */
static void ended_runtimes_make_room(void **state)
{
    (void)state;
    enum { RUNS = 3 * 4096 };
    struct model m;
    model_init(&m);
    model_sources(&m, 1);
    log_method(&m, RUNTIME, LOAD, 0x1000, 0x100, "N.C", "Stays", 100, 0);
    told_pid = 7;
    for (int64_t i = 0; i < RUNS; i++) {
        model_process_start(&m, 0, told_pid, 201 + 10 * i, "build.exe");
        log_method(&m, RUNTIME, LOAD, 0x2000, 0x100, "N.C", "Comes", 202 + 10 * i, 0);
        assert_string_equal(at(&m, 0x2000, 203 + 10 * i), "N.C.Comes");
        model_process_end(&m, 0, told_pid, 209 + 10 * i);
    }
    told_pid = 5;
    assert_int_equal(m.tally.images_dropped, 0);
    assert_string_equal(at(&m, 0x1000, 150), "N.C.Stays");
    model_fini(&m);
}

static void methods_have_their_time(void **state)
{
    (void)state;
    struct model m;
    model_init(&m);
    model_sources(&m, 1);
    log_method(&m, RUNTIME, LOAD, 0x1000, 0x100, "N.C", "Main", 100, 0);
    log_method(&m, RUNTIME, LOAD, 0x2000, 0x100, "N.C", "Gone", 100, 0);
    log_method(&m, RUNTIME, UNLOAD, 0x2000, 0x100, "N.C", "Gone", 200, 0);
    log_method(&m, RUNTIME, LOAD, 0x2000, 0x100, "N.C", "New", 300, 0);
    log_method(&m, RUNDOWN, LOAD, 0x3000, 0x10, "", "dynamicClass", 900, 0);
    assert_string_equal(at(&m, 0x1000, 150), "N.C.Main");
    assert_string_equal(at(&m, 0x10ff, 150), "N.C.Main");
    assert_string_equal(at(&m, 0x1100, 150), "-");
    assert_string_equal(at(&m, 0x1000, 50), "-");
    assert_string_equal(at(&m, 0x2010, 150), "N.C.Gone");
    assert_string_equal(at(&m, 0x2010, 250), "-");
    assert_string_equal(at(&m, 0x2010, 350), "N.C.New");
    assert_string_equal(at(&m, 0x3008, 1), "dynamicClass"); /* it was there before */
    /* Told again, once more known: the rundown knows only that it is there. */
    log_method(&m, RUNDOWN, UNLOAD, 0x1000, 0x100, "N.C", "Main", 950, 0);
    assert_string_equal(at(&m, 0x1000, 150), "N.C.Main");
    model_fini(&m);
}

static void short_events_say_nothing(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < 70; cut++) {
        struct model m;
        model_init(&m);
        model_sources(&m, 1);
        log_method(&m, RUNTIME, LOAD, 0x1000, 0x100, "N.C", "Main", 100, cut);
        assert_string_equal(at(&m, 0x1000, 150), cut <= 16 ? "N.C.Main" : "-");
        model_fini(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_have_their_time),
        cmocka_unit_test(short_events_say_nothing),
        cmocka_unit_test(ended_runtimes_make_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
