#include "src/base/xml.h"

#include <expat.h>

#include <limits.h>
#include <string.h>

struct state {
    const struct xml_reader *reader;
    XML_Parser parser;
    unsigned depth;
    const char *refusal; /* why we stopped it, or NULL */
};

static void refuse(struct state *s, const char *why)
{
    s->refusal = why;
    XML_StopParser(s->parser, XML_FALSE);
}

static const char *without_prefix(const char *name)
{
    const char *const colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

static unsigned line_of(const struct state *s)
{
    const unsigned long line = XML_GetCurrentLineNumber(s->parser);
    return line < UINT_MAX ? (unsigned)line : UINT_MAX;
}

static void XMLCALL begin(void *of, const XML_Char *name, const XML_Char **attributes)
{
    struct state *const s = of;
    if (s->depth++ == XML_DEPTH)
        refuse(s, "elements are nested more than 32 deep");
    else
        s->reader->begin(s->reader->of, without_prefix(name), (const char *const *)attributes,
                         line_of(s));
}

static void XMLCALL end(void *of, const XML_Char *name)
{
    struct state *const s = of;
    s->depth--;
    if (!s->refusal)
        s->reader->end(s->reader->of, without_prefix(name));
}

static void XMLCALL begin_doctype(void *of, const XML_Char *name, const XML_Char *system,
                                  const XML_Char *public, int has_subset)
{
    (void)name;
    (void)system;
    (void)public;
    (void)has_subset;
    refuse(of, "a document type (DOCTYPE) is not allowed");
}

static bool report(const struct state *s, struct err *err)
{
    const enum XML_Error code = XML_GetErrorCode(s->parser);
    const char *const why = s->refusal ? s->refusal : XML_ErrorString(code);
    return fail(err, "line %u: %s", line_of(s), why);
}

bool xml_read(const void *text, size_t bytes, const struct xml_reader *r, struct err *err)
{
    struct state s = {.reader = r, .parser = XML_ParserCreate(NULL)};
    if (bytes > XML_BYTES || !s.parser) {
        const bool is_too_long = s.parser != NULL;
        XML_ParserFree(s.parser);
        return is_too_long ? fail(err, "line 1: the document has more than %d MiB", XML_BYTES >> 20)
                           : fail(err, "line 1: no memory for reading XML");
    }
    XML_SetUserData(s.parser, &s);
    XML_SetElementHandler(s.parser, begin, end);
    XML_SetStartDoctypeDeclHandler(s.parser, begin_doctype);
    /* In one piece: a long token that comes in pieces is read again with each of them. */
    const bool is_read = XML_Parse(s.parser, text, (int)bytes, XML_TRUE) == XML_STATUS_OK;
    const bool ok = is_read || report(&s, err);
    XML_ParserFree(s.parser);
    return ok;
}

const char *xml_attribute(const char *const *attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}
