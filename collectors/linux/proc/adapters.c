/* Network adapters and their addresses. */
#include "collectors/linux/proc/hardware.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct adapters {
    struct proc *p;
    struct ifaddrs *addresses; /* of the network that this process lives in; may be NULL */
    char routed[64];           /* the adapter that leads to everywhere else; "": none */
    char dns[256];
    unsigned count;
    hardware_adapter *adapter;
    void *to;
};

static void append(char *list, size_t room, const char *text)
{
    const size_t used = strlen(list);
    if (used + strlen(text) + 2 <= room)
        snprintf(list + used, room - used, "%s%s", used ? ";" : "", text);
}

/* "nameserver 192.0.2.1"; what is no address is left out. */
static bool take_name_server(void *to, char *line, size_t length)
{
    (void)length;
    struct adapters *const s = to;
    char text[64], address[sizeof(struct in6_addr)];
    if (sscanf(line, " nameserver %63s", text) != 1)
        return true;
    text[strcspn(text, "%")] = '\0';
    if (inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1)
        append(s->dns, sizeof s->dns, text);
    return true;
}

/* "eth0 00000000 …": a route to everywhere. */
static bool take_route(void *to, char *line, size_t length)
{
    (void)length;
    struct adapters *const s = to;
    char name[64], destination[16];
    if (sscanf(line, "%63s %15s", name, destination) != 2 || strcmp(destination, "00000000") != 0)
        return true;
    snprintf(s->routed, sizeof s->routed, "%s", name);
    return false;
}

/* "02:fc:00:00:00:01" */
static void read_address(struct proc *p, const char *name, struct hardware_adapter *a)
{
    enum { BYTES = 6 };
    char path[128], text[128];
    unsigned b[BYTES];
    int end = 0;
    snprintf(path, sizeof path, "sys/class/net/%s/address", name);
    if (!hardware_line(p, path, text, sizeof text) ||
        sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &end) != BYTES ||
        text[end])
        return;
    for (unsigned i = 0; i < BYTES; i++)
        a->address |= (uint64_t)b[i] << 8 * i;
    a->address_bytes = a->address ? BYTES : 0;
}

static void add_addresses(const struct adapters *s, int family, struct hardware_adapter *a)
{
    for (const struct ifaddrs *i = s->addresses; i; i = i->ifa_next) {
        char text[INET6_ADDRSTRLEN];
        if (!i->ifa_addr || i->ifa_addr->sa_family != family || strcmp(i->ifa_name, a->name) != 0)
            continue;
        const void *const address =
            family == AF_INET ? (const void *)&((const struct sockaddr_in *)(const void *)i->ifa_addr)->sin_addr
                              : (const void *)&((const struct sockaddr_in6 *)(const void *)i->ifa_addr)->sin6_addr;
        if (inet_ntop(family, address, text, sizeof text))
            append(a->ip, sizeof a->ip, text);
    }
}

static bool take_adapter(void *to, const char *name)
{
    struct adapters *const s = to;
    struct hardware_adapter a = {.index = 0};
    char path[128], text[32];
    if (strlen(name) >= sizeof a.name)
        return true;
    snprintf(a.name, sizeof a.name, "%s", name);
    snprintf(path, sizeof path, "sys/class/net/%s/ifindex", name);
    if (!hardware_line(s->p, path, text, sizeof text))
        return true; /* no adapter: a file beside them */
    a.index = (uint32_t)strtoul(text, NULL, 10);
    read_address(s->p, name, &a);
    snprintf(path, sizeof path, "sys/class/net/%s/device/driver", name);
    hardware_link_name(s->p, path, a.driver, sizeof a.driver); /* virtual ones have none */
    /* /sys may show another network than the one that is asked. */
    if (if_nametoindex(name) == a.index) {
        add_addresses(s, AF_INET6, &a);
        add_addresses(s, AF_INET, &a);
    }
    if (strcmp(name, s->routed) == 0)
        snprintf(a.dns, sizeof a.dns, "%s", s->dns);
    s->adapter(s->to, &a);
    return ++s->count < HARDWARE_ADAPTERS;
}

void hardware_adapters(struct proc *p, hardware_adapter *adapter, void *to)
{
    struct adapters s = {.p = p, .adapter = adapter, .to = to};
    const uint64_t gone = p->gone;
    if (getifaddrs(&s.addresses) != 0)
        s.addresses = NULL;
    proc_lines(p, "etc/resolv.conf", take_name_server, &s);
    proc_lines(p, "proc/net/route", take_route, &s);
    proc_list(p, "sys/class/net", take_adapter, &s);
    if (s.addresses)
        freeifaddrs(s.addresses);
    p->gone = gone;
}
