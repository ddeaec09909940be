/* `tracetop providers`: what can be enabled with -e, and what its keywords mean. */
#include "collectors/collectors.h"
#include "collectors/windows/etw_session.h"
#include "collectors/windows/provider.h"
#include "collectors/windows/provider_control.h"
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

static void put_fields(const GUID *guid, enum provider_field type, const char *what, FILE *to)
{
    const PPROVIDER_FIELD_INFOARRAY fields = provider_fields(guid, type);
    for (ULONG i = 0; fields && i < fields->NumberOfElements; i++) {
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
    struct err err;
    char text[40];
    GUID guid;
    if (!provider_find(name, &guid, &err))
        return complain(err.text), EXIT_ERROR;
    guid_text(&guid, text);
    show(to, "guid       {%s}\n", text);
    put_fields(&guid, PROVIDER_KEYWORDS, "keyword", to);
    put_fields(&guid, PROVIDER_LEVELS, "level", to);
    put_fields(&guid, PROVIDER_CHANNELS, "channel", to);
    put_fields(&guid, PROVIDER_TASKS, "task", to);
    put_fields(&guid, PROVIDER_OPCODES, "opcode", to);
    if (!registered_info(&guid, put_registration, to))
        fputs("process    not registered now\n", to);
    return EXIT_DONE;
}

int providers_run(const struct command_verb *c, FILE *to)
{
    static const struct {
        const char *name;
        ULONG code;
    } changes[] = {{"enable", EVENT_CONTROL_CODE_ENABLE_PROVIDER},
                   {"disable", EVENT_CONTROL_CODE_DISABLE_PROVIDER},
                   {"state", EVENT_CONTROL_CODE_CAPTURE_STATE}};
    if (!c->verb || (strcmp(c->verb, "list") == 0 && !c->word_count))
        return list("", to);
    if (c->word_count == 1 && strcmp(c->verb, "show") == 0)
        return show_one(c->words[0], to);
    if (c->word_count == 1 && strcmp(c->verb, "search") == 0)
        return list(c->words[0], to);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (c->word_count == 1 && strcmp(c->verb, changes[i].name) == 0)
            return provider_control(c->words[0], changes[i].code, c->provider, to);
    complain("expected list, show NAME, search TEXT, enable NAME, disable NAME or state NAME");
    return EXIT_USAGE;
}
