/* The records of processes, threads and images: their start and end from kernel events, and the
 * state that a walk found (helper.h). Layouts of a current 64-bit Windows.
 *
 * Where those have no field, events of tracetop's provider have it:
 *
 *   Machine  what runs here: system, release, version and machine as uname(2) has them, the
 *            distribution's name ("": not known), and when it was started, ns since 1970 (0: not
 *            known)
 *   Topology how many packages, cores, processors and memory nodes there are, and the caches of the
 *            first processor
 *   Mount    a file system of a disk: its device, the folder, its type, bytes of a cluster, how
 *            many clusters there are and how many are free (0: not known)
 *   Exec     the process runs another program from here on, which is no end and no start: its
 *            name, the path as the caller gave it, and the arguments with blanks between them
 *            ("" where the system does not say)
 *   Rename   the process gave itself another name
 *   Command  of a process that called exec (or whose name was not known) a moment before, as
 *            /proc has it: parent, session, name, path of the file, arguments
 *   Owner    whose process it is from here on: the effective user's number, and name ("" where the
 *            system has none for it). A process that was forked is its creator's until then
 *   Mapping  of the image before it: where in which file its bytes are, and the file's build id
 *            where the kernel has it (in place of device and inode)
 *
 * A process that was forked runs what its parent runs, with its parent's images, until Exec. */
#ifndef COLLECTORS_LINUX_TRANSLATE_TASK_RECORD_H
#define COLLECTORS_LINUX_TRANSLATE_TASK_RECORD_H

#include "collectors/linux/kernel/side_band.h"
#include "collectors/linux/translate/translate.h"

enum {
    HOOK_PROCESS_START = 0x0301,
    HOOK_PROCESS_END = 0x0302,
    HOOK_PROCESS_RUNDOWN = 0x0303,
    HOOK_THREAD_START = 0x0501,
    HOOK_THREAD_END = 0x0502,
    HOOK_THREAD_RUNDOWN = 0x0503,
    HOOK_THREAD_NAME = 0x0548,
    HOOK_IMAGE_LOAD = 0x030a,
    HOOK_IMAGE_UNLOAD = 0x1402,
    HOOK_IMAGE_RUNDOWN = 0x1403,
    HOOK_FILE_RUNDOWN = 0x0424,
    HOOK_PHYSICAL_DISK = 0x0b0b,
    HOOK_LOGICAL_DISK = 0x0b0c,
};

/* Where and when a record is from: what its header says. */
struct record_from {
    uint32_t pid, tid;
    unsigned cpu;
    int64_t time;
};

struct process_record {
    uint32_t pid, parent, session;
    int32_t exit; /* of End: the program's code, or minus the signal; EXIT_STILL_ACTIVE */
    struct some_text name, command;
    bool has_owner;
    uint32_t uid; /* of its owner */
};

struct image_record {
    uint32_t pid;
    uint64_t base, size;
    struct some_text path;
    /* For Mapping: */
    uint64_t offset, dev, inode;
    const uint8_t *build_id;
    size_t build_id_bytes;
};

#define SESSION_UNKNOWN 0xffffffffu

/* A command line takes so many bytes in the table of processes and in a reply. */
enum { TASK_COMMAND_BYTES = 1023 };

/* Copies a command line without a NUL; a longer one is cut behind a whole character and ends with
 * "…". How many bytes were written: `room` at most, which is larger than the mark. */
size_t task_cut_text(char *out, size_t room, struct some_text text);

/* STATUS_PENDING: while it runs, and where the kernel does not say how it ended. No program's
 * code is so large. */
enum { EXIT_STILL_ACTIVE = 0x103 };

void put_process(struct translator *t, unsigned hook, const struct record_from *from,
                 const struct process_record *p);
void put_thread(struct translator *t, unsigned hook, const struct record_from *from, uint32_t pid,
                uint32_t tid, struct some_text name);
void put_thread_name(struct translator *t, const struct record_from *from, uint32_t pid,
                     uint32_t tid, struct some_text name);

/* The image, and behind it its Mapping unless it is unloaded or of no file. */
void put_image(struct translator *t, unsigned hook, const struct record_from *from,
               const struct image_record *i);

void put_exec(struct translator *t, const struct record_from *from, uint32_t pid,
              struct some_text name, struct some_text path, struct some_text arguments);
void put_rename(struct translator *t, const struct record_from *from, uint32_t pid,
                struct some_text name);
void put_owner(struct translator *t, const struct record_from *from, uint32_t pid, uint32_t uid,
               const char *name);
void put_command(struct translator *t, const struct record_from *from,
                 const struct process_record *p, struct some_text path);

#endif
