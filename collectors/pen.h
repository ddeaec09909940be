#ifndef COLLECTORS_PEN_H
#define COLLECTORS_PEN_H

#include "src/pen.h" /* IWYU pragma: export */

#endif
