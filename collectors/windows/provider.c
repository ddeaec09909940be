#include "collectors/windows/provider.h"

#include "collectors/windows/etw_session.h"

#include "src/base/mem.h"
#include "src/base/suggest.h"
#include "src/base/text.h"
#include "src/field/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bcrypt.h>

/* ---- GUIDs -------------------------------------------------------------------------------- */

void guid_text(const GUID *g, char *out)
{
    snprintf(out, 40, "%08lx-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", g->Data1, g->Data2,
             g->Data3, g->Data4[0], g->Data4[1], g->Data4[2], g->Data4[3], g->Data4[4], g->Data4[5],
             g->Data4[6], g->Data4[7]);
}

bool guid_read(const char *text, GUID *out)
{
    unsigned a, b, c, d[8];
    int used = 0;
    const bool has_brace = *text == '{';
    text += has_brace;
    if (sscanf(text, "%8x-%4x-%4x-%2x%2x-%2x%2x%2x%2x%2x%2x%n", &a, &b, &c, &d[0], &d[1], &d[2],
               &d[3], &d[4], &d[5], &d[6], &d[7], &used) != 11 ||
        used != 36 || strcmp(text + used, has_brace ? "}" : "") != 0)
        return false;
    *out = (GUID){.Data1 = a, .Data2 = (USHORT)b, .Data3 = (USHORT)c};
    for (int i = 0; i < 8; i++)
        out->Data4[i] = (UCHAR)d[i];
    return true;
}

enum { SHA1_BYTES = 20 };

static bool sha1(const UCHAR *data, size_t bytes, UCHAR *digest)
{
    BCRYPT_ALG_HANDLE algorithm;
    BCRYPT_HASH_HANDLE hash = NULL;
    if (BCryptOpenAlgorithmProvider(&algorithm, BCRYPT_SHA1_ALGORITHM, NULL, 0) < 0)
        return false;
    const bool is_good = BCryptCreateHash(algorithm, &hash, NULL, 0, NULL, 0, 0) >= 0 &&
                         BCryptHashData(hash, (UCHAR *)(uintptr_t)data, (ULONG)bytes, 0) >= 0 &&
                         BCryptFinishHash(hash, digest, SHA1_BYTES, 0) >= 0;
    if (hash)
        BCryptDestroyHash(hash);
    BCryptCloseAlgorithmProvider(algorithm, 0);
    return is_good;
}

/* A name-based GUID: SHA-1 over a namespace and the name, upper case, as UTF-16 with the high
 * byte first; version 5 in its place. */
bool provider_hash(const char *name, GUID *out, struct err *err)
{
    static const UCHAR space[] = {0x48, 0x2c, 0x2d, 0xb2, 0xc3, 0x90, 0x47, 0xc8,
                                  0x87, 0xf8, 0x1a, 0x15, 0xbf, 0xc1, 0x30, 0xfb};
    WCHAR wide[256];
    UCHAR text[sizeof space + sizeof wide], digest[SHA1_BYTES];
    size_t used = sizeof space;
    memcpy(text, space, sizeof space);
    if (!utf16_of(name, wide, sizeof wide / sizeof *wide))
        wide[0] = 0;
    CharUpperBuffW(wide, (DWORD)wcslen(wide));
    for (const WCHAR *w = wide; *w; w++) {
        text[used++] = (UCHAR)(*w >> 8);
        text[used++] = (UCHAR)*w;
    }
    if (!sha1(text, used, digest))
        return fail(err, "cannot make the GUID of the provider '%s': this system has no SHA-1; "
                         "name the provider by its GUID",
                    name);
    digest[7] = (UCHAR)((digest[7] & 0x0f) | 0x50);
    memcpy(out, digest, sizeof *out);
    return true;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* The list may grow between two calls. */
PPROVIDER_ENUMERATION_INFO providers_list(struct err *err)
{
    ULONG error = ERROR_CALL_NOT_IMPLEMENTED, bytes = 256 * 1024;
    PPROVIDER_ENUMERATION_INFO list = NULL;
    if (etw_api()->TdhEnumerateProviders)
        error = ERROR_INSUFFICIENT_BUFFER;
    for (int tries = 0; tries < 8 && error == ERROR_INSUFFICIENT_BUFFER; tries++) {
        free(list);
        bytes += bytes / 8;
        list = mem_new(bytes, 1);
        error = etw_api()->TdhEnumerateProviders(list, &bytes);
    }
    if (error == ERROR_SUCCESS)
        return list;
    char reason[256];
    free(list);
    fail(err, "the providers cannot be listed: %s", etw_reason(error, reason, sizeof reason));
    return NULL;
}

bool provider_find(const char *name, GUID *out, struct err *err)
{
    if (guid_read(name, out))
        return true;
    if (*name == '*' && name[1])
        return provider_hash(name + 1, out, err);
    const PPROVIDER_ENUMERATION_INFO list = providers_list(err);
    struct suggestion best = {NULL, 0};
    bool is_found = false;
    char seen[256], nearest[256] = "";
    for (ULONG i = 0; list && i < list->NumberOfProviders && !is_found; i++) {
        const TRACE_PROVIDER_INFO *const p = &list->TraceProviderInfoArray[i];
        utf8_of((const WCHAR *)(const void *)((const char *)list + p->ProviderNameOffset), seen,
                sizeof seen);
        is_found = _stricmp(seen, name) == 0;
        if (is_found)
            *out = p->ProviderGuid;
        suggest(&best, name, seen);
        if (best.name == seen) {
            snprintf(nearest, sizeof nearest, "%s", seen);
            best.name = nearest;
        }
    }
    if (list && !is_found)
        fail(err, "there is no provider '%.200s' on this machine%s%s%s", name,
             best.name ? "; did you mean " : "", best.name ? best.name : "",
             best.name ? "?" : "; use *Name for TraceLogging providers, or a GUID");
    free(list);
    return is_found;
}

PPROVIDER_FIELD_INFOARRAY provider_fields(const GUID *guid, enum provider_field type)
{
    ULONG bytes = 64 * 1024, error = ERROR_INSUFFICIENT_BUFFER;
    PPROVIDER_FIELD_INFOARRAY fields = NULL;
    if (!etw_api()->TdhEnumerateProviderFieldInformation)
        return NULL;
    for (int tries = 0; tries < 4 && error == ERROR_INSUFFICIENT_BUFFER; tries++) {
        free(fields);
        fields = mem_new(bytes, 1);
        error = etw_api()->TdhEnumerateProviderFieldInformation(guid, type, fields, &bytes);
    }
    if (error == ERROR_SUCCESS)
        return fields;
    free(fields);
    return NULL;
}

/* ---- e --------------------------------------------------------------------------------------- */

bool provider_level(const char *text, UCHAR *out)
{
    uint64_t named;
    char *end;
    if (field_word_number(field_level_words, text, &named))
        return *out = (UCHAR)named, true;
    const unsigned long level = strtoul(text, &end, 0);
    *out = (UCHAR)level;
    return end != text && !*end && level <= 255;
}

/* PROVIDER[:KEYWORDS[:LEVEL]] */
static bool read_one(const char *text, struct live_provider *out, struct err *err)
{
    enum { VERBOSE = 5 };
    char room[512], *end;
    snprintf(room, sizeof room, "%s", text);
    char *keywords = strchr(room, ':'), *level = keywords ? strchr(keywords + 1, ':') : NULL;
    *out = (struct live_provider){.level = VERBOSE, .keywords = UINT64_MAX};
    if (keywords)
        *keywords++ = '\0';
    if (level)
        *level++ = '\0';
    if (keywords && *keywords) {
        out->keywords = strtoull(keywords, &end, 0);
        out->keywords = out->keywords ? out->keywords : UINT64_MAX;
        if (*end || end == keywords)
            return fail(err, "-e: expected keywords such as 0x10, found '%s'", keywords);
    }
    if (level && !provider_level(level, &out->level))
        return fail(err,
                    "-e: expected a level 0 to 255 or error, warning, info, verbose, found '%s'",
                    level);
    snprintf(out->name, sizeof out->name, "%.127s", room);
    return provider_find(room, &out->guid, err);
}

bool providers_read(const struct collector_options *o, struct live_provider **out, size_t *count,
                    struct err *err)
{
    *out = mem_new(o->enable_count ? o->enable_count : 1, sizeof **out);
    for (*count = 0; *count < o->enable_count; (*count)++)
        if (!read_one(o->enable[*count], &(*out)[*count], err))
            return false;
    return true;
}
