/* A manifest in memory. Readers (xml.c, wevt.c) fill it, then manifest_finish() connects names with
 * what they name, and after that it does not change. Texts lie in the manifest's own memory; ""
 * where there is none, never NULL. */
#ifndef SRC_EVENT_MANIFEST_INSIDE_H
#define SRC_EVENT_MANIFEST_INSIDE_H

#include "src/event/manifest/manifest.h"

enum { MANIFEST_NONE = -1 }; /* no map, no template, no item */

/* Limits: of items in a template, and of bytes in one text. */
enum { MANIFEST_ITEMS = 1024, MANIFEST_TEXT = 1 << 15 };

/* An in type that no reader knows. */
enum { MANIFEST_BAD_TYPE = 255 };

/* What is found by name begins with this. Of equal names the first one in the manifest counts. */
struct manifest_key {
    const char *name;
    uint32_t order;
};

/* A field of a template, or a structure, which its members follow. */
struct manifest_item {
    const char *name;
    const char *map_name;                 /* "" = none */
    const char *count_name, *length_name; /* the item that says it; "" = the number below */
    int32_t counted_by, length_by;        /* within the template; MANIFEST_NONE = none */
    uint32_t line;
    uint16_t in, out; /* numbers of TDH_IN_TYPE and TDH_OUT_TYPE */
    uint16_t count, length;
    uint16_t members; /* of a structure, behind it */
    bool is_structure, is_member;
};

struct manifest_template {
    struct manifest_key key;
    uint32_t first, count; /* items */
    uint32_t offset;       /* in a compiled manifest */
};

struct manifest_map_entry {
    const char *text, *symbol; /* the symbol where there is no text */
    uint32_t value;
    uint32_t message; /* of a compiled manifest: its number; 0 = none */
};

struct manifest_value_map {
    struct manifest_key key;
    uint32_t first, count; /* entries */
    uint32_t offset;       /* in a compiled manifest */
    bool is_bits;
};

/* A task, opcode, keyword, level or channel. */
struct manifest_name {
    struct manifest_key key; /* events refer to it by this … */
    const char *shown;       /* … and it is shown as this */
    uint64_t value;
    int32_t task; /* value of the only task that has this opcode; MANIFEST_NONE = every task */
};

enum manifest_kind {
    MANIFEST_TASK,
    MANIFEST_OPCODE,
    MANIFEST_KEYWORD,
    MANIFEST_LEVEL,
    MANIFEST_CHANNEL,
    MANIFEST_KINDS,
};

struct manifest_event {
    struct guid provider;
    uint16_t id;
    uint8_t version;
    bool is_bad;                       /* it is left out */
    const char *name;                  /* its own or its symbol */
    const char *names[MANIFEST_KINDS]; /* as the event names them; keywords with spaces between */
    const char *message;
    const char *template_name; /* "" = none */
    int32_t template;          /* index; MANIFEST_NONE = no payload */
    uint32_t message_number;   /* of a compiled manifest; 0 = none */
    uint32_t owner;            /* index of its provider */
    uint32_t line;
    uint64_t values[MANIFEST_KINDS];
};

struct manifest_string {
    struct manifest_key key;
    const char *text;
};

/* Lists that grow: the first member of each has the elements. */
struct manifest_provider {
    struct guid guid;
    const char *name;
    uint32_t name_first[MANIFEST_KINDS], name_end[MANIFEST_KINDS];
    uint32_t map_first, map_end, template_first, template_end;
};

#define MANIFEST_LIST(type)                                                                        \
    struct {                                                                                       \
        type *at;                                                                                  \
        uint32_t count, room;                                                                      \
    }

struct manifest {
    MANIFEST_LIST(struct manifest_provider) providers;
    MANIFEST_LIST(struct manifest_name) names[MANIFEST_KINDS];
    MANIFEST_LIST(struct manifest_value_map) maps;
    MANIFEST_LIST(struct manifest_map_entry) entries;
    MANIFEST_LIST(struct manifest_template) templates;
    MANIFEST_LIST(struct manifest_item) items;
    MANIFEST_LIST(struct manifest_event) events; /* once finished: by provider, id and version */
    MANIFEST_LIST(struct manifest_string) strings;
    bool is_compiled;    /* what refers to each other is known by offsets, not by names */
    struct block *texts; /* the newest first */
    size_t bytes;
    uint32_t mistakes;
    char sentences[MANIFEST_SENTENCES][256];
};

/* The new element of a list, all zero. */
#define manifest_add(m, list)                                                                      \
    ((void)(((list)->at = manifest_grow((m), (list)->at, (list)->count, &(list)->room,             \
                                        sizeof *(list)->at))),                                     \
     &(list)->at[(list)->count++])
void *manifest_grow(struct manifest *m, void *at, uint32_t count, uint32_t *room, size_t size);

struct manifest *manifest_new(void);

/* A copy of a text, which is cut at MANIFEST_TEXT bytes. NULL counts as "". */
const char *manifest_text(struct manifest *m, const char *text);
const char *manifest_text_of(struct manifest *m, const char *text, size_t bytes);

/* Counts a mistake, and keeps the sentence if it is one of the first. */
void manifest_wrong(struct manifest *m, uint32_t line, const char *format, ...) PRINTF_LIKE(3, 4);

const struct manifest_value_map *
manifest_map_of(const struct manifest *m, const struct manifest_provider *p, const char *name);
const struct manifest_event *manifest_event_of(const struct manifest *m,
                                               const struct guid *provider, uint16_t id,
                                               uint16_t version);

/* Connects names. False with a sentence when no event is left. */
bool manifest_finish(struct manifest *m, struct err *err);

/* xml.c */
bool manifest_is_xml(const uint8_t *bytes, size_t size);
bool manifest_read_xml(struct manifest *m, const void *bytes, size_t size, struct err *err);

#endif
