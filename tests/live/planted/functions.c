/* A program whose functions are watched (live_function.c). It prints what it did itself, by its own
 * clock and counts. Build without optimization across functions. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone, noipa))

enum mode { PLAIN, FAST = 7 };

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

APART int add(int a, unsigned char b, const char *name, enum mode m, double real, long long wide)
{
    __asm__ volatile("" ::"r"(name), "r"(m));
    return a + b + (int)wide + (real > 0);
}

APART const char *name_of(const char *name)
{
    __asm__ volatile("");
    return name + 1;
}

APART long deep(long n)
{
    const long below = n ? deep(n - 1) : -1;
    __asm__ volatile("");
    return below + 1;
}

APART void rest(int ms)
{
    const struct timespec t = {0, ms * 1000000l};
    nanosleep(&t, NULL);
}

APART int last(int n)
{
    __asm__ volatile("");
    return n + 1;
}

/* Ends by a jump to another function. */
APART int passes_on(int n)
{
    __asm__ volatile("");
    return last(n + 1);
}

/* Ends by a jump to where a pointer says. */
APART int passes_on_to(int (*to)(int), int n)
{
    __asm__ volatile("");
    return to(n + 1);
}

static jmp_buf back;
APART void leaves(int i)
{
    if (i & 1)
        longjmp(back, 1);
    __asm__ volatile("");
}

/* As often as asked for; most of it is the call. */
APART unsigned often(unsigned n)
{
    volatile unsigned kept = n;
    return kept + 1;
}

/* A probe as <sys/sdt.h> builds it into programs, with a counter of those who watch. */
unsigned short planted_watched __attribute__((section(".probes")));

APART void step(int number, const char *name, short kept)
{
    volatile short in_memory = kept;
    __asm__ volatile("990: nop\n"
                     ".pushsection .note.stapsdt,\"\",\"note\"\n"
                     ".balign 4\n"
                     ".4byte 992f-991f, 994f-993f, 3\n"
                     "991: .asciz \"stapsdt\"\n"
                     "992: .balign 4\n"
                     "993: .8byte 990b\n"
                     ".8byte _.stapsdt.base\n"
                     ".8byte planted_watched\n"
                     ".asciz \"planted\"\n"
                     ".asciz \"step__done\"\n"
                     ".asciz \"-4@%0 8@%1 8f@%%xmm0 -2@%2 8@$5\"\n"
                     "994: .balign 4\n"
                     ".popsection\n"
                     ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
                     ".weak _.stapsdt.base\n"
                     ".hidden _.stapsdt.base\n"
                     "_.stapsdt.base: .space 1\n"
                     ".popsection" ::"r"(number),
                     "r"(name), "m"(in_memory));
}

static int take_steps(void)
{
    for (int i = 0; i < 5; i++) {
        step(-i, i & 1 ? "odd" : "even", (short)(i * -100));
        printf("watched by %u\n", planted_watched);
    }
    return 0;
}

static int work(unsigned times)
{
    int jumped = 0;
    for (int i = 0; i < 10; i++)
        printf("add %d\n", add(-i, 250, i & 1 ? "odd" : "even", FAST, 1.5, 1ll << 33));
    printf("name %s\n", name_of("xhello"));
    printf("deep %ld\n", deep(20));
    for (int ms = 10; ms <= 30; ms += 10) {
        const long long before = now();
        rest(ms);
        printf("rest %lld\n", now() - before);
    }
    printf("on %d %d\n", passes_on(1), passes_on_to(last, 1));
    for (volatile int i = 0; i < 10; i++) {
        if (setjmp(back))
            jumped++;
        else
            leaves(i);
    }
    printf("jumped %d\n", jumped);
    for (unsigned i = 0; i < times; i++)
        often(i);
    return 0;
}

/* TIMES, or "steps", or "for SECONDS", or "until the input ends", when it says whether its code is
 * its own. */
int main(int count, char **arguments)
{
    if (count > 2 && strcmp(arguments[1], "for") == 0) {
        const long long end = now() + atoll(arguments[2]) * 1000000000ll;
        while (now() < end)
            for (unsigned i = 0; i < 100000; i++)
                often(i);
        return 0;
    }
    if (count > 1 && strcmp(arguments[1], "until") == 0) {
        unsigned char before[16];
        char line[16];
        memcpy(before, (const void *)often, sizeof before);
        printf("%d\n", (int)getpid());
        fflush(stdout);
        while (fgets(line, sizeof line, stdin)) {
            often(1);
            printf("%s\n", memcmp(before, (const void *)often, sizeof before) ? "changed" : "own");
            fflush(stdout);
        }
        return 0;
    }
    if (count > 1 && strcmp(arguments[1], "steps") == 0)
        return take_steps();
    return work(count > 1 ? (unsigned)atol(arguments[1]) : 0);
}
