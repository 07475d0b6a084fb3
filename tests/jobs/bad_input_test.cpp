// SPDX-License-Identifier: Apache-2.0
//
// Files that cannot be read, ranks that are there twice or not at all, runs that do not belong
// together: a line each with cause and cure, and the rest is merged.
#include "made_files.h"

#include "job_figures.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <zlib.h>

namespace ocb_test {
namespace {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)

TEST(Merge, ADamagedFileIsALineAndTheRestIsMerged) {
    MadeFiles made({.ranks = 4});
    const std::string whole = made.saved({made.files[2]}, "whole.ompc");
    std::string bytes;
    {
        std::ifstream in(whole, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        bytes = text.str();
    }
    bytes[bytes.size() / 2] ^= 1;
    std::ofstream(made.folder.file("damaged.ompc"), std::ios::binary) << bytes;
    std::ofstream(made.folder.file("cut.ompc"), std::ios::binary) << bytes.substr(0, 100);
    std::ofstream(made.folder.file("text.ompc")) << "{ no run";
    const Job job = made.merged({made.files[0], made.folder.file("damaged.ompc"), made.files[1],
                                 made.folder.file("cut.ompc"), made.folder.file("text.ompc")});
    EXPECT_EQ(job.ranks.size(), 2U);
    ASSERT_EQ(made.complaints.size(), 3U);
    for (const char *name : {"damaged.ompc", "cut.ompc", "text.ompc"}) {
        EXPECT_TRUE(std::any_of(made.complaints.begin(), made.complaints.end(),
                                [&](const std::string &line) {
                                    return line.find(name) != std::string::npos &&
                                           line.ends_with("; left out");
                                }))
            << name;
    }
}

// A merged job whose version is another one, with its sum made anew.
std::string of_version(std::string bytes, uint32_t version) {
    const auto number = [&](size_t at, size_t size) {
        uint64_t value = 0;
        memcpy(&value, &bytes.at(at), size);
        return static_cast<size_t>(value);
    };
    const size_t table = 4 + number(4, 4);
    const size_t columns = table - number(table, 4); // of the root's fields
    memcpy(&bytes.at(table + number(columns + 4, 2)), &version, sizeof version);
    bytes.resize(bytes.size() - 4);
    const auto sum = static_cast<uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
    bytes.append(reinterpret_cast<const char *>(&sum), sizeof sum);
    return bytes;
}

TEST(Merge, AFileOfAnotherVersionIsALineAndTheRestIsMerged) {
    MadeFiles made({.ranks = 3});
    const std::string bytes = made.bytes({made.files[2]});
    std::ofstream(made.folder.file("same.ompc"), std::ios::binary) << of_version(bytes, 1);
    std::ofstream(made.folder.file("job.ompc"), std::ios::binary) << of_version(bytes, 99);
    std::ofstream(made.folder.file("run.ompc")) << R"({"format": "ompcollect-run", "version": 99})";
    const Job job = made.merged({made.files[0], made.folder.file("job.ompc"), made.files[1],
                                 made.folder.file("run.ompc"), made.folder.file("same.ompc")});
    EXPECT_EQ(job.ranks.size(), 3U);
    ASSERT_EQ(made.complaints.size(), 2U);
    for (const char *words : {"job.ompc: merged by a newer ompcollect (format 99",
                              "run.ompc: saved by another version of ompcollect (format 99"}) {
        EXPECT_TRUE(std::any_of(made.complaints.begin(), made.complaints.end(),
                                [&](const std::string &line) {
                                    return line.find(words) != std::string::npos &&
                                           line.find("read it with that one") != std::string::npos;
                                }))
            << made.complaints[0] << "\n"
            << made.complaints[1];
    }
}

TEST(Merge, ACopyOfARankCountsOnce) {
    MadeFiles made({.ranks = 3});
    const std::string whole = made.bytes(made.files);
    std::vector<std::string> files = made.files;
    files.push_back(made.add(made_rank({.ranks = 3}, 1), "copy.ompc"));
    EXPECT_EQ(made.bytes(files), whole);
    ASSERT_EQ(made.complaints.size(), 1U);
    EXPECT_NE(made.complaints[0].find("rank 1, is in another file, too"), std::string::npos)
        << made.complaints[0];
    // Of a merged job nothing can be taken away: it is left out as a whole.
    made.complaints.clear();
    const std::string merged = made.saved({made.files[0], made.files[2]}, "merged.ompc");
    EXPECT_EQ(made.merged({made.files[0], made.files[1], merged}).ranks.size(), 2U);
    ASSERT_EQ(made.complaints.size(), 1U);
    EXPECT_NE(made.complaints[0].find("has ranks that are in other files"), std::string::npos);
}

std::string doubts_of(const Job &job) {
    std::string all;
    for (const std::string &doubt : job_doubts(job)) {
        all += doubt + "\n";
    }
    return all;
}

TEST(JobDoubts, AWholeJobHasNone) {
    MadeFiles made({.ranks = 4});
    EXPECT_EQ(doubts_of(made.merged(made.files)), "");
}

TEST(JobDoubts, MissingRanksAreNamed) {
    MadeFiles made({.ranks = 8});
    std::ofstream(made.folder.file("rank-5.none")) << "n2\nit has no OpenMP\n";
    for (const int rank : {1, 2, 3, 5}) {
        std::remove(made.files[static_cast<size_t>(rank)].c_str());
    }
    const std::string doubts = doubts_of(made.merged({made.folder.file("")}));
    EXPECT_NE(doubts.find("rank 5 without a profile, on n2: it has no OpenMP"), std::string::npos)
        << doubts;
    EXPECT_NE(doubts.find("ranks 1-3 missing of 8: "), std::string::npos) << doubts;
}

TEST(JobDoubts, OddRunsAreNamed) {
    MadeFiles made({.ranks = 2});
    Process other = made_rank({.ranks = 2}, 1);
    other.pid = 77;
    other.begin += 3600;
    other.host = "far";
    other.program = "/somewhere/other";
    other.job = "job.8";
    other.ending = ompcollect::Ending::kNone;
    made.add(other, "other.ompc");
    const std::string doubts = doubts_of(made.merged(made.files));
    EXPECT_NE(doubts.find("rank 1 there more than once"), std::string::npos) << doubts;
    EXPECT_NE(doubts.find("different programs are in it: other (1), solver (2)"), std::string::npos)
        << doubts;
    EXPECT_NE(doubts.find("the clocks of n0 and far are 3600 s apart"), std::string::npos)
        << doubts;
    EXPECT_NE(doubts.find("rank 1 ended early: killed, or left by _exit"), std::string::npos)
        << doubts;
}

} // namespace
} // namespace ocb_test
