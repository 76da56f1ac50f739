// Model files as bytes: checksums, and reading into memory.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "bind/bind.hpp"
#include "files/disk_memory.hpp"
#include "files/read.hpp"

namespace nb = nanobind;

namespace bistro::bind {

using namespace nb::literals;

namespace {

using Bytes = nb::ndarray<const unsigned char, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Owned = nb::ndarray<nb::numpy, const unsigned char, nb::ndim<1>>;

std::optional<std::tuple<Owned, std::uint64_t>> read_whole(int descriptor, std::size_t size, std::size_t skipped, int threads) {
    ReadFile file;
    {
        nb::gil_scoped_release release;
        file = read_file(descriptor, size, skipped, threads);
    }
    if (file.error > 0) {
        errno = file.error;
        PyErr_SetFromErrno(PyExc_OSError);
        throw nb::python_error();
    }
    if (file.error < 0) return std::nullopt;
    unsigned char* const data = file.memory.release();
    nb::capsule owner(data, [](void* p) noexcept { free_aligned(p); });
    return std::make_tuple(Owned(data, {size}, owner), file.checksum);
}

}  // namespace

void bind_files(nb::module_& m) {
    // An OSError with its error number, so that Python can choose the right exception.
    nb::register_exception_translator([](const std::exception_ptr& caught, void*) {
        try {
            std::rethrow_exception(caught);
        } catch (const FolderError& error) {
            errno = error.code;
            PyErr_SetFromErrno(PyExc_OSError);
        }
    });
    m.def("keep_counts_in", [](std::string folder) { DiskMemory::instance().choose(std::move(folder)); }, "folder"_a,
          "From now on large arrays of counts lie in files in a folder; an empty name: in memory.");
    m.def("bytes_of_counts_on_disk", [] { return DiskMemory::instance().bytes(); });
    m.def("read_whole", &read_whole, "descriptor"_a, "size"_a, "skipped"_a, "threads"_a = 1,
          "The bytes of a file with the checksum of those after `skipped`, or nothing if the file is shorter than `size`.");
    nb::class_<Checksum>(m, "Checksum", "The checksum of bytes that come piece by piece.")
        .def(nb::init<>())
        .def("add", [](Checksum& self, Bytes bytes) {
            nb::gil_scoped_release release;
            self.add({bytes.data(), bytes.shape(0)});
        }, "bytes"_a.noconvert())
        .def_prop_ro("value", &Checksum::value);
}

}  // namespace bistro::bind
