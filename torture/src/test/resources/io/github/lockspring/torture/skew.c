/*
 * Wall clocks of a process that is started with LD_PRELOAD are ahead by the seconds that
 * the file SKEW_FILE contains, 8 bytes, which may change at any time. Monotonic clocks
 * are not.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long *skew;
static int tried;

static long seconds(void) {
	if (!skew && !tried) {
		tried = 1;
		const char *path = getenv("SKEW_FILE");
		int file = path ? open(path, O_RDONLY) : -1;
		if (file >= 0) {
			void *memory = mmap(0, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
			if (memory != MAP_FAILED) {
				skew = memory;
			}
			close(file);
		}
	}
	return skew ? *skew : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
	int result = syscall(SYS_clock_gettime, clock, time);
	if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
		time->tv_sec += seconds();
	}
	return result;
}

int gettimeofday(struct timeval *time, void *zone) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (time) {
		time->tv_sec = now.tv_sec;
		time->tv_usec = now.tv_nsec / 1000;
	}
	return 0;
}

time_t time(time_t *to) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (to) {
		*to = now.tv_sec;
	}
	return now.tv_sec;
}
