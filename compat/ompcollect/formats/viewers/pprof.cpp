// SPDX-License-Identifier: Apache-2.0
//
// pprof's profile.proto, gzipped, as `go tool pprof` and Perfetto open it: one sample per thread,
// call path and state, its values the wall time, the processor time and the samples. State, thread
// and process are labels, and the state is the leaf of the path, as in every format.
// https://github.com/google/pprof/blob/main/proto/profile.proto has the meaning of the fields.
#include "formats.h"
#include "frames.h"
#include "gzipped.h"
#include "nearest.h"
#include "warnings.h"
#include "words.h"

#include <protozero/pbf_builder.hpp>

#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace ompcollect::report {
namespace {

// Numbers of the fields, as profile.proto has them.
enum class ProfileField : protozero::pbf_tag_type {
    kSampleType = 1,
    kSample = 2,
    kMapping = 3,
    kLocation = 4,
    kFunction = 5,
    kStringTable = 6,
    kTimeNanos = 9,
    kDurationNanos = 10,
    kPeriodType = 11,
    kPeriod = 12,
    kComment = 13,
    kDefaultSampleType = 14
};
enum class ValueTypeField : protozero::pbf_tag_type { kType = 1, kUnit = 2 };
enum class SampleField : protozero::pbf_tag_type { kLocationId = 1, kValue = 2, kLabel = 3 };
enum class LabelField : protozero::pbf_tag_type { kKey = 1, kStr = 2, kNum = 3 };
enum class MappingField : protozero::pbf_tag_type {
    kId = 1,
    kFilename = 5,
    kHasFunctions = 7,
    kHasFilenames = 8,
    kHasLineNumbers = 9,
    kHasInlineFrames = 10
};
enum class LocationField : protozero::pbf_tag_type {
    kId = 1,
    kMappingId = 2,
    kAddress = 3,
    kLine = 4
};
enum class LineField : protozero::pbf_tag_type { kFunctionId = 1, kLine = 2 };
enum class FunctionField : protozero::pbf_tag_type {
    kId = 1,
    kName = 2,

    kFilename = 4
};

template <class Message> using Builder = protozero::pbf_builder<Message>;

int64_t nanos(double seconds) {
    return is_known(seconds) ? nearest(seconds * 1e9) : 0;
}

class PprofWriter {
  public:
    explicit PprofWriter(const Run &run) : run_(run), profile_(bytes_) { strings_.number(""); }

    std::string bytes() {
        value_type(ProfileField::kSampleType, "samples", "count");
        value_type(ProfileField::kSampleType, "cpu", "nanoseconds");
        value_type(ProfileField::kSampleType, "wall", "nanoseconds");
        profile_.add_int64(ProfileField::kDefaultSampleType, strings_.number("wall"));
        for (const Process &process : run_.processes) {
            for (const Cell &cell : process.cells) {
                sample(process, cell);
            }
        }
        for (const std::string &text : warning_texts(run_)) {
            profile_.add_int64(ProfileField::kComment, strings_.number(text));
        }
        if (!run_.processes.empty()) {
            times(run_.processes.front());
        }
        tables();
        for (const std::string &text : strings_.rows()) {
            profile_.add_string(ProfileField::kStringTable, text);
        }
        return bytes_;
    }

  private:
    using Named = std::tuple<std::string, std::string>;               // function, file
    using Place = std::tuple<Named, unsigned, std::string, uint64_t>; // line, module, offset

    void value_type(ProfileField tag, const char *type, const char *unit) {
        Builder<ValueTypeField> to(profile_, tag);
        to.add_int64(ValueTypeField::kType, strings_.number(type));
        to.add_int64(ValueTypeField::kUnit, strings_.number(unit));
    }
    void times(const Process &process) {
        constexpr uint64_t kNanosOfSecond = 1000000000;
        profile_.add_uint64(ProfileField::kTimeNanos,
                            static_cast<uint64_t>(process.begin) * kNanosOfSecond +
                                process.begin_nanoseconds);
        profile_.add_int64(ProfileField::kDurationNanos, nanos(process.seconds));
        value_type(ProfileField::kPeriodType, "cpu", "nanoseconds");
        profile_.add_int64(ProfileField::kPeriod, process.rate ? 1000000000 / process.rate : 0);
    }
    uint64_t location(const Place &place) {
        return static_cast<uint64_t>(places_.number(place)) + 1; // 0 is none
    }
    uint64_t location_of(const Node &node) {
        const SourcePlace place = source_place(node.source);
        return location({{path_name(node), place.file}, place.line, node.module, node.offset});
    }
    void sample(const Process &process, const Cell &cell) {
        std::vector<uint64_t> path;
        const std::vector<std::string> leaves = leaf_names(cell.node, cell.state);
        for (auto leaf = leaves.rbegin(); leaf != leaves.rend(); ++leaf) {
            path.push_back(location({{*leaf, ""}, 0, "", 0}));
        }
        for (int at = cell.node; at >= 0; at = process.nodes[static_cast<size_t>(at)].parent) {
            path.push_back(location_of(process.nodes[static_cast<size_t>(at)]));
        }
        const int64_t values[] = {static_cast<int64_t>(cell.samples), nanos(cell.cpu),
                                  nanos(cell.wall)};
        Builder<SampleField> to(profile_, ProfileField::kSample);
        to.add_packed_uint64(SampleField::kLocationId, path.begin(), path.end());
        to.add_packed_int64(SampleField::kValue, std::begin(values), std::end(values));
        label(to, "state", state_name(cell.state));
        label(to, "thread", thread_name(process.threads[cell.thread]));
        label(to, "process", process_name(process));
    }
    void label(Builder<SampleField> &sample, const char *key, const std::string &text) {
        Builder<LabelField> to(sample, SampleField::kLabel);
        to.add_int64(LabelField::kKey, strings_.number(key));
        to.add_int64(LabelField::kStr, strings_.number(text));
    }
    // Names are known: pprof is not to look for them in files of this machine.
    void mapping(uint64_t id, const std::string &module) {
        Builder<MappingField> to(profile_, ProfileField::kMapping);
        to.add_uint64(MappingField::kId, id);
        to.add_int64(MappingField::kFilename, strings_.number(module));
        for (const MappingField known :
             {MappingField::kHasFunctions, MappingField::kHasFilenames,
              MappingField::kHasLineNumbers, MappingField::kHasInlineFrames}) {
            to.add_bool(known, true);
        }
    }
    void tables() {
        RowTable<Named> functions;
        NameTable modules;
        uint64_t id = 0;
        for (const auto &[named, line, module, offset] : places_.rows()) {
            Builder<LocationField> to(profile_, ProfileField::kLocation);
            to.add_uint64(LocationField::kId, ++id);
            if (!module.empty()) {
                to.add_uint64(LocationField::kMappingId,
                              static_cast<uint64_t>(modules.number(module)) + 1);
                to.add_uint64(LocationField::kAddress, offset);
            }
            Builder<LineField> lines(to, LocationField::kLine);
            lines.add_uint64(LineField::kFunctionId,
                             static_cast<uint64_t>(functions.number(named)) + 1);
            lines.add_int64(LineField::kLine, line);
        }
        id = 0;
        // Without a name of the linker: pprof would take <...> for a template's and cut it out.
        for (const auto &[name, file] : functions.rows()) {
            Builder<FunctionField> to(profile_, ProfileField::kFunction);
            to.add_uint64(FunctionField::kId, ++id);
            to.add_int64(FunctionField::kName, strings_.number(name));
            to.add_int64(FunctionField::kFilename, strings_.number(file));
        }
        id = 0;
        for (const std::string &module : modules.rows()) {
            mapping(++id, module);
        }
    }

    const Run &run_;
    std::string bytes_;
    Builder<ProfileField> profile_;
    NameTable strings_;
    RowTable<Place> places_;
};

} // namespace

void write_pprof(const Run &run, std::ostream &out) {
    out << gzipped(PprofWriter(run).bytes());
}

} // namespace ompcollect::report
