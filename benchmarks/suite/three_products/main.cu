// G = (A B) (C D)
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>
#include "matrix.h"

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 48;

    Matrix a(n, [n](int i, int j) { return double(i * j % n) / n; });
    Matrix b(n, [n](int i, int j) { return double(i * (j + 1) % n) / n - 0.5; });
    Matrix c(n, [n](int i, int j) { return double((i + 3) * j % n) / n; });
    Matrix d(n, [n](int i, int j) { return double(i * (j + 2) % n) / n - 0.5; });
    Matrix e(n), f(n), g(n);

    multiply(a, b, e);
    multiply(c, d, f);
    multiply(e, f, g);
    check(cudaDeviceSynchronize());

    std::printf("|E| = %.8e  |F| = %.8e  |G| = %.8e\n", e.norm(), f.norm(), g.norm());
    return 0;
}
