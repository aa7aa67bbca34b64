/* suite.h: the requests of tests/abi through a reference strategy on this machine: the same bytes as in the sandbox; every beginning of
 * a request, and every change of one of its bytes, is answered and never believed beyond its bytes. */
#ifndef SUITE_H
#define SUITE_H

#include "check.h"

typedef divvy_bytes suite_export(divvy_bytes request);

/* Each request of a folder; one without a reply is malformed. How many there were. */
static void suite_folder(const char *folder, suite_export *answer, int least) {
    char requests[1024], replies[1024];
    snprintf(requests, sizeof requests, "%s/requests", folder);
    snprintf(replies, sizeof replies, "%s/replies", folder);
    DIR *open = opendir(requests);
    if (!open) { check_failed(__FILE__, __LINE__, "%s cannot be read", requests); return; }
    int count = 0;
    for (struct dirent *entry; (entry = readdir(open));) {
        if (!strstr(entry->d_name, ".msgpack")) continue;
        count++;
        divvy_bytes reply = answer(check_file(requests, entry->d_name)), wanted = check_file(replies, entry->d_name);
        if (wanted.at) CHECK_BYTES(reply, wanted, entry->d_name);
        else if (!check_is_bad_request(reply)) check_failed(__FILE__, __LINE__, "%s is not refused as bad_request", entry->d_name);
        divvy_end_call();
    }
    closedir(open);
    if (count < least) check_failed(__FILE__, __LINE__, "%d requests in %s, wanted %d", count, requests, least);
}

/* The request with everything in it, cut and changed: the sanitizers look on. */
static void suite_hostile(const char *folder, suite_export *answer) {
    char requests[1024];
    snprintf(requests, sizeof requests, "%s/requests", folder);
    uint8_t whole[4096];
    divvy_bytes all = check_file(requests, "everything.msgpack");
    if (!all.len || all.len > sizeof whole) { check_failed(__FILE__, __LINE__, "%s has no everything.msgpack", requests); return; }
    uint32_t len = all.len;
    memcpy(whole, all.at, len);
    for (uint32_t cut = 0; cut < len; cut++) {
        if (!check_is_bad_request(answer(check_copy(whole, cut)))) check_failed(__FILE__, __LINE__, "the first %u bytes are believed", cut);
        divvy_end_call();
    }
    for (uint32_t at = 0; at < len; at++) {
        uint8_t kept = whole[at];
        for (unsigned byte = 0; byte < 256; byte++) {
            whole[at] = (uint8_t)byte;
            divvy_bytes reply = answer(check_copy(whole, len));
            if (reply.len < 2 || reply.at[0] != 0x93 || reply.at[1] > 1) check_failed(__FILE__, __LINE__, "no reply with %02x at %u", byte, at);
            divvy_end_call();
        }
        whole[at] = kept;
    }
}

#endif
