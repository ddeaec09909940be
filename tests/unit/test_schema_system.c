/* Schemas that the system knows: when it is asked, what becomes of its answers, and that files in
 * the making get them. The system here is a manifest that answers in the form of TDH, or blobs of
 * EventInfo records of real traces. */
#include "tests/folder.h"
#include "tests/shared.h"
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/base/payload_writer.h"
#include "src/base/text.h"
#include "src/etl/etl.h"
#include "src/event/decode/classes.h"
#include "src/event/event_info.h"
#include "src/event/schema.h"
#include "src/event/schema_file.h"
#include "src/event/schema_system.h"
#include "src/event/tdh_layout.h"
#include "src/model/model.h"
#include "src/os/os.h"
#include "src/trace/save.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct guid installed = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
static const struct guid class_of = {{9, 9, 9, 9, 8, 8, 7, 7, 6, 6, 5, 5, 4, 4, 3, 3}};

#define EVENT(id) "<event value='" id "' task='Paint' template='T' message='painted %1'/>\n"
static const char text[] =
    "<?xml version='1.0'?><instrumentationManifest><instrumentation><events>\n"
    "<provider name='Installed' guid='{04030201-0605-0807-090a-0b0c0d0e0f10}'>\n"
    "<tasks><task name='Paint' value='7'/></tasks>\n"
    "<maps><valueMap name='Colors'><map value='1' message='red'/><map value='2' message='green'/>"
    "</valueMap></maps>\n"
    "<templates><template tid='T'><data name='Color' inType='win:UInt32' map='Colors'/>"
    "<data name='Size' inType='win:UInt32'/></template></templates>\n"
    "<events>" EVENT("5") EVENT("6") EVENT("7") "</events></provider></events></instrumentation>"
                                                "</instrumentationManifest>\n";

/* ---- the system -------------------------------------------------------------------------------- */

static struct {
    struct manifest *manifest;
    struct manifest_blob class_info; /* of classic events */
    int64_t delay;                   /* ns before each answer */
    size_t cut;                      /* answers have at most so many bytes; 0: all */
    _Atomic bool hangs;              /* no answer comes as long as it does */
    _Atomic bool is_over, has_left;  /* nothing is there any more; and that was noticed */
    _Atomic unsigned events, maps;   /* questions */
} machine;

static bool cut(struct manifest_blob *b)
{
    if (machine.cut && b->bytes > machine.cut)
        b->bytes = machine.cut;
    return true;
}

static bool answer_event(const struct event *e, struct manifest_blob *out)
{
    machine.events++;
    if (machine.delay)
        os_sleep(machine.delay);
    while (machine.hangs)
        os_sleep(1000000);
    if (machine.is_over) {
        machine.has_left = true;
        return false;
    }
    if (e->kind == HEADER_CLASSIC && guid_equal(&e->provider, &class_of) && e->opcode == 11) {
        free(out->at);
        *out = (struct manifest_blob){mem_copy(machine.class_info.at, machine.class_info.bytes),
                                      machine.class_info.bytes, machine.class_info.bytes};
        return cut(out);
    }
    return e->kind == HEADER_MANIFEST &&
           manifest_event_info(machine.manifest, &e->provider, e->id, e->version, out) && cut(out);
}

static bool answer_map(const struct event *e, const char *name, struct manifest_blob *out)
{
    machine.maps++;
    return manifest_map_info(machine.manifest, &e->provider, name, out) && cut(out);
}

static const struct schema_system as_system = {answer_event, answer_map};

/* Appends UTF-16 with its NUL; its place is stored at `at`. */
static void add_text(struct manifest_blob *b, size_t at, const char *from)
{
    const size_t start = b->bytes;
    assert_true(start + 2 * strlen(from) + 2 <= b->room);
    b->bytes += text_to_utf16(b->at + start, 2 * strlen(from), from, strlen(from)) + 2;
    store_u32(b->at + at, (uint32_t)start);
}

/* A class as TDH returns it: the provider's GUID is another one, types are those of MOF. */
static void make_class(void)
{
    enum { ROOM = 1024, STRING = 300, POINTER = 16, FIELDS = 2 };
    static const struct {
        const char *name;
        uint16_t type;
    } fields[FIELDS] = {{"Address", POINTER}, {"Label", STRING}};
    struct manifest_blob *const b = &machine.class_info;
    *b = (struct manifest_blob){mem_new(ROOM, 1), INFO_BYTES + FIELDS * PROPERTY_BYTES, ROOM};
    memset(b->at, 0x55, 16);
    memcpy(b->at + INFO_CLASS, class_of.b, sizeof class_of.b);
    b->at[INFO_VERSION] = 2;
    b->at[INFO_OPCODE] = 11;
    store_u32(b->at + INFO_SOURCE, SOURCE_IS_CLASS);
    store_u32(b->at + INFO_PROPERTIES, FIELDS);
    store_u32(b->at + INFO_TOP_LEVEL, FIELDS);
    add_text(b, INFO_PROVIDER_NAME, "Old Provider");
    add_text(b, INFO_TASK_NAME, "Heap");
    add_text(b, INFO_OPCODE_NAME, "Grow");
    for (unsigned i = 0; i < FIELDS; i++) {
        uint8_t *const p = b->at + INFO_BYTES + i * PROPERTY_BYTES;
        store_u16(p + PROPERTY_IN_TYPE, fields[i].type);
        store_u16(p + PROPERTY_COUNT, 1);
        add_text(b, INFO_BYTES + i * PROPERTY_BYTES + PROPERTY_NAME, fields[i].name);
    }
}

static int set_up(void **state)
{
    struct err err;
    (void)state;
    memset(&machine, 0, sizeof machine);
    machine.manifest = manifest_read(text, sizeof text - 1, &err);
    make_class();
    schema_system_set(&as_system);
    return machine.manifest ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    machine.hangs = false;
    schema_system_set(NULL);
    schema_files_clear();
    manifest_free(machine.manifest);
    free(machine.class_info.at);
    return 0;
}

/* ---- asking ------------------------------------------------------------------------------------ */

static const uint8_t painted[] = {2, 0, 0, 0, 9, 0, 0, 0};

static struct event event_of(uint16_t id)
{
    return (struct event){.kind = HEADER_MANIFEST,
                          .provider = installed,
                          .id = id,
                          .pointer = 8,
                          .payload = painted,
                          .payload_bytes = sizeof painted};
}

/* As the schema has it: without the names that the program knows for fields of its provider. */
static const char *value_of(const struct decoded *d, char *out, size_t room)
{
    struct field field = *d->field;
    struct decoded plain = *d;
    plain.field = &field;
    field.map = NULL;
    decode_format(d->field->map && d->field->map->keeps_number ? &plain : d, out, room);
    return out;
}

/* "Provider Task: name=value …" and where that is known from; "none" where it is not. */
static const char *shown(struct schemas *s, const struct event *e)
{
    static char out[1024];
    struct schema schema;
    struct decoded fields[DECODE_FIELDS];
    char value[256];
    if (!schema_find(s, e->source, e, &schema))
        return "none";
    int used = snprintf(out, sizeof out, "%s %s:", schema.provider, schema.event);
    const unsigned count = decode_fields(schema.layout, e, fields, DECODE_FIELDS);
    for (unsigned i = 0; i < count && (size_t)used < sizeof out; i++)
        used += snprintf(out + used, sizeof out - (size_t)used, " %s=%s", fields[i].field->name,
                         value_of(&fields[i], value, sizeof value));
    snprintf(out + used, sizeof out - (size_t)used, " (%s)", schema_origin_name(schema.origin));
    return out;
}

static void it_is_asked_once(void **state)
{
    (void)state;
    struct schemas *const s = schemas_new();
    const struct event known = event_of(5), unknown = event_of(99);
    for (unsigned i = 0; i < 100; i++) {
        assert_string_equal(shown(s, &known), "Installed Paint: Color=green Size=9 (TDH)");
        assert_string_equal(shown(s, &unknown), "none");
    }
    assert_int_equal(machine.events, 2); /* a miss is kept, too */
    assert_int_equal(machine.maps, 1);
    schemas_free(s);
}

static void without_a_system_nobody_is_asked(void **state)
{
    (void)state;
    struct schemas *const s = schemas_new();
    const struct event e = event_of(5);
    schema_system_set(NULL);
    assert_string_equal(shown(s, &e), "none");
    assert_false(schema_has_outside());
    assert_int_equal(machine.events, 0);
    schemas_free(s);
}

/* Others go before it: then it is not even asked. */
static void others_go_first(void **state)
{
    (void)state;
    struct schemas *const s = schemas_new();
    struct event about, e = event_of(5);
    struct manifest_blob b = {NULL, 0, 0};
    assert_string_equal(shown(s, &e), "Installed Paint: Color=green Size=9 (TDH)");
    assert_true(manifest_event_info(machine.manifest, &installed, 5, 0, &b));
    const struct event info = {.kind = HEADER_CLASSIC,
                               .provider = decode_event_metadata.guid,
                               .opcode = 32,
                               .pointer = 8,
                               .payload = b.at,
                               .payload_bytes = (uint32_t)b.bytes};
    assert_true(schema_learn(s, 0, &info, &about));
    assert_string_equal(shown(s, &e), "Installed Paint: Color=2 Size=9 (trace)");
    e.source = 1; /* has no such record */
    assert_string_equal(shown(s, &e), "Installed Paint: Color=green Size=9 (TDH)");
    assert_int_equal(machine.events, 1);
    /* Kernel-Process, whose ProcessStart is built in. */
    assert_true(guid_parse("22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716", &e.provider));
    e.id = 1;
    struct schema schema;
    assert_true(schema_find(s, 0, &e, &schema));
    assert_int_equal(schema.origin, SCHEMA_BUILT_IN);
    assert_int_equal(machine.events, 1);
    free(b.at);
    schemas_free(s);
}

/* Classes have opcodes in place of ids, and do not mix with manifests. */
static void classes_are_known_by_their_opcode(void **state)
{
    (void)state;
    static const uint8_t payload[] = {0x10, 0, 0, 0, 0, 0, 0, 0, 4, 0, 'h', 0, 'i', 0};
    struct schemas *const s = schemas_new();
    struct event about, e = {.kind = HEADER_CLASSIC,
                             .provider = class_of,
                             .opcode = 11,
                             .version = 2,
                             .pointer = 8,
                             .payload = payload,
                             .payload_bytes = sizeof payload};
    static const char expected[] = "Old Provider Heap/Grow: Address=0x10 Label=hi (TDH)";
    assert_string_equal(shown(s, &e), expected);
    e.opcode = 12;
    assert_string_equal(shown(s, &e), "none");
    e.kind = HEADER_MANIFEST;
    e.id = 11;
    assert_string_equal(shown(s, &e), "none");
    assert_int_equal(machine.events, 3);
    /* A trace that holds the record needs no system. */
    schema_system_set(NULL);
    struct schemas *const other = schemas_new();
    const struct event info = {.kind = HEADER_CLASSIC,
                               .provider = decode_event_metadata.guid,
                               .opcode = 32,
                               .pointer = 8,
                               .payload = machine.class_info.at,
                               .payload_bytes = (uint32_t)machine.class_info.bytes};
    assert_true(schema_learn(other, 0, &info, &about));
    assert_int_equal(about.kind, HEADER_CLASSIC);
    assert_int_equal(about.opcode, 11);
    e.kind = HEADER_CLASSIC;
    e.id = 0;
    e.opcode = 11;
    assert_string_equal(shown(other, &e), "Old Provider Heap/Grow: Address=0x10 Label=hi (trace)");
    schemas_free(other);
    schemas_free(s);
}

/* A trace can hold events of as many kinds as it likes. Where answers are slow, fewer are waited
 * for. */
static void questions_are_bounded(void **state)
{
    (void)state;
    enum { MOST = 1 << 14, MORE = 40000 };
    struct schemas *const s = schemas_new();
    struct schema schema;
    for (unsigned i = 0; i < MORE; i++) {
        const struct event e = event_of((uint16_t)(100 + i));
        schema_find(s, 0, &e, &schema);
    }
    assert_in_range(machine.events, 1, MOST);
    assert_in_range(schemas_dropped(s), MORE - MOST, MORE - 1);
    const struct event late = event_of(5);
    assert_string_equal(shown(s, &late), "none");
    schemas_free(s);
}

/* A system that hardly answers does not keep anybody waiting for long. */
static void waiting_is_bounded(void **state)
{
    (void)state;
    struct schemas *const s = schemas_new();
    struct schema schema;
    machine.delay = 1000000000;
    for (unsigned i = 0; i < 100; i++) {
        const struct event e = event_of((uint16_t)(100 + i));
        schema_find(s, 0, &e, &schema);
    }
    const uint64_t dropped = schemas_dropped(s);
    assert_in_range(100 - dropped, 1, 4);
    schemas_free(s);
}

/* Until the answer is there, an event has no schema; then it has, without a wait in between. */
static void late_answers_are_taken(void **state)
{
    (void)state;
    struct schemas *const s = schemas_new();
    struct schema schema;
    const struct event e = event_of(5), unknown = event_of(99);
    schemas_never_wait(s);
    machine.hangs = true;
    for (unsigned i = 0; i < 10; i++) {
        assert_false(schema_find(s, 0, &e, &schema));
        assert_int_equal(schema.origin, SCHEMA_PENDING);
        assert_false(schema_find(s, 0, &unknown, &schema));
        assert_int_equal(schema.origin, SCHEMA_PENDING);
    }
    assert_int_equal(schema_system_answers(), 0);
    machine.hangs = false;
    while (schema_system_answers() < 2)
        os_sleep(1000000);
    assert_string_equal(shown(s, &e), "Installed Paint: Color=green Size=9 (TDH)");
    assert_false(schema_find(s, 0, &unknown, &schema));
    assert_int_equal(schema.origin, SCHEMA_NONE);
    assert_int_equal(machine.events, 2);
    assert_int_equal(schemas_dropped(s), 0);
    schemas_free(s);
}

/* Nobody is held for long by a question that is never answered, and few others wait behind it. */
static void a_hanging_system_holds_nobody(void **state)
{
    (void)state;
    enum { KINDS = 5000, WAITING_MOST = 1024 };
    struct schemas *const live = schemas_new(), *const file = schemas_new();
    struct schema schema;
    schemas_never_wait(live);
    machine.hangs = true;
    for (unsigned i = 0; i < KINDS; i++) {
        const struct event e = event_of((uint16_t)(100 + i));
        assert_false(schema_find(live, 0, &e, &schema));
        assert_int_equal(schema.origin, SCHEMA_PENDING);
        assert_false(schema_find(file, 0, &e, &schema)); /* three seconds, once */
    }
    assert_int_equal(schemas_dropped(file), KINDS);
    assert_in_range(machine.events, 0, 1);
    schemas_free(file);
    schemas_free(live);
    machine.hangs = false;
    for (uint32_t answers = 0; answers < WAITING_MOST; answers = schema_system_answers())
        os_sleep(1000000);
    assert_int_equal(schema_system_answers(), WAITING_MOST);
}

/* The end of a program waits for such a question no longer than some seconds, and frees nothing that
 * it still uses. */
static void the_end_does_not_wait_for_it(void **state)
{
    (void)state;
    struct schemas *const s = schemas_new();
    struct schema schema;
    const struct event e = event_of(5);
    schemas_never_wait(s);
    machine.hangs = true;
    schema_find(s, 0, &e, &schema);
    while (!machine.events)
        os_sleep(1000000);
    schema_system_set(NULL);
    assert_false(schema_find(s, 0, &e, &schema));
    assert_int_equal(schema.origin, SCHEMA_NONE);
    schemas_free(s);
    machine.is_over = true;
    machine.hangs = false;
    while (!machine.has_left) /* it goes on with what it has */
        os_sleep(1000000);
}

/* Kinds of events that were met before get their names. */
static void kinds_are_named_late(void **state)
{
    (void)state;
    struct model *const m = calloc(1, sizeof *m);
    const struct event e = event_of(6);
    model_init(m);
    schemas_never_wait(m->schemas);
    machine.hangs = true;
    const uint16_t index = model_kind_look_up(m, &e);
    const uint64_t before = m->late_names;
    assert_string_equal(m->kinds[index].class_name, "");
    model_kinds_look(m);
    assert_int_equal(m->late_names, before);
    machine.hangs = false;
    while (!schema_system_answers())
        os_sleep(1000000);
    model_kinds_look(m);
    assert_string_equal(m->kinds[index].class_name, "Installed");
    assert_string_equal(m->kinds[index].event_name, "Paint");
    assert_int_equal(m->late_names, before + 1);
    model_kinds_look(m);
    assert_int_equal(m->late_names, before + 1);
    model_fini(m);
    free(m);
}

/* Answers that end too early: whatever they give, nothing is read behind them. */
static void short_answers_do_no_harm(void **state)
{
    (void)state;
    struct manifest_blob b = {NULL, 0, 0};
    assert_true(manifest_event_info(machine.manifest, &installed, 5, 0, &b));
    const size_t whole = b.bytes;
    unsigned known = 0;
    for (machine.cut = 1; machine.cut <= whole; machine.cut++) {
        struct schemas *const s = schemas_new();
        const struct event e = event_of(5);
        schema_system_set(&as_system); /* else it has answered already */
        known += strcmp(shown(s, &e), "none") != 0;
        schemas_free(s);
    }
    assert_int_equal(known, whole - INFO_BYTES - 2 * PROPERTY_BYTES + 1);
    free(b.at);
}

/* ---- files -------------------------------------------------------------------------------------- */

enum { FREQUENCY = 10000000, FILE_MOST = 2 << 20, PAD = 4000 };

struct fixture {
    char folder[64], path[128];
    struct collector collector;
    struct save save;
    int64_t at; /* of the next event, raw */
};

static struct fixture *begin(enum etl_log_mode mode, uint64_t most)
{
    struct fixture *const x = calloc(1, sizeof *x);
    struct err err = {""};
    snprintf(x->folder, sizeof x->folder, "/tmp/test_system.XXXXXX");
    assert_non_null(mkdtemp(x->folder));
    snprintf(x->path, sizeof x->path, "%s/r.etl", x->folder);
    x->collector.sources[0].clock = trace_clock_make(CLOCK_QPC, 0, FILETIME_UNIX_EPOCH, FREQUENCY);
    x->collector.sources[0].cpus = 2;
    x->collector.sources[0].pointer = 8;
    atomic_store(&x->collector.source_count, 1);
    x->at = FREQUENCY;
    const struct save_options o = {
        .path = x->path, .collector = &x->collector, .mode = mode, .most_bytes = most};
    if (!save_open(&x->save, &o, &err))
        fail_msg("%s", err.text);
    return x;
}

/* An event of the provider; `pad` bytes follow its fields. */
static void put_padded(struct fixture *x, uint16_t id, size_t pad)
{
    enum { HEADER64 = 19, MARK = 0xc0, HEADER_BYTES = 80 };
    static _Alignas(8) uint8_t record[8192];
    struct payload_writer p = {record, record, record + sizeof record};
    const size_t bytes = HEADER_BYTES + sizeof painted + pad;
    const struct record_head head = {.bytes = (uint32_t)(sizeof head + bytes),
                                     .form = RECORD_ETW,
                                     .cpu = (uint16_t)(x->at & 1),
                                     .ts = x->at};
    put_u16(&p, (unsigned)bytes);
    put_u8(&p, HEADER64);
    put_u8(&p, MARK);
    put_zeros(&p, 12);
    put_u64(&p, (uint64_t)x->at);
    put_bytes(&p, &installed, sizeof installed);
    put_u16(&p, id);
    put_zeros(&p, HEADER_BYTES - 42);
    put_bytes(&p, painted, sizeof painted);
    put_zeros(&p, pad);
    save_put(&x->save, &head, record, trace_clock_ns(&x->collector.sources[0].clock, x->at));
    x->at += 1000;
}

static void put(struct fixture *x, uint16_t id)
{
    put_padded(x, id, 0);
}

static void finish(struct fixture *x)
{
    struct err err = {""};
    struct etl_written written;
    if (!save_finish(&x->save, &written, &err))
        fail_msg("%s", err.text);
}

static void end(struct fixture *x)
{
    folder_clear(x->folder);
    rmdir(x->folder);
    free(x);
}

/* What a file has: of a system that knows nothing. */
struct contents {
    unsigned events, known, infos, maps;
    char first[256]; /* the first event, as the file alone shows it */
};

static struct contents contents_of(const char *path)
{
    struct contents c = {.events = 0};
    struct err err = {""};
    struct event e, about;
    struct schemas *const s = schemas_new();
    schema_system_set(NULL);
    for (unsigned pass = 0; pass < 2; pass++) {
        struct etl_reader *const r = etl_reader_open(&path, 1, &err);
        if (!r)
            fail_msg("%s", err.text);
        while (etl_reader_next(r, &e, &err) == ETL_EVENT) {
            const bool is_about = schema_is_about(&e);
            if (pass == 0 && is_about) {
                schema_learn(s, 0, &e, &about);
                c.infos += e.opcode == 32;
                c.maps += e.opcode == 33;
            }
            if (pass == 0 || is_about || !guid_equal(&e.provider, &installed))
                continue;
            const char *const as = shown(s, &e);
            if (!c.events++)
                snprintf(c.first, sizeof c.first, "%s", as);
            c.known += strstr(as, "(trace)") != NULL;
        }
        etl_reader_close(r);
    }
    schemas_free(s);
    schema_system_set(&as_system);
    return c;
}

static void a_file_has_each_schema_once(void **state)
{
    (void)state;
    struct fixture *const x = begin(ETL_LOG_SEQUENTIAL, 0);
    for (unsigned i = 0; i < 1000; i++)
        put(x, (uint16_t)(5 + i % 2));
    put(x, 99); /* which nobody knows */
    finish(x);
    const struct contents c = contents_of(x->path);
    assert_int_equal(c.events, 1001);
    assert_int_equal(c.known, 1000);
    assert_int_equal(c.infos, 2);
    assert_int_equal(c.maps, 1); /* both have it */
    assert_string_equal(c.first, "Installed Paint: Color=green Size=9 (trace)");
    end(x);
}

/* A program that is killed leaves a file that can be read as far as it goes. */
static void schemas_are_there_when_the_events_are(void **state)
{
    (void)state;
    struct fixture *const x = begin(ETL_LOG_SEQUENTIAL, 0);
    char partial[160], copy[160];
    put(x, 5);
    save_flush(&x->save);
    snprintf(partial, sizeof partial, "%s.partial", x->path);
    snprintf(copy, sizeof copy, "%s/copy.etl", x->folder);
    file_copy(partial, copy);
    const struct contents c = contents_of(copy);
    assert_int_equal(c.known, 1);
    assert_int_equal(c.infos, 1);
    save_flush(&x->save);
    put(x, 5);
    finish(x);
    assert_int_equal(contents_of(x->path).infos, 1);
    end(x);
}

/* What the user's files describe is in there, too; nothing is where there is nothing from outside.
 */
static void files_of_the_user_go_in(void **state)
{
    (void)state;
    struct err err;
    struct fixture *x = begin(ETL_LOG_SEQUENTIAL, 0);
    save_drop(&x->save);
    char path[160];
    snprintf(path, sizeof path, "%s/m.man", x->folder);
    FILE *const f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, sizeof text - 1, f), sizeof text - 1);
    assert_int_equal(fclose(f), 0);
    assert_true(schema_file_add(path, &err));
    end(x);
    schema_system_set(NULL);
    x = begin(ETL_LOG_SEQUENTIAL, 0);
    put(x, 6);
    finish(x);
    schema_files_clear();
    struct contents c = contents_of(x->path);
    assert_int_equal(c.infos, 1);
    assert_int_equal(c.maps, 1);
    assert_string_equal(c.first, "Installed Paint: Color=green Size=9 (trace)");
    end(x);
    schema_system_set(NULL);
    x = begin(ETL_LOG_SEQUENTIAL, 0);
    put(x, 6);
    finish(x);
    c = contents_of(x->path);
    assert_int_equal(c.events, 1);
    assert_int_equal(c.infos, 0);
    end(x);
}

static void rotated_files_have_what_they_need(void **state)
{
    (void)state;
    enum { FILES = 4 };
    struct fixture *const x = begin(ETL_LOG_ROTATE, FILE_MOST);
    unsigned events = 0;
    for (unsigned i = 0; etl_log_files(x->save.log) < FILES; i++) {
        /* Of each file the first events are of one kind, and all but the first file's of another.
         */
        put_padded(x, etl_log_files(x->save.log) == 1 ? 5 : 6, PAD);
        events++;
        if (i % 50 == 0)
            save_flush(&x->save);
    }
    finish(x);
    unsigned found = 0;
    for (unsigned i = 1; i <= FILES; i++) {
        char *const name = etl_log_name(x->path, ETL_LOG_ROTATE, i);
        const struct contents c = contents_of(name);
        found += c.events;
        assert_true(c.events > 0);
        assert_int_equal(c.known, c.events);
        assert_in_range(c.infos, 1, 2);
        assert_int_equal(c.maps, 1);
        free(name);
    }
    assert_int_equal(found, events);
    end(x);
}

/* Where a file has no room left, its own end still belongs to it: what ends begins no other. */
static void the_end_begins_no_other_file(void **state)
{
    (void)state;
    struct fixture *const x = begin(ETL_LOG_ROTATE, FILE_MOST);
    const struct record_head next = {.bytes = PAD + 256};
    do
        put_padded(x, 5, PAD);
    while (etl_log_stays(x->save.log, &next));
    const struct record_head small = {.bytes = 256};
    while (etl_log_stays(x->save.log, &small))
        put(x, 5);
    assert_int_equal(etl_log_files(x->save.log), 1);
    finish(x);
    char *const name = etl_log_name(x->path, ETL_LOG_ROTATE, 1);
    const struct contents c = contents_of(name);
    free(name);
    assert_int_equal(c.known, c.events);
    assert_int_equal(c.infos, 1);
    assert_int_equal(folder_clear(x->folder), 1);
    end(x);
}

/* Where the first buffers were overwritten, the schemas in them were as well. */
static void a_circle_has_what_it_needs(void **state)
{
    (void)state;
    struct fixture *const x = begin(ETL_LOG_CIRCULAR, FILE_MOST);
    put(x, 5);
    save_flush(&x->save);
    for (unsigned i = 0; i < 3 * FILE_MOST / PAD; i++)
        put_padded(x, 5, PAD);
    finish(x);
    const struct contents c = contents_of(x->path);
    assert_true(c.events > 100);
    assert_int_equal(c.known, c.events);
    assert_int_equal(c.infos, 1);
    end(x);
}

/* ---- real ones ------------------------------------------------------------------------------------ */

/* What Windows' own tools wrote about a machine's providers, as TDH's answers. */
static struct {
    struct manifest_blob of[1024];
    bool is_map[1024];
    unsigned count;
} genuine;

static bool answer_with(const struct manifest_blob *b, struct manifest_blob *out)
{
    free(out->at);
    *out = (struct manifest_blob){mem_copy(b->at, b->bytes), b->bytes, b->bytes};
    return true;
}

/* The table has these providers: events are asked about under GUIDs that it lacks. */
static struct guid moved(struct guid g)
{
    g.b[15] ^= 0x5a;
    return g;
}

static bool genuine_event(const struct event *e, struct manifest_blob *out)
{
    const struct guid provider = moved(e->provider);
    machine.events++;
    for (unsigned i = 0; i < genuine.count; i++) {
        const uint8_t *const at = genuine.of[i].at;
        if (!genuine.is_map[i] && memcmp(at, provider.b, sizeof provider.b) == 0 &&
            load_u16(at + INFO_ID) == e->id && at[INFO_VERSION] == e->version)
            return answer_with(&genuine.of[i], out);
    }
    return false;
}

static bool genuine_map(const struct event *e, const char *name, struct manifest_blob *out)
{
    const struct guid provider = moved(e->provider);
    struct event_map map;
    machine.maps++;
    for (unsigned i = 0; i < genuine.count; i++)
        if (genuine.is_map[i] && event_map_read(genuine.of[i].at, genuine.of[i].bytes, &map) &&
            guid_equal(&map.provider, &provider) && strcmp(map.name, name) == 0)
            return answer_with(&genuine.of[i], out);
    return false;
}

static void keep_genuine(const struct event *e)
{
    if (!schema_is_about(e) || e->kind != HEADER_CLASSIC || e->payload_bytes < INFO_BYTES ||
        genuine.count == sizeof genuine.of / sizeof *genuine.of)
        return;
    genuine.is_map[genuine.count] = e->opcode == 33;
    genuine.of[genuine.count++] = (struct manifest_blob){mem_copy(e->payload, e->payload_bytes),
                                                         e->payload_bytes, e->payload_bytes};
}

/* Events of the file that its EventInfo records describe: with the system's answers they are the
 * same. Returns how many there are. */
static uint64_t same_events(const char *path)
{
    struct err err;
    struct event e, about;
    struct schemas *const of_trace = schemas_new(), *const of_system = schemas_new();
    uint64_t count = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        struct etl_reader *const r = etl_reader_open(&path, 1, &err);
        assert_non_null(r);
        while (etl_reader_next(r, &e, &err) == ETL_EVENT) {
            char as[1024];
            if (pass == 0) {
                schema_learn(of_trace, e.source, &e, &about);
                keep_genuine(&e);
                continue;
            }
            if (e.kind != HEADER_MANIFEST)
                continue;
            const struct guid provider = e.provider;
            e.provider = moved(provider);
            snprintf(as, sizeof as, "%s", shown(of_system, &e));
            e.provider = provider;
            char *const origin = strstr(as, " (TDH)");
            if (!origin)
                continue;
            strcpy(origin, " (trace)");
            assert_string_equal(as, shown(of_trace, &e));
            count++;
        }
        etl_reader_close(r);
    }
    schemas_free(of_trace);
    schemas_free(of_system);
    return count;
}

static void genuine_answers_are_those_of_the_trace(void **state)
{
    (void)state;
    static const struct schema_system system = {genuine_event, genuine_map};
    static const char *const names[] = {
        "demikernel-PktMon.etl", "msbuild-PerfViewData.etl", "perfview-net.4.5.2.x64.etl.zst",
        "etwanalyzer-TraceLoggingTester.etl.zst", "perfview-win7-PerfViewData.etl.zst"};
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char pattern[128];
        schema_system_set(&system); /* another machine */
        snprintf(pattern, sizeof pattern, "../shared/etl/%s", names[i]);
        glob_t found = shared_files(pattern);
        const uint64_t events = same_events(found.gl_pathv[0]);
        print_message("%s: %llu events have a schema of the system\n", names[i],
                      (unsigned long long)events);
        all += events;
        globfree(&found);
        schema_system_set(NULL); /* on a slow machine it still answers */
        while (genuine.count)
            free(genuine.of[--genuine.count].at);
    }
    assert_true(all > 0);
    assert_true(machine.events > 0 && machine.maps > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_asked_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_system_nobody_is_asked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(others_go_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(classes_are_known_by_their_opcode, set_up, tear_down),
        cmocka_unit_test_setup_teardown(questions_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(waiting_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(late_answers_are_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_hanging_system_holds_nobody, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kinds_are_named_late, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_end_does_not_wait_for_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(short_answers_do_no_harm, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_has_each_schema_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(schemas_are_there_when_the_events_are, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_of_the_user_go_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rotated_files_have_what_they_need, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_end_begins_no_other_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_circle_has_what_it_needs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(genuine_answers_are_those_of_the_trace, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("schema_system", tests, NULL, NULL);
}
