/* What happens to the program and its console: it is killed, its window is closed, the user logs
 * off, and input of every kind arrives. The stand-in lives in the program, so it can make this
 * happen. */
#include "tests/etw/fake.h"

static struct {
    bool has_called, has_written;
} done;

/* The system calls a console's handlers on a new thread that begins here. */
static void call_handlers(DWORD event)
{
    const FARPROC routine = GetProcAddress(GetModuleHandleW(L"kernelbase.dll"), "CtrlRoutine");
    const HANDLE thread =
        routine ? CreateThread(NULL, 0, (LPTHREAD_START_ROUTINE)(void (*)(void))routine,
                               (void *)(uintptr_t)event, 0, NULL)
                : NULL;
    if (thread)
        CloseHandle(thread);
}

static void write_record(HANDLE input, const INPUT_RECORD *record)
{
    DWORD written;
    WriteConsoleInputW(input, record, 1, &written);
}

/* Keys that end the program or open something that waits for more are left out. */
static bool is_harmless(WORD code)
{
    return code != VK_F10 && code != VK_F8 && code != VK_F7 && code != 'Q' && code != 'C' &&
           code != 'R' && code != VK_PAUSE;
}

/* Every key with no character, down and up, with every state of the keys beside it; characters
 * of all kinds, halves of pairs alone and together; the mouse; sizes; focus; menus; and a kind
 * that does not exist. */
static void write_records(void)
{
    static const WCHAR characters[] = {0x1b,  0xd83d, 0xde00, 0xde00, 0xd83d, 0xfeff,
                                       0x301, 0xe9,   0xfffe, 0x7f,   0x1b};
    const HANDLE input =
        CreateFileW(L"CONIN$", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                    NULL, OPEN_EXISTING, 0, NULL);
    if (input == INVALID_HANDLE_VALUE)
        return;
    for (unsigned code = 0; code < 256; code++) {
        INPUT_RECORD r = {.EventType = KEY_EVENT};
        r.Event.KeyEvent.bKeyDown = code % 2 == 0;
        r.Event.KeyEvent.wRepeatCount = (WORD)(code % 3);
        r.Event.KeyEvent.wVirtualKeyCode = (WORD)code;
        r.Event.KeyEvent.dwControlKeyState = code * 37 & 0x1ff;
        if (is_harmless((WORD)code))
            write_record(input, &r);
    }
    for (unsigned i = 0; i < sizeof characters / sizeof *characters; i++) {
        INPUT_RECORD r = {.EventType = KEY_EVENT};
        r.Event.KeyEvent.bKeyDown = TRUE;
        r.Event.KeyEvent.wRepeatCount = 1;
        r.Event.KeyEvent.uChar.UnicodeChar = characters[i];
        write_record(input, &r);
    }
    for (unsigned i = 0; i < 64; i++) {
        INPUT_RECORD r = {.EventType = MOUSE_EVENT};
        r.Event.MouseEvent.dwMousePosition.X = (SHORT)(i * 517);
        r.Event.MouseEvent.dwMousePosition.Y = (SHORT)(i % 2 ? -1 : 3);
        r.Event.MouseEvent.dwButtonState = i % 8 | (i % 16 == 9 ? 0xff880000 : 0);
        r.Event.MouseEvent.dwEventFlags = 1u << i % 5;
        write_record(input, &r);
    }
    static const COORD sizes[] = {{0, 0}, {-1, -1}, {1, 1}, {32767, 32767}, {120, 40}};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        write_record(input, &(INPUT_RECORD){.EventType = WINDOW_BUFFER_SIZE_EVENT,
                                            .Event.WindowBufferSizeEvent.dwSize = sizes[i]});
    write_record(input,
                 &(INPUT_RECORD){.EventType = FOCUS_EVENT, .Event.FocusEvent.bSetFocus = TRUE});
    write_record(input, &(INPUT_RECORD){.EventType = FOCUS_EVENT});
    write_record(input,
                 &(INPUT_RECORD){.EventType = MENU_EVENT, .Event.MenuEvent.dwCommandId = 0xffff});
    write_record(input, &(INPUT_RECORD){.EventType = 0x4000});
    CloseHandle(input);
}

void console_look(void)
{
    enum { KILLED = 9 };
    if (play.die_at && play_time() >= play.die_at)
        TerminateProcess(GetCurrentProcess(), KILLED);
    if (play.console_at && !done.has_called && play_time() >= play.console_at) {
        done.has_called = true;
        call_handlers(play.console_event);
    }
    if (play.records_at && !done.has_written && play_time() >= play.records_at) {
        done.has_written = true;
        write_records();
    }
}
