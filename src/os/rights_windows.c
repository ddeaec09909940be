/* Windows gives a program its rights when it starts, and each is asked for where it is used. */
#include "src/os/rights.h"

void os_rights_start(void) {}

bool os_rights_settle(const struct os_rights_request *w, struct err *err)
{
    (void)w;
    (void)err;
    return true;
}

void os_rights_drop(void) {}

uint64_t os_rights_raise(unsigned rights)
{
    (void)rights;
    return 0;
}

void os_rights_return(uint64_t before)
{
    (void)before;
}

int os_rights_opened(const char *path)
{
    (void)path;
    return -1;
}
