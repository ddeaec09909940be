/* The classes of this folder, one line each; src/event/decode.c lists them by group. */
#ifndef SRC_EVENT_DECODE_CLASSES_H
#define SRC_EVENT_DECODE_CLASSES_H

#include "src/event/decode/table.h"

extern const struct event_class decode_alpc;
extern const struct event_class decode_system_config;
extern const struct event_class decode_disk_io;
extern const struct event_class decode_split_io;
extern const struct event_class decode_file_io;
extern const struct event_class decode_event_trace_event;
extern const struct event_class decode_lost_event;
extern const struct event_class decode_image;
extern const struct event_class decode_page_fault;
extern const struct event_class decode_pool;
extern const struct event_class decode_image_id;
extern const struct event_class decode_sys_config_ex;
extern const struct event_class decode_win_sat;
extern const struct event_class decode_event_metadata;
extern const struct event_class decode_object;
extern const struct event_class decode_dbg_print;
extern const struct event_class decode_wnf;
extern const struct event_class decode_power;
extern const struct event_class decode_mod_bound;
extern const struct event_class decode_dpc;
extern const struct event_class decode_cc;
extern const struct event_class decode_ums;
extern const struct event_class decode_hypervisor;
extern const struct event_class decode_hypervisor_x;
extern const struct event_class decode_perf_info;
extern const struct event_class decode_process;
extern const struct event_class decode_registry;
extern const struct event_class decode_stack_walk;
extern const struct event_class decode_tcp_ip;
extern const struct event_class decode_thread;
extern const struct event_class decode_udp_ip;
extern const struct event_class decode_heap;
extern const struct event_class decode_crit_sec;
extern const struct event_class decode_thread_pool;
extern const struct event_class decode_job;
extern const struct event_class decode_last_branch;

#endif
