/* check.h: what the SDK's own tests are written in: CHECK, RUN and the files of tests/abi. Each file of this folder is a program,
 * compiled for this machine with sanitizers (`cargo xtask languages c`); its argument is the folder tests/abi. */
#ifndef CHECK_H
#define CHECK_H

#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../divvy.h"

static const char *check_test = "";
static int check_failures;

__attribute__((format(printf, 3, 4), unused)) static void check_failed(const char *file, int line, const char *form, ...) {
    va_list more;
    va_start(more, form);
    fprintf(stderr, "%s:%d: %s: ", file, line, check_test);
    vfprintf(stderr, form, more);
    fprintf(stderr, "\n");
    va_end(more);
    if (++check_failures == 20) { fprintf(stderr, "and no more after 20\n"); exit(1); }
}

#define CHECK(it) do { if (!(it)) check_failed(__FILE__, __LINE__, "not so: %s", #it); } while (0)
#define CHECK_NUMBER(found, wanted, about) do {                                                                            \
        uint64_t check_found = (uint64_t)(found), check_wanted = (uint64_t)(wanted);                                       \
        if (check_found != check_wanted)                                                                                   \
            check_failed(__FILE__, __LINE__, "%s: %s is 0x%" PRIx64 ", wanted 0x%" PRIx64, about, #found, check_found, check_wanted); \
    } while (0)
#define CHECK_BYTES(found, wanted, about) check_bytes(__FILE__, __LINE__, found, wanted, about)

__attribute__((unused)) static void check_bytes(const char *file, int line, divvy_bytes found, divvy_bytes wanted, const char *about) {
    uint32_t at = 0;
    while (at < found.len && at < wanted.len && found.at[at] == wanted.at[at]) at++;
    if (at == found.len && at == wanted.len) return;
    check_failed(file, line, "%s: %u bytes, wanted %u; they differ at byte %u: %02x, wanted %02x", about, found.len, wanted.len, at,
                 at < found.len ? found.at[at] : 0, at < wanted.len ? wanted.at[at] : 0);
}

/* A test is a call: what it had is given back, and the sanitizer says what it kept. */
#define RUN(test) do { check_test = #test; test(); divvy_end_call(); } while (0)

/* Bytes written down: B(0x92, 1, 2). Exactly as long as they are, so that a byte too many is seen. */
#define B(...) check_copy((const uint8_t[]){__VA_ARGS__}, sizeof (const uint8_t[]){__VA_ARGS__})

__attribute__((unused)) static divvy_bytes check_copy(const uint8_t *bytes, size_t len) {
    uint8_t *copy = divvy_new(len);
    if (len) memcpy(copy, bytes, len);
    return (divvy_bytes){copy, (uint32_t)len};
}

/* Of an ended call: whether it ended as a failure with that text. */
__attribute__((unused)) static void check_fails(void (*call)(void), const char *text, int line) {
    fflush(NULL);
    int said[2], status = 0;
    if (pipe(said)) abort();
    pid_t child = fork();
    if (!child) {
        dup2(said[1], 2);
        call();
        _exit(0);
    }
    close(said[1]);
    char words[256] = "";
    size_t len = 0;
    for (ssize_t got; len < 255 && (got = read(said[0], words + len, 255 - len)) > 0;) len += (size_t)got;
    close(said[0]);
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(words, text))
        check_failed(__FILE__, line, "wanted the failure \"%s\", status %d, said: %s", text, status, words);
}
#define CHECK_FAILS(call, text) check_fails(call, text, __LINE__)

/* A file, NULL if it is not there. */
__attribute__((unused)) static divvy_bytes check_file(const char *folder, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return (divvy_bytes){NULL, 0};
    fseek(file, 0, SEEK_END);
    long len = ftell(file);
    rewind(file);
    uint8_t *bytes = divvy_new((uint64_t)len);
    if (fread(bytes, 1, (size_t)len, file) != (size_t)len) { fprintf(stderr, "%s cannot be read\n", path); exit(1); }
    fclose(file);
    return (divvy_bytes){bytes, (uint32_t)len};
}

/* Whether a reply is a refusal with the code bad_request. */
__attribute__((unused)) static bool check_is_bad_request(divvy_bytes reply) {
    static const char head[] = "\x93\x01\x94\xab" "bad_request";
    return reply.len > sizeof head && !memcmp(reply.at, head, sizeof head - 1);
}

__attribute__((unused)) static int check_done(const char *program) {
    if (check_failures) fprintf(stderr, "%s: %d checks failed\n", program, check_failures);
    return check_failures != 0;
}

#endif
