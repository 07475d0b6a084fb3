// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene.h"

namespace ocb::test {

// A region of two in which all events are recorded.
struct Team {
    Team() {
        record_all_events();
        begin_team(region, worker);
        take_seen();
        worker.run([] { take_seen(); });
    }
    ~Team() {
        end_team(region, worker);
        take_seen();
    }
    Team(const Team &) = delete;
    Team &operator=(const Team &) = delete;

    Worker worker;
    FakeRegion region{2};
};

} // namespace ocb::test
