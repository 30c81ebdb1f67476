// What PyTorch's C++ interface is made of besides tensors: numbers, types, devices, lists of sizes, memory.
#ifndef KERNELOPT_TYPES_H
#define KERNELOPT_TYPES_H

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
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace c10 {

using std::nullopt;
using std::optional;
using std::string_view;

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
    IntArrayRef(const int64_t* values, size_t count) : values_(values, values + count) {}
    template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>> IntArrayRef(T value) : values_{int64_t(value)} {}
    int64_t operator[](size_t at) const { return values_.at(at); }
    size_t size() const { return values_.size(); }
    bool empty() const { return values_.empty(); }
    int64_t front() const { return values_.at(0); }
    int64_t back() const { return values_.at(values_.size() - 1); }
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

using IntList = IntArrayRef;

struct OptionalIntArrayRef : std::optional<IntArrayRef> {
    OptionalIntArrayRef() = default;
    OptionalIntArrayRef(std::nullopt_t) {}
    OptionalIntArrayRef(std::initializer_list<int64_t> values) : std::optional<IntArrayRef>(IntArrayRef(values)) {}
    template <typename T, typename = std::enable_if_t<std::is_convertible_v<T, IntArrayRef>>>
    OptionalIntArrayRef(const T& values) : std::optional<IntArrayRef>(IntArrayRef(values)) {}
};

class Scalar {  // a number whose type PyTorch takes into account
public:
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>> Scalar(T value)
        : kind_(std::is_same_v<T, bool> ? 'b' : std::is_integral_v<T> ? 'i' : 'd'),
          integer_(std::is_integral_v<T> ? int64_t(value) : 0), number_(double(value)) {}
    Scalar(Half value) : Scalar(__half2float(value)) {}
    Scalar(BFloat16 value) : Scalar(__bfloat162float(value)) {}
    char kind() const { return kind_; }
    template <typename T> T to() const { return kind_ == 'd' ? T(number_) : T(integer_); }
    double toDouble() const { return to<double>(); }
    float toFloat() const { return to<float>(); }
    int64_t toLong() const { return to<int64_t>(); }
    int toInt() const { return to<int>(); }
    bool toBool() const { return to<bool>(); }

private:
    char kind_;
    int64_t integer_;
    double number_;
};

struct TensorOptions {
    ScalarType type = ScalarType::Float;
    bool has_type = false;
    TensorOptions() = default;
    TensorOptions(ScalarType scalar) : type(scalar), has_type(true) {}
    TensorOptions dtype(ScalarType scalar) const { return TensorOptions(scalar); }
    template <typename T> TensorOptions dtype() const { return TensorOptions(CppTypeToScalarType<T>::value); }
    template <typename... Where> TensorOptions device(Where...) const { return *this; }
    TensorOptions layout(int) const { return *this; }
    TensorOptions requires_grad(bool) const { return *this; }
    TensorOptions memory_format(MemoryFormat) const { return *this; }
    std::optional<ScalarType> given() const { return has_type ? std::optional<ScalarType>(type) : std::nullopt; }
};

struct Storage {
    void* data = nullptr;
    size_t bytes = 0;
    explicit Storage(size_t size) : bytes(size) {
        if (size && cudaMalloc(&data, size) != cudaSuccess) fail("out of device memory: ", size, " bytes");
    }
    Storage(const Storage&) = delete;
    ~Storage() { if (data) cudaFree(data); }
};

struct DeprecatedType {  // of x.type(), as older texts write
    ScalarType scalar;
    ScalarType scalarType() const { return scalar; }
    bool is_cuda() const { return true; }
    operator ScalarType() const { return scalar; }
};

}  // namespace c10

#endif
