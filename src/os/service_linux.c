/* Services are those of systemd here. See src/os/service.h for the promises. */
#include "src/os/service.h"

static const char SENTENCE[] =
    "on Linux a service manager runs recorders: 'tracetop recorder unit' "
    "prints a unit for systemd";

bool service_install(const char *name, const char *title, const char *const *words, struct err *err)
{
    (void)name, (void)title, (void)words;
    return fail(err, "%s", SENTENCE);
}

bool service_remove(const char *name, struct err *err)
{
    (void)name;
    return fail(err, "%s", SENTENCE);
}

bool service_begin(const char *name, struct err *err)
{
    (void)name;
    return fail(err, "%s", SENTENCE);
}

void service_running(void)
{
}

void service_end(int status)
{
    (void)status;
}
