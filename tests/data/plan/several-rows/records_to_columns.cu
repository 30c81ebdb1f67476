// kernel=to_columns line=19 finding=KO101
/* records -> columns for the tracker (double), two launches */
#include <stdio.h>
#include <stdlib.h>
enum { EDGE = 32 };
__constant__ double unit[2] = {1.0, 0.001};

__global__ void to_columns(double *columns, const double *records, int fields, int tracks, int which)
{
    int f = threadIdx.x + EDGE * blockIdx.x;
    double scale = unit[which];
    int t = threadIdx.y + EDGE * blockIdx.y;

    if (f < fields) {
        if (t < tracks) {
            double r = records[t * fields + f];
            /* shift every second field */
            if (f & 1) r += 0.5;
            columns[f * tracks + t] = r * scale;
        }
    }
}

static void run(double *c, const double *r, int fields, int tracks, int which)
{
    dim3 g((fields + EDGE - 1) / EDGE, (tracks + EDGE - 1) / EDGE);
    to_columns<<<g, dim3(EDGE, EDGE)>>>(c, r, fields, tracks, which);
}

int main(int argc, char **argv)
{
    int fields = argc > 1 ? atoi(argv[1]) : 333, tracks = argc > 2 ? atoi(argv[2]) : 1111;
    size_t n = (size_t)fields * tracks, i;
    double *h = (double *)malloc(n * sizeof *h), *r, *c, s = 0;
    for (i = 0; i < n; i++) h[i] = (double)(i % 1013) / 7;
    cudaMalloc((void **)&r, n * sizeof *h);
    cudaMalloc((void **)&c, n * sizeof *h);
    cudaMemcpy(r, h, n * sizeof *h, cudaMemcpyHostToDevice);
    run(c, r, fields, tracks, 0);
    run(c, r, fields, tracks, 1);
    cudaMemcpy(h, c, n * sizeof *h, cudaMemcpyDeviceToHost);
    for (i = 0; i < n; i++) s += h[i] * (i % 3);
    printf("%.6f\n", s);
    return 0;
}
