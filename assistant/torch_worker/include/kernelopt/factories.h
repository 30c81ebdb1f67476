// Tensors that are made of nothing, or of values in the text.
#ifndef KERNELOPT_FACTORIES_H
#define KERNELOPT_FACTORIES_H

#include "kernelopt/tensor.h"

namespace at {

class TensorList {  // at::ArrayRef<Tensor>
public:
    TensorList(std::initializer_list<Tensor> items) : items_(items) {}
    TensorList(const std::vector<Tensor>& items) : items_(items) {}
    size_t size() const { return items_.size(); }
    const Tensor& operator[](size_t at) const { return items_.at(at); }
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }

private:
    std::vector<Tensor> items_;
};

inline Tensor empty(IntArrayRef sizes, TensorOptions options = {}) { return Tensor(sizes.vec(), options.type); }
inline Tensor zeros(IntArrayRef sizes, TensorOptions options = {}) { return empty(sizes, options).zero_(); }
inline Tensor full(IntArrayRef sizes, double value, TensorOptions options = {}) { return empty(sizes, options).fill_(value); }
inline Tensor ones(IntArrayRef sizes, TensorOptions options = {}) { return full(sizes, 1.0, options); }
inline Tensor empty_like(const Tensor& like) {
    if (!like.is_non_overlapping_and_dense()) return empty(like.sizes(), like.options());
    return Tensor(like.sizes().vec(), like.strides().vec(), like.scalar_type());
}
inline Tensor empty_like(const Tensor& like, TensorOptions options) {
    return empty(like.sizes(), options.given().value_or(like.scalar_type()));
}
inline Tensor zeros_like(const Tensor& like) { return empty_like(like).zero_(); }
inline Tensor zeros_like(const Tensor& like, TensorOptions options) { return empty_like(like, options).zero_(); }
inline Tensor ones_like(const Tensor& like) { return empty_like(like).fill_(1.0); }
inline Tensor full_like(const Tensor& like, double value) { return empty_like(like).fill_(value); }
template <typename T> Tensor tensor(const std::vector<T>& values, TensorOptions options = {}) {
    const auto own = std::is_floating_point_v<T> ? kFloat : std::is_same_v<T, bool> ? kBool : kLong;  // whatever the size of T is
    Tensor made({int64_t(values.size())}, options.given().value_or(own));
    for (size_t at = 0; at < values.size(); ++at) made.select(0, int64_t(at)).fill_(double(values[at]));
    return made;
}
template <typename T> Tensor tensor(std::initializer_list<T> values, TensorOptions options = {}) {
    return tensor(std::vector<T>(values), options);
}
template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>> Tensor tensor(T value, TensorOptions options = {}) {
    return tensor(std::vector<T>{value}, options).squeeze(0);
}

}  // namespace at

namespace torch {
using namespace at;
using at::Tensor;
inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
template <typename... Where> TensorOptions device(Where...) { return {}; }
struct NoGradGuard {};
}  // namespace torch
namespace c10 { using at::Tensor; }

#endif
