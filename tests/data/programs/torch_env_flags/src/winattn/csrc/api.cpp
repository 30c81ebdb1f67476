#include <torch/extension.h>
#include "win.h"
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("window_sum", &window_sum_cuda); }
