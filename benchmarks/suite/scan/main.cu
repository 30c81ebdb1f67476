#include <vector>
#include "error.h"
#include "scan.h"

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 30000;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++)
        in[i] = (i * 13 + 5) % 9 - 3;

    int *d_in, *d_out;
    try_cuda(cudaMalloc(&d_in, n * sizeof(int)));
    try_cuda(cudaMalloc(&d_out, n * sizeof(int)));
    try_cuda(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    exclusive_scan(d_in, d_out, n);
    try_cuda(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));

    int running = 0;
    for (int i = 0; i < n; i++) {
        if (out[i] != running) {
            printf("wrong at %d: %d instead of %d\n", i, out[i], running);
            return 1;
        }
        running += in[i];
    }
    printf("ok, out[%d] = %d\n", n - 1, out[n - 1]);
    try_cuda(cudaFree(d_in));
    try_cuda(cudaFree(d_out));
    return 0;
}
