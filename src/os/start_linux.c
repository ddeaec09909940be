/* How the program starts on Linux: words and streams are bytes here, and the locale says what
 * the terminal makes of them. */
#include "src/os/os.h"
#include "src/os/rights.h"

#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>

/* A file that is opened while 0, 1 or 2 is closed would get that number, and messages would go
 * into it. What is not open is held by /dev/null, opened the wrong way round: writing to a closed
 * standard output stays an error. */
static void hold_standard_descriptors(void)
{
    for (int d = 0; d <= 2; d++)
        if (fcntl(d, F_GETFD) < 0 && open("/dev/null", d == 0 ? O_WRONLY : O_RDONLY) != d)
            abort();
}

void os_start(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    hold_standard_descriptors();
    os_rights_start();
    setlocale(LC_CTYPE, "");
}
