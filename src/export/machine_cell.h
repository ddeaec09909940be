/* How `machine` shows numbers. */
#ifndef SRC_EXPORT_MACHINE_CELL_H
#define SRC_EXPORT_MACHINE_CELL_H

#include "src/event/decode.h"

void machine_put_size(uint64_t number, char *out, size_t room);
/* Of what has a size, if it is known. */
void machine_put_known_size(uint64_t number, char *out, size_t room);
void machine_put_megabytes(uint64_t number, char *out, size_t room);
void machine_put_yes(uint64_t number, char *out, size_t room);
/* Of what is 0 where there is none. */
void machine_put_some(uint64_t number, char *out, size_t room);
void machine_put_hex(uint64_t number, char *out, size_t room);
/* Six bytes, the first one in the low bits. */
void machine_put_hardware_address(uint64_t number, char *out, size_t room);
/* ns since 1970 */
void machine_put_time(uint64_t number, char *out, size_t room);
void machine_put_filetime(uint64_t number, char *out, size_t room);
/* Of the trace header: the major number in the lowest byte, then the minor one. */
void machine_put_version(uint64_t number, char *out, size_t room);
/* SERVICE_STOPPED … of winsvc.h */
void machine_put_service_state(uint64_t number, char *out, size_t room);

#endif
