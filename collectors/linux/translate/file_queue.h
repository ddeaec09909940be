/* File events on their way: in order, and held back until it is known what their descriptors
 * mean, since the helper needs a moment to look that up. What takes too long goes without. The
 * collector's thread only.
 *
 * A *lookup* is a descriptor about which the helper was asked, or one that a call is about to
 * open. Its answer counts when no record of the stream says that the descriptor was closed
 * before the helper looked. */
#ifndef COLLECTORS_LINUX_TRANSLATE_FILE_QUEUE_H
#define COLLECTORS_LINUX_TRANSLATE_FILE_QUEUE_H

#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/open_files.h"
#include "collectors/linux/translate/translate.h"

enum { FILE_PATH = 1024 };

/* Types of FileIo (group 4), version 3. */
enum {
    FILE_NAME = 0x00,
    FILE_CREATE = 64,
    FILE_CLOSE = 66,
    FILE_READ,
    FILE_WRITE,
    FILE_SET_INFO,
    FILE_DELETE,
    FILE_RENAME,
    FILE_DIR_ENUM,
    FILE_FLUSH,
    FILE_QUERY_INFO,
    FILE_FS_CONTROL,
    FILE_OPERATION_END = 76,
};

struct file_op {
    int64_t time;
    uint32_t pid, tid;
    uint16_t cpu;
    uint8_t type;    /* FILE_* */
    uint32_t lookup; /* what object and key wait for; 0 = nothing */
    uint64_t irp, object, key;
    uint64_t offset;      /* reads and writes; info and end: ExtraInfo */
    uint32_t size, flags; /* size: or InfoClass, or NtStatus; flags: or CreateOptions */
};

struct file_queue;

struct file_queue *file_queue_new(struct translator *t, struct open_files *files);
void file_queue_free(struct file_queue *q);
/* Memory that it takes. */
size_t file_queue_bytes(const struct file_queue *q);

/* Takes the event over; its stack is that of `s`, where it has one. */
void file_queue_put(struct file_queue *q, const struct file_op *op, const struct sample *s);

/* Puts into the rings what can go; `now` is how far the stream is. */
void file_queue_drain(struct file_queue *q, int64_t now);
/* All of it, known or not. */
void file_queue_flush(struct file_queue *q);

/* A lookup for what a call is about to open, whose path is known where `path` is not NULL; 0
 * when there are too many. */
uint32_t file_lookup_open(struct file_queue *q, uint32_t pid, const char *path, size_t path_bytes,
                          int64_t time);
/* The path of such a call, which comes behind its beginning. */
void file_lookup_path(struct file_queue *q, uint32_t lookup, const char *path, size_t path_bytes);
/* The call failed: there is nothing to look up. */
void file_lookup_failed(struct file_queue *q, uint32_t lookup);
/* Looks up the entry's descriptor; `lookup` as of file_lookup_open(), or 0. Where the call had the
 * whole path, it is known at once. What cannot be looked up becomes OPEN_GONE. */
void file_lookup_ask(struct file_queue *q, struct open_file *f, uint32_t lookup, int64_t time);
/* Looks up the descriptor of a known entry once more, so that its file's name is recorded again.
 * The entry stays as it is where the descriptor has gone. False: the helper has too much to do. */
bool file_lookup_again(struct file_queue *q, struct open_file *f, int64_t time);
/* Whether an answer has come or can still come: the place of a lookup that waits long is given to
 * another. */
bool file_lookup_is_alive(struct file_queue *q, uint32_t lookup, int64_t now);
/* The descriptor was closed. */
void file_lookup_closed(struct file_queue *q, const struct open_file *f, int64_t time);
/* The helper's answer. */
void file_lookup_reply(struct file_queue *q, const struct reply *m);

/* Records the name of a key; false where that was done not long ago. */
bool file_name(struct file_queue *q, uint64_t key, const char *path, int64_t time);

#endif
