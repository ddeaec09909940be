/* Manifest providers whose events say what there is, and whose ids of events we know. */
#ifndef SRC_EVENT_PROVIDERS_H
#define SRC_EVENT_PROVIDERS_H

#include "src/base/guid.h"

/* Microsoft-Windows-Kernel-Process */
static const struct guid kernel_process_provider = {{0xd6, 0x2c, 0xfb, 0x22, 0x7b, 0x0e, 0x2b, 0x42,
                                                     0xa0, 0xc7, 0x2f, 0xad, 0x1f, 0xd0, 0xe7,
                                                     0x16}};

/* Its events; in all versions the payload of the first two begins with the id of the process, and
 * that of the next two with the ids of process and thread. */
enum {
    KERNEL_PROCESS_START = 1,
    KERNEL_PROCESS_STOP = 2,
    KERNEL_PROCESS_THREAD_START = 3,
    KERNEL_PROCESS_THREAD_STOP = 4,
    KERNEL_PROCESS_IMAGE_LOAD = 5,
    KERNEL_PROCESS_IMAGE_UNLOAD = 6,
    KERNEL_PROCESS_RUNDOWN = 15,
};

/* Its Stop event cuts the name of the process to so many bytes. */
enum { KERNEL_PROCESS_NAME_CUT = 14 };

/* Microsoft-Windows-Kernel-Network, -Disk and -File */
static const struct guid kernel_network_provider = {{0x49, 0x2a, 0xd4, 0x7d, 0x29, 0x53, 0x32, 0x48,
                                                     0x8d, 0xfd, 0x43, 0xd9, 0x79, 0x15, 0x3a,
                                                     0x88}};
static const struct guid kernel_disk_provider = {{0x9a, 0xe6, 0xbd, 0xc7, 0xe0, 0xe1, 0x77, 0x41,
                                                  0xb6, 0xef, 0x28, 0x3a, 0xd1, 0x52, 0x52, 0x71}};
static const struct guid kernel_file_provider = {{0x27, 0x89, 0xd0, 0xed, 0xc4, 0x9c, 0x65, 0x4e,
                                                  0xb9, 0x70, 0xc2, 0x56, 0x0f, 0xb5, 0xc2, 0x89}};

/* Microsoft-Windows-DNS-Client */
static const struct guid dns_client_provider = {{0x6e, 0x12, 0x95, 0x1c, 0xea, 0x7e, 0xa9, 0x49,
                                                 0xa3, 0xfe, 0xa3, 0x78, 0xb0, 0x3d, 0xdb, 0x4d}};

/* Microsoft-Windows-WinINet */
static const struct guid wininet_provider = {{0x5c, 0xa5, 0xd1, 0x43, 0xd6, 0x76, 0x7e, 0x4f, 0x99,
                                              0x5c, 0x64, 0xc7, 0x11, 0xe5, 0xca, 0xfe}};

/* Microsoft-Windows-WebIO */
static const struct guid webio_provider = {{0x3c, 0xe7, 0xb3, 0x50, 0x70, 0x93, 0x1d, 0x46, 0xbb,
                                            0x9f, 0x26, 0xf3, 0x2d, 0x68, 0x88, 0x7d}};

/* Microsoft-Windows-Winsock-AFD */
static const struct guid winsock_provider = {{0x23, 0x68, 0x3c, 0xe5, 0xb8, 0x7b, 0xbb, 0x44, 0x90,
                                              0xdc, 0x3f, 0x86, 0x09, 0x0d, 0x48, 0xa6}};

/* Microsoft-Windows-HttpService */
static const struct guid http_service_provider = {{0x0a, 0xf9, 0x5e, 0xdd, 0x98, 0x63, 0xa4, 0x47,
                                                   0xad, 0x34, 0x4d, 0xce, 0xcd, 0xef, 0x79, 0x5f}};

/* Microsoft-Windows-Kernel-Memory */
static const struct guid kernel_memory_provider = {{0xf7, 0x3e, 0xd9, 0xd1, 0xf2, 0xe1, 0x45, 0x4f,
                                                    0x99, 0x43, 0x03, 0xd2, 0x45, 0xfe, 0x6c,
                                                    0x00}};

/* Microsoft-Windows-Kernel-Registry */
static const struct guid kernel_registry_provider = {{0x03, 0x4f, 0xeb, 0x70, 0xde, 0xc1, 0x73,
                                                      0x4f, 0xa0, 0x51, 0x33, 0xd1, 0x3d, 0x54,
                                                      0x13, 0xbd}};

/* Events of Kernel-Network from here on are of UDP, those before of TCP. */
enum { KERNEL_NETWORK_UDP = 42 };

/* Microsoft-Windows-DotNETRuntime and Microsoft-Windows-DotNETRuntimeRundown */
static const struct guid dotnet_provider = {{0x23, 0x0d, 0x3c, 0xe1, 0xbc, 0xcc, 0x12, 0x4e, 0x93,
                                             0x1b, 0xd9, 0xcc, 0x2e, 0xee, 0x27, 0xe4}};
static const struct guid dotnet_rundown_provider = {{0x1c, 0x02, 0x69, 0xa6, 0x50, 0xc4, 0x09, 0x46,
                                                     0xa0, 0x35, 0x5a, 0xf5, 0x9a, 0xf4, 0xdf,
                                                     0x18}};
/* Events of the runtime's own that say where the one before them on the thread came from. */
enum { DOTNET_WALK = 82 };

#endif
