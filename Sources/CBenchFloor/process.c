#define _GNU_SOURCE
#include "CBenchFloor.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

int bench_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }

int bench_pin(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) < 0) return -1;
    int last = 0;
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET(core, &set)) last = core;
    }
    CPU_ZERO(&set);
    CPU_SET(last, &set);
    return sched_setaffinity(0, sizeof set, &set);
}

uint64_t bench_processor_time(pid_t process) {
    clockid_t clock;
    struct timespec time = {0};
    if (clock_getcpuclockid(process, &clock) == 0) clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
