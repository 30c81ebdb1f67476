// kernel=merge_halves line=13 finding=KO102
enum { WIDTH = 64 };

__global__ void merge_halves(
    float *data,
    int len,
    int total,
    float scale)
{
    const int pair = threadIdx.x + blockIdx.x * WIDTH;
    const int half = len >> 1;
    const int at = (pair / half) * len + pair % half;
    if (at + half >= total)
        return;
    const float sum = data[at] + data[at + half];
    data[at + half] = scale * (data[at] - data[at + half]);
    data[at] = scale * sum;
}

void merge_all(float *data, int total)
{
    for (int len = 2; len <= total; len += len)
        merge_halves<<<(total / 2 + WIDTH - 1) / WIDTH, WIDTH>>>(data, len, total, 0.5f);
}
