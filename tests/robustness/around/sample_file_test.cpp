// SPDX-License-Identifier: Apache-2.0
//
// The limit of the file of samples. Whenever one looks, or the process dies, the file that counts
// has every 2^k-th sample of each thread from the first on, and no more than the limit is in use.
#include "long_form.h"
#include "process.h"
#include "profile_file.h"
#include "sample_file.h"
#include "settings.h"
#include "store.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ompcollect {

// What the file of samples needs of the collector. The header is shared with a child.
namespace {
FileHeader *shared_header = nullptr;
std::string stem;
} // namespace
constinit Settings current_settings;
FileHeader &header() {
    return *shared_header;
}
const char *sample_file_stem() {
    return stem.c_str();
}

} // namespace ompcollect

namespace ocb_test {
namespace {

namespace fs = std::filesystem;
using namespace ompcollect;

constexpr uint64_t kMegabyte = 1000000;

class SampleFiles : public testing::Test {
  protected:
    SampleFiles() {
        void *memory = mmap(nullptr, sizeof(FileHeader), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        shared_header = new (memory) FileHeader{};
        stem = folder_.file("1-0");
        current_settings.samples_mb = 1;
        begin_sample_file();
    }
    ~SampleFiles() override { munmap(shared_header, sizeof(FileHeader)); }
    SampleFiles(const SampleFiles &) = delete;
    SampleFiles &operator=(const SampleFiles &) = delete;

    static SampleFile file() { return SampleFile::of(header().sample_file.load()); }

    // The n-th sample of a thread has n in the place of its node.
    std::vector<PlainSample> next_samples() {
        std::vector<PlainSample> samples;
        for (int i = 0; i < 900; ++i) {
            ++time_;
            const auto thread = static_cast<uint32_t>(time_ % 7 == 0 ? 3 : time_ % 2);
            samples.push_back({time_, taken_[thread]++, sample_who(thread, 4)});
        }
        return samples;
    }
    int append_and_thin() {
        const std::vector<PlainSample> samples = next_samples();
        const int error = append_samples(samples.data(), samples.size());
        return error != 0 ? error : thin_sample_file();
    }
    [[nodiscard]] uint64_t bytes_in_use() const {
        uint64_t sum = 0;
        for (const auto &entry : fs::directory_iterator(folder_.file(""))) {
            sum += fs::file_size(entry);
        }
        return sum;
    }
    static void expect_whole() {
        const SampleFile now = file();
        std::ifstream in(stem + now.suffix(), std::ios::binary);
        std::map<uint32_t, uint32_t> next;
        for (uint64_t i = 0; i < now.rows; ++i) {
            PlainSample sample{};
            ASSERT_TRUE(in.read(reinterpret_cast<char *>(&sample), sizeof sample)) << i;
            ASSERT_EQ(sample.node, next[sample.who]) << "row " << i << " of " << now.rows;
            next[sample.who] += 1U << now.thinnings;
        }
    }

    TemporaryFolder folder_;
    std::map<uint32_t, uint32_t> taken_;
    uint64_t time_ = 0;
};

TEST_F(SampleFiles, AreThinnedAtTheLimit) {
    unsigned thinnings = 0;
    while (thinnings < 5) {
        ASSERT_EQ(append_and_thin(), 0);
        ASSERT_LE(bytes_in_use(), kMegabyte);
        if (file().thinnings != thinnings) {
            ++thinnings;
            EXPECT_EQ(file().thinnings, thinnings);
            expect_whole();
            // Nothing is given up before its time.
            EXPECT_GT(file().rows * sizeof(PlainSample), kMegabyte / 5);
            EXPECT_FALSE(fs::exists(stem + kSampleSuffixes[(thinnings + 1) % 2]));
        }
    }
}

// To write beyond that limit would end the process by SIGXFSZ.
TEST_F(SampleFiles, KeepTheLimitOfTheProcess) {
    current_settings.samples_mb = 100;
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {400000, 400000};
        setrlimit(RLIMIT_FSIZE, &limit);
        while (file().thinnings < 3) {
            if (append_and_thin() != 0) {
                _exit(1);
            }
        }
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    expect_whole();
}

TEST_F(SampleFiles, AreWholeWhereverTheProcessDies) {
    const int times = is_long() ? 1000 : 20;
    for (int i = 0; i < times; ++i) {
        new (shared_header) FileHeader{};
        begin_sample_file();
        const pid_t child = fork();
        if (child == 0) {
            while (append_and_thin() == 0) {
            }
            _exit(1);
        }
        const auto wanted = static_cast<unsigned>(i % 4);
        while (file().thinnings < wanted) {
            usleep(100);
        }
        usleep(static_cast<useconds_t>(i * 379 % 5000));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        expect_whole();
    }
}

TEST_F(SampleFiles, SayWhyTheyEnd) {
    constexpr uint64_t kNearlyFull = kMegabyte * 2 / 3 / sizeof(PlainSample) - 1005;
    header().sample_file = SampleFile{kNearlyFull, kMostThinnings}.word();
    int error = 0;
    for (int i = 0; error == 0 && i < 10000; ++i) {
        const std::vector<PlainSample> samples(1000, PlainSample{1, 1, sample_who(1, 4)});
        error = append_samples(samples.data(), samples.size());
    }
    EXPECT_EQ(error, EFBIG);
    EXPECT_LE(bytes_in_use(), kMegabyte);
}

} // namespace
} // namespace ocb_test
