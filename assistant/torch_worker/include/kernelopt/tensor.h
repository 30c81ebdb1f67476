// PyTorch's C++ tensor as far as extensions use it around their kernels, on the emulator's device memory. What computes is PyTorch's own:
// `aten.h` asks for it.
#ifndef KERNELOPT_TENSOR_H
#define KERNELOPT_TENSOR_H

#include "kernelopt/accessors.h"
#include "kernelopt/types.h"

#ifndef KERNELOPT_METHODS  // those of PyTorch's tensors that the extension calls, as far as they are not below
#define KERNELOPT_METHODS
#endif

namespace kernelopt {
struct Needed {};  // the result of a function of PyTorch is not known yet; no std::exception: a handler must not take it for an error
template <typename R, typename... A> R aten(const char* name, const A&... arguments);
}  // namespace kernelopt

namespace at {

using namespace c10;
constexpr auto kByte = ScalarType::Byte, kUInt8 = ScalarType::Byte, kChar = ScalarType::Char, kInt8 = ScalarType::Char, kShort = ScalarType::Short,
               kInt16 = ScalarType::Short, kInt = ScalarType::Int, kInt32 = ScalarType::Int, kLong = ScalarType::Long, kInt64 = ScalarType::Long,
               kHalf = ScalarType::Half, kFloat16 = ScalarType::Half, kFloat = ScalarType::Float, kFloat32 = ScalarType::Float,
               kDouble = ScalarType::Double, kFloat64 = ScalarType::Double, kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16;
constexpr auto kCPU = DeviceType::CPU;
constexpr auto kCUDA = DeviceType::CUDA;
constexpr int kStrided = 0;

struct TensorIndex;

class Tensor {
public:
    Tensor() = default;
    Tensor(std::vector<int64_t> sizes, ScalarType type) : Tensor(sizes, row_major(sizes), type) {}
    Tensor(std::vector<int64_t> sizes, std::vector<int64_t> strides, ScalarType type)
        : body_(std::make_shared<Body>(Body{sizes, strides, type, 0, nullptr})) {
        body_->storage = std::make_shared<Storage>(extent() * elementSize(type));
    }

    static Tensor pending(int64_t number, int64_t item) {  // what the function of this number returns, at this place
        Tensor made;
        made.body_ = std::make_shared<Body>(Body{{}, {}, ScalarType::Float, 0, nullptr, number, item});
        return made.as_result();
    }
    Tensor as_result() const {
        Tensor made = *this;
        made.is_result_ = true;
        return made;
    }
    bool is_pending() const { return body_ && body_->number >= 0; }
    int64_t pending_number() const { return body_->number; }
    int64_t pending_item() const { return body_->item; }

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
    DeprecatedType type() const { return {body().type}; }
    MemoryFormat suggest_memory_format() const {
        const bool is_last = dim() == 4 && !is_contiguous() && is_contiguous(MemoryFormat::ChannelsLast);
        return is_last ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous;
    }
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
    template <typename T> T* data() const { return data_ptr<T>(); }
    template <typename T> T* mutable_data_ptr() const { return data_ptr<T>(); }
    template <typename T> const T* const_data_ptr() const { return data_ptr<std::remove_const_t<T>>(); }
    void* mutable_data_ptr() const { return data_ptr(); }
    const void* const_data_ptr() const { return data_ptr(); }

    template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits> auto packed_accessor32() const { return packed<T, N, Traits, int32_t>(); }
    template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits> auto packed_accessor64() const { return packed<T, N, Traits, int64_t>(); }

    Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
        if (is_result_ && format == MemoryFormat::Contiguous) return kernelopt::aten<Tensor>("contiguous", *this);
        return is_contiguous(format) ? *this : clone(format);
    }
    Tensor clone(MemoryFormat format = MemoryFormat::Contiguous) const {
        Tensor made(body().sizes, format == MemoryFormat::ChannelsLast ? channels_last(body().sizes) : row_major(body().sizes), body().type);
        made.copy_(*this);
        return made;
    }
    Tensor& copy_(const Tensor& from) {
        if (from.body().type != body().type) return copy_(from.to(body().type));
        if (from.body().sizes != body().sizes) return copy_(from.expand(body().sizes));
        const std::vector<char> source = from.host();
        std::vector<char> target = host();
        walk([&](int64_t mine, int64_t theirs) { std::memcpy(&target[mine * element_size()], &source[theirs * element_size()], element_size()); }, from);
        upload(target);
        return *this;
    }
    Tensor& zero_() {
        if (!is_non_overlapping_and_dense()) return fill_(0.0);
        if (numel()) cudaMemset(data_ptr(), 0, nbytes());
        return *this;
    }
    Tensor& fill_(double value) {
        if (!is_non_overlapping_and_dense()) return copy_(Tensor({}, body().type).fill_(value));
        std::vector<char> values(nbytes());
        for (int64_t at = 0; at < numel(); ++at) put(&values[at * element_size()], value);
        upload(values);
        return *this;
    }
    Tensor view(IntArrayRef sizes) const {
        if (is_result_) return kernelopt::aten<Tensor>("view", *this, sizes);
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
    Tensor flatten(int64_t first = 0, int64_t last = -1) const {
        std::vector<int64_t> wanted(body().sizes.begin(), body().sizes.begin() + (dim() ? wrapped(first) : 0));
        wanted.push_back(1);
        for (size_t at = wrapped(first); dim() && at <= wrapped(last); ++at) wanted.back() *= body().sizes.at(at);
        if (dim()) wanted.insert(wanted.end(), body().sizes.begin() + wrapped(last) + 1, body().sizes.end());
        return reshape(wanted);
    }
    Tensor select(int64_t at, int64_t index) const {
        const int64_t count = size(at), place = index < 0 ? index + count : index;
        if (place < 0 || place >= count) fail("index ", index, " is out of bounds for dimension ", at, " with size ", count);
        auto sizes = body().sizes, strides = body().strides;
        sizes.erase(sizes.begin() + wrapped(at));
        strides.erase(strides.begin() + wrapped(at));
        return sharing(sizes, strides, place * stride(at));
    }
    Tensor operator[](int64_t index) const { return select(0, index); }
    Tensor slice(int64_t at = 0, std::optional<int64_t> start = {}, std::optional<int64_t> end = {}, int64_t step = 1) const {
        const int64_t count = size(at);
        const auto within = [&](int64_t place) { return std::min(std::max(place < 0 ? place + count : place, int64_t(0)), count); };
        const int64_t first = within(start.value_or(0)), last = std::max(first, within(end.value_or(count)));
        auto sizes = body().sizes, strides = body().strides;
        sizes[wrapped(at)] = (last - first + step - 1) / step;
        strides[wrapped(at)] *= step;
        return sharing(sizes, strides, first * stride(at));
    }
    Tensor narrow(int64_t at, int64_t start, int64_t length) const {
        if (start < 0 || length < 0 || start + length > size(at)) fail("narrow: ", start, " + ", length, " elements of ", size(at));
        return slice(at, start, start + length);
    }
    std::vector<Tensor> split(int64_t part, int64_t at = 0) const {
        std::vector<Tensor> parts;
        for (int64_t start = 0; start < std::max<int64_t>(size(at), 1); start += part) parts.push_back(slice(at, start, start + part));
        return parts;
    }
    std::vector<Tensor> split(IntArrayRef parts_sizes, int64_t at = 0) const {
        std::vector<Tensor> parts;
        int64_t start = 0;
        for (int64_t size : parts_sizes) parts.push_back(narrow(at, start, size)), start += size;
        return parts;
    }
    std::vector<Tensor> chunk(int64_t count, int64_t at = 0) const {
        return split(std::max<int64_t>((size(at) + count - 1) / count, 1), at);
    }
    std::vector<Tensor> unbind(int64_t at = 0) const {
        std::vector<Tensor> parts;
        for (int64_t index = 0; index < size(at); ++index) parts.push_back(select(at, index));
        return parts;
    }
    Tensor expand(IntArrayRef wanted) const {
        if (is_result_) return kernelopt::aten<Tensor>("expand", *this, wanted);
        const int64_t more = int64_t(wanted.size()) - dim();
        if (more < 0) fail("expand: fewer sizes than the tensor has");
        std::vector<int64_t> sizes = wanted.vec(), strides(wanted.size(), 0);
        for (int64_t at = more; at < int64_t(sizes.size()); ++at) {
            if (sizes[at] == -1) sizes[at] = size(at - more);
            if (size(at - more) != 1 && size(at - more) != sizes[at]) fail("expand: ", size(at - more), " does not become ", sizes[at]);
            strides[at] = size(at - more) == 1 && sizes[at] != 1 ? 0 : stride(at - more);
        }
        return sharing(sizes, strides);
    }
    Tensor expand_as(const Tensor& other) const { return expand(other.sizes()); }
    Tensor strided(std::vector<int64_t> sizes, std::vector<int64_t> steps, int64_t offset) const { return sharing(sizes, steps, offset); }
    Tensor index(std::initializer_list<TensorIndex> indices) const;
    Tensor& index_put_(std::initializer_list<TensorIndex> indices, const Tensor& values);
    Tensor& index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value);
    template <typename T> T item() const {
        if (numel() != 1) fail("a Tensor with ", numel(), " elements cannot be converted to Scalar");
        const std::vector<char> bytes = host();
        if (std::is_integral_v<T> && dtype() == kLong) {  // a double has not all of them
            int64_t whole;
            std::memcpy(&whole, bytes.data(), sizeof whole);
            return T(whole);
        }
        return T(taken(bytes.data()));
    }
    Scalar item() const {
        if (dtype() == kBool) return item<bool>();
        return is_floating_point() ? Scalar(item<double>()) : Scalar(item<int64_t>());
    }
    Tensor view_as(const Tensor& other) const { return view(other.sizes()); }
    Tensor transpose(int64_t first, int64_t second) const {
        if (is_result_) return kernelopt::aten<Tensor>("transpose.int", *this, first, second);
        auto sizes = body().sizes, strides = body().strides;
        std::swap(sizes.at(wrapped(first)), sizes.at(wrapped(second)));
        std::swap(strides.at(wrapped(first)), strides.at(wrapped(second)));
        return sharing(sizes, strides);
    }
    Tensor t() const { return dim() < 2 ? *this : transpose(0, 1); }
    Tensor permute(IntArrayRef order) const {
        if (is_result_) return kernelopt::aten<Tensor>("permute", *this, order);
        std::vector<int64_t> sizes, strides;
        for (int64_t at : order) sizes.push_back(size(at)), strides.push_back(stride(at));
        return sharing(sizes, strides);
    }
    Tensor unsqueeze(int64_t at) const {
        if (is_result_) return kernelopt::aten<Tensor>("unsqueeze", *this, at);
        auto sizes = body().sizes, strides = body().strides;
        const size_t place = size_t(at < 0 ? at + dim() + 1 : at);
        sizes.insert(sizes.begin() + place, 1);
        strides.insert(strides.begin() + place, place < strides.size() ? strides[place] * body().sizes[place] : 1);
        return sharing(sizes, strides);
    }
    Tensor squeeze() const {
        Tensor made = *this;
        for (int64_t at = dim(); at-- > 0;) made = made.squeeze(at);
        return made;
    }
    Tensor squeeze(int64_t at) const {
        if (is_result_) return kernelopt::aten<Tensor>("squeeze.dim", *this, at);
        if (size(at) != 1) return *this;
        auto sizes = body().sizes, strides = body().strides;
        sizes.erase(sizes.begin() + wrapped(at));
        strides.erase(strides.begin() + wrapped(at));
        return sharing(sizes, strides);
    }
    Tensor to(ScalarType type) const {
        return !is_result_ && type == body().type ? *this : kernelopt::aten<Tensor>("to.dtype", *this, type);
    }
    Tensor toType(ScalarType type) const { return to(type); }
    Tensor type_as(const Tensor& other) const { return to(other.scalar_type()); }
    Tensor to(TensorOptions options) const { return to(options.type); }
    Tensor to(Device) const { return *this; }
    Tensor cuda() const { return *this; }
    Tensor detach() const { return *this; }

    KERNELOPT_METHODS
    Tensor operator-() const { return kernelopt::aten<Tensor>("neg", *this); }
    Tensor& operator=(const Tensor&) & = default;
    Tensor& operator=(const Tensor& from) && { return copy_(from); }  // of a part: y[0] = x
    Tensor& operator+=(const Tensor& other) { return kernelopt::aten<void>("add_.Tensor", *this, other), *this; }
    Tensor& operator-=(const Tensor& other) { return kernelopt::aten<void>("sub_.Tensor", *this, other), *this; }
    Tensor& operator*=(const Tensor& other) { return kernelopt::aten<void>("mul_.Tensor", *this, other), *this; }
    Tensor& operator/=(const Tensor& other) { return kernelopt::aten<void>("div_.Tensor", *this, other), *this; }
    Tensor& operator+=(const Scalar& other) { return kernelopt::aten<void>("add_.Scalar", *this, other), *this; }
    Tensor& operator-=(const Scalar& other) { return kernelopt::aten<void>("sub_.Scalar", *this, other), *this; }
    Tensor& operator*=(const Scalar& other) { return kernelopt::aten<void>("mul_.Scalar", *this, other), *this; }
    Tensor& operator/=(const Scalar& other) { return kernelopt::aten<void>("div_.Scalar", *this, other), *this; }

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
        int64_t number = -1, item = 0;  // of a function of PyTorch whose result is not known yet
    };
    std::shared_ptr<Body> body_;
    bool is_result_ = false;  // of a function of PyTorch: its views are asked for, too, so that the next run asks for the same

    const Body& body() const {
        if (!body_) fail("a tensor that is not defined was used");
        if (body_->number >= 0) throw kernelopt::Needed{};
        return *body_;
    }
    size_t wrapped(int64_t at) const { return size_t(at < 0 ? at + dim() : at); }
    Tensor sharing(std::vector<int64_t> sizes, std::vector<int64_t> strides, int64_t offset = 0) const {
        Tensor made;
        made.body_ = std::make_shared<Body>(Body{sizes, strides, body().type, body().offset + offset, body().storage});
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
    double taken(const char* place) const {
        const auto load = [&](auto typed) { return std::memcpy(&typed, place, sizeof typed), typed; };
        switch (body().type) {
            case kFloat: return load(float{});
            case kDouble: return load(double{});
            case kHalf: return __half2float(load(Half{}));
            case kBFloat16: return __bfloat162float(load(BFloat16{}));
            case kInt: return load(int32_t{});
            case kLong: return double(load(int64_t{}));
            case kShort: return load(int16_t{});
            case kChar: return load(int8_t{});
            default: return load(uint8_t{});
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

}  // namespace at

#endif
