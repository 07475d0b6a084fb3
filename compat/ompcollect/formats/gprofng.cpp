// SPDX-License-Identifier: Apache-2.0
//
// An experiment that gprofng (GNU binutils) shows: a folder of the layout that its reader expects,
// with user-model stacks, OpenMP states and parallel regions. One experiment per process. A cell of
// the run is one sample whose weight is its time. Modules lie at addresses of our own choice, so
// names and source lines need the program's files, as they were, on the machine that reads it.
#include "elf_file.h"
#include "failure.h"
#include "formats.h"
#include "frames.h"
#include "nearest.h"
#include "warnings.h"
#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace ompcollect::report {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kTickMicroseconds = 100; // the unit of weights
constexpr double kTicksPerSecond = 1e6 / kTickMicroseconds;

// Kinds of the reader's packets.
enum : uint16_t {
    kClockPacket = 8,
    kFramePacket = 11,
    kOmp2Packet = 12,
    kOmp4Packet = 15,
    kUidPacket = 17
};
enum : uint32_t { kStackInfo = 1, kOmp2Info = 5 };

class Bytes {
  public:
    template <class Number> Bytes &add(Number number) {
        bytes_.append(reinterpret_cast<const char *>(&number), sizeof number);
        return *this;
    }
    void write(const fs::path &path) const {
        std::ofstream out(path, std::ios::binary);
        out.write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
        out.flush();
        if (!out) {
            throw Failure(path.string() + ": " + strerror(errno));
        }
    }

  private:
    std::string bytes_;
};

std::string stamp(double seconds) {
    return format("%.9f", seconds);
}

class Experiment {
  public:
    Experiment(const Process &process, fs::path folder)
        : process_(process), folder_(std::move(folder)) {}
    void write();

  private:
    void place_modules();
    [[nodiscard]] uint64_t address_of(int node) const;
    uint64_t frame_of(int node, unsigned state);
    uint64_t stack_of(int node);
    void write_regions();
    void write_samples();
    void write_map() const;
    void write_log() const;

    const Process &process_;
    const fs::path folder_;
    struct Module {
        uint64_t base = 0;
        Image elf;
    };
    std::map<std::string, Module> modules_;
    std::map<int, uint64_t> stacks_;
    std::map<std::pair<int, unsigned>, uint64_t> frames_;
    Bytes infos_;
    Bytes profile_;
    Bytes regions_;
    double end_ = 0;
};

void Experiment::place_modules() {
    constexpr uint64_t kFirst = 0x100000000;
    constexpr uint64_t kApart = 0x100000000;
    modules_[process_.program];
    for (const Node &node : process_.nodes) {
        if (!node.module.empty()) {
            modules_[node.module];
        }
    }
    uint64_t next = kFirst;
    for (auto &[path, module] : modules_) {
        module.elf = ElfFile(path).image();
        if (!module.elf.is_fixed) {
            module.base = next;
            next += kApart;
        }
    }
}

uint64_t Experiment::address_of(int node) const {
    const Node &at = process_.nodes[static_cast<size_t>(node)];
    const auto found = modules_.find(at.module);
    return at.offset + (found == modules_.end() ? 0 : found->second.base);
}

// A stack of addresses from leaf to root. All begin at the program's entry.
uint64_t Experiment::stack_of(int node) {
    const auto [found, is_new] = stacks_.try_emplace(node, stacks_.size() + 1);
    if (is_new) {
        std::vector<uint64_t> addresses;
        for (int at = node; at >= 0; at = process_.nodes[static_cast<size_t>(at)].parent) {
            const uint64_t address = address_of(at);
            // A region and the call that forks it are one place.
            if (address != 0 && (addresses.empty() || addresses.back() != address)) {
                addresses.push_back(address);
            }
        }
        const Module &program = modules_.at(process_.program);
        addresses.push_back(program.base + program.elf.entry);
        const auto size = static_cast<uint16_t>(16 + 8 * addresses.size());
        infos_.add(size).add(uint16_t{kUidPacket}).add(uint32_t{0}).add(found->second);
        for (const uint64_t address : addresses) {
            infos_.add(address);
        }
    }
    return found->second;
}

uint64_t Experiment::frame_of(int node, unsigned state) {
    const auto [found, is_new] = frames_.try_emplace({node, state}, frames_.size() + 1);
    if (is_new) {
        const uint64_t stack = stack_of(node);
        // The reader takes WORK for overhead where a frame lies on a pragma's line; 0 it takes for
        // work always.
        const uint32_t number = state == THR_WORK_STATE ? 0 : state;
        infos_.add(uint16_t{56}).add(uint16_t{kFramePacket}).add(uint32_t{16}).add(found->second);
        infos_.add(uint32_t{16}).add(uint32_t{kStackInfo}).add(stack);
        infos_.add(uint32_t{24}).add(uint32_t{kOmp2Info}).add(number).add(uint32_t{0}).add(stack);
    }
    return found->second;
}

void Experiment::write_regions() {
    for (size_t i = 0; i < process_.nodes.size(); ++i) {
        if (region_of(process_, static_cast<int>(i)) == static_cast<int>(i)) {
            const int parent = region_of(process_, process_.nodes[i].parent);
            regions_.add(uint16_t{32}).add(uint16_t{kOmp4Packet}).add(uint32_t{0});
            regions_.add(uint64_t{i + 1}).add(static_cast<uint64_t>(parent < 0 ? 0 : parent + 1));
            regions_.add(address_of(static_cast<int>(i)));
        }
    }
}

// A thread's cells follow each other in time, those of a region together: the reader finds the
// region of a sample by its time.
void Experiment::write_samples() {
    std::vector<const Cell *> cells;
    for (const Cell &cell : process_.cells) {
        if (cell.wall > 0) {
            cells.push_back(&cell);
        }
    }
    std::stable_sort(cells.begin(), cells.end(), [this](const Cell *a, const Cell *b) {
        return std::pair(a->thread, region_of(process_, a->node)) <
               std::pair(b->thread, region_of(process_, b->node));
    });
    double now = 0;
    int region = kUnknown - 1;
    const Cell *before = nullptr;
    for (const Cell *cell : cells) {
        const auto ticks = static_cast<uint32_t>(
            std::clamp(nearest(cell->wall * kTicksPerSecond), 0LL, 0x7fffffffLL));
        const uint64_t thread = cell->thread + 1;
        const bool is_new_thread = !before || before->thread != cell->thread;
        if (is_new_thread) {
            now = 1e-3;
        }
        const int here = region_of(process_, cell->node);
        if (is_new_thread || here != region) {
            region = here;
            regions_.add(uint16_t{32}).add(uint16_t{kOmp2Packet}).add(uint32_t{0}).add(thread);
            regions_.add(static_cast<uint64_t>(now * 1e9));
            regions_.add(static_cast<uint64_t>(here < 0 ? 0 : here + 1));
        }
        now += cell->wall / 2;
        profile_.add(uint16_t{56}).add(uint16_t{kClockPacket}).add(uint32_t{0});
        profile_.add(static_cast<uint64_t>(process_.threads[cell->thread].tid)).add(thread);
        profile_.add(uint32_t{0}).add(uint32_t{0}).add(static_cast<uint64_t>(now * 1e9));
        profile_.add(frame_of(cell->node, cell->state)).add(uint32_t{0}).add(ticks);
        now += cell->wall / 2 + 1e-6;
        end_ = std::max(end_, now);
        before = cell;
    }
}

void Experiment::write_map() const {
    std::ofstream out(folder_ / "map.xml");
    for (const auto &[path, module] : modules_) {
        for (const Segment &segment : module.elf.segments) {
            const unsigned modes =
                segment.can_read | segment.can_write << 1 | segment.can_execute << 2;
            out << format("<event kind=\"map\" object=\"segment\" tstamp=\"0.000100000\" "
                          "vaddr=\"0x%016llX\" size=\"%llu\" pagesz=\"4096\" foffset=\"+0x%08llX\" "
                          "modes=\"0x%03X\" chksum=\"0xFFFFFFFF\" name=\"",
                          static_cast<unsigned long long>(module.base) + segment.address,
                          static_cast<unsigned long long>(segment.size),
                          static_cast<unsigned long long>(segment.offset), modes)
                << markup(path) << "\"/>\n";
        }
    }
}

void Experiment::write_log() const {
    const double end = std::max(process_.seconds, end_ + 1e-3);
    std::string command;
    for (const std::string &argument : process_.arguments) {
        command += (command.empty() ? "" : " ") + argument;
    }
    std::ofstream out(folder_ / "log.xml");
    out << "<experiment version=\"12.4\">\n<collector>2.40.00</collector>\n</experiment>\n"
        << "<system hostname=\"" << markup(process_.host)
        << "\" arch=\"x86_64\" os=\"Linux\" pagesz=\"4096\" npages=\"1\">\n"
        << "  <cpu id=\"0\" clk=\"1000\"/>\n</system>\n"
        << "<process pid=\"" << process_.pid << "\"></process>\n"
        << "<process wsize=\"64\"></process>\n<process stackbase=\"0x0\"></process>\n"
        << "<process>" << markup(command.empty() ? process_.program : command) << "</process>\n"
        << "<dataptr name=\"frameinfo\" format=\"binary\"/>\n"
        << "<event kind=\"run\" tstamp=\"0.000000000\" time=\"" << process_.begin
        << "\" tm_zone=\"0\"/>\n"
        << "<profile name=\"profile\" ptimer=\"" << kTickMicroseconds
        << "\" numstates=\"1\">\n  <profdata fname=\"profile\"/>\n"
           "  <profpckt kind=\"8\" uname=\"Clock profiling data\">\n"
           "    <field name=\"LWPID\" uname=\"Lightweight process id\" offset=\"8\" "
           "type=\"INT64\"/>\n"
           "    <field name=\"THRID\" uname=\"Thread number\" offset=\"16\" type=\"INT64\"/>\n"
           "    <field name=\"CPUID\" uname=\"CPU id\" offset=\"24\" type=\"INT32\"/>\n"
           "    <field name=\"TSTAMP\" uname=\"High resolution timestamp\" offset=\"32\" "
           "type=\"INT64\"/>\n"
           "    <field name=\"FRINFO\" offset=\"40\" type=\"INT64\"/>\n"
           "    <field name=\"MSTATE\" uname=\"Thread state\" offset=\"48\" type=\"INT32\"/>\n"
           "    <field name=\"NTICK\" uname=\"Duration\" offset=\"52\" type=\"INT32\"/>\n"
           "  </profpckt>\n</profile>\n"
           "<profile name=\"omptrace\">\n  <profdata fname=\"omptrace\"/>\n"
           "  <profpckt kind=\"12\" uname=\"OpenMP region of a thread\">\n"
           "    <field name=\"THRID\" offset=\"8\" type=\"INT64\"/>\n"
           "    <field name=\"TSTAMP\" offset=\"16\" type=\"INT64\"/>\n"
           "    <field name=\"CPRID\" offset=\"24\" type=\"INT64\"/>\n  </profpckt>\n"
           "  <profpckt kind=\"15\" uname=\"OpenMP region\">\n"
           "    <field name=\"CPRID\" offset=\"8\" type=\"INT64\"/>\n"
           "    <field name=\"PPRID\" offset=\"16\" type=\"INT64\"/>\n"
           "    <field name=\"PRPC\" offset=\"24\" type=\"INT64\"/>\n  </profpckt>\n</profile>\n";
    for (const Warning &warning : warnings_of(process_)) {
        out << "<event kind=\"cwarn\" id=\"1000\" tstamp=\"" << stamp(end) << "\">"
            << markup(warning.text) << "</event>\n";
    }
    out << "<event kind=\"exit\" tstamp=\"" << stamp(end) << "\"/>\n";
    out.flush();
    if (!out) {
        throw Failure((folder_ / "log.xml").string() + ": " + strerror(errno));
    }
}

void Experiment::write() {
    std::error_code error;
    fs::create_directories(folder_ / "archives", error);
    if (error) {
        throw Failure(folder_.string() + ": " + error.message());
    }
    place_modules();
    write_regions();
    write_samples();
    infos_.write(folder_ / "data.frameinfo");
    profile_.write(folder_ / "profile");
    regions_.write(folder_ / "omptrace");
    write_map();
    write_log();
}

} // namespace

// Further processes get folders beside the first: run.er, run.PID.er.
void write_gprofng(const Run &run, const std::string &folder) {
    fs::path path = folder;
    if (path.extension() != ".er") {
        path += ".er"; // its reader takes no other name
    }
    for (const Process &process : run.processes) {
        const bool is_first = &process == &run.processes.front();
        Experiment(process, is_first ? path
                                     : fs::path(path).replace_extension(
                                           "." + std::to_string(process.pid) + ".er"))
            .write();
    }
}

} // namespace ompcollect::report
