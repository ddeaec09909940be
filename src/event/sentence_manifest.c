/* What events of manifest providers say in one line: one table for each provider, by id. The fields
 * are named as in the layouts of src/event/schema.h. Large tables have files of their own. */
#include "src/event/providers.h"
#include "src/event/sentence.h"

/* Microsoft-Windows-Kernel-Power */
static const struct guid kernel_power_provider = {{0x3a, 0x3b, 0x1c, 0x33, 0x05, 0x20, 0xc2, 0x44,
                                                   0xac, 0x5e, 0x77, 0x22, 0x0c, 0x37, 0xd6, 0xb4}};

/* Microsoft-Windows-Kernel-Processor-Power */
static const struct guid processor_power_provider = {{0x9f, 0xe4, 0x67, 0x0f, 0x51, 0xfe, 0x9f,
                                                      0x4e, 0xb4, 0x90, 0x6f, 0x29, 0x48, 0xcc,
                                                      0x60, 0x27}};

/* Microsoft-Windows-WinHttp */
static const struct guid winhttp_provider = {{0x3d, 0x23, 0x44, 0x7d, 0x55, 0x30, 0x9c, 0x4b, 0xba,
                                              0x64, 0x0d, 0x47, 0xca, 0x40, 0xa2, 0x32}};

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

/* Microsoft-Windows-HttpService */
static const struct sentence_row http_service[] = {
    {1, "HTTP request from {.RemoteAddr}, id {.RequestId}"},
    {2, "HTTP request of {.Url}"},
    {3, "HTTP request of {.Url} to queue {.RequestQueueName}, id {.RequestId}"},
    {4, "HTTP response {.StatusCode} to {.Verb}, id {.RequestId}"},
    {5, "HTTP response complete, id {.RequestId}"},
    {6, "HTTP response continues, id {.RequestId}"},
    {7, "HTTP response complete, id {.RequestId}"},
    {8, "HTTP response {.StatusCode} to {.Verb}, id {.RequestId}"},
    {9, "HTTP response complete, id {.RequestId}"},
    {10, "HTTP response {.HttpStatus} sent, id {.RequestId}[, {lat}]"},
    {11, "HTTP response {.HttpStatus} cached and sent, id {.RequestId}[, {lat}]"},
    {12, "send HTTP response {.HttpStatus}, id {.RequestId}[, {lat}]"},
    {13, "HTTP response {.HttpStatus} sent, id {.RequestId}[, {lat}]"},
    {14, "HTTP response {.HttpStatus} not sent, id {.RequestId}[, {lat}]"},
    {15, "send HTTP response: {.Reason}, id {.RequestId}[: {.Status:failed}]"},
    {16, "HTTP response of {.BytesSent:bytes} from the cache[, id {.RequestId}][, {lat}]"},
    {17, "HTTP response 304 from the cache[, id {.RequestId}][, {lat}]"},
    {21, "HTTP connection {.LocalAddr} ← {.RemoteAddr}"},
    {22, "HTTP connection {.ConnectionId}, first request {.RequestId}"},
    {23, "HTTP connection {.ConnectionObj} closed by the client"},
    {24, "HTTP connection {.ConnectionObj} is over"},
    {51, "HTTP log written[: {.Status:failed}]"},
    {52, "HTTP request not understood: {.Reason}, id {.RequestId}[: {.Status:failed}]"},
    {64, "HTTP request rejected: {.Reason}, queue {.RequestQueueName}, id {.RequestId}"},
    {65, "HTTP request given up: {.Reason}, queue {.RequestQueueName}, id {.RequestId}"},
    {97, "HTTP error {.StatusCode} for {.Url}"},
    {124, "HTTP request queue {.RequestQueueName} is full, id {.RequestId}"},
};

/* Microsoft-Windows-Kernel-Memory: counts of pages. */
static const struct sentence_row kernel_memory[] = {
    {1, "pages: {.FreePageCount} free, {.ZeroPageCount} zeroed, {.ModifiedPageCount} modified, "
        "{.BadPageCount} bad[, {.CommitPageCount} committed][, pools {.PagedPoolPageCount} paged, "
        "{.NonPagedPoolPageCount} nonpaged]"},
    {2, "working sets of {.Count} processes"},
    {3, "working sets of {.Count} session[{.Count:s}]"},
    {4, "swap out the working set of {process|.ProcessId}"},
    {5, "working set of {process|.ProcessId} swapped out, {.PagesProcessed} "
        "page[{.PagesProcessed:s}][: "
        "{.Status:failed}]"},
    {6, "swap in the working set of {process|.ProcessId}"},
    {7, "working set of {process|.ProcessId} swapped in[: {.Status:failed}]"},
    {9, "working set of {process|.ProcessId} swapped in[: {.Status:failed}]"},
    {10, "allocate {.TotalBytes:bytes} of physical pages, {.DurationInMicroseconds:us}"},
    {11, "allocate {.TotalBytes:bytes} of contiguous memory, {.DurationInMicroseconds:us}"},
    {14, "free {.Size:bytes} of contiguous memory at {.BaseAddress}"},
};

/* Microsoft-Windows-Kernel-Power */
static const struct sentence_row kernel_power[] = {
    {41, "the system did not shut down cleanly[, bug check {.BugcheckCode:set}]"},
    {42, "the system goes to sleep, state {.EffectiveState}[, {.Reason:name}]"},
    {86, "thermal zone {.ThermalZoneDeviceInstance} is too hot: the system shuts down"},
    {105, "power source changed, mains: {.AcOnline}[, {.RemainingCapacity} of "
          "{.FullChargeCapacity} mWh left]"},
    {106, "power source, mains: {.AcOnline}"},
    {107, "the system is back from sleep, state {.WakeFromState|.EffectiveState}"},
    {109, "the system shuts down[: {.ShutdownActionType:name}][, {.ShutdownReason:name}]"},
};

/* Microsoft-Windows-Kernel-Processor-Power */
static const struct sentence_row processor_power[] = {
    {7, "processor {.Processor}: speed limited by firmware for {.CapDurationInSeconds} s"},
    {8, "processor {.Processor}: speed limited by firmware for {.CapDurationInSeconds} s"},
    {9, "performance state {.State} at {.Speed} MHz[, performance {.Performance}%]"},
    {10, "processor {.Group}:{.Number}: performance state {.State} at {.Speed} MHz[, performance "
         "{.Performance}%]"},
    {12, "processor {.Group}:{.Number}: {.Frequency} MHz[, delivered performance "
         "{.DeliveredPerformance}%]"},
    {14, "park processor {.Group}:{.Number}"},
    {15, "unpark processor {.Group}:{.Number}"},
    {18, "processor {.Group}:{.Number}: performance state {.State} at {.Speed} MHz[, performance "
         "{.Performance}%]"},
    {26,
     "processor {.Group}:{.Number}: {.IdleStateCount} idle states, {.PerfStateCount} performance "
     "states, {.ThrottleStateCount} throttle states"},
    {37, "processor {.Group}:{.Number}: speed limited by firmware for {.CapDurationInSeconds} s"},
    {38, "processor {.Group}:{.Number}: speed limited by firmware for {.CapDurationInSeconds} s"},
    {47, "processor {.Group}:{.Number}: limited to {.Cap}% by firmware"},
    {48, "processor {.Group}:{.Number}: limited to {.Cap}% by temperature"},
    {55, "processor {.Group}:{.Number}: {.NominalFrequency} MHz nominal, "
         "{.MinimumPerformancePercent}% to "
         "{.MaximumPerformancePercent}%, {.IdleStateCount} idle states"},
    {56, "processor {.Group}:{.Number}: {.NominalFrequency} MHz nominal, "
         "{.MinimumPerformancePercent}% to "
         "{.MaximumPerformancePercent}%, {.IdleStateCount} idle states"},
    {64, "processor {.Group}:{.Number}: {.NominalFrequency} MHz nominal, performance "
         "{.DesiredPerformance}%, parked: {.Parked}"},
};

/* Microsoft-Windows-WebIO */
static const struct sentence_row webio[] = {
    {17, "HTTP {.Method} {.URI}[: Win32 error {.Error:set}]"},
    {18, "HTTP {.Method} {.URI}[: Win32 error {.Error:set}]"},
    {101, "HTTP response, {.Length:bytes} of headers, request {.Request}"},
    {104, "request {.Request} gets connection {.Connection}"},
    {200, "connect to {.Address}, connection {.Connection}"},
    {201, "connection {.Connection} is open[: Win32 error {.Error:set}]"},
    {202, "connection {.Connection} is open[: Win32 error {.Error:set}]"},
    {204, "close socket {.Socket:hex}[: Win32 error {.Result:set}]"},
    {205, "look up {.HostName}"},
    {206, "look-up of {.FQDN} ended[: {.AddressCount} addresses]"},
    {207, "look-up of a name failed: Win32 error {.Error}"},
    {213, "send over connection {.Connection}"},
    {214, "sent {.Information:bytes} over connection {.Connection}[: Win32 error {.Error:set}]"},
    {215, "receive over connection {.Connection}"},
    {216,
     "received {.Information:bytes} over connection {.Connection}[: Win32 error {.Error:set}]"},
};

/* Microsoft-Windows-WinHttp */
static const struct sentence_row winhttp[] = {
    {9, "{.Api} begins"},
    {10, "{.Api} ended[: Win32 error {.Result:set}]"},
    {804, "proxy of interface {.Interface} by DHCP: Win32 error {.Error}"},
    {807, "proxy by DNS: Win32 error {.Error}"},
    {809, "load proxy configuration {.ConfigurationURL}"},
    {810, "proxy configuration {.ConfigurationURL} loaded"},
    {811, "proxy configuration {.ConfigurationURL}: Win32 error {.Error}"},
    {813, "find proxy for {.URL}"},
    {814, "proxy for {.URL}[: {.ProxyString}]"},
    {815, "proxy for {.URL}: Win32 error {.Error}"},
    {1051, "look up {.AddressName}"},
    {1052, "look-up of {.AddressName} ended[: Win32 error {.error:set}]"},
};

/* Microsoft-Windows-WinINet */
static const struct sentence_row wininet[] = {
    {301, "connect to {.ServerName} from port {.LocalPort}"},
    {304, "look up {.HostName}"},
    {305, "look-up of {.HostName} ended: {.AddressList}"},
    {307, "look-up of {.HostName} from the cache: {.AddressList}"},
    {1007, "HTTP request of {.AddressName}"},
    {1008, "HTTP response[ {.StatusLine}], request {.Request}[, {lat}]"},
    {1045, "connect for request {.Request}"},
    {1046, "request {.Request} goes over[ {.LocalAddress} → {.RemoteAddress},] socket {.Socket}"},
    {1048, "request {.Request} goes over[ open] socket {.Socket}"},
    {1049, "HTTP request redirected to {.AddressName}"},
    {1057, "HTTP {.Verb} {.URL}, status {.Status}"},
};

/* Microsoft-Windows-Winsock-AFD: EnterExit is 0 where a call begins and 1 where it ended. */
static const struct sentence_row winsock[] = {
    {1000,
     "create socket {.Endpoint} of process {.ProcessId}[, {.SocketType}][: {.Status:failed}]"},
    {1001, "close socket {.Endpoint}[: {.Status:failed}]"},
    {1002, "socket {.Endpoint} is freed[: {.Status:failed}]"},
    {1003, "send {.BufferLength:bytes} from socket {.Endpoint}[: {.Status:failed}]"},
    {1004, "receive up to {.BufferLength:bytes} at socket {.Endpoint}[: {.Status:failed}]"},
    {1005, "send {.BufferLength:bytes} from socket {.Endpoint}[: {.Status:failed}]"},
    {1006, "receive up to {.BufferLength:bytes} at socket {.Endpoint}[: {.Status:failed}]"},
    {1007, "send {.BufferLength:bytes} to {.Address} from socket {.Endpoint}[: {.Status:failed}]"},
    {1009,
     "receive {.BufferLength:bytes} from {.Address} at socket {.Endpoint}[: {.Status:failed}]"},
    {1011, "send message of {.BufferLength:bytes} from socket {.Endpoint}[: {.Status:failed}]"},
    {1012,
     "receive message of up to {.BufferLength:bytes} at socket {.Endpoint}[: {.Status:failed}]"},
    {1013, "send message of {.BufferLength:bytes} to {.Address} from socket {.Endpoint}[: "
           "{.Status:failed}]"},
    {1015, "receive message of {.BufferLength:bytes} from {.Address} at socket {.Endpoint}[: "
           "{.Status:failed}]"},
    {1017, "connect socket {.Endpoint}[ to {raddr}][: {.Status:failed}]"},
    {1018, "connect socket {.Endpoint} to {.Address}[: {.Status:failed}]"},
    {1020, "connect socket {.Endpoint}[ to {raddr}][: {.Status:failed}]"},
    {1021, "connect socket {.Endpoint} to {.Address}[: {.Status:failed}]"},
    {1023, "accept at socket {.Endpoint}[: {.Status:failed}]"},
    {1024, "accept {.Address} at socket {.Endpoint}[: {.Status:failed}]"},
    {1026, "accept at socket {.Endpoint}[: {.Status:failed}]"},
    {1027, "accept {.Address} at socket {.Endpoint}[: {.Status:failed}]"},
    {1029, "bind socket {.Endpoint}[: {.Status:failed}]"},
    {1030, "bind socket {.Endpoint} to {.Address}[: {.Status:failed}]"},
    {1032, "abort connection of socket {.Endpoint}: {.Reason}"},
    {1033,
     "drop datagram of {.BufferLength:bytes} from {.Address} at socket {.Endpoint}: {.Reason}"},
    {1035, "set option {.Option} of socket {.Endpoint} to {.Value}[: {.Status:failed}]"},
    {1036, "wait for connections at socket {.Endpoint}[: {.Status:failed}]"},
    {1037, "listen at socket {.Endpoint}, backlog {.Backlog}[: {.Status:failed}]"},
    {3000, "connection comes in at socket {.Endpoint}[: {.Status:failed}]"},
    {3001, "connection from {.Address} comes in at socket {.Endpoint}[: {.Status:failed}]"},
    {3003, "{.BufferLength:bytes} came for socket {.Endpoint}"},
    {3004, "{.BufferLength:bytes} from {.Address} came for socket {.Endpoint}"},
    {3006, "socket {.Endpoint} is disconnected[: {.Status:failed}]"},
};

#define ROWS(table)                                                                                \
    &(const struct sentence_rows)                                                                  \
    {                                                                                              \
        table, sizeof table / sizeof *table                                                        \
    }

const struct sentence_provider sentence_providers[] = {
    {&kernel_process_provider, ROWS(kernel_process)},
    {&kernel_file_provider, ROWS(kernel_file)},
    {&kernel_network_provider, ROWS(kernel_network)},
    {&kernel_disk_provider, ROWS(kernel_disk)},
    {&kernel_registry_provider, ROWS(kernel_registry)},
    {&dns_client_provider, ROWS(dns_client)},
    {&dotnet_provider, &sentence_dotnet},
    {&dotnet_rundown_provider, &sentence_dotnet_rundown},
    {&dotnet_private_provider, &sentence_dotnet_private},
    {&http_service_provider, ROWS(http_service)},
    {&kernel_memory_provider, ROWS(kernel_memory)},
    {&kernel_power_provider, ROWS(kernel_power)},
    {&processor_power_provider, ROWS(processor_power)},
    {&webio_provider, ROWS(webio)},
    {&winhttp_provider, ROWS(winhttp)},
    {&wininet_provider, ROWS(wininet)},
    {&winsock_provider, ROWS(winsock)},
    {&dxgkrnl_provider, &sentence_dxgkrnl},
};

const unsigned sentence_provider_count = sizeof sentence_providers / sizeof *sentence_providers;
