// Multiresolution kernel: A[r][q][p] = sum over s of A[r][q][s] * C4[s][p]
#include <iostream>
#include <vector>
#include <cstdlib>

inline void cudaVerify(cudaError_t e, const char* file, int line) {
    if (e != cudaSuccess) {
        std::cerr << file << ":" << line << ": " << cudaGetErrorString(e) << "\n";
        std::exit(1);
    }
}
#define VERIFY(x) cudaVerify(x, __FILE__, __LINE__)

__global__ void multiply(int nr, int nq, int np, const float* A, const float* C4, float* sum) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int q = blockIdx.y * blockDim.y + threadIdx.y;
    int r = blockIdx.z;
    if (p < np && q < nq) {
        float total = 0.f;
        for (int s = 0; s < np; s++)
            total += A[(r * nq + q) * np + s] * C4[s * np + p];
        sum[(r * nq + q) * np + p] = total;
    }
}

__global__ void writeBack(int count, const float* sum, float* A) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        A[i] = sum[i];
}

int main(int argc, char** argv) {
    int nr = argc > 1 ? atoi(argv[1]) : 10;
    int nq = argc > 2 ? atoi(argv[2]) : 12;
    int np = argc > 3 ? atoi(argv[3]) : 36;
    int count = nr * nq * np;

    std::vector<float> A(count), C4(np * np);
    for (int i = 0; i < count; i++) A[i] = float(i % 61) / 61;
    for (int i = 0; i < np * np; i++) C4[i] = float((i * 3) % 47) / 47 - 0.3f;

    float *dA, *dC4, *dSum;
    VERIFY(cudaMalloc(&dA, count * sizeof(float)));
    VERIFY(cudaMalloc(&dC4, np * np * sizeof(float)));
    VERIFY(cudaMalloc(&dSum, count * sizeof(float)));
    VERIFY(cudaMemcpy(dA, A.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    VERIFY(cudaMemcpy(dC4, C4.data(), np * np * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(32, 8);
    dim3 grid((np + 31) / 32, (nq + 7) / 8, nr);
    multiply<<<grid, block>>>(nr, nq, np, dA, dC4, dSum);
    VERIFY(cudaGetLastError());
    writeBack<<<(count + 255) / 256, 256>>>(count, dSum, dA);
    VERIFY(cudaGetLastError());
    VERIFY(cudaMemcpy(A.data(), dA, count * sizeof(float), cudaMemcpyDeviceToHost));

    double total = 0;
    for (float a : A) total += a;
    std::cout << "A[0] " << A[0] << ", A[last] " << A[count - 1] << ", sum " << total << "\n";

    VERIFY(cudaFree(dA));
    VERIFY(cudaFree(dC4));
    VERIFY(cudaFree(dSum));
}
