// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong with ranks: the others are kept, and a line in the head names them and why. Disks
// and hosts are mounts of the test's own, for which it has to be root.
#include "launched.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

// The report's head as one line, however it is broken.
std::string warnings(const std::string &text) {
    std::istringstream words(text.substr(0, text.find("Verdict:")));
    std::string line;
    for (std::string word; words >> word;) {
        line += (line.empty() ? "" : " ") + word;
    }
    return line;
}

// The script on a disk of its own, the folder "$2", of so many megabytes.
Outcome on_a_disk_of(int megabytes, const std::string &script) {
    const TemporaryFolder folder;
    return shell("exec unshare -m bash -c 'mount -t tmpfs -o size=" + std::to_string(megabytes) +
                     "M none \"$2\" || exit\n" + script + "' \"$0\" \"$1\" \"$2\"",
                 {folder.file("")});
}

// The disk is full before the rank begins.
TEST(JobFaults, ARankWithoutRoomIsNamed) {
    OCB_SKIP_WITHOUT_MOUNTS();
    const Outcome outcome = on_a_disk_of(2, R"SH(
        set -e
        export PMI_SIZE=2
        PMI_RANK=0 "$0" -o "$2/job.ompc" "$1" exit 0
        dd if=/dev/zero of="$2/other" bs=1k 2>/dev/null || true
        PMI_RANK=1 "$0" -o "$2/job.ompc" "$1" exit 0
        "$0" report "$2/job.ompc"
    )SH");
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_TRUE(contains(outcome.out, "  1 rank on 1 host (")) << outcome.describe();
    EXPECT_TRUE(contains(warnings(outcome.out),
                         "rank 1 without a profile: its launcher had no room for the cause; make "
                         "room on the disk of this folder"))
        << outcome.describe();
    // And by its launcher, as it could write that nowhere else.
    EXPECT_TRUE(contains(outcome.err, "could not begin its profile in ")) << outcome.describe();
    EXPECT_TRUE(contains(outcome.err, "(No space left on device)")) << outcome.describe();
}

// It is full at the end: the profile was live there, and stays.
TEST(JobFaults, ARankThatCannotBeSavedIsKept) {
    OCB_SKIP_WITHOUT_MOUNTS();
    const Outcome outcome = on_a_disk_of(4, R"SH(
        export PMI_SIZE=2
        PMI_RANK=0 "$0" -o "$2/job.ompc" "$1" exit 0
        PMI_RANK=1 "$0" -o "$2/job.ompc" "$1" await "$2/ready" & launcher=$!
        until [ -f "$2/ready" ]; do sleep 0.05; done
        dd if=/dev/zero of="$2/other" bs=1k 2>/dev/null
        kill -TERM $(pgrep -P $launcher)
        wait $launcher && exit 1
        "$0" report "$2/job.ompc"
    )SH");
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_TRUE(contains(outcome.out, "  2 ranks on 1 host (")) << outcome.describe();
    EXPECT_TRUE(contains(outcome.err, "rank-1.ompc: No space left on device"))
        << outcome.describe();
    EXPECT_TRUE(contains(outcome.err, "what was measured stays in ")) << outcome.describe();
}

// One launcher around all ranks, of which one has a /tmp of its own. A result on a disk that all of
// them see has it; where profiles are in /tmp, it is named.
TEST(JobFaults, AHostWithAnotherTmp) {
    OCB_SKIP_WITHOUT_MOUNTS();
    const TemporaryFolder folder;
    const std::string ranks = R"SH(
        cat > "$2/mpirun" <<'END'
#!/bin/sh
            export PMI_SIZE=3
            for PMI_RANK in 0 1 2; do
                export PMI_RANK
                if [ $PMI_RANK = 1 ]; then
                    unshare -m sh -c 'mount -t tmpfs none "$TMPDIR" && exec "$@"' sh "$@" &
                else
                    "$@" &
                fi
            done
            wait
END
        chmod +x "$2/mpirun"
        mkdir "$2/tmp"
        export TMPDIR="$2/tmp"
    )SH";
    const std::string script =
        ranks + R"SH("$0" -o "$2/job.ompc" "$2/mpirun" "$1" exit 0 && "$0" report "$2/job.ompc")SH";
    const Outcome seen = shell(script, {folder.file("")});
    EXPECT_TRUE(contains(seen.out, "  3 ranks on 1 host (")) << seen.describe();
    EXPECT_FALSE(warns(seen.out)) << seen.describe();
    const TemporaryFolder other;
    const Outcome unseen = shell(ranks + R"SH("$0" "$2/mpirun" "$1" exit 0)SH", {other.file("")});
    EXPECT_TRUE(contains(unseen.err, "  2 ranks on 1 host (")) << unseen.describe();
    EXPECT_TRUE(contains(warnings(unseen.err),
                         "rank 1 missing of 3: nothing is here; the host may not see the folder"))
        << unseen.describe();
    EXPECT_TRUE(contains(warnings(unseen.err), "keeps every rank")) << unseen.describe();
}

// `--rank all`: each rank as a report of its own, in their order.
TEST(JobReports, OfAllRanksAndOfOne) {
    const TemporaryFolder folder;
    const Outcome outcome = shell(
        "for rank in 2 0 1; do PMI_SIZE=3 PMI_RANK=$rank \"$0\" -o \"$2\" \"$1\" exit $rank; done",
        {folder.file("job.ompc")});
    const std::string all = report(folder.file("job.ompc"), "--rank all");
    EXPECT_EQ(count(all, "== OpenMP profile of "), 3U) << all;
    size_t before = 0;
    for (const char *rank : {"0", "1", "2"}) {
        const std::string one = report(folder.file("job.ompc"), std::string("--rank ") + rank);
        EXPECT_EQ(count(one, "== OpenMP profile of "), 1U) << one;
        EXPECT_TRUE(contains(one, std::string(", rank ") + rank + ",")) << one;
        const size_t at = all.find(one);
        EXPECT_TRUE(at != std::string::npos && at >= before) << all << "\n" << one;
        before = at + one.size();
    }
    EXPECT_FALSE(contains(all, "OpenMP profile of a job")) << all;
    // A rank that the job does not have.
    const Outcome none = shell("\"$0\" report --rank 7 \"$2\"", {folder.file("job.ompc")});
    EXPECT_FALSE(none.succeeded()) << none.describe();
    EXPECT_TRUE(contains(none.err, "rank 7")) << none.describe();
}

} // namespace
} // namespace ocb_test
