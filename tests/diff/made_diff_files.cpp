// SPDX-License-Identifier: Apache-2.0
//
// made-diff-files FOLDER: five saved runs of each of two builds, for page_test.py.
#include "command.h"
#include "made_builds.h"

int main(int argc, char **argv) {
    if (argc != 2) {
        return 1;
    }
    ocb_test::Build slower;
    slower.function = "smooth";
    slower.work = 6;
    slower.serial = 0.5;
    slower.other_region = true;
    constexpr double kFactors[] = {1, 1.01, 0.99, 1.02, 0.98};
    const std::string folder = argv[1];
    for (size_t i = 0; i < std::size(kFactors); ++i) {
        const std::string number = std::to_string(i) + ".ompc";
        ompcollect::report::save_run({{ocb_test::built({}, kFactors[i])}},
                                     folder + "/before" + number);
        ompcollect::report::save_run({{ocb_test::built(slower, kFactors[i])}},
                                     folder + "/after" + number);
    }
    return 0;
}
