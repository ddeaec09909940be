/* Which of the readers a file is for, by its content. */
#include "src/event/manifest/binary.h"

enum { MESSAGES = 11 };

/* A program or library, or the resource of one. */
static bool read_compiled(struct manifest *m, struct byte_span file, struct err *err)
{
    if (span_begins(file, 0, "CRIM"))
        return manifest_read_wevt(m, file, err);
    const struct byte_span crim = pe_resource(file, "WEVT_TEMPLATE", 0);
    if (!crim.bytes)
        return fail(err, "it has no resource WEVT_TEMPLATE");
    if (!manifest_read_wevt(m, crim, err))
        return false;
    manifest_apply_messages(m, pe_resource(file, NULL, MESSAGES));
    return true;
}

static bool read_any(struct manifest *m, struct byte_span file, struct err *err)
{
    if (manifest_is_xml(file.at, file.bytes))
        return manifest_read_xml(m, file.at, file.bytes, err);
    if (span_begins(file, 0, "MZ") || span_begins(file, 0, "CRIM"))
        return read_compiled(m, file, err);
    return fail(err, "expected an instrumentation manifest in XML, or a program with one");
}

struct manifest *manifest_read(const void *bytes, size_t size, struct err *err)
{
    struct manifest *const m = manifest_new();
    if (read_any(m, (struct byte_span){bytes, size}, err) && manifest_finish(m, err))
        return m;
    manifest_free(m);
    return NULL;
}

bool manifest_take_messages(struct manifest *m, const void *bytes, size_t size)
{
    const struct byte_span table = pe_resource((struct byte_span){bytes, size}, NULL, MESSAGES);
    if (m->is_compiled && table.bytes)
        manifest_apply_messages(m, table);
    return m->is_compiled && table.bytes;
}
