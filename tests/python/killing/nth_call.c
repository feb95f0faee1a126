// Kills its process at the n-th call that changes a file, once armed. Loaded by LD_PRELOAD.
//
// A write that is the n-th is done by half first, as the power cut or the kill of a real one may leave it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long left;  // calls until death; 0: not armed
static atomic_long seen;

void nth_call_arm(long calls) {
  atomic_store(&seen, 0);
  atomic_store(&left, calls);
}
long nth_call_seen(void) { return atomic_load(&seen); }

static int dies(void) {
  atomic_fetch_add(&seen, 1);
  return atomic_load(&left) > 0 && atomic_fetch_sub(&left, 1) == 1;
}
static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void* bytes, size_t size) {
  REAL(ssize_t, write, int, const void*, size_t);
  if (dies()) { real(file, bytes, size / 2); die(); }
  return real(file, bytes, size);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  REAL(ssize_t, pwrite64, int, const void*, size_t, off64_t);
  if (dies()) { real(file, bytes, size / 2, at); die(); }
  return real(file, bytes, size, at);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  REAL(ssize_t, pwrite, int, const void*, size_t, off_t);
  if (dies()) { real(file, bytes, size / 2, at); die(); }
  return real(file, bytes, size, at);
}

#define BEFORE(name, declared, passed) \
  int name declared { \
    REAL(int, name, declared_##name); \
    if (dies()) die(); \
    return real passed; \
  }
#define declared_fsync int
#define declared_fdatasync int
#define declared_ftruncate int, off_t
#define declared_ftruncate64 int, off64_t
#define declared_rename const char*, const char*
#define declared_unlink const char*
#define declared_mkdir const char*, mode_t
BEFORE(fsync, (int file), (file))
BEFORE(fdatasync, (int file), (file))
BEFORE(ftruncate, (int file, off_t size), (file, size))
BEFORE(ftruncate64, (int file, off64_t size), (file, size))
BEFORE(rename, (const char* from, const char* to), (from, to))
BEFORE(unlink, (const char* path), (path))
BEFORE(mkdir, (const char* path, mode_t mode), (path, mode))
