// kernel=equalize line=13 finding=KO113
struct Biquad { float b0, b1, b2, a1, a2; };
struct Memory { float z1, z2; };

// one thread per channel; frames are interleaved
__global__ void equalize(const float* x, float* y, const Biquad* bank, Memory* mem, int nch, int frames)
{
    const int c = blockDim.x * blockIdx.x + threadIdx.x;
    if (c < nch) {
        const Biquad& q = bank[c];
        const float b0 = q.b0;
        const float b1 = q.b1;
        const float a1 = q.a1;
        const float b2 = q.b2;
        const float a2 = q.a2;
        for (int f = 0; f < frames; ++f) {
            const float in = x[f * nch + c];
            const float out = b0 * in + mem[c].z1;
            mem[c].z1 = b1 * in - a1 * out + mem[c].z2;
            mem[c].z2 = b2 * in - a2 * out;
            y[f * nch + c] = out;
        }
    }
}

void run(int nch, int frames)
{
    float *x, *y; Biquad* bank; Memory* mem;
    cudaMalloc(&x, nch * frames * sizeof(float));
    cudaMalloc(&y, nch * frames * sizeof(float));
    cudaMalloc(&bank, nch * sizeof(Biquad));
    cudaMalloc(&mem, nch * sizeof(Memory));
    equalize<<<(nch + 95) / 96, 96>>>(x, y, bank, mem, nch, frames);
}
