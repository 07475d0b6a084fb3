// SPDX-License-Identifier: Apache-2.0
//
// See program_file.h. The transitive needs are asked of the program's own dynamic linker (--list,
// which is what ldd does): it knows RPATH, RUNPATH, the cache and LD_LIBRARY_PATH better than we
// could, and it runs nothing of the program.
#include "program_file.h"

#include "failure.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ompcollect {
namespace {

// The machine this launcher, and so the bridge, is built for.
#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr unsigned kMachine = EM_PPC64;
#elif defined(__riscv)
constexpr unsigned kMachine = EM_RISCV;
#else
#error "add the ELF machine number of this architecture"
#endif

struct RuntimeName {
    std::string_view soname;
    bool libomp; // false: libgomp
};
constexpr RuntimeName kRuntimeNames[] = {
    {"libomp.so.5", true},
    {"libomp.so", true},
    {"libiomp5.so", true},
    {"libgomp.so.1", false},
};

// An ELF file open for reading.
class ElfFile {
  public:
    explicit ElfFile(const std::string &path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        elf_version(EV_CURRENT);
        if (fd_ >= 0) {
            elf_ = elf_begin(fd_, ELF_C_READ, nullptr);
        }
    }
    ~ElfFile() {
        elf_end(elf_);
        if (fd_ >= 0) {
            close(fd_);
        }
    }
    ElfFile(const ElfFile &) = delete;
    ElfFile &operator=(const ElfFile &) = delete;

    bool is_elf() const { return elf_ && elf_kind(elf_) == ELF_K_ELF; }
    bool is_for_this_machine() const {
        GElf_Ehdr header;
        return gelf_getehdr(elf_, &header) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
               header.e_machine == kMachine;
    }
    bool is_shared_object() const {
        GElf_Ehdr header;
        return gelf_getehdr(elf_, &header) && header.e_type == ET_DYN;
    }
    // Empty if there is none.
    std::string interpreter() const {
        size_t count = 0;
        if (elf_getphdrnum(elf_, &count) != 0) {
            return {};
        }
        for (size_t i = 0; i < count; ++i) {
            GElf_Phdr segment;
            if (gelf_getphdr(elf_, static_cast<int>(i), &segment) && segment.p_type == PT_INTERP) {
                std::string name(segment.p_filesz, '\0');
                const ssize_t got =
                    pread(fd_, name.data(), name.size(), static_cast<off_t>(segment.p_offset));
                name.resize(got > 0 ? strnlen(name.data(), static_cast<size_t>(got)) : 0);
                return name;
            }
        }
        return {};
    }

  private:
    int fd_;
    Elf *elf_ = nullptr;
};

bool is_regular_file(const std::string &path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// What a command prints to stdout; its stderr is dropped.
std::string output_of(const std::vector<const char *> &command) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return {};
    }
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDERR_FILENO);
        execv(command.front(), const_cast<char *const *>(command.data()));
        _exit(kExitNotFound);
    }
    close(ends[1]);
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t got; (got = read(ends[0], part.data(), part.size())) != 0;) {
        if (got > 0) {
            text.append(part.data(), static_cast<size_t>(got));
        } else if (errno != EINTR) {
            break;
        }
    }
    close(ends[0]);
    while (pid > 0 && waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return text;
}

} // namespace

std::string find_program(const std::string &name) {
    if (name.find('/') != std::string::npos) {
        if (access(name.c_str(), F_OK) != 0) {
            throw Failure(name + ": " + strerror(errno) + "; check the path", kExitNotFound);
        }
        if (!is_regular_file(name) || access(name.c_str(), X_OK) != 0) {
            throw Failure(name + ": not an executable file; check the path and its mode",
                          kExitNotExecutable);
        }
        return name;
    }
    const char *path = getenv("PATH");
    std::istringstream directories(path ? path : "/usr/local/bin:/usr/bin:/bin");
    bool found_unusable = false;
    for (std::string directory; std::getline(directories, directory, ':');) {
        std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
        if (!is_regular_file(candidate)) {
            continue;
        }
        if (access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
        found_unusable = true;
    }
    if (found_unusable) {
        throw Failure(name + ": found in PATH, but not executable; check its mode",
                      kExitNotExecutable);
    }
    throw Failure(name + ": not found in PATH; give the program's path", kExitNotFound);
}

ElfFacts inspect_elf(const std::string &path) {
    const ElfFile file(path);
    if (!file.is_elf()) {
        return {FileKind::kScript, {}};
    }
    if (!file.is_for_this_machine()) {
        return {FileKind::kForeign, {}};
    }
    std::string interpreter = file.interpreter();
    if (interpreter.empty()) {
        return {FileKind::kStatic, {}};
    }
    return {FileKind::kDynamic, std::move(interpreter)};
}

bool is_loadable_library(const std::string &path) {
    const ElfFile file(path);
    return file.is_elf() && file.is_for_this_machine() && file.is_shared_object();
}

RuntimeNeeds runtime_needs(const std::string &interpreter, const std::string &path) {
    return runtime_needs_in_list(output_of({interpreter.c_str(), "--list", path.c_str(), nullptr}));
}

// Lines are "\tname => path (address)", "\tname => not found" or "\tpath (address)".
RuntimeNeeds runtime_needs_in_list(const std::string &list) {
    RuntimeNeeds needs;
    std::istringstream lines(list);
    for (std::string line; std::getline(lines, line);) {
        const size_t begin = line.find_first_not_of(" \t");
        if (begin == std::string::npos) {
            continue;
        }
        const size_t arrow = line.find(" => ", begin);
        const size_t address = line.rfind(" (0x");
        std::string name = line.substr(begin, std::min(arrow, address) - begin);
        std::string path = name;
        if (arrow != std::string::npos) {
            const size_t value = arrow + 4;
            path =
                address == std::string::npos ? std::string() : line.substr(value, address - value);
        }
        name.erase(0, name.rfind('/') + 1);
        for (const RuntimeName &known : kRuntimeNames) {
            if (name == known.soname && known.libomp) {
                needs.libomp = true;
                needs.libomp_path = path;
            } else if (name == known.soname) {
                needs.libgomp = true;
            }
        }
    }
    return needs;
}

} // namespace ompcollect
