// SPDX-License-Identifier: Apache-2.0
#include "call_paths.h"

#include "call_tree.h"
#include "cells.h"
#include "fork_stacks.h"
#include "machine.h"
#include "own_stack.h"
#include "settings.h"
#include "store.h"

#include <cstring>

namespace ompcollect {

namespace {

bool is_at_root(const PathBase &base) {
    return base.node == kNoRow;
}

bool is_within(const ThreadSlot &slot, uintptr_t address) {
    return address >= slot.stack_low && address < slot.stack_high;
}

// Whether the frame is the one that holds the fork, or lies above. Stacks of handlers and
// coroutines have no order: there it must be the very frame.
bool holds_fork(const ThreadSlot &slot, uintptr_t fork_cfa, const StackWalk &walk) {
    if (is_within(slot, fork_cfa - 1)) {
        return walk.cfa() >= fork_cfa && walk.cfa() <= slot.stack_high;
    }
    return walk.sp() < fork_cfa && walk.cfa() >= fork_cfa;
}

// False: there is no more room.
bool take_python_frame(FrameList &frames) {
    const uint64_t place = frames.python->places[frames.python_frames++];
    if (place == kNoPlace) {
        return true;
    }
    if (frames.count == FrameList::kMost) {
        return false;
    }
    const uint32_t location = location_of_python(place);
    if (location != kNoRow) {
        frames.locations[frames.count++] = location;
        frames.base_run = 0;
    }
    return true;
}

bool is_in_evaluation(const InterpreterFile &file, const StackWalk &walk) {
    return walk.pc() > file.evaluation && walk.pc() <= file.evaluation_end;
}

// Whether the next run of Python frames stands in this native one. Those whose native frame has not
// been met are left out.
bool has_next_run(const ThreadSlot &slot, const InterpreterFile &file, const StackWalk &walk,
                  FrameList &frames) {
    const PythonStack &python = *frames.python;
    for (; frames.python_runs < python.run_count; ++frames.python_runs) {
        const PythonRun &run = python.runs[frames.python_runs];
        if (run.anchor == 0) {
            return is_in_evaluation(file, walk);
        }
        const bool is_passed =
            run.anchor < walk.sp() && is_within(slot, walk.sp()) && is_within(slot, run.anchor);
        if (!is_passed) {
            return run.anchor >= walk.sp() && run.anchor < walk.cfa();
        }
        frames.python_frames = run.end;
    }
    return false;
}

// The Python frames that stand in this native one. False: there are more than are kept.
bool take_python_frames(const ThreadSlot &slot, const InterpreterFile &file, const StackWalk &walk,
                        FrameList &frames) {
    while (has_next_run(slot, file, walk, frames)) {
        const PythonStack &python = *frames.python;
        const PythonRun &run = python.runs[frames.python_runs++];
        while (frames.python_frames < run.end) {
            if (!take_python_frame(frames)) {
                return false;
            }
        }
        if (python.is_cut && frames.python_runs == python.run_count) {
            return false;
        }
    }
    return true;
}

void cut(FrameList &frames) {
    frames.is_cut = true;
    frames.cut_at = frames.count;
}

// The Python frames are known to the root of the stack, wherever the native ones end.
void take_other_python_frames(const PathBase &base, FrameList &frames) {
    if (!frames.python || !is_at_root(base)) {
        return;
    }
    while (frames.python_frames < frames.python->frame_count && take_python_frame(frames)) {
    }
}

// False: the path's beginning is reached.
bool take_frame(const ThreadSlot &slot, const PathBase &base, const StackWalk &walk,
                FrameList &frames) {
    if (walk.kind() == CodeKind::kOwn || walk.kind() == CodeKind::kRuntime) {
        if (frames.count == frames.base_run) {
            frames.count = 0; // the C library's functions were called by the runtime
            frames.base_run = 0;
        }
        return walk.kind() == CodeKind::kOwn || is_at_root(base) || frames.count == 0;
    }
    if (base.fork_cfa != 0 && holds_fork(slot, base.fork_cfa, walk)) {
        return false;
    }
    if (walk.is_first_frame()) {
        return true; // _start or clone
    }
    const InterpreterFile *const python = frames.python ? loaded_interpreter() : nullptr;
    if (python && !take_python_frames(slot, *python, walk, frames)) {
        cut(frames);
        return false;
    }
    if (python && is_in(*python, walk.pc()) && !current_settings.native) {
        return true; // what it executes is in the path
    }
    if (frames.count == FrameList::kMost) {
        cut(frames);
        return false;
    }
    frames.locations[frames.count++] = walk.location();
    frames.base_run = walk.kind() == CodeKind::kBase ? frames.base_run + 1 : 0;
    return true;
}

// After the walk: what called main() or the thread's function goes.
void drop_base(const StackWalk &walk, FrameList &frames) {
    if (walk.is_whole()) {
        frames.count -= frames.base_run;
    }
}

uint32_t hang(const FrameList &frames, const PathBase &base) {
    uint32_t node = base.node;
    const auto hang_cut = [&](unsigned at) {
        if (frames.is_cut && frames.cut_at == at) {
            const uint32_t cut = child_node(kNoRow, node, NodeKind::kCut);
            node = cut != kNoRow ? cut : node;
        }
    };
    for (unsigned i = frames.count; i > 0; --i) {
        hang_cut(i);
        const uint32_t child = child_node(frames.locations[i - 1], node, NodeKind::kFrame);
        if (child == kNoRow) {
            return node; // no room: the time is its caller's
        }
        node = child;
    }
    hang_cut(0);
    return node;
}

void begin_frames(FrameList &frames, const PythonStack *python) {
    frames.count = 0;
    frames.base_run = 0;
    frames.is_cut = false;
    frames.python = python;
    frames.python_runs = 0;
    frames.python_frames = 0;
}

// After a walk that has not reached the path's begin.
void end_frames(const PathBase &base, const StackWalk &walk, FrameList &frames) {
    drop_base(walk, frames);
    if (!walk.is_whole()) {
        cut(frames);
    }
    take_other_python_frames(base, frames);
}

// Below where the path begins; null: there are none.
const PythonStack *python_below(const PathBase &base, const InterpreterFile *file, uintptr_t state,
                                PythonStack &to) {
    const uintptr_t end = base.fork_cfa != 0 ? base.fork_cfa : UINTPTR_MAX;
    return state != 0 && read_python_stack(*file, state, end, to) ? &to : nullptr;
}

// Of the calling thread.
const PythonStack *own_python(ThreadSlot &slot, const PathBase &base, PythonStack &to) {
    const InterpreterFile *const file = loaded_interpreter();
    return python_below(base, file, file ? own_python_state(*file, slot.python_state) : 0, to);
}

// The same, with more room for names where that is needed. Not in a signal handler.
const PythonStack *own_python_growing(ThreadSlot &slot, const PathBase &base, PythonStack &to) {
    constexpr unsigned kTries = 5; // each has twice the room
    const PythonStack *python = own_python(slot, base, to);
    for (unsigned i = 1; i < kTries && !python && to.scratch.lacks_room; ++i) {
        grow_store();
        grow_call_tree();
        python = own_python(slot, base, to);
    }
    to.scratch.lacks_room = false;
    return python;
}

// True if it went to where the path begins.
bool follow(const ThreadSlot &slot, const PathBase &base, StackWalk &walk, FrameList &frames,
            const PythonStack *python) {
    begin_frames(frames, python);
    while (walk.has_frame()) {
        if (!take_frame(slot, base, walk, frames)) {
            return !frames.is_cut;
        }
        walk.next();
    }
    end_frames(base, walk, frames);
    return walk.is_whole();
}

// What is mapped for certain: the whole stack, or what is in use of another one's page.
StackMemory memory_at_hand(const ThreadSlot &slot, uintptr_t sp) {
    constexpr uintptr_t kPage = 4096;
    const uintptr_t high = is_within(slot, sp) ? slot.stack_high : (sp / kPage + 1) * kPage;
    return {sp, high, reinterpret_cast<const char *>(sp), true};
}

// What lies from `sp` upwards. Of another stack than the thread's own, a handler's or a
// coroutine's, a copy is made: it may end anywhere, which the kernel knows.
StackMemory memory_from(const ThreadSlot &slot, uintptr_t sp, StackCopy &copy) {
    constexpr uintptr_t kRedZone = 128;
    const uintptr_t low = sp - kRedZone;
    if (is_within(slot, sp)) {
        return {low, slot.stack_high, reinterpret_cast<const char *>(low), true};
    }
    return {low, low + copy_memory(low, copy, sizeof copy), copy, true};
}

// What has been loaded since, before a walk. Not in a signal handler.
void learn_new_code() {
    refresh_modules_if_changed();
    learn_interpreter();
    add_module_rows();
    grow_call_tree();
}

// False: the slot lies outside of what may be read again without care.
bool record_slot(SlotNotes &to, uintptr_t sp, const StackMemory &memory, uintptr_t address) {
    if (address == 0) {
        return true;
    }
    if (to.count == SlotNotes::kMost || address < sp || address + sizeof(uintptr_t) > memory.high) {
        return false;
    }
    to.offsets[to.count] = static_cast<uint32_t>(address - sp);
    memcpy(&to.values[to.count++], memory.bytes + (address - memory.low), sizeof(uintptr_t));
    return true;
}

// Walks, notes what it reads and finds the place. False: not to be remembered.
bool walk_to_fork(ThreadSlot &slot, const PathBase &base, const StackMemory &memory,
                  const ForkStart &start, SlotNotes &notes, ForkPlace &place) {
    StackWalk walk({start.pc, start.sp, start.bp, true, nullptr}, memory, start.is_exact);
    FrameList &frames = slot.fork_frames;
    begin_frames(frames, own_python_growing(slot, base, slot.fork_python));
    bool is_good = memory.high > start.sp;
    const auto note = [&](uintptr_t address) {
        is_good = is_good && record_slot(notes, start.sp, memory, address);
    };
    bool is_reached = false;
    while (walk.has_frame()) {
        const unsigned before = frames.count;
        is_reached = !take_frame(slot, base, walk, frames);
        notes.uses_bp = notes.uses_bp || walk.used_first_base();
        note(walk.base_slot());
        for (const uintptr_t address : walk.other_slots()) {
            note(address);
        }
        if (is_reached) {
            break;
        }
        if (before == 0 && frames.count != 0) {
            place.address = walk.pc();
            place.cfa = walk.cfa();
        }
        walk.next();
        if (walk.has_frame()) {
            note(walk.return_slot());
        }
    }
    if (!is_reached) {
        end_frames(base, walk, frames);
    }
    notes.python = slot.fork_python.frames;
    notes.python_count = frames.python ? frames.python_frames : 0;
    place.node = hang(frames, base);
    // Frames that could not be read now may be there the next time.
    const bool lacks_python =
        !frames.python && base.fork_cfa == 0 && top_of_python(slot.python_state).frame != 0;
    return is_good && walk.is_repeatable() && !lacks_python;
}

} // namespace

void learn_stack_bounds(ThreadSlot &slot) {
    forget_stacks(slot);
    learn_interpreter();
    const StackBounds bounds = own_stack();
    slot.stack_low = bounds.low;
    slot.stack_high = bounds.high;
}

namespace {

const ForkPlace *recall_or_walk(ThreadSlot &slot, ForkKey key, const ForkStart &start,
                                ForkPlace &walked) {
    if (const ForkPlace *known = recall_expected_stack(slot, key)) {
        return known;
    }
    if (const ForkPlace *known = recall_stack(slot, key, memory_at_hand(slot, start.sp))) {
        return known;
    }
    const StackMemory memory = memory_from(slot, start.sp, slot.fork_copy);
    const bool is_own = is_within(slot, start.sp);
    if (!is_own) {
        if (const ForkPlace *known = recall_stack(slot, key, memory)) {
            return known;
        }
    }
    add_to(slot.row->fork_walks, 1);
    // Modules that have come since: their rows are made here, where that is allowed.
    learn_new_code();
    key.generation = code_generation();
    SlotNotes notes;
    walked = {kNoRow, 0, 0, nullptr};
    if (walk_to_fork(slot, key.base, memory, start, notes, walked)) {
        if (const ForkPlace *kept = keep_stack(slot, key, notes, walked, is_own)) {
            return kept;
        }
    }
    return &walked;
}

} // namespace

__attribute__((noinline)) const ForkPlace *fork_place(ThreadSlot &slot, PathBase base,
                                                      uintptr_t reported, ForkPlace &walked) {
    Registers now;
    OMPCOLLECT_REGISTERS_HERE(now);
    const ForkKey key = {now.sp, reported, code_generation(),
                         base,   now.bp,   top_of_python(slot.python_state)};
    return recall_or_walk(slot, key, {now.pc, now.sp, now.bp, true}, walked);
}

const ForkPlace *fork_place_behind(ThreadSlot &slot, PathBase base, const uintptr_t *call,
                                   ForkPlace &walked) {
    const ForkStart start = start_behind(call);
    const ForkKey key = {start.sp, start.pc, code_generation(),
                         base,     start.bp, top_of_python(slot.python_state)};
    return recall_or_walk(slot, key, start, walked);
}

__attribute__((noinline)) uint32_t standing_path(ThreadSlot &slot, const PathBase &base,
                                                 uintptr_t fork_cfa) {
    learn_new_code();
    Registers now;
    OMPCOLLECT_REGISTERS_HERE(now);
    StackWalk walk(now, memory_from(slot, now.sp, slot.fork_copy), true);
    FrameList &frames = slot.fork_frames;
    begin_frames(frames, own_python_growing(slot, base, slot.fork_python));
    bool is_reached = false;
    for (; walk.has_frame() && !is_reached; walk.next()) {
        is_reached = walk.cfa() >= fork_cfa && !take_frame(slot, base, walk, frames);
    }
    if (!is_reached) {
        end_frames(base, walk, frames);
    }
    return hang(frames, base);
}

__attribute__((noinline)) CodePlace calling_place(ThreadSlot &slot, const PathBase &base) {
    learn_new_code();
    Registers now;
    OMPCOLLECT_REGISTERS_HERE(now);
    StackWalk walk(now, memory_from(slot, now.sp, slot.fork_copy), true);
    follow(slot, base, walk, slot.fork_frames, own_python_growing(slot, base, slot.fork_python));
    const uint32_t node = hang(slot.fork_frames, base);
    return {node, slot.fork_frames.count != 0 ? slot.fork_frames.locations[0] : kNoRow};
}

__attribute__((noinline)) uintptr_t user_address(ThreadSlot &slot) {
    learn_new_code();
    Registers now;
    OMPCOLLECT_REGISTERS_HERE(now);
    StackWalk walk(now, memory_from(slot, now.sp, slot.fork_copy), true);
    while (walk.has_frame() &&
           (walk.kind() == CodeKind::kOwn || walk.kind() == CodeKind::kRuntime)) {
        walk.next();
    }
    return walk.has_frame() ? walk.pc() : 0;
}

uint32_t interrupted_node(ThreadSlot &slot, const PathBase &base, const void *context) {
    const Registers now = interrupted_registers(context);
    StackWalk walk(now, memory_from(slot, now.sp, slot.handler_copy), true);
    add_to(slot.row->walks, 1);
    if (!follow(slot, base, walk, slot.frames, own_python(slot, base, slot.handler_python))) {
        add_to(slot.row->cut_walks, 1);
    }
    return hang(slot.frames, base);
}

uint32_t sleeping_node(ThreadSlot &slot, const PathBase &base, const Registers &registers,
                       const StackMemory &memory, SleepingFrames &to) {
    StackWalk walk(registers, memory, true);
    const InterpreterFile *const file = loaded_interpreter();
    const uintptr_t state = file ? python_state_of(*file, slot.tid, slot.python_state) : 0;
    const PythonStack *const python = python_below(base, file, state, to.python);
    return follow(slot, base, walk, to.frames, python) ? hang(to.frames, base) : base.node;
}

} // namespace ompcollect
