#pragma once
void smooth_all(const float *in, float *out, int n);
