static volatile int sink;
__attribute__((noinline)) static int hidden(int n)
{ for (int i = 0; i < n; i++) sink += i; return sink * 3; }
__declspec(dllexport) __attribute__((noinline)) int shown(int n)
{ return hidden(n) + hidden(n + 1); }
__declspec(dllexport) __attribute__((noinline)) int leaf(int n) { sink += n; return n + 1; }
int entry(void *h, unsigned why, void *r) { (void)h; (void)r; return why + shown(3) > 0; }
__declspec(dllexport) int OTHER(int n) { return n; } /* which build it is, in the PDB, too */
