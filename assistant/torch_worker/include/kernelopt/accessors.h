// A tensor as kernels are given it: elements by their indices.
#ifndef KERNELOPT_ACCESSORS_H
#define KERNELOPT_ACCESSORS_H

#include <cuda_runtime.h>

#include <cstdint>

namespace at {

template <typename T> struct DefaultPtrTraits { using PtrType = T*; };
template <typename T> struct RestrictPtrTraits { using PtrType = T* __restrict__; };

template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits, typename Index = int64_t>
struct TensorAccessor {
    T* data_;
    const Index* sizes_;
    const Index* strides_;
    __host__ __device__ Index size(Index at) const { return sizes_[at]; }
    __host__ __device__ Index stride(Index at) const { return strides_[at]; }
    __host__ __device__ T* data() const { return data_; }
    __host__ __device__ decltype(auto) operator[](Index at) const {
        if constexpr (N == 1) return (data_[at * strides_[0]]);
        else return TensorAccessor<T, N - 1, Traits, Index>{data_ + at * strides_[0], sizes_ + 1, strides_ + 1};
    }
};

template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits, typename Index = int64_t>
struct GenericPackedTensorAccessor {
    T* data_;
    Index sizes_[N];
    Index strides_[N];
    __host__ __device__ Index size(Index at) const { return sizes_[at]; }
    __host__ __device__ Index stride(Index at) const { return strides_[at]; }
    __host__ __device__ T* data() const { return data_; }
    __host__ __device__ decltype(auto) operator[](Index at) const {
        if constexpr (N == 1) return (data_[at * strides_[0]]);
        else return TensorAccessor<T, N - 1, Traits, Index>{data_ + at * strides_[0], sizes_ + 1, strides_ + 1};
    }
};
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;

}  // namespace at

#endif
