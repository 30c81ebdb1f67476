#include <torch/extension.h>
torch::Tensor rms(torch::Tensor x, torch::Tensor w, double eps);
torch::Tensor rope(torch::Tensor q);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("rms", &rms); m.def("rope", &rope); }
