// SPDX-License-Identifier: Apache-2.0
// The generations of OMPT, and what is done with all of them.
#include "generation.h"

#include "attachment/attachment.h"
#include "ompt5/adapter.h"
#include "runtime.h"
#include "tr2/adapter.h"
#include "tr6/adapter.h"

namespace ocb {
namespace ompt {
namespace {

constexpr const Adapter *kAdapters[] = {&ompt5::kAdapter, &ompt_tr6::kAdapter, &ompt_tr2::kAdapter,
                                        &ompt_tr2::kDraftAdapter, &ompt_tr2::kAdapter2014};

} // namespace

std::span<const Adapter *const> all_adapters() {
    return kAdapters;
}

} // namespace ompt

void runtime::reset_after_fork() {
    ompt::reset_attachment_after_fork();
    for (const ompt::Adapter *adapter : ompt::all_adapters()) {
        adapter->reset_after_fork();
    }
}

} // namespace ocb
