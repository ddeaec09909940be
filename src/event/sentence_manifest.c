/* What events of manifest providers say in one line: one table for each provider, by id. The fields
 * are named as in the layouts of src/event/schema.h. */
#include "src/event/providers.h"
#include "src/event/sentence.h"

/* Microsoft-Windows-DotNETRuntimePrivate */
static const struct guid dotnet_private_provider = {{0x54, 0xd7, 0x3f, 0x76, 0x86, 0x70, 0xfe, 0x4d,
                                                     0x95, 0xeb, 0xc0, 0x1a, 0x46, 0xfa, 0xf4,
                                                     0xca}};

/* Microsoft-Windows-HttpService */
static const struct guid http_service_provider = {{0x0a, 0xf9, 0x5e, 0xdd, 0x98, 0x63, 0xa4, 0x47,
                                                   0xad, 0x34, 0x4d, 0xce, 0xcd, 0xef, 0x79, 0x5f}};

/* Microsoft-Windows-DxgKrnl */
static const struct guid dxgkrnl_provider = {{0x5a, 0xc4, 0x2e, 0x80, 0x99, 0x1e, 0x83, 0x4b, 0x99,
                                              0x20, 0x87, 0xc9, 0x82, 0x77, 0xba, 0x9d}};

/* Microsoft-Windows-Kernel-Process */
static const struct sentence_row kernel_process[] = {
    {1, "start {.ImageName:file} ({.ProcessID})[, parent {parent}][: {cmd}]"},
    {2, "exit {.ImageName:file} ({.ProcessID})[, status {.ExitCode:status}][, after {lifetime}]"},
    {3, "start thread {.ThreadID} of {process|.ProcessID}[ at {entry|.Win32StartAddr:set}]"},
    {4, "exit thread {.ThreadID} of {process|.ProcessID}"},
    {5, "load {.ImageName:file} at {.ImageBase}, {.ImageSize:bytes}: {path|.ImageName}"},
    {6, "unload {.ImageName:file} at {.ImageBase}, {.ImageSize:bytes}: {path|.ImageName}"},
    {7, "base priority of thread {.ThreadID}: {.OldPriority} → {.NewPriority}"},
    {8, "priority of thread {.ThreadID}: {.OldPriority} → {.NewPriority}"},
    {9, "page priority of thread {.ThreadID}: {.OldPriority} → {.NewPriority}"},
    {10, "I/O priority of thread {.ThreadID}: {.OldPriority} → {.NewPriority}"},
    {11, "freeze process {.FrozenProcessID}"},
    {12, "thaw process {.FrozenProcessID}"},
    {13, "job {.JobID} starts"},
    {14, "job {.JobID} ends"},
    {15, "already running: {.ImageName:file} ({.ProcessID})[, parent {parent}][: {cmd}]"},
};

/* Microsoft-Windows-Kernel-File */
static const struct sentence_row kernel_file[] = {
    {10, "file name {path|.FileName}"},
    {11, "file name {path|.FileName} is no longer used"},
    {12, "{opening|'open'} {path|.FileName}"},
    {13, "close the last handle of {path|.FileObject:set|'a file'}"},
    {14, "close {path|.FileObject:set|'a file'}"},
    {15, "read {.IOSize:bytes} of {path|.FileObject:set|'a file'}[ at {.ByteOffset:at}]"},
    {16, "write {.IOSize:bytes} to {path|.FileObject:set|'a file'}[ at {.ByteOffset:at}]"},
    {17, "set information of {path|.FileObject:set|'a file'}"},
    {18, "delete {path|.FileObject:set|'a file'}"},
    {19, "rename {path|.FileObject:set|'a file'}"},
    {20, "list {path|.FileObject:set|'a file'}[ for {.FileName}]"},
    {21, "flush {path|.FileObject:set|'a file'}"},
    {22, "query information of {path|.FileObject:set|'a file'}"},
    {23, "file system control of {path|.FileObject:set|'a file'}"},
    {24, "{operation|'operation'}[ of {path}] ended[: {.Status:failed}][, {moved}][, {lat}]"},
    {25, "watch {path|.FileObject:set|'a file'} for changes"},
    {26, "delete {.FilePath}"},
    {27, "rename[ {path}] to {.FilePath}"},
    {28, "link[ {path}] as {.FilePath}"},
    {29, "rename {path|.FileObject:set|'a file'}"},
    {30, "create {.FileName}"},
};

/* Microsoft-Windows-Kernel-Network */
static const struct sentence_row kernel_network[] = {
    {10, "TCP send {.size:bytes} {laddr|.saddr} → {raddr|.daddr}[ ({host})]"},
    {11, "TCP receive {.size:bytes} {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"},
    {12, "TCP connect {laddr|.saddr} → {raddr|.daddr}[ ({host})]"},
    {13, "TCP disconnect {laddr|.saddr} → {raddr|.daddr}[ ({host})]"},
    {14, "TCP retransmit {.size:bytes} {laddr|.saddr} → {raddr|.daddr}[ ({host})]"},
    {15, "TCP accept {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"},
    {16, "TCP reconnect {laddr|.saddr} → {raddr|.daddr}[ ({host})]"},
    {17, "TCP connection failed: {.FailureCode}"},
    {18, "TCP copy {.size:bytes} to the receiver, {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"},
    {26, "TCP send {.size:bytes} {laddr|.saddr} → {raddr|.daddr}[ ({host})]"},
    {27, "TCP receive {.size:bytes} {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"},
    {28, "TCP connect {laddr|.saddr} → {raddr|.daddr}[ ({host})]"},
    {29, "TCP disconnect {laddr|.saddr} → {raddr|.daddr}[ ({host})]"},
    {30, "TCP retransmit {.size:bytes} {laddr|.saddr} → {raddr|.daddr}[ ({host})]"},
    {31, "TCP accept {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"},
    {32, "TCP reconnect {laddr|.saddr} → {raddr|.daddr}[ ({host})]"},
    {34, "TCP copy {.size:bytes} to the receiver, {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"},
    {42, "UDP send {.size:bytes} {laddr|.saddr} → {raddr|.daddr}[ ({host})]"},
    {43, "UDP receive {.size:bytes} {laddr|.daddr} ← {raddr|.saddr}[ ({host})]"},
    {49, "UDP failed: {.FailureCode}"},
    {58, "UDP send {.size:bytes} {laddr|.saddr} → {raddr|.daddr}[ ({host})]"},
    {59, "UDP receive {.size:bytes} {laddr|.daddr} ← {raddr|.saddr}[ ({host})]"},
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
    {1, "create key {path|.RelativeName|.BaseName}[: {.Status:failed}][, {lat}]"},
    {2, "open key {path|.RelativeName|.BaseName}[: {.Status:failed}][, {lat}]"},
    {3, "delete key {key|.KeyName|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {4, "query key {key|.KeyName|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {5, "set {.ValueName|'default value'} of {key|.KeyName|.KeyObject}[, {.DataSize:bytes}][: "
        "{.Status:failed}][, {lat}]"},
    {6, "delete {.ValueName|'default value'} of {key|.KeyName|.KeyObject}[: {.Status:failed}][, "
        "{lat}]"},
    {7, "query {.ValueName|'default value'} of {key|.KeyName|.KeyObject}[, {.DataSize:bytes}][: "
        "{.Status:failed}][, {lat}]"},
    {8, "enumerate subkey {.Index} of {key|.KeyName|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {9, "enumerate value {.Index} of {key|.KeyName|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {10, "query values of {key|.KeyName|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {11, "set information of {key|.KeyName|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {12, "flush key {key|.KeyName|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {13, "close key {key|.KeyName|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {14, "query security of {key|.KeyName|.KeyObject}[: {.Status:failed}][, {lat}]"},
    {15, "set security of {key|.KeyName|.KeyObject}[: {.Status:failed}][, {lat}]"},
};

/* Microsoft-Windows-DNS-Client */
static const struct sentence_row dns_client[] = {
    {1001, "DNS server {.Address:host} of {.Interface}"},
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
    {15, "{.Count} types named"},
    {23, "GC heap, generation {.Generation}: {.RangeUsedLength:bytes} of "
         "{.RangeReservedLength:bytes} at {.RangeStart} used"},
    {25, "GC heap {.HeapNum}: roots on stacks marked"},
    {26, "GC heap {.HeapNum}: roots of finalizers marked"},
    {27, "GC heap {.HeapNum}: roots of handles marked"},
    {28, "GC heap {.HeapNum}: roots in older generations marked"},
    {29, "finalize object {.ObjectID}"},
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
    {190, "method {.MethodID}: {.CountOfMapEntries} offsets of IL and code"},
    {200, "memory pressure raised by {.BytesAllocated:bytes}"},
    {201, "memory pressure lowered by {.BytesFreed:bytes}"},
    {202, "GC heap {.HeapNum}: {.Type} roots marked, {.Bytes:bytes}"},
};

/* Microsoft-Windows-DotNETRuntimeRundown */
static const struct sentence_row dotnet_rundown[] = {
    {141, "method in use: {.MethodStartAddress}, {.MethodSize:bytes} of code"},
    {142, "method in use: {.MethodStartAddress}, {.MethodSize:bytes} of code"},
    {143, "method in use: {.MethodNamespace}.{.MethodName}, {.MethodSize:bytes} of code"},
    {144, "method in use: {.MethodNamespace}.{.MethodName}, {.MethodSize:bytes} of code"},
    {146, "all methods in use are listed"},
    {148, "list of methods in use begins"},
    {150, "method {.MethodID}: {.CountOfMapEntries} offsets of IL and code"},
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

/* Microsoft-Windows-DotNETRuntimePrivate */
static const struct sentence_row dotnet_private[] = {
    {5, "GC of generation {.CondemnedGeneration} on {.NumHeaps} heaps"},
    {7, "GC heap {.HeapNum}: roots on stacks marked"},
    {8, "GC heap {.HeapNum}: roots of finalizers marked"},
    {9, "GC heap {.HeapNum}: roots of handles marked"},
    {10, "GC heap {.HeapNum}: roots in older generations marked"},
};

/* Microsoft-Windows-HttpService */
static const struct sentence_row http_service[] = {
    {1, "HTTP request from {.RemoteAddr}, id {.RequestId}"},
    {2, "HTTP request of {.Url}"},
    {3, "HTTP request of {.Url} to queue {.RequestQueueName}, id {.RequestId}"},
    {4, "HTTP response {.StatusCode} to {.Verb}, id {.RequestId}"},
    {5, "HTTP response complete, id {.RequestId}"},
    {8, "HTTP response {.StatusCode} to {.Verb}, id {.RequestId}"},
    {9, "HTTP response complete, id {.RequestId}"},
    {10, "HTTP response {.HttpStatus} sent, id {.RequestId}"},
    {12, "send HTTP response {.HttpStatus}, id {.RequestId}"},
    {51, "HTTP log written[: {.Status:failed}]"},
};

/* Microsoft-Windows-DxgKrnl */
static const struct sentence_row dxgkrnl[] = {
    {18, "GPU scheduler begins {.EventId}"},
    {19, "GPU scheduler ended {.EventId}"},
    {20, "GPU context {.hContext:hex}: status {.Status}"},
    {22, "preempt GPU context {.hContext:hex}"},
    {23, "GPU node {.NodeOrdinal} runs context {.hContext:hex}"},
    {105, "{.Function} begins"},
    {106, "{.Function} ended"},
    {107, "{.Function} begins"},
    {108, "{.Function} ended"},
    {113, "GPU context {.hContext:hex}[: {.QuantumStatus}]"},
    {175, "DMA packet {.uliSubmissionId} starts on GPU context {.hContext:hex}"},
    {176,
     "DMA packet {.uliCompletionId} ended on GPU context {.hContext:hex}[, {.PacketType:name}]"},
    {178, "queue packet {.SubmitSequence} for GPU context {.hContext:hex}"},
    {179, "queue packet {.SubmitSequence} for GPU context {.hContext:hex}[, {.PacketType:name}]"},
    {180, "queued packet {.SubmitSequence} of GPU context {.hContext:hex} ended[, "
          "{.PacketType:name}]"},
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
    {&dotnet_private_provider, ROWS(dotnet_private)},
    {&http_service_provider, ROWS(http_service)},
    {&dxgkrnl_provider, ROWS(dxgkrnl)},
};

const unsigned sentence_provider_count = sizeof sentence_providers / sizeof *sentence_providers;
