// SPDX-License-Identifier: Apache-2.0
//
// See raw_reader.h.
#include "raw_reader.h"

#include "failure.h"
#include "raw_profile.h"

#include <cstdlib>
#include <deque>
#include <vector>

namespace ompcollect {
namespace {

struct Raw {
    RawProfile profile;
    std::vector<RawThread> threads;
    std::vector<RawRegion> regions;
    std::vector<RawLock> locks;
    std::deque<std::string> strings;

    const char *keep(const std::string &text) {
        return text.empty() ? nullptr : strings.emplace_back(text).c_str();
    }
};

// The fields of one line, taken from left to right. Missing ones read as 0 or empty.
class Fields {
  public:
    explicit Fields(const std::string &line) {
        size_t begin = 0;
        for (size_t tab; (tab = line.find('\t', begin)) != std::string::npos; begin = tab + 1) {
            fields_.push_back(line.substr(begin, tab - begin));
        }
        fields_.push_back(line.substr(begin));
    }
    std::string text() { return next_ < fields_.size() ? fields_[next_++] : std::string(); }
    uint64_t number(int base = 10) { return strtoull(text().c_str(), nullptr, base); }
    int signed_number() { return static_cast<int>(strtol(text().c_str(), nullptr, 10)); }
    double real() { return strtod(text().c_str(), nullptr); }
    void counts(StateCounts &to) {
        for (uint64_t &count : to) {
            count = number();
        }
    }

  private:
    std::vector<std::string> fields_;
    size_t next_ = 0;
};

void read_process(Fields &in, Raw &to) {
    to.profile.pid = static_cast<long>(in.number());
    const char *program = to.keep(in.text());
    to.profile.program = program ? program : "";
}

void read_run(Fields &in, Raw &to) {
    to.profile.rate = static_cast<unsigned>(in.number());
    to.profile.wall_clock = in.text() == "wall";
    to.profile.seconds = in.real();
    to.profile.start_code = in.signed_number();
    to.profile.signal_taken = in.number() != 0;
}

void read_totals(Fields &in, Raw &to) {
    to.profile.late_samples = in.number();
    to.profile.lost_samples = in.number();
    to.profile.untabled_locks = in.number();
}

void read_event(Fields &in, Raw &to) {
    const uint64_t number = in.number();
    if (number < kEventNumbers) {
        to.profile.events[number].registered = in.signed_number();
        to.profile.events[number].count = in.number();
    }
}

void read_thread(Fields &in, Raw &to) {
    RawThread row = {};
    row.number = static_cast<unsigned>(in.number());
    row.tid = static_cast<long>(in.number());
    row.kind = static_cast<RawThreadKind>(in.number());
    row.folded = in.number();
    in.counts(row.samples);
    to.threads.push_back(row);
}

Place read_place(Fields &in, Raw &to) {
    Place place;
    place.offset = in.number(16);
    place.module = to.keep(in.text());
    place.symbol = to.keep(in.text());
    return place;
}

void read_region(Fields &in, Raw &to) {
    RawRegion row = {};
    row.entries = in.number();
    row.parent = in.signed_number();
    in.counts(row.samples);
    row.place = read_place(in, to);
    to.regions.push_back(row);
}

void read_serial(Fields &in, Raw &to) {
    in.counts(to.profile.serial);
}

void read_several(Fields &in, Raw &to) {
    in.counts(to.profile.several);
}

void read_unknown(Fields &in, Raw &to) {
    in.counts(to.profile.unknown_region);
}

void read_lock(Fields &in, Raw &to) {
    RawLock row = {};
    row.state = static_cast<unsigned>(in.number());
    row.wait_id = in.number(16);
    row.waits = in.number();
    row.samples = in.number();
    row.object = read_place(in, to);
    row.first_wait = read_place(in, to);
    to.locks.push_back(row);
}

struct Record {
    const char *name;
    void (*read)(Fields &, Raw &);
};
constexpr Record kRecords[] = {
    {"process", read_process}, {"run", read_run},         {"totals", read_totals},
    {"event", read_event},     {"thread", read_thread},   {"region", read_region},
    {"serial", read_serial},   {"several", read_several}, {"unknown", read_unknown},
    {"lock", read_lock},
};

} // namespace

std::unique_ptr<LoadedProfile> read_raw_profile(std::istream &in, const std::string &name) {
    Raw raw;
    std::string line;
    if (!std::getline(in, line) || line != kRawProfileHead) {
        throw Failure(name + " is not a profile of this version; use launcher and collector of one "
                             "installation");
    }
    while (std::getline(in, line) && line != "end") {
        Fields fields(line);
        const std::string head = fields.text();
        for (const Record &record : kRecords) {
            if (head == record.name) {
                record.read(fields, raw);
            }
        }
    }
    if (line != "end") {
        throw Failure(name +
                      " is incomplete: the process died while it wrote it, or the disk is full");
    }
    raw.profile.threads = raw.threads.data();
    raw.profile.thread_count = raw.threads.size();
    raw.profile.regions = raw.regions.data();
    raw.profile.region_count = raw.regions.size();
    raw.profile.locks = raw.locks.data();
    raw.profile.lock_count = raw.locks.size();
    auto loaded = std::make_unique<LoadedProfile>();
    if (!convert(raw.profile, *loaded)) {
        throw Failure(name + ": no memory");
    }
    return loaded;
}

} // namespace ompcollect
