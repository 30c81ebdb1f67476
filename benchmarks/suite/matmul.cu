// Assignment 2: matrix multiplication on the GPU
#include <iostream>
#include <cstdlib>
using namespace std;

#define BLOCK 16

// every thread computes one element of C
__global__ void matrixMultiply(const float* A, const float* B, float* C, int N) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < N && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < N; k++) {
            sum += A[row * N + k] * B[k * N + col];
        }
        C[row * N + col] = sum;
    }
}

void check(cudaError_t e) {
    if (e != cudaSuccess) {
        cerr << "error: " << cudaGetErrorString(e) << endl;
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char* argv[]) {
    if (argc != 2) {
        cout << "usage: matmul N" << endl;
        return 1;
    }
    int N = atoi(argv[1]);
    size_t bytes = (size_t)N * N * sizeof(float);

    float* A = new float[N * N];
    float* B = new float[N * N];
    float* C = new float[N * N];
    srand(42);
    for (int i = 0; i < N * N; i++) {
        A[i] = rand() / (float)RAND_MAX;
        B[i] = rand() / (float)RAND_MAX;
    }

    float *dA, *dB, *dC;
    check(cudaMalloc(&dA, bytes));
    check(cudaMalloc(&dB, bytes));
    check(cudaMalloc(&dC, bytes));
    check(cudaMemcpy(dA, A, bytes, cudaMemcpyHostToDevice));
    check(cudaMemcpy(dB, B, bytes, cudaMemcpyHostToDevice));

    dim3 threads(BLOCK, BLOCK);
    dim3 blocks((N + BLOCK - 1) / BLOCK, (N + BLOCK - 1) / BLOCK);
    matrixMultiply<<<blocks, threads>>>(dA, dB, dC, N);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(C, dC, bytes, cudaMemcpyDeviceToHost));

    // check a few elements against the CPU
    for (int t = 0; t < 4; t++) {
        int r = (t * 37) % N, c = (t * 91) % N;
        double expected = 0;
        for (int k = 0; k < N; k++) expected += (double)A[r * N + k] * B[k * N + c];
        if (abs(expected - C[r * N + c]) > 1e-3 * expected) {
            cout << "wrong at " << r << "," << c << endl;
            return 1;
        }
        cout << "C[" << r << "][" << c << "] = " << C[r * N + c] << endl;
    }
    cout << "correct" << endl;

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    delete[] A; delete[] B; delete[] C;
    return 0;
}
