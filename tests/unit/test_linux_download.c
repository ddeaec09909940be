/* Symbol files from servers: a web server of this test's own has them, cuts them short, has others,
 * or says nothing. */
#include "tests/lld_map.h"
#include "tests/test.h"

#include "src/os/cache_file.h"
#include "src/os/http.h"
#include "src/symbol/build_id.h"
#include "src/symbol/download_name.h"
#include "src/symbol/pdb.h"
#include "src/symbol/server.h"
#include "src/symbol/store.h"
#include "src/symbol/symbol.h"
#include "tests/symbol_ask.h"
#include "tests/unit/web_server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char folder[64], cache[96], www[96];
static struct web_server server;

static bool run(const char *command)
{
    char line[4096];
    snprintf(line, sizeof line, "cd %s && { %s; } >>log 2>&1", folder, command);
    return system(line) == 0;
}

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool has_library(void)
{
    struct http *const h = http_new(NULL);
    http_free(h);
    return h != NULL;
}

static void needs_library(void)
{
    if (!has_library())
        skip_for("no libcurl (package libcurl4)");
}

/* Each test begins with an empty cache and a server of its own. */
static int begin(void **state)
{
    (void)state;
    run("rm -rf cache www; mkdir www");
    web_start(&server, www);
    return 0;
}

static int end(void **state)
{
    (void)state;
    web_stop(&server);
    return 0;
}

/* ---- the files ----------------------------------------------------------------------------- */

static bool make_pdb(void)
{
    static int made;
    if (!made)
        made =
            run("cat > dll.c <<'EOF'\n"
                "__declspec(dllexport) __attribute__((noinline)) int shown(int n) { return n * 3; "
                "}\n"
                "int entry(void *h, unsigned why, void *r) { (void)h; (void)r; return shown(why); "
                "}\n"
                "EOF\n"
                "for n in full other; do clang --target=x86_64-pc-windows-msvc -O1 -g -gcodeview "
                "-ffreestanding -fno-stack-protector -c dll.c -o $n.obj && lld-link /dll "
                "/nodefaultlib "
                "/debug /entry:entry /map:$n.map /out:$n.dll /pdb:$n.pdb $n.obj || exit; done")
                ? 1
                : -1;
    return made > 0;
}

static uint64_t rva_of_shown(void)
{
    return lld_map_rva(in_folder("full.map"), "shown");
}

/* The image of full.dll; its PDB lies below www where a symbol server has it. */
static struct symbol_image put_pdb(void)
{
    static struct symbol_image image;
    struct blob b;
    char key[STORE_KEY], command[512];
    image = (struct symbol_image){
        .system = SYMBOL_OF_WINDOWS, .path = "C:\\x\\full.dll", .pdb = "D:\\build\\full.pdb"};
    assert_true(blob_open(&b, in_folder("full.pdb"), NULL));
    assert_true(pdb_identify(&b, &image.pdb_guid, &image.pdb_age, NULL));
    blob_close(&b);
    store_pdb_key(&image, key);
    snprintf(command, sizeof command,
             "mkdir -p www/full.pdb/%s && cp full.pdb www/full.pdb/%s/ && cp other.pdb www/other",
             key, key);
    assert_true(run(command));
    return image;
}

#define NEEDS_PDB                                                                                  \
    needs_library();                                                                               \
    if (!make_pdb())                                                                               \
    skip_for("no clang and lld-link that make Windows modules (packages clang, lld)")

/* ---- asking ----------------------------------------------------------------------------------- */

static char server_url[128];
static const char *const servers[] = {server_url};

static struct symbol_options options_for(const char *how)
{
    snprintf(server_url, sizeof server_url, "http://127.0.0.1:%u/%s", server.port, how);
    return (struct symbol_options){
        .downloads = {.servers = servers, .server_count = 1, .cache = cache}};
}

static const char *why(struct symbols *s, const struct symbol_image *i)
{
    return symbols_origin(s, symbols_image(s, i)).why;
}

static void has_words(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("expected '%s' in '%s'", words, text);
}

static void expect_refusal(const struct symbol_options *o, const char *words)
{
    const struct symbol_image image = put_pdb();
    struct symbols *const s = symbols_new(o);
    assert_string_equal(ask(s, &image, rva_of_shown()), "-");
    has_words(why(s, &image), words);
    assert_int_equal(cache_use(cache).files, 0);
    symbols_free(s);
}

/* ---- PDBs ------------------------------------------------------------------------------------ */

static void pdbs_are_downloaded_and_kept(void **state)
{
    (void)state;
    NEEDS_PDB;
    struct symbol_options o = options_for("files");
    const struct symbol_image image = put_pdb();
    struct symbols *s = symbols_new(&o);
    assert_string_equal(ask(s, &image, rva_of_shown()), "shown");
    has_words(symbols_origin(s, symbols_image(s, &image)).from, cache);
    assert_string_equal(why(s, &image), "");
    symbols_free(s);
    assert_int_equal(server.requests, 1);
    assert_true(
        run("test -f cache/full.pdb/*/full.pdb && test $(stat -c %a cache/full.pdb) = 700 &&"
            "test -z \"$(find cache -name '*.partial')\""));
    /* The next time it is there, whether a server may be asked or not. */
    s = symbols_new(&(struct symbol_options){.downloads = {.cache = cache}});
    assert_string_equal(ask(s, &image, rva_of_shown()), "shown");
    symbols_free(s);
    assert_int_equal(server.requests, 1);
}

/* Images of the same build are one file. */
static void all_who_wait_get_the_answer(void **state)
{
    (void)state;
    NEEDS_PDB;
    struct symbol_options o = options_for("moved");
    struct symbol_image first = put_pdb(), second = first;
    second.path = "C:\\y\\full.dll";
    struct symbols *const s = symbols_new(&o);
    symbols_at(s, symbols_image(s, &first), rva_of_shown());
    symbols_at(s, symbols_image(s, &first), 1);
    symbols_at(s, symbols_image(s, &second), rva_of_shown());
    assert_string_equal(ask(s, &second, rva_of_shown()), "shown");
    assert_string_equal(ask(s, &first, rva_of_shown()), "shown");
    assert_string_equal(ask(s, &first, 1), "-");
    assert_int_equal(symbols_figures(s).asked, symbols_figures(s).answered);
    symbols_free(s);
    assert_int_equal(server.requests, 2); /* and the one that it was moved to */
}

static void what_no_server_has_is_asked_for_once(void **state)
{
    (void)state;
    NEEDS_PDB;
    struct symbol_options o = options_for("files");
    struct symbol_image image = put_pdb();
    image.pdb_age++;
    struct symbols *const s = symbols_new(&o);
    assert_string_equal(ask(s, &image, rva_of_shown()), "-");
    assert_string_equal(ask(s, &image, 1), "-");
    image.path = "C:\\y\\full.dll";
    assert_string_equal(ask(s, &image, 1), "-");
    has_words(why(s, &image), "no symbol server has it");
    assert_int_equal(server.requests, 1);
    symbols_free(s);
}

static void only_the_whole_file_of_this_build_counts(void **state)
{
    (void)state;
    NEEDS_PDB;
    struct symbol_options o = options_for("wrong");
    expect_refusal(&o, "expected the PDB");
    o = options_for("short");
    expect_refusal(&o, "full.pdb");
    o = options_for("unsized");
    expect_refusal(&o, "full.pdb: ");
    o = options_for("files");
    o.downloads.most_bytes = 1000;
    expect_refusal(&o, "larger than 1000 bytes");
    o.downloads.most_bytes = 0;
    o = options_for("broken");
    expect_refusal(&o, "the server answers 500");
}

/* A redirection leads to web servers only. */
static void redirections_stay_on_the_web(void **state)
{
    (void)state;
    NEEDS_PDB;
    struct symbol_options o = options_for("away");
    expect_refusal(&o, "127.0.0.1");
    assert_int_equal(server.requests, 1);
}

static void links_in_the_cache_are_not_followed(void **state)
{
    (void)state;
    NEEDS_PDB;
    const struct symbol_options o = options_for("files");
    const struct symbol_image image = put_pdb();
    assert_true(run("mkdir -p cache elsewhere && ln -s ../elsewhere cache/full.pdb"));
    struct symbols *const s = symbols_new(&o);
    assert_string_equal(ask(s, &image, rva_of_shown()), "-");
    has_words(why(s, &image), "a link or a file is in its way");
    symbols_free(s);
    assert_true(run("test -z \"$(ls elsewhere)\""));
}

/* ---- servers that do not answer ------------------------------------------------------------------ */

static void a_silent_server_is_left_alone(void **state)
{
    (void)state;
    NEEDS_PDB;
    struct symbol_options o = options_for("silent");
    o.downloads.quiet_ns = 20000000;
    struct symbol_image image = put_pdb();
    struct symbols *s = symbols_new(&o);
    assert_string_equal(ask(s, &image, 1), "-");
    has_words(why(s, &image), "the server sends nothing");
    image.pdb_age++;
    assert_string_equal(ask(s, &image, 1), "-");
    has_words(why(s, &image), "left alone");
    symbols_free(s);
    assert_true(server.requests <= 1); /* none where it was given up before that came */
}

/* The end of the program does not wait for it: that this returns is the test. */
static void the_end_waits_for_no_server(void **state)
{
    (void)state;
    NEEDS_PDB;
    struct symbol_options o = options_for("silent");
    o.downloads.quiet_ns = PATIENCE_NS * 2;
    const struct symbol_image image = put_pdb();
    struct symbols *const s = symbols_new(&o);
    const uint32_t number = symbols_image(s, &image);
    const int64_t until = os_now() + PATIENCE_NS;
    symbols_at(s, number, 1);
    while (!atomic_load(&server.requests) || !symbols_progress(s).title[0]) {
        symbols_take(s);
        assert_true(os_now() < until);
        os_sleep(1000000);
    }
    assert_string_equal(symbols_progress(s).title, "full.pdb");
    assert_int_equal(symbols_at(s, number, 1).state, SYMBOL_ASKED);
    symbols_free(s);
    assert_true(os_now() < until);
    assert_int_equal(cache_use(cache).files, 0);
}

/* ---- ELF files ------------------------------------------------------------------------------------ */

static bool make_program(void)
{
    static int made;
    if (!made)
        made = run("cat > prog.c <<'EOF'\n"
                   "__attribute__((noinline)) static int hidden(int n) { return n * 3; }\n"
                   "int main(int c, char **v) { (void)v; return hidden(c); }\nEOF\n"
                   "cc -g -O1 -fno-inline -Wl,--build-id=sha1 -o prog prog.c && nm prog > names &&"
                   "objcopy --only-keep-debug prog prog.debug && objcopy --strip-all prog stripped")
                   ? 1
                   : -1;
    return made > 0;
}

static struct symbol_image put_program(const char *name)
{
    static char path[256];
    struct symbol_image image = {.system = SYMBOL_OF_ELF, .path = path};
    snprintf(path, sizeof path, "%s", name);
    struct build_id id;
    char hex[64], command[512];
    const int fd = open(in_folder("prog"), O_RDONLY);
    assert_true(build_id_of_file(fd, &id));
    close(fd);
    memcpy(image.build, id.bytes, id.count);
    image.build_bytes = (uint8_t)id.count;
    for (size_t i = 0; i < id.count; i++)
        sprintf(hex + 2 * i, "%02x", id.bytes[i]);
    snprintf(command, sizeof command,
             "mkdir -p www/buildid/%s && cp prog.debug www/buildid/%s/debuginfo &&"
             "cp stripped www/buildid/%s/executable",
             hex, hex, hex);
    assert_true(run(command));
    return image;
}

/* Text is where its file has it: the linker's layout of a small program. */
static uint64_t offset_of_hidden(void)
{
    char line[512], name[256];
    unsigned long long address, found = 0;
    FILE *const f = fopen(in_folder("names"), "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%llx %*c %255s", &address, name) == 2 && strcmp(name, "hidden") == 0)
            found = address;
    fclose(f);
    return found;
}

static void debug_files_come_by_build_id(void **state)
{
    (void)state;
    needs_library();
    if (!make_program())
        skip_for("no cc and objcopy");
    struct symbol_options o = options_for("files");
    struct symbol_image image = put_program(in_folder("stripped"));
    struct symbols *s = symbols_new(&o);
    const char *const name = ask(s, &image, offset_of_hidden());
    if (strcmp(name, "hidden") != 0)
        fail_msg("expected hidden, found %s (%s)", name, why(s, &image));
    assert_int_equal(server.requests, 1);
    struct symbol_line lines[SYMBOL_INLINED];
    enum symbol_state is;
    while (symbols_lines(s, symbols_image(s, &image), offset_of_hidden(), lines, &is),
           is == SYMBOL_ASKED)
        symbols_take(s);
    assert_int_equal(is, SYMBOL_FOUND);
    symbols_free(s);
    assert_true(run("test -f cache/.build-id/*/*.debug && rm -r cache"));
    /* A program of another machine: first itself, then its debug file. */
    image = put_program("/gone/prog");
    s = symbols_new(&o);
    assert_string_equal(ask(s, &image, offset_of_hidden()), "hidden");
    assert_int_equal(server.requests, 3);
    image.build[19] ^= 1;
    assert_string_equal(ask(s, &image, offset_of_hidden()), "-");
    symbols_free(s);
    /* Another's debug file under its build id, and one that is cut short where it does not show. */
    assert_true(run("rm -r cache; cp prog.debug www/other"));
    o = options_for("wrong");
    s = symbols_new(&o);
    assert_string_equal(ask(s, &image, offset_of_hidden()), "-");
    has_words(why(s, &image), "another build id");
    symbols_free(s);
    image.build[19] ^= 1;
    o = options_for("unsized");
    s = symbols_new(&o);
    assert_string_equal(ask(s, &image, offset_of_hidden()), "-");
    has_words(why(s, &image), "expected section headers");
    symbols_free(s);
    assert_int_equal(cache_use(cache).files, 0);
}

/* ---- who is asked, and for what --------------------------------------------------------------------- */

static void nothing_is_downloaded_by_default(void **state)
{
    (void)state;
    NEEDS_PDB;
    char path[256];
    const struct symbol_image image = put_pdb();
    snprintf(path, sizeof path, "srv*%s*http://127.0.0.1:%u/files", cache, server.port);
    setenv("_NT_SYMBOL_PATH", path, 1);
    struct symbol_options o = {.path = path, .downloads = {.cache = cache}};
    struct symbols *s = symbols_new(&o);
    assert_string_equal(ask(s, &image, rva_of_shown()), "-");
    has_words(why(s, &image), "--symbol-server can download it");
    symbols_free(s);
    assert_int_equal(server.requests, 0);
    /* The user named the path himself, or said that the environment's counts. */
    o.downloads.asks_path = true;
    s = symbols_new(&o);
    assert_string_equal(ask(s, &image, rva_of_shown()), "shown");
    symbols_free(s);
    assert_true(run("rm -r cache"));
    static const char *const by_environment[] = {"env"};
    s = symbols_new(
        &(struct symbol_options){.downloads = {.servers = by_environment, .server_count = 1}});
    assert_string_equal(ask(s, &image, rva_of_shown()), "shown");
    symbols_free(s);
    unsetenv("_NT_SYMBOL_PATH");
    assert_int_equal(server.requests, 2);
    assert_int_equal(cache_use(cache).files, 1);
}

static void servers_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *url, *folder; /* of the last; NULL: an error */
        size_t count;
    } rows[] = {
        {"https://a.example", "https://a.example", "", 1},
        {"HTTPS://a.example/x/ ; http://b:8002//", "http://b:8002", "", 2},
        {"srv*https://a.example", "https://a.example", "", 1},
        {"SRV*C:\\symbols*\\\\share\\x*https://a.example/d", "https://a.example/d", "C:\\symbols",
         1},
        {"symsrv*symsrv.dll*/s*http://a", "http://a", "/s", 1},
        {"https://a https://a/", "https://a", "", 1},
        {"srv*/folder", NULL, NULL, 0},
        {"ftp://a", NULL, NULL, 0},
        {"file:///etc/passwd", NULL, NULL, 0},
        {"a.example", NULL, NULL, 0},
        {"https://", NULL, NULL, 0},
        {"https:///x", NULL, NULL, 0},
        {"https://u:p@a/x", NULL, NULL, 0},
        {"https://a/?x=", NULL, NULL, 0},
        {"https://a/\x01", NULL, NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct symbol_servers s = {.count = 0};
        struct err err = {""};
        const bool is_read = symbol_servers_add(&s, rows[i].text, &err);
        if (is_read != (rows[i].url != NULL) || s.count != rows[i].count)
            fail_msg("%s: %zu servers (%s)", rows[i].text, s.count, err.text);
        if (!is_read)
            continue;
        assert_string_equal(s.list[s.count - 1].url, rows[i].url);
        assert_string_equal(s.list[s.count - 1].folder, rows[i].folder);
    }
    setenv("DEBUGINFOD_URLS", "https://debuginfod.example ftp://x https://b", 1);
    struct symbol_servers s = {.count = 0};
    assert_true(symbol_servers_add(&s, "env", NULL));
    assert_int_equal(s.count, 2);
    unsetenv("DEBUGINFOD_URLS");
    for (int i = 0; i < 40; i++) {
        char url[64];
        snprintf(url, sizeof url, "https://s%d", i);
        assert_true(symbol_servers_add(&s, url, NULL));
    }
    assert_int_equal(s.count, SERVERS);
}

/* A name in a trace is neither a path here nor one there. */
static void names_of_traces_are_no_paths(void **state)
{
    (void)state;
    static const struct {
        const char *pdb, *url; /* its beginning; NULL: nobody is asked */
    } rows[] = {
        {"C:\\b\\ntdll.pdb", "ntdll.pdb/"},
        {"/b/x.PDB", "x.PDB/"},
        {"..\\..\\x.pdb", "x.pdb/"},
        {"a b+c.pdb", "a%20b%2Bc.pdb/"},
        {"%2e%2e%2fx.pdb", "%252e%252e%252fx.pdb/"},
        {"\xc3\xa4.pdb", "%C3%A4.pdb/"},
        {"x.pdb#y.pdb", "x.pdb%23y.pdb/"},
        {"..", NULL},
        {".pdb", NULL},
        {"..pdb", NULL},
        {"x\\..", NULL},
        {"con.pdb", NULL},
        {"x.exe", NULL},
        {"a?b.pdb", NULL},
        {"a\nb.pdb", NULL},
        {"x.pdb.", NULL},
        {"x/", NULL},
        {"0123456789012345678901234567890123456789012345678901234567890123456789"
         "0123456789012345678901234567890123456789.pdb",
         NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct symbol_image image = {
            .system = SYMBOL_OF_WINDOWS, .path = "x", .pdb = rows[i].pdb};
        struct download_name n;
        struct err err = {""};
        const bool is_name = download_name(SYMBOL_LACKS_PDB, &image, &n, &err);
        if (is_name != (rows[i].url != NULL) ||
            (is_name && strncmp(n.url, rows[i].url, strlen(rows[i].url)) != 0))
            fail_msg("%s: %s (%s)", rows[i].pdb, is_name ? n.url : "-", err.text);
        assert_true(is_name || err.text[0]);
        assert_true(!is_name || (!strstr(n.path, "..") && n.path[0] != '/'));
    }
    struct symbol_image image = {.system = SYMBOL_OF_ELF, .path = "/x", .build_bytes = 4};
    struct download_name n;
    assert_false(download_name(SYMBOL_LACKS_DEBUG_FILE, &image, &n, NULL));
    image.build_bytes = 20;
    image.build[0] = 0xab;
    assert_true(download_name(SYMBOL_LACKS_DEBUG_FILE, &image, &n, NULL));
    assert_string_equal(n.url, "buildid/ab00000000000000000000000000000000000000/debuginfo");
    assert_string_equal(n.path, ".build-id/ab/00000000000000000000000000000000000000.debug");
}

/* ---- certificates and libraries ------------------------------------------------------------------------ */

/* A server whose certificate nobody signed but itself. */
static void certificates_must_be_valid(void **state)
{
    (void)state;
    needs_library();
    if (!run("openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 "
             "-subj /CN=localhost -addext subjectAltName=DNS:localhost"))
        skip_for("no openssl (package openssl)");
    int out[2];
    char line[256], url[64];
    assert_int_equal(pipe(out), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(out[1], STDOUT_FILENO);
        if (chdir(folder) == 0)
            execlp("openssl", "openssl", "s_server", "-accept", "0", "-key", "key.pem", "-cert",
                   "cert.pem", "-WWW", "-naccept", "9", (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    FILE *const said = fdopen(out[0], "r");
    unsigned port = 0;
    while (!port && fgets(line, sizeof line, said)) {
        const char *const colon = strrchr(line, ':');
        if (strncmp(line, "ACCEPT", 6) == 0 && colon)
            port = (unsigned)strtoul(colon + 1, NULL, 10);
    }
    snprintf(url, sizeof url, "https://localhost:%u/log", port);
    struct err err = {""};
    _Atomic uint64_t done = 0, of = 0;
    struct os_file *const to = os_open_unnamed(NULL);
    struct http *const h = http_new(NULL);
    const struct http_request r = {.url = url,
                                   .to = to,
                                   .most_bytes = 1 << 20,
                                   .quiet_ns = PATIENCE_NS,
                                   .all_ns = PATIENCE_NS,
                                   .done = &done,
                                   .of = &of};
    const enum http_result result = port ? http_get(h, &r, &err) : HTTP_FAILED;
    http_free(h);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    fclose(said);
    assert_int_not_equal(port, 0);
    assert_int_equal(result, HTTP_FAILED);
    has_words(err.text, "certificate");
    assert_int_equal(os_size(to), 0);
    os_close(to);
}

/* In a process of its own, where files that are no libraries stand in their place. */
static void without_the_library_there_is_a_message(void **state)
{
    (void)state;
    char self[512] = "", command[2048];
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(command, sizeof command,
             "mkdir -p none && echo no > none/libcurl.so.4 && echo no > none/libcurl-gnutls.so.4 &&"
             "LD_LIBRARY_PATH=%s/none %s without-library",
             folder, self);
    assert_true(run(command));
}

static int say_without_library(void)
{
    struct err err = {""};
    struct http *const h = http_new(&err);
    return !h && strstr(err.text, "install the package libcurl4") ? 0 : 1;
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tracetop-web-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(cache, sizeof cache, "%s/cache", folder);
    snprintf(www, sizeof www, "%s/www", folder);
    static const char *const proxies[] = {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY",
                                          "HTTPS_PROXY"};
    for (size_t i = 0; i < sizeof proxies / sizeof *proxies; i++)
        unsetenv(proxies[i]);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "without-library") == 0)
        return say_without_library();
    const struct CMUnitTest tests[] = {
        WITH_SERVER(pdbs_are_downloaded_and_kept),
        WITH_SERVER(all_who_wait_get_the_answer),
        WITH_SERVER(what_no_server_has_is_asked_for_once),
        WITH_SERVER(only_the_whole_file_of_this_build_counts),
        WITH_SERVER(redirections_stay_on_the_web),
        WITH_SERVER(links_in_the_cache_are_not_followed),
        WITH_SERVER(a_silent_server_is_left_alone),
        WITH_SERVER(the_end_waits_for_no_server),
        WITH_SERVER(debug_files_come_by_build_id),
        WITH_SERVER(nothing_is_downloaded_by_default),
        cmocka_unit_test(servers_are_read),
        cmocka_unit_test(names_of_traces_are_no_paths),
        cmocka_unit_test(certificates_must_be_valid),
        cmocka_unit_test(without_the_library_there_is_a_message),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
