/* Names by the system's dbghelp (src/symbol/dbghelp_windows.c), asked without the backends that
 * come before it: of modules that clang and lld made, whose maps of addresses say what is right.
 *
 * usage: symbols.exe FOLDER, which holds names.dll, names.pdb, names.map and in other/ the same of
 * another build */
#include "tests/lld_map.h"
#include "tests/test.h"

#include "src/os/blob.h"
#include "src/symbol/backends.h"
#include "src/symbol/pe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

static const char *folder;
static _Atomic bool stop;

static const char *path_of(const char *name)
{
    static char path[2][MAX_PATH];
    static unsigned turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s\\%s", folder, name);
    return path[turn];
}

static uint64_t rva_of(const char *name)
{
    return lld_map_rva(path_of("names.map"), name);
}

/* An image as in the kernel's event; `path` is the path in that event. */
static struct symbol_image image_of(const char *file, const char *path)
{
    struct blob b;
    struct pe p;
    struct err err = {""};
    assert_true(blob_open(&b, path_of(file), &err));
    assert_true(pe_read(&p, &b, &err));
    blob_close(&b);
    const struct symbol_image i = {.system = SYMBOL_OF_WINDOWS,
                                   .is_live = true,
                                   .path = path,
                                   .stamp = p.stamp,
                                   .image_size = p.image_size,
                                   .pdb_guid = p.pdb_guid,
                                   .pdb_age = p.pdb_age,
                                   .pdb = "C:\\nowhere\\names.pdb"};
    pe_fini(&p);
    return i;
}

struct opened {
    void *handle;
    char from[SYMBOL_NAME_MAX];
    size_t bytes;
    struct err why;
};

static struct opened open_it(const struct symbol_image *i, const char *search)
{
    const struct symbol_search s = {.path = search, .stop = &stop};
    struct opened o = {.handle = NULL};
    assert_true(symbol_dbghelp.claims(i));
    o.handle = symbol_dbghelp.open(&s, i, o.from, &o.bytes, &o.why);
    return o;
}

static const char *name_at(const struct opened *o, uint64_t rva)
{
    static struct symbol_found found;
    return symbol_dbghelp.find(o->handle, rva, &found) ? found.name : "-";
}

static void functions_are_named(void **state)
{
    (void)state;
    const struct symbol_image image = image_of("names.dll", path_of("names.dll"));
    struct opened o = open_it(&image, folder);
    if (!o.handle)
        fail_msg("%s", o.why.text);
    static const char *const names[] = {"hidden", "shown", "leaf", "entry"};
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t rva = rva_of(names[i]);
        struct symbol_found found;
        assert_string_equal(name_at(&o, rva), names[i]);
        assert_string_equal(name_at(&o, rva + 2), names[i]);
        assert_string_not_equal(name_at(&o, rva - 1), names[i]);
        assert_true(symbol_dbghelp.find(o.handle, rva + 2, &found));
        assert_int_equal(found.start, rva);
        assert_true(found.size > 2);
    }
    assert_string_equal(name_at(&o, 0), "-");
    assert_non_null(strstr(o.from, "names.pdb"));
    assert_string_equal(o.why.text, "");
    assert_true(o.bytes >= 4096);
    symbol_dbghelp.close(o.handle);
}

static void lines_are_reported(void **state)
{
    (void)state;
    const struct symbol_image image = image_of("names.dll", path_of("names.dll"));
    struct opened o = open_it(&image, folder);
    assert_non_null(o.handle);
    struct symbol_place places[SYMBOL_INLINED];
    const unsigned count = symbol_dbghelp.places(o.handle, rva_of("leaf"), places);
    assert_true(count >= 1);
    assert_string_equal(places[count - 1].function, "leaf");
    assert_non_null(strstr(places[count - 1].file, "names.c"));
    assert_int_equal(places[count - 1].line, 6);
    symbol_dbghelp.close(o.handle);
}

/* Into the system's folder, which is on a drive of this machine. */
static void copy(const char *file, bool is_there)
{
    WCHAR from[MAX_PATH], to[MAX_PATH];
    MultiByteToWideChar(CP_UTF8, 0, path_of(file), -1, from, MAX_PATH);
    GetSystemWindowsDirectoryW(to, MAX_PATH);
    wcscat(to, L"\\tracetop-names.dll");
    assert_true(is_there ? CopyFileW(from, to, FALSE) : DeleteFileW(to));
}

/* Kernel modules have paths of their own; they come from this machine's system folder. */
static void modules_of_the_kernel_are_found(void **state)
{
    (void)state;
    static const char *const paths[] = {"\\SystemRoot\\tracetop-names.dll",
                                        "\\Windows\\tracetop-names.dll",
                                        "\\??\\C:\\windows\\tracetop-names.dll"};
    copy("names.dll", true);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const struct symbol_image image = image_of("names.dll", paths[i]);
        struct opened o = open_it(&image, folder);
        if (!o.handle)
            fail_msg("%s: %s", paths[i], o.why.text);
        assert_string_equal(name_at(&o, rva_of("hidden")), "hidden");
        symbol_dbghelp.close(o.handle);
    }
    copy("names.dll", false);
}

static void expect_refusal(const struct symbol_image *i, const char *search, const char *sentence)
{
    struct opened o = open_it(i, search);
    if (o.handle || !strstr(o.why.text, sentence))
        fail_msg("%s: expected '%s', found %s '%s'", search, sentence, o.handle ? "names" : "",
                 o.why.text);
}

static void another_build_gives_no_names(void **state)
{
    (void)state;
    copy("other\\names.dll", true);
    struct symbol_image image = image_of("names.dll", "\\SystemRoot\\tracetop-names.dll");
    expect_refusal(&image, "", "expected time stamp");
    copy("other\\names.dll", false);
    /* The right file with the PDB of another build only: what it says is not taken. */
    image = image_of("apart\\names.dll", path_of("apart\\names.dll"));
    expect_refusal(&image, path_of("other"), "exactly this build");
    image.path = "\\Device\\Mup\\server\\share\\names.dll"; /* shares are not asked */
    image.pdb_guid = (struct guid){{0}};
    expect_refusal(&image, path_of("other"), "expected time stamp");
}

/* dbghelp asks shares by a library; web servers are asked by the program itself
 * (src/symbol/download.c). */
static void shares_need_a_library(void **state)
{
    (void)state;
    struct symbol_image image = image_of("names.dll", "C:\\nowhere\\names.dll");
    expect_refusal(&image, "srv*C:\\nowhere*\\\\server\\share", "symsrv.dll");
    expect_refusal(&image, "srv*https://127.0.0.1:9/none", "exactly this build");
    expect_refusal(&image, "symsrv*C:\\evil.dll*https://127.0.0.1:9/none", "exactly this build");
    assert_null(GetModuleHandleW(L"evil.dll"));
    expect_refusal(&image, "", "exactly this build");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_named),
        cmocka_unit_test(lines_are_reported),
        cmocka_unit_test(modules_of_the_kernel_are_found),
        cmocka_unit_test(another_build_gives_no_names),
        cmocka_unit_test(shares_need_a_library),
    };
    os_start(&argc, &argv);
    static char whole[MAX_PATH];
    GetFullPathNameA(argc > 1 ? argv[1] : ".", MAX_PATH, whole, NULL);
    folder = whole;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
