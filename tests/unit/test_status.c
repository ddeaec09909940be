/* How operations ended, in the words of the system that they come from: codes and names, and what
 * columns, filters, views, details and dump make of them. */
#include "tests/stage.h"

#include "src/event/status.h"

enum { HOOK_CALL_ENTER = 0x0f33, HOOK_CALL_EXIT };

static const char *shown(uint32_t code, bool is_linux)
{
    static char text[STATUS_TEXT];
    status_format(status_mark(code, is_linux), text);
    return text;
}

static void every_errno_is_one(void **state)
{
    (void)state;
    for (unsigned error = 1; error < 4096; error++) {
        const uint32_t code = status_of_errno(error);
        assert_int_equal(code & 0xfff, error);
        assert_int_equal(code & 0xdffff000u & ~0x80000000u, 0x4000c000u);
        const bool is_restart = error >= 512 && error <= 516 && error != 515;
        assert_int_equal(status_is_failure(code), !is_restart);
        assert_int_equal(status_is_failure(status_mark(code, true)), !is_restart);
        assert_int_equal(status_number(status_mark(code, true)), code);
        for (unsigned other = 1; other < error && other <= 133; other++) {
            const char *const name = status_name(code, 0);
            if (name && status_name(status_of_errno(other), 0))
                assert_string_not_equal(name, status_name(status_of_errno(other), 0));
        }
    }
}

static void names_are_those_of_the_system(void **state)
{
    (void)state;
    static const struct {
        uint32_t code;
        const char *on_windows, *on_linux;
    } rows[] = {
        {0xc000c002, "ENOENT", "ENOENT"},
        {0xc000c006, "ENXIO", "ENXIO"},
        {0xc000c013, "ENODEV", "ENODEV"},
        {0xc000c017, "ENFILE", "ENFILE"},
        {0xc000c018, "EMFILE", "EMFILE"},
        {0xc000c019, "ENOTTY", "ENOTTY"},
        {0xc000c01d, "ESPIPE", "ESPIPE"},
        {0xc000c004, "EINTR", "EINTR"},
        {0xc000c07d, "ECANCELED", "ECANCELED"},
        {0x4000c200, "ERESTARTSYS", "ERESTARTSYS"},
        {0xc000c20c, "ENOTSUPP", "ENOTSUPP"},
        /* of earlier versions */
        {0xc0000034, "OBJECT_NAME_NOT_FOUND", "ENOENT"},
        {0xc0000022, "ACCESS_DENIED", "EACCES"},
        {0xc000000e, "NO_SUCH_DEVICE", "ENXIO/ENODEV"},
        {0xc000011f, "TOO_MANY_OPENED_FILES", "EMFILE/ENFILE"},
        {0xc0000010, "INVALID_DEVICE_REQUEST", "ENOTTY/ESPIPE"},
        {0xc0000120, "CANCELLED", "EINTR/ECANCELED"},
        {0x000000c0, "USER_APC",
         "ERESTARTSYS/ERESTARTNOINTR/ERESTARTNOHAND/ERESTART_RESTARTBLOCK"},
        /* of nobody */
        {0xc000c029, "Windows 0xc000c029", "Linux 0xc000c029"},
        {0xc0001234, "Windows 0xc0001234", "Linux 0xc0001234"},
        {0xc0000123, "FILE_DELETED", "Linux 0xc0000123"},
        {0xc000cfff, "Windows 0xc000cfff", "Linux 0xc000cfff"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(shown(rows[i].code, false), rows[i].on_windows);
        assert_string_equal(shown(rows[i].code, true), rows[i].on_linux);
    }
}

/* ---- tables and filters ------------------------------------------------------------------------- */

static void send_failure(const struct scene *s, int64_t us, uint64_t call, uint32_t status)
{
    struct note enter = {.used = 0}, exit = {.used = 0};
    put_u64(&enter, call);
    send_record(s, us, HOOK_CALL_ENTER, 2, &enter);
    put_u32(&exit, status);
    send_record(s, us + 5, HOOK_CALL_EXIT, 2, &exit);
}

/* A thread that makes a call per status. */
static struct stage *play_failures(bool is_linux, const uint32_t *statuses, unsigned count)
{
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    s->collectors[0].sources[0].is_linux = is_linux;
    send_process(&by, 1, HOOK_DC_START, 700, 4, "a.exe");
    send_thread(&by, 3, HOOK_DC_START, 700, 70);
    send_switch(&by, 1000, 0, 70);
    for (unsigned i = 0; i < count; i++)
        send_failure(&by, 1010 + 10 * i, 0xfffff80000000000u + (i + 1) * 0x1000, statuses[i]);
    stage_finish(s);
    stage_play(s);
    return s;
}

static const uint32_t failures[] = {0xc0000034, 0xc000000e, 0xc000c011, 0xc0001234};

static const char *status_of_row(const struct frame *f, unsigned call)
{
    char name[32];
    snprintf(name, sizeof name, "0xfffff8000000%x000", call + 1);
    for (unsigned i = 0; i < f->row_count; i++)
        if (strcmp(text_of(f, cell(f, i, "call")), name) == 0)
            return text_of(f, cell(f, i, "status"));
    fail_msg("no row of %s", name);
    return NULL;
}

static void columns_say_it(void **state)
{
    (void)state;
    static const char *const texts[2][4] = {
        {"OBJECT_NAME_NOT_FOUND", "NO_SUCH_DEVICE", "EEXIST", "Windows 0xc0001234"},
        {"ENOENT", "ENXIO/ENODEV", "EEXIST", "Linux 0xc0001234"}};
    for (unsigned is_linux = 0; is_linux < 2; is_linux++) {
        struct stage *const s = play_failures(is_linux, failures, 4);
        stage_request(s, "calls");
        struct frame *const f = stage_ask(s);
        assert_int_equal(f->row_count, 4);
        for (unsigned i = 0; i < 4; i++)
            assert_string_equal(status_of_row(f, i), texts[is_linux][i]);
        frame_free(f);
        stage_close(s);
    }
}

/* Errors with two names have one on screen; a filter takes both. */
static void filters_take_second_names(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        unsigned rows;
    } rows[] = {{"status=EWOULDBLOCK", 1},  {"status=EAGAIN", 1},
                {"status=ENOTSUP", 1},      {"status=edeadlock", 1},
                {"status!=EWOULDBLOCK", 2}, {"status=ENOTSUP,EDEADLOCK", 2}};
    const uint32_t second[] = {status_of_errno(11), status_of_errno(95), status_of_errno(35)};
    struct stage *const s = play_failures(true, second, 3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct request *const r = stage_request(s, "calls");
        snprintf(r->filter, sizeof r->filter, "%s", rows[i].filter);
        struct frame *const f = stage_ask(s);
        if (f->row_count != rows[i].rows)
            fail_msg("%s: %u rows", rows[i].filter, f->row_count);
        frame_free(f);
    }
    stage_close(s);
}

/* The value that is typed, and of which of the calls above (one bit each) it is the status. */
static void filters_take_it(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        unsigned on_windows, on_linux;
    } rows[] = {
        {"status=ENOENT", 0, 1},
        {"status=OBJECT_NAME_NOT_FOUND", 1, 0},
        {"status=enxio", 0, 2},
        {"status=ENODEV", 0, 2},
        {"status=NO_SUCH_DEVICE", 2, 0},
        {"status=EEXIST", 4, 4},
        {"status=0xc000c011", 4, 4},
        {"status=0xc0000034", 1, 1},
        {"status:NOENT", 0, 1},
        {"status=0xc0001234", 8, 8},
        {"status!=ENOENT", 15, 14},
    };
    for (unsigned is_linux = 0; is_linux < 2; is_linux++) {
        struct stage *const s = play_failures(is_linux, failures, 4);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct request *const r = stage_request(s, "calls");
            snprintf(r->filter, sizeof r->filter, "%s", rows[i].filter);
            struct frame *const f = stage_ask(s);
            const unsigned expected = is_linux ? rows[i].on_linux : rows[i].on_windows;
            unsigned found = 0;
            for (unsigned row = 0; row < f->row_count; row++)
                for (unsigned call = 0; call < 4; call++) {
                    char name[32];
                    snprintf(name, sizeof name, "0xfffff8000000%x000", call + 1);
                    if (strcmp(text_of(f, cell(f, row, "call")), name) == 0)
                        found |= 1u << call;
                }
            if (found != expected)
                fail_msg("%s on %s: calls %x, expected %x", rows[i].filter,
                         is_linux ? "Linux" : "Windows", found, expected);
            frame_free(f);
        }
        stage_close(s);
    }
}

/* The list of events: its fields, and those of the selected event. */
static void details_say_it(void **state)
{
    (void)state;
    static const char *const texts[] = {"OBJECT_NAME_NOT_FOUND", "ENOENT"};
    for (unsigned is_linux = 0; is_linux < 2; is_linux++) {
        struct stage *const s = play_failures(is_linux, failures, 1);
        struct request *const r = stage_request(s, "events");
        struct frame *f = stage_ask(s);
        const unsigned last = (unsigned)f->row_count - 1;
        char field[64];
        snprintf(field, sizeof field, "SysCallNtStatus=%s", texts[is_linux]);
        const char *const detail = text_of(f, cell(f, last, "detail"));
        if (!strstr(detail, field) || strncmp(detail, field, strlen(field)) == 0)
            fail_msg("'%s' is no sentence with %s behind it", detail, field);
        r->has_anchor = r->detail = true;
        r->anchor = f->rows[last].key;
        frame_free(f);
        f = stage_ask(s);
        bool is_there = false;
        for (unsigned i = 0; i < f->field_count; i++)
            is_there |= strcmp(text_of(f, f->fields[i].name), "SysCallNtStatus") == 0 &&
                        strcmp(text_of(f, f->fields[i].text), texts[is_linux]) == 0;
        assert_true(is_there);
        frame_free(f);
        stage_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_errno_is_one), cmocka_unit_test(names_are_those_of_the_system),
        cmocka_unit_test(columns_say_it),     cmocka_unit_test(filters_take_it),
        cmocka_unit_test(details_say_it),     cmocka_unit_test(filters_take_second_names),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
