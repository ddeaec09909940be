#include "src/event/status.h"

#include "src/base/text.h"
#include "src/event/decode/table.h"
#include "src/event/error_names.h"

#include <stdio.h>

/* Sorted by status. */
static const struct value_name windows_names[] = {
    {0x00000000, "SUCCESS"},
    {0x000000c0, "USER_APC"},
    {0x00000102, "TIMEOUT"},
    {0x00000103, "PENDING"},
    {0x00000104, "REPARSE"},
    {0x40000000, "OBJECT_NAME_EXISTS"},
    {0x40010001, "DBG_REPLY_LATER"},
    {0x40010003, "DBG_TERMINATE_THREAD"},
    {0x40010004, "DBG_TERMINATE_PROCESS"},
    {0x40010005, "DBG_CONTROL_C"},
    {0x40010006, "DBG_PRINTEXCEPTION_C"},
    {0x40010007, "DBG_RIPEXCEPTION"},
    {0x40010008, "DBG_CONTROL_BREAK"},
    {0x40010009, "DBG_COMMAND_EXCEPTION"},
    {0x80000001, "GUARD_PAGE_VIOLATION"},
    {0x80000002, "DATATYPE_MISALIGNMENT"},
    {0x80000003, "BREAKPOINT"},
    {0x80000004, "SINGLE_STEP"},
    {0x80000005, "BUFFER_OVERFLOW"},
    {0x80000006, "NO_MORE_FILES"},
    {0x8000000d, "PARTIAL_COPY"},
    {0x80000011, "DEVICE_BUSY"},
    {0x8000001a, "NO_MORE_ENTRIES"},
    {0xc0000001, "UNSUCCESSFUL"},
    {0xc0000002, "NOT_IMPLEMENTED"},
    {0xc0000003, "INVALID_INFO_CLASS"},
    {0xc0000004, "INFO_LENGTH_MISMATCH"},
    {0xc0000005, "ACCESS_VIOLATION"},
    {0xc0000006, "IN_PAGE_ERROR"},
    {0xc0000008, "INVALID_HANDLE"},
    {0xc000000b, "INVALID_CID"},
    {0xc000000d, "INVALID_PARAMETER"},
    {0xc000000e, "NO_SUCH_DEVICE"},
    {0xc000000f, "NO_SUCH_FILE"},
    {0xc0000010, "INVALID_DEVICE_REQUEST"},
    {0xc0000011, "END_OF_FILE"},
    {0xc0000017, "NO_MEMORY"},
    {0xc000001d, "ILLEGAL_INSTRUCTION"},
    {0xc0000022, "ACCESS_DENIED"},
    {0xc0000023, "BUFFER_TOO_SMALL"},
    {0xc0000024, "OBJECT_TYPE_MISMATCH"},
    {0xc0000025, "NONCONTINUABLE_EXCEPTION"},
    {0xc0000033, "OBJECT_NAME_INVALID"},
    {0xc0000034, "OBJECT_NAME_NOT_FOUND"},
    {0xc0000035, "OBJECT_NAME_COLLISION"},
    {0xc000003a, "OBJECT_PATH_NOT_FOUND"},
    {0xc0000043, "SHARING_VIOLATION"},
    {0xc0000044, "QUOTA_EXCEEDED"},
    {0xc000004b, "THREAD_IS_TERMINATING"},
    {0xc0000054, "FILE_LOCK_CONFLICT"},
    {0xc0000056, "DELETE_PENDING"},
    {0xc0000061, "PRIVILEGE_NOT_HELD"},
    {0xc000007f, "DISK_FULL"},
    {0xc000008e, "FLOAT_DIVIDE_BY_ZERO"},
    {0xc0000094, "INTEGER_DIVIDE_BY_ZERO"},
    {0xc0000095, "INTEGER_OVERFLOW"},
    {0xc0000096, "PRIVILEGED_INSTRUCTION"},
    {0xc0000098, "FILE_INVALID"},
    {0xc000009a, "INSUFFICIENT_RESOURCES"},
    {0xc00000a2, "MEDIA_WRITE_PROTECTED"},
    {0xc00000b5, "IO_TIMEOUT"},
    {0xc00000ba, "FILE_IS_A_DIRECTORY"},
    {0xc00000bb, "NOT_SUPPORTED"},
    {0xc00000d4, "NOT_SAME_DEVICE"},
    {0xc00000fd, "STACK_OVERFLOW"},
    {0xc0000101, "DIRECTORY_NOT_EMPTY"},
    {0xc0000103, "NOT_A_DIRECTORY"},
    {0xc0000106, "NAME_TOO_LONG"},
    {0xc000010a, "PROCESS_IS_TERMINATING"},
    {0xc000011f, "TOO_MANY_OPENED_FILES"},
    {0xc0000120, "CANCELLED"},
    {0xc0000121, "CANNOT_DELETE"},
    {0xc0000123, "FILE_DELETED"},
    {0xc0000135, "DLL_NOT_FOUND"},
    {0xc0000138, "ORDINAL_NOT_FOUND"},
    {0xc0000139, "ENTRYPOINT_NOT_FOUND"},
    {0xc000013a, "CONTROL_C_EXIT"},
    {0xc0000142, "DLL_INIT_FAILED"},
    {0xc000014b, "PIPE_BROKEN"},
    {0xc000017c, "KEY_DELETED"},
    {0xc0000185, "IO_DEVICE_ERROR"},
    {0xc0000194, "POSSIBLE_DEADLOCK"},
    {0xc000020a, "ADDRESS_ALREADY_EXISTS"},
    {0xc000020c, "CONNECTION_DISCONNECTED"},
    {0xc000020d, "CONNECTION_RESET"},
    {0xc0000225, "NOT_FOUND"},
    {0xc000022d, "RETRY"},
    {0xc0000236, "CONNECTION_REFUSED"},
    {0xc000023c, "NETWORK_UNREACHABLE"},
    {0xc000023d, "HOST_UNREACHABLE"},
    {0xc0000241, "CONNECTION_ABORTED"},
    {0xc0000265, "TOO_MANY_LINKS"},
    {0xc000026b, "DLL_INIT_FAILED_LOGOFF"},
    {0xc0000275, "NOT_A_REPARSE_POINT"},
    {0xc0000374, "HEAP_CORRUPTION"},
    {0xc0000409, "STACK_BUFFER_OVERRUN"},
    {0xc0000417, "INVALID_CRUNTIME_PARAMETER"},
    {0xc0000420, "ASSERTION_FAILURE"},
    {0xc0000428, "INVALID_IMAGE_HASH"},
    {0xc0000463, "DEVICE_FEATURE_NOT_SUPPORTED"},
    {0xc0000602, "FAIL_FAST_EXCEPTION"},
    {0xc0000904, "FILE_TOO_LARGE"},
};

/* Success, the first, needs no name. */
const struct value_map map_status = {
    .entries = windows_names + 1, .count = TABLE_COUNT(windows_names) - 1, .keeps_number = true};

/* Programs end with small numbers of their own, which come before the system's; one of them is what
 * the system has for those that still run. */
enum { SMALL = 5 };
static const struct value_name not_ended[] = {{0x103, "STILL_ACTIVE"}};
static const struct value_map map_not_ended = {.entries = not_ended,
                                               .count = TABLE_COUNT(not_ended)};
const struct value_map map_exit_status = {.entries = windows_names + SMALL,
                                          .count = TABLE_COUNT(windows_names) - SMALL,
                                          .keeps_number = true,
                                          .low = &map_not_ended};

/* By error number, of the architectures that share asm-generic/errno.h; from 512 up those that
 * the kernel keeps to itself. */
static const char *const errno_names[] = {
    [1] = "EPERM", [2] = "ENOENT", [3] = "ESRCH", [4] = "EINTR", [5] = "EIO", [6] = "ENXIO",
    [7] = "E2BIG", [8] = "ENOEXEC", [9] = "EBADF", [10] = "ECHILD", [11] = "EAGAIN",
    [12] = "ENOMEM", [13] = "EACCES", [14] = "EFAULT", [15] = "ENOTBLK", [16] = "EBUSY",
    [17] = "EEXIST", [18] = "EXDEV", [19] = "ENODEV", [20] = "ENOTDIR", [21] = "EISDIR",
    [22] = "EINVAL", [23] = "ENFILE", [24] = "EMFILE", [25] = "ENOTTY", [26] = "ETXTBSY",
    [27] = "EFBIG", [28] = "ENOSPC", [29] = "ESPIPE", [30] = "EROFS", [31] = "EMLINK",
    [32] = "EPIPE", [33] = "EDOM", [34] = "ERANGE", [35] = "EDEADLK", [36] = "ENAMETOOLONG",
    [37] = "ENOLCK", [38] = "ENOSYS", [39] = "ENOTEMPTY", [40] = "ELOOP", [42] = "ENOMSG",
    [43] = "EIDRM", [44] = "ECHRNG", [45] = "EL2NSYNC", [46] = "EL3HLT", [47] = "EL3RST",
    [48] = "ELNRNG", [49] = "EUNATCH", [50] = "ENOCSI", [51] = "EL2HLT", [52] = "EBADE",
    [53] = "EBADR", [54] = "EXFULL", [55] = "ENOANO", [56] = "EBADRQC", [57] = "EBADSLT",
    [59] = "EBFONT", [60] = "ENOSTR", [61] = "ENODATA", [62] = "ETIME", [63] = "ENOSR",
    [64] = "ENONET", [65] = "ENOPKG", [66] = "EREMOTE", [67] = "ENOLINK", [68] = "EADV",
    [69] = "ESRMNT", [70] = "ECOMM", [71] = "EPROTO", [72] = "EMULTIHOP", [73] = "EDOTDOT",
    [74] = "EBADMSG", [75] = "EOVERFLOW", [76] = "ENOTUNIQ", [77] = "EBADFD", [78] = "EREMCHG",
    [79] = "ELIBACC", [80] = "ELIBBAD", [81] = "ELIBSCN", [82] = "ELIBMAX", [83] = "ELIBEXEC",
    [84] = "EILSEQ", [85] = "ERESTART", [86] = "ESTRPIPE", [87] = "EUSERS", [88] = "ENOTSOCK",
    [89] = "EDESTADDRREQ", [90] = "EMSGSIZE", [91] = "EPROTOTYPE", [92] = "ENOPROTOOPT",
    [93] = "EPROTONOSUPPORT", [94] = "ESOCKTNOSUPPORT", [95] = "EOPNOTSUPP", [96] = "EPFNOSUPPORT",
    [97] = "EAFNOSUPPORT", [98] = "EADDRINUSE", [99] = "EADDRNOTAVAIL", [100] = "ENETDOWN",
    [101] = "ENETUNREACH", [102] = "ENETRESET", [103] = "ECONNABORTED", [104] = "ECONNRESET",
    [105] = "ENOBUFS", [106] = "EISCONN", [107] = "ENOTCONN", [108] = "ESHUTDOWN",
    [109] = "ETOOMANYREFS", [110] = "ETIMEDOUT", [111] = "ECONNREFUSED", [112] = "EHOSTDOWN",
    [113] = "EHOSTUNREACH", [114] = "EALREADY", [115] = "EINPROGRESS", [116] = "ESTALE",
    [117] = "EUCLEAN", [118] = "ENOTNAM", [119] = "ENAVAIL", [120] = "EISNAM", [121] = "EREMOTEIO",
    [122] = "EDQUOT", [123] = "ENOMEDIUM", [124] = "EMEDIUMTYPE", [125] = "ECANCELED",
    [126] = "ENOKEY", [127] = "EKEYEXPIRED", [128] = "EKEYREVOKED", [129] = "EKEYREJECTED",
    [130] = "EOWNERDEAD", [131] = "ENOTRECOVERABLE", [132] = "ERFKILL", [133] = "EHWPOISON",
    [512] = "ERESTARTSYS", [513] = "ERESTARTNOINTR", [514] = "ERESTARTNOHAND",
    [515] = "ENOIOCTLCMD", [516] = "ERESTART_RESTARTBLOCK", [517] = "EPROBE_DEFER",
    [518] = "EOPENSTALE", [519] = "ENOPARAM", [521] = "EBADHANDLE", [522] = "ENOTSYNC",
    [523] = "EBADCOOKIE", [524] = "ENOTSUPP", [525] = "ETOOSMALL", [526] = "ESERVERFAULT",
    [527] = "EBADTYPE", [528] = "EJUKEBOX", [529] = "EIOCBQUEUED", [530] = "ERECALLCONFLICT",
    [531] = "ENOGRACE",
};

/* Versions up to 0.2.0 recorded the nearest NTSTATUS that Windows has, which stands for several
 * errors here and there: all of them are named, for nobody knows which one it was. */
enum { SHARED_MOST = 4 };
static const struct {
    uint32_t status;
    const char *names[SHARED_MOST + 1];
} nearest[] = {
    {0x000000c0, {"ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ERESTART_RESTARTBLOCK"}},
    {0xc0000002, {"ENOSYS"}},
    {0xc0000005, {"EFAULT"}},
    {0xc0000008, {"EBADF"}},
    {0xc000000b, {"ESRCH"}},
    {0xc000000d, {"EINVAL"}},
    {0xc000000e, {"ENXIO", "ENODEV"}},
    {0xc0000010, {"ENOTTY", "ESPIPE"}},
    {0xc0000017, {"ENOMEM"}},
    {0xc0000022, {"EACCES"}},
    {0xc0000034, {"ENOENT"}},
    {0xc0000035, {"EEXIST"}},
    {0xc0000043, {"ETXTBSY"}},
    {0xc0000044, {"EDQUOT"}},
    {0xc0000061, {"EPERM"}},
    {0xc000007f, {"ENOSPC"}},
    {0xc0000095, {"EOVERFLOW"}},
    {0xc00000a2, {"EROFS"}},
    {0xc00000b5, {"ETIMEDOUT"}},
    {0xc00000ba, {"EISDIR"}},
    {0xc00000bb, {"EOPNOTSUPP"}},
    {0xc00000d4, {"EXDEV"}},
    {0xc0000101, {"ENOTEMPTY"}},
    {0xc0000103, {"ENOTDIR"}},
    {0xc0000106, {"ENAMETOOLONG"}},
    {0xc000011f, {"EMFILE", "ENFILE"}},
    {0xc0000120, {"EINTR", "ECANCELED"}},
    {0xc000014b, {"EPIPE"}},
    {0xc0000185, {"EIO"}},
    {0xc0000194, {"EDEADLK"}},
    {0xc000020a, {"EADDRINUSE"}},
    {0xc000020c, {"ENOTCONN"}},
    {0xc000020d, {"ECONNRESET"}},
    {0xc0000225, {"ENODATA"}},
    {0xc000022d, {"EAGAIN"}},
    {0xc0000236, {"ECONNREFUSED"}},
    {0xc000023c, {"ENETUNREACH"}},
    {0xc000023d, {"EHOSTUNREACH"}},
    {0xc0000241, {"ECONNABORTED"}},
    {0xc0000265, {"EMLINK"}},
    {0xc0000904, {"EFBIG"}},
};

enum { CODE = 0xfff, ERRNO_NAMES = sizeof errno_names / sizeof *errno_names };

static const char *name_of_windows(uint32_t status)
{
    size_t low = 0, high = TABLE_COUNT(windows_names);
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (windows_names[middle].value == status)
            return windows_names[middle].name;
        if (windows_names[middle].value < status)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static const char *name_of_errno(uint32_t status)
{
    const uint32_t form = status & ~(uint32_t)CODE;
    const bool is_errno = form == STATUS_ERRNO || form == STATUS_RESTART;
    return is_errno && (status & CODE) < ERRNO_NAMES ? errno_names[status & CODE] : NULL;
}

static const char *name_of_nearest(uint32_t status, unsigned nth)
{
    for (size_t i = 0; i < sizeof nearest / sizeof *nearest; i++)
        if (nearest[i].status == status)
            return nth < SHARED_MOST ? nearest[i].names[nth] : NULL;
    return NULL;
}

uint32_t status_of_errno(unsigned error)
{
    enum { RESTARTS_FIRST = 512, RESTARTS_LAST = 516, NO_SUCH_COMMAND = 515 };
    const bool is_restart =
        error >= RESTARTS_FIRST && error <= RESTARTS_LAST && error != NO_SUCH_COMMAND;
    return (is_restart ? STATUS_RESTART : STATUS_ERRNO) + (error & CODE);
}

const char *status_name(uint32_t marked, unsigned nth)
{
    const uint32_t code = status_number(marked);
    const bool is_linux = marked & STATUS_OF_LINUX;
    const char *name = is_linux ? NULL : name_of_windows(code);
    if (!name) /* also before it is known that the source is Linux: nobody else has these codes */
        name = name_of_errno(code);
    if (!name && is_linux)
        return name_of_nearest(code, nth);
    return nth ? NULL : name;
}

static bool is_same_name(const char *name, const char *text)
{
    size_t i = 0;
    while (name && name[i] && text_lower(name[i]) == text_lower(text[i]))
        i++;
    return name && !name[i] && !text[i];
}

const char *status_of_alias(const char *text)
{
    static const char *const aliases[][2] = {
        {"EWOULDBLOCK", "EAGAIN"}, {"ENOTSUP", "EOPNOTSUPP"}, {"EDEADLOCK", "EDEADLK"}};
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (is_same_name(aliases[i][0], text))
            return aliases[i][1];
    return NULL;
}

bool status_is_name(const char *text)
{
    for (size_t i = 0; i < TABLE_COUNT(windows_names); i++)
        if (is_same_name(windows_names[i].name, text))
            return true;
    for (size_t i = 0; i < ERRNO_NAMES; i++)
        if (is_same_name(errno_names[i], text))
            return true;
    for (size_t i = 0; i < sizeof nearest / sizeof *nearest; i++)
        for (size_t n = 0; n < SHARED_MOST; n++)
            if (is_same_name(nearest[i].names[n], text))
                return true;
    return false;
}

static void signal_text(unsigned number, char out[STATUS_TEXT])
{
    static const char *const names[] = {
        [1] = "SIGHUP",   [2] = "SIGINT",   [3] = "SIGQUIT",  [4] = "SIGILL",   [5] = "SIGTRAP",
        [6] = "SIGABRT",  [7] = "SIGBUS",   [8] = "SIGFPE",   [9] = "SIGKILL",  [10] = "SIGUSR1",
        [11] = "SIGSEGV", [12] = "SIGUSR2", [13] = "SIGPIPE", [14] = "SIGALRM", [15] = "SIGTERM",
        [24] = "SIGXCPU", [25] = "SIGXFSZ", [31] = "SIGSYS"};
    const bool is_known = number < sizeof names / sizeof *names && names[number];
    if (is_known)
        snprintf(out, STATUS_TEXT, "%s", names[number]);
    else
        snprintf(out, STATUS_TEXT, "signal %u", number);
}

bool status_is_signal(uint32_t code, bool is_linux)
{
    return is_linux && code >> 31;
}

void status_exit(uint32_t code, bool is_linux, char out[STATUS_TEXT])
{
    if (status_is_signal(code, is_linux)) {
        signal_text(0 - code, out);
        return;
    }
    const bool is_system = code >> 24;
    const char *const name = is_system                    ? name_of_windows(code)
                             : code == not_ended[0].value ? not_ended[0].name
                                                          : NULL;
    snprintf(out, STATUS_TEXT, is_system ? "0x%x%s%s%s" : "%u%s%s%s", (unsigned)code,
             name ? " (" : "", name ? name : "", name ? ")" : "");
}

size_t status_format(uint32_t marked, char out[STATUS_TEXT])
{
    size_t used = 0;
    const char *name;
    for (unsigned i = 0; (name = status_name(marked, i)) != NULL; i++)
        used += (size_t)snprintf(out + used, STATUS_TEXT - used, "%s%s", i ? "/" : "", name);
    if (!used)
        used = (size_t)snprintf(out, STATUS_TEXT, "%s 0x%08x",
                                marked & STATUS_OF_LINUX ? "Linux" : "Windows",
                                (unsigned)status_number(marked));
    return used;
}
