/* C++ names: the grammar of the Itanium C++ ABI, read into a tree (demangle_cxx_read.c) that is
 * then written out (demangle_cxx_write.c).
 *
 * Names come from files nobody vouches for: a name of 500 bytes can stand for a text of gigabytes
 * (back references that double), or make a parser that goes back try for years. Here every node,
 * every step and every level has a limit, nothing is tried twice, and writing stops when the room
 * is full. What does not parse within them stays mangled. Why not a library: see src/symbol/demangle.h. */
#include "src/symbol/demangle.h"

#include "src/symbol/demangle_cxx.h"

#include <stdlib.h>
#include <string.h>

enum { SHORTEST = 3, LONGEST = 4096 };

struct text {
    char *out;
    size_t used, room;
};

static void put(struct text *t, const char *text, size_t bytes)
{
    const size_t left = t->room - 1 - t->used;
    const size_t count = bytes < left ? bytes : left;
    memcpy(t->out + t->used, text, count);
    t->used += count;
}

static bool is_number_next(const char *at, const char *end)
{
    return end - at > 1 && at[0] == '.' && at[1] >= '0' && at[1] <= '9';
}

/* The end of ".isra.0", ".cold": the first of them. */
static const char *clone_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '.';)
        at++;
    while (is_number_next(at, end))
        for (at++; at < end && *at >= '0' && *at <= '9';)
            at++;
    return at;
}

/* What compilers split off. */
static void put_clones(struct text *t, const char *at, const char *end)
{
    while (at < end && *at == '.') {
        const char *const from = at;
        at = clone_end(at, end);
        put(t, " [clone ", 8);
        put(t, from, (size_t)(at - from));
        put(t, "]", 1);
    }
}

/* With the tree as the room that it takes. */
static bool demangle_in(struct cxx_tree *tree, const char *mangled, char *out, size_t room)
{
    const char *at = mangled + 2, *const end = mangled + strlen(mangled);
    tree->depth = tree->steps = 0;
    tree->is_bad = false;
    tree->nodes[0] = (struct cxx_node){.kind = CXX_NONE};
    tree->count = 1;
    const cxx_id n = cxx_read(tree, &at, end);
    if (tree->is_bad || !n || (at != end && *at != '.'))
        return false;
    struct text t = {.out = out, .used = cxx_write(tree, n, out, room), .room = room};
    put_clones(&t, at, end);
    out[t.used] = '\0';
    return !tree->is_bad && t.used > 0;
}

bool demangle_cxx(const char *mangled, char *out, size_t room)
{
    const size_t bytes = strlen(mangled);
    if (!room || bytes < SHORTEST || bytes > LONGEST || memcmp(mangled, "_Z", 2) != 0)
        return false;
    struct cxx_tree *const tree = malloc(sizeof *tree);
    const bool is_good = tree && demangle_in(tree, mangled, out, room);
    free(tree);
    return is_good;
}
