#include "collectors/windows/privilege.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <stdatomic.h>

static bool token_value(TOKEN_INFORMATION_CLASS class, void *out, DWORD bytes)
{
    HANDLE token;
    DWORD got;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    const bool is_read = GetTokenInformation(token, class, out, bytes, &got);
    CloseHandle(token);
    return is_read;
}

/* Groups that only deny, as an administrator's in a console that is not elevated, do not count. */
static bool is_member(WELL_KNOWN_SID_TYPE type)
{
    BYTE sid[SECURITY_MAX_SID_SIZE];
    DWORD bytes = sizeof sid;
    BOOL is_in = FALSE;
    return CreateWellKnownSid(type, NULL, sid, &bytes) && CheckTokenMembership(NULL, sid, &is_in) &&
           is_in;
}

/* Services and the system itself are no members of Administrators, or are without elevation. */
static bool is_elevated(void)
{
    TOKEN_ELEVATION elevation = {0};
    return is_member(WinLocalSystemSid) ||
           (token_value(TokenElevation, &elevation, sizeof elevation) && elevation.TokenIsElevated);
}

enum etw_access privilege_situation(void)
{
    if (is_elevated())
        return SITUATION_ELEVATED;
    const bool is_log_user = is_member(WinBuiltinPerfLoggingUsersSid) ||
                             is_member(WinLocalServiceSid) || is_member(WinNetworkServiceSid);
    return is_log_user ? SITUATION_LOG_USER : SITUATION_NOBODY;
}

bool privilege_can_elevate(void)
{
    TOKEN_ELEVATION_TYPE type = TokenElevationTypeDefault;
    return token_value(TokenElevationType, &type, sizeof type) && type == TokenElevationTypeLimited;
}

bool privilege_switch(const wchar_t *name, bool is_on)
{
    HANDLE token;
    TOKEN_PRIVILEGES request = {.PrivilegeCount = 1};
    if (!LookupPrivilegeValueW(NULL, name, &request.Privileges[0].Luid) ||
        !OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY, &token))
        return false;
    request.Privileges[0].Attributes = is_on ? SE_PRIVILEGE_ENABLED : 0;
    /* It succeeds, too, where the token does not hold the privilege. */
    const bool is_done = AdjustTokenPrivileges(token, FALSE, &request, 0, NULL, NULL) &&
                         GetLastError() == ERROR_SUCCESS;
    CloseHandle(token);
    return is_done;
}

/* More than one thread may need it at once. */
static _Atomic int profiling;

void privilege_profile_begin(void)
{
    atomic_fetch_add(&profiling, 1);
    privilege_switch(L"SeSystemProfilePrivilege", true);
}

void privilege_profile_end(void)
{
    if (atomic_fetch_sub(&profiling, 1) == 1)
        privilege_switch(L"SeSystemProfilePrivilege", false);
}
