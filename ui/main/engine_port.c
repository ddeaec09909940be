#include "ui/main/engine_port.h"

static void port_request(void *state, const struct request *r, unsigned count)
{
    engine_request_all(state, r, count);
}

static void port_command(void *state, const struct command *c)
{
    engine_command(state, c);
}

static void port_release(void *state, struct frame *f)
{
    (void)state;
    frame_free(f);
}

struct app_port engine_port(struct engine *e)
{
    return (struct app_port){
        .state = e,
        .request = port_request,
        .command = port_command,
        .release = port_release,
    };
}
