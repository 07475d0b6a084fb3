#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# cppcheck over the library. What is suppressed, and why: cppcheck follows no constinit, and takes
# functions that runtimes and collectors call for unused. Later ones report that they could do more,
# take rows of constant tables for uninitialised, and function pointers for integers. Skipped (77)
# where it is not installed.
set -eu
if ! command -v cppcheck >/dev/null; then
    echo "cppcheck is not installed"
    exit 77
fi
cd "$(dirname "$0")/../.."
exec cppcheck --quiet --error-exitcode=1 --std=c++20 --language=c++ -D_GNU_SOURCE -D__x86_64__ "-DElfW(type)=Elf64_##type" \
    --enable=warning,performance,portability --inline-suppr --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
    --suppress=uninitMemberVarNoCtor --suppress=CastIntegerToAddressAtReturn \
    -I include -I collector-bridge -I ompt-backend collector-bridge ompt-backend
