/* Where the parts of the screen lie. */
#ifndef UI_STATE_LAYOUT_H
#define UI_STATE_LAYOUT_H

#include "ui/state/app.h"
#include "ui/state/meters.h"

struct layout {
    bool is_too_small;
    /* Height 0 = not shown. */
    struct rect machine, crumbs, header, totals, body, lack, strip, status, keys;
};
/* Of the screen, as if there were one pane; and, where there are several, with the current one's
 * lines as they stand in its own area (ui/state/splits.h). */
struct layout app_layout_whole(const struct app *a);
struct layout app_layout(const struct app *a);
struct meters_plan app_meters(const struct app *a);
int app_width(const struct app *a); /* cells that the current pane has */

#endif
