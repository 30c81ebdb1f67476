#ifdef __cplusplus
extern "C"
#endif
int row_count(const char *text);
