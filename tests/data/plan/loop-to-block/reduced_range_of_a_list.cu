// kernel=gather_rows line=16 finding=KO122
#include <cstdio>
#include <cstdlib>

// Each block adds up the rows of a table that its list names.
__global__ void gather_rows(const int *list, const int *first, const float *table, float *out, int width) {
    __shared__ int rows[512];
    __shared__ int count;
    const int begin = first[blockIdx.x];
    const int length = first[blockIdx.x + 1] - begin;
    if (length > 512) return;

    if (threadIdx.x == 0) {
        // the list is read again and again below
        #pragma unroll 4
        for (int r = 0; r < length; r++) rows[r] = list[begin + r];
        count = length;
    }
    __syncthreads();

    for (int col = threadIdx.x; col < width; col += blockDim.x) {
        float sum = 0.f;
        for (int r = 0; r < count; r++) sum += table[rows[r] * width + col];
        out[blockIdx.x * width + col] = sum;
    }
}

int main() {
    const int lists = 50, width = 64, table_rows = 900;
    int *first, *list;
    float *table, *out;
    cudaMallocManaged(&first, (lists + 1) * sizeof(int));
    first[0] = 0;
    for (int b = 0; b < lists; b++) first[b + 1] = first[b] + 80 + b % 60;
    cudaMallocManaged(&list, first[lists] * sizeof(int));
    cudaMallocManaged(&table, table_rows * width * sizeof(float));
    cudaMallocManaged(&out, lists * width * sizeof(float));
    for (int i = 0; i < first[lists]; i++) list[i] = i * 7 % table_rows;
    for (int i = 0; i < table_rows * width; i++) table[i] = (i % 100) * 0.25f;
    gather_rows<<<lists, 128>>>(list, first, table, out, width);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < lists * width; i++) sum += out[i] * (i % 5);
    printf("%.2f\n", sum);
    return 0;
}
