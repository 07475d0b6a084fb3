// SPDX-License-Identifier: Apache-2.0
#include "adapters.h"

#include "ompt5/adapter.h"
#include "tr2/adapter.h"
#include "tr6/adapter.h"

namespace ocb::ompt {
namespace {

constexpr const Adapter *kAdapters[] = {&ompt5::kAdapter, &ompt_tr6::kAdapter, &ompt_tr2::kAdapter,
                                        &ompt_tr2::kDraftAdapter, &ompt_tr2::kAdapter2014};

} // namespace

std::span<const Adapter *const> all_adapters() {
    return kAdapters;
}

} // namespace ocb::ompt
