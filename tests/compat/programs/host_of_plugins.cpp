// SPDX-License-Identifier: Apache-2.0
//
// host_of_plugins WAY:FILE... - a C++ program without OpenMP whose plugins have it, each opened in
// its way, "local" or "global". Calls all of them in turn, several times, prints what they compute,
// and ends with 3.
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

using Work = long (*)(int round);

Work open_plugin(const std::string &word) {
    const std::size_t colon = word.find(':');
    const int scope = word.substr(0, colon) == "global" ? RTLD_GLOBAL : RTLD_LOCAL;
    void *plugin = dlopen(word.substr(colon + 1).c_str(), RTLD_NOW | scope);
    if (plugin == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return nullptr;
    }
    void *symbol = dlsym(plugin, "plugin_work");
    Work work = nullptr;
    std::memcpy(&work, &symbol, sizeof work);
    return work;
}

} // namespace

int main(int count, char **words) {
    std::vector<Work> plugins;
    for (int i = 1; i < count; ++i) {
        plugins.push_back(open_plugin(words[i]));
        if (plugins.back() == nullptr) {
            return 1;
        }
    }
    for (int round = 0; round < 20; ++round) {
        long sum = 0;
        for (const Work work : plugins) {
            sum += work(round);
        }
        std::printf("%ld\n", sum);
    }
    return 3;
}
