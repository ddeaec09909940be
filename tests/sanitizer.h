/* Which sanitizer a test is compiled with, or the program that it runs: those watch each access, so
 * that fewer rounds say as much. */
#ifndef TESTS_SANITIZER_H
#define TESTS_SANITIZER_H

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER 1
#elif __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(__SANITIZE_THREAD__) || defined(HAS_THREAD_SANITIZER)
enum { THREADS_ARE_SANITIZED = 1, IS_SANITIZED = 1 };
#elif defined(__SANITIZE_ADDRESS__) || defined(HAS_ADDRESS_SANITIZER) ||                           \
    defined(PROGRAM_IS_SANITIZED)
enum { THREADS_ARE_SANITIZED = 0, IS_SANITIZED = 1 };
#else
enum { THREADS_ARE_SANITIZED = 0, IS_SANITIZED = 0 };
#endif

#endif
