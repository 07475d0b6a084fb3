// SPDX-License-Identifier: Apache-2.0
// What many files of the tools include, to be compiled once (ocb_precompile). Nobody includes this
// file: each file names what it uses.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>
