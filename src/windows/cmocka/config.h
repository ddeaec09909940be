/* What cmocka's own configuration would find in this compiler's headers. */
#ifndef SRC_WINDOWS_CMOCKA_CONFIG_H
#define SRC_WINDOWS_CMOCKA_CONFIG_H

#define HAVE_ASSERT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_IO_H 1
#define HAVE_MALLOC_H 1
#define HAVE_SETJMP_H 1
#define HAVE_STDARG_H 1
#define HAVE_STDDEF_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDIO_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_STRINGS_H 1
#define HAVE_TIME_H 1
#define HAVE_SNPRINTF 1
#define HAVE_VSNPRINTF 1
#define HAVE_STRUCT_TIMESPEC 1
#define HAVE_GCC_THREAD_LOCAL_STORAGE 1
#define WORDS_SIZEOF_VOID_P 8

#endif
