/* Crumbs, by kind: one table in crumb.c. */
#ifndef SRC_VIEW_CRUMB_H
#define SRC_VIEW_CRUMB_H

#include "src/frame/frame.h"

/* Bits of enum fact_class: the operations whose call trees are shown below the crumb; 0: it does
 * not say. Any thread. */
uint32_t crumb_classes(const struct crumb *c);

#endif
