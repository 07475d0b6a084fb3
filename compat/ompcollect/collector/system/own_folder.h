// SPDX-License-Identifier: Apache-2.0
//
// The collector without its launcher: where the profile goes, and how its user learns of it.
#pragma once

namespace ompcollect {

// The user's own folder, ompcollect-UID in TMPDIR or /tmp, made with mode 0700 where it is not
// there. Null where it cannot be had, or could be another user's; the reason has been printed. The
// text is constant from then on. Not async-signal-safe.
const char *own_folder();

// One line on stderr with the command that reads the profile. Not async-signal-safe.
void name_own_profile(const char *path);

} // namespace ompcollect
