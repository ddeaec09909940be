#include "src/symbol/server.h"

#include "src/base/text.h"
#include "src/os/cache_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, size_t bytes, const char *with)
{
    const size_t length = strlen(with);
    return bytes >= length && text_compare(text, length, with, length) == 0;
}

/* How many bytes of an address come before its host; 0: it is none of http or https. */
static size_t scheme(const char *text, size_t bytes)
{
    return begins(text, bytes, "https://") ? 8 : begins(text, bytes, "http://") ? 7 : 0;
}

/* A path is appended to it: it has no query, and no user with a password either. */
static bool is_url(const char *text, size_t bytes)
{
    const size_t host = scheme(text, bytes);
    if (!host || bytes == host || bytes >= SERVER_URL || text[host] == '/' || text[host] == ':')
        return false;
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)text[i] <= ' ' || (unsigned char)text[i] > '~' ||
            strchr("\"<>\\^`{|}?#@*", text[i]))
            return false;
    return true;
}

static void add(struct symbol_servers *s, const char *url, size_t bytes, const char *folder,
                size_t folder_bytes, bool is_for_pdbs)
{
    struct symbol_server n = {.is_for_pdbs = is_for_pdbs};
    while (bytes && url[bytes - 1] == '/')
        bytes--;
    memcpy(n.url, url, bytes);
    for (size_t i = 0; n.url[i] && n.url[i] != ':'; i++)
        n.url[i] = text_lower(n.url[i]);
    if (folder_bytes < sizeof n.folder)
        memcpy(n.folder, folder, folder_bytes);
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->list[i].url, n.url) == 0)
            return;
    if (s->count < SERVERS)
        s->list[s->count++] = n;
}

/* "srv*…" and "symsrv*name.dll*…": what stands before the first part; 0: it is neither. */
static size_t before_parts(const char *element, size_t bytes)
{
    if (begins(element, bytes, "srv*"))
        return 4;
    if (!begins(element, bytes, "symsrv*"))
        return 0;
    const char *const star = memchr(element + 7, '*', bytes - 7);
    return star ? (size_t)(star - element) + 1 : 0;
}

/* The first folder of the element is where files are kept: the one that is nearest. */
static bool add_parts(struct symbol_servers *s, const char *element, size_t bytes, size_t at)
{
    const char *folder = "";
    size_t folder_bytes = 0;
    bool is_any = false;
    while (at <= bytes) {
        const char *const star = memchr(element + at, '*', bytes - at);
        const size_t end = star ? (size_t)(star - element) : bytes, length = end - at;
        if (is_url(element + at, length)) {
            add(s, element + at, length, folder, folder_bytes, true);
            is_any = true;
        } else if (length && !folder_bytes && !scheme(element + at, length)) {
            folder = element + at;
            folder_bytes = length;
        }
        at = end + 1;
    }
    return is_any;
}

void symbol_servers_add_path(struct symbol_servers *s, const char *path)
{
    for (const char *at = path; *at;) {
        const size_t bytes = strcspn(at, ";"), before = before_parts(at, bytes);
        if (before)
            add_parts(s, at, bytes, before);
        at += bytes + (at[bytes] == ';');
    }
}

static void add_environment(struct symbol_servers *s)
{
    const char *const path = getenv("_NT_SYMBOL_PATH"), *const urls = getenv("DEBUGINFOD_URLS");
    if (path)
        symbol_servers_add_path(s, path);
    for (const char *at = urls ? urls : ""; *at;) {
        const size_t bytes = strcspn(at, " ");
        if (is_url(at, bytes))
            add(s, at, bytes, "", 0, false);
        at += bytes + (at[bytes] == ' ');
    }
}

bool symbol_servers_add(struct symbol_servers *s, const char *text, struct err *err)
{
    for (const char *at = text; *at;) {
        const size_t bytes = strcspn(at, "; "), before = before_parts(at, bytes);
        bool is_read = true;
        if (bytes == 3 && begins(at, bytes, "env"))
            add_environment(s);
        else if (before)
            is_read = add_parts(s, at, bytes, before);
        else if (is_url(at, bytes))
            add(s, at, bytes, "", 0, false);
        else
            is_read = !bytes;
        if (!is_read)
            return fail(err,
                        "expected https://SERVER, srv*FOLDER*https://SERVER or env, found '%.*s'",
                        (int)(bytes < 200 ? bytes : 200), at);
        at += bytes + (at[bytes] != '\0');
    }
    return true;
}

void symbol_servers_of(const struct symbol_options *o, struct symbol_servers *out)
{
    out->count = 0;
    for (size_t i = 0; i < o->downloads.server_count; i++)
        symbol_servers_add(out, o->downloads.servers[i], NULL);
    if (o->downloads.asks_path && o->path)
        symbol_servers_add_path(out, o->path);
}

void symbol_cache_folder(char *out, size_t room)
{
    char folder[SERVER_FOLDER - 16];
    os_cache_folder(folder, sizeof folder);
    out[0] = '\0';
    if (folder[0])
        snprintf(out, room, "%s/symbols", folder);
}

void symbol_downloads_cache(const struct symbol_options *o, char out[SERVER_FOLDER])
{
    out[0] = '\0';
    if (o->downloads.cache && o->downloads.cache[0])
        snprintf(out, SERVER_FOLDER, "%s", o->downloads.cache);
    else if (o->downloads.cache)
        symbol_cache_folder(out, SERVER_FOLDER);
}
