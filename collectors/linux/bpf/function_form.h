/* What the programs at functions are to know of each: shared by function.bpf.c and
 * bpf_functions.c, so in C's own types. */
#ifndef COLLECTORS_LINUX_BPF_FUNCTION_FORM_H
#define COLLECTORS_LINUX_BPF_FUNCTION_FORM_H

enum {
    FUNCTION_ARGUMENTS = 6, /* that are read: those in registers */
    FUNCTION_TEXTS = 3,     /* of them whose texts are read */
    FUNCTION_TEXT = 96,     /* bytes of a text with its NUL; longer ones are cut */
};

/* Where an argument is. */
enum {
    FUNCTION_FROM_NOWHERE,
    FUNCTION_FROM_REGISTER,
    FUNCTION_FROM_MEMORY, /* where a register leads, and `number` bytes on */
    FUNCTION_FROM_CONSTANT
};

struct function_argument_form {
    unsigned char from, place, bytes; /* place: of the register in struct pt_regs, in words */
    long long number;
};

struct function_form {
    struct function_argument_form of[FUNCTION_ARGUMENTS];
    unsigned process;                    /* in this process only; 0: in all */
    unsigned char texts[FUNCTION_TEXTS]; /* 1 + numbers of arguments that lead to texts; 0: none */
    unsigned char result_is_text;
    unsigned except; /* a process whose calls are not reported: our own */
};

/* An instruction with which a call ends (src/symbol/function_exit.h), of a function by its number.
 */
struct function_exit_form {
    unsigned function;
    unsigned char kind, condition, place;
    int before, behind; /* from here to the function's first byte, and to that behind its last */
};

#endif
