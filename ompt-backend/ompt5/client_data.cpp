// SPDX-License-Identifier: Apache-2.0
#include "ompt5/client_data.h"

#include "base/pool.h"
#include "ompt5/data_words.h"

namespace ocb::ompt5::multiplex {

constinit bool has_client_tool = false;

namespace {

constinit Pool<TaskRecord, 64> task_records;
constinit ompt_data_t nobodys_data{0};
constinit thread_local TaskRecord *ended_task __attribute__((tls_model("initial-exec"))) = nullptr;

static_assert(sizeof(ompt_data_t) == sizeof(std::uint64_t));

ompt_data_t *data_in(std::uint64_t *word) {
    return word != nullptr ? reinterpret_cast<ompt_data_t *>(word) : &nobodys_data;
}

TaskRecord *record_behind(const ompt_data_t *data) {
    return data != nullptr ? reinterpret_cast<TaskRecord *>(data->value) : nullptr;
}

} // namespace

TaskRecord &task_record(ompt_data_t &data) {
    static constinit TaskRecord nobodys_record;
    if (data.value == 0) {
        TaskRecord *record = task_records.take();
        if (record == nullptr) {
            return nobodys_record;
        }
        *record = TaskRecord{};
        data.value = reinterpret_cast<std::uint64_t>(record);
    }
    return *reinterpret_cast<TaskRecord *>(data.value);
}

ompt_data_t *client_data_of_region(ompt_data_t *data) {
    return data != nullptr ? data_in(tracker::make_client_word_of(region_word(data))) : nullptr;
}

ompt_data_t *client_data_of_task(ompt_data_t *data) {
    return data != nullptr ? &task_record(*data).client : nullptr;
}

ompt_data_t *known_client_data_of_region(const ompt_data_t *data) {
    return data != nullptr ? data_in(tracker::client_word_of(region_word(data))) : &nobodys_data;
}

ompt_data_t *known_client_data_of_task(const ompt_data_t *data) {
    TaskRecord *record = record_behind(data);
    return record != nullptr ? &record->client : &nobodys_data;
}

void drop_task(ompt_data_t *data) {
    TaskRecord *record = has_client_tool ? record_behind(data) : nullptr;
    if (record == nullptr) {
        return;
    }
    data->value = 0;
    task_records.give(record);
}

void drop_ended_task() {
    if (ended_task != nullptr) {
        task_records.give(ended_task);
    }
    ended_task = nullptr;
}

void end_implicit_task(const ompt_data_t *data) {
    drop_ended_task();
    if (has_client_tool) {
        ended_task = record_behind(data);
    }
}

void reset_after_fork() {
    task_records.reset_lock_after_fork();
}

} // namespace ocb::ompt5::multiplex
