#include "collectors/linux/translate/status.h"

#include "src/event/status.h"

uint32_t status_of_result(int64_t result)
{
    enum { ERRORS = 4095 }; /* the kernel's own range; below are addresses and offsets */
    return result >= 0 || result < -ERRORS ? 0 : status_of_errno((unsigned)-result);
}
