// Included before every translated source, precompiled: the host library first (it must not see CUDA's keywords), then CUDA.
// A unit without CUDA (EMU_HOST_UNIT) gets neither: float4, dim3 and min are its own names there.
#pragma once
#ifdef EMU_HOST_UNIT
#include "emu/marks.h"
#else
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <type_traits>
#include <utility>
// What programs often include themselves, precompiled to save time; left out for one that says `using namespace std` and has a name of
// its own that one of these declares (count, distance, array).
#ifndef EMU_BARE_PRELUDE
#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>
#endif
#include "cuda_runtime.h"
#endif
