/* Sorted by number. As their system's headers call them, without the prefix that all have. */
#include "src/event/decode/maps.h"

#include "src/event/decode/table.h"

#define NUMBERS(table) .entries = table, .count = TABLE_COUNT(table), .keeps_number = true
#define BITS(table)    NUMBERS(table), .is_bits = true

/* ---- disks and files --------------------------------------------------------------------------- */

static const struct value_name io_priorities[] = {
    {1, "PRIORITY_VERY_LOW"}, {2, "PRIORITY_LOW"},      {3, "PRIORITY_NORMAL"},
    {4, "PRIORITY_HIGH"},     {5, "PRIORITY_CRITICAL"},
};
static const struct value_map map_io_priority = {NUMBERS(io_priorities)};

static const struct value_name irp_flags[] = {
    {0x1, "NOCACHE"},
    {0x2, "PAGING_IO"},
    {0x4, "SYNCHRONOUS_API"},
    {0x8, "ASSOCIATED_IRP"},
    {0x10, "BUFFERED_IO"},
    {0x20, "DEALLOCATE_BUFFER"},
    {0x40, "SYNCHRONOUS_PAGING_IO"},
    {0x80, "CREATE"},
    {0x100, "READ"},
    {0x200, "WRITE"},
    {0x400, "CLOSE"},
    {0x800, "DEFER_IO_COMPLETION"},
    {0x1000, "OB_QUERY_NAME"},
    {0x2000, "HOLD_DEVICE_QUEUE"},
};
const struct value_map map_irp_flags = {BITS(irp_flags), .part_mask = 0xe0000,
                                        .part = &map_io_priority};

static const struct value_name create_dispositions[] = {
    {0, "SUPERSEDE"}, {1, "OPEN"},      {2, "CREATE"},
    {3, "OPEN_IF"},   {4, "OVERWRITE"}, {5, "OVERWRITE_IF"},
};
static const struct value_map map_create_disposition = {NUMBERS(create_dispositions)};

static const struct value_name create_options[] = {
    {0x1, "DIRECTORY_FILE"},
    {0x2, "WRITE_THROUGH"},
    {0x4, "SEQUENTIAL_ONLY"},
    {0x8, "NO_INTERMEDIATE_BUFFERING"},
    {0x10, "SYNCHRONOUS_IO_ALERT"},
    {0x20, "SYNCHRONOUS_IO_NONALERT"},
    {0x40, "NON_DIRECTORY_FILE"},
    {0x80, "CREATE_TREE_CONNECTION"},
    {0x100, "COMPLETE_IF_OPLOCKED"},
    {0x200, "NO_EA_KNOWLEDGE"},
    {0x400, "OPEN_REMOTE_INSTANCE"},
    {0x800, "RANDOM_ACCESS"},
    {0x1000, "DELETE_ON_CLOSE"},
    {0x2000, "OPEN_BY_FILE_ID"},
    {0x4000, "OPEN_FOR_BACKUP_INTENT"},
    {0x8000, "NO_COMPRESSION"},
    {0x10000, "OPEN_REQUIRING_OPLOCK"},
    {0x20000, "DISALLOW_EXCLUSIVE"},
    {0x100000, "RESERVE_OPFILTER"},
    {0x200000, "OPEN_REPARSE_POINT"},
    {0x400000, "OPEN_NO_RECALL"},
    {0x800000, "OPEN_FOR_FREE_SPACE_QUERY"},
};
const struct value_map map_create_options = {BITS(create_options), .part_mask = 0xff000000,
                                             .part = &map_create_disposition};

static const struct value_name file_attributes[] = {
    {0x1, "READONLY"},     {0x2, "HIDDEN"},        {0x4, "SYSTEM"},
    {0x10, "DIRECTORY"},   {0x20, "ARCHIVE"},      {0x80, "NORMAL"},
    {0x100, "TEMPORARY"},  {0x200, "SPARSE_FILE"}, {0x400, "REPARSE_POINT"},
    {0x800, "COMPRESSED"}, {0x1000, "OFFLINE"},    {0x2000, "NOT_CONTENT_INDEXED"},
    {0x4000, "ENCRYPTED"},
};
const struct value_map map_file_attributes = {BITS(file_attributes)};

static const struct value_name share_access[] = {{1, "READ"}, {2, "WRITE"}, {4, "DELETE"}};
const struct value_map map_share_access = {BITS(share_access)};

static const struct value_name information_classes[] = {
    {1, "Directory"},
    {2, "FullDirectory"},
    {3, "BothDirectory"},
    {4, "Basic"},
    {5, "Standard"},
    {6, "Internal"},
    {7, "Ea"},
    {8, "Access"},
    {9, "Name"},
    {10, "Rename"},
    {11, "Link"},
    {12, "Names"},
    {13, "Disposition"},
    {14, "Position"},
    {15, "FullEa"},
    {16, "Mode"},
    {17, "Alignment"},
    {18, "All"},
    {19, "Allocation"},
    {20, "EndOfFile"},
    {21, "AlternateName"},
    {22, "Stream"},
    {23, "Pipe"},
    {28, "Compression"},
    {29, "ObjectId"},
    {30, "Completion"},
    {33, "ReparsePoint"},
    {34, "NetworkOpen"},
    {35, "AttributeTag"},
    {37, "IdBothDirectory"},
    {38, "IdFullDirectory"},
    {39, "ValidDataLength"},
    {40, "ShortName"},
    {43, "IoPriorityHint"},
    {46, "HardLink"},
    {48, "NormalizedName"},
    {51, "RemoteProtocol"},
    {54, "StandardLink"},
    {59, "Id"},
    {60, "IdExtdDirectory"},
    {64, "DispositionEx"},
    {65, "RenameEx"},
    {68, "Stat"},
    {70, "StatLx"},
    {71, "CaseSensitive"},
    {72, "LinkEx"},
};
const struct value_map map_information_class = {NUMBERS(information_classes)};

static const struct value_name major_functions[] = {
    {0, "CREATE"},
    {1, "CREATE_NAMED_PIPE"},
    {2, "CLOSE"},
    {3, "READ"},
    {4, "WRITE"},
    {5, "QUERY_INFORMATION"},
    {6, "SET_INFORMATION"},
    {7, "QUERY_EA"},
    {8, "SET_EA"},
    {9, "FLUSH_BUFFERS"},
    {10, "QUERY_VOLUME_INFORMATION"},
    {11, "SET_VOLUME_INFORMATION"},
    {12, "DIRECTORY_CONTROL"},
    {13, "FILE_SYSTEM_CONTROL"},
    {14, "DEVICE_CONTROL"},
    {15, "INTERNAL_DEVICE_CONTROL"},
    {16, "SHUTDOWN"},
    {17, "LOCK_CONTROL"},
    {18, "CLEANUP"},
    {19, "CREATE_MAILSLOT"},
    {20, "QUERY_SECURITY"},
    {21, "SET_SECURITY"},
    {22, "POWER"},
    {23, "SYSTEM_CONTROL"},
    {24, "DEVICE_CHANGE"},
    {25, "QUERY_QUOTA"},
    {26, "SET_QUOTA"},
    {27, "PNP"},
};
const struct value_map map_major_function = {NUMBERS(major_functions)};

/* ---- threads and processes --------------------------------------------------------------------- */

static const struct value_name wait_reasons[] = {
    {0, "Executive"},
    {1, "FreePage"},
    {2, "PageIn"},
    {3, "PoolAllocation"},
    {4, "DelayExecution"},
    {5, "Suspended"},
    {6, "UserRequest"},
    {7, "WrExecutive"},
    {8, "WrFreePage"},
    {9, "WrPageIn"},
    {10, "WrPoolAllocation"},
    {11, "WrDelayExecution"},
    {12, "WrSuspended"},
    {13, "WrUserRequest"},
    {14, "WrEventPair"},
    {15, "WrQueue"},
    {16, "WrLpcReceive"},
    {17, "WrLpcReply"},
    {18, "WrVirtualMemory"},
    {19, "WrPageOut"},
    {20, "WrRendezvous"},
    {21, "WrKeyedEvent"},
    {22, "WrTerminated"},
    {23, "WrProcessInSwap"},
    {24, "WrCpuRateControl"},
    {25, "WrCalloutStack"},
    {26, "WrKernel"},
    {27, "WrResource"},
    {28, "WrPushLock"},
    {29, "WrMutex"},
    {30, "WrQuantumEnd"},
    {31, "WrDispatchInt"},
    {32, "WrPreempted"},
    {33, "WrYieldExecution"},
    {34, "WrFastMutex"},
    {35, "WrGuardedMutex"},
    {36, "WrRundown"},
    {37, "WrAlertByThreadId"},
    {38, "WrDeferredPreempt"},
    {39, "WrPhysicalFault"},
    {40, "WrIoRing"},
    {41, "WrMdlCache"},
    {42, "WrRcu"},
};
const struct value_map map_wait_reason = {NUMBERS(wait_reasons)};

static const struct value_name wait_modes[] = {{0, "Kernel"}, {1, "User"}};
const struct value_map map_wait_mode = {NUMBERS(wait_modes)};

static const struct value_name thread_states[] = {
    {0, "Initialized"}, {1, "Ready"},
    {2, "Running"},     {3, "Standby"},
    {4, "Terminated"},  {5, "Waiting"},
    {6, "Transition"},  {7, "DeferredReady"},
    {8, "GateWait"},    {9, "WaitingForProcessInSwap"},
};
const struct value_map map_thread_state = {NUMBERS(thread_states)};

static const struct value_name adjust_reasons[] = {{0, "None"}, {1, "Unwait"}, {2, "Boost"}};
const struct value_map map_adjust_reason = {NUMBERS(adjust_reasons)};

static const struct value_name ready_flags[] = {
    {1, "FromDpc"},
    {2, "KernelStackSwappedOut"},
    {4, "ProcessSwappedOut"},
    {8, "DirectSwitchAttempt"},
};
const struct value_map map_ready_flags = {BITS(ready_flags)};

static const struct value_name process_flags[] = {
    {1, "PackageFullName"},
    {2, "Wow64"},
    {4, "Protected"},
    {8, "Packaged"},
};
const struct value_map map_process_flags = {BITS(process_flags)};

/* ---- memory ------------------------------------------------------------------------------------ */

static const struct value_name allocation_flags[] = {
    {0x1000, "COMMIT"}, {0x2000, "RESERVE"},    {0x4000, "DECOMMIT"},        {0x8000, "RELEASE"},
    {0x80000, "RESET"}, {0x100000, "TOP_DOWN"}, {0x20000000, "LARGE_PAGES"},
};
const struct value_map map_allocation_flags = {BITS(allocation_flags)};

/* ---- network ----------------------------------------------------------------------------------- */

static const struct value_name address_families[] = {{2, "IPv4"}, {23, "IPv6"}};
const struct value_map map_address_family = {NUMBERS(address_families)};

static const struct value_name connection_failures[] = {
    {1, "insufficient resources"},
    {2, "too many addresses"},
    {3, "address exists"},
    {4, "invalid address"},
    {5, "other"},
    {6, "timewait address exists"},
};
const struct value_map map_connection_failure = {NUMBERS(connection_failures)};

/* ---- samples ----------------------------------------------------------------------------------- */

static const struct value_name profile_sources[] = {
    {0, "Time"},
    {1, "AlignmentFixup"},
    {2, "TotalIssues"},
    {3, "PipelineDry"},
    {4, "LoadInstructions"},
    {5, "PipelineFrozen"},
    {6, "BranchInstructions"},
    {7, "TotalNonissues"},
    {8, "DcacheMisses"},
    {9, "IcacheMisses"},
    {10, "CacheMisses"},
    {11, "BranchMispredictions"},
    {12, "StoreInstructions"},
    {13, "FpInstructions"},
    {14, "IntegerInstructions"},
    {15, "2Issue"},
    {16, "3Issue"},
    {17, "4Issue"},
    {18, "SpecialInstructions"},
    {19, "TotalCycles"},
    {20, "IcacheIssues"},
    {21, "DcacheAccesses"},
    {22, "MemoryBarrierCycles"},
    {23, "LoadLinkedIssues"},
};
const struct value_map map_profile_source = {NUMBERS(profile_sources)};

/* ---- sessions ---------------------------------------------------------------------------------- */

static const struct value_name log_file_modes[] = {
    {0x1, "FILE_MODE_SEQUENTIAL"},
    {0x2, "FILE_MODE_CIRCULAR"},
    {0x4, "FILE_MODE_APPEND"},
    {0x8, "FILE_MODE_NEWFILE"},
    {0x20, "FILE_MODE_PREALLOCATE"},
    {0x40, "NONSTOPPABLE_MODE"},
    {0x80, "SECURE_MODE"},
    {0x100, "REAL_TIME_MODE"},
    {0x200, "DELAY_OPEN_FILE_MODE"},
    {0x400, "BUFFERING_MODE"},
    {0x800, "PRIVATE_LOGGER_MODE"},
    {0x1000, "ADD_HEADER_MODE"},
    {0x2000, "USE_KBYTES_FOR_SIZE"},
    {0x4000, "USE_GLOBAL_SEQUENCE"},
    {0x8000, "USE_LOCAL_SEQUENCE"},
    {0x10000, "RELOG_MODE"},
    {0x20000, "PRIVATE_IN_PROC"},
    {0x100000, "MODE_RESERVED"},
    {0x400000, "STOP_ON_HYBRID_SHUTDOWN"},
    {0x800000, "PERSIST_ON_HYBRID_SHUTDOWN"},
    {0x1000000, "USE_PAGED_MEMORY"},
    {0x2000000, "SYSTEM_LOGGER_MODE"},
    {0x4000000, "COMPRESSED_MODE"},
    {0x8000000, "INDEPENDENT_SESSION_MODE"},
    {0x10000000, "NO_PER_PROCESSOR_BUFFERING"},
    {0x20000000, "BLOCKING_MODE"},
    {0x80000000, "ADDTO_TRIAGE_DUMP"},
};
const struct value_map map_log_file_mode = {BITS(log_file_modes)};
