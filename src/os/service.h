/* A program that the service manager of Windows starts and stops. Linux has unit files instead
 * (`tracetop recorder unit`): there nothing is installed, and no process is a service in this
 * sense. service_windows.c, service_linux.c. Main thread. */
#ifndef SRC_OS_SERVICE_H
#define SRC_OS_SERVICE_H

#include "src/base/err.h"

enum { SERVICE_NAME = 128 };

/* A new service that runs this program with these words (NULL-terminated, without its name)
 * whenever the machine starts, and once more when it has failed; starts it now. False with a
 * sentence: there is one of this name, rights are missing, it ended at once. */
bool service_install(const char *name, const char *title, const char *const *words,
                     struct err *err);

/* Stops the service, waits for its end, removes it. False with a sentence. */
bool service_remove(const char *name, struct err *err);

/* This process was started as a service: answers the service manager from now on. Its stop comes as
 * OS_TERMINATED (src/os/os.h). False with a sentence: no service manager waits for it. */
bool service_begin(const char *name, struct err *err);

/* Its work has begun; its work has ended, with the status of the process. Nothing where there was
 * no service_begin(). */
void service_running(void);
void service_end(int status);

#endif
