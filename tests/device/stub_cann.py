#!/usr/bin/env python3
"""Builds libraries that stand for Huawei's CANN, so that the libtorch_npu.so of a torch_npu wheel loads without an NPU.

usage: stub_cann.py TORCH_NPU TORCH LIBPYTHON OUT

TORCH_NPU  folder of the package torch_npu
TORCH      folder of the package torch of the same version
LIBPYTHON  the libpython3.x.so of that Python
OUT        is made and gets the libraries, for LD_LIBRARY_PATH

A function of CANN does nothing and returns 0, which is success to most callers. The exceptions are in ANSWERS: the
machine seems to have two NPUs of 16 GiB, whose memory is the host's and whose kernels compute nothing (outputs hold what
the memory held before). torch_npu itself is real: loading, Python, devices, allocator, streams, errors, dispatch.
STUB_CANN_CRASH=Tanh: the process aborts when the kernel Tanh is to run; STUB_CANN_LOST=Tanh: from then on the process cannot
wait for its card any more, as after a fault on it.
"""
import pathlib
import re
import subprocess
import sys

ANSWERS = r"""
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static _Thread_local int device;
static char context[2], stream, event;
int aclrtGetDeviceCount(uint32_t *count) { *count = 2; return 0; }
int aclrtSetDevice(int id) { if (id < 0 || id > 1) return 107001; device = id; return 0; }
int aclrtGetDevice(int *id) { *id = device; return 0; }
int aclrtSetDeviceSatMode(int mode) { return 0; }
int aclrtGetCurrentContext(void **c) { *c = &context[device]; return 0; }
int aclrtSetCurrentContext(void *c) { device = (char *)c != context; return 0; }
const char *aclrtGetSocName(void) { return "Ascend910B1"; }
const char *aclGetRecentErrMsg(void) { return ""; }
int aclrtGetMemInfo(int kind, size_t *left, size_t *total) { *left = *total = (size_t)1 << 34; return 0; }
int aclrtCreateStreamWithConfig(void **s, uint32_t priority, uint32_t flags) { *s = &stream; return 0; }
int aclrtCreateStream(void **s) { *s = &stream; return 0; }
int aclrtStreamGetId(void *s, int *id) { *id = 0; return 0; }
int aclrtStreamQuery(void *s, int *status) { *status = 0; return 0; }
int aclrtCreateEvent(void **e) { *e = &event; return 0; }
int aclrtCreateEventWithFlag(void **e, uint32_t flags) { *e = &event; return 0; }
int aclrtCreateEventExWithFlag(void **e, uint32_t flags) { *e = &event; return 0; }
int aclrtQueryEventStatus(void *e, int *status) { *status = 1; return 0; }
int aclrtMalloc(void **p, size_t size, int policy) {
  if (size > (size_t)1 << 34) return 207001;
  return (*p = aligned_alloc(512, (size + 511) / 512 * 512)) ? 0 : 207001;
}
int aclrtMallocAlign32(void **p, size_t size, int policy) { return aclrtMalloc(p, size, policy); }
int aclrtMallocHost(void **p, size_t size) { return aclrtMalloc(p, size, 0); }
int aclrtFree(void *p) { free(p); return 0; }
int aclrtFreeHost(void *p) { free(p); return 0; }
int aclrtMemcpy(void *to, size_t most, const void *from, size_t size, int kind) { memmove(to, from, size); return 0; }
int aclrtMemcpyAsync(void *to, size_t most, const void *from, size_t size, int kind, void *s) { memmove(to, from, size); return 0; }
int aclrtMemset(void *p, size_t most, int value, size_t size) { memset(p, value, size); return 0; }
int aclrtMemsetAsync(void *p, size_t most, int value, size_t size, void *s) { memset(p, value, size); return 0; }
int aclrtGetSysParamOpt(int option, int64_t *value) { *value = 0; return 0; }
int aclrtSetSysParamOpt(int option, int64_t value) { return 0; }
int aclrtCtxSetSysParamOpt(int option, int64_t value) { return 0; }
int aclrtSetOpExecuteTimeOut(uint32_t seconds) { return 0; }
int aclrtSetOpWaitTimeout(uint32_t seconds) { return 0; }
int aclrtSetStreamFailureMode(void *s, uint64_t mode) { return 0; }
static int failure;
int aclrtSynchronizeDevice(void) { return failure; }
int aclrtSynchronizeDeviceWithTimeout(int ms) { return failure; }
int aclrtSynchronizeStream(void *s) { return failure; }
int aclrtSynchronizeStreamWithTimeout(void *s, int ms) { return failure; }
int aclrtSetStreamOverflowSwitch(void *s, uint32_t on) { return 0; }
int aclrtPeekAtLastError(int level) { return 0; }
int aclopCompileAndExecute(const char *type) {
  const char *fatal = getenv("STUB_CANN_CRASH");
  if (fatal && !strcmp(fatal, type)) abort();
  const char *last = getenv("STUB_CANN_LOST");
  if (last && !strcmp(last, type)) failure = 507018;
  return 0;
}
int aclopCompileAndExecuteV2(const char *type) { return aclopCompileAndExecute(type); }
int aclSetCompileopt(int option, const char *value) {
  return option == 10 && strcmp(value, "enable") && strcmp(value, "disable") ? 100000 : 0;
}
"""
ANSWERED = set(re.findall(r"\b(acl\w+)\(", "\n".join(line for line in ANSWERS.splitlines() if not line.startswith(" "))))


def run(*command, **keywords):
    return subprocess.run(command, check=True, capture_output=True, text=True, **keywords).stdout


def symbols(library, *options):
    """Names of the dynamic symbols of a library, versions stripped; weak references are nobody's need."""
    for line in run("nm", "-D", "--format=posix", *options, str(library)).splitlines():
        name, kind = line.split()[:2]
        if kind not in "wv":
            yield name.split("@")[0]


def needed(library):
    return [line.split("[")[1].rstrip("]") for line in run("readelf", "-d", str(library)).splitlines() if "(NEEDED)" in line]


def system_libraries(library):
    words = [word for word in run("ldd", str(library)).split() if word.startswith("/")]
    return [pathlib.Path(word) for word in words if pathlib.Path(word).is_file()]


def main(torch_npu, torch, libpython, out):
    own = list((torch_npu / "lib").glob("*.so"))
    libtorch = list((torch / "lib").glob("*.so*"))
    known = {path.name for path in own + libtorch}
    users = [path for path in own if path.name in ("libtorch_npu.so", "libnpu_profiler.so", "libtensorpipe.so")]

    provided = set()
    for library in users + [path for path in libtorch if path.suffix == ".so"] + [libpython] + system_libraries(torch / "lib/libc10.so"):
        provided.update(symbols(library, "--defined-only"))
    wanted = sorted({name for library in users for name in symbols(library, "--undefined-only")} - provided)

    system = ("libstdc++", "libm.", "libgcc_s", "libc.", "ld-linux", "libpthread", "libdl.", "librt.")
    cann = sorted({name for library in users for name in needed(library) if name not in known and not name.startswith(system)})
    out.mkdir(parents=True, exist_ok=True)
    # C++ names are no C identifiers, hence assembler labels; one empty C function stands behind them all.
    labels = "".join(f'".globl {name}\\n.set {name}, nothing\\n"\n' for name in wanted if name not in ANSWERED)
    source = ANSWERS + f'int nothing(void) {{ return 0; }}\n__asm__(\n".text\\n"\n{labels});\n'
    everything = "libascendcl.so"  # where torch_npu also looks functions up by name
    for name in sorted(cann, key=lambda name: name != everything):
        # All functions live in one library, through which the others have them too.
        rest = [] if name == everything else ["-Wl,--no-as-needed", str(out / everything)]
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", *rest, "-o", str(out / name), f"-Wl,-soname,{name}"],
                       input=source if name == everything else "", text=True, check=True)
    print(f"{len(wanted)} functions in {everything}; also {', '.join(name for name in cann if name != everything)}")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*(pathlib.Path(argument) for argument in sys.argv[1:]))
