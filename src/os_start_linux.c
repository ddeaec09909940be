/* How the program starts on Linux: words and streams are bytes here, and the locale says what
 * the terminal makes of them. */
#include "src/os.h"

#include <locale.h>

void os_start(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    setlocale(LC_CTYPE, "");
}
