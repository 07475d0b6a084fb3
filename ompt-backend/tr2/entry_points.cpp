// SPDX-License-Identifier: Apache-2.0
#include "tr2/entry_points.h"

namespace ocb::ompt_tr2 {

constinit EntryPoints entry_points;

ompt_parallel_id_t parallel_id(int ancestor_level) {
    if (entry_points.get_parallel_id != nullptr) {
        return entry_points.get_parallel_id(ancestor_level);
    }
    ompt_parallel_id_t id = ompt_id_none;
    int team_size = 0;
    return entry_points.get_parallel_info(ancestor_level, &id, &team_size) != 0 ? id : ompt_id_none;
}

int team_size() {
    if (entry_points.get_parallel_team_size != nullptr) {
        return entry_points.get_parallel_team_size(0);
    }
    ompt_parallel_id_t id = ompt_id_none;
    int size = 0;
    const bool is_known = entry_points.get_parallel_info != nullptr &&
                          entry_points.get_parallel_info(0, &id, &size) != 0;
    return is_known ? size : 0;
}

} // namespace ocb::ompt_tr2
