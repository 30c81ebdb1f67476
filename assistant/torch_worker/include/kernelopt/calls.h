// Functions of an extension that a program can call by name, with arguments that come as bytes: what pybind11 does for Python.
#ifndef KERNELOPT_CALLS_H
#define KERNELOPT_CALLS_H

#include <functional>
#include <map>
#include <utility>

#include "kernelopt/factories.h"

namespace kernelopt {

using at::Tensor;

struct Value {  // an argument: one of these, by its kind
    char kind = 'n';
    // n(one), T(ensor), i(nteger), d(ouble), b(ool), s(tring), L(ist), t(ype of elements), P(ending tensor: number of its function, and its
    // place there), A(n argument, by its number), V(iew of an argument: its number, and offset, sizes and strides)
    Tensor tensor;
    int64_t integer = 0;
    double number = 0.0;
    std::string text;
    std::vector<Value> items;
};

template <typename T, typename = void> struct Argument;
template <> struct Argument<Tensor> {
    static Tensor of(const Value& value) {
        if (value.kind != 'T') c10::fail("incompatible function arguments: expected a tensor");
        return value.tensor;
    }
};
template <> struct Argument<bool> {
    static bool of(const Value& value) { return value.integer != 0; }
};
template <> struct Argument<std::string> {
    static std::string of(const Value& value) { return value.text; }
};
template <typename T> struct Argument<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
    static T of(const Value& value) {
        if (value.kind != 'i' && value.kind != 'b') c10::fail("incompatible function arguments: expected an integer");
        return T(value.integer);
    }
};
template <typename T> struct Argument<T, std::enable_if_t<std::is_floating_point_v<T>>> {
    static T of(const Value& value) {
        if (value.kind != 'd' && value.kind != 'i') c10::fail("incompatible function arguments: expected a number");
        return value.kind == 'd' ? T(value.number) : T(value.integer);
    }
};
template <typename T> struct Argument<T*> {  // of a launcher that takes plain pointers
    static T* of(const Value& value) {
        if constexpr (std::is_same_v<T, std::remove_pointer_t<cudaStream_t>>) return nullptr;
        else if (value.kind == 'n') return nullptr;
        else if constexpr (std::is_void_v<T>) return Argument<Tensor>::of(value).data_ptr();
        else return Argument<Tensor>::of(value).template data_ptr<std::remove_const_t<T>>();
    }
};
template <typename T> struct Argument<std::optional<T>> {
    static std::optional<T> of(const Value& value) { return value.kind == 'n' ? std::nullopt : std::optional<T>(Argument<T>::of(value)); }
};
template <typename T> struct Argument<std::vector<T>> {
    static std::vector<T> of(const Value& value) {
        std::vector<T> made;
        for (const Value& item : value.items) made.push_back(Argument<T>::of(item));
        return made;
    }
};
template <> struct Argument<c10::IntArrayRef> {
    static c10::IntArrayRef of(const Value& value) { return Argument<std::vector<int64_t>>::of(value); }
};

inline Value valued(const Tensor& tensor) {
    Value made;
    made.kind = tensor.defined() ? tensor.is_pending() ? 'P' : 'T' : 'n';
    made.tensor = tensor;
    return made;
}
template <typename T> std::enable_if_t<std::is_integral_v<T>, Value> valued(T integer) {
    Value made;
    made.kind = std::is_same_v<T, bool> ? 'b' : 'i';
    made.integer = int64_t(integer);
    return made;
}
inline Value valued(double number) {
    Value made;
    made.kind = 'd';
    made.number = number;
    return made;
}
inline Value valued(const c10::Scalar& scalar) {
    return scalar.kind() == 'd' ? valued(scalar.toDouble()) : scalar.kind() == 'b' ? valued(scalar.toBool()) : valued(scalar.toLong());
}
inline Value valued(std::string_view text) {
    Value made;
    made.kind = 's';
    made.text = std::string(text);
    return made;
}
inline Value valued(c10::ScalarType type) {
    Value made;
    made.kind = 't';
    made.integer = int64_t(type);
    return made;
}
inline Value valued(std::nullopt_t) { return {}; }
inline Value valued(const c10::IntArrayRef& sizes) {
    Value made;
    made.kind = 'L';
    for (int64_t size : sizes) made.items.push_back(valued(size));
    return made;
}
template <typename T> Value valued(const std::optional<T>& given) { return given ? valued(*given) : Value{}; }
template <typename T> Value valued(const std::vector<T>& items) {
    Value made;
    made.kind = 'L';
    for (const T& item : items) made.items.push_back(valued(item));
    return made;
}
template <typename... T> Value valued(const std::tuple<T...>& items) {
    Value made;
    made.kind = 'L';
    std::apply([&](const T&... item) { (made.items.push_back(valued(item)), ...); }, items);
    return made;
}
template <typename A, typename B> Value valued(const std::pair<A, B>& both) { return valued(std::make_tuple(both.first, both.second)); }

using Function = std::function<Value(const std::vector<Value>&)>;
inline std::map<std::string, Function>& functions() {
    static std::map<std::string, Function> known;
    return known;
}

template <typename R, typename... A, size_t... At>
Value called(R (*function)(A...), const std::vector<Value>& arguments, std::index_sequence<At...>) {
    if (arguments.size() != sizeof...(A)) c10::fail("incompatible function arguments: ", sizeof...(A), " expected, ", arguments.size(), " given");
    std::tuple<std::decay_t<A>...> made{Argument<std::decay_t<A>>::of(arguments[At])...};
    if constexpr (std::is_void_v<R>) {
        function(static_cast<A>(std::get<At>(made))...);
        return {};
    } else {
        return valued(function(static_cast<A>(std::get<At>(made))...));
    }
}
template <typename R, typename... A> bool offer(const char* name, R (*function)(A...)) {
    functions()[name] = [function](const std::vector<Value>& arguments) { return called(function, arguments, std::index_sequence_for<A...>{}); };
    return true;
}

}  // namespace kernelopt

namespace pybind11 {
struct arg {
    explicit arg(const char*) {}
    template <typename T> arg& operator=(T&&) { return *this; }
};
struct module_ {
    template <typename F, typename... Further> module_& def(const char* name, F function, Further&&...) {
        kernelopt::offer(name, function);
        return *this;
    }
    const char*& doc() {
        static const char* text;
        return text;
    }
};
using module = module_;
inline namespace literals { inline arg operator""_a(const char* name, size_t) { return arg(name); } }
}  // namespace pybind11
namespace py = pybind11;

#define PYBIND11_MODULE(NAME, MODULE) \
    static void kernelopt_bind(pybind11::module_&); \
    static const bool kernelopt_is_bound = [] { pybind11::module_ made; kernelopt_bind(made); return true; }(); \
    static void kernelopt_bind(pybind11::module_& MODULE)

#endif
