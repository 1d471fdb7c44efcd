// A library to preload into a program. It counts the program's allocations, and writes their number to the file named
// by COUNT_FILE when the program exits.

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static unsigned long count;

static void add(void) { __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) { return add(), __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return add(), __libc_calloc(number, size); }
void *realloc(void *memory, size_t size) { return add(), __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return add(), __libc_memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    add();
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12;
}

static int file = -1;

// Opened at the start: a broker gives up the right to open files.
__attribute__((constructor)) static void open_file(void) {
    const char *path = getenv("COUNT_FILE");
    if (path) file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

__attribute__((destructor)) static void tell(void) {
    char text[32];
    int length = snprintf(text, sizeof text, "%lu\n", __atomic_load_n(&count, __ATOMIC_RELAXED));
    if (file >= 0) (void)!write(file, text, (size_t)length);
}
