#pragma once
void blur_rows(const float *in, float *out, int w, int h, int radius);
void blur_cols(const float *in, float *out, int w, int h, int radius);
