// Functions of PyTorch that compute. This program has none of them: it writes down what it asks for, PyTorch computes it in the candidate's
// process, and the call is run once more with the results, until it asks for nothing new.
#ifndef KERNELOPT_ATEN_H
#define KERNELOPT_ATEN_H

#include "kernelopt/bytes.h"

namespace kernelopt {

struct Result {
    std::string name, error;
    Value value;
    std::vector<std::optional<std::vector<char>>> changed;  // of each argument that is a tensor: what it holds then
};

struct Results {  // of one call of a function of the extension
    std::vector<Result> known;
    size_t next = 0;
    std::vector<std::string> asked;  // what has no result yet
};
inline Results& results() {
    static Results those;
    return those;
}

inline Value valued(const at::TensorList& tensors) { return valued(std::vector<at::Tensor>(tensors.begin(), tensors.end())); }

inline Value resolved(const Value& given, const std::vector<at::Tensor>& arguments) {  // without 'A' and 'V'
    if (given.kind == 'A') return valued(arguments.at(given.integer));
    if (given.kind == 'V') {
        const std::vector<Value>& form = given.items.at(0).items;
        const auto integers = [](const Value& list) { return Argument<std::vector<int64_t>>::of(list); };
        return valued(arguments.at(given.integer).strided(integers(form.at(1)), integers(form.at(2)), form.at(0).integer));
    }
    Value made = given;
    for (Value& item : made.items) item = resolved(item, arguments);
    return made;
}

template <typename T> struct Returned {  // of a result that is a number
    static constexpr bool can_wait = false;
    static T of(const Value& value) { return Argument<T>::of(value); }
};
template <> struct Returned<void> {
    static constexpr bool can_wait = false;
    static void of(const Value&) {}
};
template <> struct Returned<c10::Scalar> {
    static constexpr bool can_wait = false;
    static c10::Scalar of(const Value& value) { return value.kind == 'd' ? c10::Scalar(value.number) : c10::Scalar(value.integer); }
};
template <> struct Returned<at::Tensor> {
    static constexpr bool can_wait = true;
    static at::Tensor of(const Value& value) { return value.kind == 'n' ? at::Tensor() : value.tensor.as_result(); }
    static at::Tensor pending(int64_t number) { return at::Tensor::pending(number, 0); }
};
template <> struct Returned<std::vector<at::Tensor>> {
    static constexpr bool can_wait = false;
    static std::vector<at::Tensor> of(const Value& value) {
        std::vector<at::Tensor> made;
        for (const Value& item : value.items) made.push_back(Returned<at::Tensor>::of(item));
        return made;
    }
};
template <typename... T> struct Returned<std::tuple<T...>> {
    static constexpr bool can_wait = (std::is_same_v<T, at::Tensor> && ...);
    static std::tuple<T...> of(const Value& value) { return of(value, std::index_sequence_for<T...>{}); }
    static std::tuple<T...> pending(int64_t number) { return pending(number, std::index_sequence_for<T...>{}); }
    template <size_t... At> static std::tuple<T...> of(const Value& value, std::index_sequence<At...>) {
        return {Returned<T>::of(value.items.at(At))...};
    }
    template <size_t... At> static std::tuple<T...> pending(int64_t number, std::index_sequence<At...>) {
        return {at::Tensor::pending(number, At)...};
    }
};

template <typename R, typename... A> R aten(const char* name, const A&... arguments) {
    const std::vector<Value> values{valued(arguments)...};
    std::vector<at::Tensor> tensors;
    collect(values, tensors);
    Results& those = results();
    const size_t number = those.next++;
    if (number < those.known.size()) {
        const Result& found = those.known[number];
        if (found.name != name)
            c10::fail("it calls ", name, " of PyTorch where it called ", found.name, " before: its calls differ from run to run");
        if (!found.error.empty()) c10::fail(found.error);
        for (size_t at = 0; at < found.changed.size(); ++at) {
            if (found.changed[at]) tensors.at(at).upload(*found.changed[at]);
        }
        return Returned<R>::of(resolved(found.value, tensors));
    }
    Writer writer;
    writer.text(name);
    writer.number(int64_t(values.size()));
    for (const Value& value : values) writer.value(value, {});
    those.asked.push_back(writer.written());
    if constexpr (Returned<R>::can_wait) return Returned<R>::pending(int64_t(number));
    else throw Needed{};
}

}  // namespace kernelopt

namespace at {
#define KERNELOPT_OPERATOR(SIGN, NAME) \
    inline Tensor operator SIGN(const Tensor& a, const Tensor& b) { return kernelopt::aten<Tensor>(NAME ".Tensor", a, b); } \
    inline Tensor operator SIGN(const Tensor& a, const Scalar& b) { return kernelopt::aten<Tensor>(NAME ".Scalar", a, b); }
KERNELOPT_OPERATOR(+, "add") KERNELOPT_OPERATOR(-, "sub") KERNELOPT_OPERATOR(*, "mul") KERNELOPT_OPERATOR(/, "div")
KERNELOPT_OPERATOR(<, "lt") KERNELOPT_OPERATOR(>, "gt") KERNELOPT_OPERATOR(<=, "le") KERNELOPT_OPERATOR(>=, "ge")
KERNELOPT_OPERATOR(==, "eq") KERNELOPT_OPERATOR(!=, "ne") KERNELOPT_OPERATOR(&, "bitwise_and") KERNELOPT_OPERATOR(|, "bitwise_or")
#undef KERNELOPT_OPERATOR
inline Tensor operator+(const Scalar& a, const Tensor& b) { return b + a; }
inline Tensor operator*(const Scalar& a, const Tensor& b) { return b * a; }
inline Tensor operator-(const Scalar& a, const Tensor& b) { return kernelopt::aten<Tensor>("rsub.Scalar", b, a); }
inline Tensor operator/(const Scalar& a, const Tensor& b) { return kernelopt::aten<Tensor>("reciprocal", b) * a; }
inline Tensor operator~(const Tensor& a) { return kernelopt::aten<Tensor>("bitwise_not", a); }
}  // namespace at

#endif
