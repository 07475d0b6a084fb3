// SPDX-License-Identifier: Apache-2.0
#include "processor_sets.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ompcollect::report {

uint64_t processors_in(const std::vector<uint64_t> &ranges) {
    uint64_t all = 0;
    for (size_t i = 0; i + 1 < ranges.size(); i += 2) {
        all += ranges[i + 1] >= ranges[i] ? ranges[i + 1] - ranges[i] + 1 : 0;
    }
    return all;
}

unsigned processors_of(const std::vector<Thread> &threads) {
    constexpr uint64_t kMost = 65536;
    std::set<uint64_t> all;
    for (const Thread &thread : threads) {
        for (const auto *ranges : {&thread.fewest_processors, &thread.last_processors}) {
            for (size_t i = 0; i + 1 < ranges->size(); i += 2) {
                for (uint64_t at = (*ranges)[i]; at <= std::min((*ranges)[i + 1], kMost); ++at) {
                    all.insert(at);
                }
            }
        }
    }
    return static_cast<unsigned>(all.size());
}

std::string processors_text(const std::vector<uint64_t> &ranges) {
    std::string text;
    for (size_t i = 0; i + 1 < ranges.size(); i += 2) {
        text += (i == 0 ? "" : ",") + std::to_string(ranges[i]);
        text += ranges[i + 1] > ranges[i] ? "-" + std::to_string(ranges[i + 1]) : "";
    }
    return text;
}

std::vector<uint64_t> ranges_of_bits(const std::vector<uint64_t> &words) {
    std::vector<uint64_t> ranges;
    for (uint64_t number = 0; number < words.size() * 64; ++number) {
        if ((words[number / 64] >> (number % 64) & 1) == 0) {
            continue;
        }
        if (!ranges.empty() && ranges.back() + 1 == number) {
            ranges.back() = number;
        } else {
            ranges.insert(ranges.end(), 2, number);
        }
    }
    return ranges;
}

unsigned most_on_one_processor(const std::vector<Thread> &threads) {
    // Of each processor: when a thread begins, and when one ends.
    std::map<uint64_t, std::vector<std::pair<double, int>>> changes;
    for (const Thread &thread : threads) {
        if (processors_in(thread.fewest_processors) == 1) {
            auto &of = changes[thread.fewest_processors[0]];
            of.emplace_back(thread.begin, 1);
            of.emplace_back(thread.end, -1);
        }
    }
    int most = 0;
    for (auto &[processor, of] : changes) {
        std::sort(of.begin(), of.end());
        int now = 0;
        for (const auto &[time, change] : of) {
            now += change;
            most = std::max(most, now);
        }
    }
    return static_cast<unsigned>(most);
}

} // namespace ompcollect::report
