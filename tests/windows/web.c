/* The web server of tests/unit/web_server.h as a program of its own, for programs under Wine: it
 * prints its port and runs until it is ended.
 *
 * usage: web FOLDER */
#include "tests/unit/web_server.h"

int main(int argc, char **argv)
{
    static struct web_server server;
    if (argc != 2)
        return 2;
    web_start(&server, argv[1]);
    printf("%u\n", server.port);
    fflush(stdout);
    for (;;)
        pause();
}
