// The former names of score_kernel.h, for cpp/vectors/graph until it follows.
#pragma once

#include "vectors/rows/score_kernel.h"

namespace knarr {

using ScoreKernel = ScoreKernel;

}  // namespace knarr
