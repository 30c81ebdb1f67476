#include "common.h"

torch::Tensor bias_gelu(torch::Tensor x, torch::Tensor bias) {
    CHECK_INPUT(x);
    CHECK_INPUT(bias);
    return bias_gelu_cuda(x, bias);
}

torch::Tensor row_norm(torch::Tensor x, double eps) {
    CHECK_INPUT(x);
    return row_norm_cuda(x, eps);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("bias_gelu", &bias_gelu, "gelu(x + bias)");
    m.def("row_norm", &row_norm, "rms norm of rows", py::arg("x"), py::arg("eps") = 1e-6);
}
