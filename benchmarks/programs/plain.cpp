// The yardstick of the emulator's speed: plain single-core loops, built with g++ -O2. Prints "name seconds" lines.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

__attribute__((noinline)) static void saxpy(int n, float a, const float *x, float *y)
{
    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

__attribute__((noinline)) static void matmul(const float *A, const float *B, float *C, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < n; k++) sum += A[i * n + k] * B[k * n + j];
            C[i * n + j] = sum;
        }
}

template <class Work>
static void report(const char *name, Work work)
{
    auto start = std::chrono::steady_clock::now();
    work();
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    printf("%s %.9f\n", name, took.count());
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 22;
    int m = argc > 2 ? atoi(argv[2]) : 384;
    std::vector<float> x(n), y(n), z(n);
    report("saxpy", [&] { saxpy(n, 2.0f, x.data(), y.data()); });
    report("tiled", [&] { matmul(x.data(), y.data(), z.data(), m); });
    return z[0] != 0.0f;
}
