# SPDX-License-Identifier: Apache-2.0
# Writes completions and manual page of PROGRAM into FOLDER.
file(MAKE_DIRECTORY "${FOLDER}")
foreach(text IN ITEMS "ompcollect --print-completion bash" "_ompcollect --print-completion zsh"
                      "ompcollect.fish --print-completion fish" "ompcollect.1 --print-manual")
  string(REPLACE " " ";" text "${text}")
  list(POP_FRONT text file)
  execute_process(COMMAND ${PROGRAM} ${text} OUTPUT_FILE "${FOLDER}/${file}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND gzip -9nkf "${FOLDER}/ompcollect.1" COMMAND_ERROR_IS_FATAL ANY)
