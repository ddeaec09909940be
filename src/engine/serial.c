/* Numbers under which rows keep what passed a filter. */
#include "src/engine/inside.h"

/* Cached matches stand in rows that all views share, under numbers: each view has its own, and one
 * that is opened anew goes on behind those of the one before. */
enum { SERIALS = 1 << 26 };

uint32_t engine_first_serial(const struct engine *e, unsigned of)
{
    return e->filter_serials[of] ? e->filter_serials[of] : of * SERIALS;
}

void engine_keep_serial(struct engine *e, unsigned of, const struct view *v)
{
    e->filter_serials[of] = view_filter_serial(v);
}
