#pragma once
// mean of the 2r+1 neighbours that exist
__device__ inline float window(const float *line, int at, int length, int stride, int r)
{
    float sum = 0.f;
    int count = 0;
    for (int k = at - r; k <= at + r; k++) {
        if (k < 0 || k >= length) continue;
        sum += line[k * stride];
        count++;
    }
    return sum / count;
}
