// SPDX-License-Identifier: Apache-2.0
#include "core.h"
#include "defects.h"

namespace mini {

// 5.x: application, and whether the address is a frame pointer or some address of the stack.
int frame_flags(const Entry &entry) {
    return entry.has_frame_pointer ? 0x21 : 0x31;
}

void leave_runtime(Task &task, void *frame, int flags) {
    task.frame.exit_flags = flags;
    task.frame.exit =
        breaks(Defect::kTaskFrameExit) && task.kind == TaskKind::kImplicit ? nullptr : frame;
}

void enter_runtime(Task &task, const Entry &entry) {
    constexpr int kFurtherIn = 1 << 20;
    task.frame.enter_flags = frame_flags(entry);
    if (breaks(Defect::kTaskFrameReenter)) {
        task.frame.enter = nullptr;
    } else if (breaks(Defect::kTaskFrameOrder)) {
        task.frame.enter = static_cast<char *>(entry.frame) - kFurtherIn;
    } else {
        task.frame.enter = entry.frame;
    }
}

// The caller's frame pointer, if it keeps one; else the end of its frame, where it called us.
Entry entry_of(const void *caller, void *own_frame) {
    constexpr std::uintptr_t kFarthest = 1 << 20;
    const auto own = reinterpret_cast<std::uintptr_t>(own_frame);
    const std::uintptr_t end = own + 2 * sizeof(void *);
    const std::uintptr_t saved = *static_cast<const std::uintptr_t *>(own_frame);
    const bool is_frame = saved >= end && saved - end < kFarthest && saved % sizeof(void *) == 0;
    return {caller, reinterpret_cast<void *>(is_frame ? saved : end), is_frame};
}

} // namespace mini
