/* How events of manifest providers become facts: one table for each provider, sorted by id. Where
 * kernel events say the same, the functions are theirs. Fields are named as in the layouts of
 * src/event/schema.h. */
#include "src/event/providers.h"
#include "src/model/fact_builder/helpers.h"

/* PROCESS_KEY is the kernel logger's alone. */
#define PROCESS_FIELDS \
    { "ProcessID", "ParentProcessID", "SessionID", "ExitCode", "UniqueProcessKey", "CreateTime" }
#define THREAD_FIELDS { "ProcessID", "ThreadID", "Win32StartAddr" }
#define IMAGE_FIELDS \
    { "ProcessID", "ImageBase", "ImageSize", "ImageBase", "ImageSize", "TimeDateStamp" }

/* Microsoft-Windows-Kernel-Process */
static const struct fact_builder kernel_process[] = {
    { 1, 1, FACT_PROCESS, OP_START, make_process, PROCESS_FIELDS },
    { 2, 2, FACT_PROCESS, OP_END, make_process, PROCESS_FIELDS },
    { 3, 3, FACT_THREAD, OP_START, make_thread, THREAD_FIELDS },
    { 4, 4, FACT_THREAD, OP_END, make_thread, THREAD_FIELDS },
    { 5, 5, FACT_IMAGE, OP_START, make_image, IMAGE_FIELDS },
    { 6, 6, FACT_IMAGE, OP_END, make_image, IMAGE_FIELDS },
    { 15, 15, FACT_PROCESS, OP_RUNDOWN, make_process, PROCESS_FIELDS },
};

/* Microsoft-Windows-Kernel-Network */
#define NETWORK_FIELDS { "PID", "size", "daddr", "saddr", "dport", "sport", "mss" }

static const struct fact_builder kernel_network[] = {
    { 10, 10, FACT_NETWORK, OP_SEND, make_network, NETWORK_FIELDS },
    { 11, 11, FACT_NETWORK, OP_RECEIVE, make_network, NETWORK_FIELDS },
    { 12, 12, FACT_NETWORK, OP_CONNECT, make_network, NETWORK_FIELDS },
    { 13, 13, FACT_NETWORK, OP_DISCONNECT, make_network, NETWORK_FIELDS },
    { 14, 14, FACT_NETWORK, OP_RETRANSMIT, make_network, NETWORK_FIELDS },
    { 15, 15, FACT_NETWORK, OP_ACCEPT, make_network, NETWORK_FIELDS },
    { 16, 16, FACT_NETWORK, OP_OTHER, make_network, NETWORK_FIELDS },
    { 17, 17, FACT_NETWORK, OP_FAIL, make_network, NETWORK_FIELDS },
    { 18, 18, FACT_NETWORK, OP_COPY, make_network, NETWORK_FIELDS },
    { 26, 26, FACT_NETWORK, OP_SEND, make_network, NETWORK_FIELDS },
    { 27, 27, FACT_NETWORK, OP_RECEIVE, make_network, NETWORK_FIELDS },
    { 28, 28, FACT_NETWORK, OP_CONNECT, make_network, NETWORK_FIELDS },
    { 29, 29, FACT_NETWORK, OP_DISCONNECT, make_network, NETWORK_FIELDS },
    { 30, 30, FACT_NETWORK, OP_RETRANSMIT, make_network, NETWORK_FIELDS },
    { 31, 31, FACT_NETWORK, OP_ACCEPT, make_network, NETWORK_FIELDS },
    { 32, 32, FACT_NETWORK, OP_OTHER, make_network, NETWORK_FIELDS },
    { 34, 34, FACT_NETWORK, OP_COPY, make_network, NETWORK_FIELDS },
    { 42, 42, FACT_NETWORK, OP_SEND, make_network, NETWORK_FIELDS },
    { 43, 43, FACT_NETWORK, OP_RECEIVE, make_network, NETWORK_FIELDS },
    { 49, 49, FACT_NETWORK, OP_FAIL, make_network, NETWORK_FIELDS },
    { 58, 58, FACT_NETWORK, OP_SEND, make_network, NETWORK_FIELDS },
    { 59, 59, FACT_NETWORK, OP_RECEIVE, make_network, NETWORK_FIELDS },
};

/* Microsoft-Windows-Kernel-Disk: completions alone, in whatever thread they interrupt. */
#define DISK_FIELDS \
    { "DiskNumber", "IrpFlags", "TransferSize", "FileObject", "IORequestPacket", \
      "HighResResponseTime", "IssuingThreadId", "ByteOffset" }

static const struct fact_builder kernel_disk[] = {
    { 10, 10, FACT_DISK, OP_READ, make_disk, DISK_FIELDS },
    { 11, 11, FACT_DISK, OP_WRITE, make_disk, DISK_FIELDS },
    { 14, 14, FACT_DISK, OP_FLUSH, make_disk, DISK_FIELDS },
};

/* Microsoft-Windows-Kernel-File; before version 1 the header alone names the thread. */
#define FILE_FIELDS { "Irp", "IssuingThreadId", "FileObject", "FileKey", "IOSize" }

static const struct fact_builder kernel_file[] = {
    { 10, 10, FACT_NAME, OP_CREATE, make_file_name, { "FileKey" } },
    { 11, 11, FACT_NAME, OP_DELETE, make_file_name, { "FileKey" } },
    { 12, 12, FACT_FILE, OP_OPEN, make_file, FILE_FIELDS },
    { 13, 13, FACT_FILE, OP_OTHER, make_file, FILE_FIELDS },
    { 14, 14, FACT_FILE, OP_CLOSE, make_file, FILE_FIELDS },
    { 15, 15, FACT_FILE, OP_READ, make_file, FILE_FIELDS },
    { 16, 16, FACT_FILE, OP_WRITE, make_file, FILE_FIELDS },
    { 17, 17, FACT_FILE, OP_SET, make_file, FILE_FIELDS },
    { 18, 18, FACT_FILE, OP_DELETE, make_file, FILE_FIELDS },
    { 19, 19, FACT_FILE, OP_RENAME, make_file, FILE_FIELDS },
    { 20, 20, FACT_FILE, OP_ENUM, make_file, FILE_FIELDS },
    { 21, 21, FACT_FILE, OP_FLUSH, make_file, FILE_FIELDS },
    { 22, 22, FACT_FILE, OP_QUERY, make_file, FILE_FIELDS },
    { 23, 23, FACT_FILE, OP_OTHER, make_file, FILE_FIELDS },
    { 24, 24, FACT_FILE, OP_END, make_file_end, { "Irp", "Status", "ExtraInformation" } },
    { 25, 25, FACT_FILE, OP_OTHER, make_file, FILE_FIELDS },
    { 26, 26, FACT_FILE, OP_DELETE, make_file, FILE_FIELDS },
    { 27, 27, FACT_FILE, OP_RENAME, make_file, FILE_FIELDS },
    { 28, 28, FACT_FILE, OP_OTHER, make_file, FILE_FIELDS },
    { 29, 29, FACT_FILE, OP_RENAME, make_file, FILE_FIELDS },
    { 30, 30, FACT_FILE, OP_OPEN, make_file, FILE_FIELDS },
    { 31, 34, FACT_FILE, OP_OTHER, make_file, FILE_FIELDS },
};

/* Microsoft-Windows-Kernel-Registry: each event has the status of its operation, and none its
 * duration. */
#define REGISTRY_FIELDS                                                                            \
    {                                                                                              \
        "KeyObject", "Status", "BaseObject"                                                        \
    }

static const struct fact_builder kernel_registry[] = {
    {1, 1, FACT_REGISTRY, OP_CREATE, make_registry_open, REGISTRY_FIELDS},
    {2, 2, FACT_REGISTRY, OP_OPEN, make_registry_open, REGISTRY_FIELDS},
    {3, 3, FACT_REGISTRY, OP_DELETE, make_registry_key, REGISTRY_FIELDS},
    {4, 4, FACT_REGISTRY, OP_QUERY, make_registry_key, REGISTRY_FIELDS},
    {5, 5, FACT_REGISTRY, OP_SET, make_registry_key, REGISTRY_FIELDS},
    {6, 6, FACT_REGISTRY, OP_DELETE, make_registry_key, REGISTRY_FIELDS},
    {7, 7, FACT_REGISTRY, OP_QUERY, make_registry_key, REGISTRY_FIELDS},
    {8, 9, FACT_REGISTRY, OP_ENUM, make_registry_key, REGISTRY_FIELDS},
    {10, 10, FACT_REGISTRY, OP_QUERY, make_registry_key, REGISTRY_FIELDS},
    {11, 11, FACT_REGISTRY, OP_SET, make_registry_key, REGISTRY_FIELDS},
    {12, 12, FACT_REGISTRY, OP_FLUSH, make_registry_key, REGISTRY_FIELDS},
    {13, 13, FACT_REGISTRY, OP_CLOSE, make_registry_key, REGISTRY_FIELDS},
    {14, 14, FACT_REGISTRY, OP_QUERY, make_registry_key, REGISTRY_FIELDS},
    {15, 15, FACT_REGISTRY, OP_SET, make_registry_key, REGISTRY_FIELDS},
};

/* Microsoft-Windows-DNS-Client and Microsoft-Windows-WinINet: what queries of names found. */
static const struct fact_builder dns_client[] = {
    {3008, 3008, FACT_NAME, OP_NONE, make_dns_results, {NULL}},
    {3013, 3013, FACT_NAME, OP_NONE, make_dns_results, {NULL}},
    {3018, 3018, FACT_NAME, OP_NONE, make_dns_results, {NULL}},
    {3020, 3020, FACT_NAME, OP_NONE, make_dns_results, {NULL}},
};

static const struct fact_builder wininet[] = {
    {305, 305, FACT_NAME, OP_NONE, make_wininet_results, {NULL}},
    {307, 307, FACT_NAME, OP_NONE, make_wininet_results, {NULL}},
    {1007, 1007, FACT_OTHER, OP_NONE, make_wininet_request, {"Request"}},
    {1008, 1008, FACT_NETWORK, OP_END, make_wininet_answer, {"Request"}},
    {1046, 1046, FACT_NETWORK, OP_QUERY, make_wininet_connected, {"Request", "Socket"}},
    {1048, 1048, FACT_NETWORK, OP_QUERY, make_wininet_connected, {"Request", "Socket"}},
    {1049, 1049, FACT_OTHER, OP_NONE, make_wininet_request, {"Request"}},
};

/* Microsoft-Windows-Kernel-Memory: events of one process belong to it, whoever logs them. */
static const struct fact_builder kernel_memory[] = {
    {4, 7, FACT_OTHER, OP_NONE, make_of_process, {"ProcessId"}},
    {9, 9, FACT_OTHER, OP_NONE, make_of_process, {"ProcessId"}},
};

/* Microsoft-Windows-WebIO */
static const struct fact_builder webio[] = {
    {17, 18, FACT_OTHER, OP_NONE, make_webio_request, {"Request"}},
    {101, 101, FACT_NETWORK, OP_END, make_webio_answer, {"Request"}},
    {104, 104, FACT_NETWORK, OP_QUERY, make_webio_assigned, {"Request", "Connection"}},
    {200, 200, FACT_OTHER, OP_NONE, make_webio_connect, {"Connection"}},
    {201, 202, FACT_NETWORK, OP_QUERY, make_webio_connected, {"Connection"}},
};

/* Microsoft-Windows-HttpService */
#define HTTP_FIELDS                                                                                \
    {                                                                                              \
        "RequestId", "ConnectionId", "ConnectionObj", "Status"                                     \
    }

static const struct fact_builder http_service[] = {
    {1, 1, FACT_NETWORK, OP_QUERY, make_http_request, HTTP_FIELDS},
    {3, 3, FACT_NETWORK, OP_OTHER, make_http_url, HTTP_FIELDS},
    {10, 14, FACT_NETWORK, OP_END, make_http_answer, HTTP_FIELDS},
    {15, 15, FACT_NETWORK, OP_FAIL, make_http_failure, HTTP_FIELDS},
    {16, 17, FACT_NETWORK, OP_END, make_http_answer, HTTP_FIELDS},
    {21, 21, FACT_NETWORK, OP_OTHER, make_http_connected, HTTP_FIELDS},
    {22, 22, FACT_NETWORK, OP_OTHER, make_http_assigned, HTTP_FIELDS},
    {23, 23, FACT_NETWORK, OP_OTHER, make_http_closed, HTTP_FIELDS},
};

/* Microsoft-Windows-Winsock-AFD */
#define SOCKET_FIELDS                                                                              \
    {                                                                                              \
        "Endpoint", "EnterExit", "Status", "Location", "ProcessId", "SocketType", "AcceptEndpoint" \
    }

static const struct fact_builder winsock[] = {
    {1000, 1000, FACT_OTHER, OP_NONE, make_socket, SOCKET_FIELDS},
    {1002, 1002, FACT_OTHER, OP_NONE, make_socket_gone, SOCKET_FIELDS},
    {1003, 1015, FACT_NETWORK, OP_FAIL, make_socket_transfer, SOCKET_FIELDS},
    {1017, 1021, FACT_NETWORK, OP_FAIL, make_socket_connect, SOCKET_FIELDS},
    {1023, 1027, FACT_NETWORK, OP_FAIL, make_socket_accept, SOCKET_FIELDS},
    {1029, 1030, FACT_NETWORK, OP_FAIL, make_socket_bind, SOCKET_FIELDS},
    {1033, 1033, FACT_NETWORK, OP_FAIL, make_socket_drop, SOCKET_FIELDS},
};

/* Microsoft-Windows-DotNETRuntime */
#define METHOD_FIELDS { "ClrInstanceID", "MethodID", "MethodSize", "MethodFlags" }
#define POOL_FIELDS { "ClrInstanceID", "ActiveWorkerThreadCount" }
#define START_FIELDS \
    { "ClrInstanceID", "Sku", "BclMajorVersion", "BclMinorVersion", "BclBuildNumber", \
      "VMMajorVersion", "VMMinorVersion", "VMBuildNumber" }

/* clang-format off */
static const struct fact_builder dotnet[] = {
    { 1, 1, FACT_DOTNET, OP_GC, make_dotnet_gc, { "ClrInstanceID", "Depth", "Count", "Type" } },
    { 3, 3, FACT_DOTNET, OP_PAUSE, make_dotnet_resumed, { "ClrInstanceID" } },
    { 4, 4, FACT_DOTNET, OP_HEAP, make_dotnet_heap,
      { "ClrInstanceID", "GenerationSize0", "GenerationSize1", "GenerationSize2",
        "GenerationSize3", "GenerationSize4" } },
    { 8, 8, FACT_DOTNET, OP_SUSPEND, make_dotnet_suspended, { "ClrInstanceID" } },
    { 9, 9, FACT_DOTNET, OP_OTHER, make_dotnet_suspend, { "ClrInstanceID", "Reason" } },
    { 10, 10, FACT_DOTNET, OP_ALLOC, make_dotnet_allocation,
      { "ClrInstanceID", "AllocationAmount", "AllocationAmount64" } },
    { 40, 43, FACT_DOTNET, OP_POOL, make_dotnet_pool, { "ClrInstanceID", "WorkerThreadCount" } },
    { 50, 53, FACT_DOTNET, OP_POOL, make_dotnet_pool, POOL_FIELDS },
    { 55, 55, FACT_DOTNET, OP_POOL, make_dotnet_pool_change,
      { "ClrInstanceID", "NewWorkerThreadCount", "Reason" } },
    { 57, 57, FACT_DOTNET, OP_POOL, make_dotnet_pool, POOL_FIELDS },
    { 80, 80, FACT_DOTNET, OP_THROW, make_dotnet_exception, { "ClrInstanceID" } },
    { 81, 81, FACT_DOTNET, OP_OTHER, make_dotnet_wait, { "ClrInstanceID" } },
    { DOTNET_WALK, DOTNET_WALK, FACT_STACK, OP_NONE, make_dotnet_stack, { "ClrInstanceID" } },
    { 91, 91, FACT_DOTNET, OP_CONTEND, make_dotnet_waited, { "ClrInstanceID", "DurationNs" } },
    { 141, 141, FACT_DOTNET, OP_JIT, make_dotnet_method, METHOD_FIELDS },
    { 143, 143, FACT_DOTNET, OP_JIT, make_dotnet_method, METHOD_FIELDS },
    { 144, 144, FACT_NAME, OP_END, make_method_gone, { NULL } },
    { 145, 145, FACT_DOTNET, OP_OTHER, make_dotnet_compile, { "ClrInstanceID", "MethodID" } },
    { 152, 152, FACT_DOTNET, OP_LOAD, make_dotnet_load, { "ClrInstanceID" } },
    { 153, 153, FACT_NAME, OP_RUNDOWN, make_module, { NULL } },
    { 187, 187, FACT_DOTNET, OP_START, make_dotnet_start, START_FIELDS },
    { 0, UINT16_MAX, FACT_OTHER, OP_NONE, make_dotnet_other, { NULL } }, /* the rest */
};
/* clang-format on */

/* Microsoft-Windows-DotNETRuntimeRundown */
static const struct fact_builder dotnet_rundown[] = {
    { 143, 144, FACT_NAME, OP_RUNDOWN, make_method, { NULL } },
    { 153, 154, FACT_NAME, OP_RUNDOWN, make_module, { NULL } },
    { 187, 187, FACT_DOTNET, OP_RUNDOWN, make_dotnet_start, START_FIELDS },
};

/* What the second sort records is not what the kernel logger does. */
#define ROWS(table)   table, sizeof table / sizeof *table, false
#define BESIDE(table) table, sizeof table / sizeof *table, true

static const struct {
    const struct guid *provider;
    const struct fact_builder *rows;
    size_t count;
    bool is_beside;
} manifests[] = {
    {&kernel_process_provider, ROWS(kernel_process)},
    {&kernel_file_provider, ROWS(kernel_file)},
    {&kernel_network_provider, ROWS(kernel_network)},
    {&kernel_disk_provider, ROWS(kernel_disk)},
    {&kernel_registry_provider, ROWS(kernel_registry)},
    {&dns_client_provider, ROWS(dns_client)},
    {&wininet_provider, BESIDE(wininet)},
    {&webio_provider, BESIDE(webio)},
    {&kernel_memory_provider, BESIDE(kernel_memory)},
    {&http_service_provider, BESIDE(http_service)},
    {&winsock_provider, BESIDE(winsock)},
    {&dotnet_provider, ROWS(dotnet)},
    {&dotnet_rundown_provider, ROWS(dotnet_rundown)},
};

/* Its index, or the count of all. */
static size_t manifest_of(const struct event *e)
{
    size_t of = 0;
    if (e->kind != HEADER_MANIFEST)
        return sizeof manifests / sizeof *manifests;
    while (of < sizeof manifests / sizeof *manifests &&
           !guid_equal(manifests[of].provider, &e->provider))
        of++;
    return of;
}

const struct fact_builder *fact_builder_of_manifest(const struct event *e)
{
    const size_t of = manifest_of(e);
    size_t row = 0;
    if (of == sizeof manifests / sizeof *manifests)
        return NULL;
    const struct fact_builder *const rows = manifests[of].rows;
    while (row < manifests[of].count && (e->id < rows[row].first || e->id > rows[row].last))
        row++;
    return row < manifests[of].count ? &rows[row] : NULL;
}

bool fact_builder_is_beside(const struct event *e)
{
    const size_t of = manifest_of(e);
    return of < sizeof manifests / sizeof *manifests && manifests[of].is_beside;
}
