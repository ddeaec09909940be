/* What our BPF programs know of the kernel: of each struct just the members that are read.
 * preserve_access_index makes the loader place every access by the running kernel's own
 * type information, so order and size here mean nothing. A name that ends in ___something
 * is another version of the struct before the underscores.
 *
 * For clang -target bpf only. */
#ifndef COLLECTORS_LINUX_BPF_KERNEL_H
#define COLLECTORS_LINUX_BPF_KERNEL_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;

/* The part of the kernel's interface to BPF that is used; these values never change. */
enum {
    BPF_MAP_TYPE_HASH = 1,
    BPF_MAP_TYPE_ARRAY = 2,
    BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
    BPF_MAP_TYPE_PERCPU_ARRAY = 6,
    BPF_MAP_TYPE_LRU_HASH = 9,
    BPF_ANY = 0,
    BPF_NOEXIST = 1,
    BPF_F_NO_PREALLOC = 1,
};
#define BPF_F_CURRENT_CPU 0xffffffffull

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define NOT_HERE      2  /* ENOENT */
#define NOT_LISTENING 95 /* EOPNOTSUPP */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* ---- tasks ------------------------------------------------------------------------- */

struct thread_info {
    __u32 status; /* x86 */
    __u32 cpu;
};

struct thread_info___arm64 {
    struct {
        __u32 count;
    } preempt;
};

struct task_struct {
    struct thread_info thread_info;
    void *stack;
    unsigned int flags;
    int prio;
    int exit_code;
    int pid, tgid;
    char comm[16];
    struct task_struct *group_leader;
    struct signal_struct *signal;
    unsigned int __state;
    struct fs_struct *fs;
    struct files_struct *files;
    struct mm_struct *mm;
};

struct mm_struct {
    unsigned long arg_start, arg_end;
};

struct linux_binprm {
    const char *filename;
};

struct task_struct___before_5_14 {
    volatile long state;
};

struct task_struct___before_5_16 {
    unsigned int cpu;
};

struct task_struct___arm64 {
    struct thread_info___arm64 thread_info;
};

enum { THREAD_OF_KERNEL = 0x00200000 }; /* PF_KTHREAD */

struct signal_struct {
    struct {
        int counter;
    } live;
    int group_exit_code;
    unsigned int flags;
};

enum { ENDS_AS_A_WHOLE = 0x4 }; /* SIGNAL_GROUP_EXIT: exit_group() or a signal */

struct pt_regs {
    unsigned long di, si, dx, r10, r8, r9, ax, orig_ax, ip, flags, sp;
};

struct pt_regs___arm64 {
    unsigned long long regs[6];
    unsigned long long sp, orig_x0;
    int syscallno;
};

struct task_struct___kasan {
    unsigned int kasan_depth;
};

/* Only whether the kernel has it is asked. */
enum bpf_func_id___known { BPF_FUNC_task_pt_regs = 175 };

/* ---- events of the kernel's own counters ---------------------------------------------- */

/* What a program behind one is called with; `addr`: of the fault. */
struct bpf_perf_event_data {
    __u64 addr;
};

/* ---- disks ------------------------------------------------------------------------- */

struct gendisk {
    int major, first_minor;
};

struct request_queue {
    struct gendisk *disk;
};

struct block_device {
    __u32 bd_dev;
};

struct page {
    unsigned long compound_head; /* odd: a part of a larger one, whose address is one less */
    struct address_space *mapping;
};

struct address_space {
    struct inode *host;
};

struct super_block {
    __u32 s_dev;
};

struct inode {
    unsigned short i_mode;
    struct super_block *i_sb;
    struct address_space *i_mapping;
    unsigned long i_ino;
};

struct qstr {
    const unsigned char *name;
};

struct dentry {
    struct dentry *d_parent;
    struct qstr d_name;
};

struct vfsmount {
    struct dentry *mnt_root;
};

struct mount {
    struct mount *mnt_parent;
    struct dentry *mnt_mountpoint;
    struct vfsmount mnt;
};

struct path {
    struct vfsmount *mnt;
    struct dentry *dentry;
};

struct file {
    struct inode *f_inode;
    struct path f_path;
    void *private_data;
};

struct fdtable {
    unsigned int max_fds;
    struct file **fd;
};

struct files_struct {
    struct fdtable *fdt;
};

struct fs_struct {
    struct path root, pwd;
};

struct kiocb {
    struct file *ki_filp;
    int ki_flags;
};

struct iomap_dio {
    struct kiocb *iocb;
};

struct bio_vec {
    struct page *bv_page;
};

struct bio {
    struct block_device *bi_bdev; /* since 5.12 */
    unsigned short bi_ioprio;
    void *bi_private;
    struct bio_vec *bi_io_vec;
};

struct request {
    struct request_queue *q;
    struct bio *bio, *biotail;
    unsigned int cmd_flags;
    unsigned int __data_len;
    __u64 __sector;
};

struct request___before_5_17 {
    struct gendisk *rq_disk;
};

struct request___with_ioprio {
    unsigned short ioprio;
};

/* Until 6.0 the type had another name; the values were these. */
enum req_op {
    REQ_OP_READ = 0,
    REQ_OP_WRITE = 1,
    REQ_OP_FLUSH = 2,
    REQ_OP_DISCARD = 3,
    REQ_OP_SECURE_ERASE = 5,
    REQ_OP_DRV_IN = 34,
    REQ_OP_DRV_OUT = 35,
};

enum req_flag_bits {
    __REQ_SYNC = 11,
    __REQ_META = 12,
    __REQ_FUA = 17,
    __REQ_PREFLUSH = 18,
    __REQ_RAHEAD = 19,
};

/* ---- interrupts ----------------------------------------------------------------------- */

struct irqaction {
    const char *name;
};

/* ---- network ------------------------------------------------------------------------------ */

struct in6_addr {
    __u8 bytes[16];
};

struct sock_common {
    __be32 skc_daddr, skc_rcv_saddr;
    __be16 skc_dport;
    __u16 skc_num;
    unsigned short skc_family;
    struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};

struct sk_buff_head {
    struct sk_buff *next, *prev;
    __u32 qlen;
};

struct sock {
    struct sock_common __sk_common;
    struct sk_buff_head sk_receive_queue;
    __u16 sk_protocol; /* a bit field until 5.6 */
};

struct socket {
    struct sock *sk;
};

struct inet_sock {
    __be32 inet_saddr;
    __be16 inet_sport;
};

struct udp_sock {
    struct sk_buff_head reader_queue;
};

struct sk_buff {
    struct sock *sk;
    __be16 protocol;
    __u16 transport_header, network_header;
    unsigned char *head;
    char cb[48]; /* TCP's: struct tcp_skb_cb */
};

struct tcp_skb_cb {
    __u16 tcp_gso_segs;
};

#pragma clang attribute pop

enum { STATUS_COMPAT = 2 };

/* In a 32-bit call on x86: those have numbers of their own. A macro, since only clang for BPF
 * can compile it. */
#define is_compat()                                                                                \
    ({                                                                                             \
        const struct task_struct *const now = (const void *)bpf_get_current_task();                \
        bpf_core_field_exists(now->thread_info.status) &&                                          \
            BPF_CORE_READ(now, thread_info.status) & STATUS_COMPAT;                                \
    })

enum { FAMILY_IPV4 = 2, FAMILY_IPV6 = 10, PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };

#endif
