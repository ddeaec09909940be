/* Which PDB belongs to which image, for readers on other machines: the records of class ImageId
 * that Windows' tools for merging put before each image (Info, and DbgID_RSDS or None). They come
 * from the image's file, which must lie on this machine and have the time stamp of the event; a
 * file is read once. Files may hold anything, and whole reads are bounded: some hundred bytes of a
 * file, and ten seconds for all files together, after which no further one is opened. One thread.
 */
#ifndef SRC_TRACE_IMAGE_IDS_H
#define SRC_TRACE_IMAGE_IDS_H

#include "src/event/event.h"

struct image_ids;

struct image_ids *image_ids_new(void);
void image_ids_free(struct image_ids *ids); /* NULL is fine */

/* An image that is loaded, or is listed at either end? Of most records two looks. */
bool image_ids_is_image(const struct record_head *head, const uint8_t *record);

enum { IMAGE_ID_RECORDS = 2, IMAGE_ID_ROOM = 1024 };

/* Records to go before an image's, each with its time and processor. */
struct image_id_records {
    unsigned count; /* 0: the file is not here, is another build, or no image */
    struct record_head heads[IMAGE_ID_RECORDS];
    uint8_t records[IMAGE_ID_RECORDS][IMAGE_ID_ROOM];
};
void image_ids_of(struct image_ids *ids, const struct record_head *head, const uint8_t *record,
                  struct image_id_records *out);

/* Images whose files were not opened any more. */
uint64_t image_ids_left_out(const struct image_ids *ids);

#endif
