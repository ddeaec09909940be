/* A made /proc and /sys in a directory of its own, removed at the end. */
#ifndef TESTS_MADE_TREE_H
#define TESTS_MADE_TREE_H

#include "tests/test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct made_tree {
    char root[64];
};

static inline void tree_make(struct made_tree *t)
{
    strcpy(t->root, "/tmp/tracetop-tree-XXXXXX");
    assert_non_null(mkdtemp(t->root));
}

static inline void tree_path(const struct made_tree *t, const char *path, char *out, size_t room)
{
    snprintf(out, room, "%s/%s", t->root, path);
    for (char *c = out + strlen(t->root) + 1; (c = strchr(c, '/')); c++) {
        *c = '\0';
        mkdir(out, 0755);
        *c = '/';
    }
}

/* A file with these bytes; folders are made on the way. */
static inline void tree_file(const struct made_tree *t, const char *path, const void *bytes,
                             size_t count)
{
    char all[512];
    tree_path(t, path, all, sizeof all);
    FILE *const f = fopen(all, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    assert_int_equal(fclose(f), 0);
}

static inline void tree_text(const struct made_tree *t, const char *path, const char *text)
{
    tree_file(t, path, text, strlen(text));
}

static inline void tree_link(const struct made_tree *t, const char *path, const char *target)
{
    char all[512];
    tree_path(t, path, all, sizeof all);
    assert_int_equal(symlink(target, all), 0);
}

/* The files of a process of one thread; `rest` follows its name in stat. */
static inline void tree_process(const struct made_tree *t, uint32_t pid, const char *name,
                                uint32_t parent, uint32_t session, uint32_t flags, uint32_t threads)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "proc/%u/stat", pid);
    snprintf(text, sizeof text, "%u (%s) S %u 7 %u 0 -1 %u 1 2 3 4 5 6 7 8 20 0 %u 0 12345 1 2 3\n",
             pid, name, parent, session, flags, threads);
    tree_text(t, path, text);
}

static inline int tree_remove_one(const char *path, const struct stat *s, int kind,
                                  struct FTW *where)
{
    (void)s, (void)kind, (void)where;
    return remove(path);
}

static inline void tree_remove(const struct made_tree *t)
{
    nftw(t->root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
