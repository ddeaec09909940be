#include "src/os/stimulus_parts.h"

#include "src/os/os.h"

bool stimulus_sleep(struct stimulus_ids *ids, struct err *err)
{
    (void)ids, (void)err;
    for (unsigned i = 0; i < SLEEPS; i++)
        os_sleep(STIMULUS_SLEEP_NS);
    return true;
}

bool stimulus_calculate(struct stimulus_ids *ids, struct err *err)
{
    const int64_t end = os_thread_cpu_time() + STIMULUS_WORK_NS;
    volatile uint64_t sum = 0;
    (void)ids, (void)err;
    while (os_thread_cpu_time() < end)
        for (unsigned i = 0; i < 100000; i++)
            sum = sum * 31 + i;
    return true;
}
