// SPDX-License-Identifier: Apache-2.0
// Registration as it has been since TR4: ompt_start_tool, the program's or one of a library that
// OMP_TOOL_LIBRARIES names.
#pragma once

namespace mini::tool {

// What OMP_TOOL says, trimmed and in whatever case.
enum class Wish { kEnabled, kDisabled, kOther };
Wish wish_of_user();

// The result of the tool that was found, null if there is none.
void *start_tool(unsigned omp_version, const char *runtime_version);

} // namespace mini::tool
