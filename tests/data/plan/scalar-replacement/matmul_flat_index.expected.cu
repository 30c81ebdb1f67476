// kernel=matmul line=12 finding=KO107
#include <cstdio>
#include <cstdlib>

// C = A * B, square, row-major. The sum lives in C itself.
__global__ void matmul(const float *A, const float *B, float *C, int N) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < N && col < N) {
        float c_acc = 0.0f;
        for (int k = 0; k < N; ++k) {
            c_acc += A[row * N + k] * B[k * N + col]; // one step of the dot product
        }
        C[row * N + col] = c_acc;
    }
}

int main() {
    const int N = 33;
    float *hA = new float[N * N], *hB = new float[N * N], *hC = new float[N * N];
    for (int i = 0; i < N * N; ++i) {
        hA[i] = i % 7;
        hB[i] = i % 5;
    }
    float *dA, *dB, *dC;
    cudaMalloc(&dA, N * N * sizeof(float));
    cudaMalloc(&dB, N * N * sizeof(float));
    cudaMalloc(&dC, N * N * sizeof(float));
    cudaMemcpy(dA, hA, N * N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, N * N * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(16, 16), grid((N + 15) / 16, (N + 15) / 16);
    matmul<<<grid, block>>>(dA, dB, dC, N);
    cudaMemcpy(hC, dC, N * N * sizeof(float), cudaMemcpyDeviceToHost);
    for (int r = 0; r < N; ++r)
        for (int c = 0; c < N; ++c) {
            float want = 0;
            for (int k = 0; k < N; ++k) want += hA[r * N + k] * hB[k * N + c];
            if (want != hC[r * N + c]) {
                printf("FAIL at %d %d\n", r, c);
                return EXIT_FAILURE;
            }
        }
    puts("PASS");
    return 0;
}
