/* Paths as people write them: drives in place of devices. */
#ifndef SRC_MODEL_VOLUME_H
#define SRC_MODEL_VOLUME_H

#include "src/model/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The path of a file with its drive in place of its device, as far as that is known by now; in
 * `room` or the name itself. NULL where there is no file or it has no name. */
const char *model_path(const struct model *m, const struct file *f, char *room, size_t bytes);
const char *model_path_of(const struct model *m, source_id source, const char *name, char *room,
                          size_t bytes);
/* Where a module was loaded from: shows which volume the system lies on. */
void model_volume_hint(struct model *m, source_id source, const char *image);
void model_volumes_fini(struct model *m);

#endif
