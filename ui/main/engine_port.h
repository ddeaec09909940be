/* The app's port to a real engine. */
#ifndef UI_MAIN_ENGINE_PORT_H
#define UI_MAIN_ENGINE_PORT_H

#include "ui/state/app.h"

struct app_port engine_port(struct engine *e);

#endif
