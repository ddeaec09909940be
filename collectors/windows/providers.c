/* `tracetop providers`: what can be enabled with -e, and what its keywords mean. */
#include "collectors/collectors.h"
#include "collectors/windows/etw_session.h"
#include "collectors/windows/provider.h"
#include "collectors/windows/registered.h"

#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/command/batch.h"
#include "src/command/command.h"

#include <stdlib.h>
#include <string.h>

struct named {
    char name[256];
    GUID guid;
    ULONG source;
};

static int compare(const void *a, const void *b)
{
    return _stricmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static bool contains(const char *text, const char *part)
{
    const size_t length = strlen(part);
    for (; *text; text++)
        if (_strnicmp(text, part, length) == 0)
            return true;
    return !length;
}

static void put_safe(FILE *to, const char *text)
{
    show_text(to, text, strlen(text));
}

/* Sorted; those whose name or GUID contains the text. */
static int list(const char *text, FILE *to)
{
    struct err err;
    const PPROVIDER_ENUMERATION_INFO all = providers_list(&err);
    if (!all)
        return complain(err.text), EXIT_ERROR;
    struct named *const sorted = mem_new(all->NumberOfProviders + 1, sizeof *sorted);
    for (ULONG i = 0; i < all->NumberOfProviders; i++) {
        const TRACE_PROVIDER_INFO *const p = &all->TraceProviderInfoArray[i];
        utf8_of((const WCHAR *)(const void *)((const char *)all + p->ProviderNameOffset),
                sorted[i].name, sizeof sorted[i].name);
        sorted[i].guid = p->ProviderGuid;
        sorted[i].source = p->SchemaSource;
    }
    qsort(sorted, all->NumberOfProviders, sizeof *sorted, compare);
    for (ULONG i = 0; i < all->NumberOfProviders; i++) {
        char guid[40];
        guid_text(&sorted[i].guid, guid);
        if (!contains(sorted[i].name, text) && !contains(guid, text))
            continue;
        show(to, "{%s} %-8s ", guid, sorted[i].source ? "MOF" : "manifest");
        put_safe(to, sorted[i].name);
        putc('\n', to);
    }
    free(sorted);
    free(all);
    return EXIT_DONE;
}

/* ---- one provider ---------------------------------------------------------------------------- */

static void put_fields(const GUID *guid, ULONG type, const char *what, FILE *to)
{
    ULONG bytes = 64 * 1024, error = ERROR_INSUFFICIENT_BUFFER;
    PPROVIDER_FIELD_INFOARRAY fields = NULL;
    for (int tries = 0; tries < 4 && error == ERROR_INSUFFICIENT_BUFFER; tries++) {
        free(fields);
        fields = mem_new(bytes, 1);
        error = etw_api()->TdhEnumerateProviderFieldInformation(guid, type, fields, &bytes);
    }
    for (ULONG i = 0; error == ERROR_SUCCESS && i < fields->NumberOfElements; i++) {
        const PROVIDER_FIELD_INFO *const f = &fields->FieldInfoArray[i];
        char text[512];
        show(to, "%-10s 0x%016llx ", what, f->Value);
        if (f->NameOffset)
            put_safe(to,
                     utf8_of((const WCHAR *)(const void *)((const char *)fields + f->NameOffset),
                             text, sizeof text));
        if (f->DescriptionOffset) {
            fputs("  ", to);
            put_safe(to, utf8_of((const WCHAR *)(const void *)((const char *)fields +
                                                               f->DescriptionOffset),
                                 text, sizeof text));
        }
        putc('\n', to);
    }
    free(fields);
}

static void put_registration(void *to, const struct registration *r)
{
    if (r->enabled)
        show(to, "process    %lu, enabled in session %u: level %u, keywords 0x%llx\n", r->pid,
                r->enabled->LoggerId, r->enabled->Level, r->enabled->MatchAnyKeyword);
    else
        show(to, "process    %lu\n", r->pid);
}

static int show_one(const char *name, FILE *to)
{
    enum { KEYWORDS, LEVELS, CHANNELS, TASKS, OPCODES };
    struct err err;
    char text[40];
    GUID guid;
    if (!provider_find(name, &guid, &err))
        return complain(err.text), EXIT_ERROR;
    guid_text(&guid, text);
    show(to, "guid       {%s}\n", text);
    if (etw_api()->TdhEnumerateProviderFieldInformation) {
        put_fields(&guid, KEYWORDS, "keyword", to);
        put_fields(&guid, LEVELS, "level", to);
        put_fields(&guid, CHANNELS, "channel", to);
        put_fields(&guid, TASKS, "task", to);
        put_fields(&guid, OPCODES, "opcode", to);
    }
    if (!registered_info(&guid, put_registration, to))
        fputs("process    not registered now\n", to);
    return EXIT_DONE;
}

int providers_run(const struct command_verb *c, FILE *to)
{
    if (!c->verb || (strcmp(c->verb, "list") == 0 && !c->word_count))
        return list("", to);
    if (c->word_count != 1 || (strcmp(c->verb, "show") != 0 && strcmp(c->verb, "search") != 0))
        return complain("expected list, show NAME or search TEXT"), EXIT_USAGE;
    return *c->verb == 's' && c->verb[1] == 'h' ? show_one(c->words[0], to) : list(c->words[0], to);
}
