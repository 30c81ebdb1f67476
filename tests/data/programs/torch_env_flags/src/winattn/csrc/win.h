#pragma once
#include <ATen/ATen.h>
at::Tensor window_sum_cuda(at::Tensor x, int64_t w);
