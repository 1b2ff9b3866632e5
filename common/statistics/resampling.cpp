#include "common/statistics/resampling.hpp"

#include "common/statistics/vector_unit.hpp"

#include <algorithm>
#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace evalfleet::statistics {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kReplicateStep = 0xD1B54A32D192ED03;
constexpr std::uint64_t kDrawStep = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kFirstFactor = 0xBF58476D1CE4E5B9;
constexpr std::uint64_t kSecondFactor = 0x94D049BB133111EB;

// The finaliser of splitmix64.
constexpr std::uint64_t mix(std::uint64_t z) noexcept {
    z ^= z >> 30;
    z *= kFirstFactor;
    z ^= z >> 27;
    z *= kSecondFactor;
    return z ^ (z >> 31);
}

constexpr std::uint64_t scale(std::uint64_t u, std::uint64_t units) noexcept {
    return static_cast<std::uint64_t>((Wide{u} * units) >> 64);
}

template <class Count>
void count_from(std::uint64_t key, std::size_t first, std::span<Count> multiplicity) noexcept {
    const std::uint64_t units = multiplicity.size();
    std::uint64_t state = key + first * kDrawStep;
    for (std::size_t i = first; i < units; ++i) {
        state += kDrawStep;
        ++multiplicity[scale(mix(state), units)];
    }
}

#if defined(__x86_64__)

#define EVALFLEET_AVX2 __attribute__((target("avx2"), always_inline)) inline

// The low 64 bits of the product of each lane; AVX2 only multiplies 32 by 32 bits.
EVALFLEET_AVX2 __m256i multiply(__m256i a, __m256i factor, __m256i factor_high) {
    const __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), factor),
                                           _mm256_mul_epu32(a, factor_high));
    return _mm256_add_epi64(_mm256_mul_epu32(a, factor), _mm256_slli_epi64(cross, 32));
}

EVALFLEET_AVX2 __m256i broadcast(std::uint64_t value) {
    return _mm256_set1_epi64x(static_cast<long long>(value));
}

EVALFLEET_AVX2 __m256i draw_four(__m256i z, __m256i units) {
    const __m256i first = broadcast(kFirstFactor);
    const __m256i second = broadcast(kSecondFactor);
    z = _mm256_xor_si256(z, _mm256_srli_epi64(z, 30));
    z = multiply(z, first, _mm256_srli_epi64(first, 32));
    z = _mm256_xor_si256(z, _mm256_srli_epi64(z, 27));
    z = multiply(z, second, _mm256_srli_epi64(second, 32));
    z = _mm256_xor_si256(z, _mm256_srli_epi64(z, 31));
    // High 64 bits of z * units for units below 2^32: two partial products and no carry to lose.
    const __m256i high = _mm256_mul_epu32(_mm256_srli_epi64(z, 32), units);
    const __m256i low = _mm256_srli_epi64(_mm256_mul_epu32(z, units), 32);
    return _mm256_srli_epi64(_mm256_add_epi64(high, low), 32);
}

// Makes 64 indices while it counts the 64 before: the arithmetic of one block fills the time in
// which the random accesses of the other wait for the cache. Returns how many draws were counted.
__attribute__((target("avx2"))) std::size_t count_blocks(
    std::uint64_t key, std::span<std::uint8_t> multiplicity) noexcept {
    constexpr std::size_t kBlock = 64;
    const std::size_t blocks = multiplicity.size() / kBlock;
    if (blocks == 0) return 0;
    std::uint8_t* const counts = multiplicity.data();
    const __m256i units = broadcast(multiplicity.size());
    const __m256i step = broadcast(4 * kDrawStep);
    __m256i state =
        _mm256_add_epi64(broadcast(key), _mm256_set_epi64x(static_cast<long long>(4 * kDrawStep),
                                                           static_cast<long long>(3 * kDrawStep),
                                                           static_cast<long long>(2 * kDrawStep),
                                                           static_cast<long long>(kDrawStep)));
    alignas(32) std::uint64_t indices[2][kBlock];
    const auto make_four = [&](std::uint64_t * out) __attribute__((target("avx2"), always_inline)) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(out), draw_four(state, units));
        state = _mm256_add_epi64(state, step);
    };
    for (std::size_t j = 0; j < kBlock; j += 4) {
        make_four(indices[0] + j);
    }
    for (std::size_t block = 1; block < blocks; ++block) {
        const std::uint64_t* const ready = indices[(block - 1) % 2];
        std::uint64_t* const next = indices[block % 2];
        for (std::size_t j = 0; j < kBlock; j += 4) {
            make_four(next + j);
            ++counts[ready[j]];
            ++counts[ready[j + 1]];
            ++counts[ready[j + 2]];
            ++counts[ready[j + 3]];
        }
    }
    for (const std::uint64_t index : indices[(blocks - 1) % 2]) {
        ++counts[index];
    }
    return blocks * kBlock;
}

#endif

}  // namespace

std::uint64_t replicate_key(std::uint64_t seed, std::uint64_t replicate) noexcept {
    return mix(seed + (replicate + 1) * kReplicateStep);
}

std::uint64_t random_bits(std::uint64_t key, std::uint64_t i) noexcept {
    return mix(key + (i + 1) * kDrawStep);
}

std::uint64_t draw(std::uint64_t key, std::uint64_t i, std::uint64_t units) noexcept {
    return scale(random_bits(key, i), units);
}

void count_draws(std::uint64_t key, std::span<std::uint32_t> multiplicity) noexcept {
    std::ranges::fill(multiplicity, 0U);
    count_from(key, 0, multiplicity);
}

void count_draws_modulo_256(std::uint64_t key, std::span<std::uint8_t> multiplicity) noexcept {
    std::ranges::fill(multiplicity, std::uint8_t{0});
    std::size_t done = 0;
#if defined(__x86_64__)
    if (has_avx2()) done = count_blocks(key, multiplicity);
#endif
    count_from(key, done, multiplicity);
}

}  // namespace evalfleet::statistics
