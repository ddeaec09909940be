/* Accounts that are the same on every Windows, by their security identifiers. */
#ifndef SRC_EVENT_ACCOUNT_H
#define SRC_EVENT_ACCOUNT_H

#include "src/event/decode.h"

/* "NETWORK SERVICE" of "S-1-5-20"; NULL where it is another one. */
const char *account_of_sid(const char *sid);

/* Likewise, of a field that is one; NULL of other fields. */
const char *account_of_field(const struct decoded *d);

#endif
