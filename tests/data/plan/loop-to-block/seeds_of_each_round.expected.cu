// kernel=assign line=17 finding=KO122
#include <cstdio>
#include <vector>
#define K 40
#define D 3

/* nearest of K centres for every point; the centres are copied to shared memory first */
__global__ void assign(const float *points, const float *centres, int *label, int n)
{
    __shared__ float c[K * D];
    int k, d;
    int tid = threadIdx.x;
    int i = blockIdx.x*blockDim.x + tid;

    for (int j = tid; j < K * D; j += blockDim.x)
    {
        c[j] = centres[j];   /* row-major */
    }
    __syncthreads();

    if (i < n)
    {
        float best = 1e30f;
        int where = 0;
        for (k = 0; k < K; k++)
        {
            float dist = 0;
            for (d = 0; d < D; d++)
            {
                float diff = points[i*D + d] - c[k*D + d];
                dist += diff*diff;
            }
            if (dist < best) { best = dist; where = k; }
        }
        label[i] = where;
    }
}

int main()
{
    const int n = 30000;
    std::vector<float> points(n*D), centres(K*D);
    for (int i = 0; i < n*D; i++) points[i] = (i*37 % 1009) / 1009.0f;
    for (int i = 0; i < K*D; i++) centres[i] = (i*53 % 211) / 211.0f;
    float *dp, *dc;
    int *dl;
    cudaMalloc(&dp, points.size()*sizeof(float));
    cudaMalloc(&dc, centres.size()*sizeof(float));
    cudaMalloc(&dl, n*sizeof(int));
    cudaMemcpy(dp, points.data(), points.size()*sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, centres.data(), centres.size()*sizeof(float), cudaMemcpyHostToDevice);
    assign<<<(n + 255)/256, 256>>>(dp, dc, dl, n);
    std::vector<int> label(n);
    cudaMemcpy(label.data(), dl, n*sizeof(int), cudaMemcpyDeviceToHost);
    long long sum = 0;
    for (int l : label) sum += l;
    printf("%lld\n", sum);
}
