// kernel=suffixes line=38 finding=KO125
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* How long the common suffix of both prefixes is, and what was done to get there. */
__global__ void suffixes(const unsigned char *s, const unsigned char *t, int *len, unsigned char *step, int *longest,
                         int m, int n, int sum)
{
    int tid, i, j;
    tid = threadIdx.x + blockDim.x * blockIdx.x;
    i = tid;
    j = sum - i;
    if (i < m && j >= 0 && j < n) {
        int before = i > 0 && j > 0 ? len[(i - 1) * n + j - 1] : 0;
        int own = 0;
        step[i * n + j] = 0;
        if (s[i] == t[j]) {
            own = before + 1;
            step[i * n + j] = 1;
            atomicMax(&longest[0], own);
        }
        len[i * n + j] = own;
    }
}

static void run(const unsigned char *s, const unsigned char *t, int *len, unsigned char *step, int *longest, int m, int n)
{
    const int threads = 64;
    dim3 block(threads);
    dim3 grid((m + threads - 1) / threads);
    int sum;
    cudaMemset(longest, 0, sizeof(int));

    /* a launch for each diagonal */
    for (sum = 0; sum < m + n - 1; sum++)
        // all rows, of which those with a cell do something
        suffixes<<<grid, block>>>(s, t, len, step, longest, m, n, sum);
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 140, n = argc > 2 ? atoi(argv[2]) : 77, found;
    unsigned char *s, *t, *step, *steps = (unsigned char *)malloc(m * n);
    int *len, *longest;
    cudaMallocManaged(&s, m);
    cudaMallocManaged(&t, n);
    for (int k = 0; k < m; k++) s[k] = k * k / 3 % 4;
    for (int k = 0; k < n; k++) t[k] = k * k / 5 % 4;
    cudaMalloc(&len, m * n * sizeof(int));
    cudaMalloc(&step, m * n);
    cudaMalloc(&longest, sizeof(int));
    run(s, t, len, step, longest, m, n);
    cudaMemcpy(&found, longest, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(steps, step, m * n, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int k = 0; k < m * n; k++) sum += steps[k];
    printf("longest %d, %d pairs\n", found, sum);
    return 0;
}
