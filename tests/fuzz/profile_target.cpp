// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target of the reader of live tables and of the samples beside them. An input's first byte
// chooses a report, or files in the place of memory. The rest is a list of changes to a profile
// that is whole (image.h).
#include "failure.h"
#include "formats.h"
#include "image.h"
#include "live_image.h"
#include "live_reader.h"
#include "named_run.h"
#include "printable_run.h"
#include "profile_file.h"
#include "run_check.h"
#include "scratch_folder.h"

#include "omp_collector_api.h"

#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace {

using namespace ompcollect; // NOLINT(google-build-using-namespace)

// The profile, and behind it the file of samples.
struct Base {
    std::string bytes;
    std::size_t profile_size;

    Base() {
        const ocb::test::LiveImage image = ocb::test::live_image();
        bytes = image.profile;
        profile_size = (bytes.size() + 63) / 64 * 64;
        bytes.resize(profile_size);
        bytes += image.samples;
    }
};

void make_report(report::Process read, std::size_t which) {
    constexpr const char *kNames[] = {"text", "csv", "callgrind"};
    static SourceLines lines;
    report::Run run = {{std::move(read)}};
    report::Process &process = run.processes.front();
    if (which < std::size(kNames)) {
        name_process(process, lines);
        report::check_process(process); // whoever reads the saved run would refuse it
    }
    report::make_printable(process);
    std::ostringstream out;
    // Without names it is a run, too.
    report::format_named(which < std::size(kNames) ? kNames[which] : "text").write(run, {}, out);
}

constexpr std::size_t kReports = 4;
constexpr std::size_t kAsFiles = 4; // behind the reports

// Copies that end where they end, for the address sanitizer; rows want 64 bytes.
void read_memory(std::string_view profile, std::string_view samples, std::size_t which) {
    auto *bytes = static_cast<char *>(::operator new(profile.size(), std::align_val_t(64)));
    auto *rows = static_cast<char *>(::operator new(samples.size(), std::align_val_t(64)));
    profile.copy(bytes, profile.size());
    samples.copy(rows, samples.size());
    try {
        make_report(report::read_live({bytes, profile.size()}, {rows, samples.size()}), which);
    } catch (const std::runtime_error &) { // refused
    }
    ::operator delete(bytes, std::align_val_t(64));
    ::operator delete(rows, std::align_val_t(64));
}

void read_files(std::string_view profile, std::string_view samples) {
    static const ocb::test::ScratchFolder kFolder;
    static_cast<void>(kFolder.put("p.sampleA", samples));
    const std::string path = kFolder.put("p.ompc", profile);
    try {
        make_report(report::read_live_file(path), 1);
    } catch (const std::runtime_error &) { // refused
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static const Base kBase;
    ocb::test::Input input(data, size);
    const std::size_t which = input.byte() % (kReports + 1);
    std::string changed = kBase.bytes;
    ocb::test::change_image(input, changed);
    const std::string_view whole = changed;
    const std::size_t profile_size = std::min(changed.size(), kBase.profile_size);
    if (which == kAsFiles) {
        read_files(whole.substr(0, profile_size), whole.substr(profile_size));
    } else {
        read_memory(whole.substr(0, profile_size), whole.substr(profile_size), which);
    }
    return 0;
}
