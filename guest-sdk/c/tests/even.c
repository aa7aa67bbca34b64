/* The reference strategy of shape `partitions` on the requests of tests/abi. */
#include "suite.h"

#include "../even.c"

int main(int count, char **words) {
    const char *suite = count > 1 ? words[1] : "../../tests/abi";
    check_test = "requests";
    suite_folder(suite, divvy_assign, 85);
    check_test = "cut and changed requests";
    suite_hostile(suite, divvy_assign);
    return check_done("even");
}
