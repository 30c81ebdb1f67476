// kernel=argmax line=9 finding=KO112
#include <cstdio>

// where the largest value stands, the first of several
__global__ void argmax(const int* values, int n, int* where)
{
    int largest = values[0];
    int index = 0;
    for (int i = 1; i < n; i++)
    {
        if (values[i] > largest)
        {
            largest = values[i];
            index = i;
        }
    }
    *where = index;
}

int main()
{
    const int n = 3000;
    int *values, *where;
    cudaMallocManaged(&values, n * sizeof(int));
    cudaMallocManaged(&where, sizeof(int));
    for (int i = 0; i < n; i++) values[i] = (i * 7919) % 1009;
    argmax<<<1, 1>>>(values, n, where);
    cudaDeviceSynchronize();
    printf("%d\n", *where);
    return 0;
}
