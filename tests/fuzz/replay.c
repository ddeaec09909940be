/* Runs a fuzzer's function over its corpus without the fuzzer: each input as it is, cut
 * short at several places, and nothing at all, always from a heap copy of exactly that
 * size, so that a sanitizer sees one byte too far.
 *
 * usage: NAME-replay FOLDER-OR-FILE… */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum {
    INPUT_MAX = 64 << 20,
    CUTS = 64, /* shorter lengths per input, spread over it */
};

static void run_exact(const uint8_t *data, size_t bytes)
{
    uint8_t *copy = calloc(1, bytes);
    if (bytes)
        memcpy(copy, data, bytes);
    LLVMFuzzerTestOneInput(copy, bytes);
    free(copy);
}

static unsigned long run_cuts(const uint8_t *data, size_t bytes)
{
    const size_t step = bytes / CUTS + 1;
    unsigned long runs = 0;
    for (size_t cut = step; cut <= bytes; cut += step, runs++)
        run_exact(data, bytes - cut);
    run_exact(data, bytes);
    return runs + 1;
}

static unsigned long run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(INPUT_MAX);
    if (!f || !data) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    const size_t bytes = fread(data, 1, INPUT_MAX, f);
    fclose(f);
    const unsigned long runs = run_cuts(data, bytes);
    free(data);
    return runs;
}

static unsigned long run_path(const char *path)
{
    DIR *folder = opendir(path);
    struct stat info;
    if (!folder)
        return stat(path, &info) == 0 ? run_file(path) : 0;
    unsigned long runs = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        runs += run_path(name);
    }
    closedir(folder);
    return runs;
}

int main(int argc, char **argv)
{
    unsigned long runs = 0;
    run_exact((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++)
        runs += run_path(argv[i]);
    printf("%lu inputs\n", runs);
    if (runs > 0)
        return 0;
    fprintf(stderr, "no input found: the corpus is part of the repository\n");
    return 1;
}
