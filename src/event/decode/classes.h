/* The classes of this folder by their files, one line each; src/event/decode.c lists them by group.
 */
#ifndef SRC_EVENT_DECODE_CLASSES_H
#define SRC_EVENT_DECODE_CLASSES_H

#include "src/event/decode/table.h"

/* alpc.c */
extern const struct event_class decode_alpc;

/* config.c */
extern const struct event_class decode_system_config;

/* disk.c */
extern const struct event_class decode_disk_io;
extern const struct event_class decode_split_io;

/* file.c */
extern const struct event_class decode_file_io;

/* header.c */
extern const struct event_class decode_event_trace_event;
extern const struct event_class decode_lost_event;

/* image.c */
extern const struct event_class decode_image;

/* memory.c */
extern const struct event_class decode_page_fault;
extern const struct event_class decode_pool;

/* merged.c */
extern const struct event_class decode_image_id;
extern const struct event_class decode_sys_config_ex;
extern const struct event_class decode_win_sat;
extern const struct event_class decode_event_metadata;

/* object.c */
extern const struct event_class decode_object;

/* other.c */
extern const struct event_class decode_dbg_print;
extern const struct event_class decode_wnf;
extern const struct event_class decode_mod_bound;
extern const struct event_class decode_dpc;
extern const struct event_class decode_cc;
extern const struct event_class decode_ums;
extern const struct event_class decode_hypervisor;
extern const struct event_class decode_hypervisor_x;

/* perfinfo.c */
extern const struct event_class decode_perf_info;

/* power.c */
extern const struct event_class decode_power;

/* process.c */
extern const struct event_class decode_process;

/* registry.c */
extern const struct event_class decode_registry;

/* stackwalk.c */
extern const struct event_class decode_stack_walk;

/* tcpip.c */
extern const struct event_class decode_tcp_ip;

/* thread.c */
extern const struct event_class decode_thread;

/* udpip.c */
extern const struct event_class decode_udp_ip;

/* user.c */
extern const struct event_class decode_heap;
extern const struct event_class decode_crit_sec;
extern const struct event_class decode_thread_pool;
extern const struct event_class decode_job;
extern const struct event_class decode_last_branch;

#endif
