// SPDX-License-Identifier: Apache-2.0
//
// host_of_plugins WAY:FILE... - a C++ program without OpenMP whose plugins have it, each opened in
// its way: "local", "global", or "anew", which closes it behind each call, and its runtime with it.
// Calls all of them in turn, several times, prints what they compute, and ends with 3.
// With OCB_PLACES set, standard error gets "place NUMBER ADDRESS" of the function at each call.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

using Work = long (*)(int round);

struct Plugin {
    std::string way, file;
    void *handle = nullptr;
    Work work = nullptr;

    explicit Plugin(const std::string &word)
        : way(word.substr(0, word.find(':'))), file(word.substr(way.size() + 1)) {}

    bool open() {
        if (handle != nullptr) {
            return true;
        }
        handle = dlopen(file.c_str(), RTLD_NOW | (way == "global" ? RTLD_GLOBAL : RTLD_LOCAL));
        if (handle == nullptr) {
            std::fprintf(stderr, "%s\n", dlerror());
            return false;
        }
        void *symbol = dlsym(handle, "plugin_work");
        std::memcpy(&work, &symbol, sizeof work);
        return work != nullptr;
    }
    void close_if_anew() {
        if (way == "anew") {
            dlclose(handle);
            handle = nullptr;
        }
    }
};

} // namespace

int main(int count, char **words) {
    std::vector<Plugin> plugins;
    for (int i = 1; i < count; ++i) {
        plugins.emplace_back(words[i]);
        if (!plugins.back().open()) {
            return 1;
        }
    }
    const bool tells_places = std::getenv("OCB_PLACES") != nullptr;
    for (int round = 0; round < 20; ++round) {
        long sum = 0;
        for (Plugin &plugin : plugins) {
            if (!plugin.open()) {
                return 1;
            }
            if (tells_places) {
                std::fprintf(stderr, "place %d %p\n", static_cast<int>(&plugin - plugins.data()),
                             reinterpret_cast<void *>(plugin.work));
            }
            sum += plugin.work(round);
            plugin.close_if_anew();
        }
        std::printf("%ld\n", sum);
    }
    return 3;
}
