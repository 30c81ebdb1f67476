// PyTorch's C++ tensor as far as extensions use it around their kernels, on the emulator's device memory. Operations that compute are
// not here: what uses one does not compile, and the message names it.
#ifndef KERNELOPT_TENSOR_H
#define KERNELOPT_TENSOR_H

#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace c10 {

using Half = __half;
using BFloat16 = __nv_bfloat16;

// Numbers of c10/core/ScalarType.h
enum class ScalarType : int8_t { Byte = 0, Char = 1, Short = 2, Int = 3, Long = 4, Half = 5, Float = 6, Double = 7, Bool = 11, BFloat16 = 15 };

inline size_t elementSize(ScalarType type) {
    switch (type) {
        case ScalarType::Byte: case ScalarType::Char: case ScalarType::Bool: return 1;
        case ScalarType::Short: case ScalarType::Half: case ScalarType::BFloat16: return 2;
        case ScalarType::Int: case ScalarType::Float: return 4;
        default: return 8;
    }
}

template <typename T> struct CppTypeToScalarType;
#define KERNELOPT_SCALAR(T, NAME) \
    template <> struct CppTypeToScalarType<T> { static constexpr ScalarType value = ScalarType::NAME; };
KERNELOPT_SCALAR(uint8_t, Byte) KERNELOPT_SCALAR(int8_t, Char) KERNELOPT_SCALAR(int16_t, Short) KERNELOPT_SCALAR(int, Int)
KERNELOPT_SCALAR(long, Long) KERNELOPT_SCALAR(long long, Long) KERNELOPT_SCALAR(Half, Half) KERNELOPT_SCALAR(float, Float)
KERNELOPT_SCALAR(double, Double) KERNELOPT_SCALAR(bool, Bool) KERNELOPT_SCALAR(BFloat16, BFloat16)
#undef KERNELOPT_SCALAR

inline const char* toString(ScalarType type) {
    switch (type) {
        case ScalarType::Byte: return "Byte";
        case ScalarType::Char: return "Char";
        case ScalarType::Short: return "Short";
        case ScalarType::Int: return "Int";
        case ScalarType::Long: return "Long";
        case ScalarType::Half: return "Half";
        case ScalarType::Float: return "Float";
        case ScalarType::Double: return "Double";
        case ScalarType::Bool: return "Bool";
        default: return "BFloat16";
    }
}
inline std::ostream& operator<<(std::ostream& out, ScalarType type) { return out << toString(type); }

class Error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <typename... Parts> [[noreturn]] void fail(const Parts&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    throw Error(text.str());
}

enum class DeviceType : int8_t { CPU = 0, CUDA = 1 };

struct Device {
    DeviceType kind = DeviceType::CUDA;
    int8_t number = 0;
    Device(DeviceType type = DeviceType::CUDA, int8_t index = 0) : kind(type), number(index) {}
    DeviceType type() const { return kind; }
    int8_t index() const { return number; }
    bool is_cuda() const { return kind == DeviceType::CUDA; }
    bool is_cpu() const { return kind == DeviceType::CPU; }
    bool operator==(const Device& other) const { return kind == other.kind && number == other.number; }
    bool operator!=(const Device& other) const { return !(*this == other); }
};
inline std::ostream& operator<<(std::ostream& out, const Device& device) { return out << (device.is_cuda() ? "cuda:0" : "cpu"); }

enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

class IntArrayRef {
public:
    IntArrayRef() = default;
    IntArrayRef(std::initializer_list<int64_t> values) : values_(values) {}
    IntArrayRef(const std::vector<int64_t>& values) : values_(values) {}
    int64_t operator[](size_t at) const { return values_.at(at); }
    size_t size() const { return values_.size(); }
    const int64_t* begin() const { return values_.data(); }
    const int64_t* end() const { return values_.data() + values_.size(); }
    const int64_t* data() const { return values_.data(); }
    std::vector<int64_t> vec() const { return values_; }
    bool operator==(const IntArrayRef& other) const { return values_ == other.values_; }
    bool operator!=(const IntArrayRef& other) const { return values_ != other.values_; }
    friend std::ostream& operator<<(std::ostream& out, const IntArrayRef& sizes) {
        out << "[";
        for (size_t i = 0; i < sizes.size(); ++i) out << (i ? ", " : "") << sizes.values_[i];
        return out << "]";
    }

private:
    std::vector<int64_t> values_;
};

struct TensorOptions {
    ScalarType type = ScalarType::Float;
    TensorOptions() = default;
    TensorOptions(ScalarType scalar) : type(scalar) {}
    TensorOptions dtype(ScalarType scalar) const { return TensorOptions(scalar); }
    template <typename T> TensorOptions dtype() const { return TensorOptions(CppTypeToScalarType<T>::value); }
    template <typename... Where> TensorOptions device(Where...) const { return *this; }
    TensorOptions layout(int) const { return *this; }
    TensorOptions requires_grad(bool) const { return *this; }
    TensorOptions memory_format(MemoryFormat) const { return *this; }
};

}  // namespace c10

namespace at {

using namespace c10;
constexpr auto kByte = ScalarType::Byte, kUInt8 = ScalarType::Byte, kChar = ScalarType::Char, kInt8 = ScalarType::Char, kShort = ScalarType::Short,
               kInt16 = ScalarType::Short, kInt = ScalarType::Int, kInt32 = ScalarType::Int, kLong = ScalarType::Long, kInt64 = ScalarType::Long,
               kHalf = ScalarType::Half, kFloat16 = ScalarType::Half, kFloat = ScalarType::Float, kFloat32 = ScalarType::Float,
               kDouble = ScalarType::Double, kFloat64 = ScalarType::Double, kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16;
constexpr auto kCPU = DeviceType::CPU;
constexpr auto kCUDA = DeviceType::CUDA;
constexpr int kStrided = 0;

struct Storage {
    void* data = nullptr;
    size_t bytes = 0;
    explicit Storage(size_t size) : bytes(size) {
        if (size && cudaMalloc(&data, size) != cudaSuccess) fail("out of device memory: ", size, " bytes");
    }
    Storage(const Storage&) = delete;
    ~Storage() { if (data) cudaFree(data); }
};

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

class Tensor {
public:
    Tensor() = default;
    Tensor(std::vector<int64_t> sizes, ScalarType type) : Tensor(sizes, row_major(sizes), type) {}
    Tensor(std::vector<int64_t> sizes, std::vector<int64_t> strides, ScalarType type)
        : body_(std::make_shared<Body>(Body{sizes, strides, type, 0, nullptr})) {
        body_->storage = std::make_shared<Storage>(extent() * elementSize(type));
    }

    bool defined() const { return body_ != nullptr; }
    int64_t dim() const { return int64_t(body().sizes.size()); }
    int64_t ndimension() const { return dim(); }
    int64_t size(int64_t at) const { return body().sizes.at(wrapped(at)); }
    int64_t stride(int64_t at) const { return body().strides.at(wrapped(at)); }
    IntArrayRef sizes() const { return body().sizes; }
    IntArrayRef strides() const { return body().strides; }
    int64_t numel() const {
        int64_t count = 1;
        for (int64_t size : body().sizes) count *= size;
        return count;
    }
    int64_t element_size() const { return int64_t(elementSize(body().type)); }
    int64_t itemsize() const { return element_size(); }
    size_t nbytes() const { return size_t(numel() * element_size()); }
    ScalarType scalar_type() const { return body().type; }
    ScalarType dtype() const { return body().type; }
    TensorOptions options() const { return TensorOptions(body().type); }
    Device device() const { return Device(); }
    int64_t get_device() const { return 0; }
    bool is_cuda() const { return true; }
    bool is_cpu() const { return false; }
    bool is_floating_point() const {
        const auto type = body().type;
        return type == kFloat || type == kDouble || type == kHalf || type == kBFloat16;
    }
    bool requires_grad() const { return false; }
    bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
        return has_strides_of(format == MemoryFormat::ChannelsLast ? channels_last(body().sizes) : row_major(body().sizes));
    }
    bool is_same(const Tensor& other) const { return body_ == other.body_; }
    bool is_non_overlapping_and_dense() const { return extent() == numel(); }

    void* data_ptr() const { return static_cast<char*>(body().storage->data) + body().offset * element_size(); }
    template <typename T> T* data_ptr() const {
        if (CppTypeToScalarType<std::remove_const_t<T>>::value != body().type) {
            fail("expected scalar type ", CppTypeToScalarType<std::remove_const_t<T>>::value, " but found ", body().type);
        }
        return static_cast<T*>(data_ptr());
    }
    template <typename T> T* mutable_data_ptr() const { return data_ptr<T>(); }
    template <typename T> const T* const_data_ptr() const { return data_ptr<std::remove_const_t<T>>(); }
    void* mutable_data_ptr() const { return data_ptr(); }
    const void* const_data_ptr() const { return data_ptr(); }

    template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits> auto packed_accessor32() const { return packed<T, N, Traits, int32_t>(); }
    template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits> auto packed_accessor64() const { return packed<T, N, Traits, int64_t>(); }

    Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const { return is_contiguous(format) ? *this : clone(format); }
    Tensor clone(MemoryFormat format = MemoryFormat::Contiguous) const {
        Tensor made(body().sizes, format == MemoryFormat::ChannelsLast ? channels_last(body().sizes) : row_major(body().sizes), body().type);
        made.copy_(*this);
        return made;
    }
    Tensor& copy_(const Tensor& from) {
        if (from.body().sizes != body().sizes || from.body().type != body().type) fail("copy_ between shapes or types is not emulated");
        const std::vector<char> source = from.host();
        std::vector<char> target = host();
        walk([&](int64_t mine, int64_t theirs) { std::memcpy(&target[mine * element_size()], &source[theirs * element_size()], element_size()); }, from);
        upload(target);
        return *this;
    }
    Tensor& zero_() {
        if (!is_non_overlapping_and_dense()) fail("zero_ of a tensor with gaps is not emulated");
        if (numel()) cudaMemset(data_ptr(), 0, nbytes());
        return *this;
    }
    Tensor& fill_(double value) {
        if (!is_non_overlapping_and_dense()) fail("fill_ of a tensor with gaps is not emulated");
        std::vector<char> values(nbytes());
        for (int64_t at = 0; at < numel(); ++at) put(&values[at * element_size()], value);
        upload(values);
        return *this;
    }
    Tensor view(IntArrayRef sizes) const {
        if (!is_contiguous()) fail("view of a tensor that is not contiguous: use reshape");
        std::vector<int64_t> wanted = sizes.vec();
        int64_t known = 1, open = -1;
        for (size_t i = 0; i < wanted.size(); ++i) wanted[i] == -1 ? void(open = int64_t(i)) : void(known *= wanted[i]);
        if (open >= 0) wanted[open] = known ? numel() / known : 0;
        int64_t count = 1;
        for (int64_t size : wanted) count *= size;
        if (count != numel()) fail("shape ", sizes, " is invalid for input of size ", numel());
        return sharing(wanted, row_major(wanted));
    }
    Tensor reshape(IntArrayRef sizes) const { return contiguous().view(sizes); }
    Tensor flatten() const { return reshape({-1}); }
    Tensor view_as(const Tensor& other) const { return view(other.sizes()); }
    Tensor transpose(int64_t first, int64_t second) const {
        auto sizes = body().sizes, strides = body().strides;
        std::swap(sizes.at(wrapped(first)), sizes.at(wrapped(second)));
        std::swap(strides.at(wrapped(first)), strides.at(wrapped(second)));
        return sharing(sizes, strides);
    }
    Tensor t() const { return dim() < 2 ? *this : transpose(0, 1); }
    Tensor permute(IntArrayRef order) const {
        std::vector<int64_t> sizes, strides;
        for (int64_t at : order) sizes.push_back(size(at)), strides.push_back(stride(at));
        return sharing(sizes, strides);
    }
    Tensor unsqueeze(int64_t at) const {
        auto sizes = body().sizes, strides = body().strides;
        const size_t place = size_t(at < 0 ? at + dim() + 1 : at);
        sizes.insert(sizes.begin() + place, 1);
        strides.insert(strides.begin() + place, place < strides.size() ? strides[place] * body().sizes[place] : 1);
        return sharing(sizes, strides);
    }
    Tensor squeeze(int64_t at) const {
        if (size(at) != 1) return *this;
        auto sizes = body().sizes, strides = body().strides;
        sizes.erase(sizes.begin() + wrapped(at));
        strides.erase(strides.begin() + wrapped(at));
        return sharing(sizes, strides);
    }
    Tensor to(ScalarType type) const {
        if (type == body().type) return *this;
        fail("conversion from ", body().type, " to ", type, " in C++ is not emulated: convert in Python, before the call");
    }
    Tensor to(TensorOptions options) const { return to(options.type); }
    Tensor to(Device) const { return *this; }
    Tensor cuda() const { return *this; }
    Tensor detach() const { return *this; }

    // What the emulator's own code asks for: elements from the first to the last one in memory, gaps included.
    int64_t extent() const {
        int64_t last = 0;
        for (size_t i = 0; i < body().sizes.size(); ++i) {
            if (body().sizes[i] == 0) return 0;
            last += (body().sizes[i] - 1) * body().strides[i];
        }
        return last + 1;
    }
    std::vector<char> host() const {
        std::vector<char> bytes(extent() * element_size());
        if (!bytes.empty()) cudaMemcpy(bytes.data(), data_ptr(), bytes.size(), cudaMemcpyDeviceToHost);
        return bytes;
    }
    void upload(const std::vector<char>& bytes) const {
        if (!bytes.empty()) cudaMemcpy(data_ptr(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
    }

private:
    struct Body {
        std::vector<int64_t> sizes, strides;
        ScalarType type;
        int64_t offset;
        std::shared_ptr<Storage> storage;
    };
    std::shared_ptr<Body> body_;

    const Body& body() const {
        if (!body_) fail("a tensor that is not defined was used");
        return *body_;
    }
    size_t wrapped(int64_t at) const { return size_t(at < 0 ? at + dim() : at); }
    Tensor sharing(std::vector<int64_t> sizes, std::vector<int64_t> strides) const {
        Tensor made;
        made.body_ = std::make_shared<Body>(Body{sizes, strides, body().type, body().offset, body().storage});
        return made;
    }
    static std::vector<int64_t> row_major(const std::vector<int64_t>& sizes) {
        std::vector<int64_t> strides(sizes.size());
        int64_t step = 1;
        for (size_t i = sizes.size(); i-- > 0;) strides[i] = step, step *= std::max<int64_t>(sizes[i], 1);
        return strides;
    }
    static std::vector<int64_t> channels_last(const std::vector<int64_t>& sizes) {
        if (sizes.size() != 4) fail("channels_last needs four dimensions");
        return {sizes[1] * sizes[2] * sizes[3], 1, sizes[3] * sizes[1], sizes[1]};
    }
    bool has_strides_of(const std::vector<int64_t>& wanted) const {
        for (size_t i = 0; i < wanted.size(); ++i) {
            if (body().sizes[i] == 0) return true;
            if (body().sizes[i] != 1 && body().strides[i] != wanted[i]) return false;
        }
        return true;
    }
    template <typename F> void walk(F visit, const Tensor& other) const {
        std::vector<int64_t> at(body().sizes.size(), 0);
        for (int64_t left = numel(); left > 0; --left) {
            int64_t mine = 0, theirs = 0;
            for (size_t i = 0; i < at.size(); ++i) mine += at[i] * body().strides[i], theirs += at[i] * other.body().strides[i];
            visit(mine, theirs);
            for (size_t i = at.size(); i-- > 0;) {
                if (++at[i] < body().sizes[i]) break;
                at[i] = 0;
            }
        }
    }
    void put(char* place, double value) const {
        const auto store = [&](auto typed) { std::memcpy(place, &typed, sizeof typed); };
        switch (body().type) {
            case kFloat: return store(float(value));
            case kDouble: return store(value);
            case kHalf: return store(__float2half(float(value)));
            case kBFloat16: return store(__float2bfloat16(float(value)));
            case kInt: return store(int32_t(value));
            case kLong: return store(int64_t(value));
            case kShort: return store(int16_t(value));
            case kBool: return store(value != 0);
            default: return store(uint8_t(int64_t(value)));
        }
    }
    template <typename T, size_t N, template <typename> class Traits, typename Index> auto packed() const {
        if (dim() != int64_t(N)) fail("expected ", N, " dims but tensor has ", dim());
        GenericPackedTensorAccessor<T, N, Traits, Index> made;
        made.data_ = data_ptr<T>();
        for (size_t i = 0; i < N; ++i) made.sizes_[i] = Index(body().sizes[i]), made.strides_[i] = Index(body().strides[i]);
        return made;
    }
};

inline Tensor empty(IntArrayRef sizes, TensorOptions options = {}) { return Tensor(sizes.vec(), options.type); }
inline Tensor zeros(IntArrayRef sizes, TensorOptions options = {}) { return empty(sizes, options).zero_(); }
inline Tensor full(IntArrayRef sizes, double value, TensorOptions options = {}) { return empty(sizes, options).fill_(value); }
inline Tensor ones(IntArrayRef sizes, TensorOptions options = {}) { return full(sizes, 1.0, options); }
inline Tensor empty_like(const Tensor& like) {
    return like.is_non_overlapping_and_dense() ? Tensor(like.sizes().vec(), like.strides().vec(), like.scalar_type()) : empty(like.sizes(), like.options());
}
inline Tensor empty_like(const Tensor& like, TensorOptions options) { return empty(like.sizes(), options); }
inline Tensor zeros_like(const Tensor& like) { return empty_like(like).zero_(); }
inline Tensor zeros_like(const Tensor& like, TensorOptions options) { return empty_like(like, options).zero_(); }
inline Tensor ones_like(const Tensor& like) { return empty_like(like).fill_(1.0); }
inline Tensor full_like(const Tensor& like, double value) { return empty_like(like).fill_(value); }

}  // namespace at

namespace torch {
using namespace at;
using at::Tensor;
inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
template <typename... Where> TensorOptions device(Where...) { return {}; }
struct NoGradGuard {};
}  // namespace torch
namespace c10 { using at::Tensor; }

#define TORCH_CHECK(CONDITION, ...) \
    do { if (!(CONDITION)) c10::fail("" __VA_OPT__(,) __VA_ARGS__); } while (0)
#define TORCH_INTERNAL_ASSERT(CONDITION, ...) TORCH_CHECK(CONDITION, #CONDITION)
#define AT_ASSERTM TORCH_CHECK
#define AT_ERROR(...) c10::fail(__VA_ARGS__)
#define TORCH_WARN(...)
#define C10_CUDA_CHECK(CALL) \
    do { const cudaError_t kernelopt_error = (CALL); if (kernelopt_error != cudaSuccess) c10::fail("CUDA error: ", cudaGetErrorString(kernelopt_error)); } while (0)
#define AT_CUDA_CHECK C10_CUDA_CHECK
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_LAUNCH_BOUNDS_1(...) __launch_bounds__(__VA_ARGS__)
#define C10_LAUNCH_BOUNDS_2(...) __launch_bounds__(__VA_ARGS__)

#define KERNELOPT_CASE(VALUE, T, ...) case c10::ScalarType::VALUE: { using scalar_t [[maybe_unused]] = T; return __VA_ARGS__(); }
#define KERNELOPT_SWITCH(TYPE, NAME, CASES) \
    [&] { switch (TYPE) { CASES default: c10::fail('"', NAME, "\" not implemented for '", c10::toString(TYPE), "'"); } }()
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
    KERNELOPT_SWITCH(TYPE, NAME, KERNELOPT_CASE(Float, float, __VA_ARGS__) KERNELOPT_CASE(Double, double, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) \
    KERNELOPT_SWITCH(TYPE, NAME, KERNELOPT_CASE(Float, float, __VA_ARGS__) KERNELOPT_CASE(Double, double, __VA_ARGS__) \
                     KERNELOPT_CASE(Half, c10::Half, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(FIRST, SECOND, TYPE, NAME, ...) \
    KERNELOPT_SWITCH(TYPE, NAME, KERNELOPT_CASE(Float, float, __VA_ARGS__) KERNELOPT_CASE(Double, double, __VA_ARGS__) \
                     KERNELOPT_CASE(Half, c10::Half, __VA_ARGS__) KERNELOPT_CASE(BFloat16, c10::BFloat16, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
    KERNELOPT_SWITCH(TYPE, NAME, KERNELOPT_CASE(Byte, uint8_t, __VA_ARGS__) KERNELOPT_CASE(Char, int8_t, __VA_ARGS__) \
                     KERNELOPT_CASE(Short, int16_t, __VA_ARGS__) KERNELOPT_CASE(Int, int, __VA_ARGS__) KERNELOPT_CASE(Long, int64_t, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) \
    KERNELOPT_SWITCH(TYPE, NAME, KERNELOPT_CASE(Float, float, __VA_ARGS__) KERNELOPT_CASE(Double, double, __VA_ARGS__) \
                     KERNELOPT_CASE(Byte, uint8_t, __VA_ARGS__) KERNELOPT_CASE(Char, int8_t, __VA_ARGS__) KERNELOPT_CASE(Short, int16_t, __VA_ARGS__) \
                     KERNELOPT_CASE(Int, int, __VA_ARGS__) KERNELOPT_CASE(Long, int64_t, __VA_ARGS__))

namespace c10::cuda {
struct CUDAStream {
    cudaStream_t stream() const { return nullptr; }
    operator cudaStream_t() const { return nullptr; }
};
inline CUDAStream getCurrentCUDAStream(int = 0) { return {}; }
struct CUDAGuard { template <typename Where> explicit CUDAGuard(Where&&) {} };
struct OptionalCUDAGuard { template <typename... Where> explicit OptionalCUDAGuard(Where&&...) {} };
}  // namespace c10::cuda
namespace at::cuda {
using namespace c10::cuda;
inline cudaDeviceProp* getCurrentDeviceProperties() {
    static cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    return &properties;
}
}  // namespace at::cuda
namespace at { inline Device device_of(const Tensor& tensor) { return tensor.device(); } }

#endif
