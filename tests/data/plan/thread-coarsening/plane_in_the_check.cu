// kernel=apply_bank line=16 finding=KO108

// What counts the blocks is itself checked against a bound
__global__ void apply_bank(const float *signal, const float *taps, float *response, int length, int filters, int signals, int count)
{
    const int slot = blockIdx.y;
    const int which = slot / filters;
    const int filter = slot % filters;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= length || slot >= signals * filters)
        return;
    float level = 0.0f;
    for (int j = 0; j < count; ++j)
    {
        level += signal[which * length + t] * taps[filter * count + j] * j;
    }
    response[(which * filters + filter) * length + t] = level;
}

void run(const float *signal, const float *taps, float *response, int length, int filters, int signals)
{
    apply_bank<<<dim3((length + 127) / 128, signals * filters), 128>>>(signal, taps, response, length, filters, signals, 9);
}
