// NVTX annotations, which have no effect here.
#pragma once
#include "../nvToolsExt.h"
