// kernel=transposeRows line=22 finding=KO101
#include <cstdio>
#include <vector>


constexpr int kEdge = 32;

__global__ void fillOnes(float *p, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) p[i] = 1.0f;
}

__global__ void transposeRows(const float *in, float *out, int rows, int cols)
{
	__shared__ float tile[kEdge][kEdge + 1];
	int outRow = blockIdx.x * kEdge + threadIdx.x;
	int outCol = blockIdx.y * kEdge + threadIdx.y;
	if (outRow < cols && outCol < rows) {
		tile[threadIdx.y][threadIdx.x] = 2.0f * in[outCol * cols + outRow];
	}
	__syncthreads();
	int outRowOut = blockIdx.x * kEdge + threadIdx.y;
	int outColOut = blockIdx.y * kEdge + threadIdx.x;
	float *lineOut = out + outRowOut * rows;
	if (outRowOut < cols && outColOut < rows)
		lineOut[outColOut] = tile[threadIdx.x][threadIdx.y];
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = i % 1000;
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(*in));
    cudaMalloc(&out, h.size() * sizeof(*out));
    cudaMemcpy(in, h.data(), h.size() * sizeof(*in), cudaMemcpyHostToDevice);
    fillOnes<<<10, 256>>>(out, rows * cols);
    dim3 grid;
    grid.x = (cols + kEdge - 1) / kEdge;
    grid.y = (rows + kEdge - 1) / kEdge;
    for (int repeat = 0; repeat < 2; ++repeat)
        transposeRows<<<grid, dim3(kEdge, kEdge)>>>(in, out, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * sizeof(*out), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) bad += r[j * rows + i] != 2.0f * h[i * cols + j];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
