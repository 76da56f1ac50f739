// Products for x86-64 processors with registers of 256 bits and fused multiply-add. See products.hpp for what this file
// must not include.
#include "compiler.hpp"
#include "isbn/products.hpp"

#if defined(BISTRO_FILE_FOR_AVX2)

#include "isbn/registers256.hpp"
#include "isbn/tiles.hpp"

namespace bistro::isbn {

Products* products_avx2() { return products<Registers256>; }

}  // namespace bistro::isbn

#else

bistro::isbn::Products* bistro::isbn::products_avx2() { return nullptr; }

#endif
