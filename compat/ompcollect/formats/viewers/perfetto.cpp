// SPDX-License-Identifier: Apache-2.0
//
// Perfetto's own trace: the time line as slices that nest, a track per thread. Times are
// nanoseconds since 1970, so that traces of one job lie beside each other.
// https://github.com/google/perfetto/tree/main/protos/perfetto/trace has the meaning of the fields.
#include "formats.h"
#include "time_line.h"
#include "warnings.h"

#include <protozero/pbf_builder.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace ompcollect::report {
namespace {

using protozero::pbf_tag_type;

// Numbers of the fields, as the .proto files have them.
enum class TraceField : pbf_tag_type { kPacket = 1 };
enum class TracePacketField : pbf_tag_type {
    kTimestamp = 8,
    kSequenceId = 10,
    kTrackEvent = 11,
    kInternedData = 12,
    kSequenceFlags = 13,
    kTrackDescriptor = 60
};
enum class InternedDataField : pbf_tag_type { kEventNames = 2 };
enum class EventNameField : pbf_tag_type { kIid = 1, kName = 2 };
enum class TrackDescriptorField : pbf_tag_type { kUuid = 1, kProcess = 3, kThread = 4 };
enum class ProcessDescriptorField : pbf_tag_type { kPid = 1, kCommandLine = 2, kName = 6 };
enum class ThreadDescriptorField : pbf_tag_type { kPid = 1, kTid = 2, kSortIndex = 3, kName = 5 };
enum class TrackEventField : pbf_tag_type { kType = 9, kNameIid = 10, kTrackUuid = 11 };
enum class EventType : int { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3 };
constexpr uint32_t kStateCleared = 1;
constexpr uint32_t kNeedsState = 2;
constexpr uint32_t kSequence = 1;

template <class Message> using Builder = protozero::pbf_builder<Message>;

class PerfettoWriter {
  public:
    explicit PerfettoWriter(std::ostream &out) : out_(out) {}

    void process(const Process &process, uint64_t begin) {
        const std::string suffix = process.samples.empty() ? kOrderUnknown : "";
        packet([&](Builder<TracePacketField> &to) {
            to.add_uint32(TracePacketField::kSequenceFlags, kStateCleared);
            Builder<TrackDescriptorField> track(to, TracePacketField::kTrackDescriptor);
            track.add_uint64(TrackDescriptorField::kUuid, ++last_uuid_);
            Builder<ProcessDescriptorField> its(track, TrackDescriptorField::kProcess);
            its.add_int32(ProcessDescriptorField::kPid, static_cast<int32_t>(process.pid));
            for (const std::string &word : process.arguments) {
                its.add_string(ProcessDescriptorField::kCommandLine, word);
            }
            its.add_string(ProcessDescriptorField::kName, process_name(process) + suffix);
        });
        const uint64_t own_track = last_uuid_;
        names_ = {};
        std::vector<SliceTrack> tracks;
        for (const Thread &thread : process.threads) {
            const uint64_t uuid = track_of(process, thread);
            tracks.emplace_back(process, [this, uuid, begin](bool is_begin, const std::string &name,
                                                             int64_t micros) {
                event(uuid, is_begin ? EventType::kSliceBegin : EventType::kSliceEnd, name,
                      begin + static_cast<uint64_t>(micros) * kNanos);
            });
        }
        for (const Stretch &stretch : line_of(process)) {
            tracks[stretch.thread].add(stretch, events_ > kMany);
        }
        for (SliceTrack &track : tracks) {
            track.close();
        }
        for (const Warning &warning : warnings_of(process)) {
            event(own_track, EventType::kInstant, warning.text,
                  begin + static_cast<uint64_t>(process.seconds * 1e9));
        }
    }

  private:
    static constexpr uint64_t kNanos = 1000;  // of a microsecond
    static constexpr size_t kMany = 10000000; // more than real runs have

    template <class Fill> void packet(Fill fill) {
        std::string bytes;
        {
            Builder<TraceField> trace(bytes);
            Builder<TracePacketField> to(trace, TraceField::kPacket);
            to.add_uint32(TracePacketField::kSequenceId, kSequence);
            fill(to);
        }
        out_ << bytes;
    }
    uint64_t track_of(const Process &process, const Thread &thread) {
        packet([&](Builder<TracePacketField> &to) {
            Builder<TrackDescriptorField> track(to, TracePacketField::kTrackDescriptor);
            track.add_uint64(TrackDescriptorField::kUuid, ++last_uuid_);
            Builder<ThreadDescriptorField> its(track, TrackDescriptorField::kThread);
            its.add_int32(ThreadDescriptorField::kPid, static_cast<int32_t>(process.pid));
            its.add_int64(ThreadDescriptorField::kTid, thread.tid);
            its.add_int32(ThreadDescriptorField::kSortIndex, static_cast<int32_t>(thread.number));
            its.add_string(ThreadDescriptorField::kName, thread_name(thread));
        });
        return last_uuid_;
    }
    // A name is written once, before its first event.
    void event(uint64_t track, EventType type, const std::string &name, uint64_t time) {
        const bool has_name = type != EventType::kSliceEnd;
        packet([&](Builder<TracePacketField> &to) {
            to.add_uint64(TracePacketField::kTimestamp, time);
            to.add_uint32(TracePacketField::kSequenceFlags, kNeedsState);
            uint64_t iid = 0;
            if (has_name) {
                const size_t known = names_.rows().size();
                iid = static_cast<uint64_t>(names_.number(name)) + 1;
                if (names_.rows().size() > known) {
                    Builder<InternedDataField> data(to, TracePacketField::kInternedData);
                    Builder<EventNameField> its(data, InternedDataField::kEventNames);
                    its.add_uint64(EventNameField::kIid, iid);
                    its.add_string(EventNameField::kName, name);
                }
            }
            Builder<TrackEventField> its(to, TracePacketField::kTrackEvent);
            its.add_enum(TrackEventField::kType, static_cast<int>(type));
            its.add_uint64(TrackEventField::kTrackUuid, track);
            if (has_name) {
                its.add_uint64(TrackEventField::kNameIid, iid);
            }
        });
        ++events_;
    }

    std::ostream &out_;
    NameTable names_;
    uint64_t last_uuid_ = 0;
    size_t events_ = 0;
};

} // namespace

void write_perfetto(const Run &run, std::ostream &out) {
    PerfettoWriter to(out);
    for (const Process &process : run.processes) {
        constexpr uint64_t kNanosOfSecond = 1000000000;
        to.process(process, static_cast<uint64_t>(process.begin) * kNanosOfSecond +
                                process.begin_nanoseconds);
    }
}

} // namespace ompcollect::report
