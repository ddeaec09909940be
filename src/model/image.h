/* Modules in memory, and which build each is of. */
#ifndef SRC_MODEL_IMAGE_H
#define SRC_MODEL_IMAGE_H

#include "src/base/bytes.h"
#include "src/model/fact_builder.h"
#include "src/model/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUILD_ID_MAX = 20 };

/* The build of a module: a symbol file is used only when it has the same values. 0 = unknown. */
struct build {
    uint32_t number;
    uint8_t id_bytes;
    uint8_t id[BUILD_ID_MAX];   /* ELF: its build id … */
    uint64_t device, inode;     /* … and where the file lay */
    uint32_t stamp, image_size; /* PE: TimeDateStamp and SizeOfImage */
    struct guid pdb_guid;       /* PE: of its PDB … */
    uint32_t pdb_age;
    char *pdb;                  /* … and where that lay when it was linked; or NULL */
};

/* A module in somebody's memory, for as long as it is known to have been there. */
struct image {
    uint32_t number;
    uint32_t process;           /* that it was listed for; kernel modules: System */
    uint32_t module;            /* a file: its path; 0 = not known */
    uint32_t build;             /* 0 = not known */
    uint64_t file_offset;       /* in the module, of the byte at `base` */
    uint8_t flags;
    bool is_narrow;             /* of a 32-bit system */
    uint64_t owner;             /* of its space, see image.c */
    uint64_t base, size;
    int64_t from_ns, until_ns;  /* INT64_MIN, INT64_MAX where no event says */
};

/* The images of one process or of the kernel, in order of their bases. */
struct image_space {
    uint64_t owner;
    uint32_t *numbers;
    uint32_t count, room;
    uint32_t epoch;             /* grows when a range gets another image */
    uint64_t largest;           /* size of the largest image it ever had */
    uint32_t next_free;
};

/* Addresses of 32-bit systems are kept sign-extended, so that there is one line
 * between programs and kernel (x86 without the /3GB switch). */
static inline uint64_t model_address(const struct event *e, uint64_t address)
{
    return e->pointer == 4 ? (uint64_t)(int64_t)(int32_t)(uint32_t)address : address;
}

static inline bool is_kernel_address(uint64_t address)
{
    return address >= 0xffff800000000000u;
}

/* Where an image begins, as its system writes it. */
static inline uint64_t model_address_shown(const struct image *i)
{
    return i->is_narrow ? i->base & UINT32_MAX : i->base;
}

struct image_event {
    uint64_t base, size;
    bool is_narrow;
    int64_t time;
    enum fact_op op;  /* OP_START, OP_END, OP_RUNDOWN */
    const char *path; /* or NULL */
};

/* The image an event is about; opens and closes it. Number. */
uint32_t model_image(struct model *m, source_id source, uint32_t process,
                     const struct image_event *e);
/* The image that lies, or lay last, at this base at that time; else one that ever did. 0 = none. */
uint32_t model_image_based(const struct model *m, source_id source, uint32_t process,
                           uint64_t base, int64_t time);
/* Its process has ended. */
void model_images_end(struct model *m, uint32_t process);

/* Numbers of the images that were listed for a process itself (not for whom it was forked from),
 * those that are gone included; good until the next event. */
const uint32_t *model_images(const struct model *m, uint32_t process, uint32_t *count);
/* The image that had this address at that time, or 0. */
uint32_t model_image_at(const struct model *m, source_id source, uint32_t process,
                        uint64_t address, int64_t time);
/* Changes when an address of the process (or of its kernel) may mean another image. */
uint32_t model_image_epoch(const struct model *m, source_id source, uint32_t process);
/* A module by its path; a file of the model. */
uint32_t model_module(struct model *m, const char *path);
/* Its file name without the path, or NULL. */
const char *model_module_name(const struct model *m, const struct image *i);
void model_images_fini(struct model *m);

/* An event's part of the build of an image; adds to what is known. `more->pdb` is copied. */
void model_image_built(struct model *m, uint32_t image, const struct build *more);
make_fact make_mapping;
/* Of records that a merge adds about images; NULL for all others. */
const struct fact_builder *fact_builder_of_build(const struct event *e);
void model_builds_init(struct model *m);
void model_builds_fini(struct model *m);

#endif
