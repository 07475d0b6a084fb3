// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target of the readers of saved runs: an input is a binary file, whose sum is not looked at,
// or the text of an export. What is read goes
// through one of the reports; what people read has visible characters alone.
#include "comparison_formats.h"
#include "failure.h"
#include "formats.h"
#include "input.h"
#include "people.h"
#include "printable_run.h"
#include "run_binary.h"
#include "run_file.h"

#include <numeric>
#include <sstream>
#include <string>

namespace {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)

void require_visible(const std::string &text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        ocb::test::require(byte == '\n' || (byte >= 0x20 && byte != 0x7f), "a text is visible");
    }
}

// With itself, in each form.
void compare(const Run &run) {
    const Side side({compared_run(run, "run", true)});
    const Comparison comparison = comparison_of(side, side);
    const std::vector<Ruling> rulings = {ruling_of(rule_of("processor > +5%"), comparison)};
    for (const DiffFormat &format : diff_formats()) {
        std::ostringstream out;
        format.write({comparison, rulings, side, side}, {10, 80, {DiffBy::kFunction}}, out);
        if (std::string(format.name) == "text") {
            require_visible(out.str());
        }
    }
}

// One report of all, so that there are many inputs a second.
void report_one(Run run, size_t which) {
    const size_t count = formats().size();
    if (which % (count + 1) == count) {
        std::ostringstream again;
        write_run(run, again);
        read_run(again.str(), "again.json");
        std::stringstream binary;
        write_binary(run, binary);
        read_binary(binary, "again.ompc");
    }
    for (Process &process : run.processes) {
        make_printable(process);
    }
    if (which % (count + 1) == count) {
        compare(run);
        return;
    }
    const Format &format = formats()[which % (count + 1)];
    const bool is_page = std::string(format.name) == "html"; // its own part is large
    if (format.write && !is_page) {
        std::ostringstream out;
        format.write(run, {}, out);
        if (std::string(format.name) == "text") {
            require_visible(out.str());
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    try {
        const std::string text(reinterpret_cast<const char *>(data), size);
        std::istringstream in(text);
        const bool is_binary = is_binary_run(in);
        report_one(is_binary ? read_binary(in, "run.ompc", CheckSum::kIgnore)
                             : read_run(text, "run.json"),
                   std::accumulate(data, data + size, size_t{0}));
    } catch (const ompcollect::Failure &failure) {
        require_visible(printable(failure.what()) + "\n");
    }
    return 0;
}
