/* The reference strategy of shape `states`, with both optional exports, on the requests of tests/abi. */
#include "suite.h"

#include "../parts.c"

int main(int count, char **words) {
    const char *suite = count > 1 ? words[1] : "../../tests/abi";
    static const struct { const char *folder; suite_export *answer; int least; } exports[] = {
        {"states", divvy_assign, 55}, {"user-data", divvy_user_data, 30}, {"check", divvy_check, 30},
    };
    for (size_t i = 0; i < sizeof exports / sizeof *exports; i++) {
        char folder[1024];
        snprintf(folder, sizeof folder, "%s/%s", suite, exports[i].folder);
        check_test = exports[i].folder;
        suite_folder(folder, exports[i].answer, exports[i].least);
        suite_hostile(folder, exports[i].answer);
    }
    return check_done("parts");
}
