#ifndef CONV_H
#define CONV_H

/* 3x3 and 3x3x3 convolutions; the border of the output stays as it is */
void set_weights_2d(const float w[9]);
void set_weights_3d(const float w[27]);
void convolve_2d(const float *in, float *out, int n);
void convolve_3d(const float *in, float *out, int n);

#endif
