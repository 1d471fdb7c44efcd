#define _GNU_SOURCE
#include "CBenchFloor.h"
#include "frame.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

void bench_die_with_parent(void) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) floor_die("prctl");
}

void bench_pin(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) < 0) floor_die("sched_getaffinity");
    int last = 0;
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET(core, &set)) last = core;
    }
    CPU_ZERO(&set);
    CPU_SET(last, &set);
    if (sched_setaffinity(0, sizeof set, &set) < 0) floor_die("sched_setaffinity");
}

uint64_t bench_processor_time(pid_t process) {
    clockid_t clock;
    struct timespec time;
    errno = clock_getcpuclockid(process, &clock);
    if (errno != 0 || clock_gettime(clock, &time) < 0) floor_die("processor time of the relay");
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int bench_interrupts(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0) floor_die("sigprocmask");
    int descriptor = signalfd(-1, &set, SFD_CLOEXEC);
    if (descriptor < 0) floor_die("signalfd");
    return descriptor;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status, (void)kind, (void)place;
    return remove(path);
}

int bench_remove_tree(const char *path) {
    return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

int64_t bench_drain(int descriptor, int interrupts, int milliseconds) {
    static uint8_t bytes[1 << 20];
    int64_t total = 0;
    for (;;) {
        struct pollfd entries[2] = {{.fd = descriptor, .events = POLLIN}, {.fd = interrupts, .events = POLLIN}};
        if (poll(entries, 2, milliseconds) <= 0) return -1;
        if (entries[1].revents != 0) return -2;
        size_t count = floor_read(descriptor, bytes, sizeof bytes);
        if (count == 0) return total;
        total += (int64_t)count;
    }
}
