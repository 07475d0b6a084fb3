// SPDX-License-Identifier: Apache-2.0
//
// other_machine.h - the tests that start OpenMP programs can start another machine's. The variable
// OCB_TEST_MACHINE names it (aarch64), which is the preset whose build has programs and libraries.
// A path of this build then means that build's, and a program runs under qemu-user.
#pragma once

#include <string>
#include <vector>

namespace ocb_test {

// Empty: this one.
std::string other_machine();

// What stands at this path of this build, or among its versions of libomp, in that machine's.
std::string on_machine(const std::string &path);

// The command by which this machine runs that one's program.
std::vector<std::string> command_of(const std::string &program);

} // namespace ocb_test
