// SPDX-License-Identifier: Apache-2.0
// What many files of the libraries in traced programs include, to be compiled once
// (ocb_precompile). Nobody includes this file: each file names what it uses.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <span>
