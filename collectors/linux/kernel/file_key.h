/* Numbers of devices and files, as records have them. */
#ifndef COLLECTORS_LINUX_KERNEL_FILE_KEY_H
#define COLLECTORS_LINUX_KERNEL_FILE_KEY_H

#include "src/base/map.h"

#include <stdint.h>

/* A device as the kernel's events write it. */
static inline uint64_t linux_dev(uint32_t major, uint32_t minor)
{
    return (uint64_t)major << 20 | minor;
}

/* What stands for a file wherever ETW has the address of a file: FileKey, and FileObject of
 * name and disk events. */
static inline uint64_t linux_file_key(uint64_t dev, uint64_t inode)
{
    return (hash_mix(hash_mix(dev) ^ inode) | 1) & INT64_MAX;
}

#endif
