// NumPy arrays at the boundary. Vectors are returned without copying, and arrays are accepted without conversion.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace bistro::bind {

namespace nb = nanobind;

template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InContexts = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::device::cpu>;  // any strides

// Passes a vector to NumPy, which frees it with the array. Needs the GIL.
template <class T, class Allocator>
Out<T> give(std::vector<T, Allocator> values) {
    using Vector = std::vector<T, Allocator>;
    auto owned = std::make_unique<Vector>(std::move(values));
    Vector* data = owned.get();
    nb::capsule keeper(owned.release(), [](void* p) noexcept { delete static_cast<Vector*>(p); });
    return Out<T>(data->data(), {data->size()}, keeper);
}

template <class T>
std::span<const T> view(const In<T>& array) {
    return {array.data(), array.shape(0)};
}

// Row i of a matrix of contexts, read through its strides, so that windows over a text need no copy.
struct ContextRow {
    const std::int32_t* data;
    std::int64_t stride;
    std::int32_t operator()(int k) const { return data[k * stride]; }
};
inline ContextRow row(const InContexts& contexts, std::size_t i) {
    return {contexts.data() + static_cast<std::int64_t>(i) * contexts.stride(0), contexts.stride(1)};
}

}  // namespace bistro::bind
