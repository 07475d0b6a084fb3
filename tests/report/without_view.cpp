// SPDX-License-Identifier: Apache-2.0
//
// The commands on saved runs as a build without ncurses has them: it is linked with
// no_terminal.cpp.
#include "command.h"
#include "failure.h"
#include "people.h"

#include <string>
#include <vector>

int main(int argc, char **argv) {
    try {
        return ompcollect::report::report_command(std::vector<std::string>(argv + 1, argv + argc));
    } catch (const ompcollect::Failure &failure) {
        ompcollect::report::complain(failure.what());
        return failure.exit_code();
    }
}
