// kernel=margins line=14 finding=KO101
#include <cstdio>

/* by how much the best class of each sample is ahead of the next one, and which it is */
__global__ void margins(const float *scores, int *classes, float *margin, int samples, int count)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (i < samples)
    {
        float best = -1e30f;
        float next = -1e30f;
        int at = -1;
        // one look at each
        for (int c = lane; c < count; c += 32)
        {
            const float s = scores[i * count + c];
            if (s > best)
            {
                next = best;
                best = s;
                at = c;
            }
            else if (s > next)
                next = s;
        }
        for (int offset = 16; offset > 0; offset /= 2)
        {
            float other_best = __shfl_xor_sync(0xffffffff, best, offset);
            float other_next = __shfl_xor_sync(0xffffffff, next, offset);
            int other_at = __shfl_xor_sync(0xffffffff, at, offset);
            next = fmaxf(fminf(best, other_best), fmaxf(next, other_next));
            if (other_best > best || (other_best == best && other_at < at))
            {
                best = other_best;
                at = other_at;
            }
        }
        if (lane == 0)
        {
            classes[i] = at;
            margin[i] = best - next;
        }
    }
}

int main()
{
    const int samples = 400, count = 101;
    float *scores, *margin;
    int *classes;
    cudaMallocManaged(&scores, samples * count * sizeof(float));
    cudaMallocManaged(&margin, samples * sizeof(float));
    cudaMallocManaged(&classes, samples * sizeof(int));
    for (int i = 0; i < samples * count; i++) scores[i] = i * 7919 % 83 * 0.5f;
    margins<<<(samples + 7) / 8, 256>>>(scores, classes, margin, samples, count);
    cudaDeviceSynchronize();
    for (int i = 0; i < samples; i++)
    {
        int first = 0, second = -1;
        for (int c = 1; c < count; c++)
            if (scores[i * count + c] > scores[i * count + first]) first = c;
        for (int c = 0; c < count; c++)
            if (c != first && (second < 0 || scores[i * count + c] > scores[i * count + second])) second = c;
        if (classes[i] != first || margin[i] != scores[i * count + first] - scores[i * count + second]) return printf("FAIL %d\n", i), 1;
    }
    return puts("PASS"), 0;
}
