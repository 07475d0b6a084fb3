# SPDX-License-Identifier: Apache-2.0
# Run by cpack before it packs: where SOURCE_DATE_EPOCH is set, no file is newer, so that packages do
# not tell when they were made.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND find "${CPACK_TEMPORARY_DIRECTORY}" -exec touch -h -d "@$ENV{SOURCE_DATE_EPOCH}" {} +
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
