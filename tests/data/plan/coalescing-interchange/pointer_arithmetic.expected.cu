// kernel=brighten line=14 finding=KO101
#include <cstdio>
#include <vector>


template <typename T>
__global__ void brighten(T *dst, const T *src, size_t pitch, int height, int width, T gain)
{
	const int y = threadIdx.y + blockDim.y * blockIdx.y;
	const int x = threadIdx.x + blockDim.x * blockIdx.x;
	if (y >= height) return;
	if (x >= width) return;
	const T *row = src + y * pitch;
	*(dst + y * pitch + x) = gain * *(row + x);
}

template <typename T>
static void run(T *dst, const T *src, int height, int width)
{
	dim3 threads(32, 8, 1);
	dim3 blocks;
	blocks.x = (width + threads.y - 1) / threads.y;
	blocks.y = (height + threads.x - 1) / threads.x;
	brighten<T><<<blocks, dim3(threads.y, threads.x, threads.z)>>>(dst, src, width, height, width, T(2));
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = float(i % 97);
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(float));
    cudaMalloc(&out, h.size() * sizeof(float));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    run(out, in, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows * cols; i++) bad += r[i] != 2.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
