#ifndef TESTS_WINDOWS_POSIX_SYS_RESOURCE_H
#define TESTS_WINDOWS_POSIX_SYS_RESOURCE_H

struct rlimit {
    unsigned long long rlim_cur, rlim_max;
};

enum { RLIMIT_FSIZE, SIGXFSZ = 2 };
#define getrlimit(kind, limit) (*(limit) = (struct rlimit){0, 0}, 0)
#define setrlimit(kind, limit) ((void)(limit), posix_lacks("a limit on the size of files"))

#endif
