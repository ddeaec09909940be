/* Sites: what the addresses of a stack mean, as far as it is known by now: which image, which
 * function, whose code. Everything that shows stacks asks here, so that a frame is called the
 * same everywhere. Engine's thread. */
#ifndef SRC_SYMBOL_SITE_H
#define SRC_SYMBOL_SITE_H

#include "src/model/model.h"
#include "src/symbol/symbol.h"

enum site_mode { SITE_KERNEL, SITE_USER, SITE_MANAGED, SITE_DRIVER, SITE_MODES };

struct site {
    uint32_t image;    /* number; 0 = in none that is known */
    uint32_t build;    /* of the image, as far as it is known */
    uint32_t module;   /* its path: a file of the model; 0 = not known */
    uint32_t function; /* 0 = none (yet): equal functions of a module have equal numbers */
    uint8_t mode;      /* enum site_mode */
    uint8_t state;     /* enum symbol_state: ASKED may become FOUND */
    uint64_t at;       /* where in the module (of Linux: in the file); without one, the address */
};

struct sites {
    struct symbols *symbols; /* NULL: none are wanted */
    struct map modules;      /* module → whose code it is, + 1 */
    struct map images;       /* image and build → number of symbols_image() */
};

void sites_init(struct sites *s, struct symbols *symbols);
void sites_fini(struct sites *s);

/* The site of frames[index] of a stack (model_stack_frames(): innermost first). What another
 * frame called returns behind the call: the function is looked up a byte before. */
struct site site_of(struct sites *s, const struct model *m, const struct stack *stack,
                    const uint64_t *frames, unsigned index);

/* Tells a frame apart from others of its module: the same for all addresses of a function. */
static inline uint64_t site_id(const struct site *s)
{
    return s->function ? 1ull << 63 | s->function : s->at;
}

/* The function's name, "" where there is none; as long as the model and the symbols. */
const char *site_function(const struct sites *s, const struct model *m, uint32_t function);

/* "k", "u", "m", "d". */
const char *site_letter(enum site_mode mode);

/* "module!function", "module!+0x1234", "0x7ff612345678": as frames are called. Returns `out`. */
char *site_text(const struct sites *s, const struct model *m, const struct site *site, char *out,
                size_t room);

/* Which image a site's symbols are asked of: a number for symbols_origin(), symbols_lines();
 * *offset: where in it. 0 = of none. */
uint32_t site_symbols(struct sites *s, const struct model *m, const struct stack *stack,
                      const struct site *site, uint64_t address, uint64_t *offset);

#endif
