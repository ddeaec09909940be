/* The table of domains: a row per subject, in to_<subject>.c. Rows are apart so that
 * branches meet as little as may be. */
#include "collectors/linux/translate/translate.h"

extern const struct linux_domain domain_stack;
extern const struct linux_domain domain_task;
extern const struct linux_domain domain_image;
extern const struct linux_domain domain_switch;
extern const struct linux_domain domain_network;
extern const struct linux_domain domain_file;
extern const struct linux_domain domain_profile;
extern const struct linux_domain domain_fault;
extern const struct linux_domain domain_disk;
extern const struct linux_domain domain_interrupt;
extern const struct linux_domain domain_call;
extern const struct linux_domain domain_gauge;
extern const struct linux_domain domain_tracepoint;
extern const struct linux_domain domain_function;

const struct linux_domain *const linux_domains[DOMAINS] = {
    [DOMAIN_STACK] = &domain_stack,

    /* Processes and threads. */
    [DOMAIN_TASK] = &domain_task,

    /* Executable mappings. */
    [DOMAIN_IMAGE] = &domain_image,

    /* Context switches and wake-ups. */
    [DOMAIN_SWITCH] = &domain_switch,

    /* Page faults. */
    [DOMAIN_FAULT] = &domain_fault,

    /* Block devices. */
    [DOMAIN_DISK] = &domain_disk,

    /* TCP and UDP. */
    [DOMAIN_NETWORK] = &domain_network,

    /* Operations on files. */
    [DOMAIN_FILE] = &domain_file,

    /* Interrupts and softirqs. */
    [DOMAIN_INTERRUPT] = &domain_interrupt,

    /* System calls. */
    [DOMAIN_CALL] = &domain_call,

    /* Samples of running code. */
    [DOMAIN_PROFILE] = &domain_profile,

    /* What no event says: memory, load. */
    [DOMAIN_GAUGE] = &domain_gauge,

    /* What the user asks for by name. */
    [DOMAIN_TRACEPOINT] = &domain_tracepoint,

    /* Likewise, functions of programs. */
    [DOMAIN_FUNCTION] = &domain_function,
};
