/* SPDX-License-Identifier: Apache-2.0
 * Two teams, the second one larger: the runtime makes workers at both forks. */
enum { kFirstTeam = 32, kSecondTeam = 64 };

static void work(int team_size) {
    int sum = 0;
#pragma omp parallel num_threads(team_size) reduction(+ : sum)
    ++sum;
    if (sum != team_size) {
        __builtin_abort();
    }
}

int main(void) {
    work(kFirstTeam);
    work(kSecondTeam);
    return 0;
}
