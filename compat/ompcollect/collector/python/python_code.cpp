// SPDX-License-Identifier: Apache-2.0
#include "python_code.h"

#include "line_of_code.h"
#include "python_text.h"
#include "row_index.h"
#include "stack_memory.h"
#include "store.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>
#include <sys/uio.h>
#include <unistd.h>

namespace ompcollect {
namespace {

// What is read of a code object, and of the head of an object that it refers to.
struct CodeHead {
    uintptr_t type;
    uintptr_t units;
    uintptr_t file;
    uintptr_t name;
    uintptr_t lines;
    uint32_t first_line;
};
struct ObjectHead {
    uintptr_t type;
    uintptr_t length;
};
constexpr size_t kObjectHead = kStateOfText + sizeof(uint32_t);

struct Part {
    uintptr_t address;
    size_t length;
};

// Memory that may be anything: false where some of it is none.
bool gather(const Part *parts, unsigned count, char *to) {
    constexpr unsigned kMost = 8;
    iovec from[kMost];
    size_t all = 0;
    for (unsigned i = 0; i < count; ++i) {
        from[i] = {reinterpret_cast<void *>(parts[i].address), parts[i].length};
        all += parts[i].length;
    }
    const iovec whole = {to, all};
    return count <= kMost &&
           process_vm_readv(getpid(), &whole, 1, from, count, 0) == static_cast<ssize_t>(all);
}

template <class T> T field(const char *bytes, size_t offset) {
    T value = {};
    memcpy(&value, bytes + offset, sizeof value);
    return value;
}

bool read_code(uintptr_t code, CodeHead &head) {
    const PythonLayout &layout = the_python.layout;
    char bytes[kMostCodeHead];
    const Part part = {code, layout.instructions};
    if (code == 0 || !gather(&part, 1, bytes)) {
        return false;
    }
    head = {field<uintptr_t>(bytes, kTypeOfObject), field<uintptr_t>(bytes, kLengthOfObject),
            field<uintptr_t>(bytes, layout.file),   field<uintptr_t>(bytes, layout.name),
            field<uintptr_t>(bytes, layout.lines),  field<uint32_t>(bytes, layout.first_line)};
    return true;
}

// The texts and the table of a code object.
struct Texts {
    TextShape file;
    TextShape name;
    size_t lines; // bytes of the table
};

bool read_texts(const InterpreterFile &file, const CodeHead &code, Texts &texts) {
    const Part parts[] = {
        {code.file, kObjectHead}, {code.name, kObjectHead}, {code.lines, kBytesOfBytes}};
    char bytes[2 * kObjectHead + kBytesOfBytes];
    if (code.file == 0 || code.name == 0 || code.lines == 0 || !gather(parts, 3, bytes)) {
        return false;
    }
    const auto head_at = [&bytes](size_t at) {
        return ObjectHead{field<uintptr_t>(bytes + at, kTypeOfObject),
                          field<uintptr_t>(bytes + at, kLengthOfObject)};
    };
    const ObjectHead file_head = head_at(0);
    const ObjectHead name_head = head_at(kObjectHead);
    const ObjectHead lines_head = head_at(2 * kObjectHead);
    texts.file =
        text_shape(the_python.layout, file_head.length, field<uint32_t>(bytes, kStateOfText));
    texts.name = text_shape(the_python.layout, name_head.length,
                            field<uint32_t>(bytes + kObjectHead, kStateOfText));
    texts.lines = lines_head.length;
    constexpr size_t kMostLines = size_t{1} << 28;
    return file_head.type == file.text_type && name_head.type == file.text_type &&
           lines_head.type == file.bytes_type && texts.file.width != 0 && texts.name.width != 0 &&
           texts.lines < kMostLines;
}

// The last bytes of something long, or all of it.
constexpr size_t kSample = 16;
Part end_of(uintptr_t begin, size_t length) {
    const size_t size = std::min(length, kSample);
    return {begin + length - size, size};
}

// Of what code objects at one address differ in: where their texts are, how long they are, how the
// names end, and some bytes of the table of lines.
bool sign(const CodeHead &code, const Texts &texts, uint64_t &signature) {
    const uintptr_t lines = code.lines + kBytesOfBytes;
    const Part parts[] = {end_of(code.file + texts.file.head, texts.file.bytes()),
                          end_of(code.name + texts.name.head, texts.name.bytes()),
                          {lines, std::min(texts.lines, kSample)},
                          end_of(lines, texts.lines / 2),
                          end_of(lines, texts.lines)};
    constexpr unsigned kParts = sizeof parts / sizeof parts[0];
    char bytes[kParts * kSample] = {};
    if (!gather(parts, kParts, bytes)) {
        return false;
    }
    signature = mixed(code.file, code.name);
    signature = mixed(signature, code.lines);
    signature = mixed(signature, code.first_line | uint64_t{texts.lines} << 32);
    signature = mixed(signature, texts.file.length | uint64_t{texts.name.length} << 32);
    for (size_t at = 0; at < sizeof bytes; at += sizeof(uint64_t)) {
        signature = mixed(signature, field<uint64_t>(bytes, at));
    }
    signature = signature != 0 ? signature : 1;
    return true;
}

bool look_at(const InterpreterFile &file, uintptr_t code, CodeHead &head, Texts &texts,
             uint64_t &signature) {
    return read_code(code, head) && head.type == file.code_type && read_texts(file, head, texts) &&
           sign(head, texts, signature);
}

// What has been found out, of all threads.
struct Known {
    std::atomic<uint64_t> key; // of code and instruction; 0: free
    std::atomic<uint64_t> signature;
    std::atomic<uint64_t> place;
};
constexpr unsigned kWays = 4;
constexpr unsigned kSets = 1024;
constexpr uint64_t kFilling = 1;
constinit Known known[kSets][kWays] = {};

uint64_t key_of(const PythonInstruction &at) {
    const uint64_t key = mixed(mixed(1, at.code), at.instruction);
    return key > kFilling ? key : kFilling + 1;
}

void remember_place(const PythonInstruction &at, uint64_t place) {
    const uint64_t key = key_of(at);
    Known(&set)[kWays] = known[key % kSets];
    Known *into = &set[(key >> 32) % kWays];
    for (Known &entry : set) {
        const uint64_t there = entry.key.load(std::memory_order_relaxed);
        if (there == 0 || there == key) {
            into = &entry;
            break;
        }
    }
    uint64_t before = into->key.load(std::memory_order_relaxed);
    if (before == kFilling ||
        !into->key.compare_exchange_strong(before, kFilling, std::memory_order_acquire)) {
        return;
    }
    std::atomic_thread_fence(std::memory_order_release);
    into->signature.store(at.signature, std::memory_order_relaxed);
    into->place.store(place, std::memory_order_relaxed);
    into->key.store(key, std::memory_order_release);
}

// Piece by piece.
class LineTable {
  public:
    LineTable(uintptr_t begin, size_t length, PythonScratch &scratch)
        : at_(begin), left_(length), scratch_(scratch) {}
    int next() {
        if (used_ == filled_ && !fill()) {
            return -1;
        }
        return static_cast<unsigned char>(scratch_.text[used_++]);
    }

  private:
    bool fill() {
        used_ = 0;
        filled_ = std::min(left_, sizeof scratch_.text);
        const Part part = {at_, filled_};
        if (filled_ == 0 || !gather(&part, 1, scratch_.text)) {
            filled_ = 0;
            left_ = 0;
            return false;
        }
        at_ += filled_;
        left_ -= filled_;
        return true;
    }

    uintptr_t at_;
    size_t left_;
    size_t used_ = 0;
    size_t filled_ = 0;
    PythonScratch &scratch_;
};

// A long text's end says more than its begin: of what is too long the begin goes.
bool copy_text(uintptr_t object, const TextShape &shape, PythonScratch &scratch, char *to,
               size_t size, size_t &filled) {
    constexpr std::string_view kMore = "…";
    const size_t most = std::min(size - kMore.size(), sizeof scratch.text / shape.width);
    // Of characters with several bytes each fewer have room.
    const size_t kept =
        std::min(shape.length,
                 shape.width == 1 && shape.head == the_python.layout.ascii_head ? most : most / 3);
    const Part part = {object + shape.head + (shape.length - kept) * shape.width,
                       kept * shape.width};
    filled = 0;
    if (kept != 0 && !gather(&part, 1, scratch.text)) {
        return false;
    }
    if (kept < shape.length) {
        memcpy(to, kMore.data(), kMore.size());
        filled = kMore.size();
    }
    filled += to_utf8(scratch.text, shape.width, kept, to + filled, size - filled);
    return true;
}

bool find_out(const PythonInstruction &at, const CodeHead &code, const Texts &texts,
              PythonScratch &scratch, uint64_t &place) {
    size_t file = 0;
    size_t name = 0;
    if (!copy_text(code.file, texts.file, scratch, scratch.file, sizeof scratch.file, file) ||
        !copy_text(code.name, texts.name, scratch, scratch.name, sizeof scratch.name, name)) {
        return false;
    }
    if (std::string_view(scratch.file, file) == "<shim>") {
        place = kNoPlace; // of the interpreter's own
        return true;
    }
    constexpr long kUnit = 2;
    const uintptr_t begin = at.code + the_python.layout.instructions;
    const long unit = (static_cast<long>(at.instruction) - static_cast<long>(begin)) / kUnit;
    LineTable table(code.lines + kBytesOfBytes, texts.lines, scratch);
    const int first_line = static_cast<int>(code.first_line);
    const int line =
        unit < 0 ? first_line : line_of_unit(unit, first_line, [&table] { return table.next(); });
    const uint32_t file_row = python_text_row(scratch.file, file);
    const uint32_t name_row = python_text_row(scratch.name, name);
    const uint32_t row = file_row == kNoRow || name_row == kNoRow
                             ? kNoRow
                             : python_code_row(file_row, name_row, code.first_line);
    if (row == kNoRow) {
        scratch.lacks_room = !python_rows_are_full();
        header().python_names.fetch_add(python_rows_are_full() ? 1 : 0, std::memory_order_relaxed);
        return false;
    }
    place = python_place(row, static_cast<uint32_t>(std::max(line, 0)));
    return true;
}

// One unit before the begin stands for a function that is about to begin.
bool is_within(const PythonInstruction &at, const CodeHead &code) {
    constexpr uintptr_t kUnit = 2;
    constexpr uintptr_t kMostUnits = uintptr_t{1} << 30;
    const uintptr_t begin = at.code + the_python.layout.instructions;
    return code.units < kMostUnits && at.instruction + kUnit >= begin &&
           at.instruction < begin + code.units * kUnit;
}

} // namespace

bool recall_python_place(const PythonInstruction &at, uint64_t &place) {
    const uint64_t key = key_of(at);
    for (Known &entry : known[key % kSets]) {
        if (entry.key.load(std::memory_order_acquire) == key &&
            entry.signature.load(std::memory_order_relaxed) == at.signature) {
            place = entry.place.load(std::memory_order_relaxed);
            std::atomic_thread_fence(std::memory_order_acquire);
            return entry.key.load(std::memory_order_relaxed) == key &&
                   entry.signature.load(std::memory_order_relaxed) == at.signature;
        }
    }
    return false;
}

namespace {

template <class T> T load(uintptr_t address) {
    T value = {};
    memcpy(&value, reinterpret_cast<const void *>(address), sizeof value);
    return value;
}

// The last word of a text or a table; of a short one what follows is the object's, too.
uintptr_t last_word(uintptr_t begin, size_t bytes) {
    return begin + (bytes < kWord ? 0 : bytes - kWord);
}

TextShape shape_of_own(uintptr_t text) {
    return text_shape(the_python.layout, load<size_t>(text + kLengthOfObject),
                      load<uint32_t>(text + kStateOfText));
}

} // namespace

PythonMark mark_of(const PythonInstruction &at) {
    const PythonLayout &layout = the_python.layout;
    PythonMark mark = {};
    mark.code = at.code;
    mark.instruction = at.instruction;
    mark.first_line = load<uint32_t>(at.code + layout.first_line);
    const size_t fields[] = {layout.file, layout.name, layout.lines};
    for (unsigned i = 0; i < PythonMark::kObjects; ++i) {
        PythonMark::Object &object = mark.objects[i];
        object.address = load<uintptr_t>(at.code + fields[i]);
        object.length = load<size_t>(object.address + kLengthOfObject);
        if (fields[i] == layout.lines) {
            object.end = last_word(object.address + kBytesOfBytes, object.length);
        } else {
            const TextShape shape = shape_of_own(object.address);
            object.end = last_word(object.address + shape.head, shape.bytes());
        }
        object.word = load<uint64_t>(object.end);
    }
    return mark;
}

bool is_still(const PythonMark &mark) {
    const PythonLayout &layout = the_python.layout;
    const size_t fields[] = {layout.file, layout.name, layout.lines};
    for (unsigned i = 0; i < PythonMark::kObjects; ++i) {
        const PythonMark::Object &object = mark.objects[i];
        if (load<uintptr_t>(mark.code + fields[i]) != object.address ||
            load<size_t>(object.address + kLengthOfObject) != object.length ||
            load<uint64_t>(object.end) != object.word) {
            return false;
        }
    }
    return load<uint32_t>(mark.code + layout.first_line) == mark.first_line;
}

bool find_python_place(const InterpreterFile &file, PythonInstruction &at, PythonScratch &scratch,
                       uint64_t &place) {
    CodeHead head;
    Texts texts;
    at.code = untagged(at.code);
    if (!look_at(file, at.code, head, texts, at.signature) || !is_within(at, head)) {
        return false;
    }
    if (recall_python_place(at, place)) {
        return true;
    }
    if (!find_out(at, head, texts, scratch, place)) {
        return false;
    }
    remember_place(at, place);
    return true;
}

void grow_python_code() {
    grow_python_rows();
}

// Its rows are gone.
void restart_python_code() {
    for (auto &set : known) {
        for (Known &entry : set) {
            entry.key.store(0, std::memory_order_relaxed);
        }
    }
    restart_python_rows();
}

} // namespace ompcollect
