#include "src/event/schema_system.h"

#include <stddef.h>

static const struct schema_system *known;

void schema_system_set(const struct schema_system *system)
{
    known = system;
}

const struct schema_system *schema_system(void)
{
    return known;
}
