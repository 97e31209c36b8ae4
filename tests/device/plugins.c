/* Libraries that stand for a torch_npu that cannot be used; which one is decided by -D (CMakeLists.txt). */
#include <stdlib.h>

#if defined(ASCENDCL)
int aclInit(const char *path) { return path != 0; }
#elif defined(WITHOUT_CANN)
int aclInit(const char *path);
int start(void) { return aclInit(0); }
#elif defined(WITHOUT_SYMBOL)
int _ZN6at_npu6absentEi(int); /* at_npu::absent(int) */
int start(void) { return _ZN6at_npu6absentEi(1); }
#elif defined(CRASHES)
__attribute__((constructor)) static void start(void) { abort(); }
#else
int no_backend;
#endif
