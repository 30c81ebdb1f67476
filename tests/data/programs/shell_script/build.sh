#!/bin/sh
# usage: ./build.sh [release]
set -e
cd "$(dirname "$0")"
mkdir -p out
FLAGS="-O2 -DPOINTS=2048"
[ "$1" = release ] && FLAGS="$FLAGS -DNDEBUG -use_fast_math"
./make_table.sh 16 > out/table.h
nvcc $FLAGS -arch=sm_70 -Iout *.cu -o out/stencil -lm
echo built out/stencil
