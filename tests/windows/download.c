/* Downloads by WinHTTP (src/os/http_windows.c) from a web server on this machine
 * (tests/unit/web_server.h), and what is kept of them (src/os/cache_file_windows.c).
 *
 * usage: download.exe PORT FOLDER, which holds www/data of 300,000 bytes, names.dll, names.pdb and
 * names.map */
#include "tests/lld_map.h"
#include "tests/test.h"

#include "src/os/http.h"
#include "src/symbol/pe.h"
#include "src/symbol/store.h"
#include "src/symbol/symbol.h"
#include "tests/symbol_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

enum { DATA = 300000 };
static const int64_t SECOND = 1000000000;

static const char *port, *folder;
static char data[DATA];

static const char *path_of(const char *name)
{
    static char path[4][MAX_PATH];
    static unsigned turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s\\%s", folder, name);
    return path[turn];
}

static void has_words(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("expected '%s' in '%s'", words, text);
}

/* ---- one file ------------------------------------------------------------------------------- */

struct got {
    enum http_result result;
    char why[1024];
    uint64_t done, of, bytes; /* as announced while it ran; of the file */
    unsigned steps;
    bool is_same; /* what came is the beginning of the data */
};

struct limits {
    uint64_t most_bytes;      /* 0: the data's */
    int64_t quiet_ns, all_ns; /* 0: no matter */
    struct os_file *to;       /* NULL: a fresh one */
};

static void count_step(void *arg)
{
    ++*(unsigned *)arg;
}

static struct got get_by(struct http *h, const char *url, struct limits l)
{
    struct err err = {""};
    static char came[DATA + 1];
    _Atomic uint64_t done = 0, of = 0;
    struct got g = {.steps = 0};
    struct os_file *const to = l.to ? l.to : os_open_unnamed(&err);
    const struct http_request r = {.url = url,
                                   .to = to,
                                   .most_bytes = l.most_bytes ? l.most_bytes : DATA,
                                   .quiet_ns = l.quiet_ns ? l.quiet_ns : PATIENCE_NS,
                                   .all_ns = l.all_ns ? l.all_ns : PATIENCE_NS,
                                   .done = &done,
                                   .of = &of,
                                   .progress = count_step,
                                   .arg = &g.steps};
    assert_non_null(to);
    g.result = http_get(h, &r, &err);
    snprintf(g.why, sizeof g.why, "%s", err.text);
    g.done = done;
    g.of = of;
    g.bytes = (uint64_t)os_read_at(to, came, sizeof came, 0, &err);
    g.is_same = g.bytes <= DATA && memcmp(came, data, (size_t)g.bytes) == 0;
    if (!l.to)
        os_close(to);
    return g;
}

static struct got get(const char *what, struct limits l)
{
    char url[128];
    struct err err;
    struct http *const h = http_new(&err);
    if (!h)
        fail_msg("%s", err.text);
    snprintf(url, sizeof url, "http://127.0.0.1:%s/%s", port, what);
    const struct got g = get_by(h, url, l);
    http_free(h);
    return g;
}

static const struct limits ANY = {0};

static void expect(struct got g, enum http_result result, const char *words)
{
    if (g.result != result)
        fail_msg("expected result %d, found %d: %s", (int)result, (int)g.result, g.why);
    has_words(g.why, words);
}

static void a_whole_file_comes(void **state)
{
    (void)state;
    static const char *const ways[] = {"files/data", "moved/data"};
    for (size_t i = 0; i < 2; i++) {
        const struct got g = get(ways[i], ANY);
        expect(g, HTTP_DONE, "");
        assert_int_equal(g.bytes, DATA);
        assert_true(g.is_same);
        assert_int_equal(g.done, DATA);
        assert_int_equal(g.of, DATA);
        assert_true(g.steps > 0);
    }
}

static void what_does_not_come_has_a_reason(void **state)
{
    (void)state;
    expect(get("files/nothing", ANY), HTTP_ABSENT, "the server answers 404");
    expect(get("broken/data", ANY), HTTP_FAILED, "the server answers 500");
    expect(get("away/data", ANY), HTTP_FAILED, "127.0.0.1");
    expect(get("files/data", (struct limits){.most_bytes = DATA - 1}), HTTP_TOO_LARGE,
           "larger than 299999 bytes");
    /* Where no size is announced, nothing tells a half from a whole. */
    struct got g = get("unsized/data", ANY);
    expect(g, HTTP_DONE, "");
    assert_int_equal(g.bytes, DATA / 2);
    assert_true(g.is_same);
    assert_int_equal(g.of, 0);
    expect(get("unsized/data", (struct limits){.most_bytes = 1000}), HTTP_TOO_LARGE,
           "larger than 1000 bytes");
    g = get("short/data", ANY);
    expect(g, HTTP_FAILED, "short/data: ");
    assert_true(g.is_same);
}

static void other_addresses_are_refused(void **state)
{
    (void)state;
    struct err err;
    struct http *const h = http_new(&err);
    expect(get_by(h, "file:///C:/windows/win.ini", ANY), HTTP_FAILED, "file:///C:");
    expect(get_by(h, "ftp://127.0.0.1/data", ANY), HTTP_FAILED, "ftp://127");
    expect(get_by(h, "http://127.0.0.1:1/data", ANY), HTTP_FAILED, "cannot connect");
    expect(get_by(h, "no address", ANY), HTTP_FAILED, "no address: error");
    http_free(h);
}

static void a_file_that_takes_nothing_is_named(void **state)
{
    (void)state;
    struct err err;
    struct os_file *const to = os_open(path_of("names.map"), &err);
    assert_non_null(to);
    expect(get("files/data", (struct limits){.to = to}), HTTP_NOT_WRITTEN, "names.map");
    os_close(to);
}

/* ---- servers that do not answer ----------------------------------------------------------------- */

static void a_silent_server_is_given_up(void **state)
{
    (void)state;
    expect(get("silent/data", (struct limits){.quiet_ns = SECOND / 20}), HTTP_FAILED,
           "the server sends nothing");
    expect(get("silent/data", (struct limits){.all_ns = SECOND / 20}), HTTP_FAILED,
           "the server takes too long");
}

static void cancel_soon(void *arg)
{
    os_sleep(SECOND / 20);
    http_cancel(arg);
}

static void what_runs_can_be_canceled(void **state)
{
    (void)state;
    char url[128];
    struct err err;
    struct http *const h = http_new(&err);
    struct os_thread *const thread = os_thread_start("cancel", cancel_soon, h);
    snprintf(url, sizeof url, "http://127.0.0.1:%s/silent/data", port);
    expect(get_by(h, url, ANY), HTTP_CANCELED, "canceled");
    os_thread_join(thread);
    snprintf(url, sizeof url, "http://127.0.0.1:%s/files/data", port);
    expect(get_by(h, url, ANY), HTTP_CANCELED, "canceled"); /* nothing begins any more */
    http_free(h);
}

/* ---- symbols ------------------------------------------------------------------------------------ */

static uint64_t rva_of_shown(void)
{
    return lld_map_rva(path_of("names.map"), "shown");
}

/* An image whose PDB is nowhere on this machine, and below www where a symbol server has it. */
static struct symbol_image put_pdb(void)
{
    struct blob b;
    struct pe p;
    struct err err = {""};
    char key[STORE_KEY], name[256];
    assert_true(blob_open(&b, path_of("names.dll"), &err));
    assert_true(pe_read(&p, &b, &err));
    blob_close(&b);
    const struct symbol_image i = {.system = SYMBOL_OF_WINDOWS,
                                   .path = "C:\\nowhere\\names.dll",
                                   .pdb_guid = p.pdb_guid,
                                   .pdb_age = p.pdb_age,
                                   .pdb = "C:\\nowhere\\names.pdb"};
    pe_fini(&p);
    store_pdb_key(&i, key);
    snprintf(name, sizeof name, "www\\names.pdb\\%s", key);
    assert_true(os_make_folders(path_of(name), &err));
    snprintf(name, sizeof name, "www\\names.pdb\\%s\\names.pdb", key);
    assert_true(CopyFileA(path_of("names.pdb"), path_of(name), FALSE));
    return i;
}

static void pdbs_are_downloaded_and_kept(void **state)
{
    (void)state;
    char url[128], cache[MAX_PATH];
    const char *const servers[] = {url};
    snprintf(cache, sizeof cache, "%s", path_of("cache"));
    snprintf(url, sizeof url, "http://127.0.0.1:%s/files", port);
    const struct symbol_image image = put_pdb();
    const struct symbol_options o = {
        .downloads = {.servers = servers, .server_count = 1, .cache = cache}};
    struct symbols *s = symbols_new(&o);
    const char *const name = ask(s, &image, rva_of_shown());
    if (strcmp(name, "shown") != 0)
        fail_msg("expected 'shown', found '%s': %s", name,
                 symbols_origin(s, symbols_image(s, &image)).why);
    has_words(symbols_origin(s, symbols_image(s, &image)).from, cache);
    symbols_free(s);
    /* The next time it is there, and no server is asked. */
    s = symbols_new(&(struct symbol_options){.downloads = {.cache = cache}});
    assert_string_equal(ask(s, &image, rva_of_shown()), "shown");
    symbols_free(s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_file_comes),
        cmocka_unit_test(what_does_not_come_has_a_reason),
        cmocka_unit_test(other_addresses_are_refused),
        cmocka_unit_test(a_file_that_takes_nothing_is_named),
        cmocka_unit_test(a_silent_server_is_given_up),
        cmocka_unit_test(what_runs_can_be_canceled),
        cmocka_unit_test(pdbs_are_downloaded_and_kept),
    };
    if (argc != 3)
        return 2;
    port = argv[1];
    folder = argv[2];
    FILE *const f = fopen(path_of("www\\data"), "rb");
    if (!f || fread(data, 1, DATA, f) != DATA)
        return 2;
    fclose(f);
    return cmocka_run_group_tests_name("download", tests, NULL, NULL);
}
