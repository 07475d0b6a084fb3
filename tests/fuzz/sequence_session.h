// SPDX-License-Identifier: Apache-2.0
// The session as the contract has it, beside the library's: what is registered, whether it is
// paused, and which BEGINs of a thread wait for their ENDs.
#pragma once

#include "input.h"

#include "omp_collector_client.h"

#include <array>
#include <cstring>

namespace ocb::test {

constexpr int kLastEvent = OMP_EVENT_THR_END_FINISH_TASK;
constexpr unsigned kThreads = 4;

class Session {
  public:
    explicit Session(OMP_COLLECTORAPI_CALLBACK callback) : callback_(callback) {}

    [[nodiscard]] bool is_started() const { return is_started_; }
    [[nodiscard]] bool is_paused() const { return is_paused_; }
    [[nodiscard]] bool has(int event) const { return is_registered_[static_cast<unsigned>(event)]; }
    void thread_begins(unsigned thread) { begun_[thread] = {}; }

    void keep_pairs(unsigned thread, int event) {
        auto &begun = begun_[thread];
        const bool is_task_end = event == OMP_EVENT_THR_END_CREATE_TASK_IMM ||
                                 event == OMP_EVENT_THR_END_CREATE_TASK_DEL;
        const bool is_lone =
            event == OMP_EVENT_THR_FETCHED_TASK || event == OMP_EVENT_THR_BEGIN_EXEC_TASK;
        const bool counts_from_create = event >= OMP_EVENT_THR_BEGIN_CREATE_TASK;
        if (is_lone) {
            return;
        }
        // Up to CREATE_TASK BEGINs are odd; SUSPEND (28) and STEAL (30) even, FINISH (34) too.
        const bool is_begin =
            event == OMP_EVENT_THR_BEGIN_CREATE_TASK ||
            (!is_task_end && (counts_from_create ? event % 2 == 0 : event % 2 == 1));
        if (is_begin) {
            ++begun[static_cast<unsigned>(event)];
            return;
        }
        const auto begin =
            static_cast<unsigned>(is_task_end ? OMP_EVENT_THR_BEGIN_CREATE_TASK : event - 1);
        if (!is_registered_[begin]) {
            return;
        }
        require(begun[begin] > 0, "no END without its BEGIN");
        --begun[begin];
    }

    void send(int request, int event, int mem_size) {
        alignas(8) unsigned char list[kHeader + 16 + 4] = {};
        const int size = kHeader + mem_size;
        const OMP_COLLECTORAPI_CALLBACK callback = callback_;
        std::memcpy(list, &size, sizeof size);
        std::memcpy(list + 4, &request, sizeof request);
        if (mem_size >= 4) {
            std::memcpy(list + kHeader, &event, sizeof event);
        }
        if (mem_size >= 12) {
            std::memcpy(list + kHeader + (mem_size >= 16 ? 8 : 4), &callback, sizeof callback);
        }
        require(__omp_collector_api(list) == 0, "a request in a call of its own");
        int error = 0;
        std::memcpy(&error, list + 8, sizeof error);
        if (error == OMP_ERRCODE_OK) {
            note(request, event);
        }
    }

    void register_all() {
        send(OMP_REQ_START, 0, 0);
        for (int event = OMP_EVENT_FORK; event <= kLastEvent; ++event) {
            send(OMP_REQ_REGISTER, event, 12);
        }
    }

    // The program's omp_control_tool may have paused or ended the session.
    void resynchronise() {
        send(OMP_REQ_STOP, 0, 0);
        is_started_ = is_paused_ = false;
        is_registered_ = {};
        begun_ = {};
    }

  private:
    void note(int request, int event) {
        switch (request) {
        case OMP_REQ_START:
            is_started_ = true;
            is_paused_ = false;
            break;
        case OMP_REQ_STOP:
            is_started_ = false;
            is_registered_ = {};
            begun_ = {};
            break;
        case OMP_REQ_REGISTER:
            is_registered_[static_cast<unsigned>(event)] = true;
            break;
        case OMP_REQ_UNREGISTER:
            is_registered_[static_cast<unsigned>(event)] = false;
            break;
        case OMP_REQ_PAUSE:
            is_paused_ = true;
            break;
        case OMP_REQ_RESUME:
            is_paused_ = false;
            break;
        default:
            break;
        }
    }

    static constexpr int kHeader = OMP_COLLECTOR_HEADER_SIZE;

    OMP_COLLECTORAPI_CALLBACK callback_;
    std::array<bool, kLastEvent + 1> is_registered_{};
    std::array<std::array<int, kLastEvent + 1>, kThreads> begun_{}; // BEGINs delivered, less ENDs
    bool is_started_ = false, is_paused_ = false;
};

} // namespace ocb::test
