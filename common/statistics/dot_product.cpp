#include "common/statistics/dot_product.hpp"

#include "common/statistics/vector_unit.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace evalfleet::statistics {
namespace {

template <class Value>
std::uint64_t dot_portable(const std::uint8_t* weights, const Value* values,
                           std::size_t size) noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
        sum += std::uint64_t{weights[i]} * static_cast<std::uint64_t>(values[i]);
    }
    return sum;
}

#if defined(__x86_64__)

#define EVALFLEET_AVX2 __attribute__((target("avx2")))

EVALFLEET_AVX2 inline __m256i load(const void* at) noexcept {
    return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

EVALFLEET_AVX2 std::uint64_t add_lanes_64(__m256i sums) noexcept {
    alignas(32) std::uint64_t lanes[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sums);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

// The lanes are unsigned.
EVALFLEET_AVX2 std::uint64_t add_lanes_32(__m256i sums) noexcept {
    const __m256i low = _mm256_and_si256(sums, _mm256_set1_epi64x(0xFFFFFFFF));
    return add_lanes_64(_mm256_add_epi64(low, _mm256_srli_epi64(sums, 32)));
}

EVALFLEET_AVX2 std::uint64_t sum_avx2(const std::uint8_t* weights, std::size_t size) noexcept {
    __m256i sums = _mm256_setzero_si256();
    for (std::size_t i = 0; i < size; i += 32) {
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(load(weights + i), _mm256_setzero_si256()));
    }
    return add_lanes_64(sums);
}

EVALFLEET_AVX2 std::uint64_t dot_avx2(const std::uint8_t* weights, const std::uint8_t* values,
                                      std::size_t size) noexcept {
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i sums = _mm256_setzero_si256();
    for (std::size_t i = 0; i < size; i += 32) {
        const __m256i pairs = _mm256_maddubs_epi16(load(weights + i), load(values + i));
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, ones));
    }
    return add_lanes_32(sums);
}

EVALFLEET_AVX2 std::uint64_t dot_avx2(const std::uint8_t* weights, const std::int16_t* values,
                                      std::size_t size) noexcept {
    __m256i sums = _mm256_setzero_si256();
    for (std::size_t i = 0; i < size; i += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(weights + i));
        const __m256i wide = _mm256_cvtepu8_epi16(bytes);
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(wide, load(values + i)));
    }
    return add_lanes_32(sums);
}

#endif

constexpr std::size_t kLane = 32;

template <class Value>
std::uint64_t dot_any(const std::uint8_t* weights, const Value* values, std::size_t size) noexcept {
#if defined(__x86_64__)
    if (has_avx2()) {
        const std::size_t done = size / kLane * kLane;
        return dot_avx2(weights, values, done) +
               dot_portable(weights + done, values + done, size - done);
    }
#endif
    return dot_portable(weights, values, size);
}

}  // namespace

std::uint64_t sum_of(const std::uint8_t* weights, std::size_t size) noexcept {
    std::uint64_t sum = 0;
    std::size_t done = 0;
#if defined(__x86_64__)
    if (has_avx2()) {
        done = size / kLane * kLane;
        sum = sum_avx2(weights, done);
    }
#endif
    for (std::size_t i = done; i < size; ++i) {
        sum += weights[i];
    }
    return sum;
}

std::uint64_t dot(const std::uint8_t* weights, const std::uint8_t* values,
                  std::size_t size) noexcept {
    return dot_any(weights, values, size);
}

std::uint64_t dot(const std::uint8_t* weights, const std::int16_t* values,
                  std::size_t size) noexcept {
    return dot_any(weights, values, size);
}

}  // namespace evalfleet::statistics
