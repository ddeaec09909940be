/* Names of Windows' files, of material made here: a DLL with its PDB by clang and lld, whose map
 * of addresses says what is right. */
#include "tests/lld_map.h"
#include "tests/symbol_ask.h"
#include "tests/test.h"

#include "src/os/os.h"
#include "src/symbol/pdb.h"
#include "src/symbol/pe.h"
#include "src/symbol/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static bool run(const char *command)
{
    char line[4096];
    snprintf(line, sizeof line, "cd %s && { %s; } >log 2>&1", folder, command);
    return system(line) == 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* full: with debug information; plain: public symbols, the object file in one piece; apart: in
 * one piece per function. */
static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tracetop-pdb-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static bool has_files(void)
{
    static int made;
    if (made)
        return made > 0;
    const bool is_made = run(
        "cat > dll.c <<'EOF'\n"
        "static volatile int sink;\n"
        "__attribute__((noinline)) static int hidden(int n)\n"
        "{ for (int i = 0; i < n; i++) sink += i; return sink * 3; }\n"
        "__declspec(dllexport) __attribute__((noinline)) int shown(int n)\n"
        "{ return hidden(n) + hidden(n + 1); }\n"
        "__declspec(dllexport) int leaf(int n) { return n + 1; }\n"
        "int entry(void *h, unsigned why, void *r) { (void)h; (void)r; return why + shown(3) > 0; "
        "}\n"
        "EOF\n"
        "make_one() { clang --target=x86_64-pc-windows-msvc -O1 $2 -ffreestanding"
        " -fno-stack-protector -fasynchronous-unwind-tables -c dll.c -o $1.obj && lld-link /dll "
        "/nodefaultlib /debug"
        " /entry:entry /timestamp:0x5f5e1000 /map:$1.map /out:$1.dll /pdb:$1.pdb $1.obj; }\n"
        "make_one full '-g -gcodeview' && make_one plain '' && make_one apart -ffunction-sections");
    made = is_made ? 1 : -1;
    return is_made;
}

static const char *path_of(const char *name, const char *end)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, end);
    return path;
}

static uint64_t rva_of(const char *file, const char *name)
{
    return lld_map_rva(path_of(file, ".map"), name);
}

static const char *name_in(const struct pdb *p, uint64_t rva)
{
    static struct symbol_found found;
    return pdb_find(p, rva, &found) ? found.name : "-";
}

static struct pdb read_pdb(const char *name)
{
    struct blob b;
    struct err err = {""};
    struct pdb p;
    assert_true(blob_open(&b, path_of(name, ".pdb"), &err));
    if (!pdb_read(&p, &b, &err))
        fail_msg("%s", err.text);
    blob_close(&b);
    return p;
}

static void functions_of_modules_are_named(void **state)
{
    (void)state;
    if (!has_files())
        skip_for("no clang and lld-link that make Windows modules (packages clang, lld)");
    struct pdb p = read_pdb("full");
    static const char *const names[] = {"hidden", "shown", "leaf", "entry"};
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t rva = rva_of("full", names[i]);
        assert_string_equal(name_in(&p, rva), names[i]);
        assert_string_equal(name_in(&p, rva + 2), names[i]);
        assert_string_not_equal(name_in(&p, rva - 1), names[i]);
    }
    assert_string_equal(name_in(&p, 0), "-");
    assert_string_equal(name_in(&p, 0x3000), "-"); /* data */
    assert_string_equal(name_in(&p, UINT64_MAX), "-");
    pdb_fini(&p);
}

/* Without debug information nobody says where a static function is: it gets no other's name. */
static void public_symbols_do_not_reach_too_far(void **state)
{
    (void)state;
    char wanted[64];
    if (!has_files())
        skip_for("no clang and lld-link that make Windows modules (packages clang, lld)");
    struct pdb p = read_pdb("apart");
    assert_string_equal(name_in(&p, rva_of("apart", "shown") + 2), "shown");
    assert_string_equal(name_in(&p, rva_of("apart", "leaf")), "leaf");
    assert_string_equal(name_in(&p, rva_of("apart", "hidden")), "-");
    assert_string_equal(name_in(&p, rva_of("apart", "hidden") + 3), "-");
    pdb_fini(&p);
    p = read_pdb("plain");
    const uint64_t shown = rva_of("plain", "shown"), hidden = rva_of("plain", "hidden");
    assert_string_equal(name_in(&p, shown), "shown");
    snprintf(wanted, sizeof wanted, "shown+0x%llx", (unsigned long long)(hidden - shown));
    assert_string_equal(name_in(&p, hidden), wanted); /* which is true */
    pdb_fini(&p);
}

static void exports_are_named_by_function(void **state)
{
    (void)state;
    if (!has_files())
        skip_for("no clang and lld-link that make Windows modules (packages clang, lld)");
    struct blob b;
    struct pe p;
    struct err err = {""};
    assert_true(blob_open(&b, path_of("full", ".dll"), &err));
    if (!pe_read(&p, &b, &err))
        fail_msg("%s", err.text);
    blob_close(&b);
    assert_int_equal(p.stamp, 0x5f5e1000);
    struct symbol_found found;
    const uint64_t shown = rva_of("full", "shown");
    assert_true(symbol_table_find(&p.exports, shown + 3, &found));
    assert_string_equal(found.name, "shown");
    assert_false(symbol_table_find(&p.exports, rva_of("full", "hidden") + 3, &found));
    struct pdb pdb = read_pdb("full"); /* and it says which PDB is its own */
    assert_memory_equal(&p.pdb_guid, &pdb.guid, sizeof pdb.guid);
    assert_int_equal(p.pdb_age, pdb.age);
    pdb_fini(&pdb);
    pe_fini(&p);
}

/* ---- the way through the store ------------------------------------------------------------- */

static void stores_are_searched(void **state)
{
    (void)state;
    if (!has_files())
        skip_for("no clang and lld-link that make Windows modules (packages clang, lld)");
    struct pdb p = read_pdb("full");
    const uint8_t *const g = p.guid.b;
    char key[64], command[512], search[512];
    int used = snprintf(key, sizeof key, "%02X%02X%02X%02X%02X%02X%02X%02X", g[3], g[2], g[1], g[0],
                        g[5], g[4], g[7], g[6]);
    for (unsigned i = 8; i < 16; i++)
        used += snprintf(key + used, sizeof key - (size_t)used, "%02X", g[i]);
    snprintf(key + used, sizeof key - (size_t)used, "%X", p.age);
    snprintf(command, sizeof command,
             "mkdir -p store/full.pdb/%s flat wrong && cp full.pdb store/full.pdb/%s/ &&"
             "cp full.pdb flat/ && cp plain.pdb wrong/full.pdb &&"
             "mkdir -p bin/full.dll/5F5E10005000 && cp full.dll bin/full.dll/5F5E10005000/ &&"
             "cp full.dll wrong/full.dll",
             key, key);
    assert_true(run(command));
    struct symbol_image image = {.system = SYMBOL_OF_WINDOWS,
                                 .path = "\\Device\\HarddiskVolume3\\x\\FULL.dll",
                                 .pdb = "C:\\build\\full.pdb",
                                 .pdb_guid = p.guid,
                                 .pdb_age = p.age};
    static const struct {
        const char *path;
        const char *name;
    } paths[] = {
        {"%s/flat", "hidden"},
        {"%s/store", "hidden"},
        {"srv*%s/store*https://msdl.example/download", "hidden"},
        {"SRV*%s/none*%s/store", "hidden"},
        {"cache*%s/store", "hidden"},
        {"symsrv*symsrv.dll*%s/store*http://x", "hidden"},
        {"%s/wrong", "-"},
        {"%s/wrong;;%s/none;%s/flat", "hidden"},
        {"http://x/y", "-"},
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(search, sizeof search, paths[i].path, folder, folder, folder);
#pragma GCC diagnostic pop
        struct symbols *const s = symbols_new(&(struct symbol_options){.path = search});
        const char *const name = ask(s, &image, rva_of("full", "hidden"));
        if (strcmp(name, paths[i].name) != 0)
            fail_msg("%s: expected %s, found %s (%s)", search, paths[i].name, name,
                     symbols_origin(s, symbols_image(s, &image)).why);
        symbols_free(s);
    }
    /* What is wrong about the only one that is there is said. */
    snprintf(search, sizeof search, "%s/wrong", folder);
    struct symbols *s = symbols_new(&(struct symbol_options){.path = search});
    ask(s, &image, 0x1000);
    assert_non_null(strstr(symbols_origin(s, symbols_image(s, &image)).why, "expected the PDB"));
    symbols_free(s);
    s = symbols_new(&(struct symbol_options){0});
    ask(s, &image, 0x1000);
    assert_non_null(strstr(symbols_origin(s, symbols_image(s, &image)).why, "name its folder"));
    symbols_free(s);
    /* The path in a record is no path to open. */
    image.pdb = image.path = "..";
    s = symbols_new(&(struct symbol_options){.path = search});
    assert_string_equal(ask(s, &image, 0x1000), "-");
    symbols_free(s);
    pdb_fini(&p);
}

static void files_themselves_are_searched(void **state)
{
    (void)state;
    if (!has_files())
        skip_for("no clang and lld-link that make Windows modules (packages clang, lld)");
    struct blob b;
    struct pe p;
    char search[512], command[512];
    assert_true(blob_open(&b, path_of("full", ".dll"), NULL));
    assert_true(pe_read(&p, &b, NULL));
    blob_close(&b);
    snprintf(command, sizeof command,
             "mkdir -p exe/full.dll/%08X%x && cp full.dll exe/full.dll/%08X%x", p.stamp,
             p.image_size, p.stamp, p.image_size);
    assert_true(run(command));
    snprintf(search, sizeof search, "srv*%s/exe", folder);
    struct symbol_image image = {.system = SYMBOL_OF_WINDOWS,
                                 .path = "C:\\x\\full.dll",
                                 .stamp = p.stamp,
                                 .image_size = p.image_size};
    struct symbols *const s = symbols_new(&(struct symbol_options){.path = search});
    assert_string_equal(ask(s, &image, rva_of("full", "shown")), "shown");
    image.stamp++; /* another build */
    snprintf(search, sizeof search, "%s", folder);
    assert_string_equal(ask(s, &image, rva_of("full", "shown")), "-");
    symbols_free(s);
    struct symbols *const other = symbols_new(&(struct symbol_options){.path = search});
    assert_string_equal(ask(other, &image, rva_of("full", "shown")), "-");
    assert_non_null(
        strstr(symbols_origin(other, symbols_image(other, &image)).why, "expected time stamp"));
    symbols_free(other);
    pe_fini(&p);
}

/* ---- hostile bytes -------------------------------------------------------------------------- */

/* Every 7th prefix, from memory of exactly that size, and every word turned. */
static void damage_is_survived(void **state)
{
    (void)state;
    if (!has_files())
        skip_for("no clang and lld-link that make Windows modules (packages clang, lld)");
    static const char *const files[] = {"full.pdb", "full.dll"};
    for (unsigned n = 0; n < 2; n++) {
        struct blob b, part;
        struct pdb pdb;
        struct pe pe;
        assert_true(blob_open(&b, path_of(files[n], ""), NULL));
        uint8_t *const whole = blob_copy(&b, b.bytes, 0, 1 << 20);
        const size_t bytes = (size_t)b.bytes;
        blob_close(&b);
        for (size_t end = 0; end < bytes; end += end < 600 ? 7 : 997) {
            uint8_t *const cut = malloc(end + 1);
            memcpy(cut, whole, end);
            part = blob_of(cut, end);
            if (pdb_read(&pdb, &part, NULL))
                pdb_fini(&pdb);
            if (pe_read(&pe, &part, NULL))
                pe_fini(&pe);
            free(cut);
        }
        for (size_t at = 0; at + 4 < bytes; at += bytes / 1500 + 1) {
            uint32_t old;
            memcpy(&old, whole + at, 4);
            memset(whole + at, 0xff, 4);
            part = blob_of(whole, bytes);
            if (pdb_read(&pdb, &part, NULL))
                pdb_fini(&pdb);
            if (pe_read(&pe, &part, NULL))
                pe_fini(&pe);
            memcpy(whole + at, &old, 4);
        }
        free(whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_modules_are_named),
        cmocka_unit_test(public_symbols_do_not_reach_too_far),
        cmocka_unit_test(exports_are_named_by_function),
        cmocka_unit_test(stores_are_searched),
        cmocka_unit_test(files_themselves_are_searched),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
