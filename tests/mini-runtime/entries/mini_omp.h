// SPDX-License-Identifier: Apache-2.0
// The mini-runtime without a compiler's help: OpenMP's constructs as C++ calls. What a construct's
// block would be is a callable; it runs on the threads that would run the block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace mini {

struct LoopSettings {
    std::uint64_t chunk = 1;
    bool is_ordered = false;
    bool is_nowait = false;
};

namespace raw {

using Block = void (*)(void *argument);
using Iteration = void (*)(void *argument, std::uint64_t i);

void parallel(int threads, Block block, void *argument);
void serialized(Block block, void *argument);
void for_static(std::uint64_t count, const LoopSettings &settings, Iteration body, void *argument);
void for_dynamic(std::uint64_t count, const LoopSettings &settings, Iteration body, void *argument);
void task(bool is_deferred, Block block, Block destroy, void *argument);
bool single_begin();
void single_end();
bool masked_begin();
void masked_end();
void critical_begin(void *name);
void critical_end(void *name);
void ordered_begin();
void ordered_end();
void atomic_begin();
void atomic_end();
void taskgroup_begin();
void taskgroup_end();
int reduce_begin(void *own, void (*combine)(void *, void *));
void reduce_end();

template <class F> void *address(F &f) {
    return const_cast<void *>(static_cast<const void *>(std::addressof(f)));
}
template <class F> void call(void *f) {
    (*static_cast<F *>(f))();
}
template <class F> void call_with(void *f, std::uint64_t i) {
    (*static_cast<F *>(f))(i);
}

} // namespace raw

// 0 threads: as many as the settings say.
template <class F> void parallel(int threads, F &&block) {
    raw::parallel(threads, raw::call<std::remove_reference_t<F>>, raw::address(block));
}

template <class F> void serialized(F &&block) { // if(0)
    raw::serialized(raw::call<std::remove_reference_t<F>>, raw::address(block));
}

void barrier();

template <class F> void for_static(std::uint64_t count, F &&body, const LoopSettings &how = {}) {
    raw::for_static(count, how, raw::call_with<std::remove_reference_t<F>>, raw::address(body));
}

template <class F> void for_dynamic(std::uint64_t count, F &&body, const LoopSettings &how = {}) {
    raw::for_dynamic(count, how, raw::call_with<std::remove_reference_t<F>>, raw::address(body));
}

template <class F> void ordered(F &&block) {
    raw::ordered_begin();
    block();
    raw::ordered_end();
}

template <class F> void single(F &&block, bool is_nowait = false) {
    if (raw::single_begin()) {
        block();
        raw::single_end();
    }
    if (!is_nowait) {
        barrier();
    }
}

template <class F> void master(F &&block) {
    if (raw::masked_begin()) {
        block();
        raw::masked_end();
    }
}

// The name of a critical region: any static CriticalName.
struct CriticalName {
    alignas(8) char zeroes[32] = {};
};

template <class F> void critical(CriticalName &name, F &&block) {
    raw::critical_begin(&name);
    block();
    raw::critical_end(&name);
}

// An atomic region that needs a lock.
template <class F> void atomic(F &&block) {
    raw::atomic_begin();
    block();
    raw::atomic_end();
}

// The sum, or what `combine(into, from)` makes of the threads' own values; to be called by all.
template <class T> void reduce(T &total, T own, void (*combine)(void *into, void *from)) {
    if (raw::reduce_begin(&own, combine) == 1) {
        combine(&total, &own);
        raw::reduce_end();
    }
    barrier();
}

// The block is copied.
template <class F> void task(F block, bool is_deferred = true) {
    raw::task(
        is_deferred, raw::call<F>, [](void *f) { delete static_cast<F *>(f); }, new F(block));
}

void taskwait();

template <class F> void taskgroup(F &&block) {
    raw::taskgroup_begin();
    block();
    raw::taskgroup_end();
}

class Lock {
  public:
    Lock();
    ~Lock();
    void set();
    void unset();
    bool test();
    [[nodiscard]] const void *address() const { return &place_; }

  private:
    void *place_ = nullptr;
};

class NestLock {
  public:
    NestLock();
    ~NestLock();
    void set();
    void unset();
    int test();
    [[nodiscard]] const void *address() const { return &place_; }

  private:
    void *place_ = nullptr;
};

int thread_num();
int num_threads();
int level();
void set_num_threads(int count);
void set_max_active_levels(int levels);

// omp_control_tool; in the builds of the older documents ompt_control, whose result is 0.
int control_tool(int command, int modifier, void *argument);

} // namespace mini
