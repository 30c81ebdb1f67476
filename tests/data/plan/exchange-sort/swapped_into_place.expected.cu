// kernel=trimmed_mean line=15 finding=KO117
#include <cstdio>
#include <vector>
#include <algorithm>

__global__ void trimmed_mean(const int *samples, float *means, int groups)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g < groups)
    {
        int v[7];
        for (int i = 0; i < 7; i++)
            v[i] = samples[i * groups + g];
        #pragma unroll
        for (int i = 1; i < 7; i++)
        {
            #pragma unroll
            for (int j = i; j > 0; --j)
            {
                if (v[j - 1] > v[j])
                {
                    int t = v[j - 1];
                    v[j - 1] = v[j];
                    v[j] = t;
                }
            }
        }
        means[g] = (v[1] + v[2] + v[3] + v[4] + v[5]) / 5.0f;
    }
}

int main()
{
    const int groups = 500;
    int *samples;
    float *means;
    cudaMallocManaged(&samples, 7 * groups * sizeof(int));
    cudaMallocManaged(&means, groups * sizeof(float));
    for (int i = 0; i < 7 * groups; i++) samples[i] = i * 7919 % 503;
    trimmed_mean<<<(groups + 127) / 128, 128>>>(samples, means, groups);
    cudaDeviceSynchronize();
    for (int g = 0; g < groups; g++)
    {
        std::vector<int> all;
        for (int i = 0; i < 7; i++) all.push_back(samples[i * groups + g]);
        std::sort(all.begin(), all.end());
        if (means[g] != (all[1] + all[2] + all[3] + all[4] + all[5]) / 5.0f) return printf("FAIL %d\n", g), 1;
    }
    return puts("PASS"), 0;
}
