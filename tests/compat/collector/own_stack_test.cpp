// SPDX-License-Identifier: Apache-2.0
//
// Where stacks lie, and what a thread's first allocation costs in addresses.
#include "profile/own_stack.h"

#include "launcher_run.h"

#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <pthread.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace ocb_test {
namespace {

using ompcollect::own_stack;
using ompcollect::StackBounds;

bool operator==(const StackBounds &one, const StackBounds &other) {
    return one.low == other.low && one.high == other.high;
}

StackBounds library_answer() {
    pthread_attr_t attributes;
    void *low = nullptr;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &low, &size);
        pthread_attr_destroy(&attributes);
    }
    const auto bottom = reinterpret_cast<uintptr_t>(low);
    return {bottom, bottom + size};
}

struct Answers {
    StackBounds ours = {};
    StackBounds library = {};
};

Answers answers_of_thread(const std::function<void(pthread_attr_t &)> &prepare) {
    Answers answers;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    prepare(attributes);
    pthread_t thread = {};
    const int error = pthread_create(
        &thread, &attributes,
        [](void *data) -> void * {
            auto &to = *static_cast<Answers *>(data);
            to.ours = own_stack();
            to.library = library_answer();
            return nullptr;
        },
        &answers);
    EXPECT_EQ(error, 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    return answers;
}

// The first one asks the library; the others read what it showed.
TEST(OwnStack, IsWhatTheLibraryAnswers) {
    constexpr size_t kSmall = size_t{256} * 1024;
    constexpr size_t kLarge = size_t{64} << 20;
    const std::shared_ptr<void> memory(
        mmap(nullptr, kSmall, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
        [](void *place) { munmap(place, kSmall); });
    const std::function<void(pthread_attr_t &)> kinds[] = {
        [](pthread_attr_t &) {},
        [](pthread_attr_t &) {},
        [](pthread_attr_t &attributes) { pthread_attr_setstacksize(&attributes, kSmall); },
        [](pthread_attr_t &attributes) { pthread_attr_setstacksize(&attributes, kLarge); },
        [](pthread_attr_t &attributes) { pthread_attr_setguardsize(&attributes, kSmall); },
        [](pthread_attr_t &attributes) { pthread_attr_setguardsize(&attributes, 0); },
        [&](pthread_attr_t &attributes) {
            pthread_attr_setstack(&attributes, memory.get(), kSmall);
        }};
    for (const auto &prepare : kinds) {
        const Answers answers = answers_of_thread(prepare);
        EXPECT_TRUE(answers.ours == answers.library) << &prepare - kinds;
        EXPECT_NE(answers.ours.low, 0U);
    }
}

TEST(OwnStack, OfTheInitialThreadReachesAsFarAsItMayGrow) {
    const StackBounds bounds = own_stack();
    const auto here = reinterpret_cast<uintptr_t>(&bounds);
    EXPECT_LT(bounds.low, here);
    EXPECT_GT(bounds.high, here);
    EXPECT_GE(bounds.high - bounds.low, size_t{1} << 20);
}

// Of the process, in bytes; without an allocation.
size_t addresses_in_use() {
    char text[256] = {};
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const bool is_read = file >= 0 && read(file, text, sizeof text - 1) > 0;
    close(file);
    return is_read ? strtoull(text, nullptr, 10) * static_cast<size_t>(getpagesize()) : 0;
}

// To ask the library shows that this can be seen.
TEST(OwnStack, TakesNoAddressesOnceItWasLearned) {
    OCB_SKIP_IF_SANITIZED();
    constexpr size_t kOfFirstAllocation = size_t{32} << 20;
    std::atomic<bool> is_learned{false};
    std::thread other([&] { is_learned.wait(false); });
    ompcollect::learn_from_stack_of(other.native_handle());
    size_t before = 0;
    size_t behind_ours = 0;
    size_t behind_library = 0;
    std::thread([&] {
        before = addresses_in_use();
        own_stack();
        behind_ours = addresses_in_use();
        library_answer();
        behind_library = addresses_in_use();
    }).join();
    is_learned = true;
    is_learned.notify_all();
    other.join();
    EXPECT_NE(before, 0U);
    EXPECT_EQ(behind_ours, before);
    EXPECT_GT(behind_library, before + kOfFirstAllocation);
}

long peak_in_mb(const Outcome &outcome) {
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    return atol(outcome.out.c_str()) / 1024;
}

// libgomp's threads allocate nothing; with allocations there would be 64 MB for each.
TEST(OwnStack, ThreadsOfTheProgramAllocateNothing) {
    OCB_SKIP_IF_SANITIZED();
    const std::string program = OCB_TEST_PROGRAMS "/gcc/addresses";
    const TemporaryFolder folder;
    Command alone;
    alone.arguments = {program, "8"};
    const long without = peak_in_mb(run(alone));
    EXPECT_GT(without, 0);
    constexpr long kOfAllLayers = 40;
    for (const char *way : {"--clock=wall", "--clock=cpu", "--stacks=off", "--rate=1000"}) {
        const Outcome outcome = launch({"-o", folder.file("profile"), way, program, "8"});
        EXPECT_LT(peak_in_mb(outcome), without + kOfAllLayers) << way;
    }
}

} // namespace
} // namespace ocb_test
