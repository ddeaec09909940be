#include "src/event/known_keywords.h"

#include "src/event/decode/table.h"
#include "src/event/providers.h"

#include <stddef.h>

enum { BITS = 64 };

static const char *const dotnet[BITS] = {
    [0] = "GCKeyword",
    [1] = "GCHandleKeyword",
    [2] = "FusionKeyword",
    [3] = "LoaderKeyword",
    [4] = "JitKeyword",
    [5] = "NGenKeyword",
    [6] = "StartEnumerationKeyword",
    [7] = "EndEnumerationKeyword",
    [10] = "SecurityKeyword",
    [11] = "AppDomainResourceManagementKeyword",
    [12] = "JitTracingKeyword",
    [13] = "InteropKeyword",
    [14] = "ContentionKeyword",
    [15] = "ExceptionKeyword",
    [16] = "ThreadingKeyword",
    [17] = "JittedMethodILToNativeMapKeyword",
    [18] = "OverrideAndSuppressNGenEventsKeyword",
    [19] = "TypeKeyword",
    [20] = "GCHeapDumpKeyword",
    [21] = "GCSampledObjectAllocationHighKeyword",
    [22] = "GCHeapSurvivalAndMovementKeyword",
    [23] = "GCHeapCollectKeyword",
    [24] = "GCHeapAndTypeNamesKeyword",
    [25] = "GCSampledObjectAllocationLowKeyword",
    [29] = "PerfTrackKeyword",
    [30] = "StackKeyword",
    [31] = "ThreadTransferKeyword",
    [32] = "DebuggerKeyword",
    [33] = "MonitoringKeyword",
    [34] = "CodeSymbolsKeyword",
    [35] = "EventSourceKeyword",
    [36] = "CompilationKeyword",
    [37] = "CompilationDiagnosticKeyword",
    [38] = "MethodDiagnosticKeyword",
    [39] = "TypeDiagnosticKeyword",
};

static const char *const kernel_process[BITS] = {
    [4] = "WINEVENT_KEYWORD_PROCESS",
    [5] = "WINEVENT_KEYWORD_THREAD",
    [6] = "WINEVENT_KEYWORD_IMAGE",
    [7] = "WINEVENT_KEYWORD_CPU_PRIORITY",
    [8] = "WINEVENT_KEYWORD_OTHER_PRIORITY",
    [9] = "WINEVENT_KEYWORD_PROCESS_FREEZE",
    [10] = "WINEVENT_KEYWORD_JOB",
    [11] = "WINEVENT_KEYWORD_ENABLE_PROCESS_TRACING_CALLBACKS",
    [12] = "WINEVENT_KEYWORD_JOB_IO",
    [13] = "WINEVENT_KEYWORD_WORK_ON_BEHALF",
    [14] = "WINEVENT_KEYWORD_JOB_SILO",
};

static const char *const kernel_file[BITS] = {
    [4] = "KERNEL_FILE_KEYWORD_FILENAME",
    [5] = "KERNEL_FILE_KEYWORD_FILEIO",
    [6] = "KERNEL_FILE_KEYWORD_OP_END",
    [7] = "KERNEL_FILE_KEYWORD_CREATE",
    [8] = "KERNEL_FILE_KEYWORD_READ",
    [9] = "KERNEL_FILE_KEYWORD_WRITE",
    [10] = "KERNEL_FILE_KEYWORD_DELETE_PATH",
    [11] = "KERNEL_FILE_KEYWORD_RENAME_SETLINK_PATH",
    [12] = "KERNEL_FILE_KEYWORD_CREATE_NEW_FILE",
};

static const char *const kernel_network[BITS] = {
    [4] = "KERNEL_NETWORK_KEYWORD_IPV4",
    [5] = "KERNEL_NETWORK_KEYWORD_IPV6",
};

static const char *const kernel_registry[BITS] = {
    [0] = "CloseKey",
    [1] = "QuerySecurityKey",
    [2] = "SetSecurityKey",
    [4] = "EnumerateValueKey",
    [5] = "QueryMultipleValueKey",
    [6] = "SetInformationKey",
    [7] = "FlushKey",
    [8] = "SetValueKey",
    [9] = "DeleteValueKey",
    [10] = "QueryValueKey",
    [11] = "EnumerateKey",
    [12] = "CreateKey",
    [13] = "OpenKey",
    [14] = "DeleteKey",
    [15] = "QueryKey",
};

static const struct {
    const struct guid *provider;
    const char *const *names;
} providers[] = {
    {&dotnet_provider, dotnet},
    {&kernel_process_provider, kernel_process},
    {&kernel_file_provider, kernel_file},
    {&kernel_network_provider, kernel_network},
    {&kernel_registry_provider, kernel_registry},
};

const char *const *known_keywords(const struct guid *provider)
{
    for (unsigned i = 0; i < TABLE_COUNT(providers); i++)
        if (guid_equal(providers[i].provider, provider))
            return providers[i].names;
    return NULL;
}
