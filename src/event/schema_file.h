/* The files of schemas that the user names (--schema): instrumentation manifests, in XML and in
 * programs and libraries of Windows. The main thread reads them before any other begins; then they
 * do not change, and any thread may ask. */
#ifndef SRC_EVENT_SCHEMA_FILE_H
#define SRC_EVENT_SCHEMA_FILE_H

#include "src/event/manifest/manifest.h"

struct schema_file {
    char *name; /* as the user wrote it */
    struct manifest *manifest;
};

/* Reads the file; false with a sentence that names it. Where several files define an event, the first
 * one counts. A file of messages alone (.mui) adds them to the file before it. */
bool schema_file_add(const char *path, struct err *err);

/* The file of that number, NULL behind the last. */
const struct schema_file *schema_file_at(unsigned index);

void schema_files_clear(void);

#endif
