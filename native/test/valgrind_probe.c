/* Not a test: shows, when the build is configured, that valgrind can run a program that uses this libc. */
#include <stdio.h>

int main(void) {
    FILE *file = fopen("/dev/null", "r");
    return file == NULL || fclose(file) != 0;
}
