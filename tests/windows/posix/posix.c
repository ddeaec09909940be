#include "tests/test.h"

#include "src/base/mem.h"

#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <time.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#undef fflush
#undef fclose

/* Streams are bytes, as where the tests come from. */
static void __attribute__((constructor)) begin(void)
{
    _fmode = _O_BINARY;
    _setmode(1, _O_BINARY);
    _setmode(2, _O_BINARY);
}

int posix_lacks(const char *what)
{
    print_message("%s: not on this system: skipped\n", what);
    skip();
    return -1;
}

char *mkdtemp(char *template)
{
    static unsigned count;
    snprintf(template + strlen(template) - 6, 7, "%06u",
             (unsigned)(GetCurrentProcessId() * 31 + GetTickCount() * 7 + count++) % 1000000);
    return _mkdir(template) == 0 ? template : NULL;
}

int setenv(const char *name, const char *value, int replace)
{
    return replace || !getenv(name) ? _putenv_s(name, value) : 0;
}

int unsetenv(const char *name)
{
    return _putenv_s(name, "");
}

/* ---- names that match ------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int glob(const char *pattern, int flags, int (*on_error)(const char *, int), glob_t *found)
{
    (void)flags;
    (void)on_error;
    *found = (glob_t){0};
    WIN32_FIND_DATAA d;
    const char *const slash = strrchr(pattern, '/');
    const size_t folder = slash ? (size_t)(slash - pattern) + 1 : 0;
    const HANDLE search = FindFirstFileA(pattern, &d);
    if (search == INVALID_HANDLE_VALUE)
        return 3;
    do {
        if (d.cFileName[0] == '.')
            continue;
        char *const path = mem_new(folder + strlen(d.cFileName) + 1, 1);
        memcpy(path, pattern, folder);
        strcpy(path + folder, d.cFileName);
        found->gl_pathv = mem_grow(found->gl_pathv, found->gl_pathc + 1, sizeof *found->gl_pathv);
        found->gl_pathv[found->gl_pathc++] = path;
    } while (FindNextFileA(search, &d));
    FindClose(search);
    if (found->gl_pathc)
        qsort(found->gl_pathv, found->gl_pathc, sizeof *found->gl_pathv, compare_names);
    return found->gl_pathc ? 0 : 3;
}

void globfree(glob_t *found)
{
    for (size_t i = 0; i < found->gl_pathc; i++)
        free(found->gl_pathv[i]);
    free(found->gl_pathv);
    *found = (glob_t){0};
}

/* ---- streams into memory ----------------------------------------------------------------- */

enum { STREAMS = 16 };
static struct stream {
    FILE *file;
    char **text; /* of open_memstream() … */
    size_t *bytes;
    char *buffer; /* … or of fmemopen() */
    size_t room;
} streams[STREAMS];

static FILE *stream_open(struct stream s)
{
    char name[MAX_PATH], folder[MAX_PATH];
    GetTempPathA(sizeof folder, folder);
    GetTempFileNameA(folder, "ttp", 0, name);
    s.file = fopen(name, "w+bTD");
    for (size_t i = 0; s.file && i < STREAMS; i++) {
        if (!streams[i].file) {
            streams[i] = s;
            return s.file;
        }
    }
    return NULL;
}

FILE *open_memstream(char **text, size_t *bytes)
{
    *text = NULL;
    *bytes = 0;
    return stream_open((struct stream){.text = text, .bytes = bytes});
}

FILE *fmemopen(void *buffer, size_t room, const char *mode)
{
    (void)mode;
    return stream_open((struct stream){.buffer = buffer, .room = room});
}

static void stream_copy(const struct stream *s)
{
    const long at = ftell(s->file);
    const size_t bytes = at > 0 ? (size_t)at : 0;
    char *const text = mem_new(bytes + 1, 1);
    rewind(s->file);
    const size_t got = fread(text, 1, bytes, s->file);
    fseek(s->file, at, SEEK_SET);
    if (s->text) {
        free(*s->text);
        *s->text = text;
        *s->bytes = got;
        return;
    }
    const size_t used = got < s->room ? got : s->room - 1;
    memcpy(s->buffer, text, used);
    s->buffer[used] = '\0';
    free(text);
}

static struct stream *stream_of(FILE *f)
{
    for (size_t i = 0; f && i < STREAMS; i++)
        if (streams[i].file == f)
            return &streams[i];
    return NULL;
}

int posix_fflush(FILE *f)
{
    const int failed = fflush(f);
    const struct stream *const s = stream_of(f);
    if (s)
        stream_copy(s);
    return failed;
}

int posix_fclose(FILE *f)
{
    struct stream *const s = stream_of(f);
    if (s) {
        fflush(f);
        stream_copy(s);
        *s = (struct stream){0};
    }
    return fclose(f);
}
