#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

// QR by (modified) Gram-Schmidt. A is rows x cols, row-major, and is destroyed.

static cudaError_t lastError;
#define TRY(x) if ((lastError = (x)) != cudaSuccess) goto cleanup

const int NT = 256;

// R[k][k] = |A[:,k]|,  one block
__global__ void columnNorm(const float *A, float *R, int rows, int cols, int k)
{
    __shared__ float s[NT];
    float sum = 0.f;
    for (int i = threadIdx.x; i < rows; i += NT)
        sum += A[i * cols + k] * A[i * cols + k];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int d = NT / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) R[k * cols + k] = sqrtf(s[0]);
}

__global__ void makeQ(const float *A, float *Q, const float *R, int rows, int cols, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) Q[i * cols + k] = A[i * cols + k] / R[k * cols + k];
}

// remove the component along Q[:,k] from the columns behind it, one thread per column
__global__ void project(float *A, const float *Q, float *R, int rows, int cols, int k)
{
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= cols) return;
    float dot = 0.f;
    for (int i = 0; i < rows; i++)
        dot += Q[i * cols + k] * A[i * cols + j];
    R[k * cols + j] = dot;
    for (int i = 0; i < rows; i++)
        A[i * cols + j] -= Q[i * cols + k] * dot;
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 60;
    int cols = argc > 2 ? atoi(argv[2]) : 48;
    size_t aBytes = (size_t)rows * cols * sizeof(float);
    size_t rBytes = (size_t)cols * cols * sizeof(float);
    std::vector<float> A((size_t)rows * cols), Q((size_t)rows * cols), R((size_t)cols * cols);
    float *dA = NULL, *dQ = NULL, *dR = NULL;
    double worst = 0, trace = 0;

    unsigned seed = 5;
    for (size_t i = 0; i < A.size(); i++) {
        seed = seed * 69069u + 1u;
        A[i] = (seed >> 8) / 16777216.0f;
    }

    TRY(cudaMalloc(&dA, aBytes));
    TRY(cudaMalloc(&dQ, aBytes));
    TRY(cudaMalloc(&dR, rBytes));
    TRY(cudaMemcpy(dA, A.data(), aBytes, cudaMemcpyHostToDevice));
    TRY(cudaMemset(dR, 0, rBytes));

    for (int k = 0; k < cols; k++) {
        columnNorm<<<1, NT>>>(dA, dR, rows, cols, k);
        makeQ<<<(rows + NT - 1) / NT, NT>>>(dA, dQ, dR, rows, cols, k);
        if (k + 1 < cols)
            project<<<(cols - k - 1 + NT - 1) / NT, NT>>>(dA, dQ, dR, rows, cols, k);
    }
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(Q.data(), dQ, aBytes, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(R.data(), dR, rBytes, cudaMemcpyDeviceToHost));

    for (int k = 0; k < cols; k++) trace += R[(size_t)k * cols + k];
    for (int k = 1; k < cols; k += 7) {
        double dot = 0;
        for (int i = 0; i < rows; i++) dot += (double)Q[(size_t)i * cols] * Q[(size_t)i * cols + k];
        if (fabs(dot) > worst) worst = fabs(dot);
    }
    printf("trace of R %.4f, orthogonal: %s\n", trace, worst < 1e-2 ? "yes" : "no");

cleanup:
    cudaFree(dA);
    cudaFree(dQ);
    cudaFree(dR);
    if (lastError != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(lastError));
        return 1;
    }
    return 0;
}
