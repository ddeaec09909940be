/* Which PDB belongs to an image, from its file: small PE files made here, good and bad. */
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/base/payload_writer.h"
#include "src/trace/image_ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STAMP = 0x5f5e1000, FILE_BYTES = 0x400, RECORD_BYTES = 1024, TIME = 4711, PID = 77 };

static char folder[64], path[128];

/* Headers, one section of which a debug directory and its RSDS record are all. */
static void make_file(uint8_t *b, const char *pdb)
{
    enum {
        PE = 0x40,
        OPTIONAL = PE + 24,
        SECTION = OPTIONAL + 240,
        DIRECTORY = 0x200,
        RSDS = 0x220
    };
    memset(b, 0, FILE_BYTES);
    memcpy(b, "MZ", 2);
    store_u32(b + 60, PE);
    memcpy(b + PE, "PE\0\0", 4);
    store_u16(b + PE + 4, 0x8664);
    store_u16(b + PE + 6, 1); /* sections */
    store_u32(b + PE + 8, STAMP);
    store_u16(b + PE + 20, 240);
    store_u16(b + OPTIONAL, 0x20b);
    store_u32(b + OPTIONAL + 56, 0x5000); /* size in memory */
    store_u32(b + OPTIONAL + 108, 16);
    store_u32(b + OPTIONAL + 112 + 6 * 8, 0x1000);
    store_u32(b + OPTIONAL + 112 + 6 * 8 + 4, 28);
    store_u32(b + SECTION + 8, 0x200);
    store_u32(b + SECTION + 12, 0x1000);
    store_u32(b + SECTION + 16, 0x200);
    store_u32(b + SECTION + 20, DIRECTORY);
    store_u32(b + DIRECTORY + 12, 2);
    store_u32(b + DIRECTORY + 24, RSDS);
    memcpy(b + RSDS, "RSDS", 4);
    memset(b + RSDS + 4, 0xab, 16);
    store_u32(b + RSDS + 20, 3);
    memcpy(b + RSDS + 24, pdb, strlen(pdb) + 1);
}

static void write_file(const uint8_t *bytes, size_t count)
{
    FILE *const f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    assert_int_equal(fclose(f), 0);
}

/* Image/DCStart, version 3. */
static struct record_head make_record(uint8_t *record, const char *file, uint32_t stamp)
{
    struct payload_writer p = {record, record, record + RECORD_BYTES};
    put_u16(&p, 3);
    put_u8(&p, 17);
    put_u8(&p, 0xc0);
    put_u16(&p, 0);
    put_u16(&p, 0x1403);
    put_u64(&p, TIME);
    put_u64(&p, 0x7ff600000000);
    put_u64(&p, 0x6000);
    put_u32(&p, PID);
    put_u32(&p, 0);
    put_u32(&p, stamp);
    put_u32(&p, 0);
    put_u64(&p, 0);
    put_zeros(&p, 16);
    put_utf16(&p, file, strlen(file));
    store_u16(record + 4, (uint16_t)(p.at - record));
    return (struct record_head){
        .bytes = (uint32_t)(sizeof(struct record_head) + (size_t)(p.at - record)),
        .form = RECORD_ETW,
        .cpu = 5,
        .ts = TIME};
}

static struct image_id_records ids_of(uint32_t stamp)
{
    uint8_t record[RECORD_BYTES];
    struct image_id_records out;
    struct image_ids *const ids = image_ids_new();
    const struct record_head head = make_record(record, path, stamp);
    image_ids_of(ids, &head, record, &out);
    image_ids_free(ids);
    return out;
}

static void an_image_has_its_pdb(void **state)
{
    (void)state;
    enum { HEADER = 48 };
    uint8_t file[FILE_BYTES];
    make_file(file, "C:\\build\\it.pdb");
    write_file(file, sizeof file);
    const struct image_id_records ids = ids_of(STAMP);
    assert_int_equal(ids.count, 2);
    for (unsigned i = 0; i < ids.count; i++) {
        assert_int_equal(ids.heads[i].ts, TIME);
        assert_int_equal(ids.heads[i].cpu, 5);
        assert_int_equal(load_u64(ids.records[i] + 16), TIME);
        assert_int_equal(load_u16(ids.records[i]), ids.heads[i].bytes - sizeof(struct record_head));
        assert_int_equal(load_u64(ids.records[i] + HEADER), 0x7ff600000000);
    }
    const uint8_t *const info = ids.records[0] + HEADER, *const rsds = ids.records[1] + HEADER;
    assert_int_equal(ids.records[0][4], 0);
    assert_int_equal(load_u64(info + 8), 0x5000);
    assert_int_equal(load_u32(info + 16), PID);
    assert_int_equal(load_u32(info + 20), STAMP);
    assert_int_equal(ids.records[1][4], 36);
    assert_int_equal(load_u32(rsds + 8), PID);
    assert_int_equal(rsds[12], 0xab);
    assert_int_equal(load_u32(rsds + 28), 3);
    assert_string_equal((const char *)rsds + 32, "C:\\build\\it.pdb");
}

/* Another build than the one that ran has another PDB. */
static void files_of_other_builds_are_not_it(void **state)
{
    (void)state;
    uint8_t file[FILE_BYTES];
    make_file(file, "it.pdb");
    write_file(file, sizeof file);
    assert_int_equal(ids_of(STAMP + 1).count, 0);
    assert_int_equal(ids_of(0).count, 2); /* the event does not say which */
}

/* Cut anywhere, with any byte wrong, a name without an end: no more is read than there is. */
static void bad_files_are_borne(void **state)
{
    (void)state;
    uint8_t file[FILE_BYTES];
    make_file(file, "it.pdb");
    for (size_t bytes = 0; bytes < sizeof file; bytes += 7) {
        write_file(file, bytes);
        assert_true(ids_of(STAMP).count <= 2);
    }
    for (size_t at = 0; at < 0x260; at++) {
        make_file(file, "it.pdb");
        file[at] = 0xff;
        write_file(file, sizeof file);
        assert_true(ids_of(0).count <= 2);
    }
    make_file(file, "");
    memset(file + 0x238, 'x', sizeof file - 0x238);
    write_file(file, sizeof file);
    const struct image_id_records ids = ids_of(STAMP);
    assert_int_equal(ids.count, 2);
    assert_string_equal((const char *)ids.records[1] + 48 + 32, "");
}

/* Opening a pipe would wait for its writer. */
static void pipes_are_not_opened(void **state)
{
    (void)state;
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(ids_of(STAMP).count, 0);
    unlink(path);
    assert_int_equal(ids_of(STAMP).count, 0);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tracetop-ids-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/it.dll", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_has_its_pdb),
        cmocka_unit_test(files_of_other_builds_are_not_it),
        cmocka_unit_test(bad_files_are_borne),
        cmocka_unit_test(pipes_are_not_opened),
    };
    return cmocka_run_group_tests_name("image ids", tests, make_folder, remove_folder);
}
