// CUDA's runtime and device language for the emulator; written from NVIDIA's documentation, independent of the toolkit.
#pragma once
#ifdef __cplusplus
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "emu/keywords.h"
#include "emu/vector_types.h"
#include "emu/runtime_types.h"
#include "emu/runtime_api.h"
#include "emu/launch.h"
#include "emu/math.h"
#include "emu/integer.h"
#include "emu/sync.h"
#include "emu/atomics.h"
#include "emu/conversions.h"
#include "emu/runtime_api_templates.h"
#include "emu/textures.h"
#else  // C has the runtime API alone
#include "emu/runtime_api.h"
#endif
