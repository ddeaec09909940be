/* What events of manifest providers say in one line: one table for each provider, by id. The fields
 * are named as in the layouts of src/event/schema.h. */
#include "src/event/providers.h"
#include "src/event/sentence.h"

/* Microsoft-Windows-DNS-Client */
static const struct guid dns_client_provider = {{0x6e, 0x12, 0x95, 0x1c, 0xea, 0x7e, 0xa9, 0x49,
                                                 0xa3, 0xfe, 0xa3, 0x78, 0xb0, 0x3d, 0xdb, 0x4d}};

/* Microsoft-Windows-Kernel-Registry */
static const struct guid kernel_registry_provider = {{0x03, 0x4f, 0xeb, 0x70, 0xde, 0xc1, 0x73,
                                                      0x4f, 0xa0, 0x51, 0x33, 0xd1, 0x3d, 0x54,
                                                      0x13, 0xbd}};

/* Microsoft-Windows-Kernel-Process */
static const struct sentence_row kernel_process[] = {
    {1, "start {.ImageName:file} ({.ProcessID})[, parent {parent}][: {cmd}]"},
    {2, "exit {.ImageName:file} ({.ProcessID})[, status {.ExitCode:status}][, after {lifetime}]"},
    {3, "start thread {.ThreadID} of {process|.ProcessID}[ at {.Win32StartAddr:set}]"},
    {4, "exit thread {.ThreadID} of {process|.ProcessID}"},
    {5, "load {path|.ImageName} at {.ImageBase}, {.ImageSize:bytes}"},
    {6, "unload {path|.ImageName} at {.ImageBase}, {.ImageSize:bytes}"},
    {7, "base priority of thread {.ThreadID}: {.OldPriority} → {.NewPriority}"},
    {8, "priority of thread {.ThreadID}: {.OldPriority} → {.NewPriority}"},
    {9, "page priority of thread {.ThreadID}: {.OldPriority} → {.NewPriority}"},
    {10, "I/O priority of thread {.ThreadID}: {.OldPriority} → {.NewPriority}"},
    {11, "freeze process {.FrozenProcessID}"},
    {12, "thaw process {.FrozenProcessID}"},
    {13, "job {.JobID} starts"},
    {14, "job {.JobID} ends"},
    {15,
     "already running: {.ImageName:file} ({.ProcessID})[, parent {.ParentProcessID:set}][: {cmd}]"},
};

/* Microsoft-Windows-Kernel-File */
static const struct sentence_row kernel_file[] = {
    {10, "file name {path|.FileName}"},
    {11, "file name {path|.FileName} is no longer used"},
    {12, "{opening|'open'} {path|.FileName}"},
    {13, "close the last handle of {path|.FileObject}"},
    {14, "close {path|.FileObject}"},
    {15, "read {.IOSize:bytes} of {path|.FileObject} at {.ByteOffset:bytes}"},
    {16, "write {.IOSize:bytes} to {path|.FileObject} at {.ByteOffset:bytes}"},
    {17, "set information of {path|.FileObject}"},
    {18, "delete {path|.FileObject}"},
    {19, "rename {path|.FileObject}"},
    {20, "list {path|.FileObject}[ for {.FileName}]"},
    {21, "flush {path|.FileObject}"},
    {22, "query information of {path|.FileObject}"},
    {23, "file system control of {path|.FileObject}"},
    {24, "{operation|'operation'}[ of {path}] ended[: {.Status:failed}][, {moved}][, {lat}]"},
    {25, "watch {path|.FileObject} for changes"},
    {26, "delete {.FilePath}"},
    {27, "rename[ {path}] to {.FilePath}"},
    {28, "link[ {path}] as {.FilePath}"},
    {29, "rename {path|.FileObject}"},
    {30, "create {.FileName}"},
};

/* Microsoft-Windows-Kernel-Network */
static const struct sentence_row kernel_network[] = {
    {10, "TCP send {.size:bytes} {laddr|.saddr} → {raddr|.daddr}"},
    {11, "TCP receive {.size:bytes} {laddr|.saddr} ← {raddr|.daddr}"},
    {12, "TCP connect {laddr|.saddr} → {raddr|.daddr}"},
    {13, "TCP disconnect {laddr|.saddr} → {raddr|.daddr}"},
    {14, "TCP retransmit {.size:bytes} {laddr|.saddr} → {raddr|.daddr}"},
    {15, "TCP accept {laddr|.saddr} ← {raddr|.daddr}"},
    {16, "TCP reconnect {laddr|.saddr} → {raddr|.daddr}"},
    {17, "TCP connection failed: {.FailureCode}"},
    {18, "TCP copy {.size:bytes} to the receiver, {laddr|.saddr} ← {raddr|.daddr}"},
    {26, "TCP send {.size:bytes} {laddr|.saddr} → {raddr|.daddr}"},
    {27, "TCP receive {.size:bytes} {laddr|.saddr} ← {raddr|.daddr}"},
    {28, "TCP connect {laddr|.saddr} → {raddr|.daddr}"},
    {29, "TCP disconnect {laddr|.saddr} → {raddr|.daddr}"},
    {30, "TCP retransmit {.size:bytes} {laddr|.saddr} → {raddr|.daddr}"},
    {31, "TCP accept {laddr|.saddr} ← {raddr|.daddr}"},
    {32, "TCP reconnect {laddr|.saddr} → {raddr|.daddr}"},
    {34, "TCP copy {.size:bytes} to the receiver, {laddr|.saddr} ← {raddr|.daddr}"},
    {42, "UDP send {.size:bytes} {laddr|.saddr} → {raddr|.daddr}"},
    {43, "UDP receive {.size:bytes} {laddr|.daddr} ← {raddr|.saddr}"},
    {49, "UDP failed: {.FailureCode}"},
    {58, "UDP send {.size:bytes} {laddr|.saddr} → {raddr|.daddr}"},
    {59, "UDP receive {.size:bytes} {laddr|.daddr} ← {raddr|.saddr}"},
};

/* Microsoft-Windows-Kernel-Disk */
static const struct sentence_row kernel_disk[] = {
    {10,
     "read {.TransferSize:bytes}[ {path}] at {.ByteOffset:bytes} of disk {.DiskNumber}[, {lat}]"},
    {11,
     "write {.TransferSize:bytes}[ {path}] at {.ByteOffset:bytes} of disk {.DiskNumber}[, {lat}]"},
    {14, "flush disk {.DiskNumber}[, {lat}]"},
};

/* Microsoft-Windows-Kernel-Registry */
static const struct sentence_row kernel_registry[] = {
    {1, "create key [{.BaseName}\\]{.RelativeName}[: {.Status:failed}][, {lat}]"},
    {2, "open key [{.BaseName}\\]{.RelativeName}[: {.Status:failed}][, {lat}]"},
    {3, "delete key {.KeyName|key|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {4, "query key {.KeyName|key|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {5, "set {.ValueName|'default value'} of {.KeyName|key|.KeyObject}[, {.DataSize:bytes}][: "
        "{.Status:failed}][, {lat}]"},
    {6, "delete {.ValueName|'default value'} of {.KeyName|key|.KeyObject}[: {.Status:failed}][, "
        "{lat}]"},
    {7, "query {.ValueName|'default value'} of {.KeyName|key|.KeyObject}[, {.DataSize:bytes}][: "
        "{.Status:failed}][, {lat}]"},
    {8, "enumerate subkey {.Index} of {.KeyName|key|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {9, "enumerate value {.Index} of {.KeyName|key|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {10, "query values of {.KeyName|key|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {11, "set information of {.KeyName|key|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {12, "flush key {.KeyName|key|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {13, "close key {.KeyName|key|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {14, "query security of {.KeyName|key|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {15, "set security of {.KeyName|key|.KeyObject}[: {.Status:failed}][, {lat}]"},
};

/* Microsoft-Windows-DNS-Client */
static const struct sentence_row dns_client[] = {
    {1001, "DNS server {.Address} of {.Interface}"},
    {1013, "DNS query {.QueryName}: no server answered"},
    {1015, "DNS query {.QueryName}: server {.Address} did not answer"},
    {1016, "DNS query {.QueryName}: name not found by {.Address}"},
    {3000, "DNS query {.QueryName}[, type {.QueryType}]"},
    {3002, "DNS query {.QueryName} from the cache[, type {.QueryType}]"},
    {3006, "DNS query {.QueryName}[, type {.QueryType}][, servers {.ServerList}]"},
    {3008, "DNS query {.QueryName} ended[, type {.QueryType}][, error {.QueryStatus:set}][: "
           "{.QueryResults}]"},
    {3009, "DNS query {.QueryName} to {.DNSServerAddress}[ over {.AdapterName}]"},
    {3010, "DNS query {.QueryName} sent to {.DnsServerIpAddress}[, type {.QueryType}]"},
    {3011, "DNS response for {.QueryName} from {.DnsServerIpAddress}[, type {.QueryType}][, error "
           "{.ResponseStatus:set}]"},
    {3013, "DNS query {.QueryName} ended[, error {.Status:set}][: {.QueryResults}]"},
    {3016, "DNS cache look-up of {.QueryName}[, type {.QueryType}]"},
    {3018, "DNS cache look-up of {.QueryName} ended[, type {.QueryType}][, error {.Status:set}][: "
           "{.QueryResults}]"},
    {3019, "DNS query {.QueryName}[, type {.QueryType}] on interface {.InterfaceIndex}"},
    {3020,
     "DNS query {.QueryName} ended[, type {.QueryType}][, error {.Status:set}][: {.QueryResults}]"},
};

/* Microsoft-Windows-DotNETRuntime */
static const struct sentence_row dotnet[] = {
    {1, "GC {.Count} starts[, generation {.Depth}][, {.Reason:name}][, {.Type:name}]"},
    {2, "GC {.Count} ends[, generation {.Depth}]"},
    {3, "all threads run again[, paused for {lat}]"},
    {4, "GC heap: generation 0 {.GenerationSize0:bytes}, 1 {.GenerationSize1:bytes}, 2 "
        "{.GenerationSize2:bytes}, large objects {.GenerationSize3:bytes}[, pinned "
        "{.GenerationSize4:bytes}]"},
    {5, "GC segment of {.Size:bytes} at {.Address}[, {.Type:name}]"},
    {6, "GC segment at {.Address} freed"},
    {7, "threads begin to run again"},
    {8, "all threads suspended[, after {lat}]"},
    {9, "suspend threads[: {.Reason:name}]"},
    {10, "allocated {.AllocationAmount64:bytes|.AllocationAmount:bytes} since the last tick[, last "
         "type {.TypeName}][, {.AllocationKind:name}]"},
    {11, "concurrent GC thread starts"},
    {12, "concurrent GC thread ends"},
    {13, "finalizers ended, {.Count} objects"},
    {14, "finalizers begin"},
    {35, "GC triggered[: {.Reason:name}]"},
    {40, "thread pool: {.WorkerThreadCount} workers, one more"},
    {41, "thread pool: {.WorkerThreadCount} workers, one less"},
    {44, "thread pool: {.IOThreadCount} I/O threads, one more"},
    {45, "thread pool: {.IOThreadCount} I/O threads, one less"},
    {50, "worker thread starts, {.ActiveWorkerThreadCount} active"},
    {51, "worker thread ends, {.ActiveWorkerThreadCount} active"},
    {55, "thread pool: {.NewWorkerThreadCount} workers wanted[, {.Reason:name}]"},
    {57, "worker thread waits, {.ActiveWorkerThreadCount} active"},
    {80, "exception {.ExceptionType}[: {.ExceptionMessage}]"},
    {81, "contention begins[, {.ContentionFlags:name} lock]"},
    {82, "stack of {.FrameCount} frames"},
    {85, "managed thread {.ManagedThreadID} created[, system's thread {.OSThreadID:set}]"},
    {86, "managed thread {.ManagedThreadID} ended"},
    {91, "contention ends[, waited {lat}][, {.ContentionFlags:name} lock]"},
    {141, "load method {.MethodStartAddress}, {.MethodSize:bytes} of code[, compiled in {lat}]"},
    {142, "unload method {.MethodStartAddress}, {.MethodSize:bytes} of code"},
    {143, "load method {.MethodNamespace}.{.MethodName}, {.MethodSize:bytes} of code[, compiled in "
          "{lat}]"},
    {144, "unload method {.MethodNamespace}.{.MethodName}, {.MethodSize:bytes} of code"},
    {145, "compile method {.MethodNamespace}.{.MethodName}, {.MethodILSize:bytes} of IL"},
    {151, "load module of assembly into domain: {.ModuleILPath|.ModuleNativePath}"},
    {152, "load module {.ModuleILPath|.ModuleNativePath}"},
    {153, "unload module {.ModuleILPath|.ModuleNativePath}"},
    {154, "load assembly {.FullyQualifiedAssemblyName}"},
    {155, "unload assembly {.FullyQualifiedAssemblyName}"},
    {156, "load application domain {.AppDomainName}"},
    {157, "unload application domain {.AppDomainName}"},
    {187,
     "runtime[ {.Sku:name}] {.VMMajorVersion}.{.VMMinorVersion}.{.VMBuildNumber}, class library "
     "{.BclMajorVersion}.{.BclMinorVersion}.{.BclBuildNumber}[: {.CommandLine}]"},
    {200, "memory pressure raised by {.BytesAllocated:bytes}"},
    {201, "memory pressure lowered by {.BytesFreed:bytes}"},
};

/* Microsoft-Windows-DotNETRuntimeRundown */
static const struct sentence_row dotnet_rundown[] = {
    {141, "method in use: {.MethodStartAddress}, {.MethodSize:bytes} of code"},
    {142, "method in use: {.MethodStartAddress}, {.MethodSize:bytes} of code"},
    {143, "method in use: {.MethodNamespace}.{.MethodName}, {.MethodSize:bytes} of code"},
    {144, "method in use: {.MethodNamespace}.{.MethodName}, {.MethodSize:bytes} of code"},
    {151, "module in use: {.ModuleILPath|.ModuleNativePath}"},
    {152, "module in use: {.ModuleILPath|.ModuleNativePath}"},
    {153, "module in use: {.ModuleILPath|.ModuleNativePath}"},
    {154, "module in use: {.ModuleILPath|.ModuleNativePath}"},
    {155, "assembly in use: {.FullyQualifiedAssemblyName}"},
    {156, "assembly in use: {.FullyQualifiedAssemblyName}"},
    {157, "application domain in use: {.AppDomainName}"},
    {158, "application domain in use: {.AppDomainName}"},
    {187,
     "runtime[ {.Sku:name}] {.VMMajorVersion}.{.VMMinorVersion}.{.VMBuildNumber}, class library "
     "{.BclMajorVersion}.{.BclMinorVersion}.{.BclBuildNumber}[: {.CommandLine}]"},
};

#define ROWS(table) table, sizeof table / sizeof *table

const struct sentence_provider sentence_providers[] = {
    {&kernel_process_provider, ROWS(kernel_process)},
    {&kernel_file_provider, ROWS(kernel_file)},
    {&kernel_network_provider, ROWS(kernel_network)},
    {&kernel_disk_provider, ROWS(kernel_disk)},
    {&kernel_registry_provider, ROWS(kernel_registry)},
    {&dns_client_provider, ROWS(dns_client)},
    {&dotnet_provider, ROWS(dotnet)},
    {&dotnet_rundown_provider, ROWS(dotnet_rundown)},
};

const unsigned sentence_provider_count = sizeof sentence_providers / sizeof *sentence_providers;
