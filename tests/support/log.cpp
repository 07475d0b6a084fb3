// SPDX-License-Identifier: Apache-2.0
//
// log.cpp - see log.h. The file is a sequence of lines, the first word of each says what it is;
// fake-collector/log_file.cpp writes it.
#include "log.h"

#include "omp_collector_client.h"

#include <fstream>
#include <sstream>

namespace ocb_test {

namespace {

// "event 40" where the contract has no name.
std::string name_or_number(const std::string &name, const char *what, int number) {
    return name != "?" ? name : std::string(what) + " " + std::to_string(number);
}

void read_answers(std::istream &in, Answers &a) {
    in >> a.result >> a.state_ec >> a.state >> std::hex >> a.wait_id >> std::dec >> a.region_ec >>
        a.region >> a.parent_ec >> a.parent >> a.task >> a.parent_task;
}

Record read_record(std::istream &in, const std::string &kind) {
    Record record;
    record.kind = kind == "event"  ? RecordKind::kEvent
                  : kind == "mark" ? RecordKind::kMark
                                   : RecordKind::kRequest;
    in >> record.sequence >> record.time >> record.used >> record.number >> record.ec;
    read_answers(in, record.answers);
    std::getline(in >> std::ws, record.label);
    return record;
}

std::string region_name(std::uint64_t region, const RegionNames &names) {
    if (region == 0) {
        return "0";
    }
    const auto found = names.find(region);
    return found != names.end() ? found->second : "r" + std::to_string(region);
}

std::string to_text(const Answers &a, const RegionNames &names) {
    if (a.result != 0) {
        return "result " + std::to_string(a.result);
    }
    if (a.state_ec == OMP_ERRCODE_SEQUENCE_ERR && a.region_ec == OMP_ERRCODE_SEQUENCE_ERR &&
        a.parent_ec == OMP_ERRCODE_SEQUENCE_ERR) {
        return "SEQUENCE_ERR";
    }
    std::string text = a.state_ec == OMP_ERRCODE_OK ? state_name(a.state)
                                                    : "STATE answers " + error_name(a.state_ec);
    text += " ";
    text += a.region_ec == OMP_ERRCODE_OK ? region_name(a.region, names)
                                          : "CURRENT_PRID answers " + error_name(a.region_ec);
    if (a.parent_ec == OMP_ERRCODE_OK) {
        text += " in " + region_name(a.parent, names);
    } else if (a.parent_ec != OMP_ERRCODE_THREAD_ERR) {
        text += " PARENT_PRID answers " + error_name(a.parent_ec);
    }
    return text;
}

} // namespace

Log read_log(const std::string &path) {
    Log log;
    std::ifstream file(path);
    std::map<int, std::size_t> places; // of threads in log.threads, by index
    bool ended = false;
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream in(line);
        std::string kind;
        in >> kind;
        if (kind == "process") {
            in >> log.pid;
        } else if (kind == "library") {
            std::string library;
            std::getline(in >> std::ws, library);
            log.libraries.push_back(library);
        } else if (kind == "thread") {
            ThreadLog thread;
            in >> thread.index >> thread.tid >> thread.dropped;
            places[thread.index] = log.threads.size();
            log.threads.push_back(thread);
        } else if (kind == "late") {
            int thread = 0;
            in >> kind >> thread;
            log.late.push_back(read_record(in, kind));
        } else if (kind == "end") {
            ended = true;
        } else {
            int thread = 0;
            in >> thread;
            const auto place = places.find(thread);
            if (place == places.end()) {
                return log;
            }
            ThreadLog &owner = log.threads[place->second];
            if (kind == "sample") {
                Sample sample;
                in >> sample.time >> sample.used;
                read_answers(in, sample.answers);
                owner.samples.push_back(sample);
            } else {
                owner.records.push_back(read_record(in, kind));
            }
        }
    }
    log.complete = ended;
    for (const ThreadLog &thread : log.threads) {
        log.complete = log.complete && thread.dropped == 0;
    }
    return log;
}

RegionNames name_regions(const Log &log) {
    std::map<std::uint64_t, std::uint64_t> in_order; // the region of each record, by sequence
    for (const ThreadLog &thread : log.threads) {
        for (const Record &record : thread.records) {
            if (record.answers.region_ec == OMP_ERRCODE_OK && record.answers.region != 0) {
                in_order[record.sequence] = record.answers.region;
            }
        }
    }
    RegionNames names;
    for (const auto &[sequence, region] : in_order) {
        names.emplace(region, "r" + std::to_string(names.size() + 1));
    }
    return names;
}

std::string event_name(int event) {
    return name_or_number(omp_collector_event_name(event), "event", event);
}

std::string state_name(int state) {
    return name_or_number(omp_collector_state_name(state), "state", state);
}

std::string error_name(int ec) {
    return name_or_number(omp_collector_error_name(ec), "error", ec);
}

std::string request_name(int request) {
    return name_or_number(omp_collector_request_name(request), "request", request);
}

std::string to_text(const Record &record, const RegionNames &names) {
    switch (record.kind) {
    case RecordKind::kEvent:
        return event_name(record.number) + " " + to_text(record.answers, names);
    case RecordKind::kMark:
        return record.label + ": " + to_text(record.answers, names);
    case RecordKind::kRequest:
        break;
    }
    std::string text = request_name(record.number) + " " + error_name(record.ec);
    if (!record.label.empty()) {
        text += " " + event_name(std::stoi(record.label));
    }
    return text;
}

Sequence sequence_of(const ThreadLog &thread, const RegionNames &names) {
    Sequence sequence;
    for (const Record &record : thread.records) {
        sequence.push_back(to_text(record, names));
    }
    return sequence;
}

std::vector<const ThreadLog *> other_threads(const Log &log) {
    std::vector<const ThreadLog *> threads;
    for (const ThreadLog &thread : log.threads) {
        if (thread.index != 0 && !thread.records.empty()) {
            threads.push_back(&thread);
        }
    }
    return threads;
}

const ThreadLog *thread_with_mark(const Log &log, const std::string &label) {
    for (const ThreadLog &thread : log.threads) {
        for (const Record &record : thread.records) {
            if (record.kind == RecordKind::kMark && record.label == label) {
                return &thread;
            }
        }
    }
    return nullptr;
}

std::vector<Record> events_of(const ThreadLog &thread, int event) {
    std::vector<Record> found;
    for (const Record &record : thread.records) {
        if (record.kind == RecordKind::kEvent && record.number == event) {
            found.push_back(record);
        }
    }
    return found;
}

} // namespace ocb_test
