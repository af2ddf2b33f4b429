#pragma once

// xtensor 0.26 moved its headers into folders.
#if __has_include(<xtensor/containers/xadapt.hpp>)
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/core/xnoalias.hpp>
#include <xtensor/views/xstrided_view.hpp>
#else
#include <xtensor/xadapt.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xstrided_view.hpp>
#endif
