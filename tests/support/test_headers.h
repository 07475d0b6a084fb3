// SPDX-License-Identifier: Apache-2.0
// What nearly every test includes, to be compiled once (tests/CMakeLists.txt). Nobody includes this
// file: each test names what it uses.
#pragma once

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
