/* What ETW reads and fills must lie where ETW expects it: sizes and offsets of the documented
 * 64-bit layouts, checked when this is compiled. */
#include "collectors/windows/etw_api.h"

#include <stddef.h>

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#define AT(type, member, offset)                                                                   \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member)

SIZE(WNODE_HEADER, 48);
SIZE(EVENT_TRACE_PROPERTIES, 120);
AT(EVENT_TRACE_PROPERTIES, Wnode.BufferSize, 0);
AT(EVENT_TRACE_PROPERTIES, Wnode.Guid, 24);
AT(EVENT_TRACE_PROPERTIES, Wnode.ClientContext, 40);
AT(EVENT_TRACE_PROPERTIES, Wnode.Flags, 44);
AT(EVENT_TRACE_PROPERTIES, BufferSize, 48);
AT(EVENT_TRACE_PROPERTIES, MinimumBuffers, 52);
AT(EVENT_TRACE_PROPERTIES, MaximumBuffers, 56);
AT(EVENT_TRACE_PROPERTIES, LogFileMode, 64);
AT(EVENT_TRACE_PROPERTIES, FlushTimer, 68);
AT(EVENT_TRACE_PROPERTIES, EnableFlags, 72);
AT(EVENT_TRACE_PROPERTIES, NumberOfBuffers, 80);
AT(EVENT_TRACE_PROPERTIES, EventsLost, 88);
AT(EVENT_TRACE_PROPERTIES, LogBuffersLost, 96);
AT(EVENT_TRACE_PROPERTIES, RealTimeBuffersLost, 100);
AT(EVENT_TRACE_PROPERTIES, LoggerThreadId, 104);
AT(EVENT_TRACE_PROPERTIES, LogFileNameOffset, 112);
AT(EVENT_TRACE_PROPERTIES, LoggerNameOffset, 116);
AT(struct etw_properties, name, 120);
SIZE(struct etw_properties, 120 + 2 * 2 * ETW_NAME_UNITS);

SIZE(EVENT_HEADER, 80);
AT(EVENT_HEADER, Flags, 4);
AT(EVENT_HEADER, ThreadId, 8);
AT(EVENT_HEADER, ProcessId, 12);
AT(EVENT_HEADER, TimeStamp, 16);
AT(EVENT_HEADER, ProviderId, 24);
AT(EVENT_HEADER, EventDescriptor, 40);
AT(EVENT_HEADER, ActivityId, 64);
SIZE(EVENT_DESCRIPTOR, 16);
SIZE(EVENT_HEADER_EXTENDED_DATA_ITEM, 16);
SIZE(EVENT_RECORD, 112);
AT(EVENT_RECORD, BufferContext, 80);
AT(EVENT_RECORD, BufferContext.LoggerId, 82);
AT(EVENT_RECORD, ExtendedDataCount, 84);
AT(EVENT_RECORD, UserDataLength, 86);
AT(EVENT_RECORD, ExtendedData, 88);
AT(EVENT_RECORD, UserData, 96);
AT(EVENT_RECORD, UserContext, 104);

SIZE(EVENT_TRACE, 88);
SIZE(EVENT_TRACE_HEADER, 48);
SIZE(TRACE_LOGFILE_HEADER, 280);
AT(TRACE_LOGFILE_HEADER, PerfFreq, 256);
SIZE(EVENT_TRACE_LOGFILEW, 448);
AT(EVENT_TRACE_LOGFILEW, LoggerName, 8);
AT(EVENT_TRACE_LOGFILEW, ProcessTraceMode, 28);
AT(EVENT_TRACE_LOGFILEW, LogfileHeader, 120);
AT(EVENT_TRACE_LOGFILEW, BufferCallback, 400);
AT(EVENT_TRACE_LOGFILEW, EventRecordCallback, 424);
AT(EVENT_TRACE_LOGFILEW, Context, 440);

SIZE(struct etw_classic_id, 24);
SIZE(struct etw_profile_interval, 8);
SIZE(struct etw_enable_parameters, 48);
AT(struct etw_enable_parameters, source_id, 12);
AT(struct etw_enable_parameters, filters, 32);
AT(struct etw_enable_parameters, filter_count, 40);
SIZE(EVENT_FILTER_DESCRIPTOR, 16);
SIZE(EVENT_DATA_DESCRIPTOR, 16);
SIZE(TRACE_ENABLE_INFO, 32);
SIZE(TRACE_PROVIDER_INSTANCE_INFO, 16);
SIZE(TRACE_GUID_INFO, 8);
AT(PROFILE_SOURCE_INFO, Description, 24);
