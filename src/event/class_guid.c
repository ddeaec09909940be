/* The MOF classes of the kernel's groups of events. */
#include "src/event/event.h"

/* The last eight bytes of a GUID stand in the order in which they are written. */
#define BYTE(value, at) (uint8_t)((value) >> (8 * (at)))
#define GUID(a, b, c, rest)                                                                        \
    {                                                                                              \
        {                                                                                          \
            BYTE(a, 0), BYTE(a, 1), BYTE(a, 2), BYTE(a, 3), BYTE(b, 0), BYTE(b, 1), BYTE(c, 0),    \
                BYTE(c, 1), BYTE(rest, 7), BYTE(rest, 6), BYTE(rest, 5), BYTE(rest, 4),            \
                BYTE(rest, 3), BYTE(rest, 2), BYTE(rest, 1), BYTE(rest, 0)                         \
        }                                                                                          \
    }

enum { GROUP_IMAGE = 0x14, GROUPS = 0x1f, HOOK_IMAGE_LOAD = 0x030a };

static const struct guid classes[GROUPS] = {
    [0x00] = GUID(0x68fdd900u, 0x4a3eu, 0x11d1u, 0x84f40000f80464e3u), /* EventTraceEvent */
    [0x01] = GUID(0x3d6fa8d4u, 0xfe05u, 0x11d0u, 0x9dda00c04fd7ba7cu), /* DiskIo */
    [0x02] = GUID(0x3d6fa8d3u, 0xfe05u, 0x11d0u, 0x9dda00c04fd7ba7cu), /* PageFault */
    [0x03] = GUID(0x3d6fa8d0u, 0xfe05u, 0x11d0u, 0x9dda00c04fd7ba7cu), /* Process */
    [0x04] = GUID(0x90cbdc39u, 0x4a3eu, 0x11d1u, 0x84f40000f80464e3u), /* FileIo */
    [0x05] = GUID(0x3d6fa8d1u, 0xfe05u, 0x11d0u, 0x9dda00c04fd7ba7cu), /* Thread */
    [0x06] = GUID(0x9a280ac0u, 0xc8e0u, 0x11d1u, 0x84e200c04fb998a2u), /* TcpIp */
    [0x07] = GUID(0x3282fc76u, 0xfeedu, 0x498eu, 0x8aa7e70f459d430eu), /* Job */
    [0x08] = GUID(0xbf3a50c5u, 0xa9c9u, 0x4988u, 0xa0052df0b7c80f80u), /* UdpIp */
    [0x09] = GUID(0xae53722eu, 0xc863u, 0x11d2u, 0x865900c04fa321a1u), /* Registry */
    [0x0a] = GUID(0x13976d09u, 0xa327u, 0x438cu, 0x950b7f03192815c7u), /* DbgPrint */
    [0x0b] = GUID(0x01853a65u, 0x418fu, 0x4f36u, 0xaefcdc0f1d2fd235u), /* SystemConfig */
    [0x0c] = GUID(0x99134383u, 0x5248u, 0x43fcu, 0x834b529454e75df3u), /* last branches */
    [0x0d] = GUID(0x42695762u, 0xea50u, 0x497au, 0x90685cbbb35e0b95u), /* Wnf */
    [0x0e] = GUID(0x0268a8b6u, 0x74fdu, 0x4302u, 0x9dd06e8f1795c0cfu), /* Pool */
    [0x0f] = GUID(0xce1dbfb4u, 0x137eu, 0x4da6u, 0x87b03f59aa102cbcu), /* PerfInfo */
    [0x10] = GUID(0x222962abu, 0x6180u, 0x4b88u, 0xa825346b75f2a24au), /* Heap */
    [0x11] = GUID(0x89497f50u, 0xeffeu, 0x4440u, 0x8cf2ce6b1cdcaca7u), /* Object */
    [0x12] = GUID(0xe43445e0u, 0x0903u, 0x48c3u, 0xb878ff0fccebdd04u), /* Power */
    [0x13] = GUID(0xa9152f00u, 0x3f58u, 0x4beeu, 0x92a170c7d079d5ddu), /* ModBound */
    [0x14] = GUID(0x2cb15d1du, 0x5fc1u, 0x11d2u, 0xabe100a0c911f518u), /* Image */
    [0x15] = GUID(0xb2d14872u, 0x7c5bu, 0x463du, 0x8419ee9bf7d23e04u), /* Dpc */
    [0x16] = GUID(0x7687a439u, 0xf752u, 0x45b8u, 0xb741321aec0f8df9u), /* Cc */
    [0x17] = GUID(0x3ac66736u, 0xcc59u, 0x4cffu, 0x81158df50e39816bu), /* CritSec */
    [0x18] = GUID(0xdef2fe46u, 0x7bd6u, 0x4b80u, 0xbd94f57fe20d0ce3u), /* StackWalk */
    [0x19] = GUID(0x9aec974bu, 0x5b8eu, 0x4118u, 0x9b923186d8002ce5u), /* UMS */
    [0x1a] = GUID(0x45d8cccdu, 0x539fu, 0x4b72u, 0xa8b75c683142609au), /* ALPC */
    [0x1b] = GUID(0xd837ca92u, 0x12b9u, 0x44a5u, 0xad6a3a65b3578aa8u), /* SplitIo */
    [0x1c] = GUID(0xc861d0e2u, 0xa2c1u, 0x4d36u, 0x9f9c970bab943a12u), /* ThreadPool */
    [0x1d] = GUID(0x7f2a405cu, 0x69b5u, 0x4bf9u, 0xa1f530e8f1afab5eu), /* Hypervisor */
    [0x1e] = GUID(0x2ce9a149u, 0xeffeu, 0x42f0u, 0xa635a1d39e26c8f2u), /* HypervisorX */
};

const struct guid *event_class_guid(uint16_t hook)
{
    static const struct guid none = {{0}};
    const unsigned group = hook == HOOK_IMAGE_LOAD ? GROUP_IMAGE : hook >> 8;
    return group < GROUPS ? &classes[group] : &none;
}
