/* Requests that come by other ways than the console's. */
#ifndef SRC_OS_SIGNALS_WINDOWS_H
#define SRC_OS_SIGNALS_WINDOWS_H

/* As if these (OS_TERMINATED, …: src/os/os.h) had come from the console. Any thread. */
void os_signal(unsigned signals);

#endif
