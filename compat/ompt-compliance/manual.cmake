# SPDX-License-Identifier: Apache-2.0
# Writes the manual page of PROGRAM into FOLDER: what its --help prints.
execute_process(COMMAND ${PROGRAM} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "^([^\n]*)\\.\n(.*)$" matched "${help}")
set(purpose "${CMAKE_MATCH_1}")
string(REPLACE "\\" "\\e" text "${CMAKE_MATCH_2}")
string(REPLACE "-" "\\-" text "${text}")
string(TOLOWER "${purpose}" purpose)
string(REPLACE "ompt" "OMPT" purpose "${purpose}")
string(REPLACE "openmp" "OpenMP" purpose "${purpose}")
file(WRITE "${FOLDER}/ompt-compliance.1" ".\\\" SPDX-License-Identifier: Apache-2.0
.TH OMPT\\-COMPLIANCE 1 \"\" \"ompt\\-compliance ${VERSION}\"
.SH NAME
ompt\\-compliance \\- ${purpose}
.SH DESCRIPTION
.nf
${text}.fi
.SH SEE ALSO
.BR ompcollect (1)
")
execute_process(COMMAND gzip -9nkf "${FOLDER}/ompt-compliance.1" COMMAND_ERROR_IS_FATAL ANY)
