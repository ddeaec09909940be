/* Offsets of members in TRACE_EVENT_INFO, EVENT_PROPERTY_INFO and EVENT_MAP_INFO (Microsoft's
 * tdh.h), which EventInfo records and TDH's answers consist of. src/event/event_info.c reads these
 * records; src/event/manifest/info.c makes them of manifests. */
#ifndef SRC_EVENT_TDH_LAYOUT_H
#define SRC_EVENT_TDH_LAYOUT_H

enum {
    INFO_CLASS = 16, /* GUID of a classic event's class */
    INFO_ID = 32,
    INFO_VERSION = 34,
    INFO_CHANNEL = 35,
    INFO_LEVEL = 36,
    INFO_OPCODE = 37,
    INFO_TASK = 38,
    INFO_KEYWORD = 40,
    INFO_SOURCE = 48,
    INFO_PROVIDER_NAME = 52,
    INFO_LEVEL_NAME = 56,
    INFO_CHANNEL_NAME = 60,
    INFO_KEYWORD_NAMES = 64,
    INFO_TASK_NAME = 68,
    INFO_OPCODE_NAME = 72,
    INFO_MESSAGE = 76,
    INFO_EVENT_NAME = 92,
    INFO_PROPERTIES = 100,
    INFO_TOP_LEVEL = 104,
    INFO_FLAGS = 108,
    INFO_BYTES = 112, /* without properties, which follow */
};

/* Where the layout is from (INFO_SOURCE). */
enum { SOURCE_IS_MANIFEST = 0, SOURCE_IS_CLASS = 1 };

enum {
    PROPERTY_FLAGS = 0,
    PROPERTY_NAME = 4,
    PROPERTY_IN_TYPE = 8,   /* of a structure: index of its first member */
    PROPERTY_OUT_TYPE = 10, /* of a structure: number of its members */
    PROPERTY_MAP = 12,
    PROPERTY_COUNT = 16,
    PROPERTY_LENGTH = 18,
    PROPERTY_BYTES = 24,
};

/* Bits of a property's flags. */
enum {
    PROPERTY_IS_STRUCTURE = 1,
    PROPERTY_IS_LENGTH_OF = 2,
    PROPERTY_IS_COUNT_OF = 4,
    PROPERTY_IS_FIXED_LENGTH = 0x10,
    PROPERTY_IS_FIXED_COUNT = 0x20,
};

enum {
    MAP_NAME = 0,
    MAP_FLAG = 4,
    MAP_COUNT = 8,
    MAP_VALUE_TYPE = 12,
    MAP_ENTRIES = 16,
    MAP_ENTRY_OUTPUT = 0,
    MAP_ENTRY_VALUE = 4,
    MAP_ENTRY_BYTES = 8,
};

/* Flags of a map. */
enum { MAP_IS_VALUES = 1, MAP_IS_BITS = 2 };

#endif
