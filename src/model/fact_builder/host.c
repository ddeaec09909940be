/* Names of hosts: the results of queries, of which each names addresses. */
#include "src/base/address.h"
#include "src/model/fact_builder/helpers.h"

#include <string.h>

/* "type:  5 alias.example.com;::ffff:192.0.2.7;2001:db8::7;": addresses between semicolons, and
 * other records. */
static void name_each(struct model *m, const char *list, const char *name)
{
    for (const char *at = list; *at;) {
        uint8_t address[16] = {0};
        bool is_v6;
        at += strspn(at, ";, ");
        const char *end = at;
        if (address_read(&end, address, &is_v6) && (!*end || strchr(";, ", *end)))
            model_host_named(m, address, is_v6, name);
        at += strcspn(at, ";,");
    }
}

static void make_names(struct model *m, const struct event *e, const struct kind *k,
                       const char *name_field, const char *list_field)
{
    char name[NAME_ROOM], list[NAME_ROOM];
    kind_text(k, e, name_field, name, sizeof name);
    kind_text(k, e, list_field, list, sizeof list);
    if (*name)
        name_each(m, list, name);
}

void make_dns_results(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)f;
    make_names(m, e, k, "QueryName", "QueryResults");
}

void make_wininet_results(struct model *m, const struct event *e, const struct kind *k,
                          struct fact *f)
{
    (void)f;
    make_names(m, e, k, "HostName", "AddressList");
}
