/* Symbols: from an address to a name, never blocking, never wrong.
 *
 * The engine asks and goes on; a worker thread of its own opens files, and what it finds is
 * there the next time somebody asks. Names come by file and offset, so one answer serves every
 * process that has the file mapped. Where it cannot be proved that the file at hand is the one
 * that ran (another build id, another GUID and age), there is no name and a sentence why.
 *
 * Files that are missing may be downloaded (struct symbol_downloads), by another thread. Until then
 * the questions that they may answer wait; what else names an address does not.
 *
 * Threads: all functions here belong to the engine's thread. Between it and the worker go two
 * lists that change hands as a whole by atomic exchange (questions there, answers back); images
 * never change and are counted by who holds them.
 *
 * Bounds: SYMBOL_WAITING questions at once (what does not fit is asked again when it is met
 * again), SYMBOL_ANSWERS answers, SYMBOL_IMAGES images, SYMBOL_TEXT bytes of names: of each, those
 * that nobody has met for the longest time make room, and what had a name then is asked again when
 * it is met again. A failed lookup is an answer, too, and is kept. */
#ifndef SRC_SYMBOL_SYMBOL_H
#define SRC_SYMBOL_SYMBOL_H

#include "src/base/guid.h"
#include "src/os/os.h"
#include "src/symbol/download_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SYMBOL_WAITING = 1 << 16,
    SYMBOL_ANSWERS = 1 << 19, /* of 56 bytes, on demand */
    SYMBOL_IMAGES = 1 << 16,
    SYMBOL_TEXT = 32 << 20,
    SYMBOL_NAME_MAX = 1024, /* longer names are cut */
    SYMBOL_BUILD_MAX = 20,  /* bytes of a build id */
    SYMBOL_INLINED = 16,    /* frames that one address may stand for */
};

enum symbol_system {
    SYMBOL_OF_WINDOWS, /* a PE file; offsets are from its base (RVA) */
    SYMBOL_OF_ELF,     /* offsets are in the file */
    SYMBOL_OF_KERNEL,  /* Linux's own text or a module's: offsets are from its base */
    SYMBOL_OF_VDSO,    /* offsets are from its base */
    SYMBOL_OF_JIT,     /* code that a process made: offsets are addresses */
};

/* Which file ran, and how to get at it. What is not known is 0 or "". */
struct symbol_image {
    uint8_t system;       /* enum symbol_system */
    bool is_live;         /* of this machine, as it runs now */
    const char *path;     /* as its system writes it */
    uint32_t pid;         /* live: a process that has it … */
    uint32_t process;     /* … and a number that no other process has: pids come back */
    uint64_t base, size;  /* where in that process (or in the kernel) */
    uint64_t file_offset; /* of the first byte at `base` */
    /* Proof that a file is the one that ran: */
    uint8_t build[SYMBOL_BUILD_MAX]; /* ELF: its build id */
    uint8_t build_bytes;
    uint64_t dev, inode;        /* ELF, live: where there is no build id */
    uint32_t stamp, image_size; /* PE: TimeDateStamp and SizeOfImage */
    struct guid pdb_guid;       /* PE: its RSDS record … */
    uint32_t pdb_age;
    const char *pdb; /* … and the path in it */
};

struct symbol_options {
    const char *path;     /* where to look besides: `--symbols`, else _NT_SYMBOL_PATH; or NULL */
    struct symbol_downloads downloads;
    struct os_wakeup *wakeup; /* rung when there are answers; may be NULL */
    size_t open_bytes; /* symbol tables of open files may take; 0: what is usual */
};

struct symbols;

struct symbols *symbols_new(const struct symbol_options *o);
/* The worker is waited for, but not long: one that does not end is left behind, with what it uses. NULL is fine. */
void symbols_free(struct symbols *s);

/* A number for an image, the same for equal ones as long as it is there; never 0, and never given
 * to another. Copies. */
uint32_t symbols_image(struct symbols *s, const struct symbol_image *i);

/* False when the image has made room for others: symbols_image() gives it a new number. */
bool symbols_has_image(const struct symbols *s, uint32_t image);

enum symbol_state {
    SYMBOL_ASKED, /* not known yet (of code that a process makes: it may come) */
    SYMBOL_FOUND,
    SYMBOL_NONE, /* and will not be */
};

struct symbol {
    enum symbol_state state;
    uint32_t name;        /* number: equal names have equal numbers; 0 unless FOUND */
    uint64_t start, size; /* of the function, as offsets */
};

/* What is known of an offset by now; when nothing is, the worker is asked. Constant time. */
struct symbol symbols_at(struct symbols *s, uint32_t image, uint64_t offset);

/* The text of a name, as long as the next symbols_take(); "" for 0 and when it has made room for
 * others: version has changed then, and symbols_at() asks again. */
const char *symbols_name(const struct symbols *s, uint32_t name);

/* Where an image's names come from, and why (some of) it has none: sentences, "" while nothing
 * is known. As long as the next symbols_take(). */
struct symbol_origin {
    const char *from, *why;
};
struct symbol_origin symbols_origin(const struct symbols *s, uint32_t image);

/* Source line and inlined functions of an offset, innermost first, read when asked for. */
struct symbol_line {
    const char *function, *file; /* "" where not known; as long as the next symbols_take() */
    uint32_t line;               /* 0 = not known */
};

/* How many lines are known by now; *state says whether there will be more. `out` has room for
 * SYMBOL_INLINED. */
unsigned symbols_lines(struct symbols *s, uint32_t image, uint64_t offset, struct symbol_line *out,
                       enum symbol_state *state);

/* Takes what the worker has found since; true when anything was. */
bool symbols_take(struct symbols *s);

struct symbol_figures {
    uint64_t version; /* grows with every name found: what was made of less is outdated */
    uint64_t asked, answered,
        named;        /* offsets, since the start; asked - answered are on their way */
    uint64_t put_off; /* questions for which there was no room then */
    uint64_t recycled; /* names and images that made room for others */
};
/* Memory of what is known by now, and of what the worker has open. */
size_t symbols_bytes(const struct symbols *s);
size_t symbols_open_bytes(const struct symbols *s);

struct symbol_figures symbols_figures(const struct symbols *s);

/* What is being downloaded. */
struct symbol_progress symbols_progress(const struct symbols *s);

#endif
