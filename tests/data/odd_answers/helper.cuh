#pragma once
#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { printf("%s\n", cudaGetErrorString(e_)); exit(1); } } while (0)
inline int div_up(int a, int b) { return (a + b - 1) / b; }
