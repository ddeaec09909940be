/* The BPF source: programs of ours (bpf/) that stand in for perf tracepoints. They write into
 * the same rings through PERF_COUNT_SW_BPF_OUTPUT events, lose nothing on idle processors, and
 * know more: the request's address, a process's exit code, both ends of a socket, paths.
 *
 * One row of a domain is served by the program that its `program` names: a program NAME, with
 * records of the layout bpf_layout() gives, and perhaps companions that collect for it.
 *
 *     program              fields beyond the tracepoint's                        instead of
 *     block_rq_issue       request error; file_dev inode: whose bytes they are   block:
 *     block_rq_requeue     request                                               block:
 *     block_rq_complete    request bytes comm                                    block:
 *     block_io_done        request error                                         block:
 *     irq_handler_entry    (name is text, not __data_loc) ret                    irq:
 *     irq_handler_exit     name (empty)                                          irq:
 *     softirq_entry/_exit                                                        irq:
 *     sched_waking         common_flags: 0x08 where an interrupt woke            sched:
 *     sched_wakeup_new     likewise                                              sched:
 *     sched_switch         prev_call: system call the thread is in, or negative  sched:
 *     sched_process_exec   arguments (with their NULs) argument_bytes: of all    sched:
 *     sched_process_exit   exit_code (as wait(2) has it)                         sched:
 *     sock_send_length     address_family (2, 10, 0 unknown; IPv4-mapped is 2)   sock:
 *     sock_recv_length       sport dport (host order; sport is this machine's)   sock:
 *                            saddr daddr (16 bytes, network order); TCP and UDP alone
 *     inet_sock_set_state  (TCP alone)                                           sock:
 *     tcp_retransmit_skb   segments; oldstate newstate (0) protocol              tcp:
 *     tcp_destroy_sock     likewise                                              tcp:
 *     sys_enter_path       id args path: calls that take a path, at their entry
 *     function_entry       function place arguments text0 text1 text2            nothing
 *     function_return      function place result text                            nothing
 * raw_syscalls:sys_enter sys_enter  sys_exit  is_compat: its number is of the 32-bit calls
 * raw_syscalls:
 *
 * Loading needs CAP_BPF and CAP_PERFMON (5.8 and later) and the kernel's type information; no
 * tracefs. Switching needs the same rights, so they are kept. none.c is the file for builds
 * without libbpf or a compiler for BPF.
 *
 * Threads: one at a time; the collector's after the start. Opening allocates, switching does
 * too and takes milliseconds (the kernel waits for every processor): no path for each event. */
#ifndef COLLECTORS_LINUX_BPF_BPF_H
#define COLLECTORS_LINUX_BPF_BPF_H

#include "collectors/linux/kernel/sample.h"
#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf;
struct bpf_source; /* one program with its companions; owned by struct bpf */

/* Functions of programs and libraries that the sources function_entry and function_return report,
 * those of one file side by side. */
struct bpf_functions {
    struct bpf_function {
        int file;         /* descriptor; open while the sources may be switched on */
        uint64_t offset;  /* in the file */
        uint64_t counter; /* likewise, of a number that says how many watch; 0: none */
        struct bpf_argument {
            uint8_t from, place, bytes; /* from: function_form.h; place: word of struct pt_regs */
            int64_t number;
        } arguments[6];
        uint32_t process; /* of this one only; 0: of all */
        uint8_t texts[3]; /* 1 + numbers of arguments that lead to texts; 0: no more */
        bool result_is_text;
        bool is_left_out; /* not attached, or no more: see bpf_functions_again() */
        int refusal;      /* errno of the kernel, which did not take it */
    } * of;
    size_t count; /* their numbers are those in `of` */
    struct bpf_function_end {
        uint64_t offset; /* in the file of the function */
        uint32_t function;
        int32_t before, behind;         /* bytes from here to its first, and to behind its last */
        uint8_t kind, condition, place; /* src/symbol/function_exit.h */
        bool is_refused;
    } * ends; /* of calls; those of one file side by side, too */
    size_t end_count;
};

/* Loads every program that this kernel takes, with no event connected and all switched off.
 * NULL with a sentence where that cannot be at all. `functions` stay the caller's, and as long as
 * this; NULL: none. */
struct bpf *bpf_open(struct bpf_functions *functions, struct err *err);
void bpf_close(struct bpf *b); /* NULL is fine */

/* The source `program` (linux_event.program), or NULL with the reason: no such tracepoint here,
 * or what the kernel had against the program. `b` may be NULL: then there is none. */
struct bpf_source *bpf_find(struct bpf *b, const char *program, struct err *err);

/* Where the fields lie that `e` reads; false where one is missing that has no '?'. */
bool bpf_layout(const struct bpf_source *s, const struct linux_event *e, struct sample_layout *out,
                struct err *err);

/* Sends what happens on `cpu` to the perf event `fd` (PERF_COUNT_SW_BPF_OUTPUT, system-wide on
 * that processor, redirected into its ring); one that was there before gives way. The event
 * lives until it is disconnected or replaced, even if `fd` is closed. */
bool bpf_connect(struct bpf_source *s, unsigned cpu, int fd, struct err *err);
void bpf_disconnect(struct bpf_source *s, unsigned cpu);

/* On: attaches the program, so that it costs something; off again. */
bool bpf_switch(struct bpf_source *s, bool is_on, struct err *err);
bool bpf_is_on(const struct bpf_source *s);

/* This kernel lacks the event's tracepoint; the program learns most of the same elsewhere. */
bool bpf_stands_in(const struct bpf_source *s);

/* Records written on `cpu` into a connected event that was enabled: received + lost. */
uint64_t bpf_fired(const struct bpf_source *s, unsigned cpu);

/* Events that the kernel kept from the program since it was loaded, on all processors: it does not
 * run a program inside itself. 0 where the kernel does not report it (before 5.12). */
uint64_t bpf_missed(const struct bpf_source *s);

/* Of a source NAME_deep, whose records are another source's that take a copy of the user's stack
 * along: those that went the other way for want of budget. 0 for other sources. */
uint64_t bpf_deep_left(const struct bpf_source *s);

/* ---- functions of programs --------------------------------------------------------------------- */

/* How often the function was called since it was attached, by anybody. */
uint64_t bpf_function_calls(const struct bpf *b, uint32_t number);

/* Attaches the sources that are switched on once more, without the functions that are left out now.
 * Calls in between are missed. */
void bpf_functions_again(struct bpf *b);

/* ---- scope -------------------------------------------------------------------------------------
 *
 * Programs that report what a thread does itself (calls, paths, sends, receives) report only chosen
 * processes. So do choosers: programs behind the kernel's own counters of faults and samples. All
 * of these do nothing where `b` is NULL. */

/* From here on children and those that take a fitting name are added by the kernel itself, as
 * requested; false where it cannot, or where ids mean something else to it (a container's). `name`
 * is a pattern of text_is_like(), or empty. */
bool bpf_scope_follow(struct bpf *b, const char *name, bool has_children);
void bpf_scope_add(struct bpf *b, uint32_t pid);
bool bpf_scope_choose(struct bpf *b); /* from here on others are left out */

/* Puts a chooser behind a software event; false where that cannot be: then all is recorded. */
bool bpf_scope_put_behind(struct bpf *b, const char *chooser, int fd);

/* What a chooser has left out on a processor. */
uint64_t bpf_scope_left_out(const struct bpf *b, const char *chooser, unsigned cpu);

#endif
