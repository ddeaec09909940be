#include "src/event/account.h"

#include <string.h>

const char *account_of_sid(const char *sid)
{
    static const struct {
        const char *sid, *name;
    } accounts[] = {
        {"S-1-5-18", "SYSTEM"}, {"S-1-5-19", "LOCAL SERVICE"}, {"S-1-5-20", "NETWORK SERVICE"}};
    for (size_t i = 0; i < sizeof accounts / sizeof *accounts; i++)
        if (strcmp(sid, accounts[i].sid) == 0)
            return accounts[i].name;
    return NULL;
}

const char *account_of_field(const struct decoded *d)
{
    const unsigned type = d->field->type;
    char text[32]; /* those that are known are shorter */
    if ((type != FIELD_SID && type != FIELD_BARE_SID) || !d->is_present || d->is_list)
        return NULL;
    decode_format(d, text, sizeof text);
    return account_of_sid(text);
}
