// Calls the functions of an extension one after another, as a file says, and writes what each returned and changed, behind its size, to standard output.
#include "kernelopt/torch.h"

#include <unistd.h>

namespace {

using kernelopt::Reader;
using kernelopt::Value;
using kernelopt::Writer;

kernelopt::Results results_in(Reader& reader) {
    kernelopt::Results made;
    for (int64_t left = reader.number<int64_t>(); left > 0; --left) {
        kernelopt::Result& result = made.known.emplace_back();
        result.name = reader.text();
        result.error = reader.text();
        result.value = reader.value();
        for (int64_t count = reader.number<int64_t>(); count > 0; --count) {
            result.changed.emplace_back();
            if (reader.number<char>()) result.changed.back() = reader.bytes();
        }
    }
    return made;
}

void give_answer(Writer& writer, const std::string& name, const std::vector<Value>& arguments) {
    std::vector<at::Tensor> tensors;
    collect(arguments, tensors);
    std::vector<std::vector<char>> before;
    for (const at::Tensor& tensor : tensors) before.push_back(tensor.host());
    const auto found = kernelopt::functions().find(name);
    if (found == kernelopt::functions().end()) c10::fail("the extension offers no function ", name);
    const Value returned = found->second(arguments);
    const cudaError_t error = cudaStreamSynchronize(nullptr);  // of a stream of its own the function has waited, or a late run shows it
    if (error != cudaSuccess) c10::fail("CUDA error: ", cudaGetErrorString(error));
    if (!kernelopt::results().asked.empty()) throw kernelopt::Needed{};
    writer.number('R');
    writer.value(returned, tensors);
    for (size_t at = 0; at < tensors.size(); ++at) {
        const auto after = tensors[at].host();
        writer.number(char(after != before[at]));
        if (after != before[at]) writer.bytes(after);
    }
}

std::string answer_of(const std::string& name, const std::vector<Value>& arguments) {
    Writer writer;
    try {
        give_answer(writer, name, arguments);
        return writer.written();
    } catch (const kernelopt::Needed&) {
        Writer asking;
        asking.number('C');
        asking.number(int64_t(kernelopt::results().asked.size()));
        for (const std::string& request : kernelopt::results().asked) asking.text(request);
        return asking.written();
    } catch (const std::exception& error) {
        Writer failing;
        failing.number('E');
        failing.text(error.what());
        return failing.written();
    }
}

void call(Reader& reader, FILE* answers) {
    const std::string name = reader.text();
    std::vector<Value> arguments;
    for (int64_t left = reader.number<int64_t>(); left > 0; --left) arguments.push_back(reader.value());
    kernelopt::results() = results_in(reader);
    const std::string answer = answer_of(name, arguments);
    kernelopt::results() = {};
    const auto length = int64_t(answer.size());
    fwrite(&length, 1, sizeof length, answers);
    fwrite(answer.data(), 1, answer.size(), answers);
    fflush(answers);
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
