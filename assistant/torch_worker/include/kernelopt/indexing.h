// x.index({Slice(0, 3), Ellipsis, 2}): a view, but where a tensor says which elements are meant.
#ifndef KERNELOPT_INDEXING_H
#define KERNELOPT_INDEXING_H

#include "kernelopt/aten.h"

namespace torch::indexing {
enum class EllipsisIndexType { Ellipsis };
constexpr auto Ellipsis = EllipsisIndexType::Ellipsis;
constexpr auto None = std::nullopt;
struct Slice {
    std::optional<int64_t> start, end;
    int64_t step;
    using Place = std::optional<int64_t>;
    Slice(Place first = {}, Place last = {}, Place by = {}) : start(first), end(last), step(by.value_or(1)) {}
};
}  // namespace torch::indexing

namespace at {
struct TensorIndex {
    enum { NEW, REST, ONE, PART, CHOSEN } kind;
    int64_t one = 0;
    torch::indexing::Slice part;
    Tensor chosen;
    TensorIndex(std::nullopt_t) : kind(NEW) {}
    TensorIndex(torch::indexing::EllipsisIndexType) : kind(REST) {}
    TensorIndex(const char*) : kind(REST) {}  // "..."
    template <typename T, typename = std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>
    TensorIndex(T index) : kind(ONE), one(index) {}
    TensorIndex(torch::indexing::Slice slice) : kind(PART), part(slice) {}
    TensorIndex(const Tensor& tensor) : kind(CHOSEN), chosen(tensor) {}
};
}  // namespace at

namespace kernelopt {
struct Indexed {
    at::Tensor view;
    std::vector<std::optional<at::Tensor>> chosen;
    bool is_view = true;
};
inline Indexed indexed(at::Tensor view, std::initializer_list<at::TensorIndex> indices) {
    Indexed made;
    int64_t at = 0, used = 0;
    for (const at::TensorIndex& index : indices) used += index.kind != at::TensorIndex::NEW && index.kind != at::TensorIndex::REST;
    for (const at::TensorIndex& index : indices) {
        switch (index.kind) {
            case at::TensorIndex::NEW: view = view.unsqueeze(at++); break;
            case at::TensorIndex::REST: at = view.dim() - used; break;
            case at::TensorIndex::ONE: view = view.select(at, index.one); break;
            case at::TensorIndex::PART: view = view.slice(at++, index.part.start, index.part.end, index.part.step); break;
            case at::TensorIndex::CHOSEN:
                made.chosen.resize(size_t(at));
                made.chosen.push_back(index.chosen);
                made.is_view = false;
                ++at;
                break;
        }
        used -= index.kind != at::TensorIndex::NEW && index.kind != at::TensorIndex::REST;
    }
    made.view = view;
    return made;
}
}  // namespace kernelopt

namespace at {
inline Tensor Tensor::index(std::initializer_list<TensorIndex> indices) const {
    const kernelopt::Indexed found = kernelopt::indexed(*this, indices);
    return found.is_view ? found.view : kernelopt::aten<Tensor>("index.Tensor", found.view, found.chosen);
}
inline Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Tensor& values) {
    kernelopt::Indexed found = kernelopt::indexed(*this, indices);
    if (found.is_view) found.view.copy_(values);
    else kernelopt::aten<void>("index_put_", found.view, found.chosen, values);
    return *this;
}
inline Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value) {
    return index_put_(indices, Tensor(std::vector<int64_t>{}, scalar_type()).fill_(value.toDouble()));
}
}  // namespace at

namespace torch::nn::functional {
using namespace at;
struct SoftmaxFuncOptions {
    int64_t dim;
    SoftmaxFuncOptions(int64_t along) : dim(along) {}
    operator int64_t() const { return dim; }
};
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;
}  // namespace torch::nn::functional

#endif
