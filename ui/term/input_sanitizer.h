/* The input sanitizer: what a terminal sends, without what must not reach libtermkey. Version
 * 0.22 looks up a CSI sequence by its last byte and the private mark before its
 * parameters together, far outside its table: "CSI ? A" is enough to crash it. So
 * only plain sequences and SGR mouse reports pass, whole; and only whole UTF-8. */
#ifndef UI_TERM_INPUT_SANITIZER_H
#define UI_TERM_INPUT_SANITIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SANITIZER_HELD = 32 }; /* the longest sequence with a meaning is shorter */

struct input_sanitizer {
    uint8_t held[SANITIZER_HELD]; /* a beginning whose end has not come */
    unsigned count;
    bool is_utf8;  /* else bytes above 7f are dropped */
    bool swallows; /* a sequence that will not pass, up to its last byte */
};

/* Takes a byte; writes what may pass (at most SANITIZER_HELD bytes) and returns how many. */
size_t sanitizer_byte(struct input_sanitizer *s, uint8_t byte, uint8_t out[SANITIZER_HELD]);

/* Nothing came for a while: what is held was meant as it stands (an Esc, say). */
size_t sanitizer_flush(struct input_sanitizer *s, uint8_t out[SANITIZER_HELD]);

#endif
