// SPDX-License-Identifier: Apache-2.0
// The request walk: an input is the setup of a thread and a request list, byte by byte. What the
// library makes of it is held against the contract (include/omp_collector_api.h), written here a
// second time: return value, error codes, sizes, and that no other byte is touched. Lists that lie
// about the memory behind them are cut to it first: beyond it is the collector's own guilt.
#include "input.h"

#include "fake_runtime.h"
#include "omp_collector_api.h"
#include "omp_collector_bridge.h"
#include "records/thread_record.h"

#include <cstring>
#include <memory>
#include <vector>

namespace ocb::test {
namespace {

constexpr int kHeader = OMP_COLLECTOR_HEADER_SIZE;

struct Setup {
    unsigned place; // of the calling thread
    bool has_runtime;
    bool is_started;
    unsigned misalignment; // of the list
};
enum Place : unsigned {
    kSerial,
    kRegion,
    kBarrier,
    kMutex,
    kReduction,
    kUnknown,
    kLate,
    kTeamMember,
    kPlaces
};

Setup read_setup(Input &input) {
    const unsigned first = input.byte();
    const unsigned second = input.byte();
    the_system = System();
    the_system.maps = second % 8 == 1   ? System::Maps::kReal
                      : second % 2 == 0 ? System::Maps::kNoFile
                                        : System::Maps::kWritten;
    the_system.read_size = second / 8 + 1;
    // Without a runtime START looks through all loaded libraries, which takes its time.
    constexpr unsigned kNoRuntime = 63;
    return {first % kPlaces, first % 64 != kNoRuntime, (first & 0x40) == 0,
            (first & 0x80) != 0 ? (first >> 3) % 4 : 0};
}

template <class T> T load(const std::uint8_t *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

int call(int request) {
    int list[5] = {kHeader, request, -1, -1, 0};
    require(__omp_collector_api(list) == 0, "a request in a call of its own");
    return list[2];
}

bool is_well_formed(int size) {
    return size >= kHeader && size % 4 == 0 && size <= OMP_COLLECTOR_MAX_RECORD;
}

// The list in memory of exactly its size, with an end.
std::vector<std::uint8_t> bounded_list(const Input &input) {
    std::vector<std::uint8_t> list(input.rest(), input.rest() + input.left() / 4 * 4);
    constexpr int kNoMore = 0;
    list.insert(list.end(), sizeof kNoMore, 0);
    for (std::size_t at = 0;;) {
        const int size = load<int>(&list[at]);
        if (!is_well_formed(size)) {
            return list;
        }
        if (at + static_cast<std::size_t>(size) + sizeof kNoMore > list.size()) {
            std::memcpy(&list[at], &kNoMore, sizeof kNoMore);
            return list;
        }
        at += static_cast<std::size_t>(size);
    }
}

bool is_event(int number) {
    return (number >= OMP_EVENT_FORK && number <= OMP_EVENT_THR_END_FINISH_TASK) ||
           number == OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED;
}

// The runtimes of today report none of these.
bool is_never_delivered(int number) {
    return number == 26 || number == 27 || (number >= 30 && number <= 32);
}

bool has_wait_id(int state) {
    switch (state) {
    case THR_IBAR_STATE:
    case THR_EBAR_STATE:
    case THR_LKWT_STATE:
    case THR_CTWT_STATE:
    case THR_ODWT_STATE:
    case THR_ATWT_STATE:
        return true;
    default:
        return false;
    }
}

// One record before and after, and what the contract says of it.
class Record {
  public:
    Record(const std::uint8_t *before, const std::uint8_t *after)
        : before_(before), after_(after) {}

    void check(bool &is_started) const {
        require(std::memcmp(before_, after_, 8) == 0, "sz and r# are the collector's");
        const int request = load<int>(before_ + 4);
        if (request < 0 || request >= OMP_REQ_LAST) {
            return expect(OMP_ERRCODE_UNKNOWN, 0);
        }
        if (request == OMP_REQ_START) {
            expect(is_started ? OMP_ERRCODE_SEQUENCE_ERR : OMP_ERRCODE_OK, 0);
            is_started = true;
            return;
        }
        if (!is_started) {
            return expect(OMP_ERRCODE_SEQUENCE_ERR, 0);
        }
        check_in_session(request, is_started);
    }

  private:
    [[nodiscard]] int mem_size() const { return load<int>(before_) - kHeader; }
    [[nodiscard]] int error() const { return load<int>(after_ + 8); }
    [[nodiscard]] int return_size() const { return load<int>(after_ + 12); }
    template <class T> [[nodiscard]] T mem(int offset) const {
        return load<T>(after_ + kHeader + offset);
    }

    void expect(int wanted, int size, int touched = 0) const {
        require(error() == wanted, "the error code is the contract's");
        require(return_size() == size, "rsz is the contract's");
        require(touched <= mem_size() &&
                    std::memcmp(before_ + kHeader + touched, after_ + kHeader + touched,
                                static_cast<std::size_t>(mem_size() - touched)) == 0,
                "what lies behind the answer is untouched");
    }

    void check_in_session(int request, bool &is_started) const {
        switch (request) {
        case OMP_REQ_REGISTER:
            return check_register();
        case OMP_REQ_UNREGISTER:
            if (mem_size() < 4) {
                return expect(OMP_ERRCODE_MEM_TOO_SMALL, 4);
            }
            return expect(is_event(mem<int>(0)) ? OMP_ERRCODE_OK : OMP_ERRCODE_UNKNOWN, 0);
        case OMP_REQ_STATE:
            return check_state();
        case OMP_REQ_CURRENT_PRID:
            return mem_size() < 8 ? expect(OMP_ERRCODE_MEM_TOO_SMALL, 8)
                                  : expect(OMP_ERRCODE_OK, 8, 8);
        case OMP_REQ_PARENT_PRID:
            if (mem_size() < 8) {
                return expect(OMP_ERRCODE_MEM_TOO_SMALL, 8);
            }
            return error() == OMP_ERRCODE_THREAD_ERR ? expect(OMP_ERRCODE_THREAD_ERR, 0)
                                                     : expect(OMP_ERRCODE_OK, 8, 8);
        case OMP_REQ_TASK_ID:
        case OMP_REQ_TASK_PID:
            return mem_size() < 4 ? expect(OMP_ERRCODE_MEM_TOO_SMALL, 4)
                                  : expect(OMP_ERRCODE_OK, 4, 4);
        case OMP_REQ_STOP:
            is_started = false;
            [[fallthrough]];
        default:
            return expect(OMP_ERRCODE_OK, 0);
        }
    }

    void check_register() const {
        if (mem_size() < 12) {
            return expect(OMP_ERRCODE_MEM_TOO_SMALL, 12);
        }
        if (!is_event(mem<int>(0))) {
            return expect(OMP_ERRCODE_UNKNOWN, 0);
        }
        if (is_never_delivered(mem<int>(0))) {
            return expect(OMP_ERRCODE_UNSUPPORTED, 0);
        }
        const auto address = mem<std::uint64_t>(mem_size() >= 16 ? 8 : 4);
        const bool may_refuse = address != 0 && the_system.maps != System::Maps::kNoFile;
        expect(may_refuse && error() == OMP_ERRCODE_ERROR ? OMP_ERRCODE_ERROR : OMP_ERRCODE_OK, 0);
    }

    void check_state() const {
        if (mem_size() < 4) {
            return expect(OMP_ERRCODE_MEM_TOO_SMALL, 12);
        }
        const int state = mem<int>(0);
        require(state >= THR_OVHD_STATE && state <= THR_ATWT_STATE, "a state of the contract");
        if (!has_wait_id(state)) {
            return expect(OMP_ERRCODE_OK, 4, 4);
        }
        if (mem_size() < 12) {
            return expect(OMP_ERRCODE_MEM_TOO_SMALL, 12, 4);
        }
        const int pair = mem_size() >= 16 ? 16 : 12;
        expect(OMP_ERRCODE_OK, pair, pair);
        if (pair == 16) {
            require(std::memcmp(before_ + kHeader + 4, after_ + kHeader + 4, 4) == 0, "padding");
        }
    }

    const std::uint8_t *before_, *after_;
};

void check(const std::vector<std::uint8_t> &before, const std::uint8_t *after, int result,
           bool is_started) {
    for (std::size_t at = 0;;) {
        const int size = load<int>(&before[at]);
        if (!is_well_formed(size)) {
            require(result == (size == 0 ? 0 : -1), "-1 for a malformed list, and for no other");
            require(std::memcmp(&before[at], after + at, before.size() - at) == 0,
                    "the end and what lies behind it is untouched");
            return;
        }
        Record(&before[at], after + at).check(is_started);
        at += static_cast<std::size_t>(size);
    }
}

// Puts the calling thread there, and back.
class Placed {
  public:
    explicit Placed(const Setup &setup) : setup_(setup) {
        runtime_stays(setup_.has_runtime);
        // A session in any case: what the runtime reports to one stays observed after it.
        require(call(OMP_REQ_START) == OMP_ERRCODE_OK, "START");
        if (!setup_.has_runtime) {
            return;
        }
        user_thread_begins();
        switch (setup_.place) {
        case kRegion:
            region_.begin_on_master();
            break;
        case kBarrier:
            region_.begin_on_master();
            barrier_begins(Barrier::kExplicit);
            break;
        case kMutex:
            team_.begin_on_master();
            mutex_acquire(ompt5::ompt_mutex_ordered, 0x1234);
            break;
        case kReduction:
            region_.begin_on_master();
            reduction_begins();
            break;
        case kTeamMember: // PARENT_PRID is not for it
            team_.fork();
            team_.enter(1);
            break;
        case kUnknown:
        case kLate:
            record_ = own_record;
            set_own_record(nullptr);
            caller().is_known = setup_.place == kLate;
            break;
        default:
            break;
        }
    }
    ~Placed() {
        if (!setup_.has_runtime) {
            return;
        }
        switch (setup_.place) {
        case kBarrier:
            barrier_ends(Barrier::kExplicit);
            region_.end_on_master();
            break;
        case kRegion:
            region_.end_on_master();
            break;
        case kMutex:
            mutex_acquired(ompt5::ompt_mutex_ordered, 0x1234);
            mutex_released(ompt5::ompt_mutex_ordered, 0x1234);
            team_.end_on_master();
            break;
        case kReduction:
            reduction_ends();
            region_.end_on_master();
            break;
        case kTeamMember:
            team_.leave();
            team_.join();
            break;
        case kUnknown:
        case kLate:
            caller().is_known = true;
            if (own_record != nullptr) { // registered meanwhile
                release_own_record();
            }
            own_record = record_;
            break;
        default:
            break;
        }
        user_thread_ends();
    }
    Placed(const Placed &) = delete;
    Placed &operator=(const Placed &) = delete;

  private:
    // From input to input, as it comes and goes slowly.
    static void runtime_stays(bool stays) {
        static FakeRuntime runtime(Flavour::kLibomp19);
        static bool is_there = false;
        if (stays && !is_there) {
            require(runtime.attach(), "the runtime has a tool");
        }
        if (!stays && is_there) {
            runtime.finalize();
        }
        is_there = stays;
    }

    Setup setup_;
    FakeRegion region_{1}, team_{2};
    ThreadRecord *record_ = nullptr;
};

void run(Input &input) {
    const Setup setup = read_setup(input);
    const std::vector<std::uint8_t> before = bounded_list(input);
    const std::size_t size = before.size() + setup.misalignment;
    const std::unique_ptr<std::uint8_t[]> memory(new std::uint8_t[size]);
    std::uint8_t *list = memory.get() + setup.misalignment;
    std::memcpy(list, before.data(), before.size());

    {
        const Placed placed(setup);
        if (!setup.is_started) {
            require(call(OMP_REQ_STOP) == OMP_ERRCODE_OK, "STOP");
        }
        const int result = __omp_collector_api(list);
        if (setup.misalignment == 0) {
            check(before, list, result, setup.is_started);
        } else {
            require(result == -1 && std::memcmp(list, before.data(), before.size()) == 0,
                    "a misaligned list is untouched");
        }
        call(OMP_REQ_STOP);
    }
    require(__omp_collector_api(nullptr) == -1, "no list");
}

} // namespace
} // namespace ocb::test

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    ocb::test::Input input(data, size);
    ocb::test::run(input);
    return 0;
}
