/* The API's errors in words that say what to do about them. */
#include "collectors/windows/etw_session.h"

#include <stdio.h>

static const struct {
    ULONG error;
    const char *text;
} reasons[] = {
    {ERROR_INVALID_FUNCTION, "this system cannot do that to a provider that is not registered"},
    {ERROR_FILE_NOT_FOUND, "file not found"},
    {ERROR_PATH_NOT_FOUND, "path not found"},
    {ERROR_ACCESS_DENIED, "it needs an elevated console (Run as administrator) or membership of "
                          "Performance Log Users; the kernel's events always need elevation"},
    {ERROR_INVALID_HANDLE, "the session is not open any more"},
    {ERROR_NOT_ENOUGH_MEMORY, "the system has no memory left for it"},
    {ERROR_BAD_LENGTH, "the system expects a structure of another size"},
    {ERROR_NOT_SUPPORTED, "this Windows version or virtual machine does not support it"},
    {ERROR_INVALID_PARAMETER, "the system rejects the parameters"},
    {ERROR_DISK_FULL, "the system's disk is full"},
    {ERROR_CALL_NOT_IMPLEMENTED, "this system does not have the function"},
    {ERROR_BAD_PATHNAME, "another session writes that file"},
    {ERROR_ALREADY_EXISTS, "a session of this name or GUID runs already"},
    {ERROR_MORE_DATA, "the answer is larger than its buffer"},
    {ERROR_NOACCESS, "an exception in a callback: a bug of this program"},
    {ERROR_NOT_FOUND, "not found on this machine"},
    {ERROR_CANCELLED, "canceled"},
    {ERROR_PRIVILEGE_NOT_HELD, "the privilege SeSystemProfilePrivilege is missing"},
    {ERROR_NO_SYSTEM_RESOURCES, "the system's limit is reached (sessions, or sessions that a "
                                "provider is enabled in)"},
    {ERROR_TIMEOUT, "the provider did not answer in time"},
    {ERROR_WMI_GUID_NOT_FOUND, "no such provider"},
    {ERROR_WMI_INSTANCE_NOT_FOUND, "there is no such session, or it delivers nothing live"},
    {ERROR_WMI_ALREADY_ENABLED, "only one real-time session can be read at once"},
};

const char *etw_reason(ULONG error, char *out, size_t room)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].error == error) {
            snprintf(out, room, "%s (%lu)", reasons[i].text, error);
            return out;
        }
    WCHAR wide[160];
    char text[256];
    DWORD length = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL,
                                  error, 0, wide, sizeof wide / sizeof *wide, NULL);
    while (length > 0 && wide[length - 1] <= L' ')
        length--;
    wide[length] = 0;
    snprintf(out, room, "%s (%lu)", length ? utf8_of(wide, text, sizeof text) : "error", error);
    return out;
}
