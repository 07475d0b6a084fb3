// SPDX-License-Identifier: Apache-2.0
#include "python_stack.h"

#include "stack_memory.h"
#include "store.h"

#include <cstring>

namespace ompcollect {
namespace {

struct Frame {
    uintptr_t code;
    uintptr_t previous;
    uintptr_t instruction;
    unsigned owner;
    bool is_entry;
};

Frame frame_in(const char *bytes) {
    const PythonLayout &layout = the_python.layout;
    Frame frame = {};
    memcpy(&frame.code, bytes + layout.code, sizeof frame.code);
    memcpy(&frame.previous, bytes + layout.previous, sizeof frame.previous);
    memcpy(&frame.instruction, bytes + layout.instruction, sizeof frame.instruction);
    frame.owner = static_cast<unsigned char>(bytes[layout.owner]);
    frame.is_entry = layout.is_entry != 0 && bytes[layout.is_entry] != 0;
    return frame;
}

// A frame's head, up to the last thing that is read of it.
size_t frame_head() {
    return (the_python.layout.owner | 7U) + 1;
}

class Reading {
  public:
    Reading(const InterpreterFile &file, uintptr_t end, PythonStack &to)
        : file_(file), end_(end), to_(to) {}

    // False: something is not as it should be.
    bool read(uintptr_t state) {
        const size_t at = the_python.layout.c_frame != 0 ? the_python.layout.c_frame
                                                         : the_python.layout.current_frame;
        uintptr_t first = 0;
        if (!ask_kernel(state + at, first) ||
            (first != 0 &&
             !(the_python.layout.is_entry != 0 ? read_c_frames(first) : read_marked(first)))) {
            return false;
        }
        drop_unfinished_run();
        return true;
    }

  private:
    // 3.11: each C frame has its innermost Python frame, and the first one of it is marked.
    bool read_c_frames(uintptr_t c_frame) {
        while (c_frame != 0 && c_frame < end_ && !to_.is_cut) {
            uintptr_t frame = 0;
            uintptr_t previous = 0;
            if (!ask_kernel(c_frame + the_python.layout.current_frame, frame) ||
                !ask_kernel(c_frame + the_python.layout.previous_c_frame, previous) ||
                !read_run(frame) || !end_run(c_frame)) {
                return false;
            }
            c_frame = previous;
        }
        return true;
    }

    bool read_run(uintptr_t at) {
        bool is_entry = false;
        while (at != 0 && !is_entry && !to_.is_cut) {
            Frame frame;
            if (!read_frame(at, frame) || !add(frame)) {
                return false;
            }
            is_entry = frame.is_entry;
            at = frame.previous;
        }
        return true;
    }

    // Later: a frame of no function stands in the native frame, below the Python frames of it.
    bool read_marked(uintptr_t at) {
        if (the_python.layout.c_frame != 0 &&
            !ask_kernel(at + the_python.layout.current_frame, at)) {
            return false;
        }
        bool is_last = false;
        while (at != 0 && !is_last && !to_.is_cut) {
            Frame frame;
            if (!read_frame(at, frame)) {
                return false;
            }
            const bool ends_run = frame.owner >= kOwnedByNoFunction;
            is_last = ends_run && at >= end_;
            if (!is_last && !(ends_run ? end_run(at) : add(frame))) {
                return false;
            }
            at = frame.previous;
        }
        return true;
    }

    // Most callers' frames lie just below.
    bool read_frame(uintptr_t at, Frame &frame) {
        const size_t head = frame_head();
        if (at < window_ || at + head > window_ + sizeof to_.window) {
            window_ = at + head - sizeof to_.window;
            if (copy_memory(window_, to_.window, sizeof to_.window) != sizeof to_.window) {
                window_ = UINTPTR_MAX; // the first frame of a piece of memory
                if (copy_memory(at, to_.window, head) != head) {
                    return false;
                }
                frame = frame_in(to_.window);
                return true;
            }
        }
        frame = frame_in(to_.window + (at - window_));
        return true;
    }

    bool add(const Frame &frame) {
        if (to_.frame_count == PythonStack::kMost) {
            to_.is_cut = true;
            return true;
        }
        to_.frames[to_.frame_count++] = {frame.code, frame.instruction, 0};
        return true;
    }

    // Its frames get their places now, when it is known that they are wanted.
    bool end_run(uintptr_t anchor) {
        for (unsigned i = finished_; i < to_.frame_count; ++i) {
            if (!find_place(i)) {
                return false;
            }
        }
        if (to_.run_count == PythonStack::kMostRuns) {
            to_.is_cut = true;
            return true;
        }
        finished_ = to_.frame_count;
        to_.runs[to_.run_count++] = {anchor, to_.frame_count};
        return true;
    }

    // A function that calls itself is looked at once.
    bool find_place(unsigned number) {
        PythonInstruction &at = to_.frames[number];
        if (number > 0 && untagged(at.code) == to_.frames[number - 1].code) {
            at.code = untagged(at.code);
            at.signature = to_.frames[number - 1].signature;
            if (recall_python_place(at, to_.places[number])) {
                return true;
            }
        }
        return find_python_place(file_, at, to_.scratch, to_.places[number]);
    }

    // Of a run that is cut the anchor is not known.
    void drop_unfinished_run() {
        if (to_.is_cut && finished_ != to_.frame_count) {
            end_run(0);
        }
        to_.frame_count = finished_;
    }

    const InterpreterFile &file_;
    const uintptr_t end_;
    unsigned finished_ = 0;          // frames of whole runs
    uintptr_t window_ = UINTPTR_MAX; // address of what `window` has; the highest one: nothing
    PythonStack &to_;
};

uintptr_t word_at(uintptr_t address) {
    return *reinterpret_cast<const uintptr_t *>(address);
}

// Of a thread that stands still; 0: none.
uintptr_t innermost_frame(uintptr_t state) {
    const PythonLayout &layout = the_python.layout;
    uintptr_t holder = state;
    if (layout.c_frame != 0) {
        holder = word_at(state + layout.c_frame);
    }
    return holder != 0 ? word_at(holder + layout.current_frame) : 0;
}

// The next one that belongs to a function, from this one on.
uintptr_t function_frame(uintptr_t frame) {
    const PythonLayout &layout = the_python.layout;
    while (frame != 0 && layout.is_entry == 0 &&
           *reinterpret_cast<const unsigned char *>(frame + layout.owner) >= kOwnedByNoFunction) {
        frame = word_at(frame + layout.previous);
    }
    return frame;
}

} // namespace

bool read_python_stack(const InterpreterFile &file, uintptr_t state, uintptr_t end,
                       PythonStack &to) {
    to.run_count = 0;
    to.frame_count = 0;
    to.is_cut = false;
    to.scratch.lacks_room = false;
    if (!Reading(file, end, to).read(state)) {
        header().python_dropped.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    if (to.frame_count == 0) {
        return false;
    }
    header().python_stacks.fetch_add(1, std::memory_order_relaxed);
    the_python.is_proven.store(true, std::memory_order_release);
    return true;
}

PythonTop top_of_python(std::atomic<uintptr_t> &remembered) {
    const InterpreterFile *const file = loaded_interpreter();
    if (!file || !the_python.is_proven.load(std::memory_order_acquire)) {
        return {0, 0};
    }
    const uintptr_t state = own_python_state(*file, remembered);
    const uintptr_t frame = state != 0 ? function_frame(innermost_frame(state)) : 0;
    return {frame, frame != 0 ? word_at(frame + the_python.layout.instruction) : 0};
}

bool stands_as_before(const PythonTop &top, const PythonMark *marks, unsigned count) {
    const PythonLayout &layout = the_python.layout;
    uintptr_t frame = top.frame;
    for (unsigned i = 0; i < count; ++i) {
        frame = function_frame(frame);
        if (frame == 0 || untagged(word_at(frame + layout.code)) != marks[i].code ||
            word_at(frame + layout.instruction) != marks[i].instruction) {
            return false;
        }
        // A function that calls itself is looked at once.
        if ((i == 0 || marks[i].code != marks[i - 1].code) && !is_still(marks[i])) {
            return false;
        }
        frame = word_at(frame + layout.previous);
    }
    return true;
}

} // namespace ompcollect
