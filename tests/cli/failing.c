// Loaded into a process before all else (LD_PRELOAD): the n-th start of a thread, or the n-th allocation of at least so
// many bytes, fails.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

static atomic_long left_threads, left_blocks;
static atomic_int fired;
static size_t least;

// What is to fail; zero for nothing.
void bistro_fail(long thread, long block, size_t bytes) {
    fired = 0;
    least = bytes;
    left_threads = thread;
    left_blocks = block;
}

int bistro_failed(void) { return fired; }

static int is_the_one(atomic_long* left) {
    if (*left <= 0 || atomic_fetch_sub(left, 1) != 1) return 0;
    fired = 1;
    return 1;
}

static int no_memory(size_t size) { return left_blocks > 0 && size >= least && is_the_one(&left_blocks); }

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) {
    if (no_memory(size)) return errno = ENOMEM, NULL;
    return __libc_malloc(size);
}

void* calloc(size_t n, size_t size) {
    if (no_memory(n * size)) return errno = ENOMEM, NULL;
    return __libc_calloc(n, size);
}

void* realloc(void* old, size_t size) {
    if (no_memory(size)) return errno = ENOMEM, NULL;
    return __libc_realloc(old, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
    if (no_memory(size)) return errno = ENOMEM, NULL;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void** result, size_t alignment, size_t size) {
    if (no_memory(size)) return ENOMEM;
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
    if (is_the_one(&left_threads)) return EAGAIN;
    return REAL(pthread_create)(thread, attributes, start, argument);
}
