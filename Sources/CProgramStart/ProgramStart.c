// Replaces three functions of the Swift runtime in statically linked programs, for a faster start.
//
// All definitions are hidden, so the shared runtime of a dynamically linked program does not use them. They are also
// weak: if a later runtime needs more of the files that contain its own definitions, those are linked and take
// precedence.

#include <stdlib.h>

// Other C libraries than glibc pass no arguments to constructors.
#ifdef __GLIBC__

#define REPLACEMENT __attribute__((weak, visibility("hidden")))

// The runtime searches eight places near the program for its backtracer. None is installed there. The variable
// SWIFT_BACKTRACE can still name one.
REPLACEMENT char *swift_copyAuxiliaryExecutablePath(const char *name) {
    (void)name;
    return NULL;
}

// The runtime finds the arguments by parsing /proc/self/maps. The C library passes them to every constructor.
static int argument_count;
static char **arguments;

__attribute__((constructor)) static void store_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}

REPLACEMENT char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
    *count = argument_count;
    return arguments;
}

REPLACEMENT void _swift_stdlib_overrideUnsafeArgvArgc(char **values, int count) {
    store_arguments(count, values);
}

#endif
