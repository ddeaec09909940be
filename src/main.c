#include <stdio.h>

int main(void)
{
    puts("tracetop");
    return 0;
}
