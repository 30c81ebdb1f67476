// Calls the functions of an extension one after another, as a file says, and writes what each returned and changed, behind its size, to standard output.
#include "kernelopt/torch.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace {

using kernelopt::Value;

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
                std::vector<char> bytes(static_cast<size_t>(number<int64_t>()));
                take(bytes.data(), bytes.size());
                made.tensor = at::Tensor(sizes, strides, type);
                made.tensor.upload(bytes);
                break;
            }
            case 'i': case 'b': made.integer = number<int64_t>(); break;
            case 'd': made.number = number<double>(); break;
            case 's': made.text = text(); break;
            case 'L':
                for (int64_t left = number<int64_t>(); left > 0; --left) made.items.push_back(value());
                break;
            default: break;
        }
        return made;
    }
};

struct Writer {
    FILE* file;
    void give(const void* place, size_t bytes) { fwrite(place, 1, bytes, file); }
    template <typename T> void number(T value) { give(&value, sizeof value); }
    void text(const std::string& words) {
        number(int64_t(words.size()));
        give(words.data(), words.size());
    }
    void value(const Value& given, const std::vector<at::Tensor>& arguments) {
        if (given.kind == 'T') {
            for (size_t at = 0; at < arguments.size(); ++at) {
                if (arguments[at].is_same(given.tensor)) {
                    number('A');
                    number(int64_t(at));
                    return;
                }
            }
        }
        number(given.kind);
        switch (given.kind) {
            case 'T': {
                const at::Tensor& tensor = given.tensor;
                number(char(tensor.scalar_type()));
                number(tensor.dim());
                const auto sizes = tensor.sizes().vec(), strides = tensor.strides().vec();
                give(sizes.data(), sizes.size() * sizeof(int64_t));
                give(strides.data(), strides.size() * sizeof(int64_t));
                bytes(tensor.host());
                break;
            }
            case 'i': case 'b': number(given.integer); break;
            case 'd': number(given.number); break;
            case 'L':
                number(int64_t(given.items.size()));
                for (const Value& item : given.items) value(item, arguments);
                break;
            default: break;
        }
    }
    void bytes(const std::vector<char>& data) {
        number(int64_t(data.size()));
        give(data.data(), data.size());
    }
};

void collect(const std::vector<Value>& values, std::vector<at::Tensor>& tensors) {
    for (const Value& value : values) {
        if (value.kind == 'T') tensors.push_back(value.tensor);
        collect(value.items, tensors);
    }
}

void call(Reader& reader, FILE* answers) {
    char* answer = nullptr;
    size_t size = 0;
    Writer writer{open_memstream(&answer, &size)};
    const std::string name = reader.text();
    std::vector<Value> arguments;
    for (int64_t left = reader.number<int64_t>(); left > 0; --left) arguments.push_back(reader.value());
    std::vector<at::Tensor> tensors;
    collect(arguments, tensors);
    std::vector<std::vector<char>> before;
    for (const at::Tensor& tensor : tensors) before.push_back(tensor.host());
    try {
        const auto found = kernelopt::functions().find(name);
        if (found == kernelopt::functions().end()) c10::fail("the extension offers no function ", name);
        const Value returned = found->second(arguments);
        const cudaError_t error = cudaStreamSynchronize(nullptr);  // of a stream of its own the function has waited, or a late run shows it
        if (error != cudaSuccess) c10::fail("CUDA error: ", cudaGetErrorString(error));
        writer.number('R');
        writer.value(returned, tensors);
        for (size_t at = 0; at < tensors.size(); ++at) {
            const auto after = tensors[at].host();
            writer.number(char(after != before[at]));
            if (after != before[at]) writer.bytes(after);
        }
    } catch (const std::exception& error) {
        rewind(writer.file);
        writer.number('E');
        writer.text(error.what());
    }
    fclose(writer.file);
    const auto length = int64_t(size);
    fwrite(&length, 1, sizeof length, answers);
    fwrite(answer, 1, size, answers);
    fflush(answers);
    free(answer);
}

}  // namespace

int main(int, char** arguments) {
    FILE* answers = fdopen(dup(1), "wb");
    dup2(2, 1);  // what the extension prints is no answer
    Reader reader{fopen(arguments[1], "rb")};
    if (!reader.file) return 3;
    for (int64_t left = reader.number<int64_t>(); left > 0; --left) call(reader, answers);
    fclose(answers);
    return 0;
}
