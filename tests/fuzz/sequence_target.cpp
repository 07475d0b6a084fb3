// SPDX-License-Identifier: Apache-2.0
// Requests and the runtime's events in any order: an input is a list of steps of four threads (two
// of the program, two of the runtime's pool). Steps follow the grammar of OpenMP, constructs being
// closed in the order they were opened in, but for the wild ones: ends without a beginning, and
// system calls that fail. Callbacks send requests and use locks. Held to be true all the time:
// states are states, regions fit them, an END comes only behind its BEGIN.
#include "input.h"
#include "sequence_session.h"
#include "sequence_threads.h"

#include "omp_collector_client.h"

namespace ocb::test {
namespace {

struct Batch {
    int state_error, state, region_error;
    std::uint64_t region;
};

Batch ask() {
    constexpr int kAllMem =
        OMP_COLLECTOR_PACKED_PAIR + 2 * OMP_COLLECTOR_WORD + 2 * OMP_COLLECTOR_INT;
    int memory[OMP_COLLECTOR_BYTES(5, kAllMem) / sizeof(int)];
    omp_collector_list list = omp_collector_list_in(memory, sizeof memory);
    const int state = omp_collector_add_state(&list);
    const int region = omp_collector_add_region(&list);
    omp_collector_add_parent(&list);
    omp_collector_add(&list, OMP_REQ_TASK_ID, OMP_COLLECTOR_INT);
    require(omp_collector_add(&list, OMP_REQ_TASK_PID, OMP_COLLECTOR_INT) > 0, "room for five");
    require(omp_collector_send(&list, __omp_collector_api) == 0, "a batch of questions");
    const Batch batch{omp_collector_error(&list, state), omp_collector_state_in(&list, state),
                      omp_collector_error(&list, region), omp_collector_region_in(&list, region)};
    return batch;
}

// One execution; static data of the library go on from one to the next.
class Play {
  public:
    explicit Play(Input input) : input_(input) {
        current_play = this;
        the_system = System();
        the_system.maps = System::Maps::kNoFile;
        begin_runtime();
    }
    ~Play() {
        threads_.end_runtime();
        session_.send(OMP_REQ_STOP, 0, 0);
        current_play = nullptr;
    }
    Play(const Play &) = delete;
    Play &operator=(const Play &) = delete;

    void run() {
        while (!input_.is_used_up()) {
            step();
            look();
        }
    }

  private:
    static void on_event(OMP_COLLECTORAPI_EVENT event) { current_play->called(event); }

    // Only one callback of a thread runs at a time, so each input byte has one reader.
    void called(OMP_COLLECTORAPI_EVENT event) {
        require(event >= OMP_EVENT_FORK && event <= kLastEvent, "an event of the contract");
        require(session_.has(event), "an event that was asked for");
        require(!session_.is_paused(), "no event during PAUSE");
        require(!is_in_callback_, "no event inside a callback");
        is_in_callback_ = true;
        session_.keep_pairs(threads_.current(), event);
        const Batch batch = ask();
        require(batch.state_error == OMP_ERRCODE_OK && batch.region_error == OMP_ERRCODE_OK,
                "answers in a callback");
        require(batch.state >= THR_OVHD_STATE && batch.state < THR_LAST_STATE, "a state");
        const unsigned deed = input_.byte();
        if (deed % 16 == 1) {
            do_request(input_.byte());
        } else if (deed % 16 == 2) {
            take_mutex(ompt5::ompt_mutex_lock, deed);
        } else if (deed % 16 == 3) {
            mutex_released(ompt5::ompt_mutex_lock, deed);
        }
        is_in_callback_ = false;
    }

    void begin_runtime() {
        threads_.begin_runtime(input_.byte() % 2 == 0 ? Flavour::kLibomp14 : Flavour::kLibomp19);
        begin_thread();
    }

    void begin_thread() {
        if (!threads_.is_alive()) {
            session_.thread_begins(threads_.current());
            threads_.begin_thread();
        }
    }

    void do_request(unsigned detail) {
        constexpr int kSizes[] = {12, 16, 0, 4, 8};
        const int request = static_cast<int>(detail % (OMP_REQ_LAST + 1));
        const int size = kSizes[detail / 16 % 5];
        const bool has_event = request == OMP_REQ_REGISTER || request == OMP_REQ_UNREGISTER;
        session_.send(request, has_event ? static_cast<int>(input_.byte() % (kLastEvent + 3)) : 0,
                      size);
    }

    void step() {
        const unsigned what = input_.byte();
        const unsigned detail = input_.byte();
        switch (what % 16) {
        case 0:
            threads_.switch_to(detail % kThreads);
            return begin_thread();
        case 1:
            return do_request(detail);
        case 2:
            return session_.register_all();
        case 3:
        case 4:
            return threads_.open_region(detail);
        case 5:
            return threads_.join_region();
        case 6:
            return threads_.open_barrier(detail);
        case 7:
            return threads_.open_wait(detail);
        case 8:
            return threads_.open_simple(detail);
        case 9:
            return threads_.open_task(detail);
        case 10:
            control_tool(detail % 6);
            return session_.resynchronise();
        case 11:
            if (detail == 0) {
                threads_.end_runtime();
                threads_.switch_to(0);
                return begin_runtime();
            }
            return detail % 8 == 1 ? threads_.end_thread() : threads_.do_wild(detail);
        default:
            return threads_.close();
        }
    }

    // Between two steps the thread is asked as a signal handler asks.
    void look() {
        const Batch batch = ask();
        const int wanted = session_.is_started() ? OMP_ERRCODE_OK : OMP_ERRCODE_SEQUENCE_ERR;
        require(batch.state_error == wanted && batch.region_error == wanted, "answers or refusals");
        if (!session_.is_started()) {
            return;
        }
        require(batch.state >= THR_OVHD_STATE && batch.state <= THR_ATWT_STATE, "a state");
        // Without memory for its records the library knows less.
        if (threads_.is_wild() || the_system.failed_mmaps != 0) {
            return;
        }
        require(batch.state != THR_WORK_STATE || batch.region != 0, "WORK is in a region");
        require((batch.state != THR_SERIAL_STATE && batch.state != THR_IDLE_STATE) ||
                    batch.region == 0,
                "SERIAL and IDLE are not in a region");
    }

    static Play *current_play;

    Input input_;
    Session session_{on_event};
    Threads threads_;
    bool is_in_callback_ = false;
};

Play *Play::current_play = nullptr;

} // namespace
} // namespace ocb::test

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    ocb::test::Play play(ocb::test::Input(data, size));
    play.run();
    return 0;
}
