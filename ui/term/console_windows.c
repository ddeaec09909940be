#include "ui/term/console_windows.h"

HANDLE console_output(void)
{
    return GetStdHandle(STD_OUTPUT_HANDLE);
}
