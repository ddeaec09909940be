/* The processor's cycle counter, which a session may have as its clock (ClientContext 3). */
#ifndef COLLECTORS_WINDOWS_CYCLES_H
#define COLLECTORS_WINDOWS_CYCLES_H

#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>

static inline int64_t cycles_now(void)
{
    return (int64_t)__rdtsc();
}
#elif defined(__aarch64__)
/* The register that Windows lets programs read there (ReadTimeStampCounter() of winnt.h). */
static inline int64_t cycles_now(void)
{
    int64_t count;
    __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(count));
    return count;
}
#endif

#endif
