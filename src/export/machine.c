/* Each section is a table: one row of `sections` says which records make its rows, and which fields
 * its columns. A section of one row is shown as a list; several kinds of records may fill that row.
 */
#include "src/export/machine.h"

#include "src/base/clock.h"
#include "src/base/hash.h"
#include "src/base/hash_index.h"
#include "src/base/json.h"
#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/base/text.h"
#include "src/etl/etl.h"
#include "src/event/decode.h"
#include "src/event/tracelogging.h"
#include "src/event/tracetop_provider.h"
#include "src/export/machine_cell.h"
#include "src/export/machine_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is shown ------------------------------------------------------------------------------- */

enum { FACTORS = 4, COLUMNS_MOST = 10, CELL = 256 };

struct machine_column {
    const char *id, *heading;
    const char *fields[FACTORS]; /* the first that is there; of sizes their product */
    /* How a number is written; NULL: as details show it. */
    void (*put)(uint64_t number, char *out, size_t room);
};

/* clang-format off */
static const struct machine_column computer[] = {
    {"host", "host", {"ComputerName"}, NULL},
    {"domain", "domain", {"DomainName"}, NULL},
    {"processors", "processors", {"NumberOfProcessors"}, NULL},
    {"mhz", "MHz", {"MHz"}, NULL},
    {"memory", "memory", {"MemSize"}, machine_put_megabytes},
    {"page", "page", {"PageSize"}, machine_put_size},
    {"hyper_threading", "hyper-threading", {"HyperThreadingFlag"}, machine_put_yes},
};
static const struct machine_column windows[] = {
    {"product", "product", {"ProductName"}, NULL},
    {"version", "version", {"Version"}, machine_put_version},
    {"build", "build", {"ProviderVersion"}, machine_put_some},
    {"revision", "revision", {"Revision"}, machine_put_some},
    {"lab", "build lab", {"BuildLab"}, NULL},
    {"folder", "folder", {"SystemWindowsDirectory"}, NULL},
    {"installed", "installed", {"InstallDate"}, machine_put_filetime},
    {"booted", "booted", {"BootTime"}, machine_put_filetime},
};
static const struct machine_column linux_system[] = {
    {"system", "system", {"system"}, NULL},
    {"distribution", "distribution", {"distribution"}, NULL},
    {"release", "release", {"release"}, NULL},
    {"version", "version", {"version"}, NULL},
    {"architecture", "architecture", {"machine"}, NULL},
    {"booted", "booted", {"boot"}, machine_put_time},
};
static const struct machine_column topology[] = {
    {"packages", "packages", {"packages"}, machine_put_some},
    {"cores", "cores", {"cores"}, machine_put_some},
    {"processors", "processors", {"processors", "ProcessorCount"}, NULL},
    {"nodes", "NUMA nodes", {"nodes", "NodeCount"}, NULL},
    {"groups", "processor groups", {"GroupCount"}, machine_put_some},
    {"caches", "caches", {"caches"}, NULL},
};
static const struct machine_column processors[] = {
    {"mhz", "MHz", {"ProcessorSpeed"}, machine_put_some},
    {"vendor", "VENDOR", {"VendorIdentifier"}, NULL},
    {"identifier", "IDENTIFIER", {"ProcessorIdentifier"}, NULL},
    {"name", "NAME", {"ProcessorName"}, NULL},
};
static const struct machine_column mounts[] = {
    {"device", "DEVICE", {"device"}, NULL},
    {"size", "SIZE", {"clusters", "cluster"}, machine_put_known_size},
    {"free", "FREE", {"free", "cluster"}, machine_put_known_size},
    {"file_system", "FILE SYSTEM", {"type"}, NULL},
    {"path", "MOUNTED ON", {"path"}, NULL},
};
static const struct machine_column platform[] = {
    {"manufacturer", "manufacturer", {"SystemManufacturer"}, NULL},
    {"product", "product", {"SystemProductName"}, NULL},
    {"bios_date", "BIOS date", {"BiosDate"}, NULL},
    {"bios_version", "BIOS version", {"BiosVersion"}, NULL},
};
static const struct machine_column protection[] = {
    {"vbs", "virtualization-based security", {"VbsEnabled"}, machine_put_yes},
    {"hvci", "code integrity by it", {"HvciEnabled"}, machine_put_yes},
    {"hypervisor", "hypervisor", {"HypervisorEnabled"}, machine_put_yes},
};
static const struct machine_column boot[] = {
    {"secure_boot", "secure boot", {"SecureBootEnabled"}, machine_put_yes},
    {"secure_boot_capable", "secure boot possible", {"SecureBootCapable"}, machine_put_yes},
};
static const struct machine_column disks[] = {
    {"disk", "DISK", {"DiskNumber"}, NULL},
    {"size", "SIZE", {"Cylinders", "TracksPerCylinder", "SectorsPerTrack", "BytesPerSector"}, machine_put_known_size},
    {"sector", "SECTOR", {"BytesPerSector"}, NULL},
    {"partitions", "PARTITIONS", {"PartitionCount"}, NULL},
    {"write_cache", "WRITE CACHE", {"WriteCacheEnabled"}, machine_put_yes},
    {"boot_drive", "BOOT", {"BootDriveLetter"}, NULL},
    {"model", "MODEL", {"Manufacturer"}, NULL},
};
static const struct machine_column volumes[] = {
    {"volume", "VOLUME", {"DriveLetterString"}, NULL},
    {"disk", "DISK", {"DiskNumber"}, NULL},
    {"size", "SIZE", {"PartitionSize"}, machine_put_size},
    {"free", "FREE", {"NumberOfFreeClusters", "SectorsPerCluster", "BytesPerSector"}, machine_put_known_size},
    {"file_system", "FILE SYSTEM", {"FileSystem"}, NULL},
};
static const struct machine_column optical[] = {
    {"drive", "DRIVE", {"DriveLetter"}, NULL},
    {"disk", "DISK", {"DiskNumber"}, NULL},
    {"size", "SIZE", {"Size"}, machine_put_known_size},
    {"file_system", "FILE SYSTEM", {"FileSystemName"}, NULL},
    {"device", "DEVICE", {"DeviceName"}, NULL},
};
static const struct machine_column adapters[] = {
    {"adapter", "ADAPTER", {"NICDescription", "NICName", "Alias", "Description"}, NULL},
    {"address", "HARDWARE ADDRESS", {"PhysicalAddr", "PhysicalAddress"}, machine_put_hardware_address},
    {"ip", "IP ADDRESSES", {"IpAddresses"}, NULL},
    {"dns", "DNS SERVERS", {"DnsServerAddresses"}, NULL},
};
static const struct machine_column paths[] = {
    {"path", "PATH", {"DosPath"}, NULL},
    {"kernel_path", "KERNEL PATH", {"NtPath"}, NULL},
};
static const struct machine_column video[] = {
    {"adapter", "ADAPTER", {"AdapterString"}, NULL},
    {"width", "WIDTH", {"XResolution"}, machine_put_some},
    {"height", "HEIGHT", {"YResolution"}, machine_put_some},
    {"memory", "MEMORY", {"MemorySize"}, machine_put_known_size},
    {"chip", "CHIP", {"ChipType"}, NULL},
};
static const struct machine_column power[] = {
    {"s1", "S1", {"S1"}, machine_put_yes}, {"s2", "S2", {"S2"}, machine_put_yes}, {"s3", "S3", {"S3"}, machine_put_yes},
    {"s4", "S4", {"S4"}, machine_put_yes}, {"s5", "S5", {"S5"}, machine_put_yes},
};
static const struct machine_column services[] = {
    {"state", "STATE", {"ServiceState"}, machine_put_service_state},
    {"pid", "PID", {"ProcessId"}, machine_put_some},
    {"service", "SERVICE", {"ServiceName"}, NULL},
    {"process", "PROCESS", {"ProcessName"}, NULL},
    {"group", "GROUP", {"SvchostGroup"}, NULL},
    {"name", "NAME", {"DisplayName"}, NULL},
};
static const struct machine_column devices[] = {
    {"device", "DEVICE", {"FriendlyName", "DeviceDescription"}, NULL},
    {"service", "SERVICE", {"ServiceName"}, NULL},
    {"id", "ID", {"DeviceID"}, NULL},
};
static const struct machine_column interrupts[] = {
    {"irq", "IRQ", {"IRQNum"}, NULL},
    {"processors", "PROCESSORS", {"IRQAffinity"}, machine_put_hex},
    {"device", "DEVICE", {"DeviceDescription"}, NULL},
};
/* clang-format on */

#define COLUMNS(table) table, sizeof table / sizeof *table

/* Where the records of a section are from. */
struct origin {
    enum { NOWHERE, KERNEL, MERGED, TRACETOP } is;
    uint16_t hook;     /* KERNEL */
    const char *event; /* its name: of a merged trace's SysConfigEx, or of tracetop's provider */
};

#define HOOK(hook)                                                                                 \
    {                                                                                              \
        KERNEL, hook, NULL                                                                         \
    }
#define OWN(event)                                                                                 \
    {                                                                                              \
        TRACETOP, 0, event                                                                         \
    }

enum { TRACE_HEADER = 0, ORIGINS = 4 };

static const struct machine_section {
    const char *id, *title;
    bool is_list; /* one row, shown as lines of heading and value */
    const struct machine_column *columns;
    unsigned column_count;
    struct origin from[ORIGINS];
} sections[] = {
    {"computer", "Computer", true, COLUMNS(computer), {HOOK(0x0b0a)}},
    {"windows",
     "Windows",
     true,
     COLUMNS(windows),
     {HOOK(TRACE_HEADER),
      {MERGED, 0, "BuildInfo"},
      {MERGED, 0, "Version"},
      {MERGED, 0, "SystemPaths"}}},
    {"system", "System", true, COLUMNS(linux_system), {OWN("Machine")}},
    {"topology",
     "Topology",
     true,
     COLUMNS(topology),
     {OWN("Topology"), HOOK(0x0b18), HOOK(0x0b1a), HOOK(0x0b1b)}},
    {"processors", "Processors", false, COLUMNS(processors), {HOOK(0x0b23)}},
    {"platform", "Platform", true, COLUMNS(platform), {HOOK(0x0b19)}},
    {"protection", "Protection", true, COLUMNS(protection), {HOOK(0x0b24)}},
    {"boot", "Boot", true, COLUMNS(boot), {HOOK(0x0b25)}},
    {"disks", "Disks", false, COLUMNS(disks), {HOOK(0x0b0b)}},
    {"volumes", "Volumes", false, COLUMNS(volumes), {HOOK(0x0b0c)}},
    {"paths", "Paths", false, COLUMNS(paths), {{MERGED, 0, "VolumeMapping"}}},
    {"mounts", "Mounted file systems", false, COLUMNS(mounts), {OWN("Mount")}},
    {"optical", "Optical drives", false, COLUMNS(optical), {HOOK(0x0b12)}},
    {"adapters",
     "Network adapters",
     false,
     COLUMNS(adapters),
     {HOOK(0x0b0d), {MERGED, 0, "Interface"}}},
    {"video", "Video", false, COLUMNS(video), {HOOK(0x0b0e)}},
    {"power", "Sleep states", true, COLUMNS(power), {HOOK(0x0b10)}},
    {"services", "Services", false, COLUMNS(services), {HOOK(0x0b0f)}},
    {"devices", "Devices", false, COLUMNS(devices), {HOOK(0x0b16)}},
    {"interrupts", "Interrupts", false, COLUMNS(interrupts), {HOOK(0x0b15)}},
};
enum { SECTIONS = sizeof sections / sizeof *sections, WINDOWS = 1, LINUX = 2 };

/* ---- rows ---------------------------------------------------------------------------------------- */

enum { ROWS_MOST = 1 << 12 }; /* of a section; a computer has some hundred devices */

struct rows {
    char (**cells)[CELL]; /* by row: its cells */
    uint32_t count;       /* rows, from 1 on */
    uint64_t left_out;
    const struct machine_section *section;
    struct hash_index index; /* by all cells */
};

static uint64_t hash_of_cells(const struct rows *r, char (*cells)[CELL])
{
    uint64_t h = HASH_START;
    for (unsigned i = 0; i < r->section->column_count; i++)
        h = hash_bytes(h, cells[i], strlen(cells[i]) + 1);
    return hash_mix(h);
}

static uint64_t hash_of_row(const void *owner, uint32_t number)
{
    const struct rows *const r = owner;
    return hash_of_cells(r, r->cells[number]);
}

static void rows_init(struct rows *r, const struct machine_section *section)
{
    *r = (struct rows){.section = section, .cells = mem_new(ROWS_MOST, sizeof *r->cells), .count = 1};
    hash_index_init(&r->index, 64);
}

static void rows_fini(struct rows *r)
{
    for (uint32_t i = 1; i < r->count; i++)
        free(r->cells[i]);
    free(r->cells);
    hash_index_fini(&r->index);
}

static bool is_same(const struct rows *r, char (*a)[CELL], char (*b)[CELL])
{
    for (unsigned i = 0; i < r->section->column_count; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

/* Lists are filled by records of several kinds: adds what the newest row does not have yet. False
 * where both say something of a column, and not the same. */
static bool rows_fill(struct rows *r, char (*cells)[CELL])
{
    char(*const row)[CELL] = r->cells[r->count - 1];
    if (!r->section->is_list || r->count == 1)
        return false;
    for (unsigned i = 0; i < r->section->column_count; i++)
        if (row[i][0] && cells[i][0] && strcmp(row[i], cells[i]) != 0)
            return false;
    for (unsigned i = 0; i < r->section->column_count; i++)
        if (!row[i][0])
            memcpy(row[i], cells[i], CELL);
    return true;
}

/* Takes the cells over. Sessions that ran one after the other describe the same machine. */
static void rows_add(struct rows *r, char (*cells)[CELL])
{
    if (rows_fill(r, cells)) {
        free(cells);
        return;
    }
    uint32_t at = hash_index_first(&r->index, hash_of_cells(r, cells)), number;
    while ((number = r->index.numbers[at]) != 0 && !is_same(r, r->cells[number], cells))
        at = hash_index_next(&r->index, at);
    if (number || r->count == ROWS_MOST) {
        r->left_out += !number;
        free(cells);
        return;
    }
    r->cells[r->count] = cells;
    hash_index_put(&r->index, at, r->count++, hash_of_row, r);
}

struct machine_page {
    struct rows rows[SECTIONS];
    bool has_records; /* of more than the header that each trace has */
};

/* ---- records ------------------------------------------------------------------------------------- */

static const struct decoded *field_of(const struct decoded *fields, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count && fields[i].is_present; i++)
        if (strcmp(fields[i].field->name, name) == 0)
            return &fields[i];
    return NULL;
}

/* False where a factor is missing or no number. */
static bool product_of(const struct machine_column *c, const struct decoded *fields, unsigned count,
                       uint64_t *out)
{
    *out = 1;
    for (unsigned i = 0; i < FACTORS && c->fields[i]; i++) {
        const struct decoded *const d = field_of(fields, count, c->fields[i]);
        if (!d || decode_is_text(d) || __builtin_mul_overflow(*out, d->number, out))
            return false;
    }
    return true;
}

/* As a number or as so many bytes. */
static void put_first_address(const struct machine_column *c, const struct decoded *fields,
                              unsigned count, char out[CELL])
{
    for (unsigned i = 0; i < FACTORS && c->fields[i]; i++) {
        const struct decoded *const d = field_of(fields, count, c->fields[i]);
        uint64_t number = d ? d->number : 0;
        for (size_t byte = 0; d && d->field->type == FIELD_BYTES && byte < d->bytes && byte < 6;
             byte++)
            number |= (uint64_t)d->data[byte] << 8 * byte;
        if (d && !decode_is_text(d))
            machine_put_hardware_address(number, out, CELL);
    }
}

static void put_cell(const struct machine_column *c, const struct decoded *fields, unsigned count,
                     char out[CELL])
{
    uint64_t number;
    out[0] = '\0';
    if (c->put == machine_put_hardware_address) {
        put_first_address(c, fields, count, out);
        return;
    }
    if (c->put) {
        if (product_of(c, fields, count, &number))
            c->put(number, out, CELL);
        return;
    }
    for (unsigned i = 0; i < FACTORS && c->fields[i] && !out[0]; i++) {
        const struct decoded *const d = field_of(fields, count, c->fields[i]);
        if (d)
            decode_show(d, false, out, CELL);
    }
}

static const char *name_of_merged(const struct event *e)
{
    const char *class, *name;
    if (e->kind == HEADER_MANIFEST)
        return NULL;
    decode_name(e, &class, &name);
    return strcmp(class, "SysConfigEx") == 0 ? name : NULL;
}

static bool is_from(const struct origin *o, uint16_t hook, const char *merged, const char *own)
{
    const char *const name = o->is == MERGED ? merged : o->is == TRACETOP ? own : NULL;
    return o->is == KERNEL ? o->hook == hook && !merged && !own
                           : name && strcmp(o->event, name) == 0;
}

static unsigned section_of(const struct event *e)
{
    const bool is_kernel = header_is_kernel((enum header_kind)e->kind);
    const char *const merged = is_kernel ? NULL : name_of_merged(e);
    const char *const own = is_kernel || merged ? NULL : tracetop_event_name(e);
    if (!is_kernel && !merged && !own)
        return SECTIONS;
    for (unsigned s = 0; s < SECTIONS; s++)
        for (unsigned i = 0; i < ORIGINS; i++)
            if (is_from(&sections[s].from[i], e->id, merged, own))
                return s;
    return SECTIONS;
}

/* As many as were found; names are good as long as the record and `room` are. */
static unsigned fields_of(const struct event *e, struct tracelogging *room,
                          struct decoded fields[DECODE_FIELDS])
{
    const bool is_own = !header_is_kernel((enum header_kind)e->kind) && tracetop_event_name(e);
    const struct payload_layout *const l = !is_own                      ? decode_layout(e)
                                           : tracelogging_read(e, room) ? &room->layout
                                                                        : NULL;
    return l ? decode_fields(l, e, fields, DECODE_FIELDS) : 0;
}

/* An interface that is a driver's, between another one and its protocols. */
static bool is_filter(const struct decoded *fields, unsigned count)
{
    enum { FILTER = 2 };
    const struct decoded *const flags = field_of(fields, count, "StatusFlags");
    return flags && flags->number & FILTER;
}

bool machine_page_take(struct machine_page *p, const struct event *e)
{
    struct decoded fields[DECODE_FIELDS];
    struct tracelogging room;
    const unsigned s = section_of(e);
    const unsigned count = s < SECTIONS ? fields_of(e, &room, fields) : 0;
    if (!count)
        return false;
    if (is_filter(fields, count))
        return true;
    char (*const cells)[CELL] = mem_new(sections[s].column_count, sizeof *cells);
    p->has_records |= s != WINDOWS || !header_is_kernel((enum header_kind)e->kind);
    for (unsigned i = 0; i < sections[s].column_count; i++)
        put_cell(&sections[s].columns[i], fields, count, cells[i]);
    rows_add(&p->rows[s], cells);
    return true;
}

struct machine_page *machine_page_new(void)
{
    struct machine_page *const p = mem_new(1, sizeof *p);
    for (unsigned s = 0; s < SECTIONS; s++)
        rows_init(&p->rows[s], &sections[s]);
    return p;
}

void machine_page_free(struct machine_page *p)
{
    for (unsigned s = 0; p && s < SECTIONS; s++)
        rows_fini(&p->rows[s]);
    free(p);
}

bool machine_page_is_empty(const struct machine_page *p)
{
    return !p->has_records;
}

/* ---- text ---------------------------------------------------------------------------------------- */

/* Columns on the screen. */
static size_t columns_of(const char *text)
{
    return text_width(text, strlen(text));
}

static size_t width_of(const struct rows *r, unsigned column)
{
    size_t width = columns_of(r->section->columns[column].heading);
    for (uint32_t i = 1; i < r->count; i++) {
        const size_t its = columns_of(r->cells[i][column]);
        width = its > width ? its : width;
    }
    return width;
}

static void print_padded(FILE *out, const char *text, size_t width, bool is_last)
{
    show(out, "%s", text);
    for (size_t n = columns_of(text); !is_last && n < width + 2; n++)
        putc(' ', out);
}

static void print_table(const struct rows *r, FILE *out)
{
    const struct machine_section *const s = r->section;
    size_t widths[COLUMNS_MOST];
    for (unsigned c = 0; c < s->column_count; c++)
        widths[c] = width_of(r, c);
    for (uint32_t i = 0; i < r->count; i++) {
        fputs("  ", out);
        for (unsigned c = 0; c < s->column_count; c++)
            print_padded(out, i ? r->cells[i][c] : s->columns[c].heading, widths[c],
                         c + 1 == s->column_count);
        putc('\n', out);
    }
}

static bool has_value(const struct rows *r, unsigned column)
{
    uint32_t i = 1;
    while (i < r->count && !r->cells[i][column][0])
        i++;
    return i < r->count;
}

static void print_list(const struct rows *r, FILE *out)
{
    const struct machine_section *const s = r->section;
    size_t width = 0;
    for (unsigned c = 0; c < s->column_count; c++)
        if (has_value(r, c) && columns_of(s->columns[c].heading) > width)
            width = columns_of(s->columns[c].heading);
    for (uint32_t i = 1; i < r->count; i++)
        for (unsigned c = 0; c < s->column_count; c++)
            if (r->cells[i][c][0]) {
                fputs("  ", out);
                print_padded(out, s->columns[c].heading, width, false);
                show(out, "%s\n", r->cells[i][c]);
            }
}

/* A trace of Linux has a header as Windows writes it. */
static bool is_shown(const struct machine_page *p, unsigned section)
{
    return p->rows[section].count > 1 && (section != WINDOWS || p->rows[LINUX].count == 1);
}

void machine_page_text(const struct machine_page *p, FILE *out)
{
    const struct rows *const all = p->rows;
    bool is_first = true;
    for (unsigned s = 0; s < SECTIONS; s++) {
        if (!is_shown(p, s))
            continue;
        fputs(is_first ? "" : "\n", out);
        show(out, "%s\n", sections[s].title);
        if (sections[s].is_list)
            print_list(&all[s], out);
        else
            print_table(&all[s], out);
        if (all[s].left_out)
            show(out, "  (%" PRIu64 " more)\n", all[s].left_out);
        is_first = false;
    }
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

void machine_page_json(const struct machine_page *p, FILE *out)
{
    const struct rows *const all = p->rows;
    fputs("{\"schema\":\"tracetop.machine.1\"", out);
    for (unsigned s = 0; s < SECTIONS; s++) {
        show(out, ",\n\"%s\":[", sections[s].id);
        for (uint32_t i = 1; is_shown(p, s) && i < all[s].count; i++) {
            fputs(i > 1 ? ",\n  {" : "\n  {", out);
            for (unsigned c = 0; c < sections[s].column_count; c++) {
                show(out, "%s\"%s\":", c ? "," : "", sections[s].columns[c].id);
                json_text(out, all[s].cells[i][c]);
            }
            putc('}', out);
        }
        putc(']', out);
    }
    fputs("}\n", out);
}
