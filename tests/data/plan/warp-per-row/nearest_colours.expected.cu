// kernel=nearest_colours line=28 finding=KO111
#include <cstdio>
#include <vector>
#include <algorithm>

#define CHANNELS 4
#define NEAR 3

// which three colours of a palette are nearest to each of a few samples
__global__ void nearest_colours(const float *samples, const float *palette, int *nearest, int sample_count, int colours)
{
    int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (s < sample_count)
    {
        float sample[CHANNELS];
        for (int c = 0; c < CHANNELS; c++)
            sample[c] = samples[s * CHANNELS + c];

        float distance[NEAR];
        int colour[NEAR];
        for (int n = 0; n < NEAR; n++)
        {
            distance[n] = 1e30f;
            colour[n] = -1;
        }

        /* all of the palette */
        for (int i = lane; i < colours; i += 32)
        {
            float d = 0.0f;
            for (int c = 0; c < CHANNELS; c++)
            {
                float difference = sample[c] - palette[i * CHANNELS + c];
                d += difference * difference;
            }
            if (d < distance[NEAR - 1])
            {
                int n = NEAR - 1;
                for (; n > 0 && d < distance[n - 1]; n--)
                {
                    distance[n] = distance[n - 1];
                    colour[n] = colour[n - 1];
                }
                distance[n] = d;
                colour[n] = i;
            }
        }
        // the lanes' lists become one
        #pragma unroll
        for (int place = 0; place < NEAR; place++)
        {
            float first_distance = distance[place];
            int first_colour = colour[place];
            for (int offset = 16; offset > 0; offset /= 2)
            {
                float other_distance = __shfl_xor_sync(0xffffffff, first_distance, offset);
                int other_colour = __shfl_xor_sync(0xffffffff, first_colour, offset);
                if (other_distance < first_distance || (other_distance == first_distance && other_colour < first_colour))
                {
                    first_distance = other_distance;
                    first_colour = other_colour;
                }
            }
            if (distance[place] != first_distance || colour[place] != first_colour)
            {
                #pragma unroll
                for (int k = NEAR - 1; k > place; k--)
                {
                    distance[k] = distance[k - 1];
                    colour[k] = colour[k - 1];
                }
                distance[place] = first_distance;
                colour[place] = first_colour;
            }
        }

        if (lane == 0)
        {
            for (int n = 0; n < NEAR; n++)
                nearest[s * NEAR + n] = colour[n];
        }
    }
}

int main()
{
    const int sample_count = 100, colours = 257;
    float *samples, *palette;
    int *nearest;
    cudaMallocManaged(&samples, sample_count * CHANNELS * sizeof(float));
    cudaMallocManaged(&palette, colours * CHANNELS * sizeof(float));
    cudaMallocManaged(&nearest, sample_count * NEAR * sizeof(int));
    for (int i = 0; i < sample_count * CHANNELS; i++) samples[i] = i * 37 % 64;
    for (int i = 0; i < colours * CHANNELS; i++) palette[i] = i * 53 % 61;
    nearest_colours<<<sample_count, 32>>>(samples, palette, nearest, sample_count, colours);
    cudaDeviceSynchronize();
    for (int s = 0; s < sample_count; s++)
    {
        std::vector<float> far(colours, 0.0f);
        std::vector<int> all(colours);
        for (int i = 0; i < colours * CHANNELS; i++)
        {
            float difference = samples[s * CHANNELS + i % CHANNELS] - palette[i];
            far[i / CHANNELS] += difference * difference;
        }
        for (int i = 0; i < colours; i++) all[i] = i;
        std::stable_sort(all.begin(), all.end(), [&](int a, int b) { return far[a] < far[b]; });
        for (int n = 0; n < NEAR; n++)
            if (nearest[s * NEAR + n] != all[n]) return printf("FAIL %d\n", s), 1;
    }
    return puts("PASS"), 0;
}
