// Accesses beyond the program's last variables: reported, and nothing of the emulator's is changed.
#include <cstdio>
#include <cstring>

__device__ float table[256];
__device__ int started[4] = {1, 2, 3, 4};

__global__ void beyond_zeros(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) table[i] = 0.5f;  // out_of_bounds
}

__global__ void beyond_values(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) started[i] = -1;  // out_of_bounds
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "beyond_zeros")) beyond_zeros<<<300, 256>>>(60000);
    if (argc > 1 && !strcmp(argv[1], "beyond_values")) beyond_values<<<8, 256>>>(2000);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
