// kernel=longest_run line=14 finding=KO101
#include <cstdio>
#define ROWS 256
#define COLS 190

// length of the longest run of equal symbols in each of 256 rows
__global__ void longest_run(const int *symbols, int *longest)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int last = -1, run = 0, best = 0;
    __shared__ int symbols_tile[64][33];
    const int lane = threadIdx.x % 32, first_thread = threadIdx.x - lane, first_row = row - lane;
    for (int tile = 0; tile < COLS; tile += 32) {
        if (tile + lane < COLS) {
            const int *symbols_column = symbols + first_row * COLS + tile + lane;
            #pragma unroll
            for (int r = 0; r < 32; ++r)
                symbols_tile[first_thread + r][lane] = symbols_column[r * COLS];
        }
        __syncwarp();
        const int stop = tile + 32 < COLS ? tile + 32 : COLS;
        for (int i = tile; i < stop; i++) {
            // the same symbol again?
            int s;
            s = symbols_tile[threadIdx.x][i - tile];
            run = s == last ? run + 1 : 1;
            if (run > best) best = run;
            last = s;
        }
        __syncwarp();
    }
    longest[row] = best;
}

int main()
{
    static int h[ROWS * COLS], r[ROWS];
    for (int i = 0; i < ROWS * COLS; i++) h[i] = (i * 7 / 5) % 11 / 4;
    int *s, *l;
    cudaMalloc(&s, sizeof h);
    cudaMalloc(&l, sizeof r);
    cudaMemcpy(s, h, sizeof h, cudaMemcpyHostToDevice);
    longest_run<<<ROWS / 64, 64>>>(s, l);
    cudaMemcpy(r, l, sizeof r, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int i = 0; i < ROWS; i++) sum += r[i] * (i % 5 + 1);
    printf("%d\n", sum);
}
