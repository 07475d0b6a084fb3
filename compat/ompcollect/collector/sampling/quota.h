// SPDX-License-Identifier: Apache-2.0
//
// The quota of processor time that the kernel gives to the process's control group, as container
// runtimes and batch systems set it (cgroup v1: cfs_quota; v2: cpu.max). A group that has used its
// quota is stopped until the period ends. For the sampling thread alone.
#pragma once

namespace ompcollect {

// Reads some files: twice a second, and at the end. A group or a file may vanish, and a quota may
// change: what was seen until then is kept.
void look_at_quota();

// In a process that begins to sample, and in the child after fork().
void restart_quota();

} // namespace ompcollect
