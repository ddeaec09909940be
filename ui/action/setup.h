/* The setup screen: settings, and the themes. */
#ifndef UI_ACTION_SETUP_H
#define UI_ACTION_SETUP_H

#include "ui/state/chooser.h"

extern const struct chooser_source setup_source, setup_themes;

#endif
