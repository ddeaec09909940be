#ifndef TESTS_WINDOWS_POSIX_SYS_RESOURCE_H
#define TESTS_WINDOWS_POSIX_SYS_RESOURCE_H

struct rlimit {
    unsigned long long rlim_cur, rlim_max;
};

enum { RLIMIT_FSIZE, SIGXFSZ = 2 };

static inline int getrlimit(int kind, struct rlimit *limit)
{
    (void)kind;
    *limit = (struct rlimit){0, 0};
    return 0;
}

static inline int setrlimit(int kind, const struct rlimit *limit)
{
    (void)kind;
    (void)limit;
    return posix_lacks("a limit on the size of files");
}

#endif
