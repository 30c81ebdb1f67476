#include <cstdio>

void report(const float *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i];
    std::printf("sum %.1f, last %.3f\n", sum, v[n - 1]);
}
