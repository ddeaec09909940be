/* `tracetop sessions` on Linux, where recorders are what sessions are on Windows: those of this
 * user and of the machine. */
#include "collectors/collectors.h"

#include "src/base/json_out.h"
#include "src/base/mem.h"
#include "src/base/scale.h"
#include "src/base/show.h"
#include "src/command/batch.h"
#include "src/command/command.h"
#include "src/command/recorder_command.h"
#include "src/os/background.h"
#include "src/os/os.h"
#include "src/trace/disk_ring.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDERS_MOST = 256 };

struct found {
    char name[OS_NAME_ROOM], folder[4096];
    uint32_t writer; /* 0: it does not run */
    size_t files;
    uint64_t bytes;
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct found *)a)->name, ((const struct found *)b)->name);
}

/* Onto `all`; folders without files of a recorder are none. */
static size_t find_in(const char *folder, struct found *all, size_t count)
{
    char(*const names)[OS_NAME_ROOM] = mem_new(RECORDERS_MOST, sizeof *names);
    const size_t named = os_folder_names(folder, "", names, RECORDERS_MOST);
    for (size_t i = 0; i < named && count < RECORDERS_MOST; i++) {
        struct disk_ring_file *files;
        struct found *const f = &all[count];
        *f = (struct found){.writer = 0};
        snprintf(f->name, sizeof f->name, "%s", names[i]);
        snprintf(f->folder, sizeof f->folder, "%.3700s/%s", folder, names[i]);
        f->files = disk_ring_list(f->folder, &files);
        for (size_t k = 0; k < f->files; k++)
            f->bytes += files[k].bytes;
        free(files);
        f->writer = disk_ring_writer(f->folder);
        count += f->files || f->writer;
    }
    free(names);
    return count;
}

static size_t find(struct found *all)
{
    char own[2048], system[2048];
    background_folder(own, sizeof own);
    background_system_folder(system, sizeof system);
    size_t count = own[0] ? find_in(own, all, 0) : 0;
    if (strcmp(own, system) != 0)
        count = find_in(system, all, count);
    qsort(all, count, sizeof *all, compare);
    return count;
}

static void print(const struct found *all, size_t count, FILE *to)
{
    show(to, "%-16s %8s %6s %9s  %s\n", "RECORDER", "PROCESS", "FILES", "SIZE", "FOLDER");
    for (size_t i = 0; i < count; i++) {
        char size[32], pid[16] = "-";
        scale_bytes((double)all[i].bytes, size, sizeof size);
        if (all[i].writer)
            snprintf(pid, sizeof pid, "%" PRIu32, all[i].writer);
        show(to, "%-16s %8s %6zu %9s  %s\n", all[i].name, pid, all[i].files, size, all[i].folder);
    }
}

static void print_json(const struct found *all, size_t count, FILE *to)
{
    struct json_out out = {.most = SIZE_MAX};
    json_out_put(&out, "[");
    for (size_t i = 0; i < count; i++) {
        json_out_put(&out, "%s{\"running\":%s", i ? "," : "", all[i].writer ? "true" : "false");
        json_out_member(&out, "name", all[i].name);
        json_out_member(&out, "folder", all[i].folder);
        if (all[i].writer)
            json_out_put(&out, ",\"pid\":%" PRIu32, all[i].writer);
        json_out_put(&out, ",\"files\":%zu,\"bytes\":%" PRIu64 "}", all[i].files, all[i].bytes);
    }
    json_out_put(&out, "]");
    show(to, "%s\n", out.text);
    json_out_free(&out);
}

static int refuse(const char *sentence, const char *found)
{
    struct err err;
    fail(&err, "%s; found '%.100s'", sentence, found);
    complain(err.text);
    return EXIT_USAGE;
}

/* Stops each named recorder, also when one of them fails. */
static int stop_all(const struct command_verb *c)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < c->word_count; i++) {
        const int one = recorder_command_stop(c->words[i], NULL);
        status = one ? one : status;
    }
    return status;
}

static int list(const struct command_verb *c, FILE *to)
{
    struct found *const all = mem_new(RECORDERS_MOST, sizeof *all);
    const size_t count = find(all);
    if (c->prints_json)
        print_json(all, count, to);
    else
        print(all, count, to);
    free(all);
    return EXIT_DONE;
}

int sessions_run(const struct command_verb *c, FILE *to)
{
    const char *const verb = c->verb ? c->verb : "list";
    if (strcmp(verb, "list") == 0 && !c->word_count)
        return list(c, to);
    if (strcmp(verb, "show") == 0 && c->word_count == 1)
        return recorder_command_show(c->words[0], NULL, c->prints_json);
    if (strcmp(verb, "stop") == 0 && c->word_count)
        return stop_all(c);
    if (strcmp(verb, "show") == 0 || strcmp(verb, "stop") == 0)
        return refuse("expected the name of a recorder, as 'tracetop sessions' lists them", verb);
    return refuse(
        "on Linux sessions are those of recorders: 'sessions' lists them, 'sessions show' "
        "and 'stop' take their names, 'tracetop recorder start' starts one",
        verb);
}
