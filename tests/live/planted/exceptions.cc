// A program of C++ whose functions are watched while exceptions go through them (live_function.c).
#include <cstdio>
#include <stdexcept>
#include <string>

#define APART __attribute__((noinline, noclone, noipa))

namespace planted
{
struct thing {
    int kept = 0;
    APART int method(const char *name, int n)
    {
        kept += n;
        asm volatile("" ::"r"(name));
        return kept;
    }
};

APART void thrower(int i)
{
    if (i & 1)
        throw std::runtime_error("odd");
    asm volatile("");
}

APART void middle(int i)
{
    thrower(i);
    asm volatile("");
}
}

int main()
{
    int caught = 0;
    planted::thing thing;
    for (int i = 0; i < 10; i++) {
        try {
            planted::middle(i);
        } catch (const std::exception &) {
            caught++;
        }
        thing.method("name", i);
    }
    std::printf("caught %d\n", caught);
    return 0;
}
