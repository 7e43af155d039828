/*
 * Starts a program whose wall clock is ahead as that of skew.c, also if it is linked
 * statically: launch <program> [arguments]. The functions of the kernel in its memory
 * that tell the time, the vDSO, are replaced before it begins.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef __x86_64__
#error "jumps and calls are those of x86-64"
#endif

#define VDSO_SIZE 8192
#define HIDDEN __attribute__((visibility("hidden")))
#define INLINE static inline __attribute__((always_inline))

/* Code that is copied to the end of the vDSO, and the path of the file with the skew. */
#define MOVED __attribute__((section("moved"), used)) static
asm(".section moved,\"ax\"\n.globl path\n.hidden path\npath: .space 256\n.previous");
extern HIDDEN char path[256];
extern HIDDEN char __start_moved[], __stop_moved[];

INLINE long call(long number, long a, long b, long c) {
	long result;
	asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return result;
}

INLINE long seconds(void) {
	long skew = 0;
	long file = call(SYS_open, (long) path, O_RDONLY, 0);
	if (file >= 0) {
		call(SYS_read, file, (long) &skew, sizeof(skew));
		call(SYS_close, file, 0, 0);
	}
	return skew;
}

MOVED int moved_clock_gettime(clockid_t clock, struct timespec *time) {
	long result = call(SYS_clock_gettime, clock, (long) time, 0);
	if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
		time->tv_sec += seconds();
	}
	return result;
}

MOVED int moved_gettimeofday(struct timeval *time, void *zone) {
	long result = call(SYS_gettimeofday, (long) time, (long) zone, 0);
	if (!result && time) {
		time->tv_sec += seconds();
	}
	return result;
}

MOVED time_t moved_time(time_t *to) {
	time_t now = call(SYS_time, 0, 0, 0) + seconds();
	if (to) {
		*to = now;
	}
	return now;
}

static void require(int condition, const char *what) {
	if (!condition) {
		perror(what);
		_exit(1);
	}
}

static long vdso_of(pid_t process) {
	char name[64];
	unsigned long entry[2] = { 1, 0 };
	snprintf(name, sizeof(name), "/proc/%d/auxv", process);
	int file = open(name, O_RDONLY);
	while (entry[0] != AT_NULL && entry[0] != AT_SYSINFO_EHDR) {
		require(read(file, entry, sizeof(entry)) == sizeof(entry), "auxv");
	}
	close(file);
	return entry[1];
}

static void put(int memory, long to, const void *bytes, long size) {
	require(pwrite(memory, bytes, size, to) == size, "vDSO");
}

/* Address of what is moved, relative to the begin of the vDSO. */
static long moved(void *part) {
	return VDSO_SIZE - (__stop_moved - (char *) part);
}

/* Let a function jump to another one. All programs have the same vDSO. */
static void replace(int memory, long vdso, const char *name, void *function) {
	void *own = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	long from = (char *) dlsym(own, name) - (char *) getauxval(AT_SYSINFO_EHDR);
	int distance = moved(function) - (from + 5);
	char jump[5] = { (char) 0xe9 };
	memcpy(jump + 1, &distance, sizeof(distance));
	put(memory, vdso + from, jump, sizeof(jump));
}

static void replace_all(pid_t process) {
	char name[64];
	const char *file = getenv("SKEW_FILE");
	long vdso = vdso_of(process);
	snprintf(name, sizeof(name), "/proc/%d/mem", process);
	int memory = open(name, O_RDWR);
	require(strlen(file) < sizeof(path), file);
	put(memory, vdso + moved(__start_moved), __start_moved, __stop_moved - __start_moved);
	put(memory, vdso + moved(path), file, strlen(file) + 1);
	replace(memory, vdso, "__vdso_clock_gettime", moved_clock_gettime);
	replace(memory, vdso, "__vdso_gettimeofday", moved_gettimeofday);
	replace(memory, vdso, "__vdso_time", moved_time);
}

/* Stop the program when it is about to begin. */
static void trace(pid_t program, int ready) {
	int status;
	require(!ptrace(PTRACE_SEIZE, program, 0, PTRACE_O_TRACEEXEC), "ptrace");
	require(write(ready, "", 1) == 1, "pipe");
	while (waitpid(program, &status, __WALL) == program && status >> 8 != (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
		require(!ptrace(PTRACE_CONT, program, 0, WSTOPSIG(status)), "signal");
	}
	replace_all(program);
	require(!ptrace(PTRACE_DETACH, program, 0, 0), "detach");
}

int main(int count, char **arguments) {
	int ready[2];
	char byte;
	pid_t program = getpid();
	require(!pipe(ready), "pipe");
	pid_t child = fork();
	if (!child) {
		if (!fork()) {
			trace(program, ready[1]);
		}
		_exit(0); /* so that the program has no child */
	}
	waitpid(child, NULL, 0);
	close(ready[1]);
	require(read(ready[0], &byte, 1) == 1, "tracer");
	close(ready[0]);
	execvp(arguments[1], arguments + 1);
	perror(arguments[1]);
	return 127;
}
