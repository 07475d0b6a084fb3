// SPDX-License-Identifier: Apache-2.0
//
// The collector's walk of a stack beside that of libgcc, on the same stack: code of several
// compilers (walked/walked.cpp) is executed step by step, and at each instruction both walk from
// the registers that the signal shows. Every frame must be the same.
#include "stack_walk.h"

#include "call_tree.h"
#include "clocks.h"
#include "machine.h"
#include "module_map.h"
#include "process.h"
#include "row_index.h"
#include "stepping.h"
#include "store.h"
#include "wake_up.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>
#include <vector>

extern "C" {
struct WalkedPart {
    const char *name;
    long (*run)();
};
}

namespace ocb_test {
namespace {

using namespace ompcollect; // NOLINT(google-build-using-namespace)

constexpr unsigned kMost = 128;

struct Frame {
    uintptr_t pc;
    uintptr_t sp;
};

// Fixed in size: filled in a signal handler.
struct Frames {
    Frame list[kMost];
    unsigned count = 0;
    bool is_whole = false;

    void add(uintptr_t pc, uintptr_t sp) {
        if (count < kMost) {
            list[count++] = {pc, sp};
        }
    }
};

struct Difference {
    Frames ours;
    Frames libgccs;
};

struct Bounds {
    uintptr_t low;
    uintptr_t high;
};

constexpr unsigned kMostDifferences = 10;

// Of the one thread that is stepped through.
struct Stepping {
    bool from_copy; // walk a copy of the stack, as of a thread that sleeps
    Bounds stack;
    unsigned long steps; // that were compared
    unsigned long frames;
    unsigned long different;
    Difference differences[kMostDifferences];
};
Stepping stepping;
char *copied_stack;
constexpr size_t kMostCopied = size_t{1} << 20;

Bounds bounds_of_this_thread() {
    pthread_attr_t attributes;
    void *low = nullptr;
    size_t size = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    const auto begin = reinterpret_cast<uintptr_t>(low);
    return {begin, begin + size};
}

StackMemory memory_for(uintptr_t sp) {
    constexpr uintptr_t kRedZone = 128;
    const Bounds &stack = stepping.stack;
    if (sp < stack.low || sp >= stack.high) {
        return {0, 0, nullptr, true};
    }
    const uintptr_t low = sp - kRedZone;
    const auto *bytes = reinterpret_cast<const char *>(low);
    if (stepping.from_copy && stack.high - low <= kMostCopied) {
        memcpy(copied_stack, bytes, stack.high - low);
        return {low, stack.high, copied_stack, false};
    }
    return {low, stack.high, bytes, true};
}

void walk_ours(const Registers &registers, Frames &to) {
    StackWalk walk(registers, memory_for(registers.sp), true);
    uintptr_t sp = registers.sp;
    while (walk.has_frame() && to.count < kMost) {
        to.add(walk.pc(), sp);
        sp = walk.cfa();
        walk.next();
    }
    to.is_whole = walk.is_whole();
}

struct LibgccsWalk {
    Frames *to;
    uintptr_t from; // the frame that was interrupted
    bool is_found;
};

_Unwind_Reason_Code on_frame(_Unwind_Context *context, void *data) {
    auto &walk = *static_cast<LibgccsWalk *>(data);
    int is_exact = 0;
    const uintptr_t pc = _Unwind_GetIPInfo(context, &is_exact);
    walk.is_found = walk.is_found || (pc == walk.from && is_exact != 0);
    if (walk.is_found && pc != 0) {
        walk.to->add(pc, _Unwind_GetCFA(context));
    }
    return walk.to->count < kMost ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void walk_libgccs(uintptr_t from, Frames &to) {
    LibgccsWalk walk = {&to, from, false};
    to.is_whole = _Unwind_Backtrace(on_frame, &walk) == _URC_END_OF_STACK && walk.is_found;
}

// Of the frame that a handler interrupted, libgcc on aarch64 calls it where the kernel has saved
// the registers, above the handler's stack pointer.
bool is_kernels(const Frames &ours, const Frames &libgccs, unsigned i) {
    constexpr uintptr_t kSaved = 128 + offsetof(ucontext_t, uc_mcontext);
    return kReturnsByLink && libgccs.list[i].sp == ours.list[i - 1].sp + kSaved;
}

bool are_same(const Frames &ours, const Frames &libgccs) {
    if (ours.count != libgccs.count || ours.count == 0) {
        return false;
    }
    for (unsigned i = 0; i < ours.count; ++i) {
        // libgcc calls it the CFA: where the stack pointer is in the frame.
        if (ours.list[i].pc != libgccs.list[i].pc ||
            (i > 0 && ours.list[i].sp != libgccs.list[i].sp && !is_kernels(ours, libgccs, i))) {
            return false;
        }
    }
    return ours.is_whole;
}

// On aarch64 a linkage table has no rules, and libgcc stops there.
bool goes_on(const Frames &ours, const Frames &libgccs) {
    return kReturnsByLink && libgccs.count == 1 && ours.count > 1 && ours.is_whole;
}

// Just before libgcc leaves for the code that catches, its own unwind information is wrong, and its
// walk may end the program.
bool is_in_libgcc(uintptr_t pc) {
    const Module *libgcc = find_module(reinterpret_cast<uintptr_t>(&_Unwind_Backtrace));
    return libgcc && find_module(pc) == libgcc;
}

// The instructions that were compared, each with the stack pointer it had: what a loop or the
// dynamic linker's search executes again and again with the same frames is compared three times.
class Compared {
  public:
    void clear() { memset(places_, 0, sizeof places_); }

    [[nodiscard]] bool is_new(uintptr_t pc, uintptr_t sp) {
        constexpr unsigned kTimes = 3;
        for (size_t i = (pc * 31 + sp) % kPlaces, looked = 0; looked < kPlaces;
             i = (i + 1) % kPlaces, ++looked) {
            Place &place = places_[i];
            if (place.times == 0) {
                place = {pc, sp, 0};
            }
            if (place.pc == pc && place.sp == sp) {
                return ++place.times <= kTimes;
            }
        }
        return true;
    }

  private:
    static constexpr size_t kPlaces = size_t{1} << 17;
    struct Place {
        uintptr_t pc;
        uintptr_t sp;
        unsigned times;
    };
    Place places_[kPlaces];
};
Compared compared;

void compare(const void *context) {
    const Registers registers = interrupted_registers(context);
    if (!compared.is_new(registers.pc, registers.sp)) {
        return;
    }
    static Frames ours;
    static Frames libgccs;
    ours.count = 0;
    libgccs.count = 0;
    walk_ours(registers, ours);
    if (is_in_libgcc(registers.pc)) {
        return;
    }
    walk_libgccs(registers.pc, libgccs);
    ++stepping.steps;
    stepping.frames += ours.count;
    if (!are_same(ours, libgccs) && !goes_on(ours, libgccs)) {
        if (stepping.different < kMostDifferences) {
            stepping.differences[stepping.different] = {ours, libgccs};
        }
        ++stepping.different;
    }
}

void begin_stepping() {
    stepping = {};
    compared.clear();
}

std::string described(const Frames &frames) {
    std::string text;
    for (unsigned i = 0; i < frames.count; ++i) {
        Dl_info info = {};
        char line[400];
        const auto *address = reinterpret_cast<const char *>(frames.list[i].pc);
        if (dladdr(address, &info) != 0 && info.dli_fname) {
            const char *name = strrchr(info.dli_fname, '/');
            snprintf(line, sizeof line, "    %s+0x%tx %s sp %#zx\n", name ? name + 1 : "",
                     address - static_cast<const char *>(info.dli_fbase),
                     info.dli_sname ? info.dli_sname : "", frames.list[i].sp);
        } else {
            snprintf(line, sizeof line, "    %p sp %#zx\n", static_cast<const void *>(address),
                     frames.list[i].sp);
        }
        text += line;
    }
    return text + (frames.is_whole ? "" : "    not whole\n");
}

std::string described(const Stepping &of) {
    std::string text =
        std::to_string(of.different) + " of " + std::to_string(of.steps) + " steps differ\n";
    for (unsigned i = 0; i < std::min<unsigned long>(of.different, kMostDifferences); ++i) {
        text += "  ours:\n" + described(of.differences[i].ours) + "  libgcc's:\n" +
                described(of.differences[i].libgccs);
    }
    return text;
}

void prepare() {
    static bool is_done = false;
    if (is_done) {
        return;
    }
    is_done = true;
    static const ocb_test::TemporaryFolder kFolder;
    ASSERT_TRUE(open_store(kFolder.file("").c_str()));
    warm_up_stack_walk();
    copied_stack = static_cast<char *>(
        mmap(nullptr, kMostCopied, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(copied_stack, MAP_FAILED);
}

void learn_modules() {
    refresh_modules();
    add_module_rows();
}

// A thread has a stack that is soon walked.
void in_a_thread(const std::function<void()> &code) {
    pthread_t thread = 0;
    ASSERT_EQ(pthread_create(
                  &thread, nullptr,
                  [](void *data) -> void * {
                      stepping.stack = bounds_of_this_thread();
                      (*static_cast<const std::function<void()> *>(data))();
                      return nullptr;
                  },
                  const_cast<std::function<void()> *>(&code)),
              0);
    pthread_join(thread, nullptr);
}

class StackWalkTest : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        if (std::string(OCB_SANITIZE).size() > 0) {
            GTEST_SKIP() << "the collector is not for processes with sanitizers";
        }
        prepare();
        const std::string file = OCB_TEST_WALKED "/lib" + GetParam() + ".so";
        void *library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
        ASSERT_TRUE(library) << dlerror();
        parts_ = static_cast<const WalkedPart *>(dlsym(library, "walked_parts"));
        ASSERT_TRUE(parts_);
        learn_modules();
        begin_stepping();
    }

    const WalkedPart *parts_ = nullptr;
};

// Twice: the first time calls go through the linker, and no rule is remembered yet.
TEST_P(StackWalkTest, AgreesWithLibgccAtEachInstruction) {
    catch_traps(compare, 0);
    for (const WalkedPart *part = parts_; part->name; ++part) {
        for (const char *time : {"first", "second"}) {
            begin_stepping();
            in_a_thread([part] { step(part->run); });
            EXPECT_GE(stepping.steps, 100U) << part->name;
            EXPECT_GE(stepping.frames, 4 * stepping.steps) << part->name;
            EXPECT_EQ(stepping.different, 0U)
                << part->name << ", the " << time << " time: " << described(stepping);
        }
    }
}

// As the sampling thread reads those that sleep: nothing but the copy is looked at.
TEST_P(StackWalkTest, AgreesOnACopyOfTheStack) {
    catch_traps(compare, 0);
    stepping.from_copy = true;
    in_a_thread([this] { step(parts_[0].run); });
    EXPECT_GE(stepping.steps, 100U);
    EXPECT_EQ(stepping.different, 0U) << described(stepping);
}

const WalkedPart *parts_of_handler;

void run_in_handler(int) {
    step(parts_of_handler->run);
}

// The handler of the program's signal has a stack of its own, and the frames below it are on the
// thread's.
TEST_P(StackWalkTest, AgreesOnAnAlternateStack) {
    parts_of_handler = parts_;
    for (const int flags : {0, SA_ONSTACK}) {
        catch_traps(compare, flags);
        begin_stepping();
        in_a_thread([] {
            std::vector<char> space(size_t{1} << 17);
            stack_t stack = {};
            stack.ss_sp = space.data();
            stack.ss_size = space.size();
            ASSERT_EQ(sigaltstack(&stack, nullptr), 0);
            struct sigaction action = {};
            action.sa_handler = run_in_handler;
            action.sa_flags = SA_ONSTACK;
            sigaction(SIGUSR1, &action, nullptr);
            raise(SIGUSR1);
            stack.ss_flags = SS_DISABLE;
            sigaltstack(&stack, nullptr);
        });
        EXPECT_GE(stepping.steps, 100U);
        EXPECT_EQ(stepping.different, 0U) << described(stepping);
    }
}

#ifdef __aarch64__
// The kernel's code that handlers return to has no rules.
TEST_P(StackWalkTest, AgreesInAHandler) {
    parts_of_handler = parts_;
    catch_traps(compare, 0);
    in_a_thread([] {
        struct sigaction action = {};
        action.sa_handler = run_in_handler;
        sigaction(SIGUSR1, &action, nullptr);
        raise(SIGUSR1);
    });
    EXPECT_GE(stepping.steps, 100U);
    EXPECT_EQ(stepping.different, 0U) << described(stepping);
}
#endif

INSTANTIATE_TEST_SUITE_P(Code, StackWalkTest, testing::ValuesIn([] {
                             std::vector<std::string> names;
                             std::string name;
                             for (const char *at = OCB_TEST_WALKED_NAMES;; ++at) {
                                 if (*at == ' ' || *at == 0) {
                                     names.push_back(name);
                                     name.clear();
                                 } else {
                                     name += *at;
                                 }
                                 if (*at == 0) {
                                     return names;
                                 }
                             }
                         }()),
                         [](const testing::TestParamInfo<std::string> &of) {
                             std::string name;
                             for (const char c : of.param) {
                                 name += c == '-' ? '_' : c;
                             }
                             return name;
                         });

// The thread that makes room comes in time, though it sleeps for long where it has little to do.
TEST(StackWalk, WhoLeavesLittleRoomRings) {
    prepare();
    grow_call_tree();
    int rings = wake_ups_so_far();
    uint32_t location = 0;
    for (int round = 0; round < 5; ++round) {
        while (wake_ups_so_far() == rings) {
            ASSERT_NE(child_node(location++, kNoRow, NodeKind::kFrame), kNoRow) << location;
        }
        sleep_until_woken(rings, kSecond * 3600); // what has rung is not waited for
        rings = wake_ups_so_far();
        grow_store();
        grow_call_tree();
    }
    EXPECT_GT(location, 1000U);
}

// A walk that begins in a call and not in a signal, as at FORK.
TEST(StackWalk, FromACallAgreesWithLibgcc) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    prepare();
    learn_modules();
    begin_stepping();
    stepping.stack = bounds_of_this_thread();
    Registers here;
    OMPCOLLECT_REGISTERS_HERE(here);
    Frames ours;
    walk_ours(here, ours);
    Frames libgccs;
    LibgccsWalk walk = {&libgccs, 0, true};
    _Unwind_Backtrace(on_frame, &walk);
    EXPECT_TRUE(ours.is_whole);
    // This frame, and libgcc's own and walk's above it, differ in where they are.
    ASSERT_GE(ours.count, 4U);
    ASSERT_GE(libgccs.count, ours.count);
    const unsigned more = libgccs.count - ours.count;
    for (unsigned i = 1; i < ours.count; ++i) {
        EXPECT_EQ(ours.list[i].pc, libgccs.list[i + more].pc) << i;
        EXPECT_EQ(ours.list[i].sp, libgccs.list[i + more].sp) << i;
    }
}

} // namespace
} // namespace ocb_test
