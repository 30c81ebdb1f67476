#pragma once
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIG(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) CHECK_CUDA(x); CHECK_CONTIG(x)

#ifndef BLOCK
#define BLOCK 128
#endif

torch::Tensor bias_gelu_cuda(torch::Tensor x, torch::Tensor bias);
torch::Tensor row_norm_cuda(torch::Tensor x, double eps);
