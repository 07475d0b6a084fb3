// SPDX-License-Identifier: Apache-2.0
//
// damage COUNT FILE... - what becomes of files of a run that are not whole: each is cut at COUNT
// places, and COUNT times one of its bits is flipped, both spread over the file (all there are, if
// they are fewer). So are three files made here: a saved run, which grows with COUNT to more than
// 100,000 bytes, an export, and live tables. The last two have less than 17,000 bytes, so that each
// bit has its turn where COUNT is 100,000 or more. Each is read as `ompcollect report` reads it. It
// must be one line with file, cause and cure, or a run from which reports can be made:
//   of a saved run   never where it is cut; with a flipped bit the right one, as it has a sum
//   of an export     the right one where it is cut behind its end alone
//   of live tables   with the warning that the file is cut
// The short form is a test; the long one, with sanitizers, is in tests/robustness/RESULTS.md.
#include "command.h"
#include "failure.h"
#include "formats.h"
#include "input.h"
#include "job_reports.h"
#include "live_image.h"
#include "people.h"
#include "printable_run.h"
#include "profile_file.h"
#include "run_binary.h"
#include "run_file.h"
#include "scratch_folder.h"

#include "../report/made_runs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)
namespace fs = std::filesystem;

enum class Kind : unsigned { kSaved, kExport, kLive };

std::string content_of(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    ocb::test::require(in.good(), path.c_str());
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string export_of(const Run &run) {
    std::ostringstream out;
    write_run(run, out);
    return out.str();
}

std::string saved_of(const Run &run) {
    std::ostringstream out;
    write_binary(run, out);
    return out.str();
}

bool is_a_line(const std::string &words) {
    return std::none_of(words.begin(), words.end(),
                        [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// Each format in its turn, as the page is large. What is read is compared as it is saved, which
// takes a tenth of the time of an export.
void report_of(Run run, size_t turn) {
    const Format &format = formats()[turn % formats().size()];
    if (format.names == Names::kPrintable) {
        for (Process &process : run.processes) {
            make_printable(process);
        }
    }
    if (format.write && (std::string(format.name) != "html" || turn % 64 == 0)) {
        std::ostringstream out;
        format.write(run, {}, out);
    }
}

class Damage {
  public:
    Damage(const std::string &name, Kind kind, std::string whole, const std::string &samples)
        : name_(name), kind_(kind), whole_(std::move(whole)),
          file_(kind == Kind::kLive ? "damaged.ompprof" : "damaged.ompc") {
        if (kind == Kind::kLive) {
            static_cast<void>(folder_.put("damaged.sampleA", samples));
        }
        ocb::test::require(read(whole_, 0), "the whole file is read");
        text_ = std::exchange(read_, {});
    }
    void cut(size_t count) {
        const size_t step = std::max<size_t>(1, whole_.size() / count);
        for (size_t size = 0; size < whole_.size(); size += step) {
            const bool is_read = read(whole_.substr(0, size), size / step);
            // Behind the end of an export there is a newline.
            ocb::test::require(!is_read || kind_ != Kind::kSaved, "a cut file is refused");
            ocb::test::require(!is_read || is_partial_ || read_ == text_, "a cut is reported");
            ++cuts_;
        }
    }
    void flip(size_t count) {
        const size_t bits = whole_.size() * 8;
        // Not always the same bit of a byte.
        const size_t step = std::max<size_t>(1, bits / count) | 1U;
        for (size_t bit = 0; bit < bits; bit += step) {
            std::string bytes = whole_;
            bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
            const bool is_read = read(bytes, bit / step);
            ocb::test::require(!is_read || kind_ != Kind::kSaved || read_ == text_,
                               "a run with a wrong bit is refused");
            ++flips_;
        }
    }
    void tell() const {
        std::printf("%s, %zu bytes: %zu cuts, %zu flipped bits, %zu of them read\n", name_.c_str(),
                    whole_.size(), cuts_, flips_, reads_);
    }

  private:
    // False: refused, with a line that names file, cause and cure.
    bool read(const std::string &bytes, size_t turn) {
        const std::string path = folder_.put(file_, bytes);
        try {
            const Run run = load_run(path, ompcollect::read_raw_profiles);
            ++reads_;
            is_partial_ = std::any_of(run.processes.begin(), run.processes.end(),
                                      [](const Process &each) { return each.is_partial; });
            read_ = saved_of(run);
            report_of(run, turn);
            return true;
        } catch (const ompcollect::Failure &failure) {
            const std::string words = failure.what();
            const bool is_good = words.starts_with(path + ": ") && is_a_line(printable(words)) &&
                                 words.find("; ") != std::string::npos;
            ocb::test::require(is_good, words.c_str());
            return false;
        }
    }

    ocb::test::ScratchFolder folder_;
    std::string name_;
    Kind kind_;
    std::string whole_;
    std::string file_;
    std::string text_; // what is read of the whole
    std::string read_; // what was read last
    bool is_partial_ = false;
    size_t cuts_ = 0;
    size_t flips_ = 0;
    size_t reads_ = 0;
};

Run made_run(size_t rows) {
    Process process = ocb_test::made_with_samples();
    for (unsigned i = 0; i < rows; ++i) {
        process.cells.push_back({i % 2, static_cast<int>(i % 5), i % 12, i * 0.001, i * 0.0001, i});
        process.samples.push_back({2 + i * 0.001, i % 2, static_cast<int>(i % 5), i % 12});
    }
    return {{process}};
}

Kind kind_of(const std::string &bytes) {
    std::istringstream in(bytes);
    return is_binary_run(in) ? Kind::kSaved : bytes.starts_with("{") ? Kind::kExport : Kind::kLive;
}

void damage(size_t count, const std::vector<std::string> &files) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const std::string &file : files) {
        all.emplace_back(fs::path(file).filename(), content_of(file));
    }
    constexpr size_t kFewRows = 100;
    const size_t rows = std::clamp<size_t>(count, kFewRows, 1800);
    const ocb::test::LiveImage live = ocb::test::live_image(kFewRows / 5);
    all.emplace_back("a saved run", saved_of(made_run(rows)));
    all.emplace_back("an export", export_of(made_run(kFewRows)));
    all.emplace_back("live tables", live.profile);
    for (const auto &[name, bytes] : all) {
        Damage one(name, kind_of(bytes), bytes, live.samples);
        one.cut(count);
        one.flip(count);
        one.tell();
    }
}

} // namespace

int main(int count, char **arguments) {
    const long times = count > 1 ? std::strtol(arguments[1], nullptr, 10) : 0;
    if (times <= 0) {
        std::fprintf(stderr, "usage: %s COUNT [FILE...]\n", arguments[0]);
        return 2;
    }
    try {
        damage(static_cast<size_t>(times), {arguments + 2, arguments + count});
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
