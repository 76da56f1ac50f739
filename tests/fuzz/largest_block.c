// Loaded into a process before all else (LD_PRELOAD): remembers the largest block of memory that was asked for.
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_size_t largest;

// Returns the largest block since the last call, in bytes.
size_t bistro_largest_block(void) { return atomic_exchange(&largest, 0); }

static void note(size_t size) {
    size_t known = largest;
    while (size > known && !atomic_compare_exchange_weak(&largest, &known, size)) {
    }
}

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) { return note(size), __libc_malloc(size); }

void* calloc(size_t n, size_t size) {
    size_t all;
    note(__builtin_mul_overflow(n, size, &all) ? (size_t)-1 : all);
    return __libc_calloc(n, size);
}

void* realloc(void* old, size_t size) { return note(size), __libc_realloc(old, size); }

void* aligned_alloc(size_t alignment, size_t size) { return note(size), __libc_memalign(alignment, size); }

int posix_memalign(void** result, size_t alignment, size_t size) {
    note(size);
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}
