#pragma once

struct Buffers
{
    float *image;
    float *ix, *iy;
    float *ixx, *iyy, *ixy;
    float *sxx, *syy, *sxy;
    float *response;
};

// all pointers are device pointers; images are row-major, w * h
void harris(const Buffers &b, int w, int h, float k);
