/* Colors as people see them: distances, contrast, and what those see who lack a kind of cone.
 * An rgb is 0xrrggbb. */
#ifndef UI_THEME_COLOR_H
#define UI_THEME_COLOR_H

#include <stdint.h>

/* Oklab: a space in which equal distances look about equal; l is lightness, 0 … 1. */
struct lab {
    double l, a, b;
};

struct lab color_lab(uint32_t rgb);
uint32_t color_of_lab(struct lab c);

/* The square of how far apart two are. */
double color_distance2(struct lab x, struct lab y);

/* As WCAG counts it: 1 … 21. */
double color_contrast(uint32_t x, uint32_t y);

enum vision { VISION_NORMAL, VISION_DEUTAN, VISION_PROTAN, VISION_TRITAN, VISIONS };

/* "deutan", "protan", "tritan"; "" of normal vision. */
const char *vision_name(enum vision vision);

/* The color that looks to others as this one looks to those. */
uint32_t color_seen(uint32_t rgb, enum vision vision);

#endif
