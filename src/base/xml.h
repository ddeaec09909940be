/* XML that comes from anywhere; only xml.c calls expat. Elements and their attributes are read,
 * text between them is not. A document type is refused, and with it every entity but the five of
 * XML itself: nothing is expanded and nothing is fetched. Depth is bounded; time and memory grow
 * with the document's bytes and no faster. UTF-8, UTF-16, ISO-8859-1 and ASCII. */
#ifndef SRC_BASE_XML_H
#define SRC_BASE_XML_H

#include "src/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { XML_DEPTH = 32, XML_BYTES = 64 << 20 };

/* Names come without the prefix of their namespace, all texts as UTF-8. What is handed over stays
 * good during the call only. */
struct xml_reader {
    void *of;
    /* Attributes: name, value, … and NULL behind the last value. */
    void (*begin)(void *of, const char *name, const char *const *attributes, unsigned line);
    void (*end)(void *of, const char *name);
};

/* False with a sentence that begins with "line N: "; elements before that line were handed over,
 * and not all of them were ended. */
bool xml_read(const void *text, size_t bytes, const struct xml_reader *r, struct err *err);

/* The value of an attribute, or NULL. */
const char *xml_attribute(const char *const *attributes, const char *name);

#endif
