/* SPDX-License-Identifier: Apache-2.0
 *
 * Offsets in the structures of Python 3.11, as its headers have them, in the order of
 * python_layout_test.cpp.
 */
#include <stddef.h>

#ifdef OCB_TEST_HAS_PYTHON_HEADERS
#define Py_BUILD_CORE 1
#include <Python.h>

#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#endif

const size_t *python_offsets(void);
const size_t *python_offsets(void) {
#if defined OCB_TEST_HAS_PYTHON_HEADERS && PY_VERSION_HEX >> 16 == 0x030b
    static const size_t kOffsets[] = {
        offsetof(_PyRuntimeState, interpreters.head),
        offsetof(PyInterpreterState, next),
        offsetof(PyInterpreterState, threads.head),
        offsetof(PyThreadState, next),
        offsetof(PyThreadState, interp),
        offsetof(PyThreadState, native_thread_id),
        offsetof(PyThreadState, cframe),
        offsetof(_PyCFrame, current_frame),
        offsetof(_PyCFrame, previous),
        offsetof(_PyInterpreterFrame, f_code),
        offsetof(_PyInterpreterFrame, previous),
        offsetof(_PyInterpreterFrame, prev_instr),
        offsetof(_PyInterpreterFrame, owner),
        offsetof(_PyInterpreterFrame, is_entry),
        offsetof(PyCodeObject, co_firstlineno),
        offsetof(PyCodeObject, co_filename),
        offsetof(PyCodeObject, co_qualname),
        offsetof(PyCodeObject, co_linetable),
        offsetof(PyCodeObject, co_code_adaptive),
        sizeof(PyASCIIObject),
        sizeof(PyCompactUnicodeObject),
        offsetof(PyObject, ob_type),
        offsetof(PyVarObject, ob_size),
        offsetof(PyASCIIObject, state),
        offsetof(PyBytesObject, ob_sval),
    };
    return kOffsets;
#else
    return NULL;
#endif
}
