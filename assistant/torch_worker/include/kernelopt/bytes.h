// Values as bytes: calls and results of PyTorch's functions from a file, answers and requests into memory.
#ifndef KERNELOPT_BYTES_H
#define KERNELOPT_BYTES_H

#include <cstdio>
#include <cstdlib>

#include "kernelopt/calls.h"

namespace kernelopt {

struct Reader {
    FILE* file;
    void take(void* place, size_t bytes) {
        if (bytes && fread(place, 1, bytes, file) != bytes) throw std::runtime_error("the file of calls ends too early");
    }
    template <typename T> T number() {
        T value;
        take(&value, sizeof value);
        return value;
    }
    std::string text() {
        std::string made(size_t(number<int64_t>()), '\0');
        take(made.data(), made.size());
        return made;
    }
    std::vector<char> bytes() {
        std::vector<char> made(static_cast<size_t>(number<int64_t>()));
        take(made.data(), made.size());
        return made;
    }
    std::vector<int64_t> integers(int64_t count) {
        std::vector<int64_t> made(static_cast<size_t>(count));
        take(made.data(), made.size() * sizeof(int64_t));
        return made;
    }
    Value value() {
        Value made;
        made.kind = number<char>();
        switch (made.kind) {
            case 'T': {
                const auto type = c10::ScalarType(number<char>());
                const auto dims = number<int64_t>();
                auto sizes = integers(dims), strides = integers(dims);
                made.tensor = at::Tensor(sizes, strides, type);
                made.tensor.upload(bytes());
                break;
            }
            case 'i': case 'b': case 'A': made.integer = number<int64_t>(); break;
            case 'd': made.number = number<double>(); break;
            case 's': made.text = text(); break;
            case 'V':
                made.integer = number<int64_t>();
                made.items.push_back(value());
                break;
            case 'L':
                for (int64_t left = number<int64_t>(); left > 0; --left) made.items.push_back(value());
                break;
            default: break;
        }
        return made;
    }
};

class Writer {  // into memory
public:
    Writer() : file_(open_memstream(&data_, &size_)) {}
    Writer(const Writer&) = delete;
    ~Writer() { fclose(file_), free(data_); }
    void give(const void* place, size_t bytes) { fwrite(place, 1, bytes, file_); }
    template <typename T> void number(T value) { give(&value, sizeof value); }
    void text(const std::string& words) {
        number(int64_t(words.size()));
        give(words.data(), words.size());
    }
    void bytes(const std::vector<char>& data) {
        number(int64_t(data.size()));
        give(data.data(), data.size());
    }
    void value(const Value& given, const std::vector<at::Tensor>& arguments) {  // those are known by their number
        for (size_t at = 0; given.kind == 'T' && at < arguments.size(); ++at) {
            if (arguments[at].is_same(given.tensor)) {
                number('A');
                return number(int64_t(at));
            }
        }
        number(given.kind);
        switch (given.kind) {
            case 'T': return tensor(given.tensor);
            case 'P':
                number(given.tensor.pending_number());
                return number(given.tensor.pending_item());
            case 'i': case 'b': case 't': return number(given.integer);
            case 'd': return number(given.number);
            case 's': return text(given.text);
            case 'L':
                number(int64_t(given.items.size()));
                for (const Value& item : given.items) value(item, arguments);
                return;
            default: return;
        }
    }
    std::string written() {
        fflush(file_);
        return std::string(data_, size_);
    }

private:
    char* data_ = nullptr;
    size_t size_ = 0;
    FILE* file_;

    void tensor(const at::Tensor& tensor) {
        number(char(tensor.scalar_type()));
        number(tensor.dim());
        const auto sizes = tensor.sizes().vec(), strides = tensor.strides().vec();
        give(sizes.data(), sizes.size() * sizeof(int64_t));
        give(strides.data(), strides.size() * sizeof(int64_t));
        bytes(tensor.host());
    }
};

inline void collect(const std::vector<Value>& values, std::vector<at::Tensor>& tensors) {
    for (const Value& value : values) {
        if (value.kind == 'T' || value.kind == 'P') tensors.push_back(value.tensor);
        collect(value.items, tensors);
    }
}

}  // namespace kernelopt

#endif
