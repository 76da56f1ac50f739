#include "files/read_at.hpp"

#include <cerrno>

// The headers of Windows define many short names as macros, so they are included only here.
#if defined(_WIN32)
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <cstdint>
#else
#include <unistd.h>
#endif

namespace bistro {

#if defined(_WIN32)

std::ptrdiff_t read_at(int descriptor, void* to, std::size_t size, std::size_t at) {
    const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
    if (handle == INVALID_HANDLE_VALUE) {
        errno = EBADF;
        return -1;
    }
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(at & 0xffffffff);
    place.OffsetHigh = static_cast<DWORD>(static_cast<std::uint64_t>(at) >> 32);
    DWORD read = 0;
    const DWORD most = static_cast<DWORD>(std::min<std::size_t>(size, std::size_t{1} << 30));
    if (ReadFile(handle, to, most, &read, &place)) return static_cast<std::ptrdiff_t>(read);
    if (GetLastError() == ERROR_HANDLE_EOF) return 0;
    errno = EIO;
    return -1;
}

#else

std::ptrdiff_t read_at(int descriptor, void* to, std::size_t size, std::size_t at) {
    return pread(descriptor, to, size, static_cast<off_t>(at));
}

#endif

}  // namespace bistro
